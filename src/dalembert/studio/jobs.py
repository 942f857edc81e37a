"""What the studio computes: plain data in, plain data out. Nothing here touches a file.

A description comes from a page: it is text, never the name of a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..door import door
from ..errors import DalembertError, DescriptionError, ModelError, UsageError, shown
from ..mechanism import is_closed, is_rolling
from ..mechanism.letters import freed, given_values
from . import closed
from .closed import WIDEST
from .reduced import simplified, struck
from .samples import samples

LONGEST = 1_000_000  # characters of a description
JOINTS = 200  # of a machine that the page draws
FORMULAS = 400  # that the page typesets
LISTING = 2_000_000  # characters of generated code
OF_TREES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity", "coriolis")
OF_CLOSED = ("inverse_dynamics", "forward_dynamics", "active_mass_matrix", "active_bias")

Report = Callable[[float], None]  # told how far a job is, from 0 to 1


def mechanism_of(given: Mapping[str, Any]) -> Any:
    """Return the mechanism that the page describes, its parameters as the sliders say."""
    from ..read import load

    text = given.get("text")
    if not isinstance(text, str) or len(text) > LONGEST:
        raise UsageError("a description is a text of at most a million characters")
    if text.lstrip().startswith("<") and "<mujoco" in text:
        raise DescriptionError(
            "the studio does not read MJCF: such a file may name others",
            hint="dalembert convert model.xml --to toml, then open that",
        )
    m = load(text + "\n")  # what ends a line is not looked for among files
    if len(m.bodies) > JOINTS:
        raise UsageError(f"the studio shows machines of up to {JOINTS} bodies")
    values = given.get("values") or {}
    if not isinstance(values, Mapping):
        raise UsageError("values are numbers by the names of parameters")
    known = {p.name for p in m.parameters}
    numbers = {n: float(x) for n, x in values.items() if n in known}
    return m.with_values(numbers) if numbers else m


def describe(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page draws: the scene, parameters, notes."""
    from ..view.scene import scene

    m = mechanism_of(given)
    as_written = mechanism_of({"text": given["text"]}) if given.get("values") else m
    known, usual = as_written.floats, samples(as_written)
    return {
        "scene": scene(m, given.get("q")),
        "parameters": [
            {
                "name": shown(p.name, 60),
                "key": p.name,
                "value": known.get(p.name),
                "sample": usual.get(p.name),
            }
            for p in as_written.parameters
            if p.value is not None or p.name in as_written.open_parameters  # not mere limits
        ],
        "notes": [shown(n, 300) for n in (*m.notes, *m.report())][:40],
        "quantities": list(_quantities(m)),
        "rolls": _rolling(m) if is_rolling(m) else None,
    }


def _rolling(m: Any) -> dict[str, Any]:
    return {"speed": shown(_speeds(m)[0], 60), "steered": bool(m.prescribed)}


def _speeds(m: Any) -> tuple[str, ...]:
    from ..plan.kane import kane_speeds

    return tuple(kane_speeds(m))


def _quantities(m: Any) -> tuple[str, ...]:
    """Return the quantities that the page offers as code; without motors nothing is inverted."""
    if not is_closed(m):
        return OF_TREES
    return OF_CLOSED if m.active else OF_CLOSED[1:]


