"""The Cartesian model F_x = M_x v̇_n + V_x of a frame with as many motions as joints.

DeSantis (1996), (6.2)-(6.10) with errata E3.7-E3.9: M_x = J⁻ᵀ D J⁻¹,
V_x = J⁻ᵀ {C - D J⁻¹ J̇} J⁻¹ v_n, F_x = J⁻ᵀ τ. v_n is the velocity of a frame (by default the mass
centre of the last body) in its own axes; planar machines keep [vx, vy, w] of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..algebra import Vec3
from ..errors import ModelError
from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism
from .composite import composite
from .kane import centre, massive
from .kinematics import Target, target_jacobian, target_jacobian_derivative
from .newton_euler import newton_euler

PLANAR = (0, 1, 5)  # vx, vy, wz
SPATIAL = (0, 1, 2, 3, 4, 5)


def _target(m: Mechanism, frame: str | None) -> Target:
    return m.frame(frame) if frame is not None else centre(m, massive(m)[-1])


def motions(m: Mechanism) -> tuple[int, ...]:
    """Return which of [v; w] the model keeps: as many as there are joints, or an error."""
    for kept in (PLANAR, SPATIAL):
        if m.nv == len(kept):
            return kept
    raise ModelError(
        f"the Cartesian model needs a square Jacobian; the machine has {m.nv} speeds",
        hint="3 (planar) or 6 (spatial) joints, or lock some",
    )


def J_n(m: Mechanism, q: Vector, frame: str | None = None) -> list[list[Scalar]]:
    """Return the square Jacobian J_n in the axes of the frame (6.2)."""
    J = target_jacobian(m, _target(m, frame), q)
    return [J[r] for r in motions(m)]


def J_n_dot(m: Mechanism, q: Vector, qd: Vector, frame: str | None = None) -> list[list[Scalar]]:
    """Return dJ_n/dt."""
    Jd = target_jacobian_derivative(m, _target(m, frame), q, qd)
    return [Jd[r] for r in motions(m)]


def cartesian_mass(m: Mechanism, q: Vector, frame: str | None = None) -> list[list[Scalar]]:
    """Return M_x = J⁻ᵀ D J⁻¹ (6.5)."""
    JT, n = _turned(J_n(m, q, frame)), m.nv
    D = composite(m, q)
    left = [solve(JT, [D[r][c] for r in range(n)], "general") for c in range(n)]  # columns J⁻ᵀ D
    rows = _turned(left)
    return [solve(JT, row, "general") for row in rows]  # J⁻ᵀ D J⁻¹, symmetric


def cartesian_bias(m: Mechanism, q: Vector, qd: Vector, frame: str | None = None) -> list[Scalar]:
    """Return V_x = J⁻ᵀ (c - D J⁻¹ J̇ q̇) (E3.9), c the Coriolis and centrifugal forces."""
    J = J_n(m, q, frame)
    still = replace(m, gravity=Vec3.zero(), checked=True)
    c = newton_euler(still, q, qd, [0] * m.nv, drives="none")
    D = composite(m, q)
    turned = solve(J, _times(J_n_dot(m, q, qd, frame), qd), "general")
    gap = [a - b for a, b in zip(c, _times(D, turned), strict=True)]
    return solve(_turned(J), gap, "general")


def cartesian_force(m: Mechanism, q: Vector, tau: Vector, frame: str | None = None) -> list[Scalar]:
    """Return F_x = J⁻ᵀ τ (6.9, E3.8)."""
    return solve(_turned(J_n(m, q, frame)), list(tau), "general")


def _turned(A: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    return [list(column) for column in zip(*A, strict=True)]


def _times(A: Sequence[Sequence[Scalar]], x: Sequence[Scalar]) -> list[Scalar]:
    return [sum((a * b for a, b in zip(row, x, strict=True)), 0) for row in A]
