"""Inverse dynamics in base axes about the fixed origin O.

Pontonnier, slides on inverse dynamics with spatial quantities: ξ = [w; v_O], ξ̇, I^s, ×*, s, ṡ,
with errata E4.1-E4.9; order [angular; linear] inside this file, as in the source. Prismatic joints
by E4.8; gravity as ξ̇_0 = [0; -g], or as an external action on every solid (E4.7).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..algebra import Vec3
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from .drives import Drives, friction, rotor_inertia
from .newton_euler import Wrench
from .solids import Solids, solids
from .spatial import ZERO, Spatial


def world_spatial(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    gravity_as: str = "acceleration",
) -> list[Scalar]:
    """Return the joint forces tau; `gravity_as` "acceleration" or "action" (E4.7), equivalent."""
    m, g = mechanism, mechanism.gravity
    x = solids(m, q, qd, qdd, -g if gravity_as == "acceleration" else Vec3.zero())

    # backward: actions handed to the parent (E4.3), torque = sᵀ f_a (E4.4)
    tau: dict[int, list[Scalar]] = {}
    carried: dict[int, Spatial] = {}
    for j, body in m.inward():
        f = x.needed(j) - _actions(x, j, wrenches or {}, g, gravity_as) + carried.get(j, ZERO)
        tau[j] = [s.dot(f) for s in x.s[j]]
        if body.parent >= 0:
            carried[body.parent] = carried.get(body.parent, ZERO) + f
    out = m.join(tau)
    for k, Ia in rotor_inertia(m, drives).items():
        out[k] = out[k] + Ia * qdd[k]
    for k, force in friction(m, qd, drives).items():
        out[k] = out[k] + force
    return out


def _actions(
    x: Solids, j: int, wrenches: Mapping[int, Wrench], g: Vec3, gravity_as: str
) -> Spatial:
    """Return f_e on solid j: the environment's action, and the weight when gravity is one."""
    total = ZERO
    if j in wrenches:
        f = -(x.R[j] @ wrenches[j][0])
        total = total + Spatial(-(x.R[j] @ wrenches[j][1]) + x.p[j].cross(f), f)
    if gravity_as == "action":
        I = x.inertia(j)
        total = total + Spatial(I.h.cross(g), g * I.m)
    return total
