"""Resolved forms: first the motion that is wanted, then the forces for it (DeSantis 1996, 4.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..mechanism import Mechanism
from ..plan.singular import cartesian_jacobian, check_cartesian
from .gains import applied

Array = np.ndarray


def resolved_acceleration(
    m: Mechanism, q: Any, alpha: Any, alpha_dot: Any, steer: Any = (), steer_rate: Any = ()
) -> Array:
    """Return the forces on the speeds that make α̇ what is asked, (4.11)-(4.15).

    Luh, Walker and Paul (1980): D times what α̇ lacks without them. Gravity and springs act by
    themselves, so that this is what motors and traction add.

    >>> import dalembert as da
    >>> m = da.robots.unicycle()
    >>> da.control.resolved_acceleration(m, [0, 0, 0], alpha=[1, 0], alpha_dot=[1, 0]).tolist()
    [12.0, 0.0]
    """
    from ..compute import evaluate

    D = evaluate(m, "kane_D", q, steer)
    idle = np.zeros(m.nv), np.zeros(len(m.wheels))
    own = evaluate(m, "alpha_dot", q, alpha, steer, steer_rate, *idle)
    return np.einsum("...ij,...j->...i", D, np.asarray(alpha_dot, dtype=float) - own)


def resolved_velocity(
    m: Mechanism,
    q: Any,
    alpha: Any,
    wanted: Any,
    gain: Any,
    steer: Any = (),
    steer_rate: Any = (),
) -> Array:
    """Return the forces on the speeds that bring α to a wanted value: α̇ = K (α_d - α).

    Whitney (1982): the speeds themselves are the control.

    >>> import dalembert as da
    >>> m = da.robots.unicycle()
    >>> da.control.resolved_velocity(m, [0, 0, 0], [1, 0], wanted=[2, 0], gain=3).tolist()
    [36.0, 0.0]
    """
    speeds = np.asarray(alpha, dtype=float)
    gap = np.asarray(wanted, dtype=float) - speeds
    asked = applied(gain, speeds.shape[-1], "gain", gap)
    return resolved_acceleration(m, q, speeds, asked, steer, steer_rate)


def joint_rates(m: Mechanism, q: Any, v: Any, frame: str | None = None) -> Array:
    """Return q̇ = J_n⁻¹ v of a frame's velocity in its own axes (6.4, E3.7); resolved rates.

    >>> import dalembert as da
    >>> m = da.robots.puma560()
    >>> da.control.joint_rates(m, [0.1, -0.5, 0.4, 0.3, 0.6, 0.2], [0.1, 0, 0, 0, 0, 0]).shape
    (6,)
    """
    check_cartesian(m, q, frame)
    J = cartesian_jacobian(m, q, frame=frame)
    return np.linalg.solve(J, np.asarray(v, dtype=float)[..., None])[..., 0]


def joint_accelerations(m: Mechanism, q: Any, qd: Any, vd: Any, frame: str | None = None) -> Array:
    """Return q̈ = J_n⁻¹ (v̇ - J̇_n q̇) of a frame's acceleration in its own axes (6.5).

    >>> import dalembert as da
    >>> m, q = da.robots.puma560(), [0.1, -0.5, 0.4, 0.3, 0.6, 0.2]
    >>> da.control.joint_accelerations(m, q, [0.0] * 6, [0.1, 0, 0, 0, 0, 0]).shape
    (6,)
    """
    turned = cartesian_jacobian(m, q, qd, frame=frame) @ np.asarray(qd, dtype=float)[..., None]
    return joint_rates(m, q, np.asarray(vd, dtype=float) - turned[..., 0], frame)


def resolved_task(
    task: Any,
    q: Any,
    qd: Any,
    xdd: Any,
    xd: Any = None,
    error: Any = None,
    kp: Any = 0.0,
    kd: Any = 0.0,
    null: Any = None,
) -> Array:
    """Return motor forces for the rows of a task model: x'' = xdd + kd (xd - x') + kp error.

    `task` is a `task_model` of any machine. `error` is what the rows lack, in their own units and
    order; `null` are forces that are added where they do not move the frame (Khatib 1987).

    >>> import dalembert as da
    >>> t = da.task_model(da.robots.scara())
    >>> da.control.resolved_task(t, [0.3, 0.8, 0.1, 0.2], [0.0] * 4, xdd=[0, 0, 1, 0]).shape
    (4,)
    """
    state = task(q, qd)
    ask, n = np.asarray(xdd, dtype=float), len(state.rows)
    if xd is not None:
        ask = ask + applied(kd, n, "kd", np.asarray(xd, dtype=float) - state.velocity)
    if error is not None:
        ask = ask + applied(kp, n, "kp", np.asarray(error, dtype=float))
    return np.asarray(state.torques(ask, null))
