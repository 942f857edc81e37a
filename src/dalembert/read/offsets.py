"""Where a value stands in a JSON or TOML text, found by the way to it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

At = Sequence[str | int]  # the way to a value: ("bodies", 3, "joint", "axis")

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def json_offset(text: str, at: At) -> int:
    """Return where a value begins in a JSON text, or the nearest value around it."""
    wanted: list[Any] = list(at)
    trail: list[Any] = []
    kinds: list[str] = []
    best, best_depth = 0, -1
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "}]":
            if kinds:
                kinds.pop()
                trail.pop()
            continue
        if sign == ",":
            if kinds:
                trail[-1] = trail[-1] + 1 if kinds[-1] == "[" else None
            continue
        if sign == ":":
            continue
        if kinds and kinds[-1] == "{" and trail[-1] is None:
            trail[-1] = json.loads(sign) if sign[0] == '"' else sign
            continue
        depth = len(trail)
        if depth > best_depth and trail == wanted[:depth]:
            best, best_depth = token.start(), depth
            if depth == len(wanted):
                break
        if sign in "{[":
            kinds.append(sign)
            trail.append(0 if sign == "[" else None)
    return best


_HEAD = re.compile(r"(?m)^[ \t]*\[[ \t]*\[?[ \t]*[A-Za-z_]")
_PART = re.compile(r"""#[^\n]*|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\[\]{},]""")


def toml_offset(text: str, at: At) -> int:
    """Return where a value stands in a TOML text: its table, then its key, by their lines."""
    if not at:
        return 0
    best, stop, steps = _toml_table(text, list(at))
    for k, step in enumerate(steps):
        if isinstance(step, int):
            item = _toml_item(text, best, stop, step) if k + 1 < len(steps) else None
            if item is None:
                break
            best, stop = item
            continue
        key = re.compile(rf"""(?m)(?:^|[{{,.])[ \t]*["']?{re.escape(step)}["']?[ \t]*[=.]""")
        found = key.search(text, best, stop)
        if found is None:
            break
        best = found.start() + len(found[0]) - len(found[0].lstrip(" \t{,.\n"))
    return best


def _toml_table(text: str, steps: list[str | int]) -> tuple[int, int, list[str | int]]:
    """Return where the innermost table of a way begins and ends, and the steps that are left."""
    names: list[str] = []
    for step in steps:
        if isinstance(step, int):
            break
        names.append(re.escape(step))
    rest = steps[len(names) :]
    if names and rest:
        name, number = r"[ \t]*\.[ \t]*".join(names), int(rest[0])
        heads = list(re.finditer(rf"(?m)^[ \t]*\[\[[ \t]*{name}[ \t]*\]\]", text))
        if number < len(heads):
            return heads[number].start(), _end(text, heads[number].end()), rest[1:]
    for n in range(len(names), 0, -1):
        name = r"[ \t]*\.[ \t]*".join(names[:n])
        head = re.search(rf"(?m)^[ \t]*\[[ \t]*{name}[ \t]*\]", text)
        if head is not None:
            return head.start(), _end(text, head.end()), steps[n:]
    return 0, len(text), steps


def _end(text: str, start: int) -> int:
    """Return where the table ends whose head ends at `start`."""
    following = _HEAD.search(text, start)
    return following.start() if following else len(text)


def _toml_item(text: str, start: int, stop: int, number: int) -> tuple[int, int] | None:
    """Return where an item of the list that begins after `start` begins and ends."""
    first = text.find("[", start, stop)
    if first < 0:
        return None
    depth, count, begin = 0, 0, first + 1
    for part in _PART.finditer(text, first, stop):
        sign = part[0]
        depth += (sign in "[{") - (sign in "]}")
        if (sign == "," and depth == 1) or depth == 0:
            if count == number:
                begin += len(text[begin : part.start()]) - len(text[begin : part.start()].lstrip())
                return begin, part.start()
            count, begin = count + 1, part.end()
        if depth == 0:
            break
    return None
