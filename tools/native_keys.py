"""Write what comes from the table of keys of native files: the JSON schema and docs/native.md.

python tools/native_keys.py          write both
python tools/native_keys.py --check  exit 1 if one of them is not up to date
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from dalembert.read.native_fields import Field
from dalembert.read.native_keys import BODIES, FILE, MOVES, RECORDS
from dalembert.read.native_schema import schema_text

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "src" / "dalembert" / "read" / "native.schema.json"
PAGE = ROOT / "docs" / "native.md"
START, END = "<!-- keys -->", "<!-- end of keys -->"


def table(head: str, fields: Iterable[Field]) -> str:
    """Return a Markdown table of keys; an asterisk marks those that must be given."""
    mark = " *"
    rows = (f"| `{f.key}`{mark * f.needed} | {f.note} |" for f in fields)
    return "\n".join((f"| {head} | meaning |", "|---|---|", *rows))


def tables() -> str:
    """Return all keys as Markdown."""
    parts = {
        "key of the file": FILE,
        "key of a body": BODIES.fields,
        "key of its `joint`": MOVES.fields,
        **{f"key of `{key}`": record.fields for key, record in RECORDS.items()},
    }
    return "\n\n".join(table(head, fields) for head, fields in parts.items())


def page() -> str:
    """Return the page of native files with its tables anew."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    return f"{before}{START}\n\n{tables()}\n\n{END}{rest.split(END)[1]}"


def main() -> int:
    """Write the files, or check them; 1 if one of them is old."""
    made = {SCHEMA: schema_text(), PAGE: page()}
    old = [file for file, text in made.items() if file.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        return 1 if old else 0
    for file in old:
        file.write_text(made[file], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
