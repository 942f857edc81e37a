"""`sweep`: many designs of a mechanism, one task, measures of each."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..mechanism import Mechanism, require_mechanism
from .result import Sweep
from .run import Progress, run
from .study import Study, study_of
from .task import Task


def sweep(
    m: Mechanism,
    parameters: Mapping[str, Any],
    *,
    task: Task,
    measure: Sequence[str] | str = ("peak",),
    samples: int | None = None,
    plan: str | None = None,
    seed: int = 0,
    on: str = "local",
    out: str | Path | None = None,
    resume: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Return the measures of many designs of a mechanism that all do one task.

    `parameters` maps names to a range (lo, hi), values [a, b, c], or an expression of others as a
    text. `plan` is "grid", "lhs", "sobol" or "list"; `samples` the number of designs (per range, in
    a grid). `task` is a mapping as in a study file, a trajectory, or a measured motion. With `out`
    the study is kept in that folder and can be resumed. `on` is "local" or "dask://HOST:PORT".

    >>> import dalembert as da
    >>> m = da.load({"format": "dalembert/1", "parameters": {"L": 0.5, "M": 2.0},
    ...     "gravity": [0, -9.81, 0], "phrase": "RZ(), TXK(L); body 1: M = M, D = (L/2, 0, 0), I = (0, 0, 0);"})
    >>> move = {"joint_moves": [{"from": [0.0], "to": [1.0], "time": 1.0}], "samples": 50}
    >>> s = da.sweep(m, {"L": [0.2, 0.4, 0.8]}, task=move, measure=["peak"], workers=1)
    >>> [round(float(x), 3) for x in s.columns["peak"]]
    [2.074, 4.378, 9.679]
    """  # noqa: E501
    require_mechanism(m, "sweep")
    chosen: dict[str, Any] = {"seed": seed}
    if plan is not None:
        chosen["kind"] = plan
    if samples is not None:
        chosen["samples"] = samples
    made = study_of(m, parameters, task, measure, chosen)
    return run_study(made, out, on, resume, workers, progress)


def _removed(folder: Path, owner: int) -> None:
    """Remove a temporary folder, unless this is a child of the process that made it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def run_study(
    s: Study, out: str | Path | None, on: str = "local", resume: bool = False,
    workers: int | None = None, progress: Progress | None = None,
) -> Sweep:  # fmt: skip
    """Return a study, computed in a folder, or in a temporary one that goes with the result."""
    if out is not None and not isinstance(out, str | Path):
        raise UsageError(f"out={out!r} is no folder", hint='out="study"')
    if out is not None:
        run(s, Path(out), on, resume, workers, progress)
        return Sweep(Path(out), s)
    folder = Path(tempfile.mkdtemp(prefix="dalembert-sweep-"))
    made = Sweep(folder, s)
    weakref.finalize(made, _removed, folder, os.getpid())  # at the latest on exit
    run(s, folder, on, True, workers, progress)
    return made
