"""Parallel robots: a platform on legs, each seen for itself.

Khalil (2010), section 5: Γ = J_pᵀ [F_p + Σ J_viᵀ J_i⁻ᵀ Γ_i] (66), with J_i of (63), J_vi of (64),
(65), J_p from its inverse, and errata E2.20, E2.21: F_p with V̇_p - g, all in base axes at the
platform's origin. The bracket is the Cartesian model. The platform's own branch of joints says
which of its six degrees of freedom there are: all, or those of a robot of reduced mobility.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..algebra import Mat3, Rotation, Vec3, plain_number
from ..errors import ModelError, shown
from ..expr import Scalar
from ..joint import UNITS, ZERO, Vector
from ..linalg import Matrix, each_column, general, inverse, projected, spd
from ..linalg import Vector as Values
from ..mechanism import Loop, Mechanism, is_rolling, joint_name
from ..mechanism.rehome import merged
from ..reframe import simplify
from ..spatial import Motion, Twist
from .composite import composite
from .drives import Drives
from .joint_forces import JointForces
from .leg_kinematics import Branch, leg_coordinates, plain
from .link_motion import path, states
from .loop_closure import branches, columns, normals
from .newton_euler import newton_euler


@dataclass(frozen=True)
class Leg:
    """A chain from the base to one point of the platform."""

    tree: Mechanism
    point: Vec3  # in the last body
    hold: Vec3  # the same point in the platform
    motors: tuple[int, ...]  # its motorized joints
    order: tuple[int, ...]  # where those stand among the active joints
    directions: tuple[Vec3, ...]  # in which the platform is held: all three, or two in the plane
    end: Loop  # the cut joint
    axis: Vec3  # of the cut joint, in the last body, and in the platform
    axis_hold: Vec3

    @cached_property
    def light(self) -> Mechanism:
        """The chain in frames chosen for its dynamics."""
        return simplify(self.tree)

    @property
    def holds_a_point(self) -> bool:
        """Whether its end is a ball, or in a plane a hinge: then it bears forces, no couples."""
        if self.end.joint == "spherical":
            return True
        if self.end.joint != "revolute" or len(self.directions) == 3:
            return False
        R = Rotation()
        for body in self.tree.bodies:
            R = R @ body.placement.R
        tilts = [plain_number(d.dot(R @ self.axis)) for d in self.directions]
        return all(x is None or abs(x) < 1e-9 for x in tilts)


@dataclass(frozen=True)
class Platform:
    """A parallel robot taken apart."""

    m: Mechanism
    body: int
    legs: tuple[Leg, ...]
    freedoms: Matrix  # motions of the platform in base axes at its origin, one column each


def platform_of(m: Mechanism) -> Platform:
    """Return platform and legs: the platform is the body where all loops end.

    What is fixed to a body is part of it.
    """
    own = m.bodies[_held(m)].name
    fixed = [j for j, b in enumerate(m.bodies) if not b.joint.nv and b.name != own]
    m = merged(m, {j: [] for j in fixed}) if fixed else m
    body = _held(m)
    names = [joint_name(b) for b in m.bodies]
    legs = []
    for loop in m.loops:
        path, point, hold = _sides(m, loop, body)
        if path and m.bodies[path[0]].parent >= 0:
            raise ModelError(
                "the legs do not stand on the base: each is not a chain of its own",
                hint="use the closed loops: active_torques(m, q, qd, qdd), task_model(m, frame)",
                command="ask for active_torques or forward_dynamics",
            )
        new = {b: k for k, b in enumerate(path)}
        bodies = tuple(replace(m.bodies[b], parent=new.get(m.bodies[b].parent, -1)) for b in path)
        motors = tuple(k for k, b in enumerate(path) if names[b] in m.active)
        drives = tuple(replace(d, joint=new[d.joint]) for d in m.drives if d.joint in new)
        soft = tuple(replace(e, joint=new[e.joint]) for e in m.elastic if e.joint in new)
        tree = Mechanism(bodies, gravity=m.gravity, drives=drives, elastic=soft, checked=True)
        order = tuple(m.active.index(names[path[k]]) for k in motors)
        axes = _axes(loop, body)
        legs.append(Leg(tree, point, hold, motors, order, _directions(tree), loop, *axes))
    return Platform(m, body, tuple(legs), _freedoms(m, body))


def _held(m: Mechanism) -> int:
    """Return the body where all loops end."""
    ends = [{loop.body_i, loop.body_j} for loop in m.loops]
    common = sorted(set.intersection(*ends)) if ends else []
    if len(m.loops) < 2 or not common or common[-1] < 0 or is_rolling(m):
        raise ModelError(
            "not a parallel robot: no body is the platform of all loops"
            if not is_rolling(m)
            else "not a parallel robot: it has wheels or constraints",
            hint="each leg ends in a loop whose other body is the platform",
        )
    return common[-1]


def _sides(m: Mechanism, loop: Loop, body: int) -> tuple[list[int], Vec3, Vec3]:
    path_i, path_j = branches(m, loop)
    if loop.body_j == body:
        return path_i, loop.point_i, loop.point_j
    return path_j, loop.point_j, loop.point_i


def _axes(loop: Loop, body: int) -> tuple[Vec3, Vec3]:
    """Return the axes of a cut joint in the last body of a leg and in the platform."""
    i = ZERO if loop.axis is None else loop.axis
    j = i if loop.axis_j is None else loop.axis_j
    return (i, j) if loop.body_j == body else (j, i)


def _directions(leg: Mechanism) -> tuple[Vec3, ...]:
    if leg.nv == 3:
        return UNITS
    R = Rotation()
    for body in leg.bodies:  # a slide before the first turn turns nothing
        R = R @ body.placement.R
        if body.joint.kind == "revolute":
            return normals(R @ body.joint.axis)  # type: ignore[attr-defined]
    return UNITS


def _freedoms(m: Mechanism, body: int) -> Matrix:
    way = path(m, body)
    if sum(m.bodies[b].joint.nv for b in way) == 6:
        return Matrix.unit(6)
    found: list[Twist] = []
    R, turns = Rotation(), False
    for b in way:
        joint = m.bodies[b].joint
        R = R @ m.bodies[b].placement.R
        if turns or joint.kind not in ("prismatic", "planar", "revolute", "fixed"):
            raise ModelError(f"platform joint {joint_name(m.bodies[b])!r}: turns must come last")
        turns = joint.kind in ("revolute", "planar")
        found += [Twist(R @ s.v, R @ s.w) for s in joint.columns([0] * joint.nq)]
    return Matrix.columns([s.entries() for s in found], 6)


# -- legs --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LegState:
    """A leg moving with the platform: joints, Jacobians, and how its end misses the platform."""

    leg: Leg
    q: list[Scalar]
    qd: Values
    qdd: Values
    J_inv: Matrix  # J_i⁻¹, J_i of (63)
    Jv: Matrix  # J_vi of (64), six columns
    gap: Vec3


def _branches(robot: Platform, branch: Any) -> list[Branch]:
    n = len(robot.legs)
    signs = [branch] * n if isinstance(branch, (int, float)) else list(branch)
    if len(signs) != n:
        raise ModelError(f"{len(signs)} branches for {n} legs")
    return [s if isinstance(s, (int, float)) else tuple(s) for s in signs]


def leg_motions(
    robot: Platform, pose: Vector, twist: Vector, rate: Vector, branch: Any = 1
) -> list[LegState]:
    """Return every leg at a pose (4 x 4, row by row), velocity and acceleration of the platform."""
    R, p = Mat3(*(tuple(pose[4 * r : 4 * r + 3]) for r in range(3))), Vec3(*pose[3:12:4])
    v, w, vd, wd = Vec3(*twist[:3]), Vec3(*twist[3:]), Vec3(*rate[:3]), Vec3(*rate[3:])
    U = Motion(w, wd).U
    found: list[LegState] = []
    for leg, sign in zip(robot.legs, _branches(robot, branch), strict=True):
        if not leg.holds_a_point:
            raise ModelError(
                f"leg {len(found) + 1} ends in a {leg.end.joint} joint, which holds more or less "
                "than a point of the platform",
                hint="give branch=dalembert.leg_branches(m, q) at a closed pose q",
                command="ask for active_torques or forward_dynamics",
            )
        arm = R @ leg.hold
        q = leg_coordinates(leg.tree, leg.point, p + arm, sign)
        way = range(len(leg.tree.bodies))
        end, fields = columns(leg.tree, way, q, leg.point)
        J_inv = inverse([[d.dot(c) for _, c, _ in fields] for d in leg.directions])
        # (65): v_i = V_p + w × P_i
        Jv = Matrix([[*d, *arm.cross(d)] for d in leg.directions])
        moved = v + w.cross(arm)
        qd = J_inv @ [d.dot(moved) for d in leg.directions]
        drift = states(leg.tree, q, qd)[way[-1]].point(leg.point).xdd
        ask = vd + U @ arm - drift
        qdd = J_inv @ [d.dot(ask) for d in leg.directions]
        gap = end.p + end.R @ leg.point - (p + arm)
        found.append(LegState(leg, q, qd, qdd, J_inv, Jv, gap))
    return found


# -- the model at a pose of the platform -------------------------------------------------------

REST = (0,) * 6


@dataclass(frozen=True)
class ParallelModel:
    """A parallel robot at a pose (4 x 4, row by row) and a motion of its platform, base axes."""

    robot: Platform
    pose: Vector
    twist: Vector = REST
    rate: Vector = REST
    branch: Any = 1
    drives: Drives = "inertia"

    @cached_property
    def legs(self) -> list[LegState]:
        """Every leg as it moves with the platform."""
        return leg_motions(self.robot, self.pose, self.twist, self.rate, self.branch)

    @cached_property
    def inverse_jacobian(self) -> Matrix:
        """J_p⁻¹, one row per motor: rows of J_i⁻¹ J_vi over the platform's motions."""
        rows: dict[int, Values] = {}
        B = self.robot.freedoms
        for s in self.legs:
            own = s.J_inv @ s.Jv @ B
            rows |= {place: own[k] for k, place in zip(s.leg.motors, s.leg.order, strict=True)}
        if len(rows) != B.width:
            raise ModelError(
                f"{len(rows)} motors in the legs for {B.width} degrees of freedom",
                hint="use the closed loops: active_torques(m, q, qd, qdd)",
                command="ask for active_torques",
            )
        return Matrix([rows[k] for k in sorted(rows)])

    def wrench(self, rate: Vector, gravity: Vec3) -> Values:
        """Return F_p, what moves the platform alone: base axes, at its origin (E2.21)."""
        R = Rotation.of(Mat3(*(tuple(self.pose[4 * r : 4 * r + 3]) for r in range(3))))
        w, wd = R.T @ Vec3(*self.twist[3:]), R.T @ Vec3(*rate[3:])
        motion = Motion(w, wd, R.T @ (Vec3(*rate[:3]) - gravity))
        body = self.robot.m.bodies[self.robot.body]
        return Values(motion.needs(body).to_parent(R, ZERO).entries())

    def gamma(self, s: LegState) -> Values:
        """Return Γ_i of one leg alone."""
        forces = JointForces(s.leg.tree, self.drives)
        rigid = Values(newton_euler(s.leg.light, s.q, s.qd, s.qdd))
        passive = forces.passive([plain(x) for x in s.q], s.qd)
        return rigid.plus(forces.inertial(s.qdd)) - passive

    @property
    def bracket(self) -> Values:
        """F_p + Σ J_viᵀ J_i⁻ᵀ Γ_i of (66)."""
        _require_forces_in_legs(self.robot)
        total = self.wrench(self.rate, self.robot.m.gravity)
        for s in self.legs:
            total = total + s.Jv.T @ (s.J_inv.T @ self.gamma(s))
        return total

    @property
    def inertia(self) -> Matrix:
        """A: the platform's own inertia and Σ (J_i⁻¹ J_vi)ᵀ M_i (J_i⁻¹ J_vi)."""
        still = replace(self, twist=REST)
        columns = [still.wrench(Values.unit(6, c), ZERO) for c in range(6)]
        A = Matrix([[columns[max(a, b)][min(a, b)] for b in range(6)] for a in range(6)])
        for s in self.legs:
            M = JointForces(s.leg.tree, self.drives).mass(composite(s.leg.light, s.q))
            A = A + projected(M, s.J_inv @ s.Jv)
        return A


