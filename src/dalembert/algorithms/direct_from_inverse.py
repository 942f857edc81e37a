"""The direct model from the inverse one, by special values of its arguments.

Khalil (2010), §3.3.1 after Walker and Orin (1982): H is the inverse model at q̈ = 0, column i of A
the inverse model at q̈ = u_i with q̇ = g = f_e = 0; then q̈ = A⁻¹ (Γ - H), with a sign that (8)
misprints (E2.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..algebra import Vec3
from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism
from .composite_direct import refuse_singular
from .drives import Drives
from .newton_euler import Wrench, newton_euler


def mass_matrix_by_columns(
    mechanism: Mechanism, q: Vector, drives: Drives = "inertia"
) -> list[list[Scalar]]:
    """Return the mass matrix A; of each column only what lies on and below the diagonal is used."""
    m, n = mechanism, mechanism.nv
    still = replace(m, gravity=Vec3.zero(), checked=True)
    rotors: Drives = "none" if drives == "none" else "inertia"
    A: list[list[Scalar]] = [[0] * n for _ in range(n)]
    for c in range(n):
        unit = [1 if k == c else 0 for k in range(n)]
        column = newton_euler(still, q, [0] * n, unit, drives=rotors)
        for r in range(c, n):
            A[r][c] = A[c][r] = column[r]
    return A


def direct_from_inverse(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
) -> list[Scalar]:
    """Return the accelerations qdd that the joint forces tau give at the state (q, qd)."""
    H = newton_euler(mechanism, q, qd, [0] * mechanism.nv, wrenches, drives)
    A = mass_matrix_by_columns(mechanism, q, drives)
    refuse_singular(mechanism, A)
    return solve(A, [t - h for t, h in zip(tau, H, strict=True)], "spd")
