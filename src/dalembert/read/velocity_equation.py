"""Velocity constraints as text: `xd*sin(th) - yd*cos(th) = 0`, linear in the rates `<joint>d`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ..errors import DescriptionError, Place, shown
from ..expr import Expr, Graph
from ..expr.exact import substitute
from ..mechanism import BodyTerm, Mechanism, VelocityConstraint, rate_symbols
from .body_terms import body_terms
from .expressions import expression


def velocity_equation(m: Mechanism, c: VelocityConstraint, place: Place) -> VelocityConstraint:
    """Return a constraint with its equation read: left - right, over the names that it may hold.

    They are coordinates `<joint>`, rates `<joint>d`, parameters, `t`, and motions of bodies as
    `v(chassis).x`. It is linear in the rates; without any it is an equation in the coordinates.
    """
    if c.equation.count("=") != 1:
        raise DescriptionError(
            f"{shown(c.equation)!r} is not one equation",
            place,
            "write: left = right, as xd*sin(th) = 0",
        )
    graph = Graph()
    text, terms, rates = _terms(m, c.equation, place)
    left, right = (_side(m, graph, side, terms, place) for side in text.split("="))
    equation = (graph.constant(0) + left) - right
    _linear(graph, equation, rates, c.equation, place)
    places = [t.text for t in terms.values() if not t.is_rate]
    if not set(equation.names()) & {*m.coordinate_names, *rates, *places}:
        raise DescriptionError(
            f"{shown(c.equation)!r} holds no rate and no coordinate",
            place,
            f"a rate is <joint>d, as {rates[0]}; an equation in coordinates holds at all times"
            if rates
            else "nothing moves here",
        )
    return replace(c, expression=equation, terms=tuple(terms.values()))


def speed_expression(m: Mechanism, c: VelocityConstraint, place: Place) -> VelocityConstraint:
    """Return a speed with its text read: a sum of rates times factors in the coordinates."""
    graph = Graph()
    text, terms, rates = _terms(m, c.equation, place)
    if "=" in text:
        raise DescriptionError(
            f"{shown(c.equation)!r} has an =", place, f"write what {shown(c.name)} is, no equation"
        )
    found = graph.constant(0) + _side(m, graph, text, terms, place)
    _linear(graph, found, rates, c.equation, place)
    if "t" in found.names() and "t" not in (*m.coordinate_names, *(p.name for p in m.parameters)):
        raise DescriptionError(
            f"{shown(c.equation)!r} depends on time",
            place,
            "write a speed in rates and coordinates only",
        )
    zero = {graph.param(r).id: 0 for r in rates}
    left = graph.copy_into(graph, [found.id], lambda g, i: zero.get(i))[found.id]
    if not set(found.names()) & set(rates) or Expr(graph, left).value != 0:
        raise DescriptionError(
            f"{shown(c.equation)!r} is not a sum of rates times factors",
            place,
            f"as {rates[0]}*cos(th): every term holds one rate" if rates else "nothing moves here",
        )
    return replace(c, expression=found, terms=tuple(terms.values()))


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
        raise DescriptionError(
            f"{shown(text)!r} is not linear in {sorted(turned)[0]}",
            place,
            "a rate may only be multiplied by coordinates",
        )
