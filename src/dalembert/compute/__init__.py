"""Quantities of a mechanism computed: traced, compiled, called."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .evaluate import arrays_of, evaluate
from .kernels import compile
from .tangent import integrate, neutral
from .ways import run_time_parameters

if TYPE_CHECKING:
    from .designs import at_first
    from .trace import program_of, trace_quantity

__all__ = [
    "arrays_of",
    "at_first",
    "compile",
    "evaluate",
    "integrate",
    "neutral",
    "program_of",
    "run_time_parameters",
    "trace_quantity",
]


# a kernel found in the cache is not traced, and needs no NumPy
LATER = {"program_of": "trace", "trace_quantity": "trace", "at_first": "designs"}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)
