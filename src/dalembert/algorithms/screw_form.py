"""Inverse dynamics with screws and 6 x 6 matrices: the readable form of the Newton-Euler family.

Khalil (2010), eqs (9)-(17) and (25)-(31), linear part first, with errata E2.4 (skew matrices in
(11)), E2.6 (ʲω_i in (15)), E2.7 (six entries in (16)) and E2.12 (transpose in (25)). `newton_euler`
says the same in three dimensions with a third of the operations.
"""

from __future__ import annotations

from ..algebra import Mat3, Rotation, Vec3
from ..expr import Scalar
from ..joint import Vector
from ..linalg import Matrix
from ..linalg import Vector as Screw
from ..mechanism import Body, Mechanism
from ..spatial import NO_WRENCH, Twist
from .newton_euler import Wrenches


def screw_form(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None
) -> list[Scalar]:
    """Return the joint forces tau that give the accelerations qdd at the state (q, qd)."""
    q_, qd_, qdd_, acting = m.split_q(q), m.split(qd), m.split(qdd), wrenches or {}
    V, Vd = {-1: Screw.zeros(6)}, {-1: Screw([*(-m.gravity), 0, 0, 0])}
    T, a, f, tau = {}, {}, {}, {}

    for j, body in m.outward():
        i = body.parent
        R, P = body.pose(q_[j])
        T[j] = screw_transform(R, P)
        a[j] = Matrix.columns([s.entries() for s in body.joint.columns(q_[j])], 6)  # (16)
        relative = a[j] @ qd_[j]
        (_, w_i), (vJ, wJ) = Twist.of(V[i]), Twist.of(relative)
        turning = R.T @ w_i.cross(w_i.cross(P)) + body.joint.drift(q_[j], qd_[j])
        w_j = R.T @ w_i
        gamma = Screw([*(turning + 2 * w_j.cross(vJ)), *w_j.cross(wJ)])  # (15)
        V[j] = T[j] @ V[i] + relative  # (13)
        Vd[j] = T[j] @ Vd[i] + gamma + a[j] @ qdd_[j]  # (14)
        w = Twist.of(V[j]).w
        bias = Screw([*w.cross(w.cross(body.h)), *w.cross(body.Io @ w)])
        f[j] = inertia_matrix(body) @ Vd[j] + bias + acting.get(j, NO_WRENCH).entries()  # (9)

    for j, body in m.inward():
        tau[j] = a[j].T @ f[j]
        if body.parent >= 0:
            f[body.parent] += T[j].T @ f[j]  # (25)
    return m.join(tau)


def screw_transform(R: Rotation, P: Vec3) -> Matrix:
    """Return ʲT_i of (17), [ʲR_i, -ʲR_i P̂; 0, ʲR_i], from the pose (ⁱR_j, ⁱP_j)."""
    turn = R.T.matrix()
    return Matrix.block([[turn, -(turn @ P.skew())], [Mat3.zero(), turn]])


def inertia_matrix(body: Body) -> Matrix:
    """Return the 6 x 6 inertia of (11), with the skew matrix of the first moments (E2.4)."""
    S = body.h.skew()
    return Matrix.block([[Mat3.identity() * body.m, -S], [S, body.Io]])
