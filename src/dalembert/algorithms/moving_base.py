"""Robots on a moving base: base acceleration and joint torques, recursively.

Khalil (2010), section 7.2, eqs (89)-(100) with errata E2.24-E2.31: composite bodies give the base
acceleration, a last outward pass the torques. The recursions hold no gravity, so (97) yields
V̇_0 - g (E2.24); V̇_0 is the classical acceleration of the base origin in base axes (E2.25).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..algebra import Rotation, Transform, Vec3
from ..errors import ModelError, UsageError
from ..expr import Scalar, solve
from ..inertia import Inertia, steiner
from ..joint import Vector
from ..mechanism import Mechanism
from .articulated_body import hybrid_dynamics
from .composite import composite
from .drives import Drives, friction, rotor_inertia
from .newton_euler import Wrench, couple, newton_euler, squared

BASE = 6  # velocity variables of a free base


def moving_base(m: Mechanism) -> Mechanism:
    """Return the mechanism if its first body is a free or planar base that carries all others."""
    roots = [b for b in m.bodies if b.parent < 0]
    if len(roots) != 1 or roots[0].joint.kind not in ("free", "planar"):
        raise ModelError(
            "the mechanism has no free base that carries all bodies",
            hint='load it with base="free" or base="planar"',
        )
    return m


def base_size(m: Mechanism) -> int:
    """Return how many velocity variables the base has: 6 if free, 3 if planar."""
    return m.bodies[0].joint.nv if m.bodies else 0


def moving_base_inverse(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd_joints: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    convention: str = "classical",
) -> tuple[list[Scalar], list[Scalar]]:
    """Return (base acceleration, joint torques) from the motion of the joints, (89)-(100)."""
    # size: the three recursions of one algorithm read best together
    m, acting = moving_base(mechanism), wrenches or {}
    if base_size(m) != BASE:
        return moving_base_by_articulated_bodies(
            m, q, qd, qdd_joints, wrenches, drives, convention
        )
    qdd = [*([0] * BASE), *qdd_joints]
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    w: dict[int, Vec3] = {-1: Vec3.zero(), 0: Vec3(*qd[3:BASE])}
    R, P, zeta, beta, J = {}, {}, {}, {}, {}

    # outward (89), (90): what does not depend on the base acceleration
    for j, body in m.outward():
        if j > 0:
            R[j], P[j] = body.pose(q_[j])
            w_i = R[j].T @ w[body.parent]
            wJ, wdJ, vJ, vdJ = body.rates(q_[j], qd_[j], qdd_[j])
            w[j] = w_i + wJ
            turning = R[j].T @ (squared(w[body.parent]) @ P[j])
            zeta[j] = (turning + vdJ + 2 * w_i.cross(vJ), w_i.cross(wJ) + wdJ)
        W = squared(w[j])
        beta[j] = (-(W @ body.h), -couple(body.Io, W, w[j], Vec3.zero()))
        if j in acting:
            beta[j] = (beta[j][0] - acting[j][0], beta[j][1] - acting[j][1])
        J[j] = Inertia(body.m, body.h, body.Io, "origin")

    # inward (95), (96) as E2.27 and E2.28 correct them: composite bodies
    for j, body in m.inward():
        if j > 0:
            i = body.parent
            f, n = times(J[j], *zeta[j])
            f, n = R[j] @ (beta[j][0] - f), R[j] @ (beta[j][1] - n)
            beta[i] = (beta[i][0] + f, beta[i][1] + n + P[j].cross(f))
            J[i] = J[i] + J[j].moved(Transform(R[j], P[j]))

    # (97): V̇_0 - g; then outward (98)-(100)
    v_0, w_0 = _accelerate(J[0], *beta[0])
    vd, wd = {0: v_0}, {0: w_0}
    tau: dict[int, list[Scalar]] = {0: []}
    for j, body in m.outward():
        if j > 0:
            i = body.parent
            vd[j] = R[j].T @ (vd[i] + wd[i].cross(P[j])) + zeta[j][0]
            wd[j] = R[j].T @ wd[i] + zeta[j][1]
            f, n = times(J[j], vd[j], wd[j])
            tau[j] = body.project(q_[j], f - beta[j][0], n - beta[j][1])
    joints = m.join(tau)
    for k, Ia in rotor_inertia(m, drives).items():
        joints[k - BASE] = joints[k - BASE] + Ia * qdd[k]
    for k, force in friction(m, qd, drives).items():
        joints[k - BASE] = joints[k - BASE] + force
    return base_in(m, q, qd, vd[0], wd[0], convention), joints


def times(J: Inertia, v: Vec3, w: Vec3) -> tuple[Vec3, Vec3]:
    """Return the wrench a rigid inertia asks for at the acceleration (v, w)."""
    return v * J.m + w.cross(J.h), J.Io @ w + J.h.cross(v)


def _accelerate(J: Inertia, f: Vec3, n: Vec3) -> tuple[Vec3, Vec3]:
    """Return (v, w) with J (v, w) = (f, n): Newton at the mass centre, then Euler."""
    per_mass = 1 / J.m
    c = J.h * per_mass
    about_centre = J.Io - steiner(J.m, c)
    w = Vec3(*solve(about_centre.rows, list(n - c.cross(f))))
    return f * per_mass - w.cross(c), w


def base_in(
    m: Mechanism, q: Vector, qd: Vector, vd: Vec3, wd: Vec3, convention: str
) -> list[Scalar]:
    """Return the base acceleration from V̇_0 - g: classical, or the rates of qd ("spatial")."""
    R = base_rotation(m, q)
    classical = vd + R.T @ m.gravity  # E2.24
    if convention == "classical":
        return [*classical, *wd]
    if convention == "spatial":
        return [*(classical - Vec3(*qd[3:BASE]).cross(Vec3(*qd[:3]))), *wd]  # E2.25
    raise UsageError(f"unknown convention {convention!r}", hint='"classical" or "spatial"')


def base_rotation(m: Mechanism, q: Vector) -> Rotation:
    """Return the rotation of the base in the world."""
    return m.bodies[0].pose(m.split_q(q)[0])[0]


def base_acceleration(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd_joints: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    convention: str = "classical",
) -> list[Scalar]:
    """Return the acceleration of the free base that the motion of the joints causes."""
    return moving_base_inverse(mechanism, q, qd, qdd_joints, wrenches, "none", convention)[0]


def moving_base_by_partition(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd_joints: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    convention: str = "classical",
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the same from A and H, (83)-(87)."""
    m = moving_base(mechanism)
    A = composite(m, q, drives)
    H = newton_euler(m, q, qd, [0] * m.nv, wrenches, drives)
    k = base_size(m)
    n = m.nv - k
    right = [
        -H[r] - sum((A[r][k + c] * qdd_joints[c] for c in range(n)), 0) for r in range(k)
    ]
    found = solve([row[:k] for row in A[:k]], right)
    whole = [*found, *qdd_joints]
    tau = [
        sum((a * x for a, x in zip(A[k + r], whole, strict=True)), 0) + H[k + r]
        for r in range(n)
    ]
    return _from_rates(m, q, qd, found, convention), tau


def moving_base_by_articulated_bodies(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd_joints: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    convention: str = "classical",
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the same by hybrid dynamics: no force on the base, given motion at the joints."""
    m = moving_base(mechanism)
    given = {j for j, b in m.outward() if j > 0 and b.joint.nv}
    k = base_size(m)
    x = [*([0] * k), *qdd_joints]
    found, tau, _ = hybrid_dynamics(m, q, qd, x, given, wrenches, drives)
    return _from_rates(m, q, qd, found[:k], convention), tau[k:]


def _from_rates(
    m: Mechanism, q: Vector, qd: Vector, rates: Vector, convention: str
) -> list[Scalar]:
    if base_size(m) != BASE:
        return list(rates)  # a planar base: rates along fixed axes, both conventions agree
    v, w = Vec3(*qd[:3]), Vec3(*qd[3:BASE])
    classical = Vec3(*rates[:3]) + w.cross(v)
    reduced = classical - base_rotation(m, q).T @ m.gravity
    return base_in(m, q, qd, reduced, Vec3(*rates[3:]), convention)
