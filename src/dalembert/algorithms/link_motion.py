"""Outward over the tree: pose and motion of every body, in base axes and in its own.

Craig, Introduction to Robotics, chapter 5; the base is body -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from ..algebra import Rotation, Transform, Vec3
from ..frozen import dataclass
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import AT_REST, ZERO, Motion, Twist
from .moving_vectors import Moving


def path(m: Mechanism, body: int) -> list[int]:
    """Return the bodies from the base to `body`."""
    bodies = []
    while body >= 0:
        bodies.append(body)
        body = m.bodies[body].parent
    return bodies[::-1]


def poses(m: Mechanism, q: Vector, bodies: Iterable[int] | None = None) -> dict[int, Transform]:
    """Return the pose in the base frame of every body, or of those of a path."""
    q_, T = m.split_q(q), {-1: Transform()}
    for j in range(len(m.bodies)) if bodies is None else bodies:
        there = T[m.bodies[j].parent] @ Transform(*m.bodies[j].pose(q_[j]))
        T[j] = Transform(there.R.bounded(), there.p)
    return T


def twists(
    m: Mechanism, q: Vector, qd: Vector, bodies: Iterable[int] | None = None
) -> dict[int, Twist]:
    """Return the velocity of every body at its origin, in its own axes."""
    q_, qd_, xi = m.split_q(q), m.split(qd), {-1: AT_REST}
    for j in range(len(m.bodies)) if bodies is None else bodies:
        body = m.bodies[j]
        own = xi[body.parent].to_child(*body.pose(q_[j]))
        for s, speed in zip(body.joint.columns(q_[j]), qd_[j], strict=True):
            own = own + s * speed
        xi[j] = own
    return xi


def motions(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    base: Vec3 = ZERO,
    bodies: Iterable[int] | None = None,
) -> dict[int, Motion]:
    """Return ω, ω̇ and V̇ of every body in its own axes; `base` is the acceleration of the base."""
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    motion = {-1: Motion(vd=base)}
    for j in range(len(m.bodies)) if bodies is None else bodies:
        body = m.bodies[j]
        joint = body.rates(q_[j], qd_[j], qdd_[j])
        motion[j] = motion[body.parent].carried(*body.pose(q_[j])).moved(*joint)
    return motion


@dataclass(frozen=True, slots=True)
class State:
    """Pose and motion of a frame in base axes: velocities and classical accelerations."""

    R: Rotation = Rotation()
    p: Vec3 = ZERO
    v: Vec3 = ZERO  # of the origin
    w: Vec3 = ZERO
    vd: Vec3 = ZERO
    wd: Vec3 = ZERO
    # where only first rates are asked: what R made of vectors before, by their identity
    rotated: dict[int, tuple[Vec3, Vec3]] | None = field(default=None, compare=False, repr=False)

    def moved(self, R: Rotation, P: Vec3, joint: Sequence[Vec3] = ()) -> State:
        """Return the state of a child at (R, P) whose joint moves by (wJ, wdJ, vJ, vdJ), if any."""
        step, R_j = self.R @ P, (self.R @ R).bounded()
        if not joint:
            return State(R_j, self.p + step)
        swept = self.w.cross(step)
        wJ, wdJ, vJ, vdJ = (R_j @ x for x in joint)
        vd = self.vd + self.wd.cross(step) + self.w.cross(swept) + vdJ + 2 * self.w.cross(vJ)
        wd = self.wd + wdJ + self.w.cross(wJ)
        return State(R_j, self.p + step, self.v + swept + vJ, self.w + wJ, vd, wd)

    def vector(self, a: Vec3) -> Moving:
        """Return a vector fixed in the frame, given in its axes."""
        if self.rotated is not None:
            if id(a) not in self.rotated:
                self.rotated[id(a)] = a, self.R @ a
            x = self.rotated[id(a)][1]
            return Moving(x, ZERO if self.w is ZERO else self.w.cross(x), ZERO)
        x = self.R @ a
        xd = self.w.cross(x)
        return Moving(x, xd, self.wd.cross(x) + self.w.cross(xd))

    def point(self, c: Vec3) -> Moving:
        """Return a point fixed in the frame, given in its axes."""
        arm = self.vector(c)
        return Moving(arm.x + self.p, arm.xd + self.v, arm.xdd + self.vd)

    def frame(self, T: Transform) -> State:
        """Return pose and velocity of a frame fixed in this one."""
        origin = self.point(T.p)
        return State(self.R @ T.R, origin.x, origin.xd, self.w)


def states(
    m: Mechanism,
    q: Vector,
    qd: Vector | None = None,
    bodies: Iterable[int] | None = None,
    qdd: Vector | None = None,
) -> dict[int, State]:
    """Return the state of every body, or of those of a path, seen from where it starts.

    At rest without qd; accelerations are those at qdd, by default zero.
    """
    q_, qd_ = m.split_q(q), None if qd is None else m.split(qd)
    qdd_, state = m.split([0] * m.nv if qdd is None else qdd), {-1: State()}
    for j in range(len(m.bodies)) if bodies is None else bodies:
        body = m.bodies[j]
        joint = () if qd_ is None else body.rates(q_[j], qd_[j], qdd_[j])
        state[j] = state.get(body.parent, state[-1]).moved(*body.pose(q_[j]), joint)
    return state
