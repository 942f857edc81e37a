"""The Lagrange equations in homogeneous coordinates: 4 x 4 matrices and traces.

Uicker (1968), Bejczy and Lewis (1974), as given by Liégeois and Aldon, INRIA RR 32 (1980), section
2, eqs (2-1)-(2-13), errata E0.4-E0.7, E0.28, E0.29. Trees as well as chains, over any scalar; every
product is formed as the section says, which is what makes this the slow one.
"""

from __future__ import annotations

from functools import cached_property

from ..algebra import Transform, is_plain_zero
from ..expr import Scalar
from ..inertia import Inertia
from ..joint import Joint, Vector
from ..linalg import Matrix
from ..linalg import Vector as Vector4
from ..mechanism import Mechanism
from .augmented_body import one_freedom_each, refuse_wrenches
from .link_motion import path
from .newton_euler import Wrenches

ZERO = Matrix.zeros(4, 4)


def homogeneous(
    mechanism: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None
) -> list[Scalar]:
    """Return the joint forces F_i of (2-8)."""
    refuse_wrenches(wrenches, "homogeneous form")
    m = one_freedom_each(mechanism)
    at, n = Posture(m, q), m.nv
    F: list[Scalar] = [at.Q(i) for i in range(n)]
    moving = not all(is_plain_zero(x) for x in qd)
    for j in range(n):
        # Σ U_jk q̈_k + Σ Σ U_jkp q̇_k q̇_p: the acceleration of body j, summed before the trace
        path = at.paths[j]
        acceleration = ZERO
        for k in path:
            acceleration = acceleration + at.U(j, k) * qdd[k]
            if moving:
                for p in path:
                    acceleration = acceleration + at.U2(j, k, p) * (qd[k] * qd[p])
        pushed = acceleration @ at.J[j]
        for i in path:
            F[i] = F[i] + trace(pushed, at.U(j, i))
    return F


def homogeneous_coefficients(
    mechanism: Mechanism, q: Vector
) -> tuple[list[Scalar], list[list[Scalar]], list[list[list[Scalar]]], list[list[Scalar]]]:
    """Return (Q, A, B, C) of (2-9)-(2-12), Q with the sign of section 3 (E0.7), B the pair once."""
    m = one_freedom_each(mechanism)
    at, n = Posture(m, q), range(m.nv)
    A = [[at.A(i, k) for k in n] for i in n]
    B = [[[2 * at.T(i, k, p) if k != p else 0 for p in n] for k in n] for i in n]
    C = [[at.T(i, k, k) for k in n] for i in n]
    return [-at.Q(i) for i in n], A, B, C


class Posture:
    """P, D, U and pseudo-inertias of a mechanism of one-freedom joints at one posture."""

    def __init__(self, m: Mechanism, q: Vector):
        self.m, self.q = m, q
        self.paths = [path(m, j) for j in range(len(m.bodies))]
        self.G = Vector4([*m.gravity, 0])
        self.J = [pseudo_inertia(body.inertia) for body in m.bodies]
        self._U: dict[tuple[int, ...], Matrix] = {}

    @cached_property
    def D(self) -> list[Matrix]:
        """The constant operators ∂P_{i-1}^i/∂q_i = D_i P_{i-1}^i, moved past constants (E0.28)."""
        made = []
        for body in self.m.bodies:
            K = body.placement
            made.append(matrix(K) @ operator(body.joint) @ matrix(K.inverse))
        return made

    @cached_property
    def steps(self) -> list[Matrix]:
        """P_{i-1}^i of each body."""
        return [matrix(Transform(*b.pose([self.q[j]]))) for j, b in self.m.outward()]

    def P(self, j: int, start: int = -1) -> Matrix:
        """Return P^j (2-3), or P_start^j when it starts at another body."""
        made, at = Matrix.unit(4), start
        path = self.paths[j] if j >= 0 else []
        for k in path[path.index(start) + 1 if start >= 0 else 0 :]:
            key = (start, k, -1, -1)
            made = self._U[key] if key in self._U else made @ self.steps[k]
            self._U[key], at = made, k
        assert at == j
        return made

    def U(self, j: int, i: int) -> Matrix:
        """Return ∂P^j/∂q_i: zero unless i is on the way to j."""
        if i not in self.paths[j]:
            return ZERO
        if (j, i) not in self._U:
            below = self.m.bodies[i].parent
            self._U[j, i] = self.P(below) @ self.D[i] @ self.P(j, below)
        return self._U[j, i]

    def U2(self, j: int, k: int, p: int) -> Matrix:
        """Return ∂²P^j/∂q_k∂q_p, symmetric in k and p; k = p is allowed (E0.29)."""
        k, p = min(k, p), max(k, p)
        if p not in self.paths[j] or k not in self.paths[j]:
            return ZERO
        if (j, k, p) not in self._U:
            below, between = self.m.bodies[k].parent, self.m.bodies[p].parent
            left = self.P(below) @ self.D[k] @ self.P(between, below) @ self.D[p]
            self._U[j, k, p] = left @ self.P(j, between)
        return self._U[j, k, p]

    def Q(self, i: int) -> Scalar:
        """Return -Σ m_j Gᵀ U_ji d_j (2-9): the load of gravity, minus the Q of section 3 (E0.7)."""
        Q: Scalar = 0
        for j, body in self.m.outward():
            if i in self.paths[j]:
                moment = (*body.h, body.m)  # m_j d_j
                Q = Q - self.G @ (self.U(j, i) @ moment)
        return Q

    def A(self, i: int, k: int) -> Scalar:
        """Return (2-10)."""
        A: Scalar = 0
        for j in range(len(self.J)):
            if i in self.paths[j] and k in self.paths[j]:
                A = A + trace(self.U(j, k) @ self.J[j], self.U(j, i))
        return A

    def T(self, i: int, k: int, p: int) -> Scalar:
        """Return Σ Tr(U_jkp J_j U_jiᵀ): half of B_ikp (2-11), or C_ik when k = p (2-12)."""
        T: Scalar = 0
        for j in range(len(self.J)):
            if {i, k, p} <= set(self.paths[j]):
                T = T + trace(self.U2(j, k, p) @ self.J[j], self.U(j, i))
        return T


def operator(joint: Joint) -> Matrix:
    """Return the D of a joint about or along any axis (a screw does both): ∂P/∂q = D P."""
    v, w = joint.columns([0])[0]
    rows = w.skew().rows
    return Matrix([*((*rows[u], v[u]) for u in range(3)), [0] * 4])


def pseudo_inertia(inertia: Inertia) -> Matrix:
    """Return J_j (2-6): moments about the frame origin, off-diagonals +∫xy dm (E0.5)."""
    xx, yy, zz, xy, xz, yz = inertia.Io.six()
    x, y, z = inertia.h
    return Matrix([
        ((yy + zz - xx) / 2, -xy, -xz, x),
        (-xy, (xx + zz - yy) / 2, -yz, y),
        (-xz, -yz, (xx + yy - zz) / 2, z),
        (x, y, z, inertia.m),
    ])  # fmt: skip


def matrix(T: Transform) -> Matrix:
    """Return P of (2-3): rotation, origin, and the scale factor 1."""
    rows = T.R.matrix().rows
    return Matrix([*((*rows[u], T.p[u]) for u in range(3)), (0, 0, 0, 1)])


def trace(a: Matrix, b: Matrix) -> Scalar:
    """Return Tr(a bᵀ)."""
    return sum((r @ s for r, s in zip(a, b, strict=True)), 0)
