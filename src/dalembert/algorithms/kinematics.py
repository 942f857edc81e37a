"""Pose, velocity, acceleration and Jacobian of any frame, in base axes or in its own.

Craig's outward recursions; six-vectors linear first. `axes="base"` gives the velocity of the
frame's origin in base axes, `axes="local"` the same in the axes of the frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..algebra import Mat3, Rotation, Transform, Vec3
from ..errors import UsageError
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism

Motion = tuple[Vec3, Vec3]  # linear, angular


def path(m: Mechanism, body: int) -> list[int]:
    """Return the bodies from the base to `body`."""
    bodies = []
    while body >= 0:
        bodies.append(body)
        body = m.bodies[body].parent
    return bodies[::-1]


Target = tuple[int, Transform]  # a frame as (body, placement in it)


def target_pose(m: Mechanism, target: Target, q: Vector) -> Transform:
    """Return the pose of a frame in the base frame."""
    body, placement = target
    q_ = m.split_q(q)
    T = Transform()
    for j in path(m, body):
        T = T @ Transform(*m.bodies[j].pose(q_[j]))
        T = Transform(T.R.bounded(), T.p)
    return T @ placement


def frame_pose(m: Mechanism, frame: str, q: Vector) -> Transform:
    """Return the pose of a named frame in the base frame."""
    return target_pose(m, m.frame(frame), q)


def pose(m: Mechanism, frame: str, q: Vector) -> list[list[Scalar]]:
    """Return the 4 x 4 pose of a frame in the base frame."""
    T = frame_pose(m, frame, q)
    rows = T.R.matrix().rows
    return [[*rows[k], T.p[k]] for k in range(3)] + [[0, 0, 0, 1]]


def _oriented(R: Rotation, motion: Motion, axes: str) -> list[Scalar]:
    if axes not in ("base", "local"):
        raise UsageError(f"unknown axes {axes!r}", hint='axes are "base" or "local"')
    linear, angular = motion
    return [*(R @ linear), *(R @ angular)] if axes == "base" else [*linear, *angular]


def jacobian(m: Mechanism, frame: str, q: Vector, axes: str = "base") -> list[list[Scalar]]:
    """Return J, 6 x nv: [v; w] of the frame's origin = J qd."""
    return target_jacobian(m, m.frame(frame), q, axes)


def target_jacobian(
    m: Mechanism, target: Target, q: Vector, axes: str = "local"
) -> list[list[Scalar]]:
    """Return the Jacobian of a frame given as (body, placement)."""
    body, placement = target
    q_, start = m.split_q(q), m.velocity_index
    columns: list[list[Scalar]] = [[0] * 6 for _ in range(m.nv)]
    # inward: each joint sees the frame at (R, p) in its own body axes
    there = placement
    whole = target_pose(m, target, q).R
    for j in reversed(path(m, body)):
        for a, (linear, angular) in enumerate(m.bodies[j].joint.columns(q_[j])):
            moved = (linear + angular.cross(there.p), angular)
            local = (there.R.T @ moved[0], there.R.T @ moved[1])
            columns[start[j] + a] = _oriented(whole, local, axes)
        there = Transform(*m.bodies[j].pose(q_[j])) @ there
        there = Transform(there.R.bounded(), there.p)
    return [[column[r] for column in columns] for r in range(6)]


def target_motion(
    m: Mechanism, target: Target, q: Vector, qd: Vector, qdd: Vector
) -> tuple[Rotation, Motion, Motion]:
    """Return (rotation, velocity, classical acceleration) of a frame, own axes, no gravity."""
    body, placement = target
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    v = w = vd = wd = Vec3.zero()
    whole = Rotation()
    for j in path(m, body):
        R, P = m.bodies[j].pose(q_[j])
        w_i = R.T @ w
        wJ, wdJ, vJ, vdJ = m.bodies[j].rates(q_[j], qd_[j], qdd_[j])
        v, vd = (
            R.T @ (v + w.cross(P)) + vJ,
            R.T @ (vd + _turning(w, wd) @ P) + vdJ + 2 * w_i.cross(vJ),
        )
        w, wd = w_i + wJ, R.T @ wd + wdJ + w_i.cross(wJ)
        whole = (whole @ R).bounded()
    R, P = placement.R, placement.p
    v, vd = R.T @ (v + w.cross(P)), R.T @ (vd + _turning(w, wd) @ P)
    return whole @ R, (v, R.T @ w), (vd, R.T @ wd)


