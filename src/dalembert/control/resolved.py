"""Resolved forms: first the motion that is wanted, then the forces for it (DeSantis 1996, 4.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..mechanism import Mechanism
from ..plan.kane import cartesian_jacobian, check_cartesian
from .gains import gain_of

Array = np.ndarray


def resolved_acceleration(
    m: Mechanism, q: Any, alpha: Any, alpha_dot: Any, steer: Any = (), steer_rate: Any = ()
) -> Array:
    """Return the forces on the speeds that make α̇ what is asked: τ = D (α̇ - g0), (4.11)-(4.15).

    Luh, Walker and Paul (1980). Gravity is in g0: τ is what motors and traction add.
    """
    from ..compute import evaluate

    D = evaluate(m, "kane_D", q, steer)
    own = evaluate(m, "kane_g0", q, alpha, steer, steer_rate)
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
    """
    speeds = np.asarray(alpha, dtype=float)
    K = gain_of(gain, speeds.shape[-1], "gain")
    gap = np.asarray(wanted, dtype=float) - speeds
    asked = K * gap if K.ndim == 1 else np.einsum("ij,...j->...i", K, gap)
    return resolved_acceleration(m, q, speeds, asked, steer, steer_rate)


def joint_rates(m: Mechanism, q: Any, v: Any, frame: str | None = None) -> Array:
    """Return q̇ = J_n⁻¹ v of a frame's velocity in its own axes (6.4, E3.7); resolved rates."""
    check_cartesian(m, q, frame)
    J = cartesian_jacobian(m, q, frame=frame)
    return np.linalg.solve(J, np.asarray(v, dtype=float)[..., None])[..., 0]


def joint_accelerations(m: Mechanism, q: Any, qd: Any, vd: Any, frame: str | None = None) -> Array:
    """Return q̈ = J_n⁻¹ (v̇ - J̇_n q̇) of a frame's acceleration in its own axes (6.5)."""
    turned = cartesian_jacobian(m, q, qd, frame=frame) @ np.asarray(qd, dtype=float)[..., None]
    return joint_rates(m, q, np.asarray(vd, dtype=float) - turned[..., 0], frame)
