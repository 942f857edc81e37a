"""Threads that share batches in compiled code: they are begun once, and wait there for work.

A crew serves one call at a time; a call that finds it busy does its work alone, with the same
result. `crew_lines` is what its threads run.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import threading
import time
from contextlib import suppress
from typing import Any

import numpy as np

from . import cache
from .crew_lines import (
    BACK,
    CALL,
    DESK,
    IDLE,
    LINE,
    MEMORY,
    NEEDS,
    PLACE,
    ROOM,
    STATE,
    module,
)
from .llvm import Engine, c_library, generate, host
from .team import Team, size

_word = ctypes.c_void_p
_api = ctypes.pythonapi
AWAKE = 1e-4  # seconds that a thread looks for work before it sleeps


class _Code:
    """The loaded code of all crews; it stays, because threads may be in it until the very end."""

    def __init__(self, library: Any = None) -> None:
        library = library or c_library()
        own = {name: getattr(library, name) for name in ("malloc", "free")}
        found = [own.get(name) or getattr(_api, name) for name in NEEDS]
        needs = (_word * len(NEEDS))(*(ctypes.cast(f, _word).value for f in found))
        self.engine = Engine(_code(), needs)
        _api.Py_IncRef(ctypes.py_object(self.engine))
        word = ctypes.c_int64
        self.share_address = self.engine.address("share")
        self.share = ctypes.CFUNCTYPE(None, _word, _word, _word)(self.share_address)
        self.serve = ctypes.CFUNCTYPE(None, _word, word)(self.engine.address("serve"))
        self.take = ctypes.CFUNCTYPE(word, _word)(self.engine.address("take"))
        self.close = ctypes.CFUNCTYPE(None, _word)(self.engine.address("close"))
        pauses = ctypes.CFUNCTYPE(None, word)(self.engine.address("pauses"))
        times = []
        for _ in range(3):
            start = time.perf_counter()
            pauses(1000)
            times.append((time.perf_counter() - start) / 1000)
        self.looks = max(1, int(AWAKE / max(min(times), 1e-10)))


def _code() -> bytes:
    key = "crew"
    kept = cache.read(key)
    if kept is not None:
        return kept[1]
    code = generate(module(host().triple), 1)
    cache.write(key, {}, code)
    return code


@functools.cache
def code() -> _Code:
    """Return the code of crews, compiled or found in the cache once."""
    return _Code()


class Crew:
    """A desk, and the threads that wait at it: one for each core, or one fewer than asked.

    Threads that stay on cores do all the work; otherwise the caller takes part.
    """

    def __init__(self, team: Team):
        self.team = team
        self.apart = not isinstance(team, int)
        self._memory = np.zeros(LINE + PLACE * size(team) + 64, np.uint8)
        start = self._memory.__array_interface__["data"][0]
        self.desk = start + -start % 64
        self.begun = False
        self.threads: list[threading.Thread] = []

    def __len__(self) -> int:
        return len(self.threads)

    def put(self, name: str, value: int) -> None:
        """Write a word of the desk."""
        ctypes.c_int64.from_address(self.desk + 8 * DESK.index(name)).value = value

    def begin(self) -> None:
        """Begin the threads; if the system gives fewer, the caller takes part."""
        looks = code().looks  # made here once, not in each thread
        self.begun = True
        wanted = size(self.team) - (not self.apart)
        for k in range(wanted):
            place = self.desk + LINE + PLACE * k
            for offset in (CALL, BACK):
                _word.from_address(place + offset).value = self._lock()
            ctypes.c_int64.from_address(place + STATE).value = IDLE
            thread = threading.Thread(
                target=self._serve, args=(k,), daemon=True, name=f"dalembert {k}"
            )
            try:
                thread.start()
            except RuntimeError:
                break
            self.threads.append(thread)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        self.put("looks", looks if (cores or 1) >= size(self.team) else 1)
        self.put("apart", int(self.apart and len(self.threads) == wanted))
        self.put("threads", len(self.threads))

    def _lock(self) -> int:
        """Return a lock of the interpreter's that is taken."""
        make, take = _api.PyThread_allocate_lock, _api.PyThread_acquire_lock
        make.restype, take.argtypes = _word, (_word, ctypes.c_int)
        lock = make()
        if not lock:
            raise MemoryError("no lock for the threads of a kernel")
        take(lock, 0)
        return int(lock)

    def _serve(self, k: int) -> None:
        if not isinstance(self.team, int):
            with suppress(OSError):  # the process was moved to other cores: it stays where it is
                os.sched_setaffinity(0, {self.team[k]})
        code().serve(self.desk, k)

    def share(self, job: ctypes.Array[ctypes.c_int64], scratch: int) -> None:
        """Do a job, here and in the threads."""
        code().share(self.desk, job, scratch)

    def end(self) -> None:
        """Let the threads end, unless they are at work; a call that comes later works alone."""
        if not code().take(self.desk):
            return
        code().close(self.desk)
        for thread in self.threads:
            thread.join(1.0)

    def forked(self) -> None:
        """Begin anew: the threads did not survive a fork, and calls of theirs never end."""
        self.begun = False
        self.threads.clear()
        kept = [(MEMORY, 0), (ROOM, 0)]
        for k in range(size(self.team)):
            for offset, value in kept:  # a thread may have been changing it
                place = self.desk + LINE + PLACE * k + offset
                ctypes.c_int64.from_address(place).value = value
        for name in DESK:
            self.put(name, 0)


_crews: dict[Team, Crew] = {}
_lock = threading.Lock()


def crew(team: Team) -> Crew:
    """Return the crew shared by all kernels that ask for these threads; it has begun."""
    with _lock:
        found = _found(team)
        if not found.begun:
            found.begin()
        return found


def place(team: Team) -> tuple[int, int]:
    """Return the desk of the crew for these threads, and the code that shares a job at it."""
    with _lock:
        return _found(team).desk, code().share_address


def _found(team: Team) -> Crew:
    if team not in _crews:
        _crews[team] = Crew(team)
    return _crews[team]


def _ended() -> None:
    for each in _crews.values():
        if len(each):
            each.end()


def _forked() -> None:
    global _lock
    _lock = threading.Lock()
    for each in _crews.values():
        each.forked()


atexit.register(_ended)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