def _turning(w: Vec3, wd: Vec3) -> Mat3:
    return wd.skew() + w.skew() @ w.skew()


def velocity(m: Mechanism, frame: str, q: Vector, qd: Vector, axes: str = "base") -> list[Scalar]:
    """Return [v; w] of the frame's origin."""
    R, motion, _ = target_motion(m, m.frame(frame), q, qd, [0] * m.nv)
    return _oriented(R, motion, axes)


def acceleration(
    m: Mechanism, frame: str, q: Vector, qd: Vector, qdd: Vector, axes: str = "base"
) -> list[Scalar]:
    """Return the classical acceleration [dv/dt; dw/dt] of the frame's origin."""
    R, _, motion = target_motion(m, m.frame(frame), q, qd, qdd)
    return _oriented(R, motion, axes)


def jacobian_derivative(
    m: Mechanism, frame: str, q: Vector, qd: Vector, axes: str = "base"
) -> list[list[Scalar]]:
    """Return dJ/dt, 6 x nv."""
    return target_jacobian_derivative(m, m.frame(frame), q, qd, axes)


def target_jacobian_derivative(
    m: Mechanism, target: Target, q: Vector, qd: Vector, axes: str = "local"
) -> list[list[Scalar]]:
    """Return dJ/dt of a frame given as (body, placement).

    Each column is the velocity field of one freedom of joint j; its rate follows from the motion of
    body j and of the frame.
    """
    body, placement = target
    q_, qd_, start = m.split_q(q), m.split(qd), m.velocity_index
    states = _body_motions(m, body, q_, qd_)
    R_f, p_f, v_f, w_f = _frame_motion(states[body] if body >= 0 else None, placement)
    out: list[list[Scalar]] = [[0] * 6 for _ in range(m.nv)]
    for j in path(m, body):
        R, p, v, w, _ = states[j]
        lever, lever_rate = p_f - p, v_f - v
        for a, (column, rate) in enumerate(_column_rates(m, j, q_[j], qd_[j])):
            lin, ang = R @ column[0], R @ column[1]
            lin_rate = w.cross(lin) + R @ rate[0]
            ang_rate = w.cross(ang) + R @ rate[1]
            top, low = lin + ang.cross(lever), ang
            top_rate = lin_rate + ang_rate.cross(lever) + ang.cross(lever_rate)
            if axes == "local":
                top_rate, ang_rate = top_rate - w_f.cross(top), ang_rate - w_f.cross(low)
                top_rate, ang_rate = R_f.T @ top_rate, R_f.T @ ang_rate
            elif axes != "base":
                raise UsageError(f"unknown axes {axes!r}", hint='axes are "base" or "local"')
            out[start[j] + a] = [*top_rate, *ang_rate]
    return [[column[r] for column in out] for r in range(6)]


def _column_rates(m: Mechanism, j: int, q: Vector, qd: Vector) -> Sequence[tuple[Motion, Motion]]:
    """Return each column of a joint with its rate in child axes (only a planar joint has one)."""
    joint = m.bodies[j].joint
    columns = joint.columns(q)
    if joint.kind != "planar":
        return [(c, (Vec3.zero(), Vec3.zero())) for c in columns]
    spin = Vec3(0, 0, qd[2])
    return [(c, (-spin.cross(c[0]), Vec3.zero())) for c in columns]


def _body_motions(m: Mechanism, body: int, q_: Sequence[Vector], qd_: Sequence[Vector]) -> dict:
    """Return (R, p, v, w, parent's w) in base axes of each body on the way to `body`."""
    states: dict[int, tuple] = {-1: (Rotation(), Vec3.zero(), Vec3.zero(), Vec3.zero(), None)}
    for j in path(m, body):
        R_i, p_i, v_i, w_i, _ = states[m.bodies[j].parent]
        R, P = m.bodies[j].pose(q_[j])
        wJ, _, vJ, _ = m.bodies[j].rates(q_[j], qd_[j], [0] * len(qd_[j]))
        R_j, step = (R_i @ R).bounded(), R_i @ P
        v = v_i + w_i.cross(step) + R_j @ vJ
        states[j] = (R_j, p_i + step, v, w_i + R_j @ wJ, w_i)
    return states


def _frame_motion(state: tuple | None, placement: Transform) -> tuple[Rotation, Vec3, Vec3, Vec3]:
    if state is None:
        return placement.R, placement.p, Vec3.zero(), Vec3.zero()
    R, p, v, w, _ = state
    step = R @ placement.p
    return R @ placement.R, p + step, v + w.cross(step), w
