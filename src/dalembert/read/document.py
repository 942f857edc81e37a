"""Text to data: JSON and TOML with exact decimals, bounded, and the place of every value in them.

A `Document` is decoded data that knows where it came from, so that an error in `bodies[3].joint`
can say file, line and column.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from ..errors import DescriptionError, Place, UsageError, shown
from ..frozen import dataclass
from .expressions import place_at
from .offsets import At, json_offset, toml_offset

LARGEST = 64 * 2**20  # bytes of a file, characters of a text
LONGEST_NUMBER = 1000

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,6}))?\Z")
_RATIO = re.compile(r"([+-]?[0-9]+)/([0-9]+)\Z")


class NotFinite:
    """What stands in decoded data for inf and nan; only an open limit may be one."""

    def __init__(self, text: str):
        self.text = text


def literal(text: str) -> int | Fraction | None:
    """Return the exact number that a decimal or a ratio of whole numbers writes, else None.

    >>> literal("0.1")
    Fraction(1, 10)
    """
    if len(text) > LONGEST_NUMBER:
        return None
    plain, ratio = _NUMBER.match(text), _RATIO.match(text)
    if plain is not None and abs(int(plain[1] or 0)) <= 400:
        value = Fraction(text)
    elif ratio is not None and int(ratio[2]):
        value = Fraction(int(ratio[1]), int(ratio[2]))
    else:
        return None
    return int(value) if value.denominator == 1 else value


@dataclass(frozen=True)
class Document:
    """Decoded data, and the text it came from (empty for data given as a dict)."""

    data: Any
    source: str = "<dict>"
    text: str = ""
    language: str = ""
    numbered = False  # whether joints may be given by numbers, from 0

    def place(self, at: At = ()) -> Place:
        """Return the place of a value, as near as it can be found."""
        if self.language == "json":
            return place_at(self.source, self.text, json_offset(self.text, at))
        if self.language == "toml":
            return place_at(self.source, self.text, toml_offset(self.text, at))
        return Place(self.source)

    def fail(self, at: At, message: str, hint: str | None = None) -> NoReturn:
        """Raise DescriptionError with the way to the value and its place."""
        way = path(at)
        raise DescriptionError(f"{way}: {message}" if way else message, self.place(at), hint)


@dataclass(frozen=True, slots=True)
class Inside(Place):
    """A place that knows its document, and so where the values below it are."""

    document: Document | None = None
    way: tuple[str | int, ...] = ()


def inside(where: Place | None, *steps: str | int) -> Place | None:
    """Return the place of a value below another one, as near as it can be found."""
    if not isinstance(where, Inside) or where.document is None:
        return where
    way = (*where.way, *steps)
    p = where.document.place(way)
    return Inside(p.source, p.line, p.column, p.text, where.document, way)


def path(at: At) -> str:
    """Return the way to a value as text: `bodies[3].joint.axis`."""
    text = ""
    for step in at:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += ("." if text else "") + shown(step, 60)
    return text


# -- reading files -----------------------------------------------------------------------------


def read_bytes(file: str | Path) -> bytes:
    """Return the bytes of a regular file of bounded size."""
    name = str(file)
    try:
        # a device or a pipe may never end: only regular files are opened
        if not stat.S_ISREG(os.stat(file).st_mode):
            kind = "a directory" if os.path.isdir(file) else "not a regular file"
            raise DescriptionError(f"{shown(name)} is {kind}", hint="name a file")
        with open(file, "rb") as stream:
            data = stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the name is not legal"
        if not isinstance(error, FileNotFoundError):
            raise DescriptionError(f"{reason}: {shown(name)}") from None
        from .near import near_file

        raise DescriptionError(
            f"no such file: {shown(name)}", hint=near_file(name) or None
        ) from None
    if len(data) > LARGEST:
        raise DescriptionError(f"{shown(name)} is larger than {LARGEST // 2**20} MiB")
    return data


def decode(data: bytes, source: str) -> str:
    """Return UTF-8 bytes as text, without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        where = Place(source, before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        raise DescriptionError("not UTF-8 text", where, "save the file as UTF-8") from None


# -- decoding ----------------------------------------------------------------------------------


class _Bad(ValueError):
    """A fault found by a hook of a decoder."""


def _exactly(text: str) -> int | Fraction | NotFinite:
    if text.lstrip("+-").lower() in ("inf", "nan", "infinity"):
        return NotFinite(text)
    value = literal(text.replace("_", ""))
    if value is None:
        raise _Bad(f"number {shown(text, 40)} is too long or out of range")
    return value


def _plainly(text: str) -> int | float:
    _exactly(text)  # refuses what is too long or out of range
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Bad(f"duplicate key {shown(key)!r}")
            seen.add(key)
    return made


def plain(file: str | Path, language: str = "") -> Any:
    """Return what a JSON or TOML file holds, as Python's own numbers."""
    return plain_document(file, language).data


def plain_document(file: str | Path, language: str = "") -> Document:
    """Return the document of a JSON or TOML file, with Python's own numbers."""
    text = decode(read_bytes(file), str(file))
    as_json = language == "json" or text.lstrip()[:1] == "{"
    return (from_json if as_json else from_toml)(text, str(file), _plainly)


def from_json(text: str, source: str, number: Callable[[str], Any] = _exactly) -> Document:
    """Return the document of a JSON text; decimals are exact, NaN and Infinity only marked."""
    try:
        data = json.loads(
            text,
            parse_float=number,
            parse_int=number,
            parse_constant=number,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        where = place_at(source, text, error.pos)
        message = error.msg[:1].lower() + error.msg[1:]
        raise DescriptionError(f"JSON: {message}", where) from None
    except _Bad as error:
        raise DescriptionError(f"JSON: {error}", Place(source)) from None
    except RecursionError:
        raise DescriptionError("JSON: nested too deeply", Place(source)) from None
    return Document(data, source, text, "json")


# a key of very many parts takes tomllib quadratic time
_LONG_KEY = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){200}"""
)
_TOML_AT = re.compile(r"(.*) \(at line ([0-9]+), column ([0-9]+)\)\Z", re.DOTALL)


def _toml_hint(where: Place) -> str | None:
    """Return what to write instead, for two mistakes that TOML's own words do not explain."""
    line, column = where.text, where.column - 1
    if number := re.match(r"([+-]?)(\.[0-9]+)", line[column:]):
        return f"a number begins with a digit: {number[1]}0{number[2]}"
    if column >= len(line.rstrip()) and line.count("{") > line.count("}"):
        return "a table in { } stands on one line; write [[bodies]] and one key a line instead"
    return None


def from_toml(text: str, source: str, number: Callable[[str], Any] = _exactly) -> Document:
    """Return the document of a TOML text; decimals are exact, inf and nan only marked."""
    import tomllib

    found = _LONG_KEY.search(text)
    if found is not None:
        raise DescriptionError(
            "TOML: a key of more than 200 parts", place_at(source, text, found.start())
        )
    try:
        data = tomllib.loads(text, parse_float=number)
    except tomllib.TOMLDecodeError as error:
        parts = _TOML_AT.match(str(error))
        if parts is None:
            where = place_at(source, text, len(text))
            message = str(error).removesuffix(" (at end of document)")
        else:
            line, column, message = int(parts[2]), int(parts[3]), parts[1]
            lines = text.split("\n", line)
            shown_line = lines[line - 1] if line <= len(lines) else ""
            where = Place(source, line, column, shown_line.rstrip("\r"))
        message = shown(message[:1].lower() + message[1:])
        raise DescriptionError(f"TOML: {message}", where, hint=_toml_hint(where)) from None
    except _Bad as error:
        raise DescriptionError(f"TOML: {error}", Place(source)) from None
    except ValueError:  # of int() alone: it refuses more than 4,300 digits
        raise DescriptionError("TOML: a whole number is too long", Place(source)) from None
    except RecursionError:
        raise DescriptionError("TOML: nested too deeply", Place(source)) from None
    return Document(data, source, text, "toml")


def bounded(text: str) -> str:
    """Return the text, refused when it is larger than a file may be."""
    if len(text) > LARGEST:
        raise UsageError(f"a text of {len(text)} characters", hint=f"at most {LARGEST}")
    return text
