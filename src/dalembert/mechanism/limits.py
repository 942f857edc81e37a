"""Joint limits as numbers; infinite without a limit, or while its parameters have no value.

A joint that others follow is held by their limits too: q of the follower is ratio · q + offset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf, isnan, nan
from typing import Any

from ..errors import ParameterError
from ..expr.exact import to_float
from .follower import Follower
from .mechanism import Mechanism
from .parts import Body


def coordinate_limits(m: Mechanism) -> list[tuple[float, float]]:
    """Return (lower, upper) of each coordinate; those of a joint with a quaternion are open."""
    rows: list[tuple[float, float]] = []
    for b in m.bodies:
        own = _pairs(m, b.limits if b.joint.nq == b.joint.nv else ())
        rows += own or [(-inf, inf)] * b.joint.nq
    for _, follower, ratio in _followers(m):
        for low, high in _pairs(m, follower.limits):
            at = m.coordinate_index[m.joint_index(follower.of)]
            ends = sorted((x - _number(m, follower.offset, nan)) / ratio for x in (low, high))
            both = max(rows[at][0], ends[0]), min(rows[at][1], ends[1])
            # limits that leave no room contradict each other: those of the leader hold
            rows[at] = both if both[0] < both[1] else rows[at]
    return rows


def rate_limits(m: Mechanism, name: str) -> list[float]:
    """Return the `velocity_limit` or `effort_limit` of each velocity variable, above zero."""
    rows = [abs(_number(m, getattr(b, name), inf)) for b in m.bodies for _ in range(b.joint.nv)]
    if name == "velocity_limit":  # a follower has no motor, and so no force of its own
        for body, follower, ratio in _followers(m):
            at = m.velocity_index[m.joint_index(follower.of)]
            rows[at] = min(rows[at], abs(_number(m, body.velocity_limit, inf) / ratio))
    return rows


def _followers(m: Mechanism) -> Iterator[tuple[Body, Follower, float]]:
    """Yield the bodies on joints that follow another one, at a ratio that is not zero."""
    for b in m.bodies:
        if isinstance(b.joint, Follower) and (ratio := _number(m, b.joint.ratio, 0.0)):
            yield b, b.joint, ratio


def _pairs(m: Mechanism, pairs: Iterable[tuple[Any, Any]]) -> list[tuple[float, float]]:
    return [(_number(m, low, -inf), _number(m, high, inf)) for low, high in pairs]


def _number(m: Mechanism, limit: Any, open_end: float) -> float:
    if limit is None:
        return open_end
    try:
        number = float(to_float(limit, m.floats))
    except (ParameterError, TypeError, ValueError):
        return open_end
    return open_end if isnan(number) else number
