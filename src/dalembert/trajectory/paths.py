"""Paths of a frame in space as motions of the joints: lines, circles, any path s = 0..1.

Each sample is found by inverse kinematics from the one before; speeds and accelerations of the
joints there follow from the Jacobian and its derivative, and pieces of degree 5 join the samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..compute import evaluate
from ..compute.turns import pose_error, rotation_by
from ..errors import ComputationError, UsageError, shown
from ..mechanism import Mechanism, is_closed
from .inverse_kinematics import Reach, inverse_kinematics
from .moves import Trajectory, hermite

Array = np.ndarray
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
        drift = evaluate(m.tree, "jacobian_derivative", q, qd, frame=frame)[chosen] @ qd
        if is_closed(reach.m):  # loops accelerate also where their motors do not
            drift = drift + J @ evaluate(reach.m, "tree_motion", q, qd, np.zeros(m.nv))[1]
        a = back @ (dp[chosen] * sdd + ddp[chosen] * sd**2 - drift)
        states.append(np.stack([reach.values(q), v, a]))
    return hermite(times, np.stack(states))


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
        pose[:3, :3] = rotation_by(change[3:] * s) @ start[:3, :3]
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
        turned = rotation_by(e * (angle * s)) @ r
        pose[:3, 3] = c + turned
        v = np.cross(e, turned) * angle
        a = np.cross(e, v) * angle
        return pose, np.concatenate([v, np.zeros(3)]), np.concatenate([a, np.zeros(3)])

    return along(m, path, q0, duration, frame=frame, **options)
