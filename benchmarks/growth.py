"""How compile and run time grow with a chain: each doubling beside the one before.

`python -m benchmarks growth [--quick]`; all in processor time. Compile times are the least of three
(nothing is cached), run times the least of many windows of 64 states, all sizes in turns.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from dalembert import bench
from dalembert.bench.rows import best, ours, pinned
from dalembert.compute import compile

SIZES = (50, 100, 200, 400, 800, 1600)
STATES = 64
WINDOW = 1.5e-3
MOST = 2.15  # per doubling


def rows(quick: bool = False) -> Iterator[str]:
    """Yield the table of both models of serial chains."""
    yield f"\nWanted at most {MOST} per doubling.\n"
    yield "| joints | quantity | compile s | growth | run ns | growth | ns a joint |"
    yield "|---|---|---|---|---|---|---|"
    sizes = SIZES[:3] if quick else SIZES
    for name in ("inverse_dynamics", "forward_dynamics"):
        chains = {n: bench.chain(n) for n in sizes}
        made = [_compiled(m, name, 1 if quick else 3) for m in chains.values()]
        with pinned():
            runs = [ours(m, name, STATES)[0] for m in chains.values()]
            budget = 0.3 if quick else 2.0
            found = best(*runs, budget=budget, window=WINDOW, clock=time.process_time)
        ns = [x * 1e9 / STATES for x in found]
        for k, n in enumerate(sizes):
            grown = ["", ""] if k == 0 else [f"{x[k] / x[k - 1]:.2f}" for x in (made, ns)]
            cells = (n, name, f"{made[k]:.2f}", grown[0], f"{ns[k]:.0f}", grown[1])
            yield "| " + " | ".join(map(str, (*cells, f"{ns[k] / n:.1f}"))) + " |"


def _compiled(m: object, name: str, times: int) -> float:
    """Return the least seconds from a mechanism to a kernel, without the cache."""
    kept, least = os.environ.get("DALEMBERT_CACHE"), float("inf")
    os.environ["DALEMBERT_CACHE"] = "off"
    try:
        for _ in range(times):
            start = time.process_time()
            compile(m, name, drives="none")
            least = min(least, time.process_time() - start)
    finally:
        os.environ.pop("DALEMBERT_CACHE")
        if kept is not None:
            os.environ["DALEMBERT_CACHE"] = kept
    return least
