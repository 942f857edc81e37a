"""The symbolic scalar: a graph that records arithmetic. It knows nothing of robots."""

from .derive import gradient, jacobian, push
from .forms import call, expand, iterate, newton, solve
from .function import Function, Port, evaluate, flatten, specialise, trace
from .graph import Graph
from .ops import (
    OPS,
    Scalar,
    absolute,
    acos,
    asin,
    atan2,
    cos,
    exp,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sqrt,
    tan,
    where,
)
from .program import Block, Cost, Line, Program, count, program, programs
from .scalar import Expr
from .show import decimal, text

__all__ = [
    "Block",
    "Cost",
    "Expr",
    "Function",
    "Graph",
    "Line",
    "OPS",
    "Port",
    "Program",
    "Scalar",
    "absolute",
    "acos",
    "asin",
    "atan2",
    "call",
    "cos",
    "count",
    "decimal",
    "evaluate",
    "exp",
    "expand",
    "flatten",
    "gradient",
    "iterate",
    "jacobian",
    "log",
    "maximum",
    "minimum",
    "newton",
    "program",
    "programs",
    "push",
    "sign",
    "sin",
    "solve",
    "specialise",
    "sqrt",
    "tan",
    "text",
    "trace",
    "where",
]
