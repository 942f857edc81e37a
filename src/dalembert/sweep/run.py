"""Running a study: chunks to files, on this machine or on a Dask cluster, resumed where it stopped.

A chunk is written under another name and renamed when it is whole, so that a file `*.parquet` is
always finished. The manifest names the study by its digest: another study is refused.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread, current_thread, main_thread

from ..errors import ComputationError, UsageError, shown
from ..measure.packages import optional
from .chunk import chunk_bytes
from .study import Study

Progress = Callable[[int, int, float], None]  # designs done, designs in all, seconds so far
SCHEMES = {"dask://": "tcp://", "dask+tls://": "tls://"}  # certificates: Dask's own settings
PATIENCE = 10  # seconds for a worker to end
DEATHS = 3  # workers that a chunk may kill before the study stops


def chunk_file(folder: Path, number: int) -> Path:
    """Return the file of a chunk."""
    return folder / f"chunk-{number:06d}.parquet"


def run(
    s: Study, folder: Path, on: str = "local", resume: bool = False, workers: int | None = None,
    progress: Progress | None = None,
) -> None:  # fmt: skip
    """Compute the chunks of a study that are not there yet."""
    optional("pyarrow")
    todo = prepared(s, folder, resume)
    begun, done = time.monotonic(), (s.chunks - len(todo)) * s.chunk
    if progress is not None:
        progress(min(done, s.count), s.count, 0.0)  # what was there before says nothing of speed
    for number, data in _engine(on, s, todo, workers):
        _write(chunk_file(folder, number), data)
        done += s.chunk
        if progress is not None:
            progress(min(done, s.count), s.count, time.monotonic() - begun)
    _write(folder / "manifest.json", manifest(s, complete=True))


def manifest(s: Study, complete: bool) -> bytes:
    """Return the manifest: what was asked and whether all of it is there; no times, no names."""
    data = {
        "format": "dalembert-sweep/1", "digest": s.digest, "designs": s.count,
        "chunk": s.chunk, "chunks": s.chunks, "complete": complete, "study": s.data,
    }  # fmt: skip
    return (json.dumps(data, sort_keys=True, indent=1) + "\n").encode()


def prepared(s: Study, folder: Path, resume: bool) -> list[int]:
    """Return the chunks that are left; the folder is made, or checked to hold the same study."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{shown(str(folder))} is a file", hint="name a folder: --out study")
    there = folder / "manifest.json"
    if folder.is_dir() and any(folder.iterdir()):
        if not resume:
            raise UsageError(
                f"{shown(str(folder))} is not empty", hint="resume it: --resume; or name another"
            )
        if not there.is_file():
            raise UsageError(
                f"{shown(str(folder))} holds no study", hint="name another folder with --out"
            )
        try:
            old = json.loads(there.read_bytes())
        except ValueError:
            old = {}
        if old.get("digest") != s.digest:
            raise UsageError(
                f"{shown(str(folder))} holds another study",
                hint="equal models, ranges, task, measures and plan are needed to resume",
            )
    folder.mkdir(parents=True, exist_ok=True)
    for torn in folder.glob("*.part"):
        torn.unlink(missing_ok=True)
    if not there.is_file():
        _write(there, manifest(s, complete=False))
    return [k for k in range(s.chunks) if not chunk_file(folder, k).is_file()]


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    part = path.with_suffix(path.suffix + f".{os.getpid()}.part")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ComputationError(
            f"{shown(str(path))} cannot be written: {error.strerror}",
            hint="finished chunks are kept: free some space and resume",
        ) from error


# -- engines -------------------------------------------------------------------------------------


def _engine(on: str, s: Study, todo: list[int], workers: int | None) -> Iterator[tuple[int, bytes]]:
    if on == "local":
        count = workers if workers is not None else min(os.cpu_count() or 1, max(1, len(todo)))
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise UsageError(f"workers={workers!r}", hint="a whole number, 1 or more")
        return _here(s, todo) if count == 1 or len(todo) <= 1 else _processes(s, todo, count)
    for scheme, wire in SCHEMES.items():
        if isinstance(on, str) and on.startswith(scheme):
            from .on_dask import on_dask

            return on_dask(on.replace(scheme, wire, 1), s, todo)
    raise UsageError(f"on={shown(str(on))!r}", hint='"local" or "dask://HOST:PORT"')


def _here(s: Study, todo: list[int]) -> Iterator[tuple[int, bytes]]:
    for number in todo:
        yield number, chunk_bytes(s.text, number)


def _end_with_parent() -> None:
    """Let a worker end when the study that started it is killed; it would wait for ever.

    Ctrl-C reaches every process of a terminal. Only the study heeds it and ends its workers: one
    that dies by it may hold a lock, and the study would wait for it for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=watch, daemon=True).start()


def _processes(s: Study, todo: list[int], workers: int) -> Iterator[tuple[int, bytes]]:
    """Yield finished chunks of worker processes; a worker that dies is replaced."""
    left, deaths = list(todo), 0
    while left:
        pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_end_with_parent)
        running: dict[Future[bytes], int] = {}
        try:
            waiting = iter(list(left))
            for number in waiting:
                running[pool.submit(chunk_bytes, s.text, number)] = number
                if len(running) >= 2 * workers:
                    break
            while running:
                ready, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ready:
                    number = running.pop(future)
                    data = future.result()
                    left.remove(number)
                    yield number, data
                    following = next(waiting, None)
                    if following is not None:
                        running[pool.submit(chunk_bytes, s.text, following)] = following
        except BrokenProcessPool:
            deaths += 1
            if deaths > DEATHS * workers + len(todo) // 4:
                raise ComputationError(
                    f"worker processes died {deaths} times",
                    hint="memory may be short: a smaller chunk, or workers=1",
                    command="memory may be short: write --workers 1",
                ) from None
        except BaseException:
            _end(pool)
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _end(pool: ProcessPoolExecutor) -> None:
    """End all workers of a pool; a second Ctrl-C would leave some, for which Python waits.

    One may end while it sends a result: the pool would wait for the rest of it for ever, unless
    nobody could send it any more.
    """
    heeds = current_thread() is main_thread()
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN) if heeds else None
    try:
        workers, results = list((pool._processes or {}).values()), pool._result_queue
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join(PATIENCE)
        if results is not None:
            results._writer.close()  # type: ignore[attr-defined]
        pool.shutdown(wait=False, cancel_futures=True)
    finally:
        if heeds:
            signal.signal(signal.SIGINT, usual or signal.SIG_DFL)
