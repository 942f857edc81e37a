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
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import UsageError
from .packages import scipy_part

Array = np.ndarray
DEGREE, ORDER = 5, 3  # of the spline; of the penalised derivative
HALF_POWER = np.sqrt(2.0) - 1.0  # λ ω⁶ where the amplitude is 1/√2
KNOTS_PER_LENGTH = 2.5  # knots per cut-off length 1/ω_c
PROBES, EXACT_TRACE = 8, 400
NOISELESS = 1e-9  # of the spread of a signal
CAUTION = 1.4  # of the cross-validation: Kim and Gu, J. R. Stat. Soc. B 66 (2004)


@dataclass(frozen=True, eq=False)
class Spline:
    """The smoother of fixed times, weights and cut-off length: a linear map of the samples."""

    t: Array = field(repr=False)
    weight: Array = field(repr=False)  # (n,), 0 where a sample is missing
    length: float  # 1/ω_c in seconds

    @cached_property
    def knots(self) -> Array:
        """The knots: about `KNOTS_PER_LENGTH` in a cut-off length, never more than samples."""
        used = self.t[self.weight > 0]
        step = float(np.median(np.diff(used)))
        inner = used[:: max(1, int(self.length / (KNOTS_PER_LENGTH * step)))]
        # samples that are nearly at one time share a knot; the last one ends the last span
        apart = np.floor(inner / (0.5 * step)).astype(np.int64)
        inner = inner[np.concatenate([[True], np.diff(apart) > 0])]
        inner = np.append(inner[inner < used[-1] - 0.5 * step], used[-1])
        ends = np.repeat(self.t[[0, -1]], DEGREE)
        # two knots less at each end (not-a-knot), so that nothing is asked of the derivatives there
        own = inner[3:-3] if len(inner) > 8 else inner[1:-1]
        inner = np.concatenate([[self.t[0]], own, [self.t[-1]]])
        return np.concatenate([ends[:DEGREE], inner, ends[DEGREE:]])

    @cached_property
    def basis(self) -> Any:
        """The basis functions at the samples, as a sparse matrix."""
        return design_matrix(self.t, self.knots)

    @cached_property
    def rates(self) -> tuple[Any, Any]:
        """Their first and second derivatives at the samples."""
        return design_matrix(self.t, self.knots, 1), design_matrix(self.t, self.knots, 2)

    @cached_property
    def normal(self) -> Array:
        """The Cholesky factor of Bᵀ W B + λ P, as bands."""
        linalg = scipy_part("linalg")
        B = self.basis
        data = bands((B.T @ B.multiply(self.weight[:, None])).tocsc())
        smooth = penalty(self.knots)
        gain = HALF_POWER * self.length ** (2 * ORDER) * self.density
        a = data + gain * smooth
        # a hint of ridge keeps spans without samples solvable; it is rounding elsewhere
        a[-1] += 1e-13 * a[-1].max()
        return np.asarray(linalg.cholesky_banded(a, check_finite=False))

    @property
    def density(self) -> float:
        """Weight per second: the penalty is stated for a continuous signal."""
        return float(self.weight.sum() / (self.t[-1] - self.t[0]))

    def coefficients(self, y: Array) -> Array:
        """Return the coefficients of the spline through the samples y, (n,) or (n, columns)."""
        linalg = scipy_part("linalg")
        w = self.weight if y.ndim == 1 else self.weight[:, None]
        right = self.basis.T @ (w * np.where(w > 0, y, 0.0))
        return np.asarray(linalg.cho_solve_banded((self.normal, False), right, check_finite=False))

    def __call__(self, y: Array) -> tuple[Array, Array, Array]:
        """Return x, ẋ, ẍ at the samples."""
        c = self.coefficients(y)
        return self.basis @ c, self.rates[0] @ c, self.rates[1] @ c

    @cached_property
    def freedom(self) -> float:
        """The trace of the smoother: how many numbers the spline fits."""
        n = int((self.weight > 0).sum())
        rows = np.flatnonzero(self.weight > 0)
        if n <= EXACT_TRACE:
            probes = np.zeros((len(self.t), n))
            probes[rows, np.arange(n)] = 1.0
            return float(np.trace((self.basis @ self.coefficients(probes))[rows]))
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(len(self.t), PROBES))
        fitted = self.basis @ self.coefficients(signs)
        return float((signs * fitted)[rows].sum() / PROBES)

    def covariance(self, at: Array) -> Array:
        """Return the covariance of (x, ẋ, ẍ) at sample numbers, for noise of variance 1.

        That of the posterior whose mean the spline is (Wahba, J. R. Stat. Soc. B 45, 1983): it
        counts noise and what smoothing took away, which matters at the ends.
        """
        linalg = scipy_part("linalg")
        rows = np.stack([B[at].toarray() for B in (self.basis, *self.rates)])  # (3, at, basis)
        right = rows.reshape(-1, rows.shape[-1]).T
        z = linalg.cho_solve_banded((self.normal, False), right, check_finite=False)
        return np.einsum("ain,nbi->iab", rows, z.reshape(-1, 3, len(at)))


def design_matrix(t: Array, knots: Array, rate: int = 0) -> Any:
    """Return the B-splines of `knots`, or their derivatives, at times t as a sparse matrix."""
    interpolate = scipy_part("interpolate")
    k = DEGREE - rate
    inner = knots[rate : len(knots) - rate] if rate else knots
    B = interpolate.BSpline.design_matrix(t, inner, k)
    sparse = scipy_part("sparse")
    n = len(knots) - DEGREE - 1
    D = sparse.identity(n, format="csr")
    for r in range(rate):
        degree, kn = DEGREE - r, knots[r : len(knots) - r] if r else knots
        count = len(kn) - degree - 1
        scale = degree / (kn[degree + 1 : degree + count] - kn[1:count])
        step = sparse.diags([-scale, scale], offsets=[0, 1], shape=(count - 1, count))
        D = step @ D
    return (B @ D).tocsr()


