"""Parallel robots: a platform on legs, each seen for itself.

Khalil (2010), section 5: Γ = J_pᵀ [F_p + Σ J_viᵀ J_i⁻ᵀ Γ_i] (66), with J_i of (63), J_vi of (64),
(65), J_p from its inverse, and errata E2.20, E2.21: F_p with V̇_p - g, all in base axes at the
platform's origin. The bracket is the Cartesian model. `platform.py` takes the robot apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ..algebra import Mat3, Rotation, Vec3
from ..errors import ModelError
from ..expr import Scalar
from ..frozen import dataclass
from ..joint import ZERO, Vector
from ..linalg import Matrix, each_column, general, inverse, projected, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from ..mechanism.rehome import merged
from ..spatial import Massive, Motion, Twist
from .composite import composite
from .drives import Drives
from .joint_forces import JointForces
from .leg_kinematics import Branch, leg_coordinates, plain
from .link_motion import states
from .loop_closure import columns
from .newton_euler import newton_euler
from .platform import Leg, Platform, platform_body, platform_frame, require_forces_in_legs

Branches = float | Sequence[Branch]  # of all legs, or one for each
Rows = list[list[Scalar]]

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


def _branches(robot: Platform, branch: Branches) -> list[Branch]:
    n = len(robot.legs)
    signs = [branch] * n if isinstance(branch, (int, float)) else list(branch)
    if len(signs) != n:
        raise ModelError(f"{len(signs)} branches for {n} legs")
    return [s if isinstance(s, (int, float)) else tuple(s) for s in signs]


def leg_motions(
    robot: Platform, pose: Vector, twist: Vector, rate: Vector, branch: Branches = 1
) -> list[LegState]:
    """Return every leg at a pose (4 x 4, row by row), velocity and acceleration of the platform."""
    R, p = Mat3(*(tuple(pose[4 * r : 4 * r + 3]) for r in range(3))), Vec3(*pose[3:12:4])
    (v, w), (vd, wd) = Twist.of(twist), Twist.of(rate)
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
    branch: Branches = 1
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
        body = self.robot.m.bodies[self.robot.body]
        return _wrench(body, self.pose, self.twist, rate, gravity)

    def gamma(self, s: LegState) -> Values:
        """Return Γ_i of one leg alone."""
        forces = JointForces(s.leg.tree, self.drives)
        rigid = Values(newton_euler(s.leg.light, s.q, s.qd, s.qdd))
        passive = forces.passive([plain(x) for x in s.q], s.qd)
        return rigid.plus(forces.inertial(s.qdd)) - passive

    @property
    def bracket(self) -> Values:
        """F_p + Σ J_viᵀ J_i⁻ᵀ Γ_i of (66)."""
        require_forces_in_legs(self.robot)
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


# -- quantities --------------------------------------------------------------------------------


def leg_states(model: ParallelModel) -> tuple[Rows, list[Values], list[Values], Rows]:
    """Return (q, qd, qdd) of the legs in closed form, and how their ends miss the platform."""
    legs = model.legs
    q, gap = [[plain(x) for x in s.q] for s in legs], [list(s.gap) for s in legs]
    return q, [s.qd for s in legs], [s.qdd for s in legs], gap


def leg_torques(model: ParallelModel) -> list[Values]:
    """Return Γ_i, the inverse model of each leg alone."""
    require_forces_in_legs(model.robot)
    return [model.gamma(s) for s in model.legs]


def platform_wrench(m: Mechanism, pose: Vector, twist: Vector, rate: Vector) -> Values:
    """Return F_p, what moves the platform alone; how legs hold it does not matter."""
    body = platform_body(m)
    _, place = platform_frame(m, body)
    own = m.bodies[body].name
    fixed = [j for j, b in enumerate(m.bodies) if not b.joint.nv and b.name != own]
    m = merged(m, {j: [] for j in fixed}) if fixed else m
    (whole,) = (b for b in m.bodies if b.name == own)
    whole = replace(whole, inertia=whole.inertia.moved(place.inverse))
    return _wrench(whole, pose, twist, rate, m.gravity)


def _wrench(body: Massive, pose: Vector, twist: Vector, rate: Vector, gravity: Vec3) -> Values:
    """Return what moves a body alone: base axes, at its origin."""
    R = Rotation.of(Mat3(*(tuple(pose[4 * r : 4 * r + 3]) for r in range(3))))
    (_, w), (vd, wd) = Twist.of(twist), Twist.of(rate)
    motion = Motion(R.T @ w, R.T @ wd, R.T @ (vd - gravity))
    return Values(motion.needs(body).to_parent(R, ZERO).entries())


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
