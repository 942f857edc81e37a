"""The smoothing spline as a linear map of its samples, in bands.

The spline of degree 5 that minimises Σ w (y - x)² + λ ∫ (d³x/dt³)² dt. Six B-splines are not zero
at a sample, so the normal equations have six bands: time and memory grow with the samples.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .packages import scipy_part

Array = np.ndarray
DEGREE, ORDER = 5, 3  # of the spline; of the penalised derivative
HALF_POWER = np.sqrt(2.0) - 1.0  # λ ω⁶ where the amplitude is 1/√2
KNOTS_PER_LENGTH = 2.5  # knots per cut-off length 1/ω_c
PROBES, EXACT_TRACE, ENOUGH = 8, 400, 2**16  # ENOUGH: samples of all probes together


@dataclass(frozen=True, eq=False)
class Spline:
    """The smoother of fixed times, weights and cut-off length: a linear map of the samples."""

    t: Array = field(repr=False)
    weight: Array = field(repr=False)  # (n,), 0 where a sample is missing
    length: float  # 1/ω_c in seconds
    given: float | None = None  # weight per second, if it is that of a longer record

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
        return splines(self.t, self.knots, 0)

    @cached_property
    def normal(self) -> Array:
        """The Cholesky factor of Bᵀ W B + λ P, as bands."""
        linalg = scipy_part("linalg")
        gain = HALF_POWER * self.length ** (2 * ORDER) * self.density
        a = gram(self.basis, self.weight) + gain * penalty(self.knots)
        # a hint of ridge keeps spans without samples solvable; it is rounding elsewhere
        a[-1] += 1e-13 * a[-1].max()
        return np.asarray(linalg.cholesky_banded(a, overwrite_ab=True, check_finite=False))

    @property
    def density(self) -> float:
        """Weight per second: the penalty is stated for a continuous signal."""
        return self.given or float(self.weight.sum() / (self.t[-1] - self.t[0]))

    def coefficients(self, y: Array) -> Array:
        """Return the coefficients of the spline through the samples y, (n,) or (n, columns)."""
        linalg = scipy_part("linalg")
        w = self.weight if y.ndim == 1 else self.weight[:, None]
        right = self.basis.T @ (w * np.where(w > 0, y, 0.0))
        return np.asarray(linalg.cho_solve_banded((self.normal, False), right, check_finite=False))

    def __call__(self, y: Array) -> tuple[Array, Array, Array]:
        """Return x, ẋ, ẍ at the samples."""
        c = self.coefficients(y)
        x, rates = self.basis @ c, []
        for rate in (1, 2):
            c = differences(self.knots, rate - 1)[:, None] * np.diff(c, axis=0)
            rates.append(splines(self.t, self.knots, rate) @ c)
        return x, rates[0], rates[1]

    @cached_property
    def freedom(self) -> float:
        """The trace of the smoother: how many numbers the spline fits."""
        n = int((self.weight > 0).sum())
        rows = np.flatnonzero(self.weight > 0)
        if n <= EXACT_TRACE:
            probes = np.zeros((len(self.t), n))
            probes[rows, np.arange(n)] = 1.0
            return float(np.trace((self.basis @ self.coefficients(probes))[rows]))
        # Hutchinson's estimate: its spread is at most √(2 trace / probes)
        count = int(np.clip(ENOUGH // len(self.t), 1, PROBES))
        toss = np.random.default_rng(0).integers(0, 2, (len(self.t), count), dtype=np.int8)
        signs = 2.0 * toss - 1.0
        fitted = self.basis @ self.coefficients(signs)
        return float((signs * fitted)[rows].sum() / count)

    def part(self, span: slice) -> Spline:
        """Return the smoother of a stretch; a few lengths within, it is that of the record."""
        return Spline(self.t[span], self.weight[span], self.length, self.density)

    def covariance(self, at: Array) -> Array:
        """Return the covariance of (x, ẋ, ẍ) at sample numbers, for noise of variance 1.

        That of the posterior whose mean the spline is (Wahba, J. R. Stat. Soc. B 45, 1983): it
        counts noise and what smoothing took away, which matters at the ends.
        """
        linalg = scipy_part("linalg")
        t, knots = self.t[at], self.knots
        rows = np.stack([rate_matrix(t, knots, k).toarray() for k in range(3)])  # (3, at, basis)
        right = rows.reshape(-1, rows.shape[-1]).T
        z = linalg.cho_solve_banded((self.normal, False), right, check_finite=False)
        return np.einsum("ain,nbi->iab", rows, z.reshape(-1, 3, len(at)))


def splines(t: Array, knots: Array, rate: int) -> Any:
    """Return the B-splines of degree 5 - rate at times t as a sparse matrix."""
    inner = knots[rate : len(knots) - rate] if rate else knots
    return scipy_part("interpolate").BSpline.design_matrix(t, inner, DEGREE - rate)


def differences(knots: Array, rate: int) -> Array:
    """Return the factors by which differences of coefficients become those of the next rate."""
    degree, own = DEGREE - rate, knots[rate : len(knots) - rate] if rate else knots
    count = len(own) - degree - 1
    return np.asarray(degree / (own[degree + 1 : degree + count] - own[1:count]))


def rate_matrix(t: Array, knots: Array, rate: int) -> Any:
    """Return the derivatives of the B-splines of degree 5 at times t as a sparse matrix."""
    sparse, B = scipy_part("sparse"), splines(t, knots, rate)
    for r in reversed(range(rate)):
        scale = differences(knots, r)
        shape = (len(scale), len(scale) + 1)
        B = B @ sparse.diags([-scale, scale], offsets=[0, 1], shape=shape)
    return B.tocsr()


def gram(B: Any, weight: Array) -> Array:
    """Return Bᵀ W B as bands; row and column k of band d stand at [DEGREE - d, k + d]."""
    count = B.shape[1]
    values, first = B.data.reshape(-1, DEGREE + 1), B.indices[:: DEGREE + 1]
    out = np.zeros((DEGREE + 1, count))
    for a in range(DEGREE + 1):
        left = weight * values[:, a]
        for b in range(a, DEGREE + 1):
            out[DEGREE - b + a] += np.bincount(first + b, left * values[:, b], count)
    return out


def penalty(knots: Array) -> Array:
    """Return ∫ B''' B'''ᵀ dt as bands, in closed form: B''' are B-splines of degree 2."""
    inner = knots[DEGREE : len(knots) - DEGREE]
    h = np.diff(inner)
    p = h / (inner[1:] - knots[DEGREE - 1 : -DEGREE - 2])
    q = h / (knots[DEGREE + 2 : len(knots) - DEGREE + 1] - inner[:-1])
    # on a span, with s from 0 to 1, they are p (1 - s)², the rest up to 1, and q s²
    low, high, both = h * p * p / 5, h * q * q / 5, h * p * q / 30
    first, last = h * p / 3 - low - both, h * q / 3 - high - both
    count = len(h) + 2
    G = np.zeros((3, count))  # G[d, k]: row k and column k + d
    G[0, :-2] += low
    G[0, 1:-1] += h - h * p / 3 - h * q / 3 - first - last
    G[0, 2:] += high
    G[1, :-2] += first
    G[1, 1:-1] += last
    G[2, :-2] += both
    return _carried(G, knots)


def _carried(G: Array, knots: Array) -> Array:
    """Return Dᵀ G D as bands, D the third differences of coefficients."""
    D = np.ones((1, G.shape[1] + ORDER))  # D[a, r]: row r and column r + a
    for r in range(ORDER):
        scale = differences(knots, r)
        wider = np.zeros((len(D) + 1, len(scale)))
        wider[1:] += scale * D[:, 1:]
        wider[:-1] -= scale * D[:, :-1]
        D = wider
    count = G.shape[1]
    out = np.zeros((DEGREE + 1, count + ORDER))
    for r in range(-2, 3):  # column s = row + r of G
        g = G[abs(r), : count - abs(r)]
        rows = slice(max(0, -r), count - max(0, r))
        columns = slice(max(0, r), count - max(0, -r))
        for a in range(ORDER + 1):
            left = g * D[a, rows]
            for b in range(ORDER + 1):
                band = r + b - a
                if 0 <= band <= DEGREE:
                    at = columns.start + b
                    out[DEGREE - band, at : at + len(left)] += left * D[b, columns]
    return out
