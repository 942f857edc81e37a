"""The model of an active chain, W q̈ = P + V, formed member by member ("circling" the chain).

Vukobratović and Potkonjak, Contribution to computer construction of active chain models via
Lagrangian form, J. Appl. Mech. 46 (1979) 181-185, eqs (1)-(54), errata E1.1-E1.18. Vectors are in
the fixed frame, a tilde is the member's own frame; A_i is the transition matrix of member i, e_i
its axis, r_ii leads from the joint to its mass centre T_i, r_(i-1)i from the joint to T_(i-1).

A coordinate turns by β about its axis and slides by γ along it: a rotational joint has γ = 0, a
linear joint (3) has β = 0, the joint with two freedoms of figure 4 is one of each with no mass
between them, and locking one of the two gives back the other (S1.7). Trees are circled as well:
a member joins the chain of its own parent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..algebra import Mat3, Vec3, is_plain_zero
from ..expr import Scalar
from ..joint import Vector
from ..linalg import Matrix, spd
from ..linalg import Vector as Values
from ..mechanism import Body, Mechanism
from .augmented_body import one_freedom_each, refuse_wrenches
from .newton_euler import Wrenches
from .singular_model import refuse_singular

Rotor = Mapping[int, Scalar]  # inertia by velocity index
Partials = dict[int, Any]  # by coordinate s: the derivative of something with respect to q_s


def active_chain(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None,
    rotor: Rotor | None = None,
) -> Values:  # fmt: skip
    """Return the driving forces and torques P = W q̈ - V, rotor inertias on the diagonal of W."""
    refuse_wrenches(wrenches, "equations of the active chain")
    W, V = circle(m, q, qd)
    return Matrix(W).plus_diagonal(rotor or {}) @ qdd - V


def active_chain_direct(
    m: Mechanism, q: Vector, qd: Vector, tau: Vector, wrenches: Wrenches | None, rotor: Rotor
) -> Values:
    """Return the accelerations that the driving forces tau, P of (26), give."""
    refuse_wrenches(wrenches, "equations of the active chain", "articulated_body")
    W, V = circle(m, q, qd)
    W_and_rotors = Matrix(W).plus_diagonal(rotor)
    refuse_singular(m, W_and_rotors)
    return spd(W_and_rotors, Values(V) + tau)


def active_chain_W(mechanism: Mechanism, q: Vector) -> Matrix:
    """Return the inertia matrix W of (26)."""
    return Matrix(circle(mechanism, q, [0] * mechanism.nv)[0])


def active_chain_V(mechanism: Mechanism, q: Vector, qd: Vector) -> list[Scalar]:
    """Return V = Y + ∂T/∂q - Ẇ q̇ of (29)."""
    return circle(mechanism, q, qd)[1]


def circle(mechanism: Mechanism, q: Vector, qd: Vector) -> tuple[list[list[Scalar]], list[Scalar]]:
    """Return (W, V): each iteration adds a member and its part of W, Ẇ, ∂T/∂q and Y (31)-(54)."""
    m = one_freedom_each(mechanism)
    n = m.nv
    W: list[list[Scalar]] = [[0] * n for _ in range(n)]
    V: list[Scalar] = [0] * n
    moving = not all(is_plain_zero(x) for x in qd)
    members: dict[int, Member] = {-1: Member(-1, Mat3.identity(), Vec3.zero())}
    for i, body in m.outward():
        member = members[i] = joined(members[body.parent], i, body, q[i : i + 1])
        if body.inertia.is_massless():
            continue
        add_inertia(W, member, body)
        for j, M in member.M.items():
            V[j] = V[j] + m.gravity.dot(M) * body.m  # Y, recurrently (52)-(54)
        if moving:
            add_motion(V, member, body, qd)
    return W, V


# -- one member joins the chain ----------------------------------------------------------------


@dataclass(frozen=True)
class Member:
    """Member i in the fixed frame, with the derivatives with respect to the coordinates before."""

    index: int
    A: Mat3  # transition matrix A_i
    centre: Vec3  # T_i in own axes
    path: tuple[int, ...] = ()  # the coordinates that move it
    beta: dict[int, Vec3] = field(default_factory=dict)  # β_j (13)
    gamma: dict[int, Vec3] = field(default_factory=dict)  # γ_j (15)
    reach: dict[int, Vec3] = field(default_factory=dict)  # from joint j to T_i: sums of (16)
    dA: Partials = field(default_factory=dict)
    dbeta: dict[int, Partials] = field(default_factory=dict)
    dgamma: dict[int, Partials] = field(default_factory=dict)
    dreach: dict[int, Partials] = field(default_factory=dict)

    @property
    def M(self) -> dict[int, Vec3]:
        """Columns of M^(i), v_i = M q̇ (19), (21): α_j^i, or γ_j of a linear joint."""
        return {j: self.gamma[j] + self.beta[j].cross(self.reach[j]) for j in self.path}

    @property
    def N(self) -> dict[int, Vec3]:
        """Columns of Ñ^(i), the angular velocity in own axes (22), (23): B_j^i = A_i⁻¹ β_j."""
        back = self.A.T
        return {j: back @ self.beta[j] for j in self.path}

    def dM(self, s: int) -> dict[int, Vec3]:
        """Return the columns of ∂M^(i)/∂q_s, (44)-(51)."""
        return {
            j: self.dgamma[j][s]
            + self.dbeta[j][s].cross(self.reach[j])
            + self.beta[j].cross(self.dreach[j][s])
            for j in self.path
        }

    def dN(self, s: int) -> dict[int, Vec3]:
        """Return the columns of ∂Ñ^(i)/∂q_s, (43), (45): A is orthogonal, so ∂(A⁻¹) is (∂A)ᵀ."""
        back, slope = self.A.T, self.dA[s].T
        return {j: slope @ self.beta[j] + back @ self.dbeta[j][s] for j in self.path}


def joined(before: Member, i: int, body: Body, q: Vector) -> Member:
    """Return member i joined to the one before it: A_i, β, γ, reaches and their partials.

    The transition matrix is that of (5)-(9) in the frames of the mechanism; its partials follow
    from those of the member before (S1.12).
    """
    ((linear, angular),) = body.joint.columns(q)
    turn, slide = body.joint.pose(q)
    place, step = body.placement.R, (body.placement.R @ turn).matrix()
    path = (*before.path, i)
    A = before.A @ step
    centre = body.inertia.centre
    # in the axes of the member before: axis, slide, and from the joint to T_(i-1)
    axis, along, shift = place @ angular, place @ linear, place @ slide
    to_before = before.centre - body.placement.p
    dA: Partials = {s: before.dA[s] @ step for s in before.path}
    dA[i] = A @ angular.skew()
    beta, gamma = dict(before.beta), dict(before.gamma)
    beta[i], gamma[i] = before.A @ axis, before.A @ along
    zero = Vec3.zero()
    dbeta = {j: {**before.dbeta[j], i: zero} for j in before.path}
    dgamma = {j: {**before.dgamma[j], i: zero} for j in before.path}
    dbeta[i] = {**{s: before.dA[s] @ axis for s in before.path}, i: zero}
    dgamma[i] = {**{s: before.dA[s] @ along for s in before.path}, i: zero}

    # r_ii and -δ_i + r_ii, the way from T_(i-1) to T_i, and their partials (16), (17), (36)
    own = A @ centre + before.A @ shift
    way = own - before.A @ to_before
    down = {s: dA[s] @ centre + before.dA[s] @ shift for s in before.path}
    dway = {s: down[s] - before.dA[s] @ to_before for s in before.path}
    down[i] = dway[i] = dA[i] @ centre + gamma[i]
    reach = {j: before.reach[j] + way for j in before.path} | {i: own}
    dreach: dict[int, Partials] = {}
    for j in before.path:
        dreach[j] = {s: before.dreach[j][s] + dway[s] for s in before.path} | {i: dway[i]}
    # a joint before member i moves with s, and r_ii turns with it
    dreach[i] = down
    return Member(i, A, centre, path, beta, gamma, reach, dA, dbeta, dgamma, dreach)


# -- what a member adds ------------------------------------------------------------------------


def add_inertia(W: list[list[Scalar]], member: Member, body: Body) -> None:
    """Add Z_i = m MᵀM + ÑᵀJÑ to W (31)."""
    M, N, J = member.M, member.N, body.inertia.about_centre
    momentum = {j: J @ N[j] for j in member.path}
    for a, j in enumerate(member.path):
        for k in member.path[a:]:
            z = body.m * M[j].dot(M[k]) + N[j].dot(momentum[k])
            W[j][k] = W[j][k] + z
            if j != k:
                W[k][j] = W[k][j] + z


def add_motion(V: list[Scalar], member: Member, body: Body, qd: Vector) -> None:
    """Add ∂T_i/∂q - Ż_i q̇ to V: (32)-(38) with E1.6, E1.7, and (39)-(51)."""
    M, N, J, path = member.M, member.N, body.inertia.about_centre, member.path
    v, w = _sum(M, qd), _sum(N, qd)
    momentum = J @ w
    Md = {j: Vec3.zero() for j in path}
    Nd = {j: Vec3.zero() for j in path}
    for s in path:
        dM, dN = member.dM(s), member.dN(s)
        # ∂T_i/∂q_s (41), (42)
        V[s] = V[s] + body.m * _sum(dM, qd).dot(v) + _sum(dN, qd).dot(momentum)
        for j in path:
            Md[j], Nd[j] = Md[j] + dM[j] * qd[s], Nd[j] + dN[j] * qd[s]
    vd, change = _sum(Md, qd), J @ _sum(Nd, qd)
    for j in path:
        V[j] = V[j] - body.m * (Md[j].dot(v) + M[j].dot(vd))
        V[j] = V[j] - (Nd[j].dot(momentum) + N[j].dot(change))


def _sum(columns: Mapping[int, Vec3], qd: Vector) -> Vec3:
    total = Vec3.zero()
    for j, column in columns.items():
        total = total + column * qd[j]
    return total
