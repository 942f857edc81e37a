"""Chunks of a study on a Dask cluster: workers get the study's text and numbers, never code.

Short chunks go out several at a time, so that a task lasts about a second: then what the cluster
does for each of them, between two and ten milliseconds, does not count.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from ..errors import ComputationError, shown
from ..measure.packages import optional
from .chunk import timed_chunks
from .study import Study

LOST = 120.0  # seconds to wait for the bytes of chunks that are done
DEATHS = 12  # workers that may die, beside one for each chunk
LONG = 1.0  # seconds that a task should take
MANY = 64  # chunks in a task at most: their bytes come in one piece


def on_dask(address: str, s: Study, todo: list[int]) -> Iterator[tuple[int, bytes]]:
    """Yield finished chunks of a Dask cluster; it does lost ones again by itself."""
    distributed = optional("distributed")
    try:
        client = distributed.Client(address, timeout=20)
    except (OSError, TimeoutError, ValueError) as error:
        raise ComputationError(
            f"no Dask scheduler answers at {shown(address)}",
            hint="start one: dask scheduler --host 127.0.0.1; dask worker tcp://127.0.0.1:8786",
        ) from error
    lost = distributed.scheduler.KilledWorker, distributed.client.FutureCancelledError
    with client:
        work = _Work(client, s, todo)
        queue = distributed.as_completed(work.following())
        deaths = 0
        try:
            for future in queue:
                numbers = work.sent.pop(future.key)
                try:
                    made, took = future.result(timeout=LOST)
                except lost:
                    deaths += 1  # the workers that held it died: it is done again by others
                    if deaths > DEATHS + len(todo):
                        raise
                    queue.add(work.send(numbers))
                    continue
                future.release()
                work.learn(took)
                yield from zip(numbers, made, strict=True)
                queue.update(work.following())
        except (OSError, TimeoutError, *lost) as error:
            raise ComputationError(
                f"the Dask cluster at {shown(address)} is gone: {type(error).__name__}",
                hint="finished chunks are kept: start it again and resume",
            ) from error
        if work.sent:
            left = sum(map(len, work.sent.values()))
            raise ComputationError(
                f"the Dask cluster at {shown(address)} gave {left} chunks up",
                hint="finished chunks are kept: start it again and resume",
            )


class _Work:
    """Chunks that are left, and those that were sent: two tasks for each thread of the cluster."""

    def __init__(self, client: Any, s: Study, todo: list[int]):
        self.client, self.s, self.left = client, s, deque(todo)
        self.sent: dict[str, list[int]] = {}
        self.together = 1

    def following(self) -> list[Any]:
        """Return the next tasks; workers may have come since the last ones."""
        threads = max(2, sum(self.client.nthreads().values())) if self.left else 0
        made = []
        while self.left and len(self.sent) < 2 * threads:
            # the last tasks are short, so that workers end together
            fair = -(-len(self.left) // (2 * threads))
            count = min(self.together, fair)
            made.append(self.send([self.left.popleft() for _ in range(count)]))
        return made

    def send(self, numbers: list[int]) -> Any:
        """Return the task of some chunks, sent; its name is not that of any task before it."""
        key = f"{self.s.digest}-{numbers[0]}-{uuid4().hex}"
        self.sent[key] = numbers
        return self.client.submit(timed_chunks, self.s.text, numbers, key=key, retries=10,
                                  pure=False)  # fmt: skip

    def learn(self, took: float) -> None:
        """Send as many chunks together as take about a second."""
        self.together = max(1, min(MANY, int(LONG / max(took, 1e-3))))
