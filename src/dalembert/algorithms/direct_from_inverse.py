"""The direct model from the inverse one, by special values of its arguments.

Khalil (2010), §3.3.1 after Walker and Orin (1982): H is the inverse model at q̈ = 0, column i of A
the inverse model at q̈ = u_i with q̇ = g = f_e = 0; then q̈ = A⁻¹ (Γ - H), with a sign that (8)
misprints (E2.3).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..expr import Scalar
from ..joint import Vector
from ..linalg import Matrix, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .newton_euler import Wrenches, newton_euler
from .singular_model import refuse_singular


def mass_matrix_by_columns(m: Mechanism, q: Vector) -> Matrix:
    """Return the mass matrix A; of each column only what lies on and below the diagonal is used."""
    n, still = m.nv, m.weightless
    columns = [newton_euler(still, q, [0] * n, Values.unit(n, c)) for c in range(n)]
    return Matrix([[columns[min(r, c)][max(r, c)] for c in range(n)] for r in range(n)])


def direct_from_inverse(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    wrenches: Wrenches | None = None,
    rotor: Mapping[int, Scalar] | None = None,
) -> Values:
    """Return the accelerations qdd that the joint forces tau give at the state (q, qd)."""
    H = newton_euler(m, q, qd, [0] * m.nv, wrenches)
    A = mass_matrix_by_columns(m, q).plus_diagonal(rotor or {})
    refuse_singular(m, A)
    return spd(A, Values(tau) - H)
