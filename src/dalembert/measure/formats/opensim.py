"""OpenSim's storage files, `.sto` and `.mot`: lines `key=value`, `endheader`, then a table."""

from __future__ import annotations

from pathlib import Path

from ...errors import DescriptionError, Place
from ..table import Table, read_text, rows_table


def read_storage(file: Path) -> Table:
    """Return the table; angles are in degrees where `inDegrees=yes`."""
    text = read_text(file)
    lines = text.split("\n")
    end = next((k for k, x in enumerate(lines[:200]) if x.strip().lower() == "endheader"), None)
    if end is None:
        raise DescriptionError(
            "there is no line 'endheader'", where=Place(str(file)), hint="is it an OpenSim file?"
        )
    pairs = (x.partition("=") for x in lines[:end])
    said = {key.strip().lower(): value.strip().lower() for key, _, value in pairs}
    if end + 1 >= len(lines):
        raise DescriptionError("nothing follows 'endheader'", where=Place(str(file), end + 1))
    rest = "\n".join("\t".join(x.split()) for x in lines[end + 1 :] if x.strip())
    return rows_table(
        rest, str(file), "\t", line=end + 2, degrees=said.get("indegrees", "no") == "yes"
    )
