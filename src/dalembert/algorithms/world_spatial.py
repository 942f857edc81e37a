"""Inverse dynamics in base axes about the fixed origin O.

Pontonnier, slides on inverse dynamics with spatial quantities: ξ, ξ̇, I^s, ×*, s, ṡ, with errata
E4.1-E4.9. Prismatic joints by E4.8; gravity as ξ̇_0 = -g, or as an external action on every solid
(E4.7).
"""

from __future__ import annotations

from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import ZERO, Wrench
from .newton_euler import Wrenches
from .solids import solids


def world_spatial(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrenches: Wrenches | None = None,
    gravity_as: str = "acceleration",
) -> list[Scalar]:
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
