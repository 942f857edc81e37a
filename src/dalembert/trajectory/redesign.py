"""What must change so that a task can be done: slower, another length or mass, another gear.

The question of the 1980 report, section 1.1. Exact slopes of the forces by every parameter say
which ones help; the change itself is found on the forces of many designs at once, all joints within
their limits along the whole motion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..compute import compile, evaluate
from ..errors import DalembertError, shown
from ..expr import Expr, Graph
from ..expr.exact import to_float
from ..mechanism import Mechanism, Parameter, freed, is_closed
from ..mechanism.letters import given_values

Array = np.ndarray
WIDEST = 0.6  # largest change looked for, in parts of the value
GRID = 61
ROUNDS = 3
SHOWN = 3  # changes told beside the slower motion
SAMPLES = 200  # of the motion, those of the largest forces among them
GEAR = "gear ratio "


@dataclass(frozen=True)
class Change:
    """A change of one number with which the task keeps its limits of force."""

    name: str
    old: float
    new: float
    text: str

    @property
    def share(self) -> float:
        """The change in parts of the old value."""
        return self.new / self.old - 1


def sentence(f: Any) -> str:
    """Return what a task asks of the worst joint and what would help; "" where limits are kept."""
    forces = [e for e in f.exceeded if e.what == "force"]
    if not forces:
        return ""
    none = [e for e in forces if e.limit == 0]
    if none:
        return f"joint {shown(none[0].joint)} may give no force: its limit is 0"
    worst = max(forces, key=lambda e: abs(e.value / e.limit))
    ways = [f"{f.slower:.3g} times slower"] if np.isfinite(f.slower) else []
    ways += [c.text for c in changes(f, worst.joint)[:SHOWN]]
    told = ", or ".join(ways) or "no slower motion and no change of one number would do"
    need = 100 * abs(worst.value / worst.limit)
    number = worst.joint[1:] if worst.joint[:1] == "j" and worst.joint[1:].isdigit() else ""
    return (
        f"this task needs joint {number or shown(worst.joint)} at {need:.0f} % of its limit: {told}"
    )


def changes(f: Any, joint: str) -> list[Change]:
    """Return the changes of single numbers that keep all limits of force, the smallest first."""
    m: Mechanism = f.m
    other = np.abs(f.parts["wrench"]).max(initial=0.0) > 0
    if is_closed(m) or m.form is not None or other:
        return []
    rows = _rows(f)
    try:
        found = [_along(f, m, name, x, joint, rows) for name, x in _numbers(m).items()]
        found += [_geared(f, m, joint, rows)]
    except DalembertError:
        return []
    return sorted((c for c in found if c is not None), key=lambda c: abs(c.share))


def _numbers(m: Mechanism) -> dict[str, float]:
    values = {**given_values(m), **m.values}
    made = {n: float(to_float(x)) for n, x in values.items() if not isinstance(x, Expr)}
    gears = {n for d in m.drives for n in _letters(d.gear)}  # they change limits: see `_geared`
    return {n: x for n, x in made.items() if x and n != "G" and n not in gears}


def _letters(value: Any) -> tuple[str, ...]:
    return tuple(value.names()) if isinstance(value, Expr) else ()


def _rows(f: Any) -> Array:
    """Return the samples that are looked at: spread over the motion, and the largest forces."""
    whole = np.flatnonzero(np.isfinite(f.tau).all(axis=1))
    spread = whole[np.unique(np.linspace(0, len(whole) - 1, SAMPLES).astype(int))]
    peaks = whole[np.abs(f.tau[whole]).argmax(axis=0)]
    return np.unique(np.concatenate([spread, peaks]))


def _forces(m: Mechanism, f: Any, name: str, values: Array, rows: Array) -> Array:
    made = evaluate(m, "inverse_dynamics", f.q[rows], f.qd[rows], f.qdd[rows], drives=f.drives,
                    parameters={name: values[:, None]}, check=False)  # fmt: skip
    return np.asarray(made)


def _along(f: Any, m: Mechanism, name: str, old: float, joint: str, rows: Array) -> Change | None:
    """Return the least change of a parameter with which every joint keeps its limit."""
    own = freed(m, [name])
    k = f.names.index(joint)
    at = int(np.nanargmax(np.abs(f.tau[:, k])))
    slope = compile(own, "inverse_dynamics", wrt=[name], drives=f.drives)
    D = float(slope(f.q[at], f.qd[at], f.qdd[at])[1][k])
    if abs(D * old) < 1e-6 * abs(f.tau[at, k]):
        return None

    def fits(values: Array) -> Array:
        tau = _forces(own, f, name, values, rows)
        return np.asarray((np.abs(tau) <= f.effort).all(axis=(1, 2)))

    way = -np.sign(D * f.tau[at, k]) * np.sign(old)
    new = _edge(old, float(way), fits)
    if new is None:
        new = _edge(old, -float(way), fits)
    if new is None:
        return None
    share = 100 * abs(new / old - 1)
    return Change(name, old, new, f"{shown(name)} {share:.2g} % {_word(m, name, new > old)}")


def _edge(old: float, way: float, fits: Any) -> float | None:
    """Return the nearest value on one side of the old one that fits, rounded away from it."""
    low, high = 0.0, WIDEST
    for _ in range(ROUNDS):
        shares = np.linspace(low, high, GRID)[1:]
        good = fits(old * (1 + way * shares))
        if not good.any():
            return None
        k = int(np.argmax(good))
        low, high = (shares[k - 1] if k else low), float(shares[k])
    return float(old * (1 + way * high))


def _word(m: Mechanism, name: str, more: bool) -> str:
    """Return in which way a parameter grows or shrinks: by what it stands for."""

    def in_any(values: Any) -> bool:
        return any(isinstance(x, Expr) and name in x.names() for x in values)

    own = freed(m, [name])
    places = [b.placement for b in own.bodies] + [n.placement for n in own.named]
    if in_any(x for place in places for x in (place.p.x, place.p.y, place.p.z)):
        return "longer" if more else "shorter"
    if in_any(b.m for b in own.bodies):
        return "heavier" if more else "lighter"
    return "larger" if more else "smaller"


def _geared(f: Any, m: Mechanism, joint: str, rows: Array) -> Change | None:
    """Return another gear of the joint's motor: its limit of force grows with the ratio.

    What the motor can give, and how fast it turns, stay as they are.
    """
    drive = next((d for d in m.drives if m.rate_names[m.velocity_index[d.joint]] == joint), None)
    if drive is None or set(_letters(drive.gear)) & set(m.open_parameters):
        return None
    old = float(to_float(drive.gear, m.floats))
    if abs(old) <= 1:
        return None
    graph = Graph()
    loose = replace(drive, gear=graph.param(GEAR))
    drives = tuple(loose if d is drive else d for d in m.drives)
    own = replace(m, drives=drives, parameters=(*m.parameters, Parameter(GEAR, old)),
                  checked=True)  # fmt: skip
    k = f.names.index(joint)
    speed = float(np.nanmax(np.abs(f.speed[:, k])))

    def fits(values: Array) -> Array:
        tau = _forces(own, f, GEAR, values, rows)
        limit = np.broadcast_to(f.effort, (len(values), len(f.effort))).copy()
        limit[:, k] *= values / old
        quick = speed <= f.fastest[k] * old / values
        return np.asarray((np.abs(tau) <= limit[:, None, :]).all(axis=(1, 2)) & quick)

    found = [x for way in (1.0, -1.0) if (x := _edge(old, way, fits)) is not None]
    if not found:
        return None
    new = min(found, key=lambda x: abs(x - old))
    whole = np.sign(new) * (np.ceil(abs(new)) if abs(new) > abs(old) else np.floor(abs(new)))
    new = float(whole) if fits(np.array([float(whole)]))[0] else new
    return Change("gear", old, new, f"gear {new:g}")
