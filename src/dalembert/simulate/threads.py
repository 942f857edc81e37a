"""Parts of a simulation side by side: in order, stopped together, one progress for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, wait
from threading import Event
from typing import TypeVar

from ..runtime.team import pool

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[float], None]
LOOK = 0.05  # seconds between two looks at the threads


class _Halted(Exception):
    """Another part failed or Ctrl-C was pressed."""


def side_by_side(
    work: Callable[[Item, Progress], Result],
    items: Sequence[Item],
    threads: int,
    progress: Progress | None,
) -> list[Result]:
    """Return work(item, report) of every item, in order.

    Drivers call `report` many times a second; that is where a part hears that it shall stop.
    `progress` is only called by the thread that asked.
    """
    done = [0.0] * len(items)
    halt = Event()

    def show() -> None:
        if progress is not None:
            progress(sum(done) / len(done))

    def reporter(k: int, shown: bool) -> Progress:
        def report(part: float) -> None:
            if halt.is_set():
                raise _Halted
            done[k] = max(done[k], part)
            if shown:
                show()

        return report

    if threads <= 1 or len(items) <= 1:
        return [work(item, reporter(k, True)) for k, item in enumerate(items)]
    running = pool(threads)
    jobs = [running.submit(work, item, reporter(k, False)) for k, item in enumerate(items)]
    try:
        left = set(jobs)
        while left:
            finished, left = wait(left, LOOK, FIRST_EXCEPTION)
            failed = [job for job in jobs if job in finished and job.exception() is not None]
            if failed:
                failed[0].result()
            show()
    finally:
        # nothing runs on when this call has ended
        halt.set()
        for job in jobs:
            job.cancel()
        wait([job for job in jobs if not job.cancelled()])
    return [job.result() for job in jobs]
