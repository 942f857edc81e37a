"""Robots whose base moves as prescribed: torques, and the wrench that moves the base.

Khalil (2010), section 7.1, names two ways of introducing the base: as initial conditions of the
outward recursion, the inward one going on to j = 0, and as a link on a virtual one by a joint of
six freedoms (sigma_1 = 2, E2.35). The second is `newton_euler` on a free joint. The acceleration of
the base is given as the rates of its qd; the wrench acts on a free base at its origin, in its axes;
on a planar one it is the force along x and y of its parent and the couple.
"""

from __future__ import annotations

from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import Motion
from .moving_base import base_rotation, base_size, moving_base
from .newton_euler import Wrenches, recursion

Found = tuple[list[Scalar], list[Scalar]]  # wrench on the base, torques


def prescribed_base_inverse(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    base_rates: Vector,
    qdd_joints: Vector,
    wrenches: Wrenches | None = None,
) -> Found:
    """Return (wrench on the base, joint torques), the base being a link on a virtual one."""
    k = base_size(moving_base(m))
    tau, _ = recursion(m, q, qd, [*base_rates, *qdd_joints], wrenches)
    return tau[:k], tau[k:]


def prescribed_base_from_start(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    base_rates: Vector,
    qdd_joints: Vector,
    wrenches: Wrenches | None = None,
) -> Found:
    """Return (wrench on the base, joint torques), the recursion starting at the moving base."""
    k, base = base_size(moving_base(m)), m.bodies[0]
    qdd = [*base_rates, *qdd_joints]
    w, wd, _, vd = base.rates(m.split_q(q)[0], m.split(qd)[0], m.split(qdd)[0])
    start = {0: Motion(w, wd, vd - base_rotation(m, q).T @ m.gravity)}
    tau, _ = recursion(m, q, qd, qdd, wrenches, start)
    return tau[:k], tau[k:]
