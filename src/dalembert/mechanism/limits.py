"""Joint limits as numbers; infinite without a limit, or while its parameters have no value."""

from __future__ import annotations

from math import inf, isnan
from typing import Any

from ..errors import ParameterError
from ..expr.exact import to_float
from .mechanism import Mechanism


def coordinate_limits(m: Mechanism) -> list[tuple[float, float]]:
    """Return (lower, upper) of each coordinate; those of a joint with a quaternion are open."""
    rows: list[tuple[float, float]] = []
    for b in m.bodies:
        pairs = b.limits if b.joint.nq == b.joint.nv else ()
        own = [(_number(m, low, -inf), _number(m, high, inf)) for low, high in pairs]
        rows += own or [(-inf, inf)] * b.joint.nq
    return rows


def rate_limits(m: Mechanism, name: str) -> list[float]:
    """Return the `velocity_limit` or `effort_limit` of each velocity variable, above zero."""
    return [abs(_number(m, getattr(b, name), inf)) for b in m.bodies for _ in range(b.joint.nv)]


def _number(m: Mechanism, limit: Any, open_end: float) -> float:
    if limit is None:
        return open_end
    try:
        number = float(to_float(limit, m.floats))
    except (ParameterError, TypeError, ValueError):
        return open_end
    return open_end if isnan(number) else number
