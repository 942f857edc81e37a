"""The joints: every one answers the same questions, so that algorithms never ask which one it is.

- `pose(q)`: rotation and origin of the child frame in the joint frame;
- `columns(q)`: the motion that each velocity variable gives, a twist in child axes at the child
  origin;
- `drift(q, qd)`: the acceleration (linear, child axes) that remains when qdd = 0;
- `coordinate_rate(q, qd)`: the time derivative of q; `integrate(q, dq)`: q moved by a tangent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol, Self

from .algebra import Map, Mat3, Rotation, Vec3, is_plain_zero
from .display import call
from .expr import Scalar, cos, sin, sqrt, where
from .frozen import dataclass
from .spatial import ZERO, Twist, Wrench

Vector = Sequence[Scalar]

UNITS = (Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1))


class Joint(Protocol):
    """What an algorithm may ask of a joint, said once for all of them."""

    kind: ClassVar[str]
    nq: ClassVar[int]
    nv: ClassVar[int]
    parts: ClassVar[tuple[str, ...]]  # the name of each coordinate; one alone needs none
    rate_parts: ClassVar[tuple[str, ...]]  # the name of each velocity variable, likewise
    lengths: ClassVar[int]  # how many of either are lengths, from the first on
    neutral: ClassVar[tuple[float, ...]]  # q at rest

    def pose(self, q: Vector) -> tuple[Rotation, Vec3]:
        """Return rotation and origin of the child frame in the joint frame."""
        ...

    def columns(self, q: Vector) -> tuple[Twist, ...]:
        """Return the motion that each velocity variable gives, in child axes."""
        ...

    def drift(self, q: Vector, qd: Vector) -> Vec3:
        """Return the linear acceleration in child axes that remains when qdd = 0."""
        ...

    def coordinate_rate(self, q: Vector, qd: Vector) -> list[Scalar]:
        """Return the time derivative of q."""
        ...

    def integrate(self, q: Vector, dq: Vector) -> list[Scalar]:
        """Return q moved by the tangent dq."""
        ...

    def map(self, f: Map) -> Joint:
        """Return the joint with every number mapped."""
        ...


def rotation_about(axis: Vec3, angle: Scalar) -> Rotation:
    """Return the rotation about a unit vector: a `Turn` for ±x, ±y, ±z, else Rodrigues."""
    for k in range(3):
        others = [axis[i] for i in range(3) if i != k]
        if all(is_plain_zero(o) for o in others):
            if is_plain_zero(axis[k] - 1):
                return Rotation.about(k, angle)
            if is_plain_zero(axis[k] + 1):
                return Rotation.about(k, -angle)
    c, s = cos(angle), sin(angle)
    return Rotation.of(Mat3.identity() * c + axis.skew() * s + axis.outer(axis) * (1 - c))


class Additive:
    """What most joints answer: rates are those of the coordinates, a step is added to them."""

    __slots__ = ()

    def drift(self, q: Vector, qd: Vector) -> Vec3:
        """Return the linear acceleration in child axes that remains when qdd = 0."""
        return ZERO

    def coordinate_rate(self, q: Vector, qd: Vector) -> list[Scalar]:
        """Return the time derivative of q."""
        return list(qd)

    def integrate(self, q: Vector, dq: Vector) -> list[Scalar]:
        """Return q moved by the tangent dq."""
        return [a + b for a, b in zip(q, dq, strict=True)]

    def map(self, f: Map) -> Self:
        """Return the joint with every number mapped: it has none."""
        return self


class _OneDegree(Additive):
    """What joints with one coordinate share."""

    __slots__ = ()
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    parts: ClassVar[tuple[str, ...]] = ("",)
    rate_parts: ClassVar[tuple[str, ...]] = ("",)
    lengths: ClassVar[int] = 0
    neutral: ClassVar[tuple[float, ...]] = (0.0,)


@dataclass(frozen=True, slots=True)
class Revolute(_OneDegree):
    """Rotation by q about a unit axis."""

    axis: Vec3 = UNITS[2]
    kind: ClassVar[str] = "revolute"

    __repr__ = call

    def pose(self, q: Vector) -> tuple[Rotation, Vec3]:
        return rotation_about(self.axis, q[0]), ZERO

    def columns(self, q: Vector) -> tuple[Twist, ...]:
        return (Twist(ZERO, self.axis),)

    def map(self, f: Map) -> Revolute:
        return Revolute(self.axis.map(f))


@dataclass(frozen=True, slots=True)
class Prismatic(_OneDegree):
    """Translation by q along a unit axis."""

    axis: Vec3 = UNITS[2]
    kind: ClassVar[str] = "prismatic"
    lengths: ClassVar[int] = 1

    __repr__ = call

    def pose(self, q: Vector) -> tuple[Rotation, Vec3]:
        return Rotation(), self.axis * q[0]

    def columns(self, q: Vector) -> tuple[Twist, ...]:
        return (Twist(self.axis, ZERO),)

    def map(self, f: Map) -> Prismatic:
        return Prismatic(self.axis.map(f))


@dataclass(frozen=True, slots=True)
class Screw(_OneDegree):
    """Rotation by q about a unit axis and translation by pitch · q along it (metres per radian)."""

    axis: Vec3 = UNITS[2]
    pitch: Scalar = 0
    kind: ClassVar[str] = "screw"

    __repr__ = call

    def pose(self, q: Vector) -> tuple[Rotation, Vec3]:
        return rotation_about(self.axis, q[0]), self.axis * (self.pitch * q[0])

    def columns(self, q: Vector) -> tuple[Twist, ...]:
        return (Twist(self.axis * self.pitch, self.axis),)

    def map(self, f: Map) -> Screw:
        return Screw(self.axis.map(f), f(self.pitch))


@dataclass(frozen=True, slots=True)
class Fixed(Additive):
    """No motion: the body is part of its parent."""

    kind: ClassVar[str] = "fixed"
    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0
    parts: ClassVar[tuple[str, ...]] = ()
    rate_parts: ClassVar[tuple[str, ...]] = ()
    lengths: ClassVar[int] = 0
    neutral: ClassVar[tuple[float, ...]] = ()

    def pose(self, q: Vector) -> tuple[Rotation, Vec3]:
        return Rotation(), ZERO

    def columns(self, q: Vector) -> tuple[Twist, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class Planar(Additive):
    """(x, y, theta): translation in the plane z = 0 of the joint frame, then rotation about z.

    Rates are along the axes of the joint (parent) frame.
    """

    kind: ClassVar[str] = "planar"
    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3
    parts: ClassVar[tuple[str, ...]] = ("x", "y", "theta")
    rate_parts: ClassVar[tuple[str, ...]] = ("x", "y", "theta")
    lengths: ClassVar[int] = 2
    neutral: ClassVar[tuple[float, ...]] = (0.0, 0.0, 0.0)

    def pose(self, q: Vector) -> tuple[Rotation, Vec3]:
        return Rotation.about(2, q[2]), Vec3(q[0], q[1], 0)

    def columns(self, q: Vector) -> tuple[Twist, ...]:
        R = Rotation.about(2, q[2]).T
        return Twist(R @ UNITS[0], ZERO), Twist(R @ UNITS[1], ZERO), Twist(ZERO, UNITS[2])


@dataclass(frozen=True, slots=True)
class Spherical(Additive):
    """Quaternion (x, y, z, w); qd is the angular velocity in child axes."""

    kind: ClassVar[str] = "spherical"
    nq: ClassVar[int] = 4
    nv: ClassVar[int] = 3
    parts: ClassVar[tuple[str, ...]] = ("qx", "qy", "qz", "qw")
    rate_parts: ClassVar[tuple[str, ...]] = ("wx", "wy", "wz")
    lengths: ClassVar[int] = 0
    neutral: ClassVar[tuple[float, ...]] = (0.0, 0.0, 0.0, 1.0)

    def pose(self, q: Vector) -> tuple[Rotation, Vec3]:
        return Rotation.of(quaternion_matrix(*q)), ZERO

    def columns(self, q: Vector) -> tuple[Twist, ...]:
        return tuple(Twist(ZERO, u) for u in UNITS)

    def coordinate_rate(self, q: Vector, qd: Vector) -> list[Scalar]:
        return quaternion_rate(q, qd)

    def integrate(self, q: Vector, dq: Vector) -> list[Scalar]:
        return quaternion_step(q, dq)


@dataclass(frozen=True, slots=True)
class Free(Additive):
    """(px, py, pz, x, y, z, w); qd = (v, w) of the child origin in child axes."""

    kind: ClassVar[str] = "free"
    nq: ClassVar[int] = 7
    nv: ClassVar[int] = 6
    parts: ClassVar[tuple[str, ...]] = ("px", "py", "pz", "qx", "qy", "qz", "qw")
    rate_parts: ClassVar[tuple[str, ...]] = ("vx", "vy", "vz", "wx", "wy", "wz")
    lengths: ClassVar[int] = 3
    neutral: ClassVar[tuple[float, ...]] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)

    def pose(self, q: Vector) -> tuple[Rotation, Vec3]:
        return Rotation.of(quaternion_matrix(*q[3:])), Vec3(*q[:3])

    def columns(self, q: Vector) -> tuple[Twist, ...]:
        return (*(Twist(u, ZERO) for u in UNITS), *(Twist(ZERO, u) for u in UNITS))

    def drift(self, q: Vector, qd: Vector) -> Vec3:
        return Vec3(*qd[3:]).cross(Vec3(*qd[:3]))

    def coordinate_rate(self, q: Vector, qd: Vector) -> list[Scalar]:
        return [*(quaternion_matrix(*q[3:]) @ Vec3(*qd[:3])), *quaternion_rate(q[3:], qd[3:])]

    def integrate(self, q: Vector, dq: Vector) -> list[Scalar]:
        # the screw motion of a constant body twist
        v, w = Vec3(*dq[:3]), Vec3(*dq[3:])
        a, b, c = _exponential(w)
        step = v * a + w.cross(v) * b + w * (w.dot(v) * c)
        p = Vec3(*q[:3]) + quaternion_matrix(*q[3:]) @ step
        return [*p, *quaternion_step(q[3:], dq[3:])]


# every kind by its word, as native files write it
JOINT_KINDS = {j.kind: j for j in (Revolute, Prismatic, Screw, Spherical, Planar, Free, Fixed)}


# -- what follows from the answers -------------------------------------------------------------


def rates(joint: Joint, q: Vector, qd: Vector, qdd: Vector) -> tuple[Vec3, Vec3, Vec3, Vec3]:
    """Return (wJ, wdJ, vJ, vdJ): relative motion of the child, in child axes, for any joint."""
    w = wd = v = ZERO
    vd = joint.drift(q, qd)
    for (linear, angular), speed, rate in zip(joint.columns(q), qd, qdd, strict=True):
        w, wd = w + angular * speed, wd + angular * rate
        v, vd = v + linear * speed, vd + linear * rate
    return w, wd, v, vd


def project(joint: Joint, q: Vector, wrench: Wrench) -> list[Scalar]:
    """Return the generalized forces of a wrench that the joint transmits."""
    return [s.dot(wrench) for s in joint.columns(q)]


# -- quaternions x, y, z, w --------------------------------------------------------------------


def quaternion_matrix(x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> Mat3:
    """Return the rotation matrix of a unit quaternion."""
    x2, y2, z2 = 2 * x, 2 * y, 2 * z
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return Mat3(
        (1 - (yy + zz), xy - wz, xz + wy),
        (xy + wz, 1 - (xx + zz), yz - wx),
        (xz - wy, yz + wx, 1 - (xx + yy)),
    )


def quaternion_product(a: Vector, b: Vector) -> list[Scalar]:
    """Return the quaternion of rotation a followed, in its own axes, by b."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]


