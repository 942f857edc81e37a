"""A number that a family of functions never passes over a box of postures, proven.

The functions F_w(q) belong to motions w (to unit vectors, where a matrix is asked for), and each is
a sum of waves. Wanted is M, the largest value of any of them over the postures of the box.

The postures and the w are closed and bounded sets and F is continuous: so M is attained, at some q*
and w*. As a function of the posture alone F_w* is largest at q*; hence its slope along each joint
is zero there, except along joints that stand at one of their limits. In sums of angles s = L q,
with q = P s, the slope along s_u is Σ_v P_vu ∂F/∂q_v: zero unless such a joint has a part in it.

Let q* lie in a part of the box with the centre c and the half widths h, and let `met` be the sums
along which a limit may be met in this part. Go from q* to c, first along the other sums: the slope
of F_w* is zero there, so by Taylor's theorem its value changes by at most ½ Σ H_uv h_u h_v, both
sums over these others. Then along the sums in `met`, with Taylor's theorem at c. Together

    M <= top(c) + Σ_met |slope_u(c)| h_u + ½ Σ_met H_uv h_u h_v + ½ Σ_others H_uv h_u h_v,

where top(c) is the largest of all F_w at c, and H_uv = Σ amplitude steepness_u steepness_v over the
waves bounds all second derivatives, anywhere and for every w. This holds for the part that has q*,
whichever it is: so M is at most the largest of these numbers over parts that cover the box. The
worst parts are halved until all are below a goal. A half is never worse than the whole.

Rounding: `waves` and `force` say what `slack` covers. A half of a part is wider than a half by what
its centre may be off, so no posture is lost between two of them; parts without postures are left
out only if they miss the limits by more than rounding (`postures`). H and what is made of it and h
are sums of positive numbers, rounded up.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from .attained import motion
from .force import Force
from .postures import Array, Domain, U, up
from .waves import Waves

AT_ONCE = 1024
CLOSE = 1.35  # a bound this near to a found value is not improved further
Goal = Callable[[Array, Array], float]  # of some centres and their tops: what is small enough


class Family(Protocol):
    """Functions of the posture over one set of waves."""

    waves: Waves

    @property
    def amplitude(self) -> Array:
        """Of each wave, what the amplitude of no function passes."""

    @property
    def slack(self) -> float:
        """What `top` may be too small by."""

    def top(self, centre: Array) -> Array:
        """Return the largest value of all functions at sums of angles (N, V)."""

    def slope(self, centre: Array) -> Array:
        """Return what no slope along a sum passes at sums of angles (N, V)."""


def halved(family: Family, goal: Goal, budget: int) -> float:
    """Return a number that no function of the family passes; `budget` parts are looked at."""
    steep, box = family.waves.steep, family.waves.postures
    H = bends(family)
    most = float(family.amplitude.sum()) * up(len(steep)) + family.slack
    if not (np.isfinite(most) and np.isfinite(H).all()):
        return float("inf")
    domain = Domain(box, steep.any(axis=0))
    centre, half = ((box.from_ + box.to) / 2)[None], ((box.to - box.from_) / 2)[None]
    half = half * up(8) + 4 * U * np.abs(centre)
    upper, top, _ = examined(family, domain, H, centre, half)
    upper = np.minimum(upper, most)
    settled, seen = -np.inf, 1
    while len(upper):
        best = np.argsort(top)[-4:]
        open_ = upper > goal(centre[best], top[best])
        settled = max(settled, float(upper[~open_].max(initial=-np.inf)))
        centre, half, upper = centre[open_], half[open_], upper[open_]
        if not len(upper) or seen >= budget:
            break
        some = min(len(upper), max(AT_ONCE, len(upper) // 4), 8 * AT_ONCE)
        worst = np.argpartition(upper, -some)[-some:]
        rest = np.ones(len(upper), dtype=bool)
        rest[worst] = False
        parts, narrow = _halves(centre[worst], half[worst], H)
        above, top, kept = examined(family, domain, H, parts, narrow)
        above = np.minimum(above, np.tile(upper[worst], 2)[kept])
        seen += len(parts)
        centre, half, upper = (np.concatenate([x[rest], y]) for x, y in (
            (centre, parts[kept]), (half, narrow[kept]), (upper, above)))  # fmt: skip
    return max(settled, float(upper.max(initial=-np.inf)))


def bends(family: Family) -> Array:
    """Return H, which no second derivative passes."""
    steep = family.waves.steep
    return np.einsum("k,ku,kv->uv", family.amplitude, steep, steep) * up(len(steep))


def _halves(centre: Array, half: Array, H: Array) -> tuple[Array, Array]:
    """Return both halves of each part, cut where its second derivatives weigh most."""
    at = np.arange(len(centre)), (half * (half @ H)).argmax(axis=1)
    shift, narrow = np.zeros_like(centre), half.copy()
    shift[at] = half[at] / 2
    # each half reaches over the cut by more than its centre may be off
    narrow[at] = half[at] / 2 * up(1) + 4 * U * (np.abs(centre[at]) + half[at])
    return np.concatenate([centre - shift, centre + shift]), np.concatenate([narrow, narrow])


def examined(
    family: Family, domain: Domain, H: Array, centre: Array, half: Array
) -> tuple[Array, Array, Array]:
    """Return bounds over the parts that hold postures, the tops there, and which parts these are.

    A bound is worth what it says only for the part that holds the largest value of all.
    """
    possible, met = domain.judged(centre, half)
    kept = np.flatnonzero(possible)
    centre, half, met = centre[kept], half[kept], met[kept]
    top = family.top(centre)
    if not met.any():
        bent = np.einsum("nu,nu->n", half @ H, half)
        return top + family.slack + bent / 2 * up(H.size), top, kept
    along, others = half * met, half * ~met
    bent = sum(np.einsum("nu,nu->n", x @ H, x) for x in (along, others))
    # no slope is steeper than the waves together: good enough along what hardly moves
    steepest = family.amplitude @ family.waves.steep
    first = along @ steepest
    rows = np.flatnonzero(first > 1e-9 * family.amplitude.sum())
    first[rows] = (family.slope(centre[rows]) * along[rows]).sum(axis=1)
    return top + family.slack + (first + bent / 2) * up(H.size + len(family.amplitude)), top, kept


def proven(
    force: Force, found: float, budget: int, close: float = CLOSE, enough: float = 0.0
) -> tuple[float, float]:
    """Return (a bound that |force| never passes over the box, the largest value found).

    The search ends once the bound is within `close` of what was found, or below `enough`.
    """

    def goal(centre: Array, top: Array) -> float:
        nonlocal found
        if len(centre) and top.max() > found:
            found = max(found, motion(force, force.waves.postures.of(centre))[0])
        # no halving takes the slack off
        return max(close * found + force.slack, enough, 4 * force.slack)

    if not len(force.waves.K):
        return force.slack, found
    bound = halved(force, goal, budget)
    return bound, found


# -- whether a matrix is positive definite over a box of postures, proven -------------------------


ROUNDING = 1e-12  # of the norm: far more than the error of eigenvalues and of the scaling


class Least:
    """The functions -xᵀ A(q) x of a scaled matrix, its entries i <= j row by row.

    The least eigenvalue is the least of xᵀ A(q) x over unit vectors x. The matrix is scaled to a
    unit diagonal at the middle of the box, which changes no sign.
    """

    def __init__(self, waves: Waves, n: int, scale: Array):
        self.waves, self.n = waves, n
        self.rows, self.columns = np.triu_indices(n)
        self.weight = scale[self.rows] * scale[self.columns]

    def _matrices(self, entries: Array) -> Array:
        """Return the scaled matrices of entries (N, P)."""
        S = np.zeros((len(entries), self.n, self.n))
        S[:, self.rows, self.columns] = S[:, self.columns, self.rows] = entries * self.weight
        return S

    def _norm(self, entries: Array) -> Array:
        """Return what no eigenvalue of the scaled matrices passes."""
        S = self._matrices(entries)
        return np.sqrt((S**2).sum(axis=(1, 2))) * up(self.n**2)

    def top(self, centre: Array) -> Array:
        """Return minus the least eigenvalue, but for rounding."""
        return -np.linalg.eigvalsh(self._matrices(self.waves.values(centre)))[:, 0]

    def slope(self, centre: Array) -> Array:
        """Return what no slope of xᵀ A x along a sum passes."""
        slope = self.waves.at(centre)[1]
        return np.stack([self._norm(slope[..., v]) for v in range(slope.shape[2])], axis=1)

    @cached_property
    def amplitude(self) -> Array:
        """What the amplitude of each wave of xᵀ A x never passes."""
        sizes = []
        for x in (self.waves.a.T, self.waves.b.T):
            most = np.abs(np.linalg.eigvalsh(self._matrices(x))).max(axis=1, initial=0.0)
            sizes.append(most + ROUNDING * self._norm(x))
        return np.hypot(*sizes) * self.waves.power * up(8)

    @cached_property
    def slack(self) -> float:
        """What `top` may be too small by."""
        w: Any = self.waves
        lost = float(self._norm(w.slack[None])[0])
        return lost + ROUNDING * float(self._norm(w.amount[None])[0])


def definite(waves: Waves, n: int, budget: int) -> bool:
    """Return whether a matrix, its entries i <= j row by row, is proven positive definite."""
    box = waves.postures
    middle = waves.values(((box.from_ + box.to) / 2)[None])[0]
    diagonal = middle[[i == j for i in range(n) for j in range(i, n)]]
    if not (diagonal > 0).all():
        return False
    family = Least(waves, n, 1 / np.sqrt(diagonal))
    if not np.isfinite(family.slack):
        return False
    # where it is not definite at a posture, nothing is left to prove
    return halved(family, lambda _, top: -1e-300 if top.max(initial=-1.0) < 0 else np.inf,
                  budget) < 0  # fmt: skip
