"""What links of a large tree hand to each other, and six-vectors as numbers in cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..algebra import Mat3, Vec3
from ..expr import Port, Program, Scalar, program, trace
from ..expr.rolled import Cells, Pass, Roller, Slots
from ..inertia import Inertia
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import Articulated, Motion
from .rolled_links import Call, Links


class Outward:
    """Values that a link takes from its parent; kept until its last child has read them."""

    def __init__(self, roller: Roller, size: int, start: Sequence[Scalar]):
        self.slots = Slots(roller, size)
        self.cells = {-1: self.slots.take()}
        roller.begin().apply(_constants(start), 0, start=self.cells[-1])
        self.left: dict[int, int] = {}

    def restart(self) -> None:
        """Forget all values but those of the base."""
        self.slots.reset([self.cells[-1]])
        self.cells = {-1: self.cells[-1]}

    def of(self, j: int) -> Cells:
        """Return the values of a body, or of the base."""
        return self.cells[j]

    def new(self, m: Mechanism, j: int, many: int = 1) -> Cells:
        """Return room for those of a body, or of the last of a run; its parent's may be free."""
        if not self.left:
            self.left = {b.parent: k for k, b in enumerate(m.bodies)}  # the last child
        parent, first, j = m.bodies[j].parent, j, j + many - 1
        self.cells[j] = self.slots.take()
        if parent >= 0 and self.left[parent] == first:
            self.slots.give_back(self.cells[parent])
        if j not in self.left:
            self.slots.give_back(self.cells[j])  # nobody reads it
        return self.cells[j]


class Inward:
    """Sums that a parent takes from its children: the first of them sets what others add to."""

    def __init__(self, slots: Slots, size: int | None = None):
        self.slots, self.size = slots, size or slots.size
        self.cells: dict[int, Cells] = {-1: slots.take()}
        self.met: set[int] = set()

    def end(self) -> None:
        """Give all rooms back."""
        self.slots.give_back(self.cells[-1])

    def step(
        self, links: Links, where: Pass, j: int, call: Call, plain: bool = False, many: int = 1
    ) -> Program | None:
        """Apply a formula that is given the sum of j, `felt`, and the parent's so far, `onto`.

        The last that it finds is what is `sent` to the parent. Of a run the last body has felt.
        """
        parent, last, given = links.m.bodies[j].parent, j + many - 1, dict(call.given)
        if last in self.met:
            given["felt"] = self.cells[last].part(0, self.size)
        if parent not in self.cells:
            self.cells[parent] = self.slots.take()
        sent = self.cells[parent].part(0, self.size)
        if parent in self.met and parent >= 0:
            given["onto"] = sent
        self.met.add(parent)
        call = replace(call, given=given, found=call.found | {"sent": sent})
        routine = None
        if plain:
            links.apply_plain(where, call)
        else:
            routine = links.apply(where, j, call, many)
        if last in self.cells:
            self.slots.give_back(self.cells[last])
        return routine


def _constants(values: Sequence[Scalar]) -> Program:
    """Return the routine that writes numbers."""
    made = trace(lambda: [[float(x) for x in values]], [], outputs=[("start", (len(values),))])
    return program(made)


def inputs(m: Mechanism, last: str) -> list[Port]:
    """Return the ports q, qd and the last one."""
    return [Port("q", (m.nq,)), Port("qd", (m.nv,)), Port(last, (m.nv,))]


def as_motion(x: Vector) -> Motion:
    """Return the motion of nine numbers."""
    return Motion(Vec3(*x[:3]), Vec3(*x[3:6]), Vec3(*x[6:9]))


def as_articulated(x: Vector) -> Articulated:
    """Return the articulated inertia of 21 numbers."""
    return Articulated(
        Mat3.symmetric(*x[:6]), Mat3(*(tuple(x[k : k + 3]) for k in (6, 9, 12))),
        Mat3.symmetric(*x[15:21]),
    )  # fmt: skip


def articulated_entries(J: Articulated) -> list[Scalar]:
    """Return the 21 numbers of an articulated inertia."""
    return [*J.M.six(), *(x for row in J.B.rows for x in row), *J.J.six()]


def inertia_entries(I: Inertia) -> list[Scalar]:
    """Return the ten numbers of an inertia about the origin."""
    return [I.m, *I.h, *I.Io.six()]


def as_inertia(x: Vector) -> Inertia:
    """Return the inertia of ten numbers."""
    return Inertia(x[0], Vec3(*x[1:4]), Mat3.symmetric(*x[4:10]), "origin")
