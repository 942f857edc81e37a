"""Forces along a log that is read in windows: what each window shows is added up."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..errors import UsageError, shown
from ..files import writing
from ..measure.long import gap_notes, told_once
from ..measure.motion import Gap, MeasuredMotion, gap_lines
from ..measure.table import write_rows
from ..measure.wrench import tables_of
from ..mechanism import Mechanism
from .torque_result import Tally, Torques
from .torques import torques_along

Array = np.ndarray
ROWS = ("t", "q", "qd", "qdd", "tau", "speed", "band", "measured")  # with a row per sample
SHOWN = 200  # samples of each window that plots show


def torques_of_windows(
    m: Mechanism, windows: Iterable[tuple[Any, MeasuredMotion]], *, wrench: Any = None,
    drives: Any = "all", table: str | Path | None = None,
) -> Torques:  # fmt: skip
    """Return the forces of a long log; peaks and RMS are of all samples, the rows of some.

    `table` is a CSV file that takes a row for every sample.
    """
    tally: Tally | None = None
    some: list[Torques] = []
    gaps: list[Gap] = []
    notes: list[str] = []
    wrench = tables_of(wrench)
    names: tuple[str, ...] = ()
    count, early = 0, list[Array]()
    with _rows(table) as out:
        for _, d in windows:
            count += len(d)
            if not d.valid.any():
                gaps += d.gaps
                if out is not None and names:
                    write_rows(out, _empty(d.t, names))
                elif out is not None:
                    early.append(d.t)
                continue
            f = torques_along(
                m, replace(d, gaps=(), notes=()), wrench_on_body=wrench, drives=drives
            )
            if out is not None:
                heads, rows = f.table()
                if not names:
                    names = tuple(heads)
                    csv.writer(out).writerow(names)
                    for t in early:
                        write_rows(out, _empty(t, names))
                write_rows(out, rows)
            tally = Tally.of(f) if tally is None else tally + Tally.of(f)
            some.append(_thinned(f))
            gaps += d.gaps
            notes += [*f.notes, *d.notes]
    if tally is None:
        raise UsageError("no sample of the log is whole", hint="see the gaps of the table")
    told = (*told_once(notes), *gap_lines(gap_notes(gaps)),
            f"{count} samples, read in windows; plots show some of them")  # fmt: skip
    return replace(_joined(some), tally=tally, notes=told, exceeded=tally.exceeded)


def _rows(path: str | Path | None) -> AbstractContextManager[TextIO | None]:
    """Return the table that takes the rows, if one is wanted."""
    if path is None:
        return nullcontext()
    if Path(path).suffix.lower() != ".csv":
        raise UsageError(f"{shown(str(path))}: the table of a long log is a CSV", hint="forces.csv")
    return writing(path)


def _empty(t: Array, names: Sequence[str]) -> Array:
    """Return rows of a table that hold nothing but their times."""
    rows = np.full((len(t), len(names)), np.nan)
    rows[:, 0] = t
    return rows


def _thinned(f: Torques) -> Torques:
    """Return some samples: every few of them, and those of the largest forces."""
    n = len(f.t)
    whole = np.flatnonzero(np.isfinite(f.tau).all(axis=1))
    peaks = whole[np.argmax(np.abs(f.tau[whole]), axis=0)] if len(whole) else whole
    at = np.unique([*range(0, n, max(1, n // SHOWN)), *peaks])
    every = {k: getattr(f, k) for k in ROWS}
    own: dict[str, Any] = {k: None if x is None else x[at] for k, x in every.items()}
    return replace(f, parts={k: x[at] for k, x in f.parts.items()}, **own)


def _joined(some: list[Torques]) -> Torques:
    """Return the samples of all windows."""

    def every(name: str) -> Any:
        found = [getattr(f, name) for f in some]
        return None if any(x is None for x in found) else np.concatenate(found)

    parts = {k: np.concatenate([f.parts[k] for f in some]) for k in some[0].parts}
    return replace(some[0], parts=parts, **{n: every(n) for n in ROWS})
