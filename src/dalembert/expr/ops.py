"""The table of primitives: one row each, with its evaluation and its partial derivatives.

The functions `sin`, `cos`, ... of this module serve every scalar: they ask the value itself, else
NumPy for arrays, else plain Python. Nothing else in dalembert looks at a value's type. Everything
else that knows a primitive by name (expressions, languages, kernels) reads it in this table, so a
new one is one row here, and a form in each language that does not call it by the name libm has.
What a description may call stands in `read/expressions.py`, what intervals and fields can bound in
`equations/interval.py` and `identify/field_rank.py`; they refuse the others.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from ..frozen import dataclass

Scalar = Any  # anything with + - * /: float, array, Fraction, Expr, polynomial
Primitive = Callable[..., Any]


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
    parity: str = ""  # odd or even: a minus sign of the argument moves out or goes
    libm: str = ""  # its name in the C library, where it has one
    numpy: str = ""  # its name in NumPy
    exact: bool = False  # a rational number for rational arguments


OPS: dict[str, Op] = {}


def primitive(
    name: str,
    plain: Callable[..., Any],
    partials: Callable[..., tuple[Any, ...]],
    *,
    arity: int = 1,
    kind: str = "other",
    parity: str = "",
    libm: str = "",
    numpy: str = "",
    exact: bool = False,
) -> Primitive:
    """Return a function for every scalar, with its row in the table.

    A value may record what is asked of it (`record`), or have a method of this name.
    """
    array_name = numpy or name

    def function(*values: Scalar) -> Scalar:
        for x in values:
            record = getattr(x, "record", None)
            if record is not None:
                return record(name, *values)
        for x in values:
            if hasattr(x, "dtype"):
                import numpy

                return getattr(numpy, array_name)(*values)
        method = getattr(values[0], name, None)
        return plain(*values) if method is None else method(*values[1:])

    function.__name__ = name
    function.__doc__ = f"Return {name} of {arity} scalars of any kind."
    OPS[name] = Op(name, arity, function, partials, kind, parity, libm, array_name, exact)
    return function


def _infix(name: str, evaluate: Callable[..., Any], partials: Any, kind: str) -> None:
    OPS[name] = Op(name, 1 if name == "neg" else 2, evaluate, partials, kind)


def _sign(x: Any) -> Any:
    return (x > 0) - (x < 0) if x == x else x


def _angle(y: Any, x: Any, v: Any) -> tuple[Any, Any]:
    return x / (x * x + y * y), -y / (x * x + y * y)


def _mask(name: str, evaluate: Callable[..., Any]) -> None:
    OPS[name] = Op(name, 2, evaluate, lambda x, y, v: (0, 0), exact=True)


_infix("add", operator.add, lambda x, y, v: (1, 1), "add")
_infix("sub", operator.sub, lambda x, y, v: (1, -1), "add")
_infix("mul", operator.mul, lambda x, y, v: (y, x), "mul")
_infix("div", operator.truediv, lambda x, y, v: (1 / y, -v / y), "div")
_infix("neg", operator.neg, lambda x, v: (-1,), "free")
sin: Primitive = primitive(
    "sin", math.sin, lambda x, v: (cos(x),), kind="sincos", parity="odd", libm="sin"
)
cos: Primitive = primitive(
    "cos", math.cos, lambda x, v: (-sin(x),), kind="sincos", parity="even", libm="cos"
)
tan: Primitive = primitive("tan", math.tan, lambda x, v: (1 + v * v,), parity="odd", libm="tan")
asin: Primitive = primitive(
    "asin",
    math.asin,
    lambda x, v: (1 / sqrt(1 - x * x),),
    parity="odd",
    libm="asin",
    numpy="arcsin",
)
acos: Primitive = primitive(
    "acos", math.acos, lambda x, v: (-1 / sqrt(1 - x * x),), libm="acos", numpy="arccos"
)
exp: Primitive = primitive("exp", math.exp, lambda x, v: (v,), libm="exp")
log: Primitive = primitive("log", math.log, lambda x, v: (1 / x,), libm="log")
sqrt: Primitive = primitive("sqrt", math.sqrt, lambda x, v: (1 / (2 * v),), libm="sqrt")
absolute: Primitive = primitive(
    "absolute", abs, lambda x, v: (sign(x),), parity="even", libm="fabs", numpy="abs", exact=True
)
sign: Primitive = primitive("sign", _sign, lambda x, v: (0,), parity="odd", exact=True)
atan2: Primitive = primitive("atan2", math.atan2, _angle, arity=2, libm="atan2", numpy="arctan2")
minimum: Primitive = primitive(
    "minimum", min, lambda x, y, v: (where(x <= y, 1, 0), where(x <= y, 0, 1)), arity=2, exact=True
)
maximum: Primitive = primitive(
    "maximum", max, lambda x, y, v: (where(x >= y, 1, 0), where(x >= y, 0, 1)), arity=2, exact=True
)
_mask("lt", operator.lt)
_mask("le", operator.le)
_mask("eq", operator.eq)
where: Primitive = primitive(
    "where",
    lambda mask, yes, no: yes if mask else no,
    lambda m, x, y, v: (0, where(m, 1, 0), where(m, 0, 1)),
    arity=3,
    exact=True,
)
