"""Work of LLVM beside Python's: while LLVM makes code, Python traces what comes next.

LLVM runs without the lock of the interpreter, so another thread is enough. Threads that make code
end with the process, and before it forks: the lock of LLVM is nobody's then.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish)
