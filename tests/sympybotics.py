"""The PUMA 560 of SymPyBotics, as its tests publish it: standard and modified tables, gravity."""

from typing import Any

from dalembert.mechanism import Mechanism
from dalembert.read.mdh import read_dh


def sympybotics(case: dict[str, Any], key: str) -> tuple[Mechanism, bool]:
    """Return the robot of a SymPyBotics test with one of its parameter sets; whether modified."""
    modified = "dh_modified_alpha_a_d" in case
    rows: list[dict[str, Any]] = []
    p = case[key]
    for k, (alpha, a, d) in enumerate(case[next(n for n in case if n.startswith("dh_"))]):
        ten = p[10 * k : 10 * k + 10]
        row = {"m": ten[9], "first_moment": ten[6:9], "I_origin": ten[:6], "alpha": alpha}
        rows.append(row | ({"d": a, "r": d} if modified else {"a": a, "d": d}))
    convention = "modified" if modified else "standard"
    return read_dh(rows, convention, inertia_order="symoro"), modified
