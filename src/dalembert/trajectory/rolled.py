"""Motions of machines on wheels: of all joints as they are given, or from those of the motors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.closed_kinematics import CERTIFIED
from ..algorithms.velocity_rows import held_names
from ..compute import compile, evaluate, neutral
from ..errors import ComputationError, UsageError, shown
from ..mechanism import Mechanism
from ..plan import planned
from .moves import Trajectory, cubics

Array = np.ndarray
SLIPS = 1e-6  # of the largest rate
PARTS = 4  # steps between two samples


def require_driven(m: Mechanism) -> None:
    """Raise UsageError where the motors of a machine on wheels do not decide its motion."""
    free = planned(m).free_joints
    if free:
        raise UsageError(
            f"torques_along: no motor moves {', '.join(map(shown, free[:8]))}",
            hint="name as many active joints as the machine has degrees of freedom",
        )


def rolled(
    m: Mechanism,
    t: Array,
    motion: tuple[Array, Array, Array],
    trajectory: Trajectory | None,
    start: Any,
) -> tuple[Array, Array, Array]:
    """Return q, qd, qdd of all joints; those of the motors alone are followed from `start`."""
    q, qd, qdd = motion
    motors = list(planned(m).motors)
    if q.shape[-1] == m.nq and qd.shape[-1] == m.nv:
        return q, *_kept(m, q, qd, qdd)
    if q.shape[-1] != len(motors):
        raise UsageError(
            f"the motion has {q.shape[-1]} columns",
            hint=f"{m.nq} for all coordinates, or {len(motors)} for "
            + ", ".join(shown(m.rate_names[k]) for k in motors[:12]),
        )
    if m.nq != m.nv:
        raise UsageError(
            "a motion of the motors alone is followed where all joints have one freedom each",
            hint="give t, q, qd, qdd of all joints",
        )
    pose = np.array(neutral(m) if start is None else start, dtype=float)
    if pose.shape != (m.nq,):
        raise UsageError(f"start has shape {pose.shape}, expected ({m.nq},)")
    path = _followed(m, t, trajectory or cubics(t, q, qd), motors, pose)
    rates, second = np.zeros((2, len(t), m.nv))
    rates[:, motors], second[:, motors] = qd, qdd
    made = evaluate(m, "tree_motion", path, rates, second)
    return path, made[0], made[1]


def _followed(m: Mechanism, t: Array, trajectory: Trajectory, motors: list[int], q: Array) -> Array:
    """Return the coordinates along a motion of the motors: q' = G(q) q'_motors by Runge-Kutta."""
    zero = np.zeros(m.nv)
    whole = m.bound()
    kernel = None if whole.open_parameters else compile(whole, "tree_motion")

    def rate(driven: Array, q: Array) -> Array:
        own = zero.copy()
        own[motors] = driven
        if kernel is not None:
            found, *_, certificate = kernel(q, own, zero)
            if certificate < CERTIFIED:
                return np.asarray(found)
        return np.asarray(evaluate(m, "tree_motion", q, own, zero)[0])  # plans such a pose again

    # rates of the motors at the ends and the middle of every step, and where they stand
    half = np.linspace(0, 1, 2 * PARTS, endpoint=False)
    at = (t[:-1, None] + np.diff(t)[:, None] * half).ravel()
    driven = trajectory.qd(np.append(at, t[-1]))
    stand = trajectory(t)
    q = q.copy()
    q[motors] = stand[0]
    out = [q]
    for n, h in enumerate(np.diff(t) / PARTS):
        for k in range(2 * PARTS * n, 2 * PARTS * (n + 1), 2):
            a = rate(driven[k], q)
            b = rate(driven[k + 1], q + h / 2 * a)
            c = rate(driven[k + 1], q + h / 2 * b)
            q = q + h / 6 * (a + 2 * b + 2 * c + rate(driven[k + 2], q + h * c))
        q[motors] = stand[n + 1]
        out.append(q)
    return np.array(out)


def _kept(m: Mechanism, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """Return rates and accelerations of a motion that keeps the constraints, or raise."""
    whole = np.isfinite(np.concatenate([q, qd, qdd], axis=1)).all(axis=1)
    made = evaluate(m, "tree_motion", q[whole], qd[whole], qdd[whole])
    for what, given, closed in (("rates", qd, made[0]), ("accelerations", qdd, made[1])):
        gap = np.abs(closed - given[whole])
        if gap.max(initial=0.0) > SLIPS * (1 + np.abs(given[whole]).max(initial=0.0)):
            row, k = np.unravel_index(int(gap.argmax()), gap.shape)
            rows = ", ".join(map(shown, held_names(m)[:6]))
            raise ComputationError(
                f"torques_along: the {what} break the constraints ({rows}): "
                f"{shown(m.rate_names[int(k)])!r} is off by {gap[row, k]:.3g}",
                hint="give the motion of the motors alone, with start=",
            )
    return qd, qdd
