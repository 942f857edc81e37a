"""Gains: one number for all joints, one per joint, or a full matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import UsageError, shown
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
    if not np.isfinite(gain).all():
        raise UsageError(f"{name} holds a number that is not finite", hint="look for nan, inf")
    return gain


def limit_of(values: Any, n: int) -> Array:
    """Return the largest force of each motor; infinity is none."""
    limit = np.asarray(values, dtype=float)
    if limit.shape not in ((), (1,), (n,)):
        raise UsageError(f"limit has shape {limit.shape}, expected a number or ({n},)")
    if not (limit >= 0).all():
        what = f"limit holds {limit.ravel()[np.flatnonzero(~(limit >= 0))[0]]:g}"
        raise UsageError(what, hint="the largest force either way, 0 or more")
    return np.broadcast_to(limit, (n,))


def by_name(
    given: Mapping[str, Any], names: Sequence[str], what: str, rest: Mapping[str, float]
) -> Array:
    """Return numbers given by joint name in the order of names; `rest` is for those not given."""
    for name in given:
        if name not in names:
            some = ", ".join(map(shown, names[:12]))
            raise UsageError(f"{what}: no motor {shown(str(name))!r}", hint=f"there are: {some}")
    left = [n for n in names if n not in given and n not in rest]
    if left:
        raise UsageError(f"{what} says nothing of {', '.join(map(shown, left[:8]))}",
                         hint="every joint with a motor has one")  # fmt: skip
    return np.array([float(given.get(n, rest.get(n, 0.0))) for n in names])


def times(gain: Vector, full: bool, x: Vector) -> list[Scalar]:
    """Return the product of a gain, flat, with a vector."""
    n = len(x)
    if not full:
        return [g * e for g, e in zip(gain, x, strict=True)]
    return [sum((gain[r * n + c] * x[c] for c in range(n)), 0) for r in range(n)]


def applied(gain: Any, n: int, name: str, x: Array) -> Array:
    """Return the product of a gain, in any of its forms, with arrays (..., n)."""
    K = gain_of(gain, n, name)
    return K * x if K.ndim == 1 else np.einsum("ij,...j->...i", K, x)
