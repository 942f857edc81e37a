"""Inverse dynamics in base axes about the fixed origin O: every solid seen from there.

Pontonnier, slides on inverse dynamics with spatial quantities: ξ, ξ̇, I^s, ×*, s, ṡ and f_a, with
errata E4.1-E4.9; linear parts first, as everywhere here. Prismatic joints by E4.8; gravity as
ξ̇_0 = -g, or as an external action on every solid (E4.7).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..algebra import Rotation, Transform, Vec3
from ..expr import Scalar
from ..inertia import Inertia
from ..joint import UNITS, Vector
from ..linalg import Matrix
from ..mechanism import Mechanism
from ..spatial import AT_REST, ZERO, Twist, Wrench
from .newton_euler import Wrenches
from .springs import with_pull

SIX = (*(Twist(u, ZERO) for u in UNITS), *(Twist(ZERO, u) for u in UNITS))


@dataclass(frozen=True)
class Solids:
    """The forward pass: R, p, s, ξ, ξ̇ of every solid; the base is -1."""

    m: Mechanism
    R: dict[int, Rotation] = field(default_factory=lambda: {-1: Rotation()})
    p: dict[int, Vec3] = field(default_factory=lambda: {-1: ZERO})
    s: dict[int, list[Twist]] = field(default_factory=dict)
    xi: dict[int, Twist] = field(default_factory=lambda: {-1: AT_REST})
    xi_d: dict[int, Twist] = field(default_factory=dict)

    def inertia(self, j: int) -> Inertia:
        """Return I^s of solid j at O (E4.5)."""
        body, R = self.m.bodies[j], self.R[j]
        there = Inertia(body.m, R @ body.h, R.rotate(body.Io), "origin")
        return there.moved(Transform(Rotation(), self.p[j]))

    def needed(self, j: int) -> Wrench:
        """Return the wrench that the motion of solid j needs: I^s ξ̇ + ξ ×* I^s ξ."""
        I = self.inertia(j)
        return I @ self.xi_d[j] + self.xi[j].cross_star(I @ self.xi[j])


def solids(m: Mechanism, q: Vector, qd: Vector, qdd: Vector, start: Vec3 = ZERO) -> Solids:
    """Return the motion of every solid; `start` is the acceleration of the base."""
    x = Solids(m)
    x.xi_d[-1] = Twist(start, ZERO)
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    for j, body in m.outward():
        i = body.parent
        R_j, P_j = body.pose(q_[j])
        x.R[j], x.p[j] = (x.R[i] @ R_j).bounded(), x.p[i] + x.R[i] @ P_j
        x.s[j] = [s.to_parent(x.R[j], x.p[j]) for s in body.joint.columns(q_[j])]
        relative = sum((s * v for s, v in zip(x.s[j], qd_[j], strict=True)), AT_REST)
        x.xi[j] = x.xi[i] + relative
        # ṡ = ξ × s; of the joint's own motion only what its columns do not already contain
        own = _own(m, j, x.R[j], q_[j], qd_[j], relative)
        x.xi_d[j] = x.xi_d[i] + x.xi[i].cross(relative) + own
        for s, a in zip(x.s[j], qdd_[j], strict=True):
            x.xi_d[j] += s * a
    return x


def world_spatial(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None,
    gravity_as: str = "acceleration",
) -> list[Scalar]:  # fmt: skip
    """Return the joint forces tau; `gravity_as` "acceleration" or "action" (E4.7), equivalent."""
    lifted = gravity_as == "acceleration"
    x = solids(m, q, qd, qdd, -m.gravity if lifted else ZERO)
    acting, f, tau = wrenches or {}, {}, {}
    for j in range(len(m.bodies)):
        f[j] = x.needed(j)
        if j in acting:
            f[j] += acting[j].to_parent(x.R[j], x.p[j])
        if not lifted:
            I = x.inertia(j)
            f[j] -= Wrench(m.gravity * I.m, I.h.cross(m.gravity))

    # backward: actions handed to the parent (E4.3), torque = sᵀ f_a (E4.4)
    for j, body in m.inward():
        tau[j] = [s.dot(f[j]) for s in x.s[j]]
        if body.parent >= 0:
            f[body.parent] += f[j]
    return m.join(tau)


# -- what each solid does ----------------------------------------------------------------------


def spatial_velocity(m: Mechanism, q: Vector, qd: Vector) -> list[list[Scalar]]:
    """Return ξ of every solid: the velocity of its point at O, then its angular velocity."""
    x = solids(m, q, qd, [0] * m.nv)
    return [x.xi[j].entries() for j in range(len(m.bodies))]


def spatial_acceleration(m: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[list[Scalar]]:
    """Return ξ̇ of every solid, the rate of ξ; it is not an acceleration of a point (S4.4)."""
    x = solids(m, q, qd, qdd)
    return [x.xi_d[j].entries() for j in range(len(m.bodies))]


def spatial_inertia(m: Mechanism, q: Vector) -> list[Matrix]:
    """Return I^s of every solid at O, 6 x 6: momentum [linear; angular] = I^s ξ."""
    x = solids(m, q, [0] * m.nv, [0] * m.nv)
    return [
        Matrix.columns([(x.inertia(j) @ unit).entries() for unit in SIX])
        for j in range(len(m.bodies))
    ]


def spatial_force(m: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[list[Scalar]]:
    """Return f_a: force and moment about O that each joint transmits to its solid (E4.3)."""
    x = solids(m, q, qd, qdd, -m.gravity)
    f = {j: x.needed(j) for j in range(len(m.bodies))}
    for j, wrench in with_pull(m, q, qd).items():
        f[j] += wrench.to_parent(x.R[j], x.p[j])
    for j, body in m.inward():
        if body.parent >= 0:
            f[body.parent] += f[j]
    return [f[j].entries() for j in range(len(m.bodies))]


def _own(m: Mechanism, j: int, R: Rotation, q: Vector, qd: Vector, relative: Twist) -> Twist:
    """Return the acceleration of the joint itself at qdd = 0, as ξ̇ at O.

    One-freedom joints have none (s × s = 0, E4.9). The classical acceleration that a joint with
    more freedoms reports is turned into the rate of ξ.
    """
    body = m.bodies[j]
    if body.joint.nv < 2:
        return AT_REST
    _, _, vJ, vdJ = body.rates(q, qd, [0] * body.joint.nv)
    return Twist(R @ vdJ - relative.w.cross(R @ vJ), ZERO)
