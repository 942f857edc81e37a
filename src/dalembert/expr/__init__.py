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
    from .columns import for_each_column
    from .derive import gradient, jacobian, push
    from .forms import IMPLICIT, call, expand, solve
    from .function import Function, evaluate, flatten, trace
    from .ordered import Program, count, program, programs
    from .straight import Straight

# what tracing needs is imported by those who trace: a kernel found in the cache is not traced
LATER = {
    name: module
    for module, names in {
        "block": "Block Leaf Line",
        "derive": "gradient jacobian push",
        "columns": "for_each_column",
        "forms": "IMPLICIT call expand solve",
        "function": "Function evaluate flatten trace",
        "ordered": "Program count program programs",
        "straight": "Straight",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    found = getattr(import_module(f"{__name__}.{LATER[name]}"), name)
    globals()[name] = found
    return found
