"""Joint limits as numbers; infinite without a limit, or while its parameters have no value.

A joint that others follow is held by their limits too: q of the follower is ratio · q + offset.
`values` are those of parameters of another design; NaN leaves open what depends on one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf, isnan, nan
from typing import Any

from ..errors import ParameterError
from ..expr.exact import to_float
from .follower import Follower
from .mechanism import Mechanism
from .parts import Body

Floats = Mapping[str, float]


def coordinate_limits(
    m: Mechanism, values: Mapping[str, float] | None = None
) -> list[tuple[float, float]]:
    """Return (lower, upper) of each coordinate; those of a joint with a quaternion are open."""
    rows: list[tuple[float, float]] = []
    known = {**m.floats, **(values or {})}
    for b in m.bodies:
        own = _pairs(known, b.limits if b.joint.nq == b.joint.nv else ())
        rows += own or [(-inf, inf)] * b.joint.nq
    for _, follower, ratio in _followers(m, known):
        for low, high in _pairs(known, follower.limits):
            at = m.coordinate_index[m.joint_index(follower.of)]
            ends = sorted((x - _number(known, follower.offset, nan)) / ratio for x in (low, high))
            both = max(rows[at][0], ends[0]), min(rows[at][1], ends[1])
            # limits that leave no room contradict each other: those of the leader hold
            rows[at] = both if both[0] < both[1] else rows[at]
    return rows


def rate_limits(m: Mechanism, name: str, values: Mapping[str, float] | None = None) -> list[float]:
    """Return the `velocity_limit` or `effort_limit` of each velocity variable, above zero."""
    known = {**m.floats, **(values or {})}
    rows = [abs(_number(known, getattr(b, name), inf)) for b in m.bodies for _ in range(b.joint.nv)]
    if name == "velocity_limit":  # a follower has no motor, and so no force of its own
        for body, follower, ratio in _followers(m, known):
            at = m.velocity_index[m.joint_index(follower.of)]
            rows[at] = min(rows[at], abs(_number(known, body.velocity_limit, inf) / ratio))
    return rows


def limit_letters(m: Mechanism) -> set[str]:
    """Return the names of the parameters that limits depend on."""
    own = [x for b in m.bodies for x in (b.velocity_limit, b.effort_limit)]
    own += [x for b in m.bodies for pair in b.limits for x in pair]
    for b in m.bodies:
        if isinstance(b.joint, Follower):
            own += [b.joint.ratio, b.joint.offset, *(x for pair in b.joint.limits for x in pair)]
    return {str(n) for x in own if hasattr(x, "names") for n in x.names()}


def _followers(m: Mechanism, known: Floats) -> Iterator[tuple[Body, Follower, float]]:
    """Yield the bodies on joints that follow another one, at a ratio that is not zero."""
    for b in m.bodies:
        if isinstance(b.joint, Follower) and (ratio := _number(known, b.joint.ratio, 0.0)):
            yield b, b.joint, ratio


def _pairs(known: Floats, pairs: Iterable[tuple[Any, Any]]) -> list[tuple[float, float]]:
    return [(_number(known, low, -inf), _number(known, high, inf)) for low, high in pairs]


def _number(known: Floats, limit: Any, open_end: float) -> float:
    if limit is None:
        return open_end
    try:
        number = float(to_float(limit, known))
    except (ParameterError, TypeError, ValueError, ArithmeticError):
        return open_end
    return open_end if isnan(number) else number
