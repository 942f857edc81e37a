"""Motion given in some joints, forces in the others, by rows and columns of A and H.

Khalil (2010), eqs (68)-(71) for elastic joints and (83)-(88) for moving bases: the rows of joints
whose force is known give their accelerations, the other rows the forces that remain.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..expr import Scalar
from ..joint import Vector
from ..linalg import Matrix, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .articulated_body import NOTHING, Known
from .composite import composite
from .newton_euler import Wrenches, newton_euler
from .singular_model import refuse_singular


def hybrid_by_partition(
    m: Mechanism, q: Vector, qd: Vector, x: Vector, known: Known = NOTHING,
    wrenches: Wrenches | None = None,
) -> tuple[list[Scalar], list[Scalar]]:  # fmt: skip
    """Return (qdd, tau). x holds qdd for the bodies in `known.given`, tau for the others."""
    A = composite(m, q).plus_diagonal(known.rotor)
    H = Values(newton_euler(m, q, qd, [0] * m.nv, wrenches))
    given = velocity_indices(m, known.given)
    refuse_singular(m, A, [k for k in range(m.nv) if k not in given])
    return partitioned(A, H, Values(x), given)


def partitioned(
    A: Matrix, H: Values, x: Values, r: Sequence[int]
) -> tuple[list[Scalar], list[Scalar]]:
    """Return (q̈, Γ) of A q̈ + H = Γ; x holds the entries of q̈ in rows r, of Γ in the others."""
    f = [k for k in range(len(x)) if k not in r]
    # A_ff q̈_f = Γ_f - H_f - A_fr q̈_r, (71) and (86)
    found = spd(A.pick(f, f), x.pick(f) - H.pick(f) - A.pick(f, r) @ x.pick(r))
    qdd, tau = list(x), list(x)
    for k, value in zip(f, found, strict=True):
        qdd[k] = value
    # Γ_r = A_rr q̈_r + A_rf q̈_f + H_r, the first row of (68) and (87)
    for k in r:
        tau[k] = A[k] @ qdd + H[k]
    return qdd, tau


def velocity_indices(m: Mechanism, bodies: Collection[int]) -> list[int]:
    """Return the velocity indices of the joints of these bodies, in order."""
    return [k for j in sorted(bodies) for k in m.rates_of(j)]
