"""The process that computes: one JSON object a line in, one out. It is ended to cancel a job."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress

from . import limits
from .jobs import JOBS, run


def bound() -> None:
    """Keep this process within its memory where the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limits.MEMORY, limits.MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Answer until the input ends."""
    bound()
    # what a job prints does not mix with the answers
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    run("equations", {"text": "RZ(), TXK(L1), RZ(), TXK(L2);"})  # readers and rings are loaded
    run("describe", {"text": "RZ(), TXK(L1);"})
    for line in sys.stdin:
        asked = json.loads(line)
        answer = run(asked["job"], asked["given"]) if asked.get("job") in JOBS else {}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
