"""Rates and accelerations of sampled signals: a smoothing spline without forced ends.

The spline of degree 5 that minimises Σ w (y - x)² + λ ∫ (d³x/dt³)² dt damps a sine of angular
frequency ω by 1 / (1 + λ ω⁶): it is the zero-phase Butterworth filter of order 3, but it takes
unequal times and missing samples, and leaves x, ẋ, ẍ free at both ends (Woltring, A Fortran package
for generalized, cross-validatory spline smoothing, Adv. Eng. Software 8, 1986). λ follows from a
cut-off frequency, or from generalised cross-validation (Craven and Wahba 1979).

Everything is linear in the samples; the covariance of (x, ẋ, ẍ) follows from that of the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import UsageError
from .spline import FAR, LONG, Spline

Array = np.ndarray
COARSE = 3  # steps between the cut-offs that a long record is tried with first
NOISELESS = 1e-9  # of the spread of a signal
CAUTION = 1.4  # of the cross-validation: Kim and Gu, J. R. Stat. Soc. B 66 (2004)


def cut_off_length(frequency: float) -> float:
    """Return 1/ω_c of a cut-off frequency in Hz."""
    return 1.0 / (2.0 * np.pi * frequency)


@dataclass(frozen=True, eq=False)
class Smoothed:
    """A signal and its rates at the samples, the noise found in it, and how sure they are."""

    x: Array
    xd: Array
    xdd: Array
    noise: Array  # standard deviation of a sample, per column
    spline: Spline = field(repr=False)

    @property
    def cutoff(self) -> float:
        """The frequency at which the amplitude falls to 1/√2, Hz."""
        return 1.0 / (2.0 * np.pi * self.spline.length)

    def end_errors(self, y: Array) -> tuple[Array, Array]:
        """Return how far (x, ẋ, ẍ) of the first and last samples depend on the cut-off.

        Smoothing bends a motion straight at its ends, which no covariance of noise can see; a
        spline of 1.6 times the cut-off shows by how much. Each is (samples, columns, 3).
        """
        n, s = len(self.spline.t), self.spline
        reach = min(s.samples(3), n // 2)
        near = reach + max(64, s.samples(FAR))
        spans = [slice(0, near), slice(n - near, n)]
        if 2 * near > n or not s.filled(spans):
            spans = [slice(0, n)] * 2
        found = []
        for span, cut in zip(spans, (slice(0, reach), slice(-reach, None)), strict=True):
            own = s.part(span)
            sharper = Spline(own.t, own.weight, own.length / 1.6, own.given)(y[span])
            pairs = zip(sharper, (self.x, self.xd, self.xdd), strict=True)
            found.append(np.abs(np.stack([a[cut] - b[span][cut] for a, b in pairs], axis=-1)))
        return found[0], found[1]


def smoothed(t: Array, y: Array, weight: Array, length: float) -> Smoothed:
    """Return the columns of y smoothed with one cut-off length."""
    return smoothed_by(Spline(t, weight, length), y)


def smoothed_by(made: Spline, y: Array) -> Smoothed:
    """Return the columns of y smoothed."""
    x, xd, xdd = made(y)
    used = made.weight > 0
    left = max(1.0, float(used.sum()) - made.freedom)
    noise = np.sqrt(((x - y)[used] ** 2).sum(axis=0) / left)
    return Smoothed(x, xd, xdd, noise, made.light)


def lengths_to_try(t: Array, weight: Array) -> Array:
    """Return cut-off lengths from a quarter of a sample to a sixth of the record."""
    used = t[weight > 0]
    step, span = float(np.median(np.diff(used))), float(used[-1] - used[0])
    low, high = 0.25 * step, max(0.5 * step, span / 6.0)
    return np.geomspace(low, high, int(np.clip(3 * np.log2(high / low), 6, 36)))


def by_cross_validation(t: Array, signals: Sequence[Array], weight: Array) -> list[Smoothed]:
    """Return each signal, (n, columns), smoothed where its own cross-validated error is least.

    Signals of the same samples share the work: the smoother depends on the cut-off alone.
    """
    used = weight > 0
    n = float(used.sum())
    tried = lengths_to_try(t, weight)
    widths = np.cumsum([0, *(y.shape[1] for y in signals)])
    together = np.concatenate(signals, axis=1)
    spread, size = together[used].std(axis=0), np.abs(together[used]).max(axis=0, initial=0.0)
    scale = np.where(spread > 1e-12 * size, spread, np.maximum(size, 1.0))  # or it stands still
    scores = np.full((len(tried), len(signals)), np.inf)
    rest = np.zeros(together.shape[1])
    done: set[int] = set()
    while left := _next(len(tried), done, scores, n > LONG):
        for k in left:
            made = Spline(t, weight, float(tried[k]))
            gap = (made.basis @ made.coefficients(together) - together)[used] / scale
            if k == 0:
                rest = np.median(np.abs(gap), axis=0)
            room = n - CAUTION * made.freedom
            if room > 0.02 * n:
                error = (gap**2).sum(axis=0) / n / (room / n) ** 2
                scores[k] = np.add.reduceat(error, widths[:-1])
        done |= set(left)
    out = []
    for g, y in enumerate(signals):
        # computed and not measured: there is nothing to smooth away
        clean = (rest[widths[g] : widths[g + 1]] < NOISELESS).all()
        length = 0.05 * tried[0] if clean else _lowest(tried, scores[:, g])
        out.append(smoothed(t, y, weight, float(length)))
    return out


def _next(count: int, done: set[int], scores: Array, coarse: bool) -> list[int]:
    """Return the cut-offs to try next: every few, then those around the best of each signal."""
    if not done:
        return sorted({*range(0, count, COARSE if coarse else 1), count - 1})
    best = {int(k) for k in np.argmin(scores, axis=0)}
    near = {k + i for k in best for i in range(1 - COARSE, COARSE)}
    return sorted(k for k in near - done if 0 <= k < count)


def _lowest(x: Array, y: Array) -> float:
    """Return where y is least: the vertex of the parabola through the best three points."""
    if not np.isfinite(y).any():
        return float(x[0])
    k = int(np.argmin(y))
    if k in (0, len(x) - 1) or not np.isfinite(y[k - 1 : k + 2]).all():
        return float(x[k])
    a, b, c = np.log(np.maximum(y[k - 1 : k + 2], 1e-300))
    bend = a - 2 * b + c
    shift = 0.5 * (a - c) / bend if bend > 0 else 0.0
    return float(x[k] * (x[k + 1] / x[k]) ** shift)


def by_residual_analysis(t: Array, signals: Sequence[Array], weight: Array) -> list[Smoothed]:
    """Return each signal smoothed at the cut-off where its residual meets the noise line.

    Winter, Biomechanics and Motor Control of Human Movement, section 3.4.4.3: the residual over
    the cut-off frequency ends in a straight line made by noise alone; its value at zero frequency
    is the noise, and the wanted cut-off is where the residual has that value.
    """
    used = weight > 0
    step = float(np.median(np.diff(t[used])))
    frequencies = np.linspace(0.02, 0.42, 41) / step
    low = 2.0 / (t[-1] - t[0])
    frequencies = np.unique(np.concatenate([np.geomspace(low, frequencies[0], 16), frequencies]))
    widths = [y.shape[1] for y in signals]
    starts = np.cumsum([0, *widths[:-1]])
    together = np.concatenate(signals, axis=1)
    residual = []
    for f in frequencies:
        made = Spline(t, weight, cut_off_length(float(f)))
        gap = (made.basis @ made.coefficients(together) - together)[used]
        residual.append(np.sqrt(np.add.reduceat((gap**2).mean(axis=0), starts) / widths))
    tail = frequencies >= 0.2 / step
    return [
        smoothed(t, y, weight, cut_off_length(_meeting(frequencies, r, tail)))
        for y, r in zip(signals, np.transpose(residual), strict=True)
    ]


def _meeting(frequencies: Array, r: Array, tail: Array) -> float:
    """Return the frequency where the residual r falls to the value of its tail's line at zero."""
    noise = np.polyfit(frequencies[tail], r[tail], 1)[1]
    below = np.flatnonzero(r <= max(noise, r[-1]))
    k = int(below[0]) if len(below) else len(r) - 1
    f = float(frequencies[k])
    if k > 0 and r[k - 1] > r[k]:
        share = (r[k - 1] - max(noise, r[-1])) / (r[k - 1] - r[k])
        f = float(frequencies[k - 1] + share * (frequencies[k] - frequencies[k - 1]))
    return f


