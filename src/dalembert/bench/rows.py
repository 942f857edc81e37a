"""Kernels timed, alone or beside other engines in the same run.

One process, one pinned core, minimum over many short windows; where there is a peer, windows of
both sides alternate. Inputs and outputs are C-ordered arrays (states, size) and `out=` is given, so
that copying and transposing count. Ratios are what to trust; nanoseconds depend on the machine.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..catalog import quantity
from ..compute import arrays_of, compile, neutral, program_of
from ..mechanism import Mechanism
from ..read import load

STATES = {
    "inverse_dynamics": 4096,
    "forward_dynamics": 4096,
    "mass_matrix": 256,
    "inverse_dynamics_derivatives": 256,
}
ONE_CALL = "inverse_dynamics, one call"
COLD = "inverse_dynamics, trace and compile"
CACHED = "inverse_dynamics, kernel from the cache"
WINDOW = 5e-3  # seconds: long enough that the other side no longer fills the caches
ROBOTS = {
    "UR5": ("ur_description/urdf/ur5_robot.urdf", "fixed", ()),
    "Panda": (
        "panda_description/urdf/panda.urdf",
        "fixed",
        ("panda_finger_joint1", "panda_finger_joint2"),
    ),
    "ANYmal": ("anymal_b_simple_description/robots/anymal.urdf", "free", ()),
    "Talos": ("talos_data/robots/talos_reduced.urdf", "free", ()),
}
Run = Callable[[int], Any]  # as many calls, the loop inside so that it costs the least
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Timing:
    """One measurement: nanoseconds per state or call, and how far the two results are apart."""

    model: str
    quantity: str
    ours_ns: float
    peer: str | None = None
    peer_ns: float | None = None
    ratio: float | None = None
    error: float | None = None

    def data(self) -> dict[str, Any]:
        """Return the row as JSON holds it."""
        return asdict(self)


# -- what is timed -------------------------------------------------------------------------------


def robots() -> dict[str, Mechanism]:
    """Return the robots of the tables, as far as example-robot-data is here; fingers are locked."""
    folder = "cmeel.prefix/share/example-robot-data/robots"
    root = next((r for p in sys.path if (r := Path(p) / folder).is_dir()), Path(folder))
    found = {}
    for name, (file, base, locked) in ROBOTS.items():
        if (root / file).exists():
            m = load(root / file, base=base)
            found[name] = m.lock(locked) if locked else m
    return found


def chain(n: int, seed: int = 0) -> Mechanism:
    """Return a serial chain of n revolute joints with random frames and full random inertias."""
    rng = np.random.default_rng([seed, n])
    bodies = []
    for k in range(n):
        arms = rng.normal(size=(6, 3)) * 0.1
        tensor = sum(np.eye(3) * (r @ r) - np.outer(r, r) for r in arms)
        joint = {
            "type": "revolute",
            "placement": {
                "translation": [float(x) for x in rng.uniform(-0.5, 0.5, 3)],
                "rotation": [["z", float(rng.uniform(-3, 3))], ["x", float(rng.uniform(-3, 3))]],
            },
        }
        bodies.append(
            {
                "name": f"link{k + 1}",
                "parent": k - 1,
                "joint": joint,
                "mass": float(rng.uniform(0.5, 2)),
                "com": [float(x) for x in rng.uniform(-0.3, 0.3, 3)],
                "inertia": tensor.tolist(),
            }
        )
    return load({"name": f"chain{n}", "bodies": bodies})


def states(m: Mechanism, count: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Return (q, qd, x): random states, and accelerations or forces."""
    rng = np.random.default_rng([seed, m.nv])
    q = np.tile(neutral(m), (count, 1))
    at = 0
    for body in m.bodies:
        nq = body.joint.nq
        if body.joint.kind in ("free", "spherical"):
            x = rng.normal(size=(count, 4))
            q[:, at + nq - 4 : at + nq] = x / np.linalg.norm(x, axis=1)[:, None]
        else:
            q[:, at : at + nq] = rng.uniform(-3, 3, (count, nq))
        at += nq
    return q, rng.normal(size=(count, m.nv)), rng.normal(size=(count, m.nv))


# -- timing --------------------------------------------------------------------------------------


