"""Robots on a moving base: base acceleration and joint torques, recursively.

Khalil (2010), section 7.2, eqs (89)-(100) with errata E2.24-E2.31: composite bodies give the base
acceleration, a last outward pass the torques. The recursions hold no gravity, so (97) yields
V̇_0 - g (E2.24); V̇_0 is the classical acceleration of the base origin in base axes (E2.25).
The default method does the same in two parts, (86) and (87): Newton and Euler with an unaccelerated
base, then what the acceleration of the base adds. Single bodies have fewer inertial parameters than
composite ones, so that it costs less (Talos: 1.55 times its inverse dynamics instead of 1.66).
Bases are free here; hybrid dynamics, with motion given at the joints alone, is the third way (83)-
(87), that of the direct model (88), (101)-(112), and the only one on planar bases.
"""

from __future__ import annotations

from ..algebra import Rotation, Vec3, is_plain_zero
from ..errors import ModelError, SingularModel
from ..expr import Scalar
from ..inertia import Inertia, steiner
from ..joint import Vector
from ..linalg import spd
from ..mechanism import Mechanism, joint_name
from ..spatial import NO_WRENCH, Motion, Twist, Wrench
from .composite import composite_bodies
from .newton_euler import Wrenches, recursion

BASE = 6  # velocity variables of a free base
Found = tuple[list[Scalar], list[Scalar]]  # of the base, of the joints


def moving_base(m: Mechanism) -> Mechanism:
    """Return the mechanism if its first body is a free or planar base that carries all others."""
    if not has_moving_base(m):
        raise ModelError(
            "the mechanism has no free base that carries all bodies",
            hint='load it with base="free" or base="planar"',
            command="write --base free or --base planar",
        )
    return m


def has_moving_base(m: Mechanism) -> bool:
    """Return whether the first body is a free or planar base that carries all others."""
    roots = [b for b in m.bodies if b.parent < 0]
    return len(roots) == 1 and roots[0].joint.kind in ("free", "planar")


def base_size(m: Mechanism) -> int:
    """Return how many velocity variables the base has: 6 if free, 3 if planar."""
    return m.bodies[0].joint.nv if m.bodies else 0


def moving_base_inverse(
    m: Mechanism, q: Vector, qd: Vector, qdd_joints: Vector, wrenches: Wrenches | None = None
) -> Found:
    """Return (base acceleration, joint torques) from the motion of the joints, (86) and (87)."""
    q_, qdd = m.split_q(q), [*([0] * BASE), *qdd_joints]

    # Newton and Euler with an unaccelerated base, and the composite bodies of (95)
    still = {0: Motion(w=Vec3(*qd[3:BASE]))}
    tau_0, wrench = recursion(m, q, qd, qdd, wrenches, still)
    place, I = composite_bodies(m, q)

    # (86): V̇_0 - g; outward: what it adds to the torques, (87)
    a = {0: _accelerated(m, I[0], -wrench[0])}
    tau: dict[int, list[Scalar]] = {0: []}
    for j, body in m.outward():
        if j > 0:
            a[j] = a[body.parent].to_child(*place[j])
            share, k = body.project(q_[j], I[j] @ a[j]), m.velocity_index[j]
            tau[j] = [tau_0[k + b] + x for b, x in enumerate(share)]
    return _with_gravity(m, q, a[0]), m.join(tau)


def moving_base_by_recursion(
    m: Mechanism, q: Vector, qd: Vector, qdd_joints: Vector, wrenches: Wrenches | None = None
) -> Found:
    """Return base acceleration and torques by (89)-(100) as they stand."""
    qdd = [*([0] * BASE), *qdd_joints]
    q_, qd_, qdd_, acting = m.split_q(q), m.split(qd), m.split(qdd), wrenches or {}
    place, I = composite_bodies(m, q)
    w = {0: Vec3(*qd[3:BASE])}
    zeta, beta = {}, {}

    # outward (89), (90): what does not depend on the base acceleration
    for j, body in m.outward():
        if j > 0:
            joint = body.rates(q_[j], qd_[j], qdd_[j])
            alone = Motion(w[body.parent]).carried(*place[j]).moved(*joint)
            w[j], zeta[j] = alone.w, alone.acceleration
        beta[j] = -Motion(w[j]).needs(body) - acting.get(j, NO_WRENCH)

    # inward (96) as E2.28 corrects it: composite bodies
    for j, body in m.inward():
        if j > 0:
            left, i = beta[j] - I[j] @ zeta[j], body.parent
            beta[i] = left.to_parent(*place[j], onto=beta[i])

    # (97): V̇_0 - g; then outward (98)-(100)
    a = {0: _accelerated(m, I[0], beta[0])}
    tau: dict[int, list[Scalar]] = {0: []}
    for j, body in m.outward():
        if j > 0:
            a[j] = a[body.parent].to_child(*place[j]) + zeta[j]
            tau[j] = body.project(q_[j], I[j] @ a[j] - beta[j])
    return _with_gravity(m, q, a[0]), m.join(tau)