def _require_forces_in_legs(robot: Platform) -> None:
    """Raise ModelError unless all that moves and all that acts is in the legs or the platform."""
    m = robot.m
    legs = [b for loop in m.loops for b in _sides(m, loop, robot.body)[0]]
    acting = [*(e.joint for e in m.elastic), *(d.joint for d in m.drives)]
    if m.springs or m.couplings or not set(acting) <= set(legs):
        raise _refused(
            "springs between points, couplings, and springs and drives of the platform's own "
            "joints are not in the models of the legs"
        )
    for j, body in enumerate(m.bodies):
        if legs.count(j) > 1:
            raise _refused(f"body {shown(body.name)!r} is in several legs")
        if j not in legs and j != robot.body and not body.inertia.is_massless():
            raise _refused(f"body {shown(body.name)!r} is in no leg, nor is it the platform")


def _refused(why: str) -> ModelError:
    return ModelError(
        f"no model of platform and legs: {why}",
        hint="use the closed loops: active_torques(m, q, qd, qdd), forward_dynamics",
        command="ask for active_torques or forward_dynamics",
    )


# -- quantities --------------------------------------------------------------------------------


def leg_states(model: ParallelModel) -> tuple[Any, Any, Any, Any]:
    """Return (q, qd, qdd) of the legs in closed form, and how their ends miss the platform."""
    legs = model.legs
    q, gap = [[plain(x) for x in s.q] for s in legs], [list(s.gap) for s in legs]
    return q, [s.qd for s in legs], [s.qdd for s in legs], gap


