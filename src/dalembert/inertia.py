"""Mass, first moment and inertia tensor of a rigid body, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .algebra import Map, Mat3, Transform, Vec3, is_plain_zero, minus, plus, product
from .display import record
from .expr import Scalar
from .frozen import dataclass

Six = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]  # XX YY ZZ XY XZ YZ


def steiner(m: Scalar, c: Vec3) -> Mat3:
    """Return the tensor of a point mass m at c: m (c·c 1 - c cᵀ)."""
    return Mat3.symmetric(*steiner_six(m, c))


def steiner_six(m: Scalar, c: Vec3) -> Six:
    """Return the six entries of the tensor of a point mass."""
    x, y, z = c.x, c.y, c.z
    # most levers lie along one axis
    if y.__class__ is z.__class__ is int and y == z == 0:
        k = product(m, product(x, x))
        return 0, k, k, 0, 0, 0
    if x.__class__ is z.__class__ is int and x == z == 0:
        k = product(m, product(y, y))
        return k, 0, k, 0, 0, 0
    if x.__class__ is y.__class__ is int and x == y == 0:
        k = product(m, product(z, z))
        return k, k, 0, 0, 0, 0
    xx, yy, zz = product(x, x), product(y, y), product(z, z)
    return (
        product(m, plus(yy, zz)),
        product(m, plus(xx, zz)),
        product(m, plus(xx, yy)),
        -product(m, product(x, y)),
        -product(m, product(x, z)),
        -product(m, product(y, z)),
    )


def with_point(six: Sequence[Scalar], m: Scalar, c: Vec3) -> Mat3:
    """Return the tensor of six entries and of a point mass m at c together."""
    x, y, z = c.x, c.y, c.z
    if x.__class__ is int or y.__class__ is int or z.__class__ is int:
        return Mat3.symmetric(*map(plus, six, steiner_six(m, c)))
    xx, yy, zz = x * x, y * y, z * z
    return Mat3.symmetric(
        plus(six[0], product(m, yy + zz)),
        plus(six[1], product(m, xx + zz)),
        plus(six[2], product(m, xx + yy)),
        minus(six[3], product(m, x * y)),
        minus(six[4], product(m, x * z)),
        minus(six[5], product(m, y * z)),
    )


@dataclass(frozen=True, slots=True)
class Inertia:
    """Ten inertial parameters as they were given.

    `at = "centre"`: lever is the mass centre, tensor is about it.
    `at = "origin"`: lever is the first moment, tensor is about the frame origin; a regrouped body
    may have a first moment and no mass.
    """

    mass: Scalar = 0
    lever: Vec3 = Vec3(0, 0, 0)
    tensor: Mat3 = Mat3((0, 0, 0), (0, 0, 0), (0, 0, 0))
    at: Literal["centre", "origin"] = "centre"

    __repr__ = record

    @property
    def m(self) -> Scalar:
        """The mass."""
        return self.mass

    @property
    def h(self) -> Vec3:
        """First moment, mass times centre."""
        if self.at == "origin":
            return self.lever
        m, c = self.mass, self.lever
        return Vec3(product(c.x, m), product(c.y, m), product(c.z, m))

    @property
    def Io(self) -> Mat3:
        """Tensor about the frame origin."""
        if self.at == "origin":
            return self.tensor
        return with_point(self.tensor.six(), self.mass, self.lever)

    @property
    def centre(self) -> Vec3:
        """The mass centre; zero for a massless body."""
        if self.at == "centre":
            return self.lever
        if is_plain_zero(self.mass):
            return Vec3.zero()
        return self.lever.map(lambda x: x / self.mass)

    @property
    def about_centre(self) -> Mat3:
        """Tensor about the mass centre."""
        if self.at == "centre":
            return self.tensor
        return self.tensor - steiner(self.mass, self.centre)

    @property
    def about_origin(self) -> Inertia:
        """The same inertia by its first moment and its tensor about the frame origin."""
        return Inertia(self.m, self.h, self.Io, "origin")

    def __mul__(self, k: Scalar) -> Inertia:
        return Inertia(self.m * k, self.h * k, self.Io * k, "origin")

    def moved(self, T: Transform) -> Inertia:
        """Return the inertia about the origin of a frame in which its own frame stands at T."""
        R, p = T.R, T.p
        if self.at == "centre":
            return Inertia(self.mass, T @ self.lever, R.rotate(self.tensor))
        # J + 2 (p·h) 1 - p hᵀ - h pᵀ + m (p·p 1 - p pᵀ), in products of p with h and h' = h + m p
        h = R @ self.lever
        moved = h + p * self.mass
        xx, yy, zz = (a * b + a * c for a, b, c in zip(p, h, moved, strict=True))
        shift = Mat3.symmetric(
            yy + zz,
            xx + zz,
            xx + yy,
            -(p.x * moved.y + p.y * h.x),
            -(p.x * moved.z + p.z * h.x),
            -(p.y * moved.z + p.z * h.y),
        )
        return Inertia(self.mass, moved, R.rotate(self.tensor) + shift, "origin")

    def __add__(self, o: Inertia) -> Inertia:
        if o.is_massless():
            return self
        if self.is_massless():
            return o
        return Inertia(self.m + o.m, self.h + o.h, self.Io + o.Io, "origin")

    def is_massless(self) -> bool:
        """Return whether every entry is structurally zero."""
        zero = all(is_plain_zero(x) for x in self.tensor.six())
        return zero and is_plain_zero(self.mass) and (self.at == "centre" or self.lever.is_zero())

    def map(self, f: Map) -> Inertia:
        """Return the inertia with every number mapped."""
        return Inertia(f(self.mass), self.lever.map(f), self.tensor.map(f), self.at)
