"""The symbolic scalar: a graph that records arithmetic. It knows nothing of robots."""

# ruff: noqa: F401, F403 - this file re-exports; every primitive of the table is a function here

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .graph import Graph
from .ops import *
from .port import Cost, Port
from .scalar import Expr
from .show import decimal, text

if TYPE_CHECKING:
    from .block import Block, Leaf, Line
    from .derive import gradient, jacobian, push
    from .forms import IMPLICIT, call, expand, solve
    from .function import Function, evaluate, flatten, specialise, trace
    from .ordered import Program, count, program, programs
    from .straight import Straight

# what tracing needs is imported by those who trace: a kernel found in the cache is not traced
LATER = {
    "Block": "block", "Leaf": "block", "Line": "block",
    "gradient": "derive", "jacobian": "derive", "push": "derive",
    "IMPLICIT": "forms", "call": "forms", "expand": "forms", "solve": "forms",
    "Function": "function", "evaluate": "function", "flatten": "function",
    "specialise": "function", "trace": "function",
    "Program": "ordered", "count": "ordered", "program": "ordered", "programs": "ordered",
    "Straight": "straight",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    found = getattr(import_module(f"{__name__}.{LATER[name]}"), name)
    globals()[name] = found
    return found
