"""The JSON schema of native files, its records as their table says.

`python -m dalembert.read.native_schema` writes `native.schema.json` anew after a change of that
table; what bodies, joints and values are is written there by hand.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from .native_records import RECORDS

FILE = "native.schema.json"
WIDTH = 100


def schema() -> dict[str, Any]:
    """Return the schema: that of the file, with the records of the table."""
    found: dict[str, Any] = json.loads((files(__package__) / FILE).read_text("utf-8"))
    found["properties"] |= {key: record.schema() for key, record in RECORDS.items()}
    return found


def main() -> None:
    """Write the file anew."""
    text = _lines(schema(), "") + "\n"
    (Path(__file__).parent / FILE).write_text(text, encoding="utf-8")


def _lines(x: Any, indent: str) -> str:
    """Return JSON whose tables stand on one line where they are short."""
    flat = json.dumps(x, ensure_ascii=False)
    if not isinstance(x, dict) or len(flat) + len(indent) <= WIDTH:
        return flat
    inner = indent + "  "
    rows = (f"{inner}{json.dumps(k)}: {_lines(v, inner)}" for k, v in x.items())
    return "{\n" + ",\n".join(rows) + f"\n{indent}}}"


if __name__ == "__main__":
    main()
