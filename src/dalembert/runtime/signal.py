"""Functions of time that compiled code reads: piecewise polynomials."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import UsageError

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Signal:
    """Vector-valued pieces: on breaks[k] <= t < breaks[k+1] column j is Σ c[k, j, d] s^(top-d).

    s = t - breaks[k]; the highest power first. Before the first and after the last break the value
    at that break holds.
    """

    breaks: Array = field(repr=False)  # (pieces + 1,)
    coefficients: Array = field(repr=False)  # (pieces, columns, terms)

    def __post_init__(self) -> None:
        breaks = np.ascontiguousarray(self.breaks, dtype=float)
        c = np.ascontiguousarray(self.coefficients, dtype=float)
        if c.ndim != 3 or breaks.shape != (len(c) + 1,):
            raise UsageError(f"{len(breaks)} breaks do not bound {len(c)} pieces")
        if not (np.diff(breaks) > 0).all():
            raise UsageError("the times of a signal must increase")
        bad = np.argwhere(~np.isfinite(c))
        if len(bad):
            raise UsageError(
                f"a function of time is not finite from t = {breaks[bad[0, 0]]:g} s, "
                f"column {bad[0, 1] + 1}",
                hint="fill the gaps of a table first: dalembert.read_motion does and notes them",
            )
        object.__setattr__(self, "breaks", breaks)
        object.__setattr__(self, "coefficients", c)

    @property
    def size(self) -> int:
        """The number of columns."""
        return self.coefficients.shape[1]

    @property
    def held(self) -> bool:
        """Whether the pieces are constants, with jumps between them."""
        return self.coefficients.shape[2] == 1

    def __call__(self, t: Any) -> Array:
        """Return the values at times t, columns last."""
        t = np.clip(np.asarray(t, dtype=float), self.breaks[0], self.breaks[-1])
        k = np.clip(np.searchsorted(self.breaks, t, side="right") - 1, 0, len(self.breaks) - 2)
        s = (t - self.breaks[k])[..., None]
        own = self.coefficients[k]
        value = np.zeros((*t.shape, self.size))
        for d in range(own.shape[-1]):
            value = value * s + own[..., d]
        return value

    def derivative(self) -> Signal:
        """Return the signal's rate."""
        c = self.coefficients
        terms = c.shape[2]
        if terms == 1:
            return Signal(self.breaks, np.zeros_like(c))
        powers = np.arange(terms - 1, 0, -1.0)
        return Signal(self.breaks, c[..., :-1] * powers)

    def beside(self, *others: Signal) -> Signal:
        """Return one signal with the columns of all, on the union of their breaks."""
        parts = (self, *others)
        breaks = np.unique(np.concatenate([p.breaks for p in parts]))
        terms = max(p.coefficients.shape[2] for p in parts)
        return Signal(breaks, np.concatenate([_moved(p, breaks, terms) for p in parts], axis=1))

    def columns(self, chosen: Any) -> Signal:
        """Return the signal of some columns."""
        return Signal(self.breaks, self.coefficients[:, chosen, :])


def _moved(signal: Signal, breaks: Array, terms: int) -> Array:
    """Return the coefficients of a signal about other breaks, which include its own."""
    start, end = signal.breaks[0], signal.breaks[-1]
    middle = (breaks[:-1] + breaks[1:]) / 2
    k = np.clip(np.searchsorted(signal.breaks, middle, side="right") - 1, 0, len(signal.breaks) - 2)
    shift = (breaks[:-1] - signal.breaks[k])[:, None, None]
    c = signal.coefficients[k]
    own = c.shape[2]
    # Taylor shift: repeated synthetic division
    c = c.copy()
    for i in range(own - 1):
        for d in range(1, own - i):
            c[..., d] += shift[..., 0] * c[..., d - 1]
    outside = (middle < start) | (middle > end)
    if outside.any():
        c[outside] = 0.0
        c[outside, :, -1] = signal(middle[outside])
    full = np.zeros((*c.shape[:2], terms))
    full[..., terms - own :] = c
    return full


def held(times: Any, values: Any) -> Signal:
    """Return values[k] from times[k] on, until the next time."""
    t, v = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    last = t[-1] + max(1.0, abs(t[-1]))
    return Signal(np.append(t, last), v[:, :, None])


def linear(times: Any, values: Any) -> Signal:
    """Return straight lines between the rows of a table."""
    t, v = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    slope = np.diff(v, axis=0) / np.diff(t)[:, None]
    return Signal(t, np.stack([slope, v[:-1]], axis=-1))


def constant(values: Any) -> Signal:
    """Return a signal that is the same at all times."""
    return held([0.0], [np.asarray(values, dtype=float)])
