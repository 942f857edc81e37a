"""Lagrange with multipliers: the tree's equations and the constraints, not reduced.

[M -H'; H 0] [q̈; λ] = [active forces - bias; ḣ - Ḣ q̇]. Beside Kane's method, which never forms λ
(4.16), it is the second way to the same accelerations: M by composite bodies, the bias by the
recursion of Newton and Euler, one solve of the whole.
"""

from __future__ import annotations

from ..linalg import Matrix, general
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .composite import composite
from .kane import Acting, Reduction, active_forces, shared_forces, speed_rows
from .newton_euler import newton_euler


def multipliers(
    m: Mechanism, r: Reduction, acting: Acting
) -> tuple[Values, Values, Values, Values]:
    """Return (α̇, q̇, q̈, λ) of a machine under its velocity constraints."""
    n, q, qd, H = m.nv, r.q, r.qd, r.H
    M = acting.forces.mass(composite(m, q))
    bias = newton_euler(m.weightless, q, qd, [0] * n)
    drift = [row.hd - Values(row.Hd) @ qd for row in r.constraints]
    whole = Matrix.block([[M, -H.T], [H, Matrix.zeros(len(H), len(H))]]) if len(H) else M
    found = general(whole, [*(active_forces(m, r, acting) - bias), *drift])
    qdd = found[:n]
    # the speeds are rows of the rates: α = S q̇
    chosen = speed_rows(m, q, qd, r.steer)
    speeds = Values(Values(row.H) @ qdd + Values(row.Hd) @ qd for row in chosen)
    lam = shared_forces(m, q, r.steer, H, found[n:])
    return speeds if len(H) else qdd, qd, qdd, lam
