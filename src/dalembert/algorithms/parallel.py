"""Parallel robots: a platform on legs, each seen for itself.

Khalil (2010), section 5: Γ = J_pᵀ [F_p + Σ J_viᵀ J_i⁻ᵀ Γ_i] (66), with J_i of (63), J_vi of (64),
(65), J_p from its inverse, and errata E2.20, E2.21: F_p with V̇_p - g, all in base axes at the
platform's origin. The bracket is the Cartesian model. The platform's own branch of joints says
which of its six freedoms there are: all, or those of a robot of reduced mobility.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..algebra import Mat3, Rotation, Vec3
from ..errors import ModelError
from ..expr import Scalar, solve
from ..joint import UNITS, ZERO, Vector
from ..mechanism import Loop, Mechanism, joint_name
from ..reframe import simplify
from .closed_kinematics import dot, general
from .composite import composite
from .drives import Drives
from .elastic import joint_springs
from .leg_kinematics import leg_coordinates, plain
from .loop_closure import branches, normals
from .newton_euler import newton_euler, squared

Six = list[Scalar]


@dataclass(frozen=True)
class Leg:
    """A chain from the base to one point of the platform."""

    tree: Mechanism
    point: Vec3  # in the last body
    hold: Vec3  # the same point in the platform
    motors: tuple[int, ...]  # its motorized joints
    order: tuple[int, ...]  # where those stand among the active joints
    directions: tuple[Vec3, ...]  # in which the platform is held: all three, or two in the plane


@dataclass(frozen=True)
class Platform:
    """A parallel robot taken apart."""

    m: Mechanism
    body: int
    legs: tuple[Leg, ...]
    freedoms: tuple[tuple[Vec3, Vec3], ...]  # (v, w) in base axes at the platform's origin


def platform_of(m: Mechanism) -> Platform:
    """Return platform and legs: the platform is the body where all loops end."""
    ends = [{loop.body_i, loop.body_j} for loop in m.loops]
    common = sorted(set.intersection(*ends)) if ends else []
    if len(m.loops) < 2 or not common or common[-1] < 0:
        raise ModelError(
            "not a parallel robot: no body is the platform of all loops",
            hint="each leg ends in a loop whose other body is the platform",
        )
    body = common[-1]
    names = [joint_name(b) for b in m.bodies]
    legs = []
    for loop in m.loops:
        path, point, hold = _sides(m, loop, body)
        new = {b: k for k, b in enumerate(path)}
        bodies = tuple(replace(m.bodies[b], parent=new.get(m.bodies[b].parent, -1)) for b in path)
        motors = tuple(k for k, b in enumerate(path) if names[b] in m.active)
        drives = tuple(replace(d, joint=new[d.joint]) for d in m.drives if d.joint in new)
        soft = tuple(replace(e, joint=new[e.joint]) for e in m.elastic if e.joint in new)
        tree = Mechanism(bodies, gravity=m.gravity, drives=drives, elastic=soft, checked=True)
        order = tuple(m.active.index(names[path[k]]) for k in motors)
        legs.append(Leg(tree, point, hold, motors, order, _directions(tree)))
    return Platform(m, body, tuple(legs), _freedoms(m, body))


def _sides(m: Mechanism, loop: Loop, body: int) -> tuple[list[int], Vec3, Vec3]:
    path_i, path_j = branches(m, loop)
    if loop.body_j == body:
        return path_i, loop.point_i, loop.point_j
    return path_j, loop.point_j, loop.point_i


def _directions(leg: Mechanism) -> tuple[Vec3, ...]:
    if leg.nv == 3:
        return UNITS
    first = leg.bodies[0]
    return normals(first.placement.R @ first.joint.axis)  # type: ignore[attr-defined]


def _freedoms(m: Mechanism, body: int) -> tuple[tuple[Vec3, Vec3], ...]:
    path: list[int] = []
    while body >= 0:
        path.insert(0, body)
        body = m.bodies[body].parent
    if sum(m.bodies[b].joint.nv for b in path) == 6:
        return (*((u, ZERO) for u in UNITS), *((ZERO, u) for u in UNITS))
    found, R, turned = [], Rotation(), False
    for b in path:
        joint = m.bodies[b].joint
        R = R @ m.bodies[b].placement.R
        if turned or joint.kind not in ("prismatic", "planar", "revolute", "fixed"):
            raise ModelError(f"platform joint {joint_name(m.bodies[b])!r}: turns must come last")
        turned = joint.kind in ("revolute", "planar")
        found += [(R @ v, R @ w) for v, w in joint.columns([0] * joint.nq)]
    return tuple(found)


# -- legs --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LegState:
    """A leg moving with the platform: joints, Jacobians, and how its end misses the platform."""

    leg: Leg
    q: list[Scalar]
    qd: list[Scalar]
    qdd: list[Scalar]
    K: list[list[Scalar]]  # inverse of J_i of (63)
    Jv: list[list[Scalar]]  # J_vi of (64), six columns
    gap: Vec3


def _branches(robot: Platform, branch: Any) -> list[float]:
    n = len(robot.legs)
    signs = [branch] * n if isinstance(branch, (int, float)) else list(branch)
    if len(signs) != n:
        raise ModelError(f"{len(signs)} branches for {n} legs")
    return [float(s) for s in signs]


def leg_motions(
    robot: Platform, pose: Vector, twist: Vector, rate: Vector, branch: Any = 1
) -> list[LegState]:
    """Return every leg at a pose (4 x 4, row by row), velocity and acceleration of the platform."""
    R, p = Mat3(*(tuple(pose[4 * r : 4 * r + 3]) for r in range(3))), Vec3(*pose[3:12:4])
    v, w, vd, wd = Vec3(*twist[:3]), Vec3(*twist[3:]), Vec3(*rate[:3]), Vec3(*rate[3:])
    W = wd.skew() + squared(w)
    states = []
    for leg, sign in zip(robot.legs, _branches(robot, branch), strict=True):
        arm = R @ leg.hold
        q = leg_coordinates(leg.tree, leg.point, p + arm, sign)
        end, columns = _end(leg, q, [0] * leg.tree.nv)
        K = _inverted([[d.dot(c) for c in columns] for d in leg.directions])
        # (65): v_i = V_p + w × P_i
        Jv = [[*d, *arm.cross(d)] for d in leg.directions]
        moved = v + w.cross(arm)
        qd = _times(K, [d.dot(moved) for d in leg.directions])
        drift = _end(leg, q, qd)[0][1]
        ask = vd + W @ arm - drift
        qdd = _times(K, [d.dot(ask) for d in leg.directions])
        states.append(LegState(leg, q, qd, qdd, K, Jv, end[0] - (p + arm)))
    return states


def _times(A: Sequence[Sequence[Scalar]], x: Sequence[Scalar]) -> list[Scalar]:
    return [dot(row, x) for row in A]


def _inverted(J: list[list[Scalar]]) -> list[list[Scalar]]:
    """Return the inverse of a 2 x 2 or 3 x 3 matrix by its cofactors."""
    if len(J) == 2:
        (a, b), (c, d) = J
        k = 1 / (a * d - b * c)
        return [[d * k, -(b * k)], [-(c * k), a * k]]
    x, y, z = (Vec3(*row) for row in J)
    columns = y.cross(z), z.cross(x), x.cross(y)
    k = 1 / x.dot(columns[0])
    return [[column[r] * k for column in columns] for r in range(3)]


def _end(leg: Leg, q: Vector, qd: Vector) -> tuple[tuple[Vec3, Vec3], list[Vec3]]:
    """Return ((place, acceleration at qdd = 0) of a leg's end, its velocity per joint)."""
    R, p, w, wd, a = Rotation(), ZERO, ZERO, ZERO, ZERO
    fields = []
    for k, body in leg.tree.outward():
        R_k, P_k = body.pose([q[k]])
        step = R @ P_k
        turned = w.cross(step)
        R = R @ R_k
        wJ, _, vJ, _ = (R @ x for x in body.rates([q[k]], [qd[k]], [0]))
        a = a + wd.cross(step) + w.cross(turned) + 2 * w.cross(vJ)
        wd, w, p = wd + w.cross(wJ), w + wJ, p + step
        ((lin, ang),) = body.joint.columns([q[k]])
        fields.append((R @ lin, R @ ang, p))
    arm = R @ leg.point
    a = a + wd.cross(arm) + w.cross(w.cross(arm))
    place = p + arm
    return (place, a), [lin + ang.cross(place - o) for lin, ang, o in fields]


def leg_states(
    m: Mechanism, pose: Vector, twist: Vector, rate: Vector, branch: Any = 1
) -> tuple[Any, Any, Any, Any]:
    """Return (q, qd, qdd) of the legs in closed form, and how their ends miss the platform."""
    states = leg_motions(platform_of(m), pose, twist, rate, branch)
    return (
        [[plain(x) for x in s.q] for s in states],
        [s.qd for s in states],
        [s.qdd for s in states],
        [list(s.gap) for s in states],
    )


def _leg_forces(state: LegState, drives: Drives) -> list[Scalar]:
    tree = state.leg.tree
    gamma = newton_euler(simplify(tree), state.q, state.qd, state.qdd, drives=drives)
    for k, force in joint_springs(tree, [plain(x) for x in state.q], state.qd).items():
        gamma[k] = gamma[k] - force
    return gamma


def _loaded(m: Mechanism) -> Platform:
    """Return platform and legs for a dynamic model, all forces of which act in the legs."""
    robot = platform_of(m)
    legs = {b for loop in m.loops for b in _sides(m, loop, robot.body)[0]}
    if m.springs or m.couplings or any(e.joint not in legs for e in m.elastic):
        raise ModelError(
            "springs between points, couplings and springs of the platform's own joints are not "
            "in the models of the legs",
            hint="use the closed loops: active_torques(m, q, qd, qdd), forward_dynamics",
        )
    return robot


def leg_torques(
    m: Mechanism,
    pose: Vector,
    twist: Vector,
    rate: Vector,
    branch: Any = 1,
    drives: Drives = "inertia",
) -> list[list[Scalar]]:
    """Return Γ_i, the inverse model of each leg alone."""
    states = leg_motions(_loaded(m), pose, twist, rate, branch)
    return [_leg_forces(s, drives) for s in states]


# -- platform ----------------------------------------------------------------------------------


def platform_wrench(m: Mechanism, pose: Vector, twist: Vector, rate: Vector) -> Six:
    """Return F_p, what moves the platform alone: base axes, at its origin (E2.21)."""
    return _wrench(platform_of(m), pose, twist, rate)


def _wrench(robot: Platform, pose: Vector, twist: Vector, rate: Vector) -> Six:
    body = robot.m.bodies[robot.body]
    R = Rotation.of(Mat3(*(tuple(pose[4 * r : 4 * r + 3]) for r in range(3))))
    w, wd = R.T @ Vec3(*twist[3:]), R.T @ Vec3(*rate[3:])
    vd = R.T @ (Vec3(*rate[:3]) - robot.m.gravity)
    f = vd * body.m + wd.cross(body.h) + w.cross(w.cross(body.h))
    n = body.Io @ wd + w.cross(body.Io @ w) + body.h.cross(vd)
    return [*(R @ f), *(R @ n)]


def _on_freedoms(robot: Platform, six: Sequence[Scalar]) -> list[Scalar]:
    return [dot([*v, *w], six) for v, w in robot.freedoms]


def _inverse_jacobian(robot: Platform, states: Sequence[LegState]) -> list[list[Scalar]]:
    """Return J_p⁻¹, one row per motor: rows of J_i⁻¹ J_vi over the platform's freedoms."""
    rows: dict[int, list[Scalar]] = {}
    for s in states:
        for k, place in zip(s.leg.motors, s.leg.order, strict=True):
            row = [dot(s.K[k], column) for column in zip(*s.Jv, strict=True)]
            rows[place] = _on_freedoms(robot, row)
    if len(rows) != len(robot.freedoms):
        raise ModelError(
            f"{len(rows)} motors in the legs, {len(robot.freedoms)} freedoms of the platform",
            hint="use the closed loops: active_torques(m, q, qd, qdd)",
        )
    return [rows[k] for k in sorted(rows)]


def platform_jacobian(m: Mechanism, pose: Vector, branch: Any = 1) -> list[list[Scalar]]:
    """Return J_p of (60), 6 rows: velocity of the platform from those of the motors."""
    robot = platform_of(m)
    states = leg_motions(robot, pose, [0] * 6, [0] * 6, branch)
    inverse = _inverse_jacobian(robot, states)
    n = len(inverse)
    columns = [general(inverse, [1 if k == c else 0 for k in range(n)]) for c in range(n)]
    basis = [[*v, *w] for v, w in robot.freedoms]
    return [[dot([b[r] for b in basis], column) for column in columns] for r in range(6)]


def _bracket(robot: Platform, states: Sequence[LegState], wrench: Six, forces: Any) -> Six:
    """Return F_p + Σ J_viᵀ J_i⁻ᵀ Γ_i."""
    total = list(wrench)
    for s, gamma in zip(states, forces, strict=True):
        x = [dot(column, gamma) for column in zip(*s.K, strict=True)]
        for r in range(6):
            total[r] = total[r] + dot([row[r] for row in s.Jv], x)
    return total


def actuator_forces(
    m: Mechanism,
    pose: Vector,
    twist: Vector,
    rate: Vector,
    branch: Any = 1,
    drives: Drives = "inertia",
) -> list[Scalar]:
    """Return the motor forces Γ of (66), in the order of the active joints."""
    robot = _loaded(m)
    states = leg_motions(robot, pose, twist, rate, branch)
    forces = [_leg_forces(s, drives) for s in states]
    total = _bracket(robot, states, _wrench(robot, pose, twist, rate), forces)
    return _on_motors(robot, states, total)


def _on_motors(robot: Platform, states: Sequence[LegState], total: Six) -> list[Scalar]:
    """Return J_pᵀ of a platform wrench by one solve with J_p⁻ᵀ."""
    inverse = _inverse_jacobian(robot, states)
    turned = [list(column) for column in zip(*inverse, strict=True)]
    return general(turned, _on_freedoms(robot, total))


def cartesian_model(
    m: Mechanism, pose: Vector, twist: Vector, branch: Any = 1, drives: Drives = "inertia"
) -> tuple[list[list[Scalar]], Six]:
    """Return (A, H): the bracket of (66) is A V̇_p + H, base axes at the platform's origin."""
    robot = _loaded(m)
    states = leg_motions(robot, pose, twist, [0] * 6, branch)
    forces = [_leg_forces(s, drives) for s in states]
    H = _bracket(robot, states, _wrench(robot, pose, twist, [0] * 6), forces)
    A = _platform_inertia(robot, pose)
    for s in states:
        n = s.leg.tree.nv
        M = composite(simplify(s.leg.tree), s.q, "none" if drives == "none" else "inertia")
        K = [_times(s.K, column) for column in zip(*s.Jv, strict=True)]  # columns of J_i⁻¹ J_vi
        MK = [[dot(M[r], k) for r in range(n)] for k in K]
        for a in range(6):
            for b in range(a, 6):
                A[a][b] = A[b][a] = A[a][b] + dot(K[a], MK[b])
    return A, H


def _platform_inertia(robot: Platform, pose: Vector) -> list[list[Scalar]]:
    still = replace(robot, m=replace(robot.m, gravity=ZERO, checked=True))
    unit = [[1 if k == c else 0 for k in range(6)] for c in range(6)]
    columns = [_wrench(still, pose, [0] * 6, u) for u in unit]
    return [[columns[max(a, b)][min(a, b)] for b in range(6)] for a in range(6)]


def platform_acceleration(
    m: Mechanism,
    pose: Vector,
    twist: Vector,
    forces: Vector,
    branch: Any = 1,
    drives: Drives = "inertia",
) -> Six:
    """Return V̇_p that the motor forces give: the direct model in the platform's freedoms."""
    robot = _loaded(m)
    A, H = cartesian_model(m, pose, twist, branch, drives)
    states = leg_motions(robot, pose, twist, [0] * 6, branch)
    inverse = _inverse_jacobian(robot, states)
    basis = [[*v, *w] for v, w in robot.freedoms]
    load = [
        dot([row[c] for row in inverse], forces) - h for c, h in enumerate(_on_freedoms(robot, H))
    ]
    AB = [[dot(row, b) for row in A] for b in basis]
    x = solve([[dot(b, ab) for ab in AB] for b in basis], load)
    return [dot([b[r] for b in basis], x) for r in range(6)]
