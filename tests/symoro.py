"""The RX90 in full symbols and an evaluator of the straight-line listings that SYMORO wrote."""

from pathlib import Path
from typing import Any

from dalembert.errors import Place
from dalembert.expr import Graph
from dalembert.expr.exact import to_float
from dalembert.mechanism import Mechanism
from dalembert.read.expressions import expression
from dalembert.read.mdh import read_dh

FRAMES: tuple[dict[str, str], ...] = (
    {},
    {"alpha": "90deg"},
    {"d": "D3"},
    {"alpha": "-90deg", "r": "RL4"},
    {"alpha": "90deg"},
    {"alpha": "-90deg"},
)
ALL = ["M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ"]
BASE = ["MX", "MY", "XX", "XY", "XZ", "YZ", "ZZ"]


def symmetric(k: int) -> list[str]:
    """Return the base parameters of link k that links with symmetry planes keep."""
    gone = (
        {"XY", "YZ"} | ({"XZ", "MX"} if k >= 3 else set()) | ({"MY"} if k in (2, 4, 6) else set())
    )
    return [n for n in base(k) if n not in gone]


def base(k: int) -> list[str]:
    """Return the base parameters of link k."""
    return ["ZZ"] if k == 1 else BASE


def rx90(kept: Any = lambda k: ALL, drives: bool = False) -> Mechanism:
    """Return the RX90 with the inertial parameters `kept(k)` of each link, the others zero."""
    rows: list[dict[str, Any]] = []
    for k, cells in enumerate(FRAMES, 1):
        names = {n: n + str(k) if n in kept(k) else "0" for n in ALL}
        row: dict[str, Any] = dict(cells)
        row["m"] = names["M"]
        row["first_moment"] = tuple(names[n] for n in ("MX", "MY", "MZ"))
        row["I_origin"] = tuple(names[n] for n in ("XX", "YY", "ZZ", "XY", "XZ", "YZ"))
        if drives:
            row |= {"Ia": f"IA{k}", "Fv": f"FV{k}", "Fs": f"FS{k}"}
        rows.append(row)
    return read_dh(rows, name="rx90").with_gravity((0, 0, "G3"))


def assignments(path: Path) -> list[tuple[str, str]]:
    """Return the assignments of a SYMORO listing, in order."""
    lines = path.read_text(encoding="utf-8").split("Equations:")[1].split("*=*")[0].splitlines()
    return [(a.strip(), b.strip()) for a, _, b in (line.partition(" = ") for line in lines) if b]


def evaluate(listing: list[tuple[str, str]], values: dict[str, float]) -> dict[str, float]:
    """Return all values after running the assignments."""
    known, graph = dict(values), Graph()
    for n, (name, right) in enumerate(listing, 1):
        known[name] = to_float(expression(right, graph, Place("listing", n, 1, right)), known)
    return known
