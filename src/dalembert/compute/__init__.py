"""Quantities of a mechanism computed: traced, compiled, called."""

from typing import TYPE_CHECKING, Any

from .designs import at_first
from .evaluate import arrays_of, evaluate
from .kernels import compile
from .tangent import integrate, neutral
from .ways import run_time_parameters

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    # a kernel found in the cache is not traced
    if name not in ("program_of", "trace_quantity"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    from . import trace

    return getattr(trace, name)
