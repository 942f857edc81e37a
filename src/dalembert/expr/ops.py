"""The table of primitives: one row each, with its evaluation and its partial derivatives.

The functions `sin`, `cos`, ... of this module serve every scalar: they ask the value itself
(`x.sin()`), else NumPy for arrays, else `math`. Nothing else in dalembert looks at a value's type.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Scalar = Any  # anything with + - * /: float, array, Fraction, Expr, polynomial


def _unary(name: str, numpy_name: str, plain: Callable[[Any], Any]) -> Callable[[Scalar], Scalar]:
    def function(x: Scalar) -> Scalar:
        method = getattr(x, name, None)
        if method is not None:
            return method()
        if hasattr(x, "dtype"):
            import numpy

            return getattr(numpy, numpy_name)(x)
        return plain(x)

    function.__name__ = name
    function.__doc__ = f"Return {name}(x) for any scalar x."
    return function


def _binary(name: str, numpy_name: str, plain: Callable[[Any, Any], Any]) -> Callable[..., Scalar]:
    def function(x: Scalar, y: Scalar) -> Scalar:
        for value, reverse in ((x, False), (y, True)):
            method = getattr(value, name, None)
            if method is not None:
                return method(y) if not reverse else getattr(y, "reversed_" + name)(x)
        if hasattr(x, "dtype") or hasattr(y, "dtype"):
            import numpy

            return getattr(numpy, numpy_name)(x, y)
        return plain(x, y)

    function.__name__ = name
    function.__doc__ = f"Return {name}(x, y) for any scalars x and y."
    return function


def _sign(x: Any) -> Any:
    return (x > 0) - (x < 0) if x == x else x


sin = _unary("sin", "sin", math.sin)
cos = _unary("cos", "cos", math.cos)
tan = _unary("tan", "tan", math.tan)
asin = _unary("asin", "arcsin", math.asin)
acos = _unary("acos", "arccos", math.acos)
exp = _unary("exp", "exp", math.exp)
log = _unary("log", "log", math.log)
sqrt = _unary("sqrt", "sqrt", math.sqrt)
absolute = _unary("absolute", "abs", abs)
sign = _unary("sign", "sign", _sign)
atan2 = _binary("atan2", "arctan2", math.atan2)
minimum = _binary("minimum", "minimum", min)
maximum = _binary("maximum", "maximum", max)


def where(mask: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """Return `yes` where mask holds, else `no`, for any scalar."""
    if hasattr(mask, "dtype"):  # first: an array has a method `choose` too, with another meaning
        import numpy

        return numpy.where(mask, yes, no)
    choose = getattr(mask, "choose", None)
    if choose is not None:
        return choose(yes, no)
    return yes if mask else no


@dataclass(frozen=True, slots=True)
class Op:
    """One primitive: how to evaluate it, and its partial derivatives with respect to each argument.

    `partials(x, y, ..., value)` receives the arguments and the value of the node itself.
    `kind` says how it is counted: add, mul, div, sincos, or other; negation is free.
    """

    name: str
    arity: int
    evaluate: Callable[..., Any]
    partials: Callable[..., tuple[Any, ...]]
    kind: str = "other"


OPS: dict[str, Op] = {
    op.name: op
    for op in (
        Op("add", 2, lambda x, y: x + y, lambda x, y, v: (1, 1), "add"),
        Op("sub", 2, lambda x, y: x - y, lambda x, y, v: (1, -1), "add"),
        Op("mul", 2, lambda x, y: x * y, lambda x, y, v: (y, x), "mul"),
        Op("div", 2, lambda x, y: x / y, lambda x, y, v: (1 / y, -v / y), "div"),
        Op("neg", 1, lambda x: -x, lambda x, v: (-1,), "free"),
        Op("sin", 1, sin, lambda x, v: (cos(x),), "sincos"),
        Op("cos", 1, cos, lambda x, v: (-sin(x),), "sincos"),
        Op("tan", 1, tan, lambda x, v: (1 + v * v,)),
        Op("asin", 1, asin, lambda x, v: (1 / sqrt(1 - x * x),)),
        Op("acos", 1, acos, lambda x, v: (-1 / sqrt(1 - x * x),)),
        Op("exp", 1, exp, lambda x, v: (v,)),
        Op("log", 1, log, lambda x, v: (1 / x,)),
        Op("sqrt", 1, sqrt, lambda x, v: (1 / (2 * v),)),
        Op("absolute", 1, absolute, lambda x, v: (sign(x),)),
        Op("sign", 1, sign, lambda x, v: (0,)),
        Op(
            "atan2",
            2,
            atan2,
            lambda y, x, v: (x / (x * x + y * y), -y / (x * x + y * y)),
        ),
        Op("minimum", 2, minimum, lambda x, y, v: (where(x <= y, 1, 0), where(x <= y, 0, 1))),
        Op("maximum", 2, maximum, lambda x, y, v: (where(x >= y, 1, 0), where(x >= y, 0, 1))),
        Op("lt", 2, lambda x, y: x < y, lambda x, y, v: (0, 0)),
        Op("le", 2, lambda x, y: x <= y, lambda x, y, v: (0, 0)),
        Op("eq", 2, lambda x, y: x == y, lambda x, y, v: (0, 0)),
        Op("where", 3, where, lambda m, x, y, v: (0, where(m, 1, 0), where(m, 0, 1))),
    )
}
