"""Marker files `.trc`: five lines of heads, then frame, time and x y z of every marker."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...errors import DescriptionError, Place
from ..table import Table, read_text, table_of

METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}


def read_trc(file: Path) -> Table:
    """Return the markers in metres as columns `NAME.x NAME.y NAME.z`; missing ones are NaN."""
    lines = read_text(file).splitlines()
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise DescriptionError("this is no TRC file", where=Place(str(file)))
    keys, values = lines[1].split("\t"), lines[2].split("\t")
    said = dict(zip((k.strip() for k in keys), (v.strip() for v in values), strict=False))
    unit = said.get("Units", "mm").lower()
    if unit not in METRES:
        raise DescriptionError(
            f"unit {unit!r} is not known", where=Place(str(file), 3), hint="mm, cm or m"
        )
    names = [n.strip() for n in lines[3].split("\t")[2:] if n.strip()]
    width = 2 + 3 * len(names)
    rows = []
    for k, line in enumerate(lines[5:], start=6):
        if not line.strip():
            continue
        cells = line.split("\t")
        cells = (cells + [""] * width)[:width]
        try:
            rows.append([float(c) if c.strip() else np.nan for c in cells])
        except ValueError:
            raise DescriptionError("a cell is not a number", where=Place(str(file), k)) from None
    data = np.array(rows, dtype=float).reshape(-1, width)
    columns = {"t": data[:, 1]}
    for k, name in enumerate(names):
        for axis, x in enumerate("xyz"):
            columns[f"{name}.{x}"] = data[:, 2 + 3 * k + axis] * METRES[unit]
    return table_of(columns, str(file))
