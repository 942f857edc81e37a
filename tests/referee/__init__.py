"""A referee: the dynamics of any native description in maximal coordinates.

Six coordinates per body, one constraint row per direction that a joint, loop, wheel, coupling or
equation holds, accelerations and multipliers by least squares. It needs numpy alone and shares
nothing with dalembert: no tree recursion, no plan, no choice of independent joints.

    M x' + h = f + B tau + Cᵀ λ,    C x' = c' - C' x,    x = (twists of all bodies, qd)

Both are solved on the null space of C, found by singular values at the very state that is asked.
"""

from .description import Machine, read
from .solve import (
    Impossible,
    NotClosed,
    NotUnique,
    State,
    close,
    feasible,
    forward,
    hybrid,
    inverse,
    is_singular,
    mobility,
    motors_suffice,
    shifted,
)

__all__ = [
    "Impossible",
    "Machine",
    "NotClosed",
    "NotUnique",
    "State",
    "close",
    "feasible",
    "forward",
    "hybrid",
    "inverse",
    "is_singular",
    "mobility",
    "motors_suffice",
    "read",
    "shifted",
]
