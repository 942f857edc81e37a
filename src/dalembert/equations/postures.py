"""The postures of a box in sums of angles: which parts hold some, and which reach a limit.

A range of a full turn or more is a full turn, and so is a sum with such a joint: it has no limits.
The other joints have two, planes of the space of sums; where a sum is taken less full turns, so are
they. Joints of which not all sums are in use count by the ranges of their sums instead: a larger
set of postures, so a bound over it holds for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any
U = 2.0**-53
TURN = float(np.nextafter(np.pi, 4.0))  # a little more than half a turn
WIDER = 1e-9  # parts of a box may reach past it by rounding: as much as this of its size
NEAR = 1e-12  # of all sizes: what rounding may hide, always to the safe side


def up(parts: int) -> float:
    """Return a factor that covers the rounding of a sum of so many positive numbers."""
    return 1 + 4 * U * (parts + 8)


class Postures:
    """Ranges of joints and of the sums of their angles, s = sums @ q and q = parts @ s."""

    def __init__(self, ranges: Sequence[tuple[float, float]], turns: Sequence[bool], sums: Array):
        full = [(-TURN, TURN) if turn and b - a >= 2 * np.pi else (a, b)
                for (a, b), turn in zip(ranges, turns, strict=True)]  # fmt: skip
        self.low, self.high = (np.array(x, dtype=float) for x in zip(*full, strict=True))
        self.turning = np.array([(a, b) == (-TURN, TURN) for a, b in full], dtype=bool)
        self.sums, self.parts = sums, np.rint(np.linalg.inv(sums))  # whole numbers
        if (self.sums @ self.parts != np.eye(len(full))).any():
            self.sums = self.parts = np.eye(len(full))
        # ranges of the sums, rounded outward
        size = np.abs(self.sums)
        self.around = size @ self.turning > 0
        lost = 4 * U * (len(full) + 4) * (size @ (np.abs(self.low) + np.abs(self.high)))
        middle, half = self.sums @ (self.low + self.high) / 2, size @ (self.high - self.low) / 2
        self.from_ = np.where(self.around, -TURN, middle - half - lost)
        self.to = np.where(self.around, TURN, middle + half + lost)
        self.most = np.maximum(np.abs(self.from_), np.abs(self.to)) * (1 + WIDER)

    def of(self, sums: Array) -> Array:
        """Return postures of the box at or near sums of angles, full turns taken off."""
        q = sums @ self.parts.T
        q = np.where(self.turning, np.remainder(q + np.pi, 2 * np.pi) - np.pi, q)
        return np.clip(q, self.low, self.high)


class Domain:
    """The limits of the joints as rows: normal @ sums between two numbers."""

    def __init__(self, postures: Postures, used: Array):
        linked = _linked(postures.sums)
        whole = np.array([used[linked[v]].all() for v in range(len(postures.low))], dtype=bool)
        rows: list[tuple[Array, float, float, bool]] = []
        for v in range(len(postures.low)):
            normal = np.eye(len(postures.low))[v]
            if whole[v] and not postures.turning[v]:
                loose = bool((np.abs(postures.parts[v]) @ postures.around) > 0)
                rows.append((postures.parts[v], postures.low[v], postures.high[v], loose))
            elif not whole[v] and used[v] and not postures.around[v]:
                rows.append((normal, postures.from_[v], postures.to[v], False))
        self.normal = np.array([r[0] for r in rows]).reshape(len(rows), len(postures.low))
        low, high = (np.array([r[k] for r in rows], dtype=float) for k in (1, 2))
        self.middle, self.width = (low + high) / 2, (high - low) / 2
        self.loose = np.array([r[3] for r in rows], dtype=bool)
        self.size = np.abs(low) + np.abs(high)

    def judged(self, centre: Array, half: Array) -> tuple[Array, Array]:
        """Return which parts hold postures (N), and along which sums a limit may be met (N, V)."""
        size = np.abs(self.normal)
        off = centre @ self.normal.T - self.middle
        near = NEAR * (8 + self.size + np.abs(centre) @ size.T)
        off = np.abs(np.where(self.loose, np.remainder(off + np.pi, 2 * np.pi) - np.pi, off))
        reach = half @ size.T + near
        possible = (off - reach <= self.width).all(axis=1)
        touching = off + reach >= self.width
        return possible, (touching[:, :, None] & (size > 0)).any(axis=1)


def _linked(sums: Array) -> list[Array]:
    """Return for each variable all that stand in sums together with it, however indirectly."""
    reach = (np.abs(sums) + np.abs(sums).T) > 0
    for _ in range(len(sums)):
        reach = (reach.astype(float) @ reach.astype(float)) > 0
    return [np.flatnonzero(row) for row in reach]
