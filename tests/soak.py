"""Random machines of every class beside other engines, for hours; the log goes on where it stopped.

    python tests/soak.py --hours 2 [--out build/soak] [--only trees,loops] [--no-fuzz]
    python tests/soak.py --class loops --number 1234       # one machine again

A machine is the number of its class: the same number, the same machine, everywhere. Each finding is
shrunk to a small file beside the log.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

SEED = 2026


@dataclass(frozen=True)
class Kind:
    """A class of machines: how number k is made, what is wrong with it, and its smaller ones."""

    make: Callable[[int], Any]
    check: Callable[[Any, int], list[str]]
    smaller: Callable[[Any], Any]
    share: float  # of the time


# -- trees -----------------------------------------------------------------------------------------


def tree(k: int, **strata: Any) -> Any:
    """Return tree number k of the mixture."""
    from mechanisms import Strata, random_mechanism

    return random_mechanism(SEED, k, Strata(**strata))


def check_tree(m: Any, k: int) -> list[str]:
    """Compare forces, masses and accelerations with Pinocchio; one in twenty through kernels."""
    import pinocchio as pin

    import dalembert as da
    from agreement import acceleration_law, drive_scale, force_scale, mass_scale, worst
    from mechanisms import random_state
    from pinocchio_model import to_pinocchio

    b = m.bound()
    q, qd, qdd = random_state(b, k)
    if k % 20 == 0:
        tau, M = da.inverse_dynamics(m, q, qd, qdd, drives="inertia"), da.mass_matrix(m, q)
    else:
        tau = in_floats(b, "inverse_dynamics", q, qd, qdd)
        M = in_floats(b, "mass_matrix", q)
    tau, M = np.array(tau, dtype=float), np.array(M, dtype=float)
    model = to_pinocchio(b)
    data = model.createData()
    state = [np.array(x) for x in (_theirs(b, q), qd, qdd)]
    other = pin.rnea(model, data, *state)
    scale = np.maximum(force_scale(b, q, qd, qdd, form="spatial"), drive_scale(b, qd, qdd))
    found = []
    if (x := worst(tau, other, scale + 1e-300)) > 3e-12:
        found.append(f"inverse dynamics: {x:.1e} of the scale beside Pinocchio")
    gravity, model.gravity.linear = np.array(model.gravity.linear), np.zeros(3)
    rest, unit = np.zeros(m.nv), np.eye(m.nv)
    M2 = np.array([pin.rnea(model, data, state[0], rest, e) for e in unit]).T
    model.gravity.linear = gravity
    # an entry that no term makes is zero to rounding of its row and column
    inertia = np.sqrt(np.abs(np.diagonal(M)))
    size = np.maximum(mass_scale(b, q), np.abs(M)) + 1e-4 * np.outer(inertia, inertia)
    if (x := worst(M, M2, size + 1e-300)) > 3e-12:
        found.append(f"mass matrix: {x:.1e} of the scale beside Pinocchio")
    return found + _direct(m, b, (q, qd, qdd), tau, M, acceleration_law(M, qdd, scale))


def in_floats(m: Any, name: str, *inputs: Any) -> Any:
    """Return a quantity as the algorithm of its row gives it on plain numbers."""
    from dalembert.catalog import algorithm, quantity

    row = quantity(name, m)
    return algorithm(row, None)[1](m, *inputs, **{**row.options, "drives": "inertia"})


def _theirs(m: Any, q: Any) -> list[float]:
    return list(q)  # quaternions and composites stand alike there


def _direct(m: Any, b: Any, state: Any, tau: Any, M: Any, law: Any) -> list[str]:
    """Undo inverse dynamics; an M without inverse must be refused."""
    from agreement import worst

    kappa, bound = law
    if not np.isfinite(kappa) or kappa > 1e12:
        return []
    q, qd, qdd = state
    try:
        back = np.array(in_floats(b, "forward_dynamics", q, qd, tau.tolist()), dtype=float)
    except ZeroDivisionError:
        return ["forward dynamics: singular though M is not"]
    if (x := worst(back, qdd, bound)) > 10:
        return [f"forward dynamics: {x:.1e} of the law, kappa {kappa:.0e}"]
    return []


def smaller_tree(m: Any) -> Any:
    """Yield trees with one body, drive or number less."""
    from dalembert.algebra import Transform, Vec3
    from dalembert.inertia import Inertia

    def made(**changes: Any) -> Any:
        try:
            return replace(m, **changes, checked=False)
        except Exception:
            return None

    parents = {b.parent for b in m.bodies}
    for j in range(len(m.bodies)):
        if j not in parents:
            others = (b for i, b in enumerate(m.bodies) if i != j)
            rest = tuple(replace(b, parent=b.parent - (b.parent > j)) for b in others)
            drives = tuple(
                replace(d, joint=d.joint - (d.joint > j)) for d in m.drives if d.joint != j
            )
            yield made(bodies=rest, drives=drives, named=())
    if m.drives:
        yield made(drives=())
    if m.named:
        yield made(named=())
    for j, b in enumerate(m.bodies):
        plain = Inertia.of(1, Vec3(0, 0, 0)) if hasattr(Inertia, "of") else None
        options = [replace(b, placement=Transform())]
        options += [replace(b, inertia=plain)] if plain is not None else []
        for other in options:
            if other != b:
                yield made(bodies=(*m.bodies[:j], other, *m.bodies[j + 1 :]))


# -- machines with loops, wheels, springs: the referee ---------------------------------------------


def closed(k: int) -> Any:
    """Return closed graph number k and a closed pose."""
    from machines.graphs import closed_graph

    return closed_graph(10_000 + k)


def rolling(k: int) -> Any:
    """Return vehicle number k."""
    from machines.wheeled import wheeled

    return wheeled(10_000 + k)


def judged(case: Any, k: int) -> list[str]:
    """Return what the referee finds."""
    import verdict

    found = verdict.judge(*case, k)
    return [] if found == ["no regular pose"] else found


def check_elastic(case: Any, k: int) -> list[str]:
    """Compare a tree with springs with the referee at some states."""
    import dalembert as da
    import verdict

    data, q = case
    m = da.load(data)
    return [x for c in verdict.cases(data, q, k, 2) for x in verdict.one_state(m, data, c)]


def smaller_machine(case: Any) -> Any:
    """Yield descriptions with one record less."""
    data, q = case
    for key in ("springs", "elastic", "drives", "wheels", "velocity_constraints", "couplings"):
        for j in range(len(data.get(key) or ())):
            yield {**data, key: [x for i, x in enumerate(data[key]) if i != j]}, q


def elastic(k: int) -> Any:
    """Return tree number k with springs in its joints and between its bodies, as a description."""
    rng = np.random.default_rng([SEED, 3, k])
    n, bodies = int(rng.integers(1, 7)), []
    for j in range(n):
        axis = [0, 0, 0]
        axis[int(rng.integers(3))] = 1
        bodies.append({
            "name": f"b{j}", "parent": int(rng.integers(-1, j)) if j else -1,
            "joint": {"type": str(rng.choice(["revolute", "revolute", "prismatic"])),
                      "axis": axis, "name": f"j{j}", "placement": {
                          "translation": rng.uniform(-0.5, 0.5, 3).round(3).tolist()}},
            "mass": round(float(rng.uniform(0.5, 3)), 3),
            "com": rng.uniform(-0.2, 0.2, 3).round(3).tolist(),
            "inertia": np.diag(rng.uniform(0.2, 0.3, 3).round(3)).tolist(),
        })  # fmt: skip
    joints = [
        {"joint": f"j{j}", "stiffness": float(rng.uniform(1, 100)), "rest": 0.1,
         "damping": float(rng.uniform(0, 1))}
        for j in range(n) if rng.random() < 0.6
    ]  # fmt: skip
    springs = [{"body_i": f"b{n - 1}", "point_i": [0.1, 0.2, 0], "body_j": -1,
                "point_j": [1.5, 1.2, 0.3], "stiffness": 40.0, "length": 0.3,
                "damping": 0.2}] if rng.random() < 0.5 else []  # fmt: skip
    data = {"format": "dalembert/1", "gravity": [0, -9.81, 0], "bodies": bodies,
            "elastic": joints, "springs": springs,
            "active": [f"j{j}" for j in range(n)]}  # fmt: skip
    return data, rng.uniform(-1, 1, n)


# -- wrong on purpose ------------------------------------------------------------------------------

WRONG: tuple[tuple[str, Callable[[dict[str, Any], Any], None]], ...] = (
    ("nan mass", lambda d, r: d["bodies"][-1].update(mass=float("nan"))),
    ("infinite mass", lambda d, r: d["bodies"][-1].update(mass=float("inf"))),
    ("negative mass", lambda d, r: d["bodies"][-1].update(mass=-1.0)),
    ("negative inertia",
     lambda d, r: d["bodies"][-1].update(inertia=np.diag([-1.0, 1, 1]).tolist())),
    ("inertia off the triangle",
     lambda d, r: d["bodies"][-1].update(inertia=np.diag([1.0, 1, 5]).tolist())),
    ("two names", lambda d, r: d["bodies"].append(dict(d["bodies"][-1]))),
    ("its own parent", lambda d, r: d["bodies"][-1].update(parent=len(d["bodies"]) - 1)),
    ("parent that is not there", lambda d, r: d["bodies"][-1].update(parent=99)),
    ("no axis", lambda d, r: d["bodies"][-1]["joint"].update(axis=[0, 0, 0])),
    ("nan axis", lambda d, r: d["bodies"][-1]["joint"].update(axis=[0, float("nan"), 0])),
    ("unknown joint", lambda d, r: d["bodies"][-1]["joint"].update(type="rubber")),
    ("placement of two", lambda d, r: d["bodies"][-1]["joint"].update(
        placement={"translation": [1, 2]})),
    ("spring to nowhere", lambda d, r: d.update(elastic=[{"joint": "gone", "stiffness": 1}])),
)  # fmt: skip


def invalid(k: int) -> Any:
    """Return a description with one thing wrong, and what it is."""
    data, _ = elastic(k)
    what, change = WRONG[k % len(WRONG)]
    change(data, None)
    return data, what


def check_invalid(case: Any, k: int) -> list[str]:
    """A machine that is wrong is refused with a reason, at once."""
    import dalembert as da

    data, what = case
    try:
        m = da.load(data)
    except da.DalembertError as error:
        return [] if len(str(error)) > 10 else [f"{what}: the error says nothing"]
    except Exception as error:
        return [f"{what}: RAW {type(error).__name__}: {error}"]
    from dalembert.mechanism.odd import report

    # published robots have such inertias: they are read, and `check` says what is wrong
    noted = "inertia" in what and any("inertia" in line for line in report(m))
    return [] if noted else [f"{what}: accepted"]


KINDS: dict[str, Kind] = {
    "trees": Kind(tree, check_tree, smaller_tree, 0.35),
    "free bases": Kind(lambda k: tree(k + 10**7, root=1.0), check_tree, smaller_tree, 0.1),
    "small trees": Kind(lambda k: tree(k + 2 * 10**7, dof=(1, 5)), check_tree, smaller_tree, 0.15),
    "loops": Kind(closed, judged, smaller_machine, 0.2),
    "wheels": Kind(rolling, judged, smaller_machine, 0.1),
    "elastic": Kind(elastic, check_elastic, smaller_machine, 0.07),
    "invalid": Kind(invalid, check_invalid, lambda case: (), 0.03),
}


# -- running and shrinking -------------------------------------------------------------------------


def findings(kind: str, case: Any, number: int) -> list[str]:
    """Return what is wrong with one machine; an error that nobody expects is a finding too."""
    from dalembert.errors import SingularModel

    try:
        return KINDS[kind].check(case, number)
    except SingularModel:
        return []  # a tip without mass: refused by name
    except Exception as error:
        return [f"RAW {type(error).__name__}: {str(error)[:200]}"]


def shrunk(kind: str, case: Any, number: int, seconds: float = 60.0) -> Any:
    """Return a smaller machine with the same finding."""
    wanted = {f.split(":")[0] for f in findings(kind, case, number)}
    end, going = time.monotonic() + seconds, True
    while going and time.monotonic() < end:
        going = False
        for less in KINDS[kind].smaller(case):
            if less is None or time.monotonic() > end:
                continue
            if wanted & {f.split(":")[0] for f in findings(kind, less, number)}:
                case, going = less, True
                break
    return case


def text_of(case: Any) -> str:
    """Return a machine as a native file."""
    from dalembert.read import write

    if not isinstance(case, tuple):
        return write(case, "json")[0]
    return json.dumps(case[0], indent=1, default=lambda x: np.asarray(x).tolist())


def run_one(kind: str, number: int) -> list[str]:
    """Return what is wrong with machine `number` of a class."""
    return findings(kind, KINDS[kind].make(number), number)


class Log:
    """What was tried, kept so that the next run goes on."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "log.json"
        start = {k: {"next": 0, "found": 0, "seconds": 0.0} for k in KINDS}
        old = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.rows = start | old

    def keep(self) -> None:
        """Write the log, whole or not at all."""
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(self.rows, indent=1))
        part.replace(self.file)

    def found(self, kind: str, number: int, what: list[str]) -> None:
        """Keep a finding and its smallest machine."""
        self.rows[kind]["found"] += 1
        case = shrunk(kind, KINDS[kind].make(number), number)
        name = f"{kind.replace(' ', '-')}-{number}"
        (self.folder / f"{name}.txt").write_text("\n".join(what) + "\n")
        (self.folder / f"{name}.json").write_text(text_of(case))

    def table(self) -> str:
        """Return the counts."""
        lines = [f"{'class':14} {'tried':>9} {'found':>6} {'seconds':>9}"]
        for kind, row in self.rows.items():
            told = f"{kind:14} {row['next']:9} {row['found']:6} {row['seconds']:9.0f}"
            lines.append(told)
        return "\n".join(lines)


