"""The bodies of a tree in order: how they are walked, and which numbers belong to which joint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from ..errors import ModelError
from ..expr import Scalar, sqrt
from ..joint import Vector
from .parts import Body, joint_name


class Bodies:
    """Bodies that stand in parent-before-child order; a mechanism is what acts on them besides."""

    bodies: tuple[Body, ...]

    # -- sizes and names -----------------------------------------------------------------------

    @cached_property
    def nq(self) -> int:
        """The number of coordinates; quaternions have four."""
        return sum(b.joint.nq for b in self.bodies)

    @cached_property
    def nv(self) -> int:
        """The number of velocity variables, which is that of degrees of freedom of the tree."""
        return sum(b.joint.nv for b in self.bodies)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """One name per moving joint, in coordinate order."""
        return tuple(joint_name(b) for b in self.bodies if b.joint.nv)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """One name per entry of q: the joint's, with its part where it has several (`base.qw`)."""
        return _parted((joint_name(b), b.joint.parts) for b in self.bodies)

    @cached_property
    def rate_names(self) -> tuple[str, ...]:
        """One name per velocity variable, likewise (`base.wx`); forces have the same names."""
        return _parted((joint_name(b), b.joint.rate_parts) for b in self.bodies)

    @cached_property
    def rate_joints(self) -> tuple[str, ...]:
        """The joint of each velocity variable."""
        return tuple(joint_name(b) for b in self.bodies for _ in range(b.joint.nv))

    # -- walks ---------------------------------------------------------------------------------

    def outward(self) -> Iterator[tuple[int, Body]]:
        """Yield (index, body), parents first."""
        return enumerate(self.bodies)

    def inward(self) -> Iterator[tuple[int, Body]]:
        """Yield (index, body), children first."""
        return ((j, self.bodies[j]) for j in reversed(range(len(self.bodies))))

    def around(self) -> Iterator[tuple[int, Body, bool]]:
        """Yield (index, body, True) outward and (index, body, False) inward, branch by branch."""
        ahead: dict[int, list[int]] = {}
        for j in reversed(range(len(self.bodies))):
            ahead.setdefault(self.bodies[j].parent, []).append(j)
        here = -1
        while here >= 0 or ahead.get(here):
            if ahead.get(here):
                here = ahead[here].pop()
                yield here, self.bodies[here], True
            else:
                yield here, self.bodies[here], False
                here = self.bodies[here].parent

    def split_q(self, q: Vector) -> list[Vector]:
        """Return the coordinates of each body's joint."""
        return _cut(q, [b.joint.nq for b in self.bodies], "q")

    def split(self, qd: Vector) -> list[Vector]:
        """Return the velocity variables (or rates, or forces) of each body's joint."""
        return _cut(qd, [b.joint.nv for b in self.bodies], "qd")

    def join(self, parts: Mapping[int, Sequence[Scalar]]) -> list[Scalar]:
        """Return one vector from the parts of each body's joint."""
        return [x for j in range(len(self.bodies)) for x in parts[j]]

    @cached_property
    def velocity_index(self) -> tuple[int, ...]:
        """Index of the first velocity variable of each body's joint."""
        return tuple(accumulate((b.joint.nv for b in self.bodies), initial=0))[:-1]

    @cached_property
    def coordinate_index(self) -> tuple[int, ...]:
        """Index of the first coordinate of each body's joint."""
        return tuple(accumulate((b.joint.nq for b in self.bodies), initial=0))[:-1]

    def rates_of(self, j: int) -> range:
        """Return the indices of the velocity variables of a body's joint."""
        return range(self.velocity_index[j], self.velocity_index[j] + self.bodies[j].joint.nv)

    @cached_property
    def neutral(self) -> tuple[float, ...]:
        """The coordinates at rest: zeros and unit quaternions."""
        return tuple(x for b in self.bodies for x in b.joint.neutral)

    def moved(self, q: Vector, dq: Vector) -> list[Scalar]:
        """Return q moved by the tangent vector dq."""
        parts = zip(self.bodies, self.split_q(q), self.split(dq), strict=True)
        return [x for body, own, step in parts for x in body.joint.integrate(own, step)]

    def coordinate_rates(self, q: Vector, qd: Vector) -> list[Scalar]:
        """Return the time derivative of q."""
        parts = zip(self.bodies, self.split_q(q), self.split(qd), strict=True)
        return [x for body, own, rate in parts for x in body.joint.coordinate_rate(own, rate)]

    def normalised(self, q: Vector) -> list[Scalar]:
        """Return q with quaternions of unit length."""
        out: list[Scalar] = []
        for body, own in zip(self.bodies, self.split_q(q), strict=True):
            if body.joint.nq != body.joint.nv:
                *rest, x, y, z, w = own
                size = 1 / sqrt(x * x + y * y + z * z + w * w)
                own = [*rest, x * size, y * size, z * size, w * size]
            out.extend(own)
        return out


def _parted(joints: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    return tuple(f"{name}.{part}" if part else name for name, parts in joints for part in parts)


def _cut(vector: Vector, sizes: Sequence[int], name: str) -> list[Vector]:
    if len(vector) != sum(sizes):
        raise ModelError(f"{name} has {len(vector)} entries, the mechanism needs {sum(sizes)}")
    parts, at = [], 0
    for n in sizes:
        parts.append(vector[at : at + n])
        at += n
    return parts
