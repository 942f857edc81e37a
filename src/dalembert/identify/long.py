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

    def take(self, share: float, e: Equations) -> None:
        """Take in the equations of a window that begins at some share of the log."""
        if self.last is None:
            forces, columns = len(e.forces), len(e.unknowns.names)
            self.training = [Stretch.empty(forces, columns) for _ in range(STRETCHES)]
            self.held = [Stretch.empty(forces, columns)]
        self.last = e
        part = share / (1 - self.holdout)
        target = self.held[0] if part >= 1 else self.training[int(part * STRETCHES)]
        rows = np.sum([s.rows for s in e.training], axis=0)
        for s in e.training:
            target.merge(s)
        if part < 1:
            self.noise.append((rows, e.noise))

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
    windows: Iterable[tuple[float, MeasuredMotion]],
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
    for share, motion in windows:
        u, d = prepared(u, motion)
        notes, gaps, count = [*notes, *d.notes], [*gaps, *d.gaps], count + len(d)
        try:
            e = equations(u, d, 0.0)
        except UsageError as error:  # a window at rest, or without forces, shows nothing
            refused = error
            continue
        merged.take(share, e)
        notes += e.notes
        if share < 1 - holdout:
            fitted = d[:SHOWN] if fitted is None else fitted
        else:
            kept = d[:SHOWN] if kept is None else kept
    if fitted is None or not any(s.rows.sum() for s in merged.training):
        raise refused
    told = (*told_once(notes), f"{count} samples, read in windows; plots show two stretches")
    some = _joined(fitted, kept)
    return (merged.equations(len(fitted), ()),
            replace(some, notes=told, gaps=gap_notes(gaps)))  # fmt: skip


def _joined(a: MeasuredMotion, b: MeasuredMotion | None) -> MeasuredMotion:
    """Return two stretches as one motion, without its spread."""
    if b is None:
        return replace(a, spread=None)
    own: dict[str, Any] = {n: np.concatenate([getattr(a, n), getattr(b, n)])
                           for n in ("t", "q", "qd", "qdd", "tau")}  # fmt: skip
    return replace(a, spread=None, **own)
