"""Paths of a frame in space: inverse kinematics on the compiled Jacobian, lines, circles, poses.

Each sample is found by damped least squares from the one before; speeds and accelerations of the
joints there follow from the Jacobian and its derivative, and pieces of degree 5 join the samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from ..catalog.loops import is_closed
from ..compute import evaluate, integrate, neutral
from ..errors import ComputationError, ParameterError, UsageError, shown
from ..expr.exact import to_float
from ..measure.markers import follow
from ..mechanism import Mechanism, require_mechanism
from ..plan import planned
from ..runtime.arguments import numbers
from ..runtime.signal import Signal
from .joint import Trajectory

Array = np.ndarray


def joint_limits(m: Mechanism) -> Array:
    """Return (lower, upper) of every velocity variable; infinite where open or symbolic."""
    rows = np.full((m.nv, 2), [-np.inf, np.inf])
    values = {k: to_float(v) for k, v in m.values.items()}
    for j, body in enumerate(m.bodies):
        if body.joint.nq != body.joint.nv:
            continue
        for k, pair in enumerate(body.limits):
            for side, limit in enumerate(pair):
                try:
                    number = float(to_float(limit, values)) if limit is not None else np.nan
                except (ParameterError, TypeError, ValueError):
                    continue
                if np.isfinite(number):
                    rows[m.velocity_index[j] + k, side] = number
    return rows


def pose_error(now: Array, wanted: Array) -> Array:
    """Return (position, rotation vector) in base axes from one pose to another."""
    R = wanted[:3, :3] @ now[:3, :3].T
    twist = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    sine, cosine = float(np.linalg.norm(twist)), float((np.trace(R) - 1) / 2)
    if sine > 1e-12:
        turn = twist * (np.arctan2(sine, cosine) / sine)
    elif cosine > 0:
        turn = twist
    else:  # half a turn: its axis is the largest column of R + 1
        axis = (R + np.eye(3))[:, int(np.argmax(np.diag(R)))]
        turn = np.pi * axis / np.linalg.norm(axis)
    return np.concatenate([wanted[:3, 3] - now[:3, 3], turn])


def inverse_kinematics(
    m: Mechanism,
    pose: Any,
    q0: Any = None,
    *,
    frame: str | None = None,
    rows: str = "xyzrpw",
    limits: bool = True,
    rest: Any = None,
    steps: int = 200,
    tolerance: float = 1e-11,
) -> Array:
    """Return joint coordinates near q0 that bring a frame to a pose, or to a point.

    `pose` is 4 x 4, or three numbers for a point. `rows` are the directions that count: x y z and
    the turns r p w about base axes. Damped least squares with limits kept; freedoms that the task
    leaves over are drawn towards `rest`. Closed loops stay closed: their motors move.
    A mapping from frames to points (n, 3), or a marker file (.trc, .c3d), is followed sample by
    sample in the sense of least squares: the result is q, (n, nq).

    >>> import dalembert as da
    >>> m = da.load("RZ(), TXK(1), RZ(), TXK(1); body 2: M = 1;")
    >>> q = da.inverse_kinematics(m, [1.0, 1.0, 0.0], [0.3, 1.0], frame="tip")
    >>> [round(float(x), 6) for x in da.pose(m, q, frame="tip")[:3, 3]]
    [1.0, 1.0, 0.0]
    """
    require_mechanism(m, "inverse_kinematics")
    if isinstance(pose, str | PathLike | Mapping):
        return follow(m, pose, q0, limits=limits)[0]
    if q0 is None:
        q0 = neutral(m)
    wanted, chosen = _wanted(pose, rows)
    reach = Reach.of(m, limits, rest)
    q = reach.closed(np.array(q0, dtype=float))
    damping, best = 1e-3, np.inf
    error = np.zeros(len(chosen))
    for _ in range(steps):
        now = evaluate(m, "pose", q, frame=frame)
        error = pose_error(now, wanted)[chosen]
        size = float(np.linalg.norm(error))
        if size <= tolerance and rest is None:
            return q
        damping = max(1e-14, damping * (0.2 if size < best else 4.0))
        best = min(best, size)
        G = reach.map(q)
        dq = reach.step(evaluate(m, "jacobian", q, frame=frame)[chosen] @ G, error, q, damping)
        if size <= tolerance and float(np.abs(dq).max()) < 1e-10:
            return q
        q = reach.moved(q, G @ dq * min(1.0, 0.5 / max(float(np.abs(dq).max()), 1e-300)))
    if float(np.linalg.norm(error)) <= 1e3 * tolerance:
        return q
    raise ComputationError(
        f"the pose is not reached: {np.linalg.norm(error):.3g} is left",
        hint="it may be out of reach or beyond limits; begin nearer, or leave rows out",
    )


def _wanted(pose: Any, rows: str) -> tuple[Array, list[int]]:
    """Return a pose as 4 x 4 and the directions that count; a point has no turns."""
    wanted = np.eye(4)
    given = numbers(pose, "pose")
    if given.shape == (3,):
        wanted[:3, 3], rows = given, rows.replace("r", "").replace("p", "").replace("w", "")
    elif given.shape == (4, 4):
        wanted = given
    else:
        raise UsageError(
            f"pose has shape {given.shape}, expected (4, 4) or (3,)",
            hint="write a point [x, y, z], or four rows",
        )
    if not set(rows) <= set("xyzrpw"):
        raise UsageError(f"rows = {rows!r}", hint='some of "xyzrpw": directions, then turns')
    return wanted, ["xyzrpw".index(c) for c in rows]


@dataclass(frozen=True)
class Reach:
    """What may move and how far: all joints, or the independent ones of closed loops."""

    m: Mechanism
    index: tuple[int, ...]  # velocity variables that are free to choose
    places: tuple[int, ...]  # their coordinates in q; -1 for those of quaternions
    bound: Array
    rest: Array | None

    @staticmethod
    def of(m: Mechanism, limits: bool, rest: Any) -> Reach:
        """Return what may move and how far; with closed loops the independent joints."""
        # wheels hold rates, and leave every pose within reach
        m = replace(m, wheels=(), velocity_constraints=(), speeds=(), checked=True)
        index = planned(m).independent if is_closed(m) else tuple(range(m.nv))
        at = [-1] * m.nv
        start = 0
        for body, k in zip(m.bodies, m.velocity_index, strict=True):
            if body.joint.nq == body.joint.nv:
                at[k : k + body.joint.nv] = range(start, start + body.joint.nv)
            start += body.joint.nq
        own = list(index)
        bound = joint_limits(m)[own] if limits else np.full((len(own), 2), [-np.inf, np.inf])
        goal = None if rest is None else np.asarray(rest, dtype=float)
        return Reach(m, index, tuple(at[k] for k in own), bound, goal)

    def map(self, q: Array) -> Array:
        """Return the rates of all joints from those that are free to choose."""
        if not is_closed(self.m):
            return np.eye(self.m.nv)
        G: Array = evaluate(self.m, "active_map", q)
        return G

    def closed(self, q: Array) -> Array:
        """Return the pose with its loops closed."""
        found: Array = evaluate(self.m, "assembly", q) if is_closed(self.m) else q
        return found

    def values(self, q: Array) -> Array:
        """Return the coordinates of what is free to choose; zero for quaternions."""
        return np.array([q[k] if k >= 0 else 0.0 for k in self.places])

    def moved(self, q: Array, dq: Array) -> Array:
        """Return q moved, within limits, loops closed."""
        q = integrate(self.m, q, dq)
        for k, (low, high) in zip(self.places, self.bound, strict=True):
            if k >= 0:
                q[k] = min(max(q[k], low), high)
        return self.closed(q)

    def step(self, J: Array, error: Array, q: Array, damping: float) -> Array:
        """Return a damped step; joints that press against a limit are left out."""
        n, now = len(self.index), self.values(q)
        free = np.ones(n, dtype=bool)
        dq = np.zeros(n)
        for _ in range(n + 1):
            Jf = J[:, free]
            K = Jf @ Jf.T + damping * np.eye(len(J))
            dq = np.zeros(n)
            dq[free] = Jf.T @ np.linalg.solve(K, error)
            if self.rest is not None:
                pull = 0.5 * (self.values(self.rest) - now)[free]
                dq[free] += pull - np.linalg.pinv(Jf, rcond=1e-6) @ (Jf @ pull)
            pressed = ((now <= self.bound[:, 0]) & (dq < 0)) | (
                (now >= self.bound[:, 1]) & (dq > 0)
            )
            if not (pressed & free).any():
                return dq
            free &= ~pressed
        return dq


# -- paths -------------------------------------------------------------------------------------

Path = Callable[[float], tuple[Array, Array, Array]]  # s -> pose, velocity, acceleration (6) in s


def along(
    m: Mechanism,
    path: Path,
    q0: Any,
    duration: float,
    *,
    frame: str | None = None,
    samples: int = 101,
    profile: str = "quintic",
    rows: str = "xyzrpw",
    limits: bool = True,
) -> Trajectory:
    """Return the joint motion that takes a frame along a path s = 0..1; of loops, the motors'.

    `profile`: "quintic" (rest to rest), "constant" speed, "constant_acceleration" from rest all the
    way, "accelerate_and_brake" (evenly, half of the time each).
    """
    chosen = ["xyzrpw".index(c) for c in rows]
    times = np.linspace(0.0, duration, samples)
    q = np.array(q0, dtype=float)
    reach = Reach.of(m, limits, None)
    if -1 in reach.places:
        raise UsageError("paths of mechanisms with quaternions have no joint trajectory")
    states = []
    for t in times:
        s, sd, sdd = _profile(profile, float(t) / duration, duration)
        pose, dp, ddp = path(s)
        try:
            q = inverse_kinematics(m, pose, q, frame=frame, rows=rows, limits=limits)
        except ComputationError as error:
            at = ", ".join(f"{x:.4g}" for x in pose[:3, 3])
            raise ComputationError(
                f"{100 * s:.3g} % along the path, at ({at}): {error.message}",
                hint="the frame cannot go on from there: end the path before, or begin elsewhere",
            ) from None
        J, G = evaluate(m, "jacobian", q, frame=frame)[chosen], reach.map(q)
        back = np.linalg.pinv(J @ G, rcond=1e-9)
        v = back @ (dp[chosen] * sd)
        qd = G @ v
        turned = evaluate(m, "jacobian_derivative", q, qd, frame=frame)[chosen] @ qd
        if is_closed(reach.m):  # loops accelerate also where their motors do not
            turned = turned + J @ evaluate(reach.m, "tree_motion", q, qd, np.zeros(m.nv))[1]
        a = back @ (dp[chosen] * sdd + ddp[chosen] * sd**2 - turned)
        states.append(np.stack([reach.values(q), v, a]))
    return hermite(times, np.stack(states))


def hermite(times: Array, states: Array) -> Trajectory:
    """Return pieces of degree 5 through q, q̇, q̈, given as (samples, 3, joints)."""
    h = np.diff(times)[:, None]
    (p0, v0, a0), (p1, v1, a1) = (np.moveaxis(x, 1, 0) for x in (states[:-1], states[1:]))
    d = p1 - p0 - v0 * h - a0 * h**2 / 2
    dv = (v1 - v0 - a0 * h) * h
    da = (a1 - a0) * h**2
    c3 = (10 * d - 4 * dv + da / 2) / h**3
    c4 = (-15 * d + 7 * dv - da) / h**4
    c5 = (6 * d - 3 * dv + da / 2) / h**5
    return Trajectory(Signal(times, np.stack([c5, c4, c3, a0 / 2, v0, p0], axis=-1)))


PROFILES = ("quintic", "constant", "constant_acceleration", "accelerate_and_brake")


def _profile(name: str, x: float, T: float) -> tuple[float, float, float]:
    if name == "quintic":
        s = x**3 * (10 - 15 * x + 6 * x**2)
        return s, 30 * x**2 * (1 - x) ** 2 / T, 60 * x * (1 - x) * (1 - 2 * x) / T**2
    if name == "constant":
        return x, 1 / T, 0.0
    if name == "constant_acceleration":
        return x**2, 2 * x / T, 2 / T**2
    if name == "accelerate_and_brake":
        if x < 0.5:
            return 2 * x**2, 4 * x / T, 4 / T**2
        return 1 - 2 * (1 - x) ** 2, 4 * (1 - x) / T, -4 / T**2
    raise UsageError(f"unknown profile {shown(str(name))!r}", hint="one of " + ", ".join(PROFILES))


def line(
    m: Mechanism, q0: Any, end: Any, duration: float, *, frame: str | None = None, **options: Any
) -> Trajectory:
    """Return the motion of a frame on a straight line from its pose at q0 to a point or a pose.

    The orientation is held, or turned about one axis to that of `end`; with three numbers for
    `end` only the point counts.
    """
    start = evaluate(m, "pose", q0, frame=frame)
    given = np.asarray(end, dtype=float)
    if given.shape == (3,):
        options.setdefault("rows", "xyz")
        goal = start.copy()
        goal[:3, 3] = given
    else:
        goal = given
    change = pose_error(start, goal)

    def path(s: float) -> tuple[Array, Array, Array]:
        pose = start.copy()
        pose[:3, 3] = start[:3, 3] + s * change[:3]
        pose[:3, :3] = _rotation(change[3:] * s) @ start[:3, :3]
        return pose, change, np.zeros(6)

    return along(m, path, q0, duration, frame=frame, **options)


def circle(
    m: Mechanism,
    q0: Any,
    centre: Any,
    axis: Any,
    duration: float,
    *,
    angle: float = 2 * np.pi,
    frame: str | None = None,
    **options: Any,
) -> Trajectory:
    """Return the motion of a frame on a circle through its place at q0; orientation held."""
    start = evaluate(m, "pose", q0, frame=frame)
    e = np.asarray(axis, dtype=float)
    e = e / np.linalg.norm(e)
    c = np.asarray(centre, dtype=float)
    r = start[:3, 3] - c

    def path(s: float) -> tuple[Array, Array, Array]:
        pose = start.copy()
        turned = _rotation(e * (angle * s)) @ r
        pose[:3, 3] = c + turned
        v = np.cross(e, turned) * angle
        a = np.cross(e, v) * angle
        return pose, np.concatenate([v, np.zeros(3)]), np.concatenate([a, np.zeros(3)])

    return along(m, path, q0, duration, frame=frame, **options)


def _rotation(turn: Array) -> Array:
    angle = float(np.linalg.norm(turn))
    if angle < 1e-300:
        return np.eye(3)
    x, y, z = turn / angle
    S = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * (S @ S)
