"""What loops, wheels and rolling bodies bear: reactions, forces at contacts, wrenches of links.

M q̈ + h = tau + Jᵀ λ with λ from the planned rows. Where equations are redundant the reactions are
not unique: those left out carry nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..algebra import Transform, Vec3
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import Wrench
from .closed_kinematics import Closed
from .closed_loop import ClosedModel, motor_shares, tree_torques
from .kinematics import target_pose
from .link_motion import poses
from .loop_closure import equation_count, reaction_wrenches
from .rolling_rows import Place, rolling_names
from .springs import added, sprung_link_wrenches
from .velocity_rows import (
    heading,
    held_names,
    named_joint,
    steering_of,
    wheel_angle,
    wheel_names,
)


def _multipliers(
    closed: Closed, gamma: Vector, weights: Sequence[float] | None = None
) -> list[Scalar]:
    """Return λ of every equation, from the tree's own forces and what the motors carry of them."""
    plan, left = closed.plan, list(gamma)
    motors = motor_shares(closed, closed.projected(gamma), weights)
    for k, u in zip(plan.motors, motors, strict=True):
        left[k] = left[k] - u
    lam: list[Scalar] = [0] * plan.equations
    for r, x in zip(plan.rows, closed.multipliers(left), strict=True):
        lam[r] = x
    return lam


def loop_reactions(
    model: ClosedModel, qd: Vector, qdd: Vector, weights: Sequence[float] | None = None
) -> list[list[Scalar]]:
    """Return the wrench of body_i on body_j of each loop at point_j, base axes."""
    lam = _multipliers(model.closed, tree_torques(model, qd, qdd), weights)
    return reaction_wrenches(model.closed.m, model.q, lam)


def closed_link_wrenches(model: ClosedModel, qd: Vector, qdd: Vector) -> list[list[Scalar]]:
    """Return the wrench of each parent on its link in link axes, of the closed machine.

    Cut joints and the ground under wheels act on the links. Couplings, equations and given motions
    act like motors, across their joints.
    """
    m = model.closed.m
    qd, qdd, gamma = model.motion(qd, qdd)
    lam = _multipliers(model.closed, gamma)
    acting = added(model.wrenches or {}, _on_loops(model.closed, lam))
    ground = wheel_wrenches(m, model.q, qd, lam)
    first = len(lam) - len(held_names(m)) + sum(len(wheel_names(w)) for w in m.wheels)
    ground = added(ground, rolling_wrenches(m, model.q, lam[first:]))
    acting = added(acting, {j: -wrench for j, wrench in ground.items()})
    return sprung_link_wrenches(m, model.q, qd, qdd, acting)


def _on_loops(closed: Closed, lam: Vector) -> dict[int, Wrench]:
    """Return the wrenches that links exert through the cut joints, link axes."""
    m = closed.m
    if not m.loops:
        return {}
    T = poses(m, closed.q)
    acting: dict[int, Wrench] = {}
    for loop, w in zip(m.loops, reaction_wrenches(m, closed.q, lam), strict=True):
        # both wrenches act at point_j: a slide that is cut carries it away from point_i
        f, n, at = Vec3(*w[:3]), Vec3(*w[3:]), T[loop.body_j] @ loop.point_j
        for body, sign in ((loop.body_i, 1), (loop.body_j, -1)):
            if body >= 0:
                R, arm = T[body].R.T, at - T[body].p
                force, couple = R @ f * sign, R @ (n + arm.cross(f)) * sign
                acting = added(acting, {body: Wrench(force, couple)})
    return acting


def wheel_wrenches(m: Mechanism, q: Vector, qd: Vector, lam: Vector) -> dict[int, Wrench]:
    """Return the wrench of the ground on each body through its wheels, link axes.

    Forces on a wheel act at its point of contact; on a wheel that rolls, the link that spins takes
    the couple of the force at its rim.
    """
    at = equation_count(m) - len(held_names(m))
    steer = steering_of(m)
    found: dict[int, Wrench] = {}
    for wheel in m.wheels:
        normal, forward = heading(wheel, wheel_angle(m, wheel, q, qd, steer)[0])
        force = normal * (lam[at] if wheel.tyre is None else 0)
        at += wheel.tyre is None
        if wheel.radius is not None and wheel.spin is not None:
            force = force + forward * lam[at]
            j = named_joint(m, wheel.spin)
            s, *_ = m.bodies[j].joint.columns(m.split_q(q)[j])
            rim = lam[at] * -wheel.radius
            found = added(found, {j: Wrench(s.v * rim, s.w * rim)})
            at += 1
        if wheel.body >= 0:
            found = added(found, {wheel.body: Wrench(force, wheel.point.cross(force))})
    return found


def rolling_wrenches(m: Mechanism, q: Vector, lam: Vector) -> dict[int, Wrench]:
    """Return the wrench on each body through its rolling contacts, link axes at its origin.

    `lam` holds one multiplier for each row of the rolling bodies.
    """
    found: dict[int, Wrench] = {}
    at = 0
    for c in m.rolling:
        place, force = Place.of(m, c, q), Vec3.zero()
        for k, direction in enumerate(place.directions()):
            force = force + direction * lam[at + k]
        at += len(rolling_names(c))
        here = place.contact
        for body, sign in ((c.body_i, 1), (c.body_j, -1)):
            if body >= 0:
                T = target_pose(m, (body, Transform()), q)
                f, n = force * sign, (here - T.p).cross(force) * sign
                found = added(found, {body: Wrench(T.R.T @ f, T.R.T @ n)})
    return found
