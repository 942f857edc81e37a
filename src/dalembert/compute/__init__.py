"""Quantities of a mechanism computed: traced, compiled, called."""

from .compute import (
    arrays_of,
    compile,
    evaluate,
    program_of,
    run_time_parameters,
    trace_quantity,
)
from .tangent import integrate, neutral

__all__ = [
    "arrays_of",
    "compile",
    "evaluate",
    "integrate",
    "neutral",
    "program_of",
    "run_time_parameters",
    "trace_quantity",
]
