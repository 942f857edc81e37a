"""Everything about one body that models of many bodies ask for, in its own frame.

Used where every body meets all before it: Coriolis matrix, derivatives. In the frame of a link its
joint axis is a constant and its inertia too; what must be seen from a parent is brought there.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..algebra import Rotation, Vec3
from ..inertia import Inertia
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import AT_REST, Motion, Twist, Wrench


@dataclass(frozen=True, slots=True)
class LinkState:
    """Place, motion and inertia of one body, and how its joint axes move."""

    place: tuple[Rotation, Vec3]  # of its frame in the parent's
    s: tuple[Twist, ...]  # motion of each freedom of its joint
    xi: Twist
    psi: tuple[Twist, ...]  # Ψ̇: rate of s as the parent moves
    psi2: tuple[Twist, ...]  # Ψ̈
    I: Inertia
    f: Wrench  # the wrench its motion needs, gravity included


def link_states(m: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[LinkState]:
    """Return the state of every body; joints must have columns that are fixed in the body."""
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    xi, motion = {-1: AT_REST}, {-1: Motion(vd=-m.gravity)}
    states: list[LinkState] = []
    for j, body in m.outward():
        place, joint = body.pose(q_[j]), body.rates(q_[j], qd_[j], qdd_[j])
        before, v_i = motion[body.parent].carried(*place), xi[body.parent].to_child(*place)
        motion[j], xi[j] = before.moved(*joint), v_i + Twist(joint[2], joint[0])
        s = body.joint.columns(q_[j])
        # a joint of one freedom does not move its own axis: the link moves it as its parent does
        carrier, speed = (motion[j], xi[j]) if len(s) == 1 else (before, v_i)
        psi = tuple(speed.cross(x) for x in s)
        psi2 = tuple(second_rate(carrier, speed.v, x) for x in s)
        I, f = body.inertia.about_origin, motion[j].needs(body)
        states.append(LinkState(place, s, xi[j], psi, psi2, I, f))
    return states


def second_rate(motion: Motion, v: Vec3, s: Twist) -> Twist:
    """Return ξ̇ × s + ξ × (ξ × s) for ξ = (v, w), whose ξ̇ has the linear part vd - w × v."""
    U = motion.U
    drag = motion.vd.cross(s.w) + 2 * v.cross(motion.w.cross(s.w))
    return Twist(U @ s.v + drag, U @ s.w)
