"""Numbers and expressions as intervals of flint, rounded outward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import arb, fmpq

from ..errors import UsageError
from ..expr import OPS, Expr
from ..expr.arena import Rows

Interval = Any  # flint.arb


def _product(x: Interval, y: Interval) -> Interval:
    return x * y if x is not y else abs(x) * abs(x)  # a square is not negative


# an interval knows most functions itself; what compares two of them has no bounds
_OPS = {
    name: op.evaluate
    for name, op in OPS.items()
    if not op.exact and (not op.numpy or hasattr(arb, name))
}
_OPS |= {"mul": _product, "absolute": abs, "atan2": arb.atan2}


def hull(a: float, b: float) -> Interval:
    """Return an interval that holds both ends."""
    return arb(a).union(arb(b))


def interval(x: Any, parameters: Mapping[str, Interval] | None = None) -> Interval:
    """Return an interval that holds a number, or an expression for all values of its parameters."""
    if isinstance(x, float):
        return arb(x)
    if not isinstance(x, Expr):
        return arb(fmpq(*x.as_integer_ratio()))

    def unbounded(i: int, values: list[Interval]) -> Interval:
        raise UsageError(
            f"a number of the model uses {x.graph.op[i]}, which has no bounds here",
            hint="give it as a number: m.with_values(...)",
            command="give it as a number: --set NAME=...",
        )

    leaf: Rows = {"const": interval, "pi": arb.pi, "param": lambda name: (parameters or {})[name]}
    return x.graph.fold([x.id], leaf, _OPS, unbounded)[x.id]