def smooth(t: Array, y: Array, weight: Array, cutoff: float | str | None) -> Smoothed:
    """Return y, (n, columns), smoothed: at a cut-off in Hz, "auto", or None (cross-validation)."""
    return smooth_all(t, [y], weight, cutoff)[0]


def smooth_all(
    t: Array, signals: Sequence[Array], weight: Array, cutoff: float | str | None
) -> list[Smoothed]:
    """Return signals of the same samples, each smoothed as a whole."""
    if cutoff is None:
        return by_cross_validation(t, signals, weight)
    if cutoff == "auto":
        return by_residual_analysis(t, signals, weight)
    nyquist = 0.5 / float(np.median(np.diff(t[weight > 0])))
    if isinstance(cutoff, bool | str) or not np.isfinite(cutoff) or cutoff <= 0:
        raise UsageError(
            f"the cut-off {cutoff!r} is not a frequency",
            hint='a number of Hz, "auto", or None for a smoothing spline',
        )
    if cutoff > nyquist:
        raise UsageError(
            f"the cut-off {cutoff:g} Hz lies above half the sampling rate, {nyquist:g} Hz",
            hint="human motion is usually filtered at 6 Hz, robots at 10 to 50 Hz"
            if nyquist > 0.5
            else 'if the times are in ms, map them: columns={"t": "HEAD:ms"}',
            command="filter at 6 Hz for human motion, 10 to 50 Hz for robots"
            if nyquist > 0.5
            else "if the times are in ms, map them: --columns t=HEAD:ms",
        )
    made = Spline(t, weight, cut_off_length(float(cutoff)))
    return [smoothed_by(made, y) for y in signals]
