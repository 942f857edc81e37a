"""How fast a path may be run: the largest share of its speed that the forces allow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray
ALMOST_STILL = 1e-9  # share of the speed that tells the direction of friction
ROUNDS = 40
OVER = 1 + 1e-9


def largest_share(force: Callable[[Array], Array], limit: Array, most: Array) -> Array:
    """Return the largest share of the speed, up to `most`, at which forces keep their limits.

    `force(s)` gives the forces (paths, samples, motors) with rates s q̇ and accelerations s² q̈, s
    being one number for each path. They are c + v s + a s²: gravity and dry friction, viscous
    friction, inertia. Where dry friction falls with the speed they are not quite, and the share is
    lowered until the forces fit. 0 where no slower motion does.
    """
    ones = np.ones_like(most)
    whole, half, still = force(ones), force(ones / 2), force(ALMOST_STILL * ones)
    square = 2 * (whole - 2 * half + still)
    share = _quadratic_share((still, whole - still - square, square), limit, most)

    def exceeds(s: Array) -> Array:
        return np.asarray((np.abs(force(s)) > limit * OVER).any(axis=(1, 2)))

    low = high = share
    for _ in range(ROUNDS):
        over = exceeds(low)
        if not over.any():
            break
        low, high = np.where(over, low / 2, low), np.where(over, low, high)
    if (low == high).all():
        return share
    low = np.where(exceeds(low), 0.0, low)
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        over = exceeds(middle)
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return low


def _quadratic_share(parts: tuple[Array, Array, Array], limit: Array, most: Array) -> Array:
    """Return the largest share s with |c + v s + a s²| within the limits at all samples."""
    c, v, a = parts
    share = most
    for _ in range(ROUNDS):
        s = share[:, None, None]
        f = c + (v + a * s) * s
        over = np.abs(f) > limit * OVER
        if not over.any():
            break
        # slower and slower, a force that is too large comes back to its limit at a root
        with np.errstate(all="ignore"):
            gap = c - np.sign(f) * limit
            q = -(v + np.where(v < 0, -1.0, 1.0) * np.sqrt(v * v - 4 * a * gap)) / 2
            roots = np.stack([q / a, gap / q])
        roots = np.where((roots >= 0) & (roots < s), roots, 0.0)  # NaN is no root
        back = np.where(over, roots.max(axis=0), s)
        share = np.minimum(share, back.min(axis=(1, 2)))
    return share
