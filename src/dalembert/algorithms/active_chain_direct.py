"""The direct model of an active chain: W q̈ = P + V solved for the accelerations.

Vukobratović and Potkonjak, J. Appl. Mech. 46 (1979) 181-185, eq (26).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..expr import Scalar
from ..joint import Vector
from ..linalg import Matrix, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .active_chain import circle
from .augmented_body import refuse_wrenches
from .newton_euler import Wrenches
from .singular_model import refuse_singular


def active_chain_direct(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    wrenches: Wrenches | None = None,
    rotor: Mapping[int, Scalar] | None = None,
) -> Values:
    """Return the accelerations that the driving forces tau (P of the paper) give."""
    refuse_wrenches(wrenches, "equations of the active chain", "articulated_body")
    W, V = circle(m, q, qd)
    W_and_rotors = Matrix(W).plus_diagonal(rotor or {})
    refuse_singular(m, W_and_rotors)
    return spd(W_and_rotors, Values(V) + tau)
