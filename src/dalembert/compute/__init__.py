"""Quantities of a mechanism computed: traced, compiled, called."""

from .compute import (
    arrays_of,
    compile,
    evaluate,
    integrate,
    neutral,
    program_of,
    run_time_parameters,
    trace_quantity,
)

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
