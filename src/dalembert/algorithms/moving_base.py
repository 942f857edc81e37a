"""Robots on a moving base: base acceleration and joint torques, recursively.

Khalil (2010), section 7.2, eqs (89)-(100) with errata E2.24-E2.31: composite bodies give the base
acceleration, a last outward pass the torques. The recursions hold no gravity, so (97) yields
V̇_0 - g (E2.24); V̇_0 is the classical acceleration of the base origin in base axes (E2.25).
The default method does the same in two parts, (86) and (87): Newton and Euler with an unaccelerated
base, then what the acceleration of the base adds. Single bodies have fewer inertial parameters than
composite ones, so that it costs less (Talos: 1.55 times its inverse dynamics instead of 1.66).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..algebra import Mat3, Rotation, Transform, Vec3, is_zero
from ..errors import ModelError, SingularModel, UsageError
from ..expr import Scalar, solve
from ..inertia import Inertia, steiner
from ..joint import Vector
from ..mechanism import Mechanism, joint_name
from .articulated_body import hybrid_dynamics
from .drives import Drives, friction, rotor_inertia
from .newton_euler import Wrench, couple, squared
from .partition import hybrid_by_partition

BASE = 6  # velocity variables of a free base
CONVENTIONS = ("classical", "spatial")
Hybrid = Callable[..., tuple[Any, ...]]


def moving_base(m: Mechanism) -> Mechanism:
    """Return the mechanism if its first body is a free or planar base that carries all others."""
    if not has_moving_base(m):
        raise ModelError(
            "the mechanism has no free base that carries all bodies",
            hint='load it with base="free" or base="planar"',
            command="write --base free or --base planar",
        )
    return m


def has_moving_base(m: Mechanism) -> bool:
    """Return whether the first body is a free or planar base that carries all others."""
    roots = [b for b in m.bodies if b.parent < 0]
    return len(roots) == 1 and roots[0].joint.kind in ("free", "planar")


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
    """Return (base acceleration, joint torques) from the motion of the joints."""
    # size: the three recursions of one algorithm read best together
    m, acting = moving_base(mechanism), wrenches or {}
    if base_size(m) != BASE:
        return moving_base_by_articulated_bodies(m, q, qd, qdd_joints, wrenches, drives, convention)
    qdd = [*([0] * BASE), *qdd_joints]
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    w, wd, vd = {0: Vec3(*qd[3:BASE])}, {0: Vec3.zero()}, {0: Vec3.zero()}
    U: dict[int, Mat3] = {}
    R, P, F, N, J = {}, {}, {}, {}, {}
    tau: dict[int, list[Scalar]] = {0: []}

    # outward with an unaccelerated base: what H and A12 q̈, A22 q̈ stand for
    for j, body in m.outward():
        if j > 0:
            i = body.parent
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
        J[j] = Inertia(body.m, body.h, body.Io, "origin")

    # inward: torques without the base, and the composite bodies of (95)
    for j, body in m.inward():
        if j > 0:
            i = body.parent
            tau[j] = body.project(q_[j], F[j], N[j])
            f = R[j] @ F[j]
            F[i], N[i] = F[i] + f, N[i] + R[j] @ N[j] + P[j].cross(f)
            J[i] = J[i] + J[j].moved(Transform(R[j], P[j]))

    # (86): V̇_0 - g; outward: its share A12ᵀ V̇_0 of the torques, (87)
    v_0, w_0 = _accelerate(J[0], -F[0], -N[0], joint_name(m.bodies[0]))
    v, a = {0: v_0}, {0: w_0}
    for j, body in m.outward():
        if j > 0:
            i = body.parent
            v[j], a[j] = R[j].T @ (v[i] + a[i].cross(P[j])), R[j].T @ a[i]
            share = body.project(q_[j], *times(J[j], v[j], a[j]))
            tau[j] = [x + y for x, y in zip(tau[j], share, strict=True)]
    return _completed(m, q, qd, qdd, (v_0, w_0), m.join(tau), drives, convention)


def moving_base_by_recursion(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd_joints: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    convention: str = "classical",
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the same as (89)-(100) stand, composite bodies carrying every term."""
    # size: the three recursions of one algorithm read best together
    m, acting = moving_base(mechanism), wrenches or {}
    if base_size(m) != BASE:
        return moving_base_by_articulated_bodies(m, q, qd, qdd_joints, wrenches, drives, convention)
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
    v_0, w_0 = _accelerate(J[0], *beta[0], joint_name(m.bodies[0]))
    vd, wd = {0: v_0}, {0: w_0}
    tau: dict[int, list[Scalar]] = {0: []}
    for j, body in m.outward():
        if j > 0:
            i = body.parent
            vd[j] = R[j].T @ (vd[i] + wd[i].cross(P[j])) + zeta[j][0]
            wd[j] = R[j].T @ wd[i] + zeta[j][1]
            f, n = times(J[j], vd[j], wd[j])
            tau[j] = body.project(q_[j], f - beta[j][0], n - beta[j][1])
    return _completed(m, q, qd, qdd, (vd[0], wd[0]), m.join(tau), drives, convention)


