"""Motions of bodies in equations: `v(chassis).x`, `w(frame).z`, `v(frame, [0.1, 0, 0]).Y`.

Components x, y, z are in the axes of the frame, X, Y, Z in base axes. `v` and `w` are velocities of
a point and of a frame, `p` the position of a point, `axis(frame, [0, 0, 1])` a direction,
`distance(a, b)` and `direction(a, b)` the way from one point to another.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from ..errors import DescriptionError, Place, closest, shown
from ..expr import Graph
from ..mechanism import BodyTerm, named_term
from .expressions import expression

# how many frames each takes, and whether it is a vector
TERMS = {
    "v": (1, True), "w": (1, True), "p": (1, True), "axis": (1, True),
    "distance": (2, False), "direction": (2, True),
}  # fmt: skip
_HEAD = re.compile(r"(?<![\w.])(" + "|".join(TERMS) + r")\s*\(")
_LETTER = re.compile(r"\s*\.\s*([xyzXYZ])(?!\w)")


def body_terms(
    text: str, frames: Collection[str], parameters: Collection[str], place: Place
) -> tuple[str, dict[str, BodyTerm]]:
    """Return the text with a plain name in place of every term, and the terms by these names."""
    found: dict[str, BodyTerm] = {}
    parts, at = [], 0
    while head := _HEAD.search(text, at):
        end = _closing(text, head.end(), place)
        rest = end + 1
        letter = _LETTER.match(text, rest)
        count, is_vector = TERMS[head[1]]
        if is_vector != bool(letter):
            what = "a vector" if is_vector else "a number"
            raise DescriptionError(
                f"{shown(text[head.start() : rest])!r} is {what}",
                place,
                f"write {head[1]}(...).x: x, y, z in the axes of the frame, X, Y, Z in base axes"
                if is_vector
                else "write it without a component",
            )
        ends = _ends(text[head.end() : end], parameters, place)
        term = _term(head[1], count, ends, letter[1] if letter else "x", frames, place)
        name = f"term{len(found)}_of_bodies"
        found[name] = term
        parts += [text[at : head.start()], name]
        at = letter.end() if letter else rest
    return "".join([*parts, text[at:]]), found


def _term(
    quantity: str, count: int, ends: list[Any], letter: str, frames: Collection[str], place: Place
) -> BodyTerm:
    if len(ends) != count or (quantity == "axis" and ends[0][1] is None):
        ways = {"axis": "frame, [0, 0, 1]", "distance": "a, b", "direction": "a, b"}
        how = f"{quantity}({ways.get(quantity, 'frame, [0, 0, 0]')})"
        raise DescriptionError(f"{quantity}(...) takes other arguments", place, f"write {how}")
    for name, _ in ends:
        if name not in (*frames, "base", "world"):
            raise DescriptionError(
                f"there is no frame {shown(name)!r}", place, closest(name, list(frames))
            )
    points = tuple(point or (0, 0, 0) for _, point in ends)
    component = "xyz".index(letter.lower())
    raw = BodyTerm("", quantity, tuple(n for n, _ in ends), points, component, letter.isupper())
    return named_term(raw)


def _closing(text: str, at: int, place: Place) -> int:
    depth, quoted = 1, False
    for k in range(at, len(text)):
        quoted ^= text[k] == '"'
        if not quoted:
            depth += {"(": 1, ")": -1}.get(text[k], 0)
        if depth == 0:
            return k
    raise DescriptionError(f"{shown(text[at:])!r}: a bracket is not closed", place, "write )")


def _ends(text: str, parameters: Collection[str], place: Place) -> list[Any]:
    """Return (frame, point or None) of each frame of a term."""
    found: list[Any] = []
    for part in re.findall(r'\[[^\]]*\]|"[^"]*"|[^,\[\]"]+', text):
        word = part.strip()
        if word.startswith("["):
            numbers = word[1:-1].split(",")
            if not found or found[-1][1] is not None or len(numbers) != 3:
                raise DescriptionError(
                    f"{shown(word)!r} is not the point of a frame", place, "write: frame, [x, y, z]"
                )
            graph = Graph()
            point = tuple(expression(x, graph, place, known=[*parameters]) for x in numbers)
            found[-1] = (found[-1][0], point)
        elif word:
            found.append((word.strip('"'), None))
    return found
