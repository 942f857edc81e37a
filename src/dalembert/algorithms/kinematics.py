"""Pose, velocity, acceleration and Jacobian of any frame, in base axes or in its own.

Craig's outward recursions; six-vectors linear first. `axes="base"` gives the velocity of the
frame's origin in base axes, `axes="local"` the same in the axes of the frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..algebra import Rotation, Transform, Vec3
from ..errors import UsageError
from ..expr import Scalar
from ..joint import Vector
from ..linalg import Matrix
from ..mechanism import Mechanism
from ..spatial import AT_REST, ZERO, Twist
from .link_motion import motions, path, poses, states, twists

Target = tuple[int, Transform]  # a frame as (body, placement in it)


def target_pose(m: Mechanism, target: Target, q: Vector) -> Transform:
    """Return the pose of a frame in the base frame."""
    body, placement = target
    return poses(m, q, path(m, body))[body] @ placement


def frame_pose(m: Mechanism, frame: str, q: Vector) -> Transform:
    """Return the pose of a named frame in the base frame."""
    return target_pose(m, m.frame(frame), q)


def pose(m: Mechanism, frame: str, q: Vector) -> list[list[Scalar]]:
    """Return the 4 x 4 pose of a frame in the base frame."""
    T = frame_pose(m, frame, q)
    rows = T.R.matrix().rows
    return [[*rows[k], T.p[k]] for k in range(3)] + [[0, 0, 0, 1]]


def _check_axes(axes: str) -> None:
    if axes not in ("base", "local"):
        raise UsageError(f"unknown axes {axes!r}", hint='axes are "base" or "local"')


def _oriented(R: Rotation, motion: Twist, axes: str) -> Twist:
    _check_axes(axes)
    return Twist(R @ motion.v, R @ motion.w) if axes == "base" else motion


def jacobian(m: Mechanism, frame: str, q: Vector, axes: str = "base") -> Matrix:
    """Return J, 6 x nv: [v; w] of the frame's origin = J qd."""
    return target_jacobian(m, m.frame(frame), q, axes)


def target_jacobian(m: Mechanism, target: Target, q: Vector, axes: str = "local") -> Matrix:
    """Return the Jacobian of a frame given as (body, placement)."""
    return Matrix.columns([s.entries() for s in target_twists(m, target, q, axes)], 6)


def target_twists(m: Mechanism, target: Target, q: Vector, axes: str) -> list[Twist]:
    """Return the motion of a frame for unit speed of each velocity variable."""
    body, placement = target
    q_, start = m.split_q(q), m.velocity_index
    found = [AT_REST] * m.nv
    # inward: each joint sees the frame at (R, p) in its own body axes
    there = placement
    whole = target_pose(m, target, q).R
    for j in reversed(path(m, body)):
        for a, s in enumerate(m.bodies[j].joint.columns(q_[j])):
            found[start[j] + a] = _oriented(whole, s.to_child(there.R, there.p), axes)
        there = Transform(*m.bodies[j].pose(q_[j])) @ there
        there = Transform(there.R.bounded(), there.p)
    return found


def target_motion(
    m: Mechanism, target: Target, q: Vector, qd: Vector, qdd: Vector
) -> tuple[Rotation, Twist, Twist]:
    """Return (rotation, velocity, classical acceleration) of a frame, own axes, no gravity."""
    body, placement = target
    way, at = path(m, body), (placement.R, placement.p)
    velocity = twists(m, q, qd, way)[body].to_child(*at)
    motion = motions(m, q, qd, qdd, bodies=way)[body].carried(*at)
    return target_pose(m, target, q).R, velocity, motion.acceleration


def velocity(m: Mechanism, frame: str, q: Vector, qd: Vector, axes: str = "base") -> list[Scalar]:
    """Return [v; w] of the frame's origin."""
    R, motion, _ = target_motion(m, m.frame(frame), q, qd, [0] * m.nv)
    return _oriented(R, motion, axes).entries()


def acceleration(
    m: Mechanism, frame: str, q: Vector, qd: Vector, qdd: Vector, axes: str = "base"
) -> list[Scalar]:
    """Return the classical acceleration [dv/dt; dw/dt] of the frame's origin."""
    R, _, motion = target_motion(m, m.frame(frame), q, qd, qdd)
    return _oriented(R, motion, axes).entries()


def jacobian_derivative(
    m: Mechanism, frame: str, q: Vector, qd: Vector, axes: str = "base"
) -> Matrix:
    """Return dJ/dt, 6 x nv."""
    return target_jacobian_derivative(m, m.frame(frame), q, qd, axes)


def target_jacobian_derivative(
    m: Mechanism, target: Target, q: Vector, qd: Vector, axes: str = "local"
) -> Matrix:
    """Return dJ/dt of a frame given as (body, placement).

    Each column is the velocity field of one freedom of joint j; its rate follows from the motion of
    body j and of the frame.
    """
    _check_axes(axes)
    body, placement = target
    q_, qd_, start, way = m.split_q(q), m.split(qd), m.velocity_index, path(m, body)
    state = states(m, q, qd, way)
    end = state[body].frame(placement)
    out: list[list[Scalar]] = [[0] * 6 for _ in range(m.nv)]
    for j in way:
        x = state[j]
        lever, lever_rate = end.p - x.p, end.v - x.v
        for a, (s, rate) in enumerate(_column_rates(m, j, q_[j], qd_[j])):
            lin, ang = x.R @ s.v, x.R @ s.w
            lin_rate = x.w.cross(lin) + x.R @ rate
            ang_rate = x.w.cross(ang)
            top = lin + ang.cross(lever)
            top_rate = lin_rate + ang_rate.cross(lever) + ang.cross(lever_rate)
            if axes == "local":
                top_rate = end.R.T @ (top_rate - end.w.cross(top))
                ang_rate = end.R.T @ (ang_rate - end.w.cross(ang))
            out[start[j] + a] = [*top_rate, *ang_rate]
    return Matrix.columns(out, 6)


def _column_rates(m: Mechanism, j: int, q: Vector, qd: Vector) -> Sequence[tuple[Twist, Vec3]]:
    """Return each column of a joint with the rate of its linear part in child axes.

    Only a planar joint has one: its rates are along parent axes.
    """
    joint = m.bodies[j].joint
    spin = Vec3(0, 0, qd[2]) if joint.kind == "planar" else ZERO
    return [(s, -spin.cross(s.v)) for s in joint.columns(q)]
