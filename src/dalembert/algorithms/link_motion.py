"""Outward over the tree: pose and motion of every body, in base axes and in its own.

Craig, Introduction to Robotics, chapter 5; the base is body -1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..algebra import Rotation, Transform, Vec3
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import AT_REST, ZERO, Motion, Twist


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
    """Pose of a frame in the base frame, and its velocity at its origin in base axes."""

    R: Rotation = Rotation()
    p: Vec3 = ZERO
    v: Vec3 = ZERO
    w: Vec3 = ZERO

    def point(self, r: Vec3) -> tuple[Vec3, Vec3]:
        """Return place and velocity of a point fixed in the frame, given in its axes."""
        arm = self.R @ r
        return self.p + arm, self.v + self.w.cross(arm)

    def frame(self, T: Transform) -> State:
        """Return the state of a frame fixed in this one."""
        p, v = self.point(T.p)
        return State(self.R @ T.R, p, v, self.w)


def states(
    m: Mechanism, q: Vector, qd: Vector, bodies: Iterable[int] | None = None
) -> dict[int, State]:
    """Return pose and velocity of every body in base axes."""
    q_, qd_, state = m.split_q(q), m.split(qd), {-1: State()}
    for j in range(len(m.bodies)) if bodies is None else bodies:
        body, before = m.bodies[j], state[m.bodies[j].parent]
        R, P = body.pose(q_[j])
        wJ, _, vJ, _ = body.rates(q_[j], qd_[j], [0] * body.joint.nv)
        R_j, step = (before.R @ R).bounded(), before.R @ P
        v = before.v + before.w.cross(step) + R_j @ vJ
        state[j] = State(R_j, before.p + step, v, before.w + R_j @ wJ)
    return state
