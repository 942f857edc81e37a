"""Inverse dynamics by the recursive Newton-Euler algorithm.

Khalil, Dynamic modeling of robots using recursive Newton-Euler techniques (2010), eqs (18)-(31),
with errata E2.6-E2.12. First moments and tensors about the frame origin; link axes throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..algebra import Mat3, Rotation, Vec3
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from .drives import Drives, friction, rotor_inertia

Wrench = tuple[Vec3, Vec3]  # force and couple exerted by the link on the environment (f_e, m_e)


def newton_euler(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
) -> list[Scalar]:
    """Return the joint forces tau that give the accelerations qdd at the state (q, qd)."""
    tau = _recursion(mechanism, q, qd, qdd, wrenches or {})[0]
    # (31): rotor inertia, Coulomb and viscous friction
    for k, Ia in rotor_inertia(mechanism, drives).items():
        tau[k] = tau[k] + Ia * qdd[k]
    for k, force in friction(mechanism, qd, drives).items():
        tau[k] = tau[k] + force
    return tau


def link_wrenches(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
) -> list[list[Scalar]]:
    """Return (f_j, m_j), the wrench of link a(j) on link j at the origin of frame j, link axes."""
    F, N = _recursion(mechanism, q, qd, qdd, wrenches or {})[1:]
    return [[*F[j], *N[j]] for j in range(len(mechanism.bodies))]


def _recursion(
    mechanism: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Mapping[int, Wrench]
) -> tuple[list[Scalar], dict[int, Vec3], dict[int, Vec3]]:
    q_, qd_, qdd_ = mechanism.split_q(q), mechanism.split(qd), mechanism.split(qdd)
    w, wd, vd = {-1: Vec3.zero()}, {-1: Vec3.zero()}, {-1: -mechanism.gravity}
    U: dict[int, Mat3] = {-1: Mat3.zero()}
    R: dict[int, Rotation] = {}
    P, F, N = {}, {}, {}
    tau: dict[int, Sequence[Scalar]] = {}

    # outward (18)-(24): the motion of each link, and the force that motion needs
    for j, body in mechanism.outward():
        i = body.parent
        R[j], P[j] = body.pose(q_[j])
        w_i = R[j].T @ w[i]
        wJ, wdJ, vJ, vdJ = body.rates(q_[j], qd_[j], qdd_[j])  # relative motion, child axes
        w[j] = w_i + wJ
        wd[j] = R[j].T @ wd[i] + wdJ + w_i.cross(wJ)
        vd[j] = R[j].T @ (vd[i] + U[i] @ P[j]) + vdJ + 2 * w_i.cross(vJ)
        U[j] = wd[j].skew() + squared(w[j])
        F[j] = body.m * vd[j] + U[j] @ body.h
        N[j] = couple(body.Io, U[j], w[j], wd[j]) + body.h.cross(vd[j])
        if j in wrenches:
            F[j], N[j] = F[j] + wrenches[j][0], N[j] + wrenches[j][1]

    # inward (25)-(31): keep the part along the joint, hand the rest to the parent
    for j, body in mechanism.inward():
        tau[j] = body.project(q_[j], F[j], N[j])
        i = body.parent
        if i >= 0:
            f = R[j] @ F[j]
            F[i] = F[i] + f
            N[i] = N[i] + R[j] @ N[j] + P[j].cross(f)

    return mechanism.join(tau), F, N


def squared(w: Vec3) -> Mat3:
    """Return skew(w) skew(w), symmetric: w wᵀ - (w·w) 1."""
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    return Mat3.symmetric(-(yy + zz), -(xx + zz), -(xx + yy), xy, xz, yz)


def couple(Io: Mat3, U: Mat3, w: Vec3, wd: Vec3) -> Vec3:
    """Return Io wd + w × (Io w), written on the entries of U, which are there already.

    With U = skew(wd) + skew(w) skew(w) the products of angular velocities need not be formed again.
    """
    xx, yy, zz, xy, xz, yz = Io.six()
    x2, y2, z2 = w.x * w.x, w.y * w.y, w.z * w.z
    return Vec3(
        xx * wd.x + (zz - yy) * (w.y * w.z) - xy * U.c[0] + xz * U.b[0] + yz * (y2 - z2),
        yy * wd.y + (xx - zz) * (w.x * w.z) - yz * U.a[1] + xy * U.c[1] + xz * (z2 - x2),
        zz * wd.z + (yy - xx) * (w.x * w.y) - xz * U.b[2] + yz * U.a[2] + xy * (x2 - y2),
    )
