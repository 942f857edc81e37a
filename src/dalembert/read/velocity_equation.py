"""Velocity constraints as text: `xd*sin(th) - yd*cos(th) = 0`, linear in the rates `<joint>d`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from ..errors import DescriptionError, Place, closest, shown
from ..expr import Expr, Graph
from ..expr.exact import substitute
from ..mechanism import BodyTerm, Mechanism, VelocityConstraint, named_term, rate_symbols
from .expressions import expression


def velocity_equation(m: Mechanism, c: VelocityConstraint, place: Place) -> VelocityConstraint:
    """Return a constraint with its equation read: left - right, over the names that it may hold.

    They are coordinates `<joint>`, rates `<joint>d`, parameters, `t`, and motions of bodies as
    `v(chassis).x`. It is linear in the rates; without any it is an equation in the coordinates.
    """
    if c.equation.count("=") != 1:
        hint = "write: left = right, as xd*sin(th) = 0"
        raise _refused(c.equation, "is not one equation", place, hint)
    graph = Graph()
    text, terms, rates = _terms(m, c.equation, place)
    left, right = (_side(m, graph, side, terms, place) for side in text.split("="))
    equation = (graph.constant(0) + left) - right
    _linear(graph, equation, rates, c.equation, place)
    places = [t.text for t in terms.values() if not t.is_rate]
    if not set(equation.names()) & {*m.coordinate_names, *rates, *places}:
        hint = "a rate is <joint>d, as {}; an equation in coordinates holds at all times"
        hint = hint.format(rates[0]) if rates else "nothing moves here"
        raise _refused(c.equation, "holds no rate and no coordinate", place, hint)
    return replace(c, expression=equation, terms=tuple(terms.values()))


def speed_expression(m: Mechanism, c: VelocityConstraint, place: Place) -> VelocityConstraint:
    """Return a speed with its text read: a sum of rates times factors in the coordinates."""
    graph = Graph()
    text, terms, rates = _terms(m, c.equation, place)
    if "=" in text:
        hint = f"write what {shown(c.name)} is, no equation"
        raise _refused(c.equation, "has an =", place, hint)
    found = graph.constant(0) + _side(m, graph, text, terms, place)
    _linear(graph, found, rates, c.equation, place)
    if "t" in found.names() and "t" not in (*m.coordinate_names, *(p.name for p in m.parameters)):
        hint = "write a speed in rates and coordinates only"
        raise _refused(c.equation, "depends on time", place, hint)
    zero = {graph.param(r).id: 0 for r in rates}
    left = graph.copy_into(graph, [found.id], lambda g, i: zero.get(i))[found.id]
    if not set(found.names()) & set(rates) or Expr(graph, left).value != 0:
        hint = "as {}*cos(th): every term holds one rate" if rates else "nothing moves here"
        what = "is not a sum of rates times factors"
        raise _refused(c.equation, what, place, hint.format(*rates[:1]))
    return replace(c, expression=found, terms=tuple(terms.values()))


def _refused(text: str, what: str, place: Place, hint: str) -> DescriptionError:
    return DescriptionError(f"{shown(text)!r} {what}", place, hint)


def _terms(m: Mechanism, text: str, place: Place) -> tuple[str, dict[str, BodyTerm], list[str]]:
    """Return a text with names for motions of bodies, these motions, and all rates."""
    text, terms = body_terms(text, m.frames, [p.name for p in m.parameters], place)
    moving = (t.text for t in terms.values() if t.is_rate)
    return text, terms, [*rate_symbols(m.bodies), *moving]


def _side(
    m: Mechanism, graph: Graph, text: str, terms: Mapping[str, BodyTerm], place: Place
) -> Expr:
    """Return one side over parameters called as the mechanism calls them, dots and all."""
    symbols = rate_symbols(m.bodies)
    plain = [n for n in (*m.coordinate_names, *symbols) if "." not in n]
    dotted = {}
    for k, name in enumerate(sorted({*m.coordinate_names, *symbols} - set(plain), key=len)[::-1]):
        stand_in = f"part{k}_of_a_joint"
        text, count = re.subn(rf"(?<![\w.]){re.escape(name)}(?!\w)", stand_in, text)
        if count:
            dotted[stand_in] = name
    parameters = [p.name for p in m.parameters]
    known = [*plain, *parameters, *terms, *dotted, "t"]
    raw = expression(text, Graph(), place, known=known)
    called = dotted | {name: t.text for name, t in terms.items()}

    def leaf(source: Graph, i: int) -> Expr | None:
        name = source.args[i][0] if source.op[i] == "param" else None
        return graph.param(called[name]) if name in called else None

    found = substitute(raw, graph, leaf)
    return found if isinstance(found, Expr) else graph.constant(found)


def _linear(graph: Graph, e: Expr, rates: list[str], text: str, place: Place) -> None:
    """Raise when a rate is multiplied by a rate."""
    from ..expr.derive import push

    slopes = push(graph, [e.id], {graph.param(r).id: 1 for r in rates})
    turned = {r for slope in slopes for r in slope.names()} & set(rates)
    if turned:
        hint = "a rate may only be multiplied by coordinates"
        raise _refused(text, f"is not linear in {sorted(turned)[0]}", place, hint)


# -- motions of bodies in equations ---------------------------------------------------------------


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
    """Return the text with a plain name in place of every term, and the terms by these names.

    Terms are `v(chassis).x`, `w(frame).z`, `v(frame, [0.1, 0, 0]).Y`: x, y, z in the axes of the
    frame, X, Y, Z in base axes. `v` and `w` are velocities of a point and of a frame, `p` the
    position of a point, `axis(frame, [0, 0, 1])` a direction, `distance(a, b)` and
    `direction(a, b)` the way from one point to another.
    """
    found: dict[str, BodyTerm] = {}
    parts, at = [], 0
    while head := _HEAD.search(text, at):
        end = _closing(text, head.end(), place)
        rest = end + 1
        letter = _LETTER.match(text, rest)
        count, is_vector = TERMS[head[1]]
        if is_vector != bool(letter):
            what, hint = "is a number", "write it without a component"
            if is_vector:
                axes = "x, y, z in the axes of the frame, X, Y, Z in base axes"
                what, hint = "is a vector", f"write {head[1]}(...).x: {axes}"
            raise _refused(text[head.start() : rest], what, place, hint)
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
            near = closest(name, list(frames))
            raise DescriptionError(f"there is no frame {shown(name)!r}", place, near)
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
                hint = "write: frame, [x, y, z]"
                raise _refused(word, "is not the point of a frame", place, hint)
            graph = Graph()
            point = tuple(expression(x, graph, place, known=[*parameters]) for x in numbers)
            found[-1] = (found[-1][0], point)
        elif word:
            found.append((word.strip('"'), None))
    return found
