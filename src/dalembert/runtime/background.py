"""Better code for a kernel that already runs, made by another process and put in its place.

The quick code of a long program and its better code give the same bits (see `fused`), so it does
not matter when the one gives way to the other. Both stay loaded: a call may still be running.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parents[2])
_WORK = "import sys; sys.path.insert(0, {!r}); from {} import work; work()"


def work() -> None:
    """Read IR text and write its object code: what the other process does."""
    from .llvm import generate

    sys.stdout.buffer.write(generate(sys.stdin.buffer.read().decode(), 1))


class Background:
    """Object code that is being made; `use` takes it when it is there."""

    def __init__(self, text: str, use: Callable[[bytes], None]):
        self._text, self._use, self._done = text.encode(), use, threading.Event()
        threading.Thread(target=self._run, name="dalembert code", daemon=True).start()

    @property
    def done(self) -> bool:
        """Whether nothing more will come."""
        return self._done.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing more will come, so long at most; return whether that is so."""
        return self._done.wait(seconds)

    def _run(self) -> None:
        command = [sys.executable or "python", "-c", _WORK.format(_ROOT, __name__)]
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
            atexit.register(process.kill)
            code, _ = process.communicate(self._text)
            atexit.unregister(process.kill)
            if process.returncode == 0:
                self._use(code)
        except OSError:
            pass  # no process may be started here: the quick code goes on
        finally:
            self._text = b""
            self._done.set()
