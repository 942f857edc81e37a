"""How much faster two threads are than one: `python -m benchmarks threads [--quick]`.

Both kernels compute the same batch in turns, many calls of each; what counts is the least time of a
call. All other work should be stopped: a second thread is worth nothing without a second core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from dalembert import bench
from dalembert.bench.rows import states
from dalembert.compute import compile

ROWS = (
    ("inverse_dynamics", 65536),
    ("forward_dynamics", 65536),
    ("inverse_dynamics_derivatives", 2048),
)
THREADS = 2
CALLS = 6


def lines(quick: bool = False) -> Iterator[str]:
    """Yield the table: nanoseconds a state of one and of two threads, and the ratio."""
    robots = bench.robots()
    chosen = dict(list(robots.items())[:1]) if quick else robots
    yield "\n| quantity, states | " + " | ".join(chosen) + " |"
    yield "|---" * (1 + len(chosen)) + "|"
    for name, count in ROWS:
        cells = []
        for m in chosen.values():
            one, two = (_run(m, name, count, n) for n in (1, THREADS))
            took = [float("inf")] * 2
            for _ in range(3 if quick else 25):
                for k, run in enumerate((one, two)):
                    took[k] = min(took[k], _took(run))
            first, second = (x * 1e9 / count for x in took)
            cells.append(f"{first:.1f}, {second:.1f} ns, **{first / second:.2f}**")
        yield f"| {name.replace('_', ' ')}, {count} | " + " | ".join(cells) + " |"


def _run(m: object, name: str, count: int, threads: int) -> Callable[[], object]:
    kernel, given = compile(m, name, threads=threads), states(m, count)
    found = kernel(*given)
    out = tuple(map(np.empty_like, found)) if isinstance(found, tuple) else np.empty_like(found)
    return lambda: kernel(*given, out=out)


def _took(run: Callable[[], object]) -> float:
    """Return the least seconds of a few calls in a row."""
    least = float("inf")
    for _ in range(CALLS):
        start = time.perf_counter()
        run()
        least = min(least, time.perf_counter() - start)
    return least