@contextlib.contextmanager
def pinned() -> Iterator[None]:
    """Keep this process on one core, the last it may use, without garbage collection."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    collecting = gc.isenabled()
    try:
        if allowed:
            os.sched_setaffinity(0, {max(allowed)})
        gc.disable()
        yield
    finally:
        if allowed:
            os.sched_setaffinity(0, allowed)
        if collecting:
            gc.enable()


def best(
    *runs: Run, budget: float = 0.5, window: float = WINDOW, clock: Clock = time.perf_counter
) -> list[float]:
    """Return the least seconds per call of each run, windows of all runs alternating.

    `clock` measures the windows: processor time leaves out what other programs take between them.
    """
    loops = [_loops(run, window, clock) for run in runs]
    least = [float("inf")] * len(runs)
    end = time.perf_counter() + budget * len(runs)
    while time.perf_counter() < end:
        for k, run in enumerate(runs):
            least[k] = min(least[k], _window(run, loops[k], clock))
    return least


def _window(run: Run, loops: int, clock: Clock) -> float:
    start = clock()
    run(loops)
    return (clock() - start) / loops


def _loops(run: Run, window: float, clock: Clock) -> int:
    """Return how many calls fill a window, after a first call that warms up."""
    run(1)
    return max(1, round(window / max(1e-9, min(_window(run, 1, clock) for _ in range(5)))))


# -- rows ----------------------------------------------------------------------------------------


def ours(m: Mechanism, name: str, count: int | None, **form: Any) -> tuple[Run, Any]:
    """Return (calls of the kernel, its outputs) at `count` states, or at one state by itself."""
    options: dict[str, Any] = {"drives": "none"} if "drives" in quantity(name).options else {}
    kernel = compile(m, name, **options, **form)
    given = states(m, count or 1)[: len(kernel.inputs)]
    kind = form.get("dtype", "float64")
    inputs = [np.ascontiguousarray(x if count else x[0], kind) for x in given]
    lead = (count,) if count else ()
    outs = tuple(np.zeros((*lead, *port.shape), kind) for port in kernel.outputs)
    out = outs if len(outs) > 1 else outs[0]
    if len(inputs) == 1:
        (q,) = inputs

        def matrices(loops: int) -> None:
            for _ in range(loops):
                kernel(q, out=out)

        return matrices, out
    q, qd, x = inputs

    def vectors(loops: int) -> None:
        for _ in range(loops):
            kernel(q, qd, x, out=out)

    return vectors, out


def bench(
    models: Mapping[str, Mechanism], peers: bool = False, budget: float = 0.5
) -> Iterator[Timing]:
    """Yield the rows of each model: batches, one call, and compile times."""
    for label, m in models.items():
        engine = _engine(m) if peers else None
        with pinned():
            for name, count in STATES.items():
                yield _row(label, m, name, count, engine, budget)
            yield _row(label, m, "inverse_dynamics", None, engine, budget)
            yield from compile_rows(label, m)


def _engine(m: Mechanism) -> Any:
    from .peers import Pinocchio

    return Pinocchio(m)


def _row(
    label: str, m: Mechanism, name: str, count: int | None, engine: Any, budget: float
) -> Timing:
    shown = name if count else ONE_CALL
    run, out = ours(m, name, count)
    per = 1e9 / (count or 1)
    if engine is None:
        return Timing(label, shown, best(run, budget=budget)[0] * per)
    peer_run, peer_out = engine.run(name, states(m, count or 1), count is not None)
    mine, theirs = best(run, peer_run, budget=budget)
    run(1)
    peer_run(1)
    return Timing(
        label,
        shown,
        mine * per,
        engine.label(name, count is not None),
        theirs * per,
        theirs / mine,
        difference(out, peer_out()),
    )


def difference(out: Any, reference: Any) -> float:
    """Return the largest difference in units of the largest reference value."""
    worst = 0.0
    for x, y in zip(arrays_of(out), arrays_of(reference), strict=True):
        y = np.asarray(y).reshape(x.shape)
        worst = max(worst, float(np.max(np.abs(x - y)) / max(1e-300, np.max(np.abs(y)))))
    return worst


def compile_rows(label: str, m: Mechanism, repeats: int = 3) -> Iterator[Timing]:
    """Yield the time from a mechanism to a kernel, cold and when its code is in the cache."""
    from ..runtime import compile_program

    def cold(loops: int) -> None:
        compile_program(program_of(m, "inverse_dynamics", drives="none"))

    def cached(loops: int) -> None:
        compile(m, "inverse_dynamics", drives="none")

    cached(1)
    for shown, run in ((COLD, cold), (CACHED, cached)):
        least = min(_window(run, 1, time.perf_counter) for _ in range(repeats))
        yield Timing(label, shown, least * 1e9)


def chain_rows(sizes: tuple[int, ...] = (50, 100, 200, 400, 1000)) -> Iterator[Timing]:
    """Yield compile and run time of serial chains; the last sizes take minutes."""
    for n in sizes:
        m = chain(n)
        with pinned():
            yield from (row for row in compile_rows(f"chain{n}", m, 1) if row.quantity == COLD)
            run, _ = ours(m, "inverse_dynamics", 256)
            least = best(run, budget=0.3)[0]
            yield Timing(f"chain{n}", "inverse_dynamics", least * 1e9 / 256)
