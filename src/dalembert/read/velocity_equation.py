"""Velocity constraints as text: `xd*sin(th) - yd*cos(th) = 0`, linear in the rates `<joint>d`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import DescriptionError, Place, shown
from ..expr import Expr, Graph
from ..expr.derive import push
from .expressions import expression


def velocity_equation(
    text: str, joints: Sequence[str], parameters: Collection[str], place: Place
) -> Expr:
    """Return left - right over the coordinates `<joint>`, rates `<joint>d`, parameters and `t`.

    It is linear in the rates; without any it is an equation in the coordinates.
    """
    sides = text.split("=")
    if len(sides) != 2:
        raise DescriptionError(
            f"{shown(text)!r} is not one equation", place, "write: left = right, as xd*sin(th) = 0"
        )
    graph = Graph()
    rates = [f"{joint}d" for joint in joints]
    known = [*joints, *rates, *parameters, "t"]
    left, right = (expression(side, graph, place, known=known) for side in sides)
    zero = graph.constant(0)
    equation = (zero + left) - right
    slopes = push(graph, [equation.id], {graph.param(r).id: 1 for r in rates})
    turned = {r for slope in slopes for r in slope.names()} & set(rates)
    if turned:
        raise DescriptionError(
            f"{shown(text)!r} is not linear in {sorted(turned)[0]}",
            place,
            "a rate may only be multiplied by coordinates",
        )
    if not set(equation.names()) & {*joints, *rates}:
        raise DescriptionError(
            f"{shown(text)!r} holds no rate and no coordinate",
            place,
            f"a rate is <joint>d, as {rates[0]}; an equation in coordinates holds at all times",
        )
    return equation
