"""Identification from a log that is read in windows: the triangles of all windows are merged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import UsageError
from ..measure.long import gap_notes, told_once
from ..measure.motion import Gap, MeasuredMotion
from .rows import STRETCHES, Equations, Stretch, equations, require_share
from .unknowns import Unknowns

Array = np.ndarray
SHOWN = 2**14  # samples of two windows that are kept for plots and validation


@dataclass
class Merged:
    """The equations of windows, put together as they come."""

    holdout: float
    training: list[Stretch] = field(default_factory=list)
    held: list[Stretch] = field(default_factory=list)
    noise: list[tuple[Array, Array | None]] = field(default_factory=list)
    last: Equations | None = None

    def take(self, begin: float, end: float, e: Equations) -> None:
        """Take in the equations of a piece of the log, between two shares of it."""
        if self.last is None:
            forces, columns = len(e.forces), len(e.unknowns.names)
            self.training = [Stretch.empty(forces, columns) for _ in range(STRETCHES)]
            self.held = [Stretch.empty(forces, columns)]
        self.last = e
        fitted = 1 - self.holdout
        for k, s in enumerate(e.training):
            part = (begin + (k + 0.5) / len(e.training) * (end - begin)) / fitted
            self.target(part).merge(s)
        if begin < fitted:
            self.noise.append((np.sum([s.rows for s in e.training], axis=0), e.noise))

    def target(self, part: float) -> Stretch:
        """Return the stretch that takes equations of some part of what is fitted."""
        if part >= 1 and self.holdout:
            return self.held[0]
        return self.training[min(int(part * STRETCHES), STRETCHES - 1)]

    def equations(self, held_from: int, notes: tuple[str, ...]) -> Equations:
        """Return all equations."""
        assert self.last is not None
        noise = None
        if all(x is not None for _, x in self.noise):
            total = np.maximum(np.sum([r for r, _ in self.noise], axis=0), 1.0)
            parts = [r[:, None, None] * x for r, x in self.noise if x is not None]
            noise = np.sum(parts, axis=0) / total[:, None, None]
        return replace(self.last, training=self.training, holdout=self.held[0], noise=noise,
                       held_from=held_from, notes=notes)  # fmt: skip


def equations_of_windows(
    u: Unknowns,
    windows: Iterable[tuple[tuple[float, float], MeasuredMotion]],
    holdout: float,
    prepared: Callable[[Unknowns, MeasuredMotion], tuple[Unknowns, MeasuredMotion]],
) -> tuple[Equations, MeasuredMotion]:
    """Return the equations of a long log, and some of its samples: fitted ones, then held out."""
    require_share(holdout)
    merged, refused = Merged(holdout), UsageError("the log has no samples")
    fitted: MeasuredMotion | None = None
    kept: MeasuredMotion | None = None
    notes: list[str] = []
    gaps: list[Gap] = []
    count = 0
    for shares, motion in windows:
        u, whole = prepared(u, motion)
        notes, gaps, count = [*notes, *whole.notes], [*gaps, *whole.gaps], count + len(whole)
        for begin, end, d in _parted(whole, *shares, 1 - holdout):
            try:
                e = equations(u, d, 0.0)
            except UsageError as error:  # a window at rest, or without forces, shows nothing
                refused = error
                continue
            merged.take(begin, end, e)
            notes += e.notes
            if begin < 1 - holdout:
                fitted = d[:SHOWN] if fitted is None else fitted
            else:
                kept = d[:SHOWN] if kept is None else kept
    if fitted is None or not any(s.rows.sum() for s in merged.training):
        raise refused
    told = (*told_once(notes), f"{count} samples, read in windows; plots show two stretches")
    some = _joined(fitted, kept)
    return (merged.equations(len(fitted), ()),
            replace(some, notes=told, gaps=gap_notes(gaps)))  # fmt: skip


def _parted(
    d: MeasuredMotion, begin: float, end: float, at: float
) -> list[tuple[float, float, MeasuredMotion]]:
    """Return a window with its shares, cut where a share of the log falls inside it."""
    if not begin < at < end:
        return [(begin, end, d)]
    k = round((at - begin) / (end - begin) * len(d))
    return [(begin, at, d[:k]), (at, end, d[k:])]


def _joined(a: MeasuredMotion, b: MeasuredMotion | None) -> MeasuredMotion:
    """Return two stretches as one motion, without its spread."""
    if b is None:
        return replace(a, spread=None)
    own: dict[str, Any] = {n: np.concatenate([getattr(a, n), getattr(b, n)])
                           for n in ("t", "q", "qd", "qdd", "tau")}  # fmt: skip
    return replace(a, spread=None, **own)
