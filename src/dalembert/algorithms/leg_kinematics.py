"""Inverse kinematics of the legs of parallel robots in closed form: UPS, RUS and RRR.

The subproblems are those of Paden and Kahan (Murray, Li and Sastry, A mathematical introduction to
robotic manipulation (1994), section 3.2): one rotation takes p to q, two rotations take p to q, one
rotation brings p to a given distance from q.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..algebra import Vec3
from ..errors import ModelError
from ..expr import Scalar, atan2, cos, sin, sqrt
from ..mechanism import Mechanism


@dataclass(frozen=True, slots=True)
class Angle:
    """An angle known by its cosine and sine: no function of it need be computed again."""

    c: Scalar
    s: Scalar

    @property
    def angle(self) -> Scalar:
        """The angle itself."""
        return atan2(self.s, self.c)

    def cos(self) -> Scalar:
        """Return its cosine."""
        return self.c

    def sin(self) -> Scalar:
        """Return its sine."""
        return self.s

    def __neg__(self) -> Angle:
        return Angle(self.c, -self.s)

    def __add__(self, o: Scalar) -> Angle:
        c, s = cos(o), sin(o)
        return Angle(self.c * c - self.s * s, self.s * c + self.c * s)

    __radd__ = __add__


def plain(q: Scalar) -> Scalar:
    """Return a coordinate as a number: the angle of an `Angle`."""
    return getattr(q, "angle", q)


def turn_to(u: Vec3, p: Vec3, q: Vec3) -> Angle:
    """Return the angle about u that takes p to q."""
    p, q = p - u * u.dot(p), q - u * u.dot(q)
    c, s = p.dot(q), u.dot(p.cross(q))
    k = 1 / sqrt(c * c + s * s)
    return Angle(c * k, s * k)


def two_turns_to(u: Vec3, v: Vec3, p: Vec3, q: Vec3, branch: Scalar) -> tuple[Angle, Angle]:
    """Return angles about u, then v (carried by u), that take the unit vector p to q."""
    c = u.dot(v)
    n = u.cross(v)
    k = 1 / (c * c - 1)
    a, b = (c * v.dot(p) - u.dot(q)) * k, (c * u.dot(q) - v.dot(p)) * k
    rest = (1 - a * a - b * b - 2 * (a * b * c)) / n.dot(n)
    z = u * a + v * b + n * (branch * sqrt(rest))
    return turn_to(u, z, q), turn_to(v, p, z)


def turn_to_distance(u: Vec3, p: Vec3, q: Vec3, distance2: Scalar, branch: Scalar) -> Angle:
    """Return the angle about u that brings p to a distance from q, given squared."""
    along = u.dot(p - q)
    p, q = p - u * u.dot(p), q - u * u.dot(q)
    pp, qq = p.dot(p), q.dot(q)
    cosine = (pp + qq - (distance2 - along * along)) / (2 * sqrt(pp * qq))
    return turn_to(u, p, q) + Angle(cosine, branch * sqrt(1 - cosine * cosine))


def _ups(leg: Mechanism, point: Vec3, target: Vec3, branch: Scalar) -> list[Scalar]:
    """Universal joint at one point, then a slide through it."""
    one, two, three = leg.bodies
    R2, R3 = two.placement.R, three.placement.R
    slide = R3 @ three.joint.axis  # type: ignore[attr-defined]
    offset = three.placement.p + R3 @ point
    _demand(leg, two.placement.p, offset - slide * slide.dot(offset))
    length = sqrt(target.dot(target))
    axes = one.joint.axis, R2 @ two.joint.axis  # type: ignore[attr-defined]
    a, b = two_turns_to(*axes, R2 @ slide, target * (1 / length), branch)
    return [a, b, length - slide.dot(offset)]


def _rus(leg: Mechanism, point: Vec3, target: Vec3, branch: Scalar) -> list[Scalar]:
    """Crank, universal joint at its end, rod."""
    one, two, three = leg.bodies
    R2, R3 = two.placement.R, three.placement.R
    rod = R3 @ point
    _demand(leg, three.placement.p)
    knee = two.placement.p
    crank: Vec3 = one.joint.axis  # type: ignore[attr-defined]
    a = turn_to_distance(crank, knee, target, rod.dot(rod), branch)
    back = one.joint.pose([a])[0].T @ target - knee
    length = 1 / sqrt(rod.dot(rod))
    axes = R2 @ two.joint.axis, R2 @ (R3 @ three.joint.axis)  # type: ignore[attr-defined]
    return [a, *two_turns_to(*axes, R2 @ (rod * length), back * length, 1.0)]


def _rrr(leg: Mechanism, point: Vec3, target: Vec3, branch: Scalar) -> list[Scalar]:
    """Crank and rod about parallel axes; the third turn is at the platform."""
    one, two = leg.bodies
    R2, knee = two.placement.R, two.placement.p
    crank: Vec3 = one.joint.axis  # type: ignore[attr-defined]
    a = turn_to_distance(crank, knee, target, point.dot(point), branch)
    back = one.joint.pose([a])[0].T @ target - knee
    return [a, turn_to(R2 @ two.joint.axis, R2 @ point, back)]  # type: ignore[attr-defined]


Closed = Callable[[Mechanism, Vec3, Vec3, Scalar], list[Scalar]]
LEGS: dict[tuple[str, ...], Closed] = {
    ("revolute", "revolute", "prismatic"): _ups,
    ("revolute", "revolute", "revolute"): _rus,
    ("revolute", "revolute"): _rrr,
}


def leg_coordinates(leg: Mechanism, point: Vec3, target: Vec3, branch: Scalar) -> list[Scalar]:
    """Return the joints of a leg that put `point` of its last body at `target` in the base."""
    kinds = tuple(b.joint.kind for b in leg.bodies)
    if kinds not in LEGS:
        raise ModelError(
            f"a leg of joints {', '.join(kinds) or 'none'} has no closed inverse kinematics",
            hint="UPS, RUS and RRR legs have; others are computed as closed loops",
        )
    base = leg.bodies[0].placement
    return LEGS[kinds](leg, point, base.R.T @ (target - base.p), branch)


def _demand(leg: Mechanism, *zero: Vec3) -> None:
    """Raise ModelError where the numbers of a leg contradict its kind."""
    for v in zero:
        for x in v:
            if x.__class__ is float and abs(x) > 1e-9:
                names = ", ".join(b.name for b in leg.bodies)
                raise ModelError(
                    f"leg {names}: the axes of its universal joint do not meet",
                    hint="such a leg has no closed inverse kinematics; use the closed loops",
                )
