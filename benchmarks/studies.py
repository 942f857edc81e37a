"""Whole design studies by the clock: two workers beside one, Dask beside processes, memory.

Meant for a quiet machine of two cores: a study of about a minute runs eight times, one of a quarter
of a minute with `--quick`, which takes three minutes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median

import dalembert as da
from dalembert.sweep.run import run
from dalembert.sweep.study import Study, study_of

from .designs import SIX, fourbars, gradient

MILLION = 1_000_000
DESIGNS = 7 * MILLION  # about a minute of two cores
ROUNDS = 3  # of Dask and processes in turn
RANGES = {"L1": (0.3, 0.6), "L2": (0.3, 0.6), "L3": (0.3, 0.6), "M2": (3.0, 8.0)}
TASK = {"joint_moves": [{"from": [0] * 6, "to": [1, 0.5, -0.5, 0.3, 0.4, 0.2], "time": 1.0}],
        "samples": 100}  # fmt: skip
PEAK = """
import resource, sys
from pathlib import Path
from benchmarks.studies import study
from dalembert.sweep.run import run
run(study(int(sys.argv[1])), Path(sys.argv[2]), workers=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def study(count: int) -> Study:
    """Return a study of six-joint arms, 100 samples each, peak and RMS."""
    plan = {"kind": "sobol", "samples": count, "seed": 0}
    return study_of(da.load(SIX), RANGES, TASK, ["peak", "rms"], plan)


def clock(s: Study, folder: Path, on: str = "local", workers: int | None = None) -> float:
    """Return the seconds that a study takes, files included."""
    start = time.monotonic()
    run(s, folder, on=on, workers=workers)
    taken = time.monotonic() - start
    shutil.rmtree(folder)
    return taken


def work() -> float:
    """Return the processor time of this process and of all that it started, ended or not."""
    import psutil

    me = psutil.Process()
    own = me.cpu_times()
    total = float(own.user + own.system + own.children_user + own.children_system)
    for p in me.children(recursive=True):
        with suppress(psutil.Error):
            used = p.cpu_times()
            total += float(used.user + used.system)
    return total


def beside_dask(s: Study, folder: Path) -> tuple[float, float, float]:
    """Return Dask over processes: wall time, wall time with the start of the cluster, work.

    Medians of runs in turn. A local cluster of two workers stays for all of them, and its start is
    counted with each in the second figure; processes are started for each run.
    """
    import distributed

    begun = time.monotonic()
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as c:
        address = c.scheduler_address.replace("tcp://", "dask://")
        clock(study(1000), folder, on=address)  # imports, kernels
        start, rows = time.monotonic() - begun, []
        for _ in range(ROUNDS):
            pair = []
            for on in ("local", address):
                before = work()
                pair.append((clock(s, folder, on=on, workers=2), work() - before))
            (here, busy), (there, most) = pair
            rows.append((there / here, (there + start) / here, most / busy))
    wall, whole, work_ = (median(x) for x in zip(*rows, strict=True))
    return wall, whole, work_


def memory(count: int, folder: Path) -> float:
    """Return the largest memory of a process that runs a study, MB."""
    command = [sys.executable, "-c", PEAK, str(count), str(folder)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def lines(quick: bool) -> Iterator[str]:
    """Yield a table."""
    count = DESIGNS // (5 if quick else 1)
    s = study(count)
    yield "| | measured | asked |"
    yield "|---|---|---|"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "study"
        two, one = (clock(s, folder, workers=n) for n in (2, 1))
        each = two * MILLION / count
        yield f"| 1,000,000 6R arms, 100 samples, two workers (s) | {each:.1f} | 60 |"
        yield f"| {count:,} of them, two workers beside one (times) | {one / two:.2f} | 1.8 |"
        wall, whole, busy = (100 * x - 100 for x in beside_dask(s, folder))
        yield f"| the same on Dask beside processes, {two:.0f} s (%) | {wall:+.1f} | 15 |"
        yield f"| with the start of the Dask cluster (%) | {whole:+.1f} | |"
        yield f"| processor time of Dask beside processes (%) | {busy:+.1f} | |"
        many = count // 10
        large, small = (memory(n, Path(place) / str(n)) for n in (many, many // 10))
        yield f"| memory of {many:,} designs, of a tenth (MB) | {large:.0f}, {small:.0f} | equal |"
    yield f"| 1,000,000 four-bars closed and measured (s of one core) | {fourbars():.2f} | 2 |"
    yield f"| gradient by 7 masses of a Panda over the forces (times) | {gradient():.2f} | 4 |"
