"""Paths in the plane that vehicles follow: a line, a circle, an eight, over any scalar.

Each is a curve of one parameter with its first and second derivatives; it runs in the direction of
the growing parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos as _cos
from math import hypot, pi
from math import sin as _sin
from typing import Any

from ..algorithms.dual import Dual, parts
from ..errors import UsageError, shown
from ..expr import Scalar, cos, sin, sqrt

Plane = tuple[Scalar, Scalar]


def check_law(path: Any, **positive: float | None) -> None:
    """Raise UsageError where a law is given no path, or a number that is not above zero."""
    if not callable(getattr(path, "curve", None)):
        raise UsageError(
            f"{shown(repr(path))} is no path",
            hint="control.Line((0, 1)), control.Circle((0, 0), 9) or control.Eight((0, 0), 80, 50)",
        )
    for name, value in positive.items():
        if value is not None and not value > 0:
            raise UsageError(f"{name} = {value:g} is not above zero", hint=f"write {name}=1.0")


@dataclass(frozen=True)
class Line:
    """A straight line through `start` in the direction `heading`; its parameter is a length."""

    start: tuple[float, float] = (0.0, 0.0)
    heading: float = 0.0
    period = None

    def curve(self, s: Scalar) -> tuple[Plane, Plane, Plane]:
        """Return the point and its first and second derivatives."""
        c, d = _cos(self.heading), _sin(self.heading)
        return (self.start[0] + c * s, self.start[1] + d * s), (c, d), (0, 0)

    @property
    def sharpest(self) -> float:
        """The largest curvature."""
        return 0.0


@dataclass(frozen=True)
class Circle:
    """A circle to the left about `centre`, by angle; a negative radius turns right."""

    centre: tuple[float, float]
    radius: float
    period = 2 * pi  # of the parameter, once round

    def __post_init__(self) -> None:
        if not self.radius:
            raise UsageError("a circle of radius zero", hint="write Circle((x, y), 20.0)")

    def curve(self, s: Scalar) -> tuple[Plane, Plane, Plane]:
        """Return the point and its first and second derivatives."""
        r, way = abs(self.radius), 1.0 if self.radius > 0 else -1.0
        c, d = r * cos(s), r * way * sin(s)
        at = (self.centre[0] + c, self.centre[1] + d)
        return at, (-r * sin(s), r * way * cos(s)), (-c, -d)

    @property
    def sharpest(self) -> float:
        """The largest curvature."""
        return 1 / abs(self.radius)


@dataclass(frozen=True)
class Eight:
    """An eight of Gerono about `centre`: (length sin s, width sin s cos s)."""

    centre: tuple[float, float]
    length: float
    width: float
    period = 2 * pi

    def curve(self, s: Scalar) -> tuple[Plane, Plane, Plane]:
        """Return the point and its first and second derivatives."""
        l, w = self.length, self.width
        a, b, a2, b2 = sin(s), cos(s), sin(2 * s), cos(2 * s)
        at = (self.centre[0] + l * a, self.centre[1] + 0.5 * w * a2)
        return at, (l * b, w * b2), (-l * a, -2 * w * a2)

    @property
    def sharpest(self) -> float:
        """The largest curvature."""
        return max(abs(curvature(self, 0.01 * k)) for k in range(629))


def curvature(path: Any, s: Scalar) -> Scalar:
    """Return the curvature of a path at a parameter, positive to the left."""
    _, (x1, y1), (x2, y2) = path.curve(s)
    g = x1 * x1 + y1 * y1
    return (x1 * y2 - y1 * x2) / (g * sqrt(g))


def bends(path: Any, s: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return the first three derivatives of the curvature per metre of a path."""

    def slope(f: Callable[[Scalar], Scalar]) -> Callable[[Scalar], Scalar]:
        def per_metre(x: Scalar) -> Scalar:
            _, (x1, y1), _ = path.curve(x)
            return parts(f(Dual(x, 1)))[1] / sqrt(x1 * x1 + y1 * y1)

        return per_metre

    first = slope(lambda x: curvature(path, x))
    second = slope(first)
    return first(s), second(s), slope(second)(s)


def nearest(path: Any, x: float, y: float) -> float:
    """Return the parameter of the point of a path that lies nearest."""
    import numpy as np

    if path.period is None:
        (x0, y0), (c, d), _ = path.curve(0.0)
        return float((x - x0) * c + (y - y0) * d)
    many = np.linspace(0, path.period, 721)[:-1]
    gaps = np.array([_gap(path, s, x, y) for s in many])
    # where branches cross, the nearest sample may lie on the other one
    low = np.flatnonzero((gaps <= np.roll(gaps, 1)) & (gaps <= np.roll(gaps, -1)))
    ends = [_foot(path, float(many[k]), x, y) for k in low]
    return min(ends, key=lambda s: _gap(path, s, x, y))


def _gap(path: Any, s: float, x: float, y: float) -> float:
    px, py = path.curve(s)[0]
    return hypot(px - x, py - y)


def _foot(path: Any, s: float, x: float, y: float) -> float:
    """Return the parameter near s at which the way to a point is normal to the path."""
    for _ in range(20):
        (px, py), (x1, y1), (x2, y2) = path.curve(s)
        slope = (px - x) * x1 + (py - y) * y1
        bend = x1 * x1 + y1 * y1 + (px - x) * x2 + (py - y) * y2
        s -= slope / bend if bend > 0 else 0.0
    return s
