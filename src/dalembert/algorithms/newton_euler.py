"""Inverse dynamics by the recursive Newton-Euler algorithm.

Khalil, Dynamic modeling of robots using recursive Newton-Euler techniques (2010), eqs (18)-(30),
with errata E2.6-E2.12. First moments and tensors about the frame origin; link axes throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import NO_WRENCH, Motion, Wrench

Wrenches = Mapping[int, Wrench]  # that links exert on the environment (f_e, m_e), by body


def newton_euler(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None
) -> list[Scalar]:
    """Return the joint forces tau that give the accelerations qdd at the state (q, qd)."""
    return recursion(m, q, qd, qdd, wrenches)[0]


def link_wrenches(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None
) -> list[list[Scalar]]:
    """Return (f_j, m_j), the wrench of link a(j) on link j at the origin of frame j, link axes."""
    return [wrench.entries() for wrench in recursion(m, q, qd, qdd, wrenches)[1]]


def recursion(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrenches: Wrenches | None = None,
    start: Mapping[int, Motion] | None = None,
) -> tuple[list[Scalar], list[Wrench]]:
    """Return (tau, the wrench that each joint transmits to its link).

    The motion of the bodies in `start` is known: by default the base, which accelerates by -g.
    """
    q_, qd_, qdd_, acting = m.split_q(q), m.split(qd), m.split(qdd), wrenches or {}
    motion = {-1: Motion(vd=-m.gravity)} if start is None else dict(start)
    place, wrench = {}, {}
    tau: dict[int, Sequence[Scalar]] = {}

    for j, body, outward in m.around():
        if outward:  # (18)-(24): the motion of the link, and the wrench that motion needs
            place[j] = body.pose(q_[j])
            if j not in motion:
                joint = body.rates(q_[j], qd_[j], qdd_[j])
                motion[j] = motion[body.parent].carried(*place[j]).moved(*joint)
            wrench[j] = motion[j].needs(body) + acting.get(j, NO_WRENCH)
        else:  # inward (25)-(30): keep the part along the joint, hand the rest to the parent
            tau[j] = body.project(q_[j], wrench[j])
            if body.parent >= 0:
                wrench[body.parent] = wrench[j].to_parent(*place[j], onto=wrench[body.parent])

    return m.join(tau), [wrench[j] for j in range(len(m.bodies))]
