"""The smoothing spline as a linear map of its samples, in bands.

The spline of degree 5 that minimises Σ w (y - x)² + λ ∫ (d³x/dt³)² dt. Six B-splines are not zero
at a sample, so the normal equations have six bands: time and memory grow with the samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from .packages import scipy_part

Array = np.ndarray
DEGREE, ORDER = 5, 3  # of the spline; of the penalised derivative
HALF_POWER = np.sqrt(2.0) - 1.0  # λ ω⁶ where the amplitude is 1/√2
KNOTS_PER_LENGTH = 2.5  # knots per cut-off length 1/ω_c
FAR = 40  # cut-off lengths over which a sample has an effect, to 1e-8
LONG = 5000  # samples of a long record
FILLED = 32  # samples of a stretch that has a spline of its own
BLOCK = 2**15  # samples whose covariance is computed at once
EVEN = 0.1  # share by which the times between samples vary and one covariance serves
LEAD, STRETCH = 96, 256  # coefficients after which the end has no effect; of a stretch
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
        every = int(self.length / (KNOTS_PER_LENGTH * step))
        inner = used[:: max(1, every)]
        # samples that are nearly at one time share a knot; the last one ends the last span
        apart = np.floor(inner / (0.5 * step)).astype(np.int64)
        inner = inner[np.concatenate([[True], np.diff(apart) > 0])]
        inner = np.append(inner[inner < used[-1] - 0.5 * step], used[-1])
        if every:  # a gap has knots too, or the spline would be too sure of itself there
            inner = _filled(inner, every * step)
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

    @cached_property
    def light(self) -> Spline:
        """The same smoother without its matrices, which a long record fills."""
        return self if len(self.t) < LONG else replace(self)

    def part(self, span: slice) -> Spline:
        """Return the smoother of a stretch; a few lengths within, it is that of the record."""
        return Spline(self.t[span], self.weight[span], self.length, self.density)

    def samples(self, lengths: float) -> int:
        """Return how many samples some cut-off lengths take."""
        return int(np.ceil(lengths * self.length / float(np.median(np.diff(self.t)))))

    def filled(self, parts: Sequence[slice]) -> bool:
        """Return whether each part has samples enough for a spline of its own."""
        return all(np.count_nonzero(self.weight[p]) >= FILLED for p in parts)

    @cached_property
    def curve(self) -> tuple[Array, Array]:
        """Sample numbers, and the covariance of (x, ẋ, ẍ) there; between them it is straight.

        Even samples: it changes near the ends alone, where every few are taken, and once between.
        """
        n = len(self.t)
        if n < 4 * FILLED or not self._even:
            return np.arange(n), self.covariance(np.arange(n))
        edge = min(n // 2, max(6, self.samples(8)))
        low = np.arange(0, edge, max(1, edge // 24))
        at = np.unique(np.concatenate([low, [n // 2], n - 1 - low]))
        reach = max(64, self.samples(FAR))
        parts = [slice(0, edge + reach), slice(n // 2 - reach, n // 2 + reach),
                 slice(n - edge - reach, n)]  # fmt: skip
        if edge + reach > n // 4:
            return at, self.covariance(at)
        own = [at[(at >= p.start) & (at < p.stop)] for p in parts]
        return at, np.concatenate([self.part(p).covariance(k - p.start)
                                   for p, k in zip(parts, own, strict=True)])  # fmt: skip

    @property
    def _even(self) -> bool:
        """Whether no sample is missing and the times between them are much the same."""
        step = np.diff(self.t)
        usual = float(np.median(step))
        return bool((self.weight > 0).all() and np.abs(step - usual).max() < EVEN * usual)

    @cached_property
    def inverse(self) -> Array:
        """The bands of the inverse of the normal matrix."""
        return inverse_bands(self.normal)

    def covariance(self, at: Array) -> Array:
        """Return the covariance of (x, ẋ, ẍ) at sample numbers, for noise of variance 1.

        That of the posterior whose mean the spline is (Wahba, J. R. Stat. Soc. B 45, 1983): it
        counts noise and what smoothing took away, which matters at the ends. A sample sees six
        coefficients, so that the bands of the inverse are enough (Hutchinson and de Hoog,
        Numerische Mathematik 47, 1985).
        """
        if len(at) > BLOCK:  # of 36 products for each sample
            parts = np.array_split(at, -(-len(at) // BLOCK))
            return np.concatenate([self.covariance(part) for part in parts])
        t, knots, bands = self.t[at], self.knots, self.inverse
        first = splines(t, knots, 0).indices[:: DEGREE + 1]
        rows = np.stack([_six(rate_matrix(t, knots, k), first) for k in range(3)], axis=1)
        i, j = np.meshgrid(np.arange(DEGREE + 1), np.arange(DEGREE + 1), indexing="ij")
        own = bands[np.abs(i - j), first[:, None, None] + np.minimum(i, j)]
        return np.asarray(rows @ own @ rows.transpose(0, 2, 1))


def _filled(x: Array, hop: float) -> Array:
    """Return x with points between those that are far apart."""
    more = np.rint(np.diff(x) / hop).astype(np.int64).clip(1)
    if (more == 1).all():
        return x
    within = np.arange(more.sum()) - np.repeat(np.cumsum(more) - more, more)
    return np.append(np.repeat(x[:-1], more) + within * np.repeat(np.diff(x) / more, more), x[-1])


def _six(B: Any, first: Array) -> Array:
    """Return the six columns from `first` on of each row of a sparse matrix."""
    row = np.repeat(np.arange(B.shape[0]), np.diff(B.indptr))
    out = np.zeros((B.shape[0], DEGREE + 1))
    out[row, B.indices - first[row]] = B.data
    return out


def inverse_bands(factor: Array) -> Array:
    """Return bands d of the inverse of UᵀU, entry (k, k + d) at [d, k], from the bands of U.

    The inverse S obeys U S = U⁻ᵀ, which is lower triangular: its rows follow from the last one up,
    each from the five below it (Erisman and Tinney, Comm. ACM 18, 1975). Long matrices go in
    stretches side by side: what lies `LEAD` coefficients below a row has no effect on it.
    """
    count, w = factor.shape[1], DEGREE
    U = np.zeros((w + 1, count + w))  # U[d, k]: row k and column k + d
    for d in range(w + 1):
        U[d, : count - d] = factor[w - d, d:]
    U[0, count:] = 1.0
    stretch = count if count < 4 * LEAD else STRETCH
    last = np.minimum(np.arange(stretch, count + stretch, stretch), count)
    start = np.minimum(last + LEAD, count + w)
    below = np.zeros((len(last), w, w))  # S of the five rows below
    out = np.zeros((w + 1, count))
    for step in range(1, stretch + LEAD + w + 1):
        k = start - step
        at = np.maximum(k, 0)
        own = U[:, at] * (k < count)
        own[0] = U[0, at]
        side = -np.einsum("dn,nde->ne", own[1:], below) / own[0][:, None]
        middle = (1 / own[0] - np.einsum("dn,nd->n", own[1:], side)) / own[0]
        keep = (k >= 0) & (k < last) & (k >= last - stretch)
        out[0, k[keep]] = middle[keep]
        out[1:, k[keep]] = side[keep].T
        below[:, 1:, 1:] = below[:, :-1, :-1].copy()
        below[:, 0, 0] = middle
        below[:, 0, 1:] = below[:, 1:, 0] = side[:, :-1]
    return out


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
