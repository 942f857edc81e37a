"""The process that computes: a JSON object a line in, its answer out; it is ended to cancel a job.

Before the answer there may be lines that say how far the job is.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from typing import TextIO

from . import limits
from .jobs import JOBS, run


def bound() -> None:
    """Keep this process within its memory where the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limits.MEMORY, limits.MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Said:
    """The lines of a worker; how far a job is, is said at most ten times a second."""

    def __init__(self, out: TextIO):
        self.out, self.last = out, 0.0

    def part(self, done: float) -> None:
        """Say how far the job is, from 0 to 1."""
        if time.monotonic() - self.last > 0.1:
            self.last = time.monotonic()
            self.line({"part": done})

    def line(self, data: dict[str, object]) -> None:
        """Write one object."""
        self.out.write(json.dumps(data) + "\n")
        self.out.flush()


def main() -> None:
    """Answer until the input ends."""
    bound()
    # what a job prints does not mix with the answers
    said = Said(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    run("equations", {"text": "RZ(), TXK(L1), RZ(), TXK(L2);"})  # readers and rings are loaded
    run("describe", {"text": "RZ(), TXK(L1);"})
    for line in sys.stdin:
        asked = json.loads(line)
        known = asked.get("job") in JOBS
        said.line({"answer": run(asked["job"], asked["given"], said.part) if known else {}})


if __name__ == "__main__":
    main()
