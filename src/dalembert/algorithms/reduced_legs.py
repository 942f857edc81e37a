"""Legs that hold a platform by a rod or a universal joint, in closed form: RSS, PSS and UPU.

Such a leg takes fewer freedoms than it leaves, or one more than a ball joint does: platforms of
reduced mobility stand on them (Delta with rods, Orthoglide, 3-UPU). Where its end is decides its
joints, by the subproblems of `leg_kinematics`; what it holds besides is an equation of the closure.
"""

from __future__ import annotations

from dataclasses import replace

from ..algebra import Rotation, Transform, Vec3
from ..errors import ModelError
from ..expr import Scalar
from .leg_kinematics import LEGS, Branch, knee_to, leg_coordinates, plain, sign, turn_to
from .platform import Leg

UP = ("revolute", "revolute", "prismatic")


def is_reduced(leg: Leg) -> bool:
    """Return whether a leg holds its platform otherwise than one point by a ball or a hinge."""
    return leg.end.joint in ("rod", "universal") or _kinds(leg) == (*UP, "revolute")


def sign_count(leg: Leg) -> int:
    """Return how many signs say on which branch a leg is; 0 where it has no closed form."""
    kinds, joint = _kinds(leg), leg.end.joint
    if joint == "rod":
        return 1 if kinds in (("revolute",), ("prismatic",)) else 0
    if joint == "universal":
        return 2 if kinds == UP else 0
    if kinds == (*UP, "revolute"):
        return 2 if joint == "revolute" else 0
    return LEGS[kinds][1] if kinds in LEGS and leg.holds_a_point else 0


def has_length(leg: Leg) -> bool:
    """Return whether a leg with a closed form is a slide that turns with its first joints."""
    return sign_count(leg) > 0 and _kinds(leg) in (UP, ("revolute", "prismatic"))


def joints_at(leg: Leg, T: Transform, branch: Branch) -> dict[str, Scalar]:
    """Return the joints of a leg, by their bodies, with the platform at a pose."""
    found = coordinates(leg, T.R, T.p + T.R @ leg.hold, branch)
    return {b.name: plain(x) for b, x in zip(leg.tree.bodies, found, strict=True)}


def coordinates(leg: Leg, R: Rotation, target: Vec3, branch: Branch) -> list[Scalar]:
    """Return the joints of a leg whose end is at `target` of a platform that is turned by R."""
    if leg.end.joint == "rod":
        (body,) = leg.tree.bodies
        here = body.placement.R.T @ (target - body.placement.p)
        square = leg.end.length * leg.end.length
        return [knee_to(body.joint, leg.point, here, square, sign(branch, 0))[0]]
    if len(leg.tree.bodies) == 4:
        return _upu(leg, R, target, branch)
    return leg_coordinates(leg.tree, leg.point, target, branch)


def _kinds(leg: Leg) -> tuple[str, ...]:
    return tuple(b.joint.kind for b in leg.tree.bodies)


def _upu(leg: Leg, R: Rotation, target: Vec3, branch: Branch) -> list[Scalar]:
    """Return the joints of a UPU leg whose last hinge is cut: three by its end, one by that axis.

    The two hinges at the platform cross in its end.
    """
    *first, last = leg.tree.bodies
    axis: Vec3 = last.joint.axis  # type: ignore[attr-defined]
    off = leg.point - axis * axis.dot(leg.point)
    if any(abs(float(x)) > 1e-9 for x in off):
        raise ModelError("the hinges of a leg do not cross in its end: it has no closed form")
    end = last.placement.p + last.placement.R @ leg.point
    tree = replace(leg.tree, bodies=tuple(first), drives=(), elastic=(), checked=True)
    found = leg_coordinates(tree, end, target, branch)
    turned = Rotation()
    for body, x in zip(first, found, strict=True):
        turned = turned @ body.pose([x])[0]
    held = (turned @ last.placement.R).T @ (R @ leg.axis_hold)
    return [*found, turn_to(axis, leg.axis, held)]
