"""Whether a matrix is positive definite over a box of postures, proven.

The least eigenvalue is the least of xᵀ A(q) x over unit vectors x: what `bound` says of -xᵀ A x.
The matrix is scaled to a unit diagonal at the middle of the box, which changes no sign.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from .bound import halved
from .postures import Array, up
from .waves import Waves

ROUNDING = 1e-12  # of the norm: far more than the error of eigenvalues and of the scaling


class Least:
    """The functions -xᵀ A(q) x of a scaled matrix, its entries i <= j row by row."""

    def __init__(self, waves: Waves, n: int, scale: Array):
        self.waves, self.n = waves, n
        self.rows, self.columns = np.triu_indices(n)
        self.weight = scale[self.rows] * scale[self.columns]
        self.twice = np.where(self.rows == self.columns, 1.0, 2.0)

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
