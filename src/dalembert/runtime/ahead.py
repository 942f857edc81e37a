"""Work of LLVM beside Python's: while LLVM makes code, Python traces what comes next.

LLVM runs without the lock of the interpreter, so another thread is enough. Such threads end with
the process, and before it forks. Whoever makes or loads code in any thread holds `MAKING`, for
which a fork waits: its child would wait for ever for locks of threads that it does not have.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")

MAKING = threading.RLock()  # LLVM serves one thread at a time anyway
_working: set[threading.Thread] = set()


class Ahead(Generic[T]):
    """What a function without arguments returns, computed in a thread of its own from now on."""

    def __init__(self, work: Callable[[], T]):
        self._work = work
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="dalembert code ahead")
        _working.add(self._thread)
        try:
            self._thread.start()
        except RuntimeError:  # no more threads: it is done now
            self._run()

    def _run(self) -> None:
        try:
            self._found = self._work()
        except BaseException as error:  # raised again where the result is asked for
            self._error = error
        finally:
            _working.discard(self._thread)

    def result(self) -> T:
        """Wait for the result and return it, or raise what the function raised."""
        if self._thread.ident is not None:
            self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found


def _finish() -> None:
    for thread in tuple(_working):
        if thread.ident is not None:
            thread.join()
    MAKING.acquire()


def _go_on() -> None:
    with suppress(RuntimeError):  # Ctrl-C while the fork waited
        MAKING.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish, after_in_parent=_go_on, after_in_child=_go_on)
