"""OpenSim's storage files, `.sto` and `.mot`: lines `key=value`, `endheader`, then a table."""

from __future__ import annotations

from pathlib import Path

from ...errors import DescriptionError, Place
from ..table import Table, rows_table
from ..text import first_lines, without_lines

LINES = 202  # that are looked at for the end of the header and the heads


def read_storage(file: Path) -> Table:
    """Return the table; angles are in degrees where `inDegrees=yes`."""
    lines, pieces = first_lines(file, LINES)
    end = next((k for k, x in enumerate(lines[:200]) if x.strip().lower() == "endheader"), None)
    if end is None:
        raise DescriptionError(
            "there is no line 'endheader'", where=Place(str(file)), hint="is it an OpenSim file?"
        )
    pairs = (x.partition("=") for x in lines[:end])
    said = {key.strip().lower(): value.strip().lower() for key, _, value in pairs}
    at = next((k for k in range(end + 1, len(lines)) if lines[k].strip()), None)
    if at is None:
        raise DescriptionError("nothing follows 'endheader'", where=Place(str(file), end + 1))
    rest = (_tabbed(block) for block in without_lines(pieces, at + 1))
    return rows_table(
        "\t".join(lines[at].split()), rest, str(file), "\t", line=at + 1,
        degrees=said.get("indegrees", "no") == "yes",
    )  # fmt: skip


def _tabbed(block: str) -> str:
    """Return lines whose cells, parted by blanks, are parted by tabs."""
    return "".join("\t".join(x.split()) + "\n" for x in block.splitlines())
