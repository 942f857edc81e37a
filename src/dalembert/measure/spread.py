"""How sure a smoothed motion is: the covariance of (q, q̇, q̈), made for samples that are asked for.

Nine numbers for each joint and sample would be most of a long log; the curve of each smoother and
the errors at its ends are all that is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Part:
    """The spread of some velocity variables over a stretch of samples that was smoothed alone."""

    start: int
    stop: int
    rates: tuple[int, ...]
    curve: tuple[Array, Array] = field(repr=False)  # sample numbers, covariance for unit noise
    variance: Array = field(repr=False)  # of one sample, per rate
    ends: tuple[Array, Array] | None = field(default=None, repr=False)  # errors there, per rate

    def at(self, rows: Array) -> Array:
        """Return the covariances at sample numbers of the stretch, (rows, rates, 3, 3)."""
        number, known = self.curve
        unit = np.empty((len(rows), 3, 3))
        for a in range(3):
            for b in range(a, 3):
                unit[:, a, b] = unit[:, b, a] = np.interp(rows, number, known[:, a, b])
        out = unit[:, None] * self.variance[:, None, None]
        if self.ends is not None:
            first, last = self.ends
            for errors, begin in ((first, 0), (last, self.stop - self.start - len(last))):
                here = np.flatnonzero((rows >= begin) & (rows < begin + len(errors)))
                own = errors[rows[here] - begin]
                out[here] += own[..., :, None] * own[..., None, :]
        return out


@dataclass(frozen=True, eq=False)
class Spread:
    """Covariances of (q, q̇, q̈): `s[rows]` is (rows, nv, 3, 3), NaN where nothing is known."""

    count: int
    nv: int
    parts: tuple[Part, ...] = field(repr=False)
    chosen: Array | None = field(default=None, repr=False)  # numbers of samples, None: all

    def __len__(self) -> int:
        return self.count if self.chosen is None else len(self.chosen)

    def __getitem__(self, rows: slice | Array) -> Array:
        number = self._numbers(rows)
        out = np.full((len(number), self.nv, 3, 3), np.nan)
        if not len(number):
            return out
        low, high = number.min(), number.max()
        for part in self.parts:
            if part.start <= high and part.stop > low:
                here = np.flatnonzero((number >= part.start) & (number < part.stop))
                out[np.ix_(here, np.array(part.rates))] = part.at(number[here] - part.start)
        return out

    def of(self, rows: slice | Array) -> Spread:
        """Return the spread of some samples, as they are counted then."""
        return replace(self, chosen=self._numbers(rows))

    def _numbers(self, rows: slice | Array) -> Array:
        every = np.arange(self.count) if self.chosen is None else self.chosen
        return np.asarray(every[rows])
