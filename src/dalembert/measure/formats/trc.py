"""Marker files `.trc`: five lines of heads, then frame, time and x y z of every marker."""

from __future__ import annotations

from pathlib import Path

from ...errors import DescriptionError, Place, shown
from ..table import Table, table_of
from ..text import Rows, first_lines, without_lines

METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
HEADS = 5  # lines


def read_trc(file: Path) -> Table:
    """Return the markers in metres as columns `NAME.x NAME.y NAME.z`; missing ones are NaN."""
    lines, pieces = first_lines(file, HEADS + 1)
    if len(lines) < HEADS + 1 or not lines[0].startswith("PathFileType"):
        raise DescriptionError(
            "this is no TRC file: its first line does not begin with PathFileType",
            where=Place(str(file)), hint="export the markers as TRC, or as a CSV with t,NAME.x ...",
        )  # fmt: skip
    keys, values = lines[1].split("\t"), lines[2].split("\t")
    said = dict(zip((k.strip() for k in keys), (v.strip() for v in values), strict=False))
    unit = said.get("Units", "mm").lower()
    if unit not in METRES:
        raise DescriptionError(
            f"unit {shown(unit)!r} is not known", where=Place(str(file), 3), hint="mm, cm or m"
        )
    names = [n.strip() for n in lines[3].split("\t")[2:] if n.strip()]
    twice = next((n for k, n in enumerate(names) if n in names[:k]), None)
    if twice is not None:
        raise DescriptionError(
            f"two markers are called {shown(twice)!r}", where=Place(str(file), 4),
            hint="give each marker a name of its own in line 4, or export the trial again",
        )  # fmt: skip
    heads = ["frame", "t", *(f"{n}.{x}" for n in names for x in "xyz")]
    bare = ("".join(x.rstrip() + "\n" for x in block.splitlines())
            for block in without_lines(pieces, HEADS))  # fmt: skip
    rows = Rows(heads, str(file), "\t", HEADS, short=True)
    data = rows.read(bare, file.stat().st_size)
    columns = {h: x * METRES[unit] for h, x in zip(heads[2:], data.T[2:], strict=True)}
    return table_of({"t": data[:, 1], **columns}, str(file))
