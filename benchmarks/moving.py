"""Robots on moving bases timed: growth with the number of joints, and Pinocchio's free flyer.

python -m benchmarks moving
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import dalembert as da
from dalembert import bench
from dalembert.bench.rows import ours
from dalembert.compute import program_of
from dalembert.cost import costs
from dalembert.runtime import compile_program

SIZES = (10, 20, 40, 80, 160)
INVERSE, DIRECT = "moving_base_inverse", "moving_base_direct"
STATES = 256  # few enough that the states of the longest chain stay in the caches
GROWTH = 2.3  # the most per doubling
COST = (2.0, 1.6)  # operations beside inverse dynamics with known base acceleration: most, goal
WANTED = {"inverse_dynamics": 22, "forward_dynamics": 18}  # Talos, as among the kernels


def rows(peers: bool = True, seconds: float = 1.0, rounds: int = 5) -> Iterator[str]:
    """Yield all tables as Markdown."""
    yield from growth(seconds, rounds)
    yield from operations()
    if peers:
        yield from ratios(seconds)


def growth(seconds: float, rounds: int) -> Iterator[str]:
    """Yield run time (a batch) and compile time (processor) of eel(n), both models."""
    yield "\n| eel(n) | n | ns per state | growth | compile s | growth | wanted |"
    yield "|---|---|---|---|---|---|---|"
    for name in (INVERSE, DIRECT):
        with bench.pinned():
            compiled = compile_seconds(name, rounds)
            ran = run_nanoseconds(name, seconds, rounds)
        for k, n in enumerate(SIZES):
            ratio = [f"{x[k] / x[k - 1]:.2f}" if k else "" for x in (ran, compiled)]
            wanted = f"<= {GROWTH}" if k else ""
            cells = (name, n, f"{ran[k]:.0f}", ratio[0], f"{compiled[k]:.3f}", ratio[1], wanted)
            yield "| " + " | ".join(map(str, cells)) + " |"


def run_nanoseconds(name: str, seconds: float, rounds: int) -> list[float]:
    """Return the nanoseconds per state of each size: the median of minima, arrays made anew."""
    found = []
    for _ in range(rounds):
        runs = [run(da.robots.eel(n), name) for n in SIZES]
        # short windows of all sizes alternate: they see the same machine
        least = bench.best(*runs, budget=seconds / 2, window=1.5e-3)
        found.append([s * 1e9 / STATES for s in least])
    return [float(x) for x in np.median(found, axis=0)]


def compile_seconds(name: str, rounds: int) -> list[float]:
    """Return the least processor time from a mechanism to a kernel, for each size."""
    models = [da.robots.eel(n) for n in SIZES]
    least = [float("inf")] * len(models)
    for _ in range(rounds):
        for k, m in enumerate(models):
            start = time.process_time()
            compile_program(program_of(m, name, drives="none"))
            least[k] = min(least[k], time.process_time() - start)
    return least


def run(m: da.Mechanism, name: str) -> Callable[[int], None]:
    """Return calls of a kernel at random states."""
    kernel = da.compile(m, name, drives="none")
    q, qd, x = bench.states(m, STATES)
    given = (q, qd, np.ascontiguousarray(x[:, m.nv - kernel.inputs[2].size :]))
    out = kernel(*given)

    def calls(loops: int) -> None:
        for _ in range(loops):
            kernel(*given, out=out)

    return calls


def operations() -> Iterator[str]:
    """Yield operations of the moving-base inverse model beside those with known acceleration."""
    yield "\n| model | freedoms | known acceleration | moving base | ratio | wanted, goal |"
    yield "|---|---|---|---|---|---|"
    for label, m in robots().items():
        counts = []
        for name in ("inverse_dynamics", INVERSE):
            (row,), _ = costs(m, [name], [default(name)], ["given"])
            counts.append((row.mul, row.add))
        ratio = sum(counts[1]) / sum(counts[0])
        cells = [f"{mul} + {add}" for mul, add in counts]
        goal = f"<= {COST[0]}, {COST[1]}" if label == "Talos" else ""
        yield f"| {label} | {m.nv} | {cells[0]} | {cells[1]} | {ratio:.2f} | {goal} |"


def default(name: str) -> str:
    """Return the default method of a quantity."""
    return next(row.default for row in da.catalog() if row.name == name)


def robots() -> dict[str, da.Mechanism]:
    """Return Talos on a free base, if example-robot-data is here, and ready-made machines."""
    found = {"Talos": bench.robots()["Talos"]} if "Talos" in bench.robots() else {}
    return found | {"spacecraft": da.robots.spacecraft(), "walker": da.robots.walker()}


def ratios(seconds: float) -> Iterator[str]:
    """Yield times of a batch beside Pinocchio's on the same free flyer."""
    from dalembert.bench.peers import Pinocchio

    yield "\n| model | quantity | ours ns | peer | peer ns | ratio | wanted | error |"
    yield "|---|---|---|---|---|---|---|---|"
    for label, m in robots().items():
        engine = Pinocchio(m)
        for name, wanted in WANTED.items():
            yield ratio_line(label, m, name, wanted if label == "Talos" else "", engine, seconds)


def ratio_line(
    label: str, m: da.Mechanism, name: str, wanted: Any, engine: Any, seconds: float
) -> str:
    """Return the line of one quantity of one robot."""
    count = STATES  # short calls: both sides find a window without other load
    with bench.pinned():
        mine, out = ours(m, name, count)
        theirs, result = engine.run(name, bench.states(m, count), True)
        a, b = (s * 1e9 / count for s in bench.best(mine, theirs, budget=2 * seconds))
        mine(1)
        theirs(1)
    error = bench.difference(out, result())
    peer = engine.label(name, True)
    cells = (label, name, f"{a:.1f}", peer, f"{b:.1f}", f"{b / a:.1f}", wanted, f"{error:.0e}")
    return "| " + " | ".join(map(str, cells)) + " |"
