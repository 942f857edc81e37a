"""Logs that are too long for the memory: a motion in windows of samples.

A window is smoothed together with a margin of its neighbours, which is then left out of it, so that
memory holds one window, however long the log is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DescriptionError, Place
from ..mechanism import Mechanism
from .clock import in_order
from .columns import assigned
from .motion import Gap, MeasuredMotion, NothingWhole, has_rates, motion_of_table
from .table import csv_rows, table_of
from .text import LARGEST_LONG

Array = np.ndarray
LONG = 2**28  # bytes of text from which on a log is read in windows
WINDOW, MARGIN = 2**17, 2**12  # samples of a window, and of its neighbours on either side
TEXTS = (".csv", ".tsv", ".txt")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.?\d*(e[-+]?\d+)?(?!\w)")


def is_long(path: Any) -> bool:
    """Return whether a file is a text table that is read in windows."""
    if not isinstance(path, str | Path) or Path(path).suffix.lower() not in TEXTS:
        return False
    file = Path(path)
    return file.is_file() and file.stat().st_size > LONG


def windows(
    path: str | Path,
    m: Mechanism,
    columns: Any = None,
    cutoff: Any = None,
    report: Callable[[float], None] | None = None,
) -> Iterator[tuple[tuple[float, float], MeasuredMotion]]:
    """Yield the motion of a long CSV file in windows, each with the shares between which it lies.

    Whether rates are those of the table is decided by the first window.
    """
    file = Path(path)
    size = file.stat().st_size
    rows, body, notes = csv_rows(file, LARGEST_LONG)
    before: MeasuredMotion | None = None
    begun, rates = 0.0, None
    for data, share, last in _cut(rows.chunks(body), size):
        table = table_of(dict(zip(rows.heads, data.T, strict=True)), str(file), notes=notes)
        rates = has_rates(assigned(m, table, columns)[0], cutoff) if rates is None else rates
        d = _motion(table, m, columns, cutoff, rates)
        given = 0
        if before is not None:
            given = int((d.t <= before.t[-1]).sum())
            if given > MARGIN:
                raise DescriptionError(
                    f"the clock goes back to a time before {before.t[-1]:.10g} s by more than "
                    f"{MARGIN} samples", where=Place(str(file)),
                    hint="two logs in one file? read each alone",
                )  # fmt: skip
            d = _turned(d, before, given)
        stop = len(d) if last else max(given, len(d) - MARGIN)
        if stop == given:
            continue
        before = _inner(d, given, stop)
        yield (begun, share), before
        begun = share
        if report is not None:
            report(share)


def _cut(chunks: Iterable[tuple[Array, int]], size: int) -> Iterator[tuple[Array, float, bool]]:
    """Yield rows of windows with their margins, the share where they end, and if they are last."""
    held: list[Array] = []
    count, seen, read, out = 0, 0, 0, MARGIN
    for rows, seen in chunks:
        held.append(rows)
        count, read = count + len(rows), read + len(rows)
        if count >= WINDOW + 3 * MARGIN:
            data = np.concatenate(held)
            while len(data) >= WINDOW + 3 * MARGIN:
                out += WINDOW
                yield data[: WINDOW + 2 * MARGIN], min(1.0, out / read * seen / size), False
                data = data[WINDOW:]
            held, count = [data.copy()], len(data)
    yield np.concatenate(held) if held else np.empty((0, 0)), 1.0, True


def _motion(table: Any, m: Mechanism, columns: Any, cutoff: Any, rates: bool) -> MeasuredMotion:
    """Return the motion of a window; one in which no sample has all coordinates is a gap."""
    try:
        d = motion_of_table(table, m, columns, cutoff, rates=rates)
        if rates and not d.valid.all():
            left = "samples that lack a coordinate, rate or acceleration are left out"
            return replace(d, notes=(*d.notes, left))
        return d
    except NothingWhole:
        arrays, _ = in_order(assigned(m, table, columns)[0], table.source)
    t = arrays["t"]
    open_ = ~np.isfinite(arrays["q"]).all(axis=0)
    names = tuple(n for n, x in zip(m.coordinate_names, open_, strict=True) if x)
    unknown = np.full((len(t), m.nv), np.nan)
    return MeasuredMotion(
        m, t, np.full((len(t), m.nq), np.nan), unknown, unknown, arrays.get("tau"),
        (Gap(float(t[0]), float(t[-1]), names, False),),
    )  # fmt: skip


def _turned(d: MeasuredMotion, before: MeasuredMotion, given: int) -> MeasuredMotion:
    """Return a window whose angles go on where those of the one before ended."""
    if not given or d.t[given - 1] != before.t[-1]:
        return d
    off = np.nan_to_num((before.q[-1] - d.q[given - 1]) / (2 * np.pi))
    turns = np.rint(off) * _angles(d.m)
    return replace(d, q=d.q + 2 * np.pi * turns) if turns.any() else d


def _angles(m: Mechanism) -> Array:
    return np.array([b.joint.kind == "revolute" for b in m.bodies for _ in range(b.joint.nq)])


def _inner(d: MeasuredMotion, start: int, stop: int) -> MeasuredMotion:
    """Return the samples from start to stop, with the gaps that begin among them."""
    low, high = d.t[start], d.t[stop - 1]
    gaps = tuple(g for g in d.gaps if low <= g.start <= high or g.start < low < high < g.end)
    return replace(d[start:stop], gaps=gaps)


def told_once(notes: Iterable[str]) -> tuple[str, ...]:
    """Return notes without those that differ from an earlier one in numbers alone."""
    kept: dict[str, str] = {}
    for note in notes:
        name = note.split(": ", 1)[0]  # of a joint, perhaps with a number
        named = name if " " not in name else ""
        kept.setdefault(named + NUMBER.sub("#", note), note)
    return tuple(kept.values())


def gap_notes(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """Return gaps of windows side by side as one."""
    made: list[Gap] = []
    for g in gaps:
        last = made[-1] if made else None
        if last and not (g.bridged or last.bridged) and g.names == last.names:
            if g.start <= last.end:
                made[-1] = replace(last, end=max(last.end, g.end))
                continue
        made.append(g)
    return tuple(made)
