"""Numbers and expressions as intervals of flint, rounded outward."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import arb, fmpq

from ..errors import UsageError
from ..expr import Expr

Interval = Any  # flint.arb

_OPS: dict[str, Callable[..., Interval]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "tan": lambda x: x.tan(),
    "asin": lambda x: x.asin(),
    "acos": lambda x: x.acos(),
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "sqrt": lambda x: x.sqrt(),
    "absolute": abs,
    "atan2": lambda y, x: arb.atan2(y, x),
}


def hull(a: float, b: float) -> Interval:
    """Return an interval that holds both ends."""
    return arb(a).union(arb(b))


def interval(x: Any, parameters: Mapping[str, Interval] | None = None) -> Interval:
    """Return an interval that holds a number, or an expression for all values of its parameters."""
    if isinstance(x, float):
        return arb(x)
    if not isinstance(x, Expr):
        return arb(fmpq(*x.as_integer_ratio()))
    graph, made = x.graph, {}
    for i in graph.live([x.id]):
        op, args = graph.op[i], graph.args[i]
        if op == "const":
            made[i] = interval(graph.const[i])
        elif op == "pi":
            made[i] = arb.pi()
        elif op == "param":
            made[i] = (parameters or {})[args[0]]
        elif op == "mul" and args[0] == args[1]:
            y = abs(made[args[0]])
            made[i] = y * y
        elif op in _OPS:
            made[i] = _OPS[op](*(made[a] for a in args))
        else:
            raise UsageError(
                f"a number of the model uses {op}, which has no bounds here",
                hint="give it as a number: m.with_values(...), --set NAME=...",
            )
    return made[x.id]
