"""Direct dynamics from composite bodies: q̈ = M⁻¹ (tau - h).

Walker and Orin, Efficient dynamic computer simulation of robotic mechanisms (1982), method 3: the
mass matrix by composite rigid bodies, h by the inverse model at rest of q̈, then LDLᵀ, leaves first.
Its cubic term is small: up to about nine degrees of freedom it needs fewer operations than
articulated bodies do.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..expr import Scalar
from ..joint import Vector
from ..linalg import Vector as Values
from ..linalg import leaves_first
from ..mechanism import Mechanism
from .composite import composite
from .newton_euler import Wrenches, newton_euler
from .singular_model import refuse_singular


def composite_direct(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    wrenches: Wrenches | None = None,
    rotor: Mapping[int, Scalar] | None = None,
) -> Values:
    """Return the accelerations qdd that the joint forces tau give at the state (q, qd)."""
    M = composite(m, q).plus_diagonal(rotor or {})
    refuse_singular(m, M)
    h = newton_euler(m, q, qd, [0] * m.nv, wrenches)
    return leaves_first(M, Values(tau) - h)