def soak(log: Log, seconds: float, kinds: list[str], most: int = 10**9) -> int:
    """Try machines for so long, each class its share; return the number of findings."""
    start, found, done = time.monotonic(), 0, 0
    kept = start
    used = dict.fromkeys(kinds, 0.0)
    while time.monotonic() - start < seconds and done < most:
        kind = min(kinds, key=lambda k: used[k] / KINDS[k].share)
        row, began = log.rows[kind], time.monotonic()
        number = row["next"]
        what = run_one(kind, number)
        if what:
            found += 1
            print(f"FOUND {kind} {number}: {what[0][:200]}", flush=True)
            log.found(kind, number, what)
        row["next"], done = number + 1, done + 1
        spent = time.monotonic() - began
        used[kind] += spent
        row["seconds"] += spent
        if time.monotonic() - kept > 5:
            log.keep()
            kept = time.monotonic()
    log.keep()
    return found


def fuzzed(log: Log, seconds: float) -> int:
    """Fuzz every target for its part of the time, with another seed each run."""
    import subprocess

    from fuzz.targets import targets

    run, found = str(Path(__file__).parent / "fuzz" / "run.py"), 0
    names = sorted(targets())
    turn = log.rows.setdefault("fuzz turns", {"next": 0, "found": 0, "seconds": 0.0})
    for name in names:
        row = log.rows.setdefault(f"fuzz {name}", {"next": 0, "found": 0, "seconds": 0.0})
        each = seconds / len(names)
        command = [sys.executable, run, name, "--seconds", str(each), "--seed", str(turn["next"])]
        done = subprocess.run(
            [*command, "--out", str(log.folder)], capture_output=True, text=True
        )  # fmt: skip
        print(done.stdout.strip()[:2000], flush=True)
        head = done.stdout.split()
        row["next"] += int(head[1]) if len(head) > 3 else 0
        row["found"] += int(head[3]) if len(head) > 3 else 1
        row["seconds"] += each
        found += done.returncode != 0
        log.keep()
    turn["next"] += 1
    log.keep()
    return found


def main() -> int:
    """Soak, or show one machine; exit 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--out", default="build/soak")
    parser.add_argument("--only", help="classes, with commas")
    parser.add_argument("--most", type=int, default=10**9, help="machines in all")
    parser.add_argument("--no-fuzz", action="store_true")
    parser.add_argument("--class", dest="kind", choices=sorted(KINDS))
    parser.add_argument("--number", type=int)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.kind is not None:
        what = run_one(asked.kind, asked.number or 0)
        print("\n".join(what) or "nothing is wrong")
        return bool(what)
    kinds = asked.only.split(",") if asked.only else list(KINDS)
    log, seconds = Log(Path(asked.out)), 3600 * asked.hours
    share = 1.0 if asked.no_fuzz else 0.6
    found = soak(log, share * seconds, kinds, asked.most)
    if not asked.no_fuzz:
        found += fuzzed(log, (1 - share) * seconds)
    print(log.table())
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
