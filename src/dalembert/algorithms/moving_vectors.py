"""Scalars, vectors and bodies that carry their first and second rates in time."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..algebra import Rotation, Vec3
from ..expr import Scalar
from ..joint import ZERO


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


@dataclass(frozen=True, slots=True)
class End:
    """A body at one end of a loop: pose and motion in the frame where the branches part."""

    R: Rotation = Rotation()
    p: Vec3 = ZERO
    v: Vec3 = ZERO  # of the origin
    w: Vec3 = ZERO
    vd: Vec3 = ZERO  # classical, at qdd = 0
    wd: Vec3 = ZERO
    # where only first rates are asked: the vectors that were turned by R before
    turned: dict[int, tuple[Vec3, Vec3]] | None = field(default=None, compare=False, repr=False)

    def vector(self, a: Vec3) -> Moving:
        """Return a vector fixed in the body, given in its axes."""
        if self.turned is not None:
            if id(a) not in self.turned:
                self.turned[id(a)] = a, self.R @ a
            x = self.turned[id(a)][1]
            return Moving(x, ZERO if self.w is ZERO else self.w.cross(x), ZERO)
        x = self.R @ a
        xd = self.w.cross(x)
        return Moving(x, xd, self.wd.cross(x) + self.w.cross(xd))

    def point(self, c: Vec3) -> Moving:
        """Return a point fixed in the body, given in its frame."""
        arm = self.vector(c)
        return Moving(arm.x + self.p, arm.xd + self.v, arm.xdd + self.vd)
