"""Forces of all constraints, those that follow from others included: they share what is borne.

Rows left out of Kane's method are combinations of the kept ones, H = B H_k, and so are forces:
B'λ = λ_k. Of all the ways to share, the one of least norm: two equal wheels bear half each.
"""

from __future__ import annotations

from ..joint import Vector
from ..linalg import Matrix, each_column, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .closure_rows import closure_names, closure_rows
from .velocity_rows import Steering, velocity_names, velocity_rows


def force_names(m: Mechanism) -> tuple[str, ...]:
    """Return the name of each constraint force: all rows, redundant ones included."""
    return (*velocity_names(m), *closure_names(m))


def shared_forces(m: Mechanism, q: Vector, steer: Steering, kept: Matrix, lam: Vector) -> Values:
    """Return the force of every row from those of the kept rows."""
    if not m.idle:
        return Values(lam)
    rest = [0] * m.nv
    every = [row.H for row in velocity_rows(m, q, rest, steer)] + closure_rows(m, q, rest)[0]
    B = each_column(spd, kept @ kept.T, kept @ Matrix(every).T).T
    return B @ spd(B.T @ B, lam)
