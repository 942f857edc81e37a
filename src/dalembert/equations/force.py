"""The force that some coefficients make at one joint: at motions, and the largest one.

At one posture the force is linear in the accelerations and quadratic in the rates, so its largest
value over their box is known but for squares that pull the other way: these count as zero, which is
never too little.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from .box import Box
from .postures import Array, U, up
from .waves import Waves

Motion = tuple[int, ...]  # what a coefficient stands with: () gravity, (j,) q̈_j, (j, k) q̇_j q̇_k
CORNERS = 9  # joints whose rates are tried in all corners


class Force:
    """Σ coefficient x motion of one joint: its value at motions, and its largest one."""

    def __init__(self, waves: Waves, motions: Sequence[Motion], box: Box):
        self.waves, self.motions, self.box = waves, list(motions), box
        self.n = len(box.qd)
        self.qd, self.qdd = np.array(box.qd, dtype=float), np.array(box.qdd, dtype=float)
        self.still = [p for p, m in enumerate(self.motions) if not m]
        self.pushed = [p for p, m in enumerate(self.motions) if len(m) == 1]
        self.square = [p for p, m in enumerate(self.motions) if len(m) == 2 and m[0] == m[1]]
        self.mixed = [p for p, m in enumerate(self.motions) if len(m) == 2 and m[0] != m[1]]
        self.size = np.array([self._size(m) for m in self.motions])

    def _size(self, motion: Motion) -> float:
        if len(motion) == 1:
            return float(np.abs(self.qdd[motion[0]]).max())
        return float(np.prod([np.abs(self.qd[j]).max() for j in motion])) * up(1)

    @cached_property
    def _moving(self) -> list[int]:
        return sorted({j for p in self.mixed for j in self.motions[p]})

    @cached_property
    def _corners(self) -> tuple[Array, Array]:
        """Rates in the corners of the box, and their products, one for each mixed coefficient.

        Corners with the same products (all rates reversed) stand once.
        """
        ends = [self.qd[j] if j in self._moving else self.qd[j][:1] for j in range(self.n)]
        rates = np.array(list(product(*ends)), dtype=float).reshape(-1, self.n)
        a, b = (np.array([self.motions[p][k] for p in self.mixed], dtype=int) for k in (0, 1))
        pairs, first = np.unique(rates[:, a] * rates[:, b], axis=0, return_index=True)
        return rates[first], pairs

    # -- the largest force -------------------------------------------------------------------------

    def largest(self, f: Array) -> Array:
        """Return a number that |force| never passes at postures with the coefficients f (N, P).

        It moves by no more than Σ size |df| when f does. Rates alone make a form without squares
        (`mixed`), linear in each of them, so largest in a corner.
        """
        low, high = self.qdd.T
        still = f[:, self.still].sum(axis=1)
        joints = [self.motions[p][0] for p in self.pushed]
        still = still + f[:, self.pushed] @ ((low + high) / 2)[joints]
        pushed = np.abs(f[:, self.pushed]) @ ((high - low) / 2)[joints]
        above, below = self._squares(f)
        if len(self._moving) > CORNERS:
            mixed = np.abs(f[:, self.mixed]) @ self.size[self.mixed]
            above, below = above + mixed, below - mixed
        elif self.mixed:
            corners = f[:, self.mixed] @ self._corners[1].T
            above, below = above + corners.max(axis=1), below + corners.min(axis=1)
        return np.maximum(still + above, -(still + below)) + pushed

    def _squares(self, f: Array) -> tuple[Array, Array]:
        """Return the largest and the least of Σ C q̇²."""
        v = self.qd[[self.motions[p][0] for p in self.square]].reshape(-1, 2)
        top = (v**2).max(axis=1)
        least = np.where((v[:, 0] <= 0) & (v[:, 1] >= 0), 0.0, (v**2).min(axis=1))
        c = f[:, self.square]
        plus, minus = np.maximum(c, 0.0), np.minimum(c, 0.0)
        return plus @ top + minus @ least, plus @ least + minus @ top

    # -- a family of functions of the posture, one for each motion ---------------------------------

    def top(self, centre: Array) -> Array:
        """Return the largest |force| at sums of angles (N, V), but for rounding."""
        return self.largest(self.waves.values(centre))

    def slope(self, centre: Array) -> Array:
        """Return what no slope of the force along a sum passes at sums of angles (N, V)."""
        slope = self.waves.at(centre)[1]
        return np.einsum("npv,p->nv", np.abs(slope), self.size) * up(len(self.size))

    @cached_property
    def amplitude(self) -> Array:
        """What the amplitude of each wave never passes, whatever the motion."""
        w = self.waves
        lost = 4 * U * (len(self.size) + 16) * (self.size @ (np.abs(w.a) + np.abs(w.b)))
        apart = self.size @ np.hypot(w.a, w.b)
        together = np.hypot(self.largest(w.a.T), self.largest(w.b.T))
        return (np.minimum(apart, together) + lost) * w.power * up(8)

    @cached_property
    def slack(self) -> float:
        """What `top` may be too small by: rounding of waves, and of the sum over motions.

        The sum is off by (P + 16) u of the sum of all sizes, however much of it cancels.
        """
        w = self.waves
        rounding = 4 * U * (len(self.size) + 16) * w.amount
        return float((w.slack + rounding) @ self.size) * up(len(self.size))

    # -- motions -----------------------------------------------------------------------------------

    def attained(self, f: Array) -> tuple[Array, Array, Array]:
        """Return |force|, rates and accelerations of the best motion found at each posture."""
        low, high = self.qdd.T
        both = np.concatenate([f, -f])  # pulled up, and pulled down
        qd = self._rates(both)
        slope = np.zeros((len(both), self.n))
        slope[:, [self.motions[p][0] for p in self.pushed]] = both[:, self.pushed]
        qdd = np.where(slope >= 0, high, low)
        total = np.abs((self.weights(qd, qdd) * both).sum(axis=1)).reshape(2, len(f))
        best = total.argmax(axis=0), np.arange(len(f))
        return total[best], qd.reshape(2, len(f), -1)[best], qdd.reshape(2, len(f), -1)[best]

    def weights(self, qd: Array, qdd: Array) -> Array:
        """Return what each coefficient is multiplied by in motions."""
        w = np.ones((len(qd), len(self.motions)))
        for p, m in enumerate(self.motions):
            if m:
                w[:, p] = qdd[:, m[0]] if len(m) == 1 else qd[:, m[0]] * qd[:, m[1]]
        return w

    def _rates(self, f: Array) -> Array:
        """Return rates that make Σ B q̇ q̇ + Σ C q̇² large: a corner, then joint after joint."""
        rows, n = np.arange(len(f)), self.n
        corners = self.mixed and len(self._moving) <= CORNERS
        rates: Any = self.qd[:, 0][None]
        at = np.zeros(len(f), dtype=int)
        if corners:
            rates, pairs = self._corners
            at = np.argmax(f[:, self.mixed] @ pairs.T, axis=1)
        qd = rates[at].copy()
        B, C = np.zeros((len(f), n, n)), np.zeros((len(f), n))
        for p in self.mixed:
            a, b = self.motions[p]
            B[:, a, b] = B[:, b, a] = f[:, p]
        for p in self.square:
            C[:, self.motions[p][0]] = f[:, p]
        moves = [j for j in range(n) if B[:, j].any() or C[:, j].any()]
        for _ in range(2):
            for j in moves:
                c, b = C[:, j], np.einsum("nk,nk->n", B[:, j], qd)
                low, high = self.qd[j]
                vertex = np.clip(np.where(c < 0, -b / np.where(c < 0, 2 * c, 1.0), low), low, high)
                tried = np.empty((3, len(f)))
                tried[0], tried[1], tried[2] = low, high, vertex
                qd[:, j] = tried[((c * tried + b) * tried).argmax(axis=0), rows]
        return qd
