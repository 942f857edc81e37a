"""Exact numbers and expressions become working scalars: floats, or nodes of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import ParameterError, shown
from ..expr import Expr, Graph
from ..expr.exact import substitute, to_float
from .mechanism import Mechanism
from .parts import how_to_give

EQUATIONS = ("velocity_constraints", "speed_equations")  # texts in coordinates and rates


def bound(m: Mechanism, values: Mapping[str, Any], graph: Graph | None = None) -> Mechanism:
    """Return the mechanism over working scalars; see `Mechanism.bound`."""
    given = {k: to_float(v) for k, v in values.items()}
    plain = unlimited(m)
    if graph is None:
        known = m.floats | given
        missing = [n for n in m.open_parameters if n not in known]
        if missing:
            raise ParameterError(
                "no value for parameter " + ", ".join(map(shown, missing[:8])),
                **how_to_give(missing[0]),
            )
        return with_equation_values(plain.map(lambda x: to_float(x, known)), known)

    def leaf(source: Graph, i: int) -> Any:
        return given.get(source.args[i][0]) if source.op[i] == "param" else None

    def convert(x: Any) -> Any:
        if not isinstance(x, Expr):
            return float(x) if x.__class__ is not int else x
        y = substitute(x, graph, leaf)
        return y.value if y.value is not None else _float_if_closed(y)

    symbols = {p.name: given.get(p.name, graph.param(p.name)) for p in m.parameters}
    return with_equation_values(plain.map(convert), symbols)


def unlimited(m: Mechanism) -> Mechanism:
    """Return the mechanism without joint limits, which no computation asks for."""
    bodies = tuple(replace(b, limits=(), velocity_limit=None, effort_limit=None) for b in m.bodies)
    return replace(m, bodies=bodies, checked=True)


def with_equation_values(m: Mechanism, values: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism with the parameters of its velocity constraints bound."""
    pairs = tuple(values.items())
    made: dict[str, Any] = {
        name: tuple(replace(c, values=pairs) for c in getattr(m, name)) for name in EQUATIONS
    }
    return replace(m, checked=True, **made) if any(made.values()) else m


def _float_if_closed(y: Expr) -> Any:
    return to_float(y) if not y.names() and not _has_input(y) else y


def _has_input(y: Expr) -> bool:
    g = y.graph
    return any(g.op[i] == "input" for i in g.live([y.id]))
