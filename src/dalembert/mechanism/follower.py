"""The joint that follows another one: it has a motion and no coordinate."""

from __future__ import annotations

from typing import Any, ClassVar

from ..algebra import Map, Rotation, Vec3
from ..errors import UsageError, shown
from ..expr import Scalar
from ..frozen import dataclass
from ..joint import ZERO, Additive, Joint, Vector
from ..spatial import Twist


@dataclass(frozen=True, slots=True)
class Follower(Additive):
    """A joint without a coordinate of its own: that of `own` is ratio · q[of] + offset.

    `of` is the name of a joint with a coordinate. Algorithms meet it unfolded, as `own`
    (`Mechanism.unfolded`).
    """

    own: Joint
    of: str
    ratio: Scalar = 1
    offset: Scalar = 0
    limits: tuple[Any, ...] = ()  # of the coordinate that it would have
    kind: ClassVar[str] = "follower"
    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0
    parts: ClassVar[tuple[str, ...]] = ()
    rate_parts: ClassVar[tuple[str, ...]] = ()
    lengths: ClassVar[int] = 0
    neutral: ClassVar[tuple[float, ...]] = ()

    def pose(self, q: Vector) -> tuple[Rotation, Vec3]:
        """Raise: where a follower stands is decided by another joint."""
        raise UsageError(
            f"a joint follows {shown(self.of)!r}: this needs joints with coordinates of their own",
            hint='load with mimic="couple", or lock the joint',
            command="write --mimic couple, or --lock JOINT",
        )

    def columns(self, q: Vector) -> tuple[Twist, ...]:
        """Raise: how a follower moves is decided by another joint."""
        self.pose(q)
        return ()

    def drift(self, q: Vector, qd: Vector) -> Vec3:
        """Raise: how a follower moves is decided by another joint."""
        self.pose(q)
        return ZERO

    def map(self, f: Map) -> Follower:
        """Return the joint with every number mapped."""
        limits = tuple(tuple(None if x is None else f(x) for x in pair) for pair in self.limits)
        return Follower(self.own.map(f), self.of, f(self.ratio), f(self.offset), limits)


def own_joint(joint: Joint) -> Joint:
    """Return the motion of a joint: that of a follower without whom it follows."""
    return joint.own if isinstance(joint, Follower) else joint
