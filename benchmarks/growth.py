"""How compile and run time grow with a chain: each doubling beside the one before.

`python -m benchmarks growth [--quick]`; compile times are processor time, run times the least of
many windows of 64 states.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from dalembert import bench
from dalembert.bench.rows import best, ours, pinned
from dalembert.compute import compile

SIZES = (50, 100, 200, 400, 800, 1600)
STATES = 64


def rows(quick: bool = False) -> Iterator[str]:
    """Yield the table of both models of serial chains."""
    yield "\n| joints | quantity | compile s | growth | run ns | growth | ns a joint |"
    yield "|---|---|---|---|---|---|---|"
    for name in ("inverse_dynamics", "forward_dynamics"):
        before: tuple[float, float] | None = None
        for n in SIZES[:3] if quick else SIZES:
            m = bench.chain(n)
            start = time.process_time()
            compile(m, name, drives="none")
            made = time.process_time() - start
            with pinned():
                run = best(ours(m, name, STATES)[0], budget=0.3 if quick else 1.0)[0]
            ns = run * 1e9 / STATES
            grown = (
                ("", "") if before is None else (f"{made / before[0]:.2f}", f"{ns / before[1]:.2f}")
            )
            cells = (n, name, f"{made:.2f}", grown[0], f"{ns:.0f}", grown[1], f"{ns / n:.1f}")
            yield "| " + " | ".join(map(str, cells)) + " |"
            before = made, ns
