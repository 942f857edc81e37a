"""Inverse dynamics in base axes about the fixed origin O.

Pontonnier, slides on inverse dynamics with spatial quantities: ξ = [w; v_O], ξ̇, I^s, ×*, s, ṡ,
with errata E4.1-E4.9; order [angular; linear] inside this file, as in the source. Prismatic joints
by E4.8; gravity as ξ̇_0 = [0; -g], or as an external action on every solid (E4.7).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..algebra import Rotation, Vec3
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from .drives import Drives, friction, rotor_inertia
from .newton_euler import Wrench
from .spatial import ZERO, Spatial, SpatialInertia


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
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    start = -g if gravity_as == "acceleration" else Vec3.zero()
    R: dict[int, Rotation] = {-1: Rotation()}
    p: dict[int, Vec3] = {-1: Vec3.zero()}
    xi, xi_d = {-1: ZERO}, {-1: Spatial(Vec3.zero(), start)}
    s: dict[int, list[Spatial]] = {}

    # forward: R, p, s, ξ, ξ̇ of every solid
    for j, body in m.outward():
        i = body.parent
        R_j, P_j = body.pose(q_[j])
        R[j], p[j] = (R[i] @ R_j).bounded(), p[i] + R[i] @ P_j
        s[j] = [_at_origin(R[j], p[j], lin, ang) for lin, ang in body.joint.columns(q_[j])]
        relative = sum((s_k * x for s_k, x in zip(s[j], qd_[j], strict=True)), ZERO)
        xi[j] = xi[i] + relative
        # ṡ = ξ × s; of the joint's own motion only what its columns do not already contain
        xi_d[j] = xi_d[i] + xi[i].cross(relative) + _own(m, j, R[j], p[j], q_[j], qd_[j], relative)
        xi_d[j] = xi_d[j] + sum((s_k * x for s_k, x in zip(s[j], qdd_[j], strict=True)), ZERO)

    # backward: I^s ξ̇ + ξ ×* I^s ξ, actions handed to the parent (E4.3), torque = sᵀ f_a (E4.4)
    tau: dict[int, list[Scalar]] = {}
    carried: dict[int, Spatial] = {}
    for j, body in m.inward():
        inertia = SpatialInertia.of(body.m, R[j] @ body.h, R[j].rotate(body.Io), p[j])  # E4.5
        f = inertia @ xi_d[j] + xi[j].cross_star(inertia @ xi[j])
        f = f - _actions(m, j, R[j], p[j], wrenches or {}, inertia, g, gravity_as)
        f = f + carried.get(j, ZERO)
        tau[j] = [s_k.dot(f) for s_k in s[j]]
        if body.parent >= 0:
            carried[body.parent] = carried.get(body.parent, ZERO) + f
    out = m.join(tau)
    for k, Ia in rotor_inertia(m, drives).items():
        out[k] = out[k] + Ia * qdd[k]
    for k, force in friction(m, qd, drives).items():
        out[k] = out[k] + force
    return out


def _at_origin(R: Rotation, p: Vec3, linear: Vec3, angular: Vec3) -> Spatial:
    """Return a motion given in body axes at the body origin as [w; v_O]."""
    w = R @ angular
    return Spatial(w, R @ linear + p.cross(w))


def _own(
    m: Mechanism, j: int, R: Rotation, p: Vec3, q: Vector, qd: Vector, relative: Spatial
) -> Spatial:
    """Return the acceleration of the joint itself at qdd = 0, as ξ̇ at O.

    One-freedom joints have none (s × s = 0, E4.9). The classical acceleration that a joint with
    more freedoms reports is turned into the rate of [w; v_O].
    """
    body = m.bodies[j]
    if body.joint.nv < 2:
        return ZERO
    _, _, vJ, vdJ = body.rates(q, qd, [0] * body.joint.nv)
    a = R @ vdJ
    return Spatial(Vec3.zero(), a - relative.w.cross(R @ vJ))


def _actions(
    m: Mechanism,
    j: int,
    R: Rotation,
    p: Vec3,
    wrenches: Mapping[int, Wrench],
    I: SpatialInertia,
    g: Vec3,
    gravity_as: str,
) -> Spatial:
    """Return f_e on solid j: the environment's action, and the weight when gravity is one."""
    total = ZERO
    if j in wrenches:
        f = -(R @ wrenches[j][0])
        total = total + Spatial(-(R @ wrenches[j][1]) + p.cross(f), f)
    if gravity_as == "action":
        total = total + Spatial(I.h.cross(g), g * I.m)
    return total