def leg_torques(model: ParallelModel) -> list[Values]:
    """Return Γ_i, the inverse model of each leg alone."""
    _require_forces_in_legs(model.robot)
    return [model.gamma(s) for s in model.legs]


def platform_wrench(model: ParallelModel) -> Values:
    """Return F_p, what moves the platform alone."""
    return model.wrench(model.rate, model.robot.m.gravity)


def platform_jacobian(model: ParallelModel) -> Matrix:
    """Return J_p of (60), 6 rows: velocity of the platform from those of the motors."""
    J = model.inverse_jacobian
    return model.robot.freedoms @ each_column(general, J, Matrix.unit(len(J)))


def actuator_forces(model: ParallelModel) -> Values:
    """Return the motor forces Γ = J_pᵀ [...] of (66), in the order of the active joints."""
    return general(model.inverse_jacobian.T, model.robot.freedoms.T @ model.bracket)


def cartesian_model(model: ParallelModel) -> tuple[Matrix, Values]:
    """Return (A, H): the bracket of (66) is A V̇_p + H, base axes at the platform's origin."""
    return model.inertia, model.bracket


def platform_acceleration(model: ParallelModel, forces: Vector) -> Values:
    """Return V̇_p that the motor forces give: the direct model of the platform."""
    B = model.robot.freedoms
    load = model.inverse_jacobian.T @ forces - B.T @ model.bracket
    return B @ spd(projected(model.inertia, B), load)
