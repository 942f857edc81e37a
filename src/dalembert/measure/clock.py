"""The times of a log, put in order; samples that stand out; what looks wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..errors import DescriptionError, Place, shown

Array = np.ndarray
FEWEST = 10  # samples that can be smoothed
SLOW = 1.0  # seconds between samples that look like milliseconds
SPIKE = 100.0  # times the usual bend between samples, that a false one has
UNEVEN = 0.3  # share by which the times between samples may vary unremarked


def in_order(arrays: dict[str, Array], source: str) -> tuple[dict[str, Array], list[str]]:
    """Return the samples with increasing times, and notes on what was changed."""
    t, notes = arrays["t"], []
    if not np.isfinite(t).all():
        row = int(np.flatnonzero(~np.isfinite(t))[0])
        raise DescriptionError(
            f"the time of sample {row + 1} is missing", where=Place(source, row + 2)
        )
    if (np.diff(t) < 0).any():
        _require_one_clock(t, source)
        notes.append(f"{int((np.diff(t) < 0).sum())} samples were out of order: sorted by time")
        order = np.argsort(t, kind="stable")
        arrays = {k: x[order] for k, x in arrays.items()}
        t = arrays["t"]
    again = np.flatnonzero(np.diff(t) == 0)
    if len(again):
        notes.append(f"{len(again)} samples repeat a time: the first of each was kept")
        keep = np.ones(len(t), dtype=bool)
        keep[again + 1] = False
        arrays = {k: x[keep] for k, x in arrays.items()}
    return arrays, notes


def _require_one_clock(t: Array, source: str) -> None:
    """Raise DescriptionError where long runs of samples cover the same stretch of time."""
    back = np.flatnonzero(np.diff(t) < 0) + 1
    runs = np.split(t, back) if len(back) < len(t) / FEWEST else []
    for k, (first, second) in enumerate(pairwise(runs)):
        twice = (first > second[0]).sum(), (second < first[-1]).sum()
        if min(twice) >= FEWEST:
            raise DescriptionError(
                f"the clock goes back from {first[-1]:.10g} to {second[0]:.10g} s at sample "
                f"{back[k] + 1}", where=Place(source, int(back[k]) + 2),
                hint="two logs in one file? read each alone",
            )  # fmt: skip


def spikes(t: Array, y: Array, names: Sequence[str]) -> list[str]:
    """Return notes on single samples that stand far out of their neighbours, which agree."""
    notes = []
    for name, x in zip(names, y.T, strict=True):
        seen = np.flatnonzero(np.isfinite(x))
        x = x[seen]
        if len(x) < FEWEST:
            continue
        bend = x[1:-1] - (x[2:] + x[:-2]) / 2
        size = np.abs(bend)
        usual = float(np.median(size[size > 0])) if (size > 0).any() else 0.0
        apart = np.abs(x[2:] - x[:-2])
        out = np.flatnonzero((size > SPIKE * usual) & (size > 5 * apart) & (usual > 0))
        if len(out):
            k = int(out[np.argmax(size[out])])
            notes.append(
                f"{shown(name)}: {len(out)} samples stand alone, that of t = "
                f"{t[seen[k + 1]]:.10g} s by {size[k]:.3g}; if they are false, leave them empty"
            )
    return notes


def spacing(t: Array) -> list[str]:
    """Return notes on times that look like another unit, or like a clock that jitters."""
    steps = np.diff(t)
    usual = float(np.median(steps))
    if usual >= SLOW:
        return [f"samples are {usual:.4g} s apart; if their times are ms, map them: t=HEAD:ms"]
    near = steps[steps < 4 * usual]  # longer ones are gaps
    low, high = np.quantile(near, [0.05, 0.95])
    if high - low < UNEVEN * usual:
        return []
    return [
        f"samples are {1e3 * low:.3g} to {1e3 * high:.3g} ms apart; if the clock of the recorder "
        "jitters and the samples do not, write equal times"
    ]
