"""Functions of time that compiled code reads: piecewise polynomials."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import UsageError

Array = np.ndarray
JUMP = 1e-9  # of the largest value: two pieces that meet less well jump
ROUNDING = 1e-14  # of a value: what its rate is spoilt by, in the time of a piece


@dataclass(frozen=True, eq=False)
class Signal:
    """Vector-valued pieces: on breaks[k] <= t < breaks[k+1] column j is Σ c[k, j, d] s^(top-d).

    s = t - breaks[k]; the highest power first. Before the first and after the last break the value
    at that break holds.
    """

    breaks: Array = field(repr=False)  # (pieces + 1,)
    coefficients: Array = field(repr=False)  # (pieces, columns, terms)
    noise: Any = field(default=0.0, repr=False)  # (columns,), what rounding leaves in a rate

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
        object.__setattr__(self, "noise", np.zeros(c.shape[1]) + self.noise)

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
        rounding = ROUNDING * np.abs(c[..., -1]).max(axis=0)
        noise = np.maximum(self.noise, rounding) / np.diff(self.breaks).min()
        return Signal(self.breaks, c[..., :-1] * powers, noise)

    @property
    def jumps(self) -> Array:
        """Whether a column jumps at each break but the first and the last."""
        c, h = self.coefficients, np.diff(self.breaks)[:, None]
        end, size = np.zeros(c[..., 0].shape), np.zeros(c[..., 0].shape)
        for d in range(c.shape[2]):
            end, size = end * h + c[..., d], size * h + np.abs(c[..., d])
        gap = np.abs(end[:-1] - c[1:, :, -1])
        return np.asarray((gap > JUMP * size.max(axis=0)).any(axis=1))

    def at_parts(self, parts: Array, pieces: Any = slice(None)) -> Array:
        """Return the values (pieces, parts, columns) of pieces at parts 0 to 1 of their length."""
        c, h = self.coefficients[pieces], np.diff(self.breaks)[pieces]
        s = (h[:, None] * parts)[..., None]
        value = np.zeros((*s.shape[:2], self.size))
        for d in range(c.shape[2]):
            value = value * s + c[:, None, :, d]
        return value

    def about(self, breaks: Array) -> Signal:
        """Return the signal with other breaks, which include its own between the first and last."""
        return Signal(breaks, _moved(self, breaks, self.coefficients.shape[2]), self.noise)

    def spanning(self, start: float, end: float) -> Signal:
        """Return the signal on a longer time, its end values held there by pieces of their own.

        So its rate is zero where the value holds.
        """
        breaks, c = self.breaks, self.coefficients
        for at, first in ((start, True), (end, False)):
            edge = breaks[0 if first else -1]
            if not (at < edge if first else at > edge):
                continue
            piece = np.zeros((1, *c.shape[1:]))
            piece[0, :, -1] = self(edge)
            breaks = np.append(at, breaks) if first else np.append(breaks, at)
            c = np.concatenate([piece, c] if first else [c, piece])
        return Signal(breaks, c, self.noise)

    def beside(self, *others: Signal) -> Signal:
        """Return one signal with the columns of all, on the union of their breaks."""
        parts = (self, *others)
        breaks = np.unique(np.concatenate([p.breaks for p in parts]))
        terms = max(p.coefficients.shape[2] for p in parts)
        c = np.concatenate([_moved(p, breaks, terms) for p in parts], axis=1)
        return Signal(breaks, c, np.concatenate([p.noise for p in parts]))

    def columns(self, chosen: Any) -> Signal:
        """Return the signal of some columns."""
        return Signal(self.breaks, self.coefficients[:, chosen, :], self.noise[chosen])


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
    t, v = _table(times, values, 1)
    last = t[-1] + max(1.0, abs(t[-1]))
    return Signal(np.append(t, last), v[:, :, None])


def linear(times: Any, values: Any) -> Signal:
    """Return straight lines between the rows of a table."""
    t, v = _table(times, values, 2)
    slope = np.diff(v, axis=0) / np.diff(t)[:, None]
    return Signal(t, np.stack([slope, v[:-1]], axis=-1))


def _table(times: Any, values: Any, least: int) -> tuple[Array, Array]:
    """Return times and values as arrays; raise UsageError where the times are too few."""
    t, v = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    if t.size < least:
        raise UsageError(
            f"a table over time has {t.size} rows, at least {least} needed",
            hint="(times, rows), a row for each time; what is constant needs no table",
        )
    return t, v


def constant(values: Any) -> Signal:
    """Return a signal that is the same at all times."""
    return held([0.0], [np.asarray(values, dtype=float)])


def smooth(times: Any, values: Any) -> Signal:
    """Return the cubic spline through the rows of a table: rates are continuous, no end is forced.

    Two rows are a straight line, three a parabola.
    """
    t, v = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    if len(t) < 3 or not (np.diff(t) > 0).all():
        return linear(t, v)
    return cubic(t, v, spline_slopes(t, v, "free"))


def cubic(t: Array, y: Array, slopes: Array) -> Signal:
    """Return the cubics through points with given slopes."""
    h = np.diff(t)[:, None]
    step = np.diff(y, axis=0) / h
    c2 = (3 * step - 2 * slopes[:-1] - slopes[1:]) / h
    c3 = (slopes[:-1] + slopes[1:] - 2 * step) / h**2
    return Signal(t, np.stack([c3, c2, slopes[:-1], y[:-1]], axis=-1))


def spline_slopes(t: Array, y: Array, ends: str) -> Array:
    """Return the slopes at the points: a tridiagonal system, solved by Thomas.

    Ends are "clamped" (at rest), "natural" (no acceleration) or "free": the first two cubics are
    one, and so are the last two (de Boor, A Practical Guide to Splines, chapter IV).
    """
    n, h = len(t), np.diff(t)
    step = np.diff(y, axis=0) / h[:, None]
    low, main, high = np.zeros(n), np.ones(n), np.zeros(n)
    right = np.zeros_like(y)
    low[1:-1], main[1:-1], high[1:-1] = 1 / h[:-1], 2 / h[:-1] + 2 / h[1:], 1 / h[1:]
    right[1:-1] = 3 * (step[:-1] / h[:-1, None] + step[1:] / h[1:, None])
    if ends == "natural":
        main[0], high[0], right[0] = 2, 1, 3 * step[0]
        main[-1], low[-1], right[-1] = 2, 1, 3 * step[-1]
    elif ends == "free" and n == 3:  # the parabola
        bend = (step[1] - step[0]) / (h[0] + h[1])
        return np.stack([step[0] - h[0] * bend, step[0] + h[0] * bend, step[1] + h[1] * bend])
    elif ends == "free":
        a, b = h[0], h[1]
        main[0], high[0] = b, a + b
        right[0] = ((3 * a + 2 * b) * b * step[0] + a**2 * step[1]) / (a + b)
        a, b = h[-1], h[-2]
        main[-1], low[-1] = b, a + b
        right[-1] = ((3 * a + 2 * b) * b * step[-1] + a**2 * step[-2]) / (a + b)
    for k in range(1, n):
        w = low[k] / main[k - 1]
        main[k] -= w * high[k - 1]
        right[k] -= w * right[k - 1]
    out = np.zeros_like(y)
    out[-1] = right[-1] / main[-1]
    for k in reversed(range(n - 1)):
        out[k] = (right[k] - high[k] * out[k + 1]) / main[k]
    return out
