"""The way from a state to its goal, joint by joint; orientations are compared on their group.

The error of an orientation is 2 sin(θ/2) along the axis of the turn that is left, in child axes:
smooth, and the shorter way round. Goals that move are polynomials; their quaternions need not have
unit length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..algebra import Mat3, Vec3
from ..expr import Scalar, sqrt, where
from ..joint import Vector, quaternion_matrix, quaternion_product
from ..mechanism import Mechanism


@dataclass(frozen=True)
class Aim:
    """What a law is told of its goal; the errors are dual to the joint forces."""

    e: list[Scalar]
    ed: list[Scalar]
    ahead: list[Scalar]  # the goal's q̈ in the axes of the state
    q: list[Scalar]  # the goal itself, in its own axes
    qd: list[Scalar]
    qdd: list[Scalar]


def aim(m: Mechanism, q: Vector, qd: Vector, goal: Vector, rate: Vector, second: Vector) -> Aim:
    """Return the way to a goal, given with the time derivatives of its coordinates."""
    parts: list[list[Sequence[Scalar]]] = []
    goals = zip(*(m.split_q(x) for x in (goal, rate, second)), strict=True)
    for body, own, speed, given in zip(m.bodies, m.split_q(q), m.split(qd), goals, strict=True):
        if body.joint.nq == body.joint.nv:
            e = [a - b for a, b in zip(given[0], own, strict=True)]
            ed = [a - b for a, b in zip(given[1], speed, strict=True)]
            parts.append([e, ed, given[2], *given])
        elif body.joint.kind == "spherical":
            parts.append(_turn(own, speed, *given))
        else:
            parts.append(_screw(own, speed, *given))
    return Aim(*([x for part in parts for x in part[k]] for k in range(6)))


def _unit(p: Vector, pd: Vector, pdd: Vector) -> tuple[list[Scalar], Vec3, Vec3]:
    """Return (unit quaternion, ω, ω̇ in its own axes) of a quaternion polynomial."""
    square = sum((x * x for x in p), 0)
    size = 1 / sqrt(square)
    back = [-p[0], -p[1], -p[2], p[3]]
    # conj(p) p' has a real part, the growth of p; the rest is half the angular velocity
    w = Vec3(*quaternion_product(back, pd)[:3]) * (2 / square)
    growth = 2 * sum((x * y for x, y in zip(p, pd, strict=True)), 0) / square
    wd = Vec3(*quaternion_product(back, pdd)[:3]) * (2 / square) - w * growth
    return [x * size for x in p], w, wd


def _left(q: Vector, goal: Vector) -> tuple[Vec3, Mat3]:
    """Return (error, rotation from goal axes to child axes) of two unit quaternions."""
    x, y, z, w = quaternion_product([-q[0], -q[1], -q[2], q[3]], goal)
    sign = where(w < 0, -2.0, 2.0)
    return Vec3(x, y, z) * sign, quaternion_matrix(x, y, z, w)


def _turn(q: Vector, w: Vector, p: Vector, pd: Vector, pdd: Vector) -> list[Sequence[Scalar]]:
    goal, wg, wdg = _unit(p, pd, pdd)
    e, R = _left(q, goal)
    here, speed = R @ wg, Vec3(*w)
    ahead = R @ wdg - speed.cross(here)
    return [[*e], [*(here - speed)], [*ahead], goal, [*wg], [*wdg]]


def _screw(q: Vector, v: Vector, p: Vector, pd: Vector, pdd: Vector) -> list[Sequence[Scalar]]:
    e, ed, ahead, goal, wg, wdg = _turn(q[3:], v[3:], p[3:], pd[3:], pdd[3:])
    back, own = quaternion_matrix(*q[3:]).T, quaternion_matrix(*goal).T
    gap = back @ (Vec3(*p[:3]) - Vec3(*q[:3]))
    velocity, w = back @ Vec3(*pd[:3]), Vec3(*v[3:])
    late = velocity - Vec3(*v[:3])
    linear = back @ Vec3(*pdd[:3]) - w.cross(velocity)
    vg = own @ Vec3(*pd[:3])
    vdg = own @ Vec3(*pdd[:3]) - Vec3(*wg).cross(vg)
    return [
        [*gap, *e], [*late, *ed], [*linear, *ahead],
        [*p[:3], *goal], [*vg, *wg], [*vdg, *wdg],
    ]  # fmt: skip