def _completed(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    reduced: tuple[Vec3, Vec3],
    joints: list[Scalar],
    drives: Drives,
    convention: str,
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the base acceleration from V̇_0 - g, and the torques with what drives add, (100)."""
    for k, Ia in rotor_inertia(m, drives).items():
        joints[k - BASE] = joints[k - BASE] + Ia * qdd[k]
    for k, force in friction(m, qd, drives).items():
        joints[k - BASE] = joints[k - BASE] + force
    classical = reduced[0] + base_rotation(m, q).T @ m.gravity  # E2.24
    less = _named(convention) == "spatial"
    return [*(classical - _turning(qd) if less else classical), *reduced[1]], joints


def times(J: Inertia, v: Vec3, w: Vec3) -> tuple[Vec3, Vec3]:
    """Return the wrench a rigid inertia asks for at the acceleration (v, w)."""
    return v * J.m + w.cross(J.h), J.Io @ w + J.h.cross(v)


def _accelerate(J: Inertia, f: Vec3, n: Vec3, joint: str) -> tuple[Vec3, Vec3]:
    """Return (v, w) with J (v, w) = (f, n): Newton at the mass centre, then Euler."""
    if is_zero(J.m):
        raise SingularModel(
            f"joint {joint!r} moves no inertia: no body has a mass",
            hint="body base: M = 5, I = (0.1, 0.1, 0.1)",
        )
    per_mass = 1 / J.m
    c = J.h * per_mass
    about_centre = J.Io - steiner(J.m, c)
    w = Vec3(*solve(about_centre.rows, list(n - c.cross(f))))
    return f * per_mass - w.cross(c), w


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
    return _with_still_base_force(
        hybrid_by_partition, mechanism, q, qd, qdd_joints, wrenches, drives, convention
    )


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
    return _with_still_base_force(
        hybrid_dynamics, mechanism, q, qd, qdd_joints, wrenches, drives, convention
    )


def _with_still_base_force(
    hybrid: Hybrid,
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd_joints: Vector,
    wrenches: Mapping[int, Wrench] | None,
    drives: Drives,
    convention: str,
) -> tuple[list[Scalar], list[Scalar]]:
    m, k = moving_base(mechanism), base_size(mechanism)
    given = {j for j, b in enumerate(m.bodies) if j > 0 and b.joint.nv}
    found, tau, *_ = hybrid(m, q, qd, [*([0] * k), *qdd_joints], given, wrenches, drives)
    return base_from_rates(m, qd, found[:k], convention), tau[k:]


def moving_base_direct(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    tau_joints: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    convention: str = "classical",
    hybrid: Hybrid = hybrid_dynamics,
) -> tuple[list[Scalar], list[Scalar]]:
    """Return (base acceleration, qdd of the joints) from the joint torques, (101)-(112)."""
    m, k = moving_base(mechanism), base_size(mechanism)
    found, *_ = hybrid(m, q, qd, [*([0] * k), *tau_joints], (), wrenches, drives)
    return base_from_rates(m, qd, found[:k], convention), found[k:]


def moving_base_direct_by_partition(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    tau_joints: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    convention: str = "classical",
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the same from A and H, (88)."""
    return moving_base_direct(
        mechanism, q, qd, tau_joints, wrenches, drives, convention, hybrid_by_partition
    )


# -- the two conventions of a base acceleration, E2.25 ------------------------------------------


def _named(convention: str) -> str:
    if convention not in CONVENTIONS:
        known = " or ".join(f'"{c}"' for c in CONVENTIONS)
        raise UsageError(f"unknown convention {convention!r}", hint=known)
    return convention


def _turning(qd: Vector) -> Vec3:
    """Return w × v, which the classical acceleration has beyond the rates of qd."""
    return Vec3(*qd[3:BASE]).cross(Vec3(*qd[:3]))


def base_from_rates(m: Mechanism, qd: Vector, rates: Vector, convention: str) -> list[Scalar]:
    """Return the base acceleration in a convention from the rates of the base's qd."""
    if _named(convention) == "spatial" or base_size(m) != BASE:
        return list(rates)  # a planar base: rates along fixed axes, both conventions agree
    return [*(Vec3(*rates[:3]) + _turning(qd)), *rates[3:]]


def rates_from_base(
    m: Mechanism, qd: Vector, acceleration: Vector, convention: str
) -> list[Scalar]:
    """Return the rates of the base's qd from its acceleration in a convention."""
    if _named(convention) == "spatial" or base_size(m) != BASE:
        return list(acceleration)
    return [*(Vec3(*acceleration[:3]) - _turning(qd)), *acceleration[3:]]