def _accelerated(m: Mechanism, I: Inertia, wrench: Wrench) -> Twist:
    """Return the acceleration of a rigid body under a wrench: Newton at the mass centre, Euler."""
    if is_plain_zero(I.m):
        raise SingularModel(
            f"joint {joint_name(m.bodies[0])!r} moves no inertia: no body has a mass",
            hint="body base: M = 5, I = (0.1, 0.1, 0.1)",
        )
    per_mass = 1 / I.m
    c = I.h * per_mass
    about_centre = I.Io - steiner(I.m, c)
    w = Vec3(*spd(about_centre.rows, list(wrench.n - c.cross(wrench.f))))
    return Twist(wrench.f * per_mass - w.cross(c), w)


def base_rotation(m: Mechanism, q: Vector) -> Rotation:
    """Return the rotation of the base in the world."""
    return m.bodies[0].pose(m.split_q(q)[0])[0]


# -- the two conventions of a base acceleration, E2.25 ------------------------------------------


def _with_gravity(m: Mechanism, q: Vector, reduced: Twist) -> list[Scalar]:
    """Return V̇_0 from V̇_0 - g (E2.24)."""
    return [*(reduced.v + base_rotation(m, q).T @ m.gravity), *reduced.w]


def _turning(m: Mechanism, qd: Vector) -> Vec3:
    """Return w × v, which the classical acceleration has beyond the rates of qd.

    A planar base has none: its rates are along fixed axes, and both conventions agree.
    """
    return Vec3(*qd[3:BASE]).cross(Vec3(*qd[:3])) if base_size(m) == BASE else Vec3.zero()


def classical(m: Mechanism, qd: Vector, rates: Vector) -> list[Scalar]:
    """Return the classical acceleration of the base from the rates of its qd."""
    return [*(Vec3(*rates[:3]) + _turning(m, qd)), *rates[3:]]


def base_rates(m: Mechanism, qd: Vector, acceleration: Vector) -> list[Scalar]:
    """Return the rates of the base's qd from its classical acceleration."""
    return [*(Vec3(*acceleration[:3]) - _turning(m, qd)), *acceleration[3:]]


# -- bases that move as prescribed --------------------------------------------------------------
#
# Section 7.1 names two ways of introducing the base: as initial conditions of the outward
# recursion, the inward one going on to j = 0, and as a link on a virtual one by a joint of six
# freedoms (sigma_1 = 2, E2.35), which is `newton_euler` on a free joint. The acceleration of the
# base is given as the rates of its qd; the wrench acts on a free base at its origin, in its axes;
# on a planar one it is the force along x and y of its parent and the couple.


def prescribed_base_inverse(
    m: Mechanism, q: Vector, qd: Vector, rates: Vector, qdd_joints: Vector,
    wrenches: Wrenches | None = None,
) -> Found:  # fmt: skip
    """Return (wrench on the base, joint torques), the base being a link on a virtual one."""
    k = base_size(moving_base(m))
    tau, _ = recursion(m, q, qd, [*rates, *qdd_joints], wrenches)
    return tau[:k], tau[k:]


def prescribed_base_from_start(
    m: Mechanism, q: Vector, qd: Vector, rates: Vector, qdd_joints: Vector,
    wrenches: Wrenches | None = None,
) -> Found:  # fmt: skip
    """Return (wrench on the base, joint torques), the recursion starting at the moving base."""
    k, base = base_size(moving_base(m)), m.bodies[0]
    qdd = [*rates, *qdd_joints]
    w, wd, _, vd = base.rates(m.split_q(q)[0], m.split(qd)[0], m.split(qdd)[0])
    start = {0: Motion(w, wd, vd - base_rotation(m, q).T @ m.gravity)}
    tau, _ = recursion(m, q, qd, qdd, wrenches, start)
    return tau[:k], tau[k:]
