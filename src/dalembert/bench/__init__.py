"""Kernels timed, alone or beside other engines."""

from .rows import (
    CACHED,
    COLD,
    ONE_CALL,
    ROBOTS,
    STATES,
    Row,
    Run,
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
    "Row",
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
