"""The JSON schema of native files: the shapes of values here, all keys from their table."""

from __future__ import annotations

import json
from typing import Any

from .fields import LONGEST_NAME
from .native_keys import FILE, FORMAT

WIDTH = 100


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _rows(item: Any, size: int) -> dict[str, Any]:
    return {"type": "array", "items": item, "minItems": size, "maxItems": size}


NODES = {"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 1}}
VALUES: dict[str, Any] = {
    "text": {"type": "string", "maxLength": LONGEST_NAME},
    "name": {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME},
    "number": {
        "description": "a number, the text of an expression, or an expression node by node",
        "oneOf": [
            {"type": "number"},
            {"type": "string", "minLength": 1},
            {"type": "object", "additionalProperties": False, "required": ["nodes"],
             "properties": {"nodes": NODES}},
        ],
    },
    "limit": {"oneOf": [{"type": "null"}, _ref("number")]},
    "pair": _rows(_ref("limit"), 2),
    "vector": _rows(_ref("number"), 3),
    "matrix": _rows(_ref("vector"), 3),
    "reference": {
        "description": "a name, or a number from 0 in the file's order; -1 is the base",
        "oneOf": [_ref("name"), {"type": "integer", "minimum": -1}],
    },
    "rotation": {
        "description": "a product, the leftmost factor first",
        "type": "array",
        "items": {"oneOf": [
            {"type": "array", "prefixItems": [{"enum": ["x", "y", "z"]}, _ref("number")],
             "items": False, "minItems": 2},
            _ref("matrix"),
        ]},
    },
    "placement": {"oneOf": [
        _rows(_rows(_ref("number"), 4), 4),
        {"type": "object", "additionalProperties": False,
         "properties": {"translation": _ref("vector"), "rotation": _ref("rotation")}},
    ]},
    "tensor": {
        "description": "XX YY ZZ, XX YY ZZ XY XZ YZ, or three rows, of the true tensor",
        "oneOf": [_ref("vector"), _rows(_ref("number"), 6), _ref("matrix")],
    },
}  # fmt: skip


def schema() -> dict[str, Any]:
    """Return the schema of a native file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": FORMAT,
        "title": "A mechanism of dalembert",
        "type": "object",
        "additionalProperties": False,
        "oneOf": [{"required": ["bodies"]}, {"required": ["phrase"]}],
        "properties": {f.key: f.schema() for f in FILE},
        "$defs": VALUES,
    }


def schema_text() -> str:
    """Return the schema as JSON whose tables stand on one line where they are short."""
    return _lines(schema(), "") + "\n"


def _lines(x: Any, indent: str) -> str:
    flat = json.dumps(x, ensure_ascii=False)
    if not isinstance(x, dict) or len(flat) + len(indent) <= WIDTH:
        return flat
    inner = indent + "  "
    rows = (f"{inner}{json.dumps(k)}: {_lines(v, inner)}" for k, v in x.items())
    return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
