"""Direct dynamics by articulated bodies.

Khalil (2010), eqs (32)-(44) with errata E2.13-E2.18; the algorithm of Featherstone (1983).
Classical acceleration of the frame origins, link axes, any joint with a square invertible S'JS.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..algebra import Mat3, Rotation, Vec3, is_zero
from ..errors import SingularModel
from ..expr import Scalar, solve
from ..joint import ZERO, Column, Vector
from ..mechanism import Body, Mechanism, joint_name
from .drives import Drives, friction, rotor_inertia
from .newton_euler import Wrench, couple, squared


@dataclass(frozen=True, slots=True)
class Articulated:
    """J* of (39): f = M v̇ + B ẇ, n = Bᵀ v̇ + J ẇ at the frame origin; M and J symmetric."""

    M: Mat3
    B: Mat3
    J: Mat3

    @staticmethod
    def of(body: Body) -> Articulated:
        """Return the inertia of one rigid body."""
        return Articulated(Mat3.identity() * body.m, -body.h.skew(), body.Io)

    def __add__(self, o: Articulated) -> Articulated:
        return Articulated(self.M + o.M, self.B + o.B, self.J + o.J)

    def times(self, linear: Vec3, angular: Vec3) -> tuple[Vec3, Vec3]:
        """Return force and couple of an acceleration (linear, angular)."""
        return self.M @ linear + self.B @ angular, self.B.T @ linear + self.J @ angular

    def less(self, U: Sequence[tuple[Vec3, Vec3]], K: Sequence[tuple[Vec3, Vec3]]) -> Articulated:
        """Return J - U D⁻¹ Uᵀ (38), with K = U D⁻¹."""
        M, B, J = self.M, self.B, self.J
        for (uf, un), (kf, kn) in zip(U, K, strict=True):
            M, B, J = M - symmetric(kf, uf), B - kf.outer(un), J - symmetric(kn, un)
        return Articulated(M, B, J)

    def moved(self, R: Rotation, P: Vec3) -> Articulated:
        """Return jTiᵀ J jTi, the same inertia at the parent's origin in the parent's axes."""
        M, J = R.rotate(self.M), R.rotate(self.J)
        B = R @ (R @ self.B.T).T
        p = P.skew()
        B_i = B - M @ p
        shift = p @ B_i - B.T @ p
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = shift.rows
        return Articulated(M, B_i, J + Mat3.symmetric(xx, yy, zz, xy, xz, yz))


def symmetric(a: Vec3, b: Vec3) -> Mat3:
    """Return a bᵀ, known to be symmetric."""
    return Mat3.symmetric(a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z)


def articulated_body(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
) -> list[Scalar]:
    """Return the accelerations qdd that the joint forces tau give at the state (q, qd)."""
    return hybrid_dynamics(mechanism, q, qd, tau, (), wrenches, drives)[0]


def articulated_body_wrenches(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
) -> list[list[Scalar]]:
    """Return the link wrenches f_j of (43) that the joint forces tau lead to."""
    return hybrid_dynamics(mechanism, q, qd, tau, (), wrenches, drives)[2]


def hybrid_dynamics(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    x: Vector,
    given: Collection[int] = (),
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    sliding: Mapping[int, Scalar] | None = None,
) -> tuple[list[Scalar], list[Scalar], list[list[Scalar]]]:
    """Return (qdd, tau, link wrenches). x holds qdd for the bodies in `given`, tau for the others.

    A joint of given acceleration hands its whole inertia to its parent; the others hand on J*.
    `sliding` is 1 or, for a joint held at rest by dry friction, 0, by velocity index: such a joint
    has no acceleration, and its tau is the force it then transmits. Friction is the caller's then.
    """
    # size: the three recursions of one algorithm share a dozen symbols and read best together
    m, acting = mechanism, wrenches or {}
    moving = sliding or {}
    rubbing = friction(m, qd, drives) if sliding is None else {}
    rotor = rotor_inertia(m, drives)
    q_, qd_, x_ = m.split_q(q), m.split(qd), m.split(x)
    w: dict[int, Vec3] = {-1: Vec3.zero()}
    R, P, zeta, beta, J = {}, {}, {}, {}, {}

    # outward (32)-(35): velocities, ζ, β
    for j, body in m.outward():
        R[j], P[j] = body.pose(q_[j])
        w_i = R[j].T @ w[body.parent]
        rate = x_[j] if j in given else [0] * body.joint.nv
        wJ, wdJ, vJ, vdJ = body.rates(q_[j], qd_[j], rate)
        w[j] = w_i + wJ
        turning = R[j].T @ (squared(w[body.parent]) @ P[j])
        zeta[j] = (turning + vdJ + 2 * w_i.cross(vJ), w_i.cross(wJ) + wdJ)
        W = squared(w[j])
        beta[j] = (-(W @ body.h), -couple(body.Io, W, w[j], ZERO))
        if j in acting:
            beta[j] = (beta[j][0] - acting[j][0], beta[j][1] - acting[j][1])
        J[j] = Articulated.of(body)

    # inward (36)-(40): the inertia each joint feels, and the force it must resist
    S, U, K, H, alpha = {}, {}, {}, {}, {}
    for j, body in m.inward():
        S[j] = body.joint.columns(q_[j]) if j not in given else ()
        U[j] = [J[j].times(*s) for s in S[j]]
        k = m.velocity_index[j]
        H[j] = [[_pair(s, u) for u in U[j]] for s in S[j]]
        for a in range(len(S[j])):
            H[j][a][a] = H[j][a][a] + rotor.get(k + a, 0)
        K[j] = _times_inverse(U[j], H[j], body, moving.get(k, 1))
        zf, zn = J[j].times(*zeta[j])
        bf, bn = beta[j][0] - zf, beta[j][1] - zn
        alpha[j] = [
            x_[j][a] - rubbing.get(k + a, 0) + _pair(s, (bf, bn)) for a, s in enumerate(S[j])
        ]
        i = body.parent
        if i >= 0:
            for (kf, kn), a_ in zip(K[j], alpha[j], strict=True):
                bf, bn = bf - kf * a_, bn - kn * a_
            f = R[j] @ bf
            beta[i] = (beta[i][0] + f, beta[i][1] + R[j] @ bn + P[j].cross(f))
            J[i] = J[i] + J[j].less(U[j], K[j]).moved(R[j], P[j])

    # outward (41)-(43): accelerations, and the wrenches they transmit
    vd, wd = {-1: -m.gravity}, {-1: Vec3.zero()}
    qdd, tau, transmitted = {}, {}, []
    for j, body in m.outward():
        i, k = body.parent, m.velocity_index[j]
        lin = R[j].T @ (vd[i] + wd[i].cross(P[j]))
        ang = R[j].T @ wd[i]
        vd[j], wd[j] = lin + zeta[j][0], ang + zeta[j][1]
        qdd[j] = x_[j]
        if j not in given:
            free = moving.get(k, 1)
            qdd[j] = _accelerations(H[j], U[j], K[j], alpha[j], lin, ang, free)
            for (s_lin, s_ang), a in zip(S[j], qdd[j], strict=True):
                vd[j], wd[j] = vd[j] + s_lin * a, wd[j] + s_ang * a
        f, n = J[j].times(vd[j], wd[j])
        f, n = f - beta[j][0], n - beta[j][1]
        transmitted.append([*f, *n])
        tau[j] = x_[j]
        if j in given or k in moving:
            tau[j] = [
                t + rotor.get(k + a, 0) * qdd[j][a] + rubbing.get(k + a, 0)
                for a, t in enumerate(body.project(q_[j], f, n))
            ]
    return m.join(qdd), m.join(tau), transmitted


def _pair(s: Column, wrench: tuple[Vec3, Vec3]) -> Scalar:
    return s[0].dot(wrench[0]) + s[1].dot(wrench[1])


def _times_inverse(
    U: Sequence[tuple[Vec3, Vec3]], H: Sequence[Sequence[Scalar]], body: Body, free: Scalar = 1
) -> list[tuple[Vec3, Vec3]]:
    """Return the columns of U H⁻¹; a joint that moves no inertia has none."""
    n = len(H)
    singular = SingularModel(
        f"joint {joint_name(body)!r} moves no inertia: the direct model does not exist",
        hint="give the body beyond it a mass or an inertia about the joint, or a rotor inertia",
    )
    if any(is_zero(H[a][a]) for a in range(n)):
        raise singular
    if n == 1:
        inverse = free * (1 / H[0][0])
        return [(f * inverse, t * inverse) for f, t in U]
    try:
        rows = [solve(H, [[*f, *t][r] for f, t in U]) for r in range(6)] if n else []
    except ZeroDivisionError:
        raise singular from None
    return [(Vec3(*(r[a] for r in rows[:3])), Vec3(*(r[a] for r in rows[3:]))) for a in range(n)]


def _accelerations(
    H: Sequence[Sequence[Scalar]],
    U: Sequence[tuple[Vec3, Vec3]],
    K: Sequence[tuple[Vec3, Vec3]],
    alpha: Sequence[Scalar],
    lin: Vec3,
    ang: Vec3,
    free: Scalar = 1,
) -> list[Scalar]:
    """Return q̈_j = H⁻¹ (α - Uᵀ jTi V̇_i), (41)."""
    if len(H) == 1:
        kf, kn = K[0]
        return [alpha[0] * (free * (1 / H[0][0])) - kf.dot(lin) - kn.dot(ang)]
    right = [a - (f.dot(lin) + t.dot(ang)) for a, (f, t) in zip(alpha, U, strict=True)]
    return solve(H, right) if H else []
