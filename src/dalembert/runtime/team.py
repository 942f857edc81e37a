"""Threads that share batches: how many, or on which cores each of them stays."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, shown

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Team = int | tuple[int, ...]  # so many threads, or one on each of these cores


def checked_team(threads: int | Sequence[int]) -> Team:
    """Return threads as kernels keep them; raises UsageError."""
    if isinstance(threads, int) and not isinstance(threads, bool):
        if threads >= 1:
            return threads
    elif isinstance(threads, (list, tuple, range)) and threads:
        return _checked_cores(tuple(threads))
    raise UsageError(
        f"threads={shown(repr(threads))}: a kernel needs at least one thread",
        hint="threads=2, or threads=[0, 1] for one on each of these cores",
    )


def _checked_cores(cores: tuple[Any, ...]) -> tuple[int, ...]:
    if not hasattr(os, "sched_getaffinity"):
        raise UsageError(
            "threads cannot be kept on cores by this system", hint=f"threads={len(cores)}"
        )
    allowed = os.sched_getaffinity(0)
    bad = [c for c in cores if type(c) is not int or c not in allowed]
    if bad or len(set(cores)) < len(cores):
        named = ", ".join(map(str, sorted(allowed)))
        raise UsageError(
            f"threads={shown(repr(list(cores)))}: each is a core of its own, of: {named}",
            hint=f"threads={sorted(allowed)[:2]}",
        )
    return cores


def size(team: Team) -> int:
    """Return how many threads there are."""
    return team if isinstance(team, int) else len(team)


_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()


def pool(threads: int) -> ThreadPoolExecutor:
    """Return so many threads for work that Python leads."""
    from concurrent.futures import ThreadPoolExecutor

    with _lock:
        if threads not in _pools:
            _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="dalembert")
        return _pools[threads]


def _forked() -> None:
    """Begin anew: threads do not survive a fork, and one of them may have held the lock."""
    global _lock
    _lock = threading.Lock()
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
