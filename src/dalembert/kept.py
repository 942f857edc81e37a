"""What is made once and kept: the least recently used of a number of things is forgotten first."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_all: weakref.WeakSet[Kept[Any]] = weakref.WeakSet()


class Kept(Generic[T]):
    """Things by their keys, at most `limit` of them; threads may share it."""

    def __init__(self, limit: int):
        self.limit, self._lock = limit, threading.Lock()
        self._things: OrderedDict[Hashable, T] = OrderedDict()
        _all.add(self)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is kept under a key, made now if there is nothing."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
                return self._things[key]
        made = make()
        with self._lock:
            self._things[key] = made
            while len(self._things) > self.limit:
                self._things.popitem(last=False)
        return made

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._things

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._things.clear()


def _forked() -> None:
    """Give everything a new lock: in a fork, a thread that is not there may have held the old."""
    for kept in _all:
        kept._lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