def quaternion_rate(q: Vector, w: Vector) -> list[Scalar]:
    """Return the time derivative of a quaternion at angular velocity w in child axes."""
    return [x / 2 for x in quaternion_product(q, [*w, 0])]


def _exponential(w: Vec3) -> tuple[Scalar, Scalar, Scalar]:
    """Return sin t/t, (1 - cos t)/t², (t - sin t)/t³ with t = |w|, series near zero."""
    t2 = w.dot(w)
    small = t2 < 1e-4
    t = sqrt(where(small, 1.0, t2))
    s, c = sin(t), cos(t)
    return (
        where(small, 1 - t2 / 6 * (1 - t2 / 20), s / t),
        where(small, 0.5 - t2 / 24 * (1 - t2 / 30), (1 - c) / (t * t)),
        where(small, 1 / 6 - t2 / 120 * (1 - t2 / 42), (t - s) / (t * t * t)),
    )


def quaternion_step(q: Vector, dq: Vector) -> list[Scalar]:
    """Return q turned by the rotation vector dq of child axes, renormalised."""
    half = Vec3(*dq) * 0.5
    t2 = half.dot(half)
    a, b, _ = _exponential(half)
    turned = quaternion_product(q, [half.x * a, half.y * a, half.z * a, 1 - t2 * b])
    x, y, z, w = turned
    norm = 1 / sqrt(x * x + y * y + z * z + w * w)
    return [part * norm for part in turned]
