"""Inverse dynamics by the equations of Gibbs and Appell: tau_k is the slope of S along q̈_k.

S = ½ ∫ a·a dm is the energy of acceleration (Gibbs 1879, Appell 1899; the fourth formalism of
Liégeois and Aldon, INRIA RR 32 (1980), section 1.2.3). On a body a = v̇ + U r, with
U = skew(ω̇) + skew(ω) skew(ω); so two fields of acceleration have the product

    <a, b> = ∫ a·b dm = m v̇_a·v̇_b + v̇_a·(U_b h) + v̇_b·(U_a h) + tr(U_a K U_bᵀ),

K = ∫ r rᵀ dm = ½ tr(Io) 1 - Io. Then S = ½ Σ <a, a>, and ∂S/∂q̈_k = Σ <a, ∂a/∂q̈_k>, where the
field ∂a/∂q̈_k is that of a unit acceleration from rest. Gravity is an acceleration -g of the base.
Rates may be quasi-velocities: Appell's form holds for them as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..algebra import Mat3, Vec3
from ..expr import Scalar
from ..joint import Vector
from ..linalg import Vector as Values
from ..mechanism import Body, Mechanism
from ..spatial import Motion, Wrench
from .link_motion import motions
from .newton_euler import Wrenches

Fields = Mapping[int, Motion]  # the accelerations v̇ + U r of the points r of each body


def gibbs_appell(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None
) -> list[Scalar]:
    """Return the joint forces tau = ∂S/∂q̈ that give the accelerations qdd."""
    n, rest = m.nv, [0] * m.nv
    a = motions(m, q, qd, qdd, -m.gravity)
    along = (motions(m, q, rest, Values.unit(n, k)) for k in range(n))  # ∂a/∂q̈_k
    return [_sum(m, a, b, wrenches or {}) for b in along]


def acceleration_energy(m: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
    """Return S, the energy of acceleration, rotors not counted."""
    a = motions(m, q, qd, qdd)
    return [_sum(m, a, a, {}) / 2]


def _sum(m: Mechanism, a: Fields, b: Fields, wrenches: Mapping[int, Wrench]) -> Scalar:
    """Return Σ <a, b>, and the work of wrenches on b."""
    total: Scalar = 0
    for j, body in m.outward():
        total = total + product(body, a[j], b[j])
        if j in wrenches:
            total = total + b[j].vd.dot(wrenches[j].f) + b[j].wd.dot(wrenches[j].n)
    return total


def product(body: Body, a: Motion, b: Motion) -> Scalar:
    """Return ∫ a·b dm over one body."""
    xx, yy, zz, xy, xz, yz = body.Io.six()
    half = (xx + yy + zz) / 2
    K = Mat3.symmetric(half - xx, half - yy, half - zz, -xy, -xz, -yz)
    total: Scalar = body.m * a.vd.dot(b.vd) + a.vd.dot(b.U @ body.h) + b.vd.dot(a.U @ body.h)
    for one, other in zip(a.U.rows, b.U.rows, strict=True):
        total = total + Vec3(*one).dot(K @ Vec3(*other))
    return total
