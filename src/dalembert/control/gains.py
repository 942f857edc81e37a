"""Gains: one number for all joints, one per joint, or a full matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UsageError
from ..expr import Scalar
from ..joint import Vector

Array = np.ndarray


def gain_of(values: Any, n: int, name: str) -> Array:
    """Return a gain as one number per joint, or as a full matrix."""
    gain = np.asarray(values, dtype=float)
    if gain.ndim == 0:
        gain = np.full(n, float(gain))
    if gain.shape not in ((n,), (n, n)):
        raise UsageError(f"{name} has shape {gain.shape}, expected a number, ({n},) or ({n}, {n})")
    return gain


def times(gain: Vector, full: bool, x: Vector) -> list[Scalar]:
    """Return the product of a gain, flat, with a vector."""
    n = len(x)
    if not full:
        return [g * e for g, e in zip(gain, x, strict=True)]
    return [sum((gain[r * n + c] * x[c] for c in range(n)), 0) for r in range(n)]
