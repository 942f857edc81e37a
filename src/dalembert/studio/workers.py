"""Workers seen from the server: start, ask, end; never more than one job each."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

LINE = 64 << 20  # bytes of an answer


class Worker:
    """One process that runs jobs one after the other.

    A job that takes too long, or is cancelled, ends the process; the next job starts another.
    """

    def __init__(self, seconds: float):
        self.seconds = seconds
        self.process: asyncio.subprocess.Process | None = None
        self.turn = asyncio.Lock()
        self.part: float | None = None  # of the job under way, from 0 to 1

    async def start(self) -> asyncio.subprocess.Process:
        """Return the running process."""
        if self.process is None or self.process.returncode is not None:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "dalembert.studio.worker", limit=LINE,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
        return self.process

    async def ask(self, job: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer of a job, or why there is none."""
        async with self.turn:
            process = await self.start()
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(json.dumps({"job": job, "given": given}).encode() + b"\n")
                await process.stdin.drain()
                answer = await asyncio.wait_for(self._answer(process.stdout), self.seconds)
            except TimeoutError:
                await self.end()
                return _failed(f"stopped after {self.seconds:g} s")
            except (OSError, ValueError, asyncio.LimitOverrunError):
                answer = None
            finally:
                self.part = None
            if answer is None:
                await self.end()
                return _failed("stopped")
            return answer

    async def _answer(self, lines: asyncio.StreamReader) -> dict[str, Any] | None:
        """Return the answer, after the lines that say how far the job is; None where it ended."""
        while line := await lines.readline():
            said: dict[str, Any] = json.loads(line)
            if "answer" in said:
                answer: dict[str, Any] = said["answer"]
                return answer
            self.part = said["part"]
        return None

    async def end(self) -> None:
        """End the process, and whatever it computes."""
        process, self.process = self.process, None
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _failed(message: str) -> dict[str, Any]:
    return {"error": {"message": message}}