def equations(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the closed forms, typeset by the page, with the number of terms of each."""
    from ..equations import equations as derive

    m = mechanism_of(given)
    try:
        if is_closed(m):
            parts = closed.groups(m, FORMULAS)
            cut = sum(len(g["rows"]) for g in parts) >= FORMULAS
            return {"groups": parts, "constants": [], "cut": cut}
        eq = derive(m)
    except (UsageError, ModelError) as error:  # its hint is for programs
        raise UsageError(error.message, hint="code, forces and motion work all the same") from None
    names = struck(given)
    if names:
        eq = eq.drop(names)
    wanted = given.get("kinds") or ["Q", "A"]
    groups, count = [], 0
    for kind, title in (("Q", "forces of gravity"), ("A", "inertias"),
                        ("B", "Coriolis"), ("C", "centrifugal")):  # fmt: skip
        rows: list[dict[str, Any]] = []
        for entry in getattr(eq, kind) if kind in wanted else ():
            if not entry.is_zero() and count < FORMULAS:
                text = entry.latex()
                wide = len(text) > WIDEST
                rows.append({"name": entry.name, "latex": "" if wide else text,
                             "text": str(entry)[:WIDEST] if wide else "", "terms": len(entry),
                             "joints": _joints(entry)})  # fmt: skip
                count += 1
        asked = kind in wanted
        groups.append({"kind": kind, "title": title, "rows": rows, "asked": asked})
    return {
        "groups": groups,
        "constants": [{"name": n, "text": str(x)} for n, x in eq.constants.items()],
        "cut": count >= FORMULAS,
    }


def cost(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the operations of the inverse dynamics; the equations do not wait for them."""
    from ..compute import program_of

    program = program_of(mechanism_of(given), "inverse_dynamics")
    return {"cost": {k: str(v) for k, v in program.cost.items()}}


def _joints(entry: Any) -> list[int]:
    """Return the bodies, from 0, that an entry speaks of."""
    return sorted({i - 1 for i in entry.place})


def code(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the files of generated code in a language."""
    from ..compute.model import model_of
    from ..export import LANGUAGES, files

    language, quantity = given.get("language"), given.get("quantity")
    m = mechanism_of(given)
    if not isinstance(language, str) or language not in LANGUAGES or quantity not in _quantities(m):
        raise UsageError("no such language or quantity", hint=", ".join(LANGUAGES))
    if _is_reduced(given):
        m = model_of(simplified(_equations(m), given)[0], "export")
    made = files(m, [quantity], language)
    texts = {n: x if isinstance(x, str) else x.decode("utf-8", "replace") for n, x in made.items()}
    return {"files": {n: x[:LISTING] for n, x in texts.items()}}


def _is_reduced(given: Mapping[str, Any]) -> bool:
    return any(given.get(key) for key in ("strike", "tolerance", "operations"))


def _equations(m: Any) -> Any:
    from ..equations.derive import tree_equations

    if is_closed(m):
        raise UsageError(
            "only machines without loops, wheels or couplings can be simplified term by term",
            hint="the equations on the right are complete",
        )
    return tree_equations(_numeric(m))


def terms(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the terms, each with its largest share of the force of its joint."""
    from . import reduced

    return reduced.terms(_equations(mechanism_of(given)), given)


def reduce(given: Mapping[str, Any], report: Report | None = None) -> dict[str, Any]:
    """Return what is left of the model without struck and negligible terms, and its error."""
    from . import reduced

    return reduced.reduced(_equations(mechanism_of(given)), given, report)


def formalisms(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what each formalism costs, and how well they agree at random states."""
    from ..agree import agree
    from ..cost import costs

    m = mechanism_of(given)
    rows, notes = costs(m, _quantities(m)[:3], kinds=["given"])
    found = agree(m, states=20, forms=("float",))
    return {
        "rows": [row.data() for row in rows],
        "agree": [x.data() for x in found],
        "notes": [shown(n, 300) for n in notes],
    }


def _numeric(m: Any) -> Any:
    missing = m.open_parameters
    if missing:
        names = ", ".join(map(shown, missing[:6])) + (", …" if len(missing) > 6 else "")
        raise UsageError(
            f"these parameters have no value yet: {names}",
            hint="move their sliders, or take the sample values beside them",
        )
    return m


def _movable(m: Any, q: Any) -> None:
    """Refuse a pose in which a joint of a tree turns nothing, so that no motion follows."""
    import numpy as np

    from ..compute import evaluate

    if is_closed(m):
        return
    M = np.asarray(evaluate(m, "mass_matrix", q))
    for name, x in zip(m.rate_names, np.diagonal(M), strict=True):
        if not x > 1e-12 * np.diagonal(M).max():
            raise UsageError(
                f"joint {shown(name, 60)!r} moves no mass in this pose",
                hint="move the sliders of the joints, or give its body an inertia about the axis",
            )


def simulate(given: Mapping[str, Any], report: Report | None = None) -> dict[str, Any]:
    """Return the motion of the machine let go from a pose."""
    import numpy as np

    from ..view.motion import of_simulation
    from ..view.pose import start_pose
    from . import limits

    m = _numeric(mechanism_of(given))
    seconds = min(limits.SECONDS, max(0.01, float(given.get("seconds") or 3.0)))
    from ..simulate import simulate as run

    q, qd, motion = np.asarray(start_pose(m, given.get("q"))[0]), None, None
    if is_rolling(m):
        push, first = float(given.get("push") or 0.0), _speeds(m)[0].split("_")[0]
        qd = [push if name.split("_")[0] == first else 0.0 for name in _speeds(m)]  # both wheels
        motion = dict.fromkeys(m.prescribed, float(given.get("steer") or 0.0)) or None
    _movable(m, q)
    r = run(m, q, qd, t=np.linspace(0, seconds, 301), motion=motion, max_steps=200_000,
            progress=report)  # fmt: skip
    still = (
        "nothing moves: it is at rest, and no force acts" if not np.ptp(r.q, axis=0).any() else ""
    )
    return {"motion": of_simulation(r), "summary": still or "; ".join(r.notes)[:1000]}


def torques(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the forces of a smooth move between two poses."""
    import numpy as np

    from .. import trajectory
    from ..trajectory.torques import torques_along
    from ..view.motion import of_torques
    from ..view.pose import start_pose
    from . import limits

    m = _numeric(mechanism_of(given))
    seconds = min(limits.SECONDS, max(0.01, float(given.get("seconds") or 1.0)))
    start = [float(x) for x in given.get("start") or start_pose(m, None)[0]]
    end = [float(x) for x in given.get("end") or _beyond(m, start)]
    if m.loops or m.couplings:  # the motors move, the rest follows
        own = [m.coordinate_names.index(name) for name in m.active]
        path = trajectory.quintic([start[k] for k in own], [end[k] for k in own], seconds)
        f = torques_along(m, path, start=start)
    elif m.nq == m.nv:
        f = torques_along(m, trajectory.quintic(start, end, seconds))
    else:  # a free base, or a ball joint, keeps its place
        f = torques_along(m, _joints_alone(m, np.asarray(start), np.asarray(end), seconds))
    return {"motion": of_torques(f), "summary": f.summary()[:4000]}


def _joints_alone(m: Any, start: Any, end: Any, seconds: float) -> tuple[Any, ...]:
    """Return t, q, qd, qdd of a move of the joints with one freedom; the others stand still."""
    import numpy as np

    from ..trajectory import quintic

    t, step = np.linspace(0, seconds, 201), np.zeros((2, max(m.nq, m.nv)))
    share = quintic([0.0], [1.0], seconds)
    for b, k, i in zip(m.bodies, m.coordinate_index, m.velocity_index, strict=True):
        if b.joint.nq == 1:
            step[0, k] = step[1, i] = end[k] - start[k]
    rates = (share.qd(t) * step[1, : m.nv], share.qdd(t) * step[1, : m.nv])
    return t, start + share(t) * step[0, : m.nq], *rates


def _beyond(m: Any, start: list[float]) -> list[float]:
    """Return a pose not far from another: half a radian or 50 mm on, back where a limit is near."""
    from ..view.pose import limits_of

    end, limits = list(start), limits_of(m)
    for b, k in zip(m.bodies, m.coordinate_index, strict=True):
        if b.joint.nq == 1:
            step, top = (0.05 if b.joint.kind == "prismatic" else 0.5), limits[k][1]
            end[k] += step if top is None or start[k] + step <= top else -step
    return end


def frequencies(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the small motions about the equilibrium next to a pose."""
    from ..equilibrium import equilibrium
    from ..linearize import linearize
    from ..view.pose import start_pose

    m = _numeric(mechanism_of(given))
    start = start_pose(m, given.get("q"))[0]
    _movable(m, start)
    rest = equilibrium(m, start)
    _movable(m, rest)
    linear = linearize(m, rest)
    rows = [{"frequency": x.frequency, "damping": x.damping} for x in linear.modes[:40]]
    return {"stable": linear.stable, "modes": rows}


def save(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file that the browser offers to keep: TOML, a notebook, or a page that moves."""
    from ..read import write
    from ..view.document import page
    from .notebook import notebook

    m = mechanism_of(given)
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", m.name)[:60].strip("_") or "machine"
    if given.get("kind") == "html":
        return {"name": f"{name}.html", "text": page(m, given.get("q"))}
    moved = given_values(m)
    lettered = freed(m, moved)  # what a slider moved stays a letter, with its new value
    if given.get("kind") == "ipynb":
        return {"name": f"{name}.ipynb", "text": notebook(lettered, given, moved)}
    own = not given.get("values") and _is_toml(given["text"])  # with its comments and its phrase
    return {"name": f"{name}.toml", "text": given["text"] if own else write(lettered, "toml")[0]}


def _is_toml(text: str) -> bool:
    from ..read.document import from_toml

    try:
        from_toml(text, "<toml>")
    except DescriptionError:
        return False
    return True


def table(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the machine as a Denavit-Hartenberg table, for the grid of the page."""
    from .table import as_csv

    return {"text": as_csv(mechanism_of(given))}


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    job.__name__: door(job)
    for job in (
        *(describe, equations, cost, terms, reduce, formalisms),
        *(code, simulate, torques, frequencies, save, table),
    )
}


TELLING = ("reduce", "simulate")  # jobs that say how far they are


def run(name: str, given: Mapping[str, Any], report: Report | None = None) -> dict[str, Any]:
    """Return the answer of a job; what is wrong with the input is part of the answer."""
    try:
        return JOBS[name](given, report) if name in TELLING else JOBS[name](given)
    except DalembertError as error:
        where = error.where
        return {
            "error": {
                "message": shown(error.message, 600),
                "hint": shown(error.hint or "", 600),
                "line": where.line if where else None,
                "column": where.column if where else None,
            }
        }
    except Exception as error:  # a page may ask anything: the worker goes on
        return {"error": {"message": f"this cannot be computed: {shown(str(error), 300)}"}}
