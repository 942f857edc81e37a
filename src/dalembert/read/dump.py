"""Plain data as JSON and TOML text: deterministic, exact numbers, one record on a line or table."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..errors import UsageError, shown


class Literal:
    """A number as its digits; quoted when neither language has it as a number."""

    def __init__(self, text: str, quoted: bool = False):
        self.text, self.quoted = text, quoted

    def plain(self) -> Any:
        """Return the number, or the text of what JSON has no number for."""
        no_number = self.quoted or self.text in ("inf", "-inf")
        return self.text if no_number else json.loads(self.text)


_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def _valid(value: str) -> None:
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise UsageError(f"{shown(value, 40)!r} is not valid Unicode text")


def json_string(value: str) -> str:
    """Return a JSON string; characters that do not print are escaped."""
    _valid(value)
    quoted = json.dumps(value, ensure_ascii=False)
    if quoted.isprintable():
        return quoted
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in quoted)


def toml_string(value: str) -> str:
    """Return a TOML basic string; characters that do not print are escaped."""
    _valid(value)
    many_dots = value.count(".") > 100  # the reader refuses what looks like an endless key
    parts = []
    for c in value:
        if c in '"\\':
            parts.append("\\" + c)
        elif c == "." and many_dots:
            parts.append("\\u002E")
        elif c.isprintable():
            parts.append(c)
        else:
            parts.append(f"\\u{ord(c):04X}" if ord(c) < 0x10000 else f"\\U{ord(c):08X}")
    return '"' + "".join(parts) + '"'


def _scalar(value: Any, toml: bool) -> str:
    if isinstance(value, Literal):
        if value.quoted:
            return f'"{value.text}"'
        if value.text in ("inf", "-inf"):
            return value.text if toml else "null"
        return value.text
    if isinstance(value, str):
        return toml_string(value) if toml else json_string(value)
    if value is None:
        return "null"
    return str(value)


def _inline(value: Any, toml: bool) -> str:
    """Return a value on one line; the depth of a description is a few levels."""
    if isinstance(value, Mapping):
        if toml:
            items = (f"{_key(k)} = {_inline(v, toml)}" for k, v in value.items())
            return "{ " + ", ".join(items) + " }" if value else "{}"
        items = (f"{json_string(k)}: {_inline(v, toml)}" for k, v in value.items())
        return "{" + ", ".join(items) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_inline(v, toml) for v in value) + "]"
    return _scalar(value, toml)


def _key(key: str) -> str:
    return key if _BARE.match(key) else toml_string(key)


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def json_text(data: Mapping[str, Any]) -> str:
    """Return data as JSON, each record of a list on its own line."""
    entries = []
    for key, value in data.items():
        if _is_records(value):
            rows = ",\n    ".join(_inline(v, False) for v in value)
            entries.append(f"  {json_string(key)}: [\n    {rows}\n  ]")
        else:
            entries.append(f"  {json_string(key)}: {_inline(value, False)}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def toml_text(data: Mapping[str, Any]) -> str:
    """Return data as TOML: plain keys first, then tables, then one [[table]] a record."""
    lines, tables, records = [], [], []
    for key, value in data.items():
        if _is_records(value):
            for row in value:
                records += ["", f"[[{_key(key)}]]"]
                records += [f"{_key(k)} = {_inline(v, True)}" for k, v in row.items()]
        elif isinstance(value, Mapping):
            tables += ["", f"[{_key(key)}]"]
            tables += [f"{_key(k)} = {_inline(v, True)}" for k, v in value.items()]
        else:
            lines.append(f"{_key(key)} = {_inline(value, True)}")
    return "\n".join([*lines, *tables, *records]) + "\n"
