"""Robots whose base moves as prescribed: torques, and the wrench that moves the base.

Khalil (2010), section 7.1, names two ways of introducing the base: as initial conditions of the
outward recursion, the inward one going on to j = 0, and as a link on a virtual one by a joint of
six freedoms (sigma_1 = 2, E2.35). The second is `newton_euler` on a free joint.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..algebra import Mat3, Rotation, Vec3
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from .drives import Drives, friction, rotor_inertia
from .moving_base import base_rotation, base_size, moving_base, rates_from_base
from .newton_euler import Wrench, couple, newton_euler, squared


def prescribed_base_inverse(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    base_acceleration: Vector,
    qdd_joints: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    convention: str = "classical",
) -> tuple[list[Scalar], list[Scalar]]:
    """Return (wrench on the base, joint torques), the base being a link on a virtual one.

    The wrench acts on a free base at its origin, in its axes; on a planar one it is the force along
    x and y of its parent and the couple.
    """
    m, k = moving_base(mechanism), base_size(mechanism)
    qdd = [*rates_from_base(m, qd, base_acceleration, convention), *qdd_joints]
    tau = newton_euler(m, q, qd, qdd, wrenches, drives)
    return tau[:k], tau[k:]


def prescribed_base_from_start(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    base_acceleration: Vector,
    qdd_joints: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    convention: str = "classical",
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the same, the motion of the base being where the recursion starts."""
    m, acting, k = moving_base(mechanism), wrenches or {}, base_size(mechanism)
    qdd = [*rates_from_base(m, qd, base_acceleration, convention), *qdd_joints]
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    base = m.bodies[0]
    w0, wd0, _, vd0 = base.rates(q_[0], qd_[0], qdd_[0])
    w, wd, vd = {0: w0}, {0: wd0}, {0: vd0 - base_rotation(m, q).T @ m.gravity}
    R: dict[int, Rotation] = {}
    P: dict[int, Vec3] = {}
    U: dict[int, Mat3] = {}
    F, N, tau = {}, {}, {}

    # outward from the base: (18)-(24)
    for j, body in m.outward():
        i = body.parent
        if i >= 0:
            R[j], P[j] = body.pose(q_[j])
            w_i = R[j].T @ w[i]
            wJ, wdJ, vJ, vdJ = body.rates(q_[j], qd_[j], qdd_[j])
            w[j], wd[j] = w_i + wJ, R[j].T @ wd[i] + wdJ + w_i.cross(wJ)
            vd[j] = R[j].T @ (vd[i] + U[i] @ P[j]) + vdJ + 2 * w_i.cross(vJ)
        U[j] = wd[j].skew() + squared(w[j])
        F[j] = body.m * vd[j] + U[j] @ body.h
        N[j] = couple(body.Io, U[j], w[j], wd[j]) + body.h.cross(vd[j])
        if j in acting:
            F[j], N[j] = F[j] + acting[j][0], N[j] + acting[j][1]

    # inward to j = 0, whose equation is that of the base: (25)-(31)
    for j, body in m.inward():
        tau[j] = body.project(q_[j], F[j], N[j])
        i = body.parent
        if i >= 0:
            f = R[j] @ F[j]
            F[i], N[i] = F[i] + f, N[i] + R[j] @ N[j] + P[j].cross(f)
    forces = m.join(tau)
    for n, Ia in rotor_inertia(m, drives).items():
        forces[n] = forces[n] + Ia * qdd[n]
    for n, force in friction(m, qd, drives).items():
        forces[n] = forces[n] + force
    return forces[:k], forces[k:]
