"""The direct model by the mass matrix: q̈ = M⁻¹ (tau - h).

Walker and Orin, Efficient dynamic computer simulation of robotic mechanisms (1982). Method 1, also
Khalil (2010), §3.3.1: both by special values of the inverse model; h at q̈ = 0, column i of M at
q̈ = u_i with q̇ = g = f_e = 0, and a sign that (8) misprints (E2.3). Method 3: the mass matrix by
composite bodies, then LDLᵀ, leaves first. Its cubic term is small: up to about nine degrees of
freedom it needs fewer operations than articulated bodies do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..expr import Scalar
from ..joint import Vector
from ..linalg import Matrix, leaves_first, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .composite import composite
from .newton_euler import Wrenches, newton_euler
from .singular_model import refuse_singular

Rotor = Mapping[int, Scalar]  # inertia by velocity index


def mass_matrix_by_columns(
    m: Mechanism, q: Vector, inverse: Callable[..., Vector] = newton_euler
) -> Matrix:
    """Return the mass matrix: column j is the inverse model of a unit acceleration of joint j.

    Of each column only what lies on and below the diagonal is used.
    """
    n, still = m.nv, m.weightless
    columns = [inverse(still, q, [0] * n, Values.unit(n, c)) for c in range(n)]
    return Matrix([[columns[min(r, c)][max(r, c)] for c in range(n)] for r in range(n)])


def direct_from_inverse(
    m: Mechanism, q: Vector, qd: Vector, tau: Vector, wrenches: Wrenches | None, rotor: Rotor
) -> Values:
    """Return the accelerations qdd that the joint forces tau give, by method 1."""
    h = newton_euler(m, q, qd, [0] * m.nv, wrenches)
    M = mass_matrix_by_columns(m, q).plus_diagonal(rotor)
    refuse_singular(m, M)
    return spd(M, Values(tau) - h)


def composite_direct(
    m: Mechanism, q: Vector, qd: Vector, tau: Vector, wrenches: Wrenches | None, rotor: Rotor
) -> Values:
    """Return the accelerations qdd that the joint forces tau give, by method 3."""
    M = composite(m, q).plus_diagonal(rotor)
    refuse_singular(m, M)
    h = newton_euler(m, q, qd, [0] * m.nv, wrenches)
    return leaves_first(M, Values(tau) - h)
