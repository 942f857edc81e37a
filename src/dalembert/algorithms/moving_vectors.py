"""Scalars and vectors that carry their first and second rates in time."""

from __future__ import annotations

from dataclasses import dataclass

from ..algebra import Vec3
from ..expr import Scalar


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
