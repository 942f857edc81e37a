"""What loops and wheels bear: reactions of cut joints, of the ground on wheels, wrenches of links.

M q̈ + h = tau + Jᵀ λ with λ from the planned rows. Where equations are redundant the reactions are
not unique: those left out carry nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..algebra import Vec3
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from .closed_kinematics import Closed, Plan, closed_at
from .closed_loop import Inverse, closed_motion, shared_forces
from .drives import Drives
from .loop_closure import equation_count, reaction_wrenches
from .newton_euler import newton_euler
from .springs import Wrench, added, body_states, link_wrenches
from .velocity_rows import heading, held_names, named_joint, steering_of, wheel_angle


def _multipliers(
    closed: Closed, gamma: Vector, weights: Sequence[float] | None = None
) -> list[Scalar]:
    """Return λ of every equation, from the tree's own forces and what the motors carry of them."""
    plan, left = closed.plan, list(gamma)
    motors = shared_forces(closed, closed.projected(gamma), weights)
    for k, u in zip(plan.motors, motors, strict=True):
        left[k] = left[k] - u
    lam: list[Scalar] = [0] * plan.equations
    for r, x in zip(plan.rows, closed.multipliers(left), strict=True):
        lam[r] = x
    return lam


def loop_reactions(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    inverse: Inverse = newton_euler,
    tree: Mechanism | None = None,
    steps: int = 0,
    weights: Sequence[float] | None = None,
    drives: Drives = "inertia",
    **given: Any,
) -> Any:
    """Return (wrench of body_i on body_j of each loop at point_j, base axes; checks)."""
    closed = closed_at(m, plan, q, steps)
    _, gamma, _ = closed_motion(closed, qd, qdd, inverse, tree or m, drives, given)
    return [reaction_wrenches(m, closed.q, _multipliers(closed, gamma, weights)), *closed.checks()]


def closed_link_wrenches(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    steps: int = 0,
    wrenches: Any = None,
) -> Any:
    """Return (wrench of each parent on its link in link axes; checks) of the closed machine.

    Cut joints and the ground under wheels act on the links. Couplings, equations and given motions
    act like motors, across their joints.
    """
    closed = closed_at(m, plan, q, steps)
    given = {"wrenches": wrenches} if wrenches else {}
    qd, gamma, qdd = closed_motion(closed, qd, qdd, newton_euler, m, "inertia", given)
    lam = _multipliers(closed, gamma)
    acting = added(dict(wrenches or {}), _on_loops(closed, qd, lam))
    ground = wheel_wrenches(m, closed.q, qd, lam)
    acting = added(acting, {j: (-f, -n) for j, (f, n) in ground.items()})
    return [link_wrenches(m, closed.q, qd, qdd, acting), *closed.checks()]


def _on_loops(closed: Closed, qd: Vector, lam: Vector) -> dict[int, Wrench]:
    """Return the wrenches that links exert through the cut joints, link axes."""
    m = closed.m
    if not m.loops:
        return {}
    states = body_states(m, closed.q, qd)
    acting: dict[int, Wrench] = {}
    for loop, w in zip(m.loops, reaction_wrenches(m, closed.q, lam), strict=True):
        f, n = Vec3(*w[:3]), Vec3(*w[3:])
        for body, point, sign in ((loop.body_i, loop.point_i, 1), (loop.body_j, loop.point_j, -1)):
            if body >= 0:
                R = states[body][0].T
                force, couple = R @ f * sign, R @ n * sign
                acting = added(acting, {body: (force, couple + point.cross(force))})
    return acting


def wheel_wrenches(m: Mechanism, q: Vector, qd: Vector, lam: Vector) -> dict[int, Wrench]:
    """Return the wrench of the ground on each body through its wheels, link axes.

    A wheel bears its forces at its point; one that rolls has the couple of the force at its rim,
    on the link that spins.
    """
    at = equation_count(m) - len(held_names(m))
    steer = steering_of(m)
    found: dict[int, Wrench] = {}
    for wheel in m.wheels:
        normal, forward = heading(wheel, wheel_angle(m, wheel, q, qd, steer)[0])
        force = normal * lam[at]
        at += 1
        if wheel.radius is not None and wheel.spin is not None:
            force = force + forward * lam[at]
            j = named_joint(m, wheel.spin)
            (linear, turning), *_ = m.bodies[j].joint.columns(m.split_q(q)[j])
            rim = lam[at] * -wheel.radius
            found = added(found, {j: (linear * rim, turning * rim)})
            at += 1
        if wheel.body >= 0:
            found = added(found, {wheel.body: (force, wheel.point.cross(force))})
    return found