def penalty(knots: Array) -> Array:
    """Return ∫ B''' B'''ᵀ dt as bands: Gauss's rule of three points is exact for degree 2 + 2."""
    inner = np.unique(knots)
    x, w = np.polynomial.legendre.leggauss(3)
    h = np.diff(inner)
    points = (inner[:-1, None] + h[:, None] * (x + 1) / 2).ravel()
    weights = (h[:, None] * w / 2).ravel()
    B = design_matrix(points, knots, ORDER)
    return bands((B.T @ B.multiply(weights[:, None])).tocsc())


def bands(a: Any) -> Array:
    """Return the upper bands of a symmetric sparse matrix, as SciPy's banded solvers take them."""
    n = a.shape[0]
    out = np.zeros((DEGREE + 1, n))
    for k in range(DEGREE + 1):
        out[DEGREE - k, k:] = a.diagonal(k)
    return out


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

    def covariance(self) -> Array:
        """Return the covariance of (x, ẋ, ẍ) at each sample for unit noise, (n, 3, 3).

        It changes only near the ends: there every few samples are computed, the middle once.
        """
        n = len(self.spline.t)
        edge = min(n // 2, max(6, self._samples(8)))
        low = np.arange(0, edge, max(1, edge // 24))
        at = np.unique(np.concatenate([low, [n // 2], n - 1 - low]))
        known = self.spline.covariance(at)
        index = np.arange(n)
        return np.stack(
            [[np.interp(index, at, known[:, a, b]) for b in range(3)] for a in range(3)]
        ).transpose(2, 0, 1)

    def end_errors(self, y: Array) -> Array:
        """Return how far (x, ẋ, ẍ) near the ends depend on the cut-off, (n, columns, 3).

        Smoothing bends a motion straight at its ends, which no covariance of noise can see; a
        spline of 1.6 times the cut-off shows by how much.
        """
        n, reach = len(self.spline.t), self._samples(3)
        sharper = Spline(self.spline.t, self.spline.weight, self.spline.length / 1.6)(y)
        gap = np.stack(sharper, -1) - np.stack([self.x, self.xd, self.xdd], -1)
        gap[reach : max(reach, n - reach)] = 0.0
        return np.abs(gap)

    def _samples(self, lengths: float) -> int:
        step = float(np.median(np.diff(self.spline.t)))
        return int(np.ceil(lengths * self.spline.length / step))


def smoothed(t: Array, y: Array, weight: Array, length: float) -> Smoothed:
    """Return the columns of y smoothed with one cut-off length."""
    return smoothed_by(Spline(t, weight, length), y)


def smoothed_by(made: Spline, y: Array) -> Smoothed:
    """Return the columns of y smoothed."""
    x, xd, xdd = made(y)
    used = made.weight > 0
    left = max(1.0, float(used.sum()) - made.freedom)
    noise = np.sqrt(((x - y)[used] ** 2).sum(axis=0) / left)
    return Smoothed(x, xd, xdd, noise, made)


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
    for k, length in enumerate(tried):
        made = Spline(t, weight, float(length))
        gap = (made.basis @ made.coefficients(together) - together)[used] / scale
        if k == 0:
            rest = np.median(np.abs(gap), axis=0)
        left = n - CAUTION * made.freedom
        if left > 0.02 * n:
            error = (gap**2).sum(axis=0) / n / (left / n) ** 2
            scores[k] = np.add.reduceat(error, widths[:-1])
    out = []
    for g, y in enumerate(signals):
        # computed and not measured: there is nothing to smooth away
        clean = (rest[widths[g] : widths[g + 1]] < NOISELESS).all()
        length = 0.05 * tried[0] if clean else _lowest(tried, scores[:, g])
        out.append(smoothed(t, y, weight, float(length)))
    return out


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


def by_residual_analysis(t: Array, y: Array, weight: Array) -> Smoothed:
    """Return y smoothed at the cut-off where the residual meets the noise line.

    Winter, Biomechanics and Motor Control of Human Movement, section 3.4.4.3: the residual over
    the cut-off frequency ends in a straight line made by noise alone; its value at zero frequency
    is the noise, and the wanted cut-off is where the residual has that value.
    """
    used = weight > 0
    step = float(np.median(np.diff(t[used])))
    frequencies = np.linspace(0.02, 0.42, 41) / step
    low = 2.0 / (t[-1] - t[0])
    frequencies = np.unique(np.concatenate([np.geomspace(low, frequencies[0], 16), frequencies]))
    residual = []
    for f in frequencies:
        made = Spline(t, weight, cut_off_length(float(f)))
        x = made.basis @ made.coefficients(y)
        residual.append(float(np.sqrt(((x - y)[used] ** 2).mean())))
    r = np.array(residual)
    tail = frequencies >= 0.2 / step
    noise = np.polyfit(frequencies[tail], r[tail], 1)[1]
    below = np.flatnonzero(r <= max(noise, r[-1]))
    k = int(below[0]) if len(below) else len(r) - 1
    f = float(frequencies[k])
    if k > 0 and r[k - 1] > r[k]:
        share = (r[k - 1] - max(noise, r[-1])) / (r[k - 1] - r[k])
        f = float(frequencies[k - 1] + share * (frequencies[k] - frequencies[k - 1]))
    return smoothed(t, y, weight, cut_off_length(f))


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
        return [by_residual_analysis(t, y, weight) for y in signals]
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
