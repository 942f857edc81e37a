"""Scalars and vectors that carry their first and second rates in time."""

from __future__ import annotations

from ..algebra import Vec3
from ..expr import Scalar, where
from ..frozen import dataclass


@dataclass(frozen=True, slots=True)
class Jet:
    """A scalar with its first and second rates."""

    x: Scalar
    xd: Scalar
    xdd: Scalar


@dataclass(frozen=True, slots=True)
class Moving:
    """A vector with its first and second rates."""

    x: Vec3
    xd: Vec3
    xdd: Vec3

    def __sub__(self, o: Moving) -> Moving:
        return Moving(self.x - o.x, self.xd - o.xd, self.xdd - o.xdd)

    def dot(self, o: Moving) -> Jet:
        """Return the scalar product with its first and second rate."""
        return Jet(
            self.x.dot(o.x),
            self.xd.dot(o.x) + self.x.dot(o.xd),
            self.xdd.dot(o.x) + 2 * self.xd.dot(o.xd) + self.x.dot(o.xdd),
        )

    def parts(self) -> list[Jet]:
        """Return the three components, each with its rates."""
        return [Jet(*three) for three in zip(self.x, self.xd, self.xdd, strict=True)]


def across(n: Vec3) -> tuple[Vec3, Vec3]:
    """Return two unit vectors normal to a unit vector and to each other; x and y where n is z.

    Duff et al., Building an orthonormal basis, revisited (2017): no branch on values.
    """
    s = where(n.z < 0, -1.0, 1.0)
    a = -1 / (s + n.z)
    b = n.x * n.y * a
    return Vec3(1 + s * n.x * n.x * a, s * b, -s * n.x), Vec3(b, s + n.y * n.y * a, -n.y)
