"""Exact numbers: what a decimal, a Python number or an expression means without rounding."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..errors import ParameterError, UsageError
from .arena import Rows
from .graph import Graph
from .ops import OPS
from .scalar import Expr

Exact = int | Fraction | Expr
Given = int | float | Fraction | str | Expr  # a number as users give it; a text is an expression
_LIMIT = 1e300


def exact(value: Any) -> Exact:
    """Return a number without rounding: a float is the decimal it prints as.

    >>> exact(0.1)
    Fraction(1, 10)
    """
    if isinstance(value, Expr):
        constant = value.value
        return value if constant is None else exact(constant)
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)):
        if hasattr(value, "item"):
            return exact(value.item())
        raise UsageError(f"{value!r} is not a number")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UsageError(f"{value!r} is not a finite number")
        value = Fraction(repr(float(value)))  # numpy prints its own name
    if abs(value) > _LIMIT:
        raise UsageError("a number is out of range", hint="numbers are below 1e300")
    value = Fraction(value)
    return int(value) if value.denominator == 1 else value


def to_float(value: Any, parameters: Mapping[str, float] | None = None) -> float:
    """Return the float nearest to an exact number; parameters need values."""
    if not isinstance(value, Expr):
        return float(value)

    def parameter(name: str) -> float:
        if parameters is None or name not in parameters:
            raise ParameterError(
                f"parameter {name!r} has no value",
                hint=f"give one: with_values({name}=...)",
                command=f"write --set {name}=...",
            )
        return float(parameters[name])

    leaf: Rows = {"const": float, "pi": lambda: math.pi, "param": parameter}
    ops = {name: op.evaluate for name, op in OPS.items()}
    return value.graph.fold([value.id], leaf, ops)[value.id]


def substitute(value: Exact, graph: Graph, leaf: Any) -> Any:
    """Return the value rebuilt in `graph`, `leaf(source, id)` replacing leaves (None keeps one)."""
    if not isinstance(value, Expr):
        return value
    made = value.graph.copy_into(graph, [value.id], leaf)
    return Expr(graph, made[value.id])
