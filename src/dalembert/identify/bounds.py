"""What an exciting motion must keep: limits of the joints, and boxes of the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UsageError, shown
from ..expr.exact import to_float
from ..mechanism import Mechanism

Array = np.ndarray
INSIDE = 0.98  # of a limit
HIGHEST = 1e12  # rad/s² or m/s²: more is no limit that is meant
BOX = "[[x0, x1], [y0, y1], [z0, z1]]"


@dataclass(frozen=True, eq=False)
class Bounds:
    """What a motion may not pass: position, speed, acceleration, force, and boxes of frames."""

    q: Array  # (nv, 2)
    qd: Array
    qdd: Array
    tau: Array
    boxes: Mapping[str, Array]


def bounds_of(m: Mechanism, acceleration: Any, workspace: Any) -> Bounds:
    """Return the limits of a mechanism, with those that were given."""
    values = m.floats

    def number(x: Any) -> float:
        return np.inf if x is None else abs(float(to_float(x, values)))

    moving = [b for b in m.bodies if b.joint.nv]
    limits = np.array([_limits(b, values) for b in moving])
    qdd = np.full(m.nv, np.inf) if acceleration is None else _accelerations(m, acceleration)
    qd = np.array([number(b.velocity_limit) for b in moving])
    tau = np.array([number(b.effort_limit) for b in moving])
    # a joint that nothing limits would move without bound: 10 rad/s² or m/s²
    endless = ~np.isfinite(qd) & ~np.isfinite(qdd) & ~np.isfinite(tau)
    qdd = np.where(endless, 10.0, qdd)
    middle = limits.mean(axis=1, keepdims=True)
    inner = middle + INSIDE * (limits - middle)
    boxes = _boxes(m, workspace)
    return Bounds(inner, INSIDE * qd, INSIDE * np.asarray(qdd), INSIDE * tau, boxes)


def _accelerations(m: Mechanism, given: Any) -> Array:
    """Return the largest acceleration of each joint."""
    x = _numbers(given)
    if x is None or x.shape not in ((), (1,), (m.nv,)) or not (x > 0).all():
        raise UsageError(
            f"acceleration={shown(repr(given))}",
            hint=f"one positive number, or {m.nv}, in rad/s2 or m/s2",
        )
    if not (x[np.isfinite(x)] < HIGHEST).all():
        raise UsageError(f"acceleration={shown(repr(given))}", hint="leave it out for no limit")
    return np.broadcast_to(x, (m.nv,))


def _boxes(m: Mechanism, given: Any) -> dict[str, Array]:
    """Return the box of each frame."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise UsageError(f"workspace={shown(repr(given))}", hint=f'{{"tip": {BOX}}}')
    boxes: dict[str, Array] = {}
    for frame, own in given.items():
        m.frame(frame)
        box = _numbers(own)
        if box is None or box.shape != (3, 2) or not (box[:, 0] < box[:, 1]).all():
            raise UsageError(f"the box of {shown(str(frame))!r} is {shown(repr(own))}", hint=BOX)
        boxes[frame] = box
    return boxes


def _numbers(given: Any) -> Array | None:
    """Return an array of numbers; None of anything else, such as truths or texts."""
    try:
        x = np.asarray(given)
        return x.astype(float) if x.dtype.kind in "fiu" else None
    except ValueError:  # rows of unequal length
        return None


def _limits(body: Any, values: dict[str, float]) -> tuple[float, float]:
    wide = np.pi if body.joint.kind != "prismatic" else 0.5
    low, high = body.limits[0] if body.limits else (None, None)
    a, b = (None if x is None else float(to_float(x, values)) for x in (low, high))
    if a is not None and b is not None:
        return max(a, (a + b) / 2 - 2 * np.pi), min(b, (a + b) / 2 + 2 * np.pi)
    return (-wide if b is None else b - 2 * wide) if a is None else a, (
        (wide if a is None else a + 2 * wide) if b is None else b
    )
