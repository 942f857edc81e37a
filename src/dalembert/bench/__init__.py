"""Kernels timed, alone or beside other engines."""

from .rows import (
    CACHED,
    COLD,
    ONE_CALL,
    ROBOTS,
    STATES,
    Run,
    Timing,
    bench,
    best,
    chain,
    chain_rows,
    difference,
    pinned,
    robots,
    states,
)

__all__ = [
    "CACHED",
    "COLD",
    "ONE_CALL",
    "ROBOTS",
    "Timing",
    "Run",
    "STATES",
    "bench",
    "best",
    "chain",
    "chain_rows",
    "difference",
    "pinned",
    "robots",
    "states",
]
