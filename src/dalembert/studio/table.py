"""A machine as the CSV text of a Denavit-Hartenberg table, which the page shows as a grid."""

from __future__ import annotations

import tomllib
from typing import Any

from ..errors import UsageError
from ..read import write

FIRST = ("sigma", "alpha", "d", "theta", "r")  # always shown, in this order
PLACES = ("name", "joint", "a", "sigma", "gamma", "b", "alpha", "d", "theta", "r")
SPREAD = {
    "com": ("cx", "cy", "cz"), "first_moment": ("MX", "MY", "MZ"),
    "I": ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"),
    "I_origin": ("XX", "YY", "ZZ", "XY", "XZ", "YZ"),
    "Fs": ("Fs", "Fs_neg"), "Tc": ("Tc", "Tc_neg"),
}  # fmt: skip
BEYOND = ("loops", "couplings", "springs", "elastic", "wheels", "velocity_constraints", "rolling")


def as_csv(m: Any) -> str:
    """Return the table of a tree of turning and sliding joints; anything else is refused."""
    data = tomllib.loads(write(m, "mdh")[0])
    for key in BEYOND:
        if data.get(key):
            raise UsageError(
                f"a table has no {key.replace('_', ' ')}", hint="edit the text instead"
            )
    rows = [_spread(row) for row in data["dh"]]
    if all(row["a"] == k for k, row in enumerate(rows)):
        for row in rows:
            del row["a"]  # a chain: each frame stands on the one before
    if all(row["name"] == f"j{k}" for k, row in enumerate(rows, 1)):
        for row in rows:
            del row["name"]
    used = {c for row in rows for c in row} | set(FIRST)
    order = [*PLACES, "m", *(c for group in SPREAD.values() for c in group), "qmin", "qmax"]
    columns = [c for c in order if c in used] + sorted(used - set(order))
    lines = [f"robot,{_cell(data['name'])}", "convention,modified"]
    lines.append(",".join(["gravity", *map(_cell, data["gravity"])]))
    lines += [f"parameter,{n},{_cell(x)}" for n, x in data.get("parameters", {}).items()]
    lines += [",".join(columns), *(",".join(_cell(r.get(c, "")) for c in columns) for r in rows)]
    return "\n".join(lines) + "\n"


def _spread(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with one number in a cell."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, list):
            out |= {c: x for c, x in zip(SPREAD[key], value, strict=False) if x != 0}
        else:
            out[key] = value
    return out


def _cell(x: Any) -> str:
    text = str(x)
    if any(c in text for c in ',"\n'):
        raise UsageError("a name with a comma or a quote has no place in the grid")
    return text
