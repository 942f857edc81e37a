"""Listings timed, and their operations counted: the RX90 in symbols, a humanoid in numbers.

    python -m benchmarks listings

Processor time from a mechanism to the text of its listing, nothing cached, minimum of the repeats.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import dalembert as da
from dalembert import bench
from dalembert.algebra import Mat3, Vec3
from dalembert.algorithms.parameter_sets import with_parameters
from dalembert.cost import Count, costs
from dalembert.inertia import Inertia
from dalembert.listing import listing_text
from dalembert.mechanism import Mechanism

LIMIT = 0.3  # seconds, of all models together and of a humanoid
REPEATS = 5
MODELS = ("inverse_dynamics", "mass_matrix", "bias", "forward_dynamics")
# the most operations that the RX90 should need: what other generators leave, dead lines removed
WANTED = {
    ("inverse_dynamics", "standard"): 601,
    ("inverse_dynamics", "base"): 505,
    ("mass_matrix", "base"): 453,
    ("forward_dynamics", "base"): 1474,
}
SYMMETRIC = 264  # inverse dynamics, base parameters, links with symmetry planes


def rows() -> Iterator[str]:
    """Yield the tables of generation times and of operations."""
    yield "\n| listing | lines | ms | wanted |"
    yield "|---|---|---|---|"
    with bench.pinned():
        yield from generation()
    yield "\n| RX90, prepare and step together | parameters | mul + add | sum | wanted at most |"
    yield "|---|---|---|---|---|"
    yield from operations()


def generation() -> Iterator[str]:
    """Yield how long each listing takes."""
    m = da.robots.rx90()
    for kind in ("standard", "base"):
        total = 0.0
        for name in MODELS:
            seconds, lines = best(m, name, kind)
            total += seconds
            yield f"| RX90 {name}, {kind} | {lines} | {seconds * 1e3:.0f} | |"
        yield f"| RX90 all models, {kind} | | {total * 1e3:.0f} | {LIMIT * 1e3:.0f} |"
    for label, humanoid in bench.robots().items():
        if label == "Talos":
            seconds, lines = best(humanoid, "inverse_dynamics", "given")
            title = f"{label} ({humanoid.nv} freedoms) inverse_dynamics"
            yield f"| {title} | {lines} | {seconds * 1e3:.0f} | {LIMIT * 1e3:.0f} |"


def best(m: Mechanism, name: str, kind: str) -> tuple[float, int]:
    """Return the least seconds until a listing is there, and its number of lines."""
    least, lines = math.inf, 0
    for _ in range(REPEATS):
        m = replace(m)  # a new value, which remembers nothing
        start = time.process_time()
        text = listing_text(m, name, kind, **({"drives": "none"} if name != "bias" else {}))
        least = min(least, time.process_time() - start)
        lines = sum(1 for line in text.splitlines() if line and not line.startswith("#"))
    return least, lines


def operations() -> Iterator[str]:
    """Yield what remains to be computed at each state and for each set of parameters."""
    m = da.robots.rx90()
    for (name, kind), most in WANTED.items():
        found, _ = costs(m, [name], None, [kind])
        yield line(kind, min(found, key=lambda row: sum(counted(row))), most)
    (row,), _ = costs(symmetric(m), ["inverse_dynamics"], ["newton_euler"], ["given"])
    yield line("base, symmetric links", row, SYMMETRIC)


def line(kind: str, row: Count, most: int) -> str:
    """Return one line of the table."""
    mul, add = counted(row)
    return f"| {row.quantity} by {row.method} | {kind} | {mul} + {add} | {mul + add} | {most} |"


def counted(row: Count) -> tuple[int, int]:
    """Return multiplications and additions, once and at each state."""
    return row.mul + row.prepare_mul, row.add + row.prepare_add


def symmetric(m: Mechanism) -> Mechanism:
    """Return the RX90 with base parameters, zero where its links have planes of symmetry."""
    bodies = []
    for k, b in enumerate(with_parameters(m, "base").bodies, 1):
        x, y, z = b.inertia.h
        xx, yy, zz, _, xz, _ = b.inertia.Io.six()
        h = Vec3(0 if k >= 3 else x, 0 if k in (2, 4, 6) else y, z)
        Io = Mat3.symmetric(xx, yy, zz, 0, 0 if k >= 3 else xz, 0)
        bodies.append(replace(b, inertia=Inertia(b.inertia.m, h, Io, "origin")))
    return replace(with_parameters(m, "base"), bodies=tuple(bodies), checked=True)
