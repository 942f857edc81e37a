"""Every solid seen from the fixed origin O in base axes: ξ, ξ̇, I^s and f_a.

Pontonnier, slides on inverse dynamics with spatial quantities, with errata E4.1-E4.9. Inside, order
[angular; linear] as in the source; what is returned is linear first, as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..algebra import Rotation, Vec3
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from .spatial import ZERO, Spatial, SpatialInertia
from .springs import on_environment

NONE = (Vec3.zero(), Vec3.zero())


@dataclass(frozen=True)
class Solids:
    """The forward pass: R, p, s, ξ, ξ̇ of every solid; the base is -1."""

    m: Mechanism
    R: dict[int, Rotation] = field(default_factory=lambda: {-1: Rotation()})
    p: dict[int, Vec3] = field(default_factory=lambda: {-1: Vec3.zero()})
    s: dict[int, list[Spatial]] = field(default_factory=dict)
    xi: dict[int, Spatial] = field(default_factory=lambda: {-1: ZERO})
    xi_d: dict[int, Spatial] = field(default_factory=dict)

    def inertia(self, j: int) -> SpatialInertia:
        """Return I^s of solid j at O (E4.5)."""
        body, R = self.m.bodies[j], self.R[j]
        return SpatialInertia.of(body.m, R @ body.h, R.rotate(body.Io), self.p[j])

    def at_origin(self, j: int, force: Vec3, couple: Vec3) -> Spatial:
        """Return a wrench on solid j, link axes at its origin, as one at O in base axes."""
        f = self.R[j] @ force
        return Spatial(self.R[j] @ couple + self.p[j].cross(f), f)

    def needed(self, j: int) -> Spatial:
        """Return the force that the motion of solid j needs: I^s ξ̇ + ξ ×* I^s ξ."""
        I = self.inertia(j)
        return I @ self.xi_d[j] + self.xi[j].cross_star(I @ self.xi[j])


def solids(m: Mechanism, q: Vector, qd: Vector, qdd: Vector, start: Vec3) -> Solids:
    """Return the motion of every solid; `start` is the acceleration of the base."""
    x = Solids(m)
    x.xi_d[-1] = Spatial(Vec3.zero(), start)
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    for j, body in m.outward():
        i = body.parent
        R_j, P_j = body.pose(q_[j])
        R, p = (x.R[i] @ R_j).bounded(), x.p[i] + x.R[i] @ P_j
        x.R[j], x.p[j] = R, p
        x.s[j] = [_at_origin(R, p, lin, ang) for lin, ang in body.joint.columns(q_[j])]
        relative = sum((s * v for s, v in zip(x.s[j], qd_[j], strict=True)), ZERO)
        x.xi[j] = x.xi[i] + relative
        # ṡ = ξ × s; of the joint's own motion only what its columns do not already contain
        own = _own(m, j, R, q_[j], qd_[j], relative)
        x.xi_d[j] = x.xi_d[i] + x.xi[i].cross(relative) + own
        x.xi_d[j] = x.xi_d[j] + sum((s * a for s, a in zip(x.s[j], qdd_[j], strict=True)), ZERO)
    return x


def spatial_velocity(m: Mechanism, q: Vector, qd: Vector) -> list[list[Scalar]]:
    """Return ξ of every solid: the velocity of its point at O, then its angular velocity."""
    x = solids(m, q, qd, [0] * m.nv, Vec3.zero())
    return [_six(x.xi[j]) for j in range(len(m.bodies))]


def spatial_acceleration(m: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[list[Scalar]]:
    """Return ξ̇ of every solid, the rate of ξ; it is no acceleration of a point (S4.4)."""
    x = solids(m, q, qd, qdd, Vec3.zero())
    return [_six(x.xi_d[j]) for j in range(len(m.bodies))]


def spatial_inertia(m: Mechanism, q: Vector) -> list[list[list[Scalar]]]:
    """Return I^s of every solid at O, 6 x 6: momentum [linear; angular] = I^s ξ."""
    x = solids(m, q, [0] * m.nv, [0] * m.nv, Vec3.zero())
    out = []
    for j in range(len(m.bodies)):
        I = x.inertia(j)
        columns = [_six(I @ unit) for unit in _UNITS]
        out.append([[column[r] for column in columns] for r in range(6)])
    return out


def spatial_force(m: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[list[Scalar]]:
    """Return f_a: force and moment about O that each joint transmits to its solid (E4.3)."""
    x = solids(m, q, qd, qdd, -m.gravity)
    pulled = on_environment(m, q, qd) if m.springs else {}
    f = {j: x.needed(j) + x.at_origin(j, *pulled.get(j, NONE)) for j in range(len(m.bodies))}
    for j, body in m.inward():
        if body.parent >= 0:
            f[body.parent] = f[body.parent] + f[j]
    return [_six(f[j]) for j in range(len(m.bodies))]


def _six(x: Spatial) -> list[Scalar]:
    return [*x.v, *x.w]


def _basis() -> Sequence[Spatial]:
    units = [Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)]
    return [Spatial(Vec3.zero(), u) for u in units] + [Spatial(u, Vec3.zero()) for u in units]


_UNITS = _basis()


def _at_origin(R: Rotation, p: Vec3, linear: Vec3, angular: Vec3) -> Spatial:
    """Return a motion given in body axes at the body origin as [w; v_O]."""
    w = R @ angular
    return Spatial(w, R @ linear + p.cross(w))


def _own(m: Mechanism, j: int, R: Rotation, q: Vector, qd: Vector, relative: Spatial) -> Spatial:
    """Return the acceleration of the joint itself at qdd = 0, as ξ̇ at O.

    One-freedom joints have none (s × s = 0, E4.9). The classical acceleration that a joint with
    more freedoms reports is turned into the rate of [w; v_O].
    """
    body = m.bodies[j]
    if body.joint.nv < 2:
        return ZERO
    _, _, vJ, vdJ = body.rates(q, qd, [0] * body.joint.nv)
    return Spatial(Vec3.zero(), R @ vdJ - relative.w.cross(R @ vJ))
