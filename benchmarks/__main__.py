"""Print the measured tables as Markdown: speed beside peers, operations, chains, equations.

python -m benchmarks [all | ratios | kernels | loops | equations | listings | kane | moving |
                     simulation | forms | designs | studies | growth | threads | plots | pages]
                    [--quick] [--chains] [--no-peers]
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks import generated_c
from dalembert import bench, robots
from dalembert.bench.casadi import available, casadi_rows
from dalembert.cost import costs

from . import (
    designs,
    equations,
    forms,
    growth,
    kane,
    listings,
    loops,
    moving,
    pages,
    plots,
    ratios,
    simulation,
    spread,
    start,
    studies,
    threads,
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("what", nargs="?", default="all", choices=("all", *PARTS), help="tables")
    parser.add_argument("--quick", action="store_true", help="UR5 alone, short windows")
    parser.add_argument("--chains", action="store_true", help="serial chains to 1000 joints")
    parser.add_argument("--only", help="models of the ratios: UR5,Panda")
    parser.add_argument("--out", help="the JSON file of the ratios")
    parser.add_argument("--processes", type=int, default=3, help="fresh ones, for spread")
    parser.add_argument("--each", default="", help="a command before each process of spread")
    parser.add_argument("--no-peers", action="store_true", help="leave other engines away")
    options = parser.parse_args()
    for line in machine():
        print(line)
    chosen = [options.what] if options.what != "all" else [p for p in PARTS if p not in APART]
    for part in chosen:
        for line in PARTS[part](options):
            print(line, flush=True)


def _here(*names: str) -> bool:
    return all(find_spec(name) is not None for name in names)


def _spread(options: argparse.Namespace) -> Iterator[str]:
    if options.no_peers or not _here("pinocchio"):
        return
    own = options.processes, options.only, options.quick, options.each
    yield from spread.lines([*machine()], *own)


def _moving(options: argparse.Namespace) -> Iterator[str]:
    peers = not options.no_peers and _here("pinocchio")
    yield from moving.rows(peers, *((0.1, 1) if options.quick else (2.0, 5)))


def _simulation(options: argparse.Namespace) -> Iterator[str]:
    if _here("mujoco", "scipy") and not options.no_peers:
        simulation.main()
    yield from ()


# in this order; `all` runs those that are not apart
PARTS: dict[str, Callable[[argparse.Namespace], Iterable[str]]] = {
    "spread": _spread,
    "ratios": lambda o: ratios.rows(o.only, 0.05 if o.quick else 0.6, o.out),
    "plots": lambda o: plots.lines(),
    "threads": lambda o: threads.lines(o.quick),
    "growth": lambda o: growth.rows(o.quick),
    "start": lambda o: start.lines(o.quick),
    "kernels": lambda o: kernels(o),
    "forms": lambda o: forms.rows(o.quick),
    "designs": lambda o: designs.lines(),
    "loops": lambda o: loops.rows(not o.no_peers, 0.05 if o.quick else 1.0),
    "listings": lambda o: listings.rows(),
    "kane": lambda o: kane.rows(not o.no_peers and _here("sympy")),
    "moving": _moving,
    "simulation": _simulation,
    "equations": lambda o: equations.rows() if _here("sympy") and not o.no_peers else (),
    "studies": lambda o: studies.lines(o.quick),
    "pages": lambda o: pages.lines(o.quick),
}
APART = ("ratios", "studies", "pages")  # spread runs ratios; the others take minutes or a browser


def kernels(options: argparse.Namespace) -> Iterator[str]:
    """Yield what concerns kernels."""
    found = bench.robots() or {"PUMA 560": robots.puma560()}
    if options.quick:
        found = dict(list(found.items())[:1])
    peers = not options.no_peers and find_spec("pinocchio") is not None
    seconds = 0.05 if options.quick else 1.0
    yield from (*speed(found, peers, seconds), *operations(found))
    yield from generated_c.tables(found, seconds)
    if options.chains:
        yield from chains()


def machine() -> Iterator[str]:
    """Yield what the figures depend on."""
    yield f"{datetime.date.today().isoformat()}, {cpu()}, Python {platform.python_version()}"
    if hasattr(os, "getloadavg"):
        yield f"load average {os.getloadavg()[0]:.1f} at the start"


def cpu() -> str:
    """Return the name of the processor."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    found = dict(reversed([map(str.strip, x.split(":", 1)) for x in lines if ":" in x]))
    if "model name" not in found:
        return platform.processor() or platform.machine()
    told = found["model name"]
    if {"cpu family", "model"} <= set(found):  # names of virtual machines tell little
        told += f" (family {found['cpu family']}, model {found['model']}, {lanes()} doubles wide)"
    return told


def lanes() -> int:
    """Return how many doubles a register holds for our kernels."""
    from dalembert.runtime.llvm import host

    return host().lanes


def speed(found: dict, peers: bool, seconds: float) -> Iterator[str]:
    """Yield the table of times and ratios."""
    yield "\n| model | quantity | ours ns | peer | peer ns | ratio | error |"
    yield "|---|---|---|---|---|---|---|"
    for row in bench.bench(found, peers, seconds):
        yield cells(row)
    for label, m in found.items() if peers and available() else ():
        for row in casadi_rows(label, m, seconds):
            yield cells(row)


def cells(row: bench.Timing) -> str:
    """Return one line of the table."""
    peer = ("", "", "", "")
    if row.peer_ns is not None:
        error = "" if row.error is None else f"{row.error:.0e}"
        peer = (row.peer, f"{row.peer_ns:.1f}", f"{row.ratio:.1f}", error)
    name, ns, ratio, error = peer
    line = (row.model, row.quantity, f"{row.ours_ns:.1f}", name, ns, ratio, error)
    return "| " + " | ".join(map(str, line)) + " |"


def operations(found: dict) -> Iterator[str]:
    """Yield the table of operation counts."""
    yield "\n| model | inverse dynamics, mul + add |"
    yield "|---|---|"
    counted = {name: (m, "given") for name, m in found.items()}
    counted["PUMA 560, base parameters"] = (robots.puma560(symbolic=True), "base")
    for name, (m, kind) in counted.items():
        (row,), _ = costs(m, ["inverse_dynamics"], ["newton_euler"], [kind])
        yield f"| {name} | {row.mul} + {row.add} |"


def chains() -> Iterator[str]:
    """Yield compile and run time of serial chains."""
    yield "\n| chain | quantity | ns |"
    yield "|---|---|---|"
    for row in bench.chain_rows():
        yield f"| {row.model} | {row.quantity} | {row.ours_ns:.0f} |"


if __name__ == "__main__":
    main()
