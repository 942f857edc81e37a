"""Better code for a kernel that already runs, made by another process and put in its place.

The quick code of a long program and its better code give the same bits (see `fused`), so it does
not matter when the one gives way to the other. Both stay loaded: a call may still be running.
LLVM ends the process on what is no object code, so only what carries its length and digest is
taken from the other process, and nothing of the user's is run there: no site, no directory.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from .ahead import MAKING
from .cache import OBJECT

_MAGIC = b"dalembert code"
_ROOT = str(Path(__file__).resolve().parents[2])
# whatever is printed from here on goes to the errors, not among the code
_WORK = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "own = os.dup(1); os.dup2(2, 1); "
    "sys.path += {!r}; from {} import work; work(own)"
)


def startable() -> bool:
    """Whether the program that runs is Python alone: started again it would make code.

    In an application with Python inside, another of its windows might open.
    """
    name = os.path.basename(sys.executable or "").lower()
    return name.startswith("python") and not getattr(sys, "frozen", False)


def work(place: int) -> None:
    """Read packed IR text and write its object code to a descriptor: the other process.

    Its length comes first: a fork of the process that asks may hold the pipe open.
    """
    from .llvm import generate

    size = int(sys.stdin.buffer.readline())
    text = zlib.decompress(sys.stdin.buffer.read(size)).decode()
    with os.fdopen(place, "wb") as file:
        file.write(framed(generate(text, 1)))


def framed(code: bytes) -> bytes:
    """Return code after a line with its length and digest."""
    return b"%s %d %s\n%s" % (_MAGIC, len(code), _digest(code), code)


def unframed(data: bytes) -> bytes | None:
    """Return the code of what `framed` returned, or None of anything else."""
    code = data.partition(b"\n")[2]
    return code if code.startswith(OBJECT) and data == framed(code) else None


def _digest(code: bytes) -> bytes:
    return hashlib.sha256(code).hexdigest().encode()


def _command() -> list[str]:
    """Return how the other process starts: with our package, LLVM and the standard library."""
    found = find_spec("llvmlite")
    if found is None or found.origin is None:
        raise ImportError("LLVM is not installed")
    roots = [_ROOT, os.path.dirname(os.path.dirname(os.path.abspath(found.origin)))]
    return [sys.executable, "-I", "-S", "-B", "-c", _WORK.format(roots, __name__)]


class Background:
    """Object code that is being made of packed IR text; `use` takes it when it is there."""

    def __init__(self, text: bytes, use: Callable[[bytes], None]):
        self._text, self._use, self._done = text, use, threading.Event()
        self._owner = os.getpid()
        try:
            threading.Thread(target=self._run, name="dalembert code", daemon=True).start()
        except RuntimeError:  # no more threads: the quick code goes on
            self._done.set()

    @property
    def done(self) -> bool:
        """Whether nothing more will come: to a fork nothing does, it has no such thread."""
        return os.getpid() != self._owner or self._done.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing more will come, so long at most; return whether that is so."""
        return self.done or self._done.wait(seconds)

    def _run(self) -> None:
        try:
            code = self._made()
            if code is not None:
                self._use(code)
        except Exception:
            pass  # whatever it is, no process, memory or cache: the kernel has code that is right
        finally:
            self._text = b""
            self._done.set()

    def _made(self) -> bytes | None:
        """Return the code that another process makes, or None if it does not."""
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        with MAKING:  # no fork keeps the end that we read until it closes
            process = subprocess.Popen(_command(), stdin=pipe, stdout=pipe, stderr=null)
        end = partial(_end, process, self._owner)
        atexit.register(end)
        try:
            data, _ = process.communicate(b"%d\n%s" % (len(self._text), self._text))
        finally:
            atexit.unregister(end)
        return unframed(data) if process.returncode == 0 else None


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """End the other process with the one that started it, not with a fork of that."""
    if os.getpid() == owner:
        process.kill()
