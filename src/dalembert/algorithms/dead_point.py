"""Where the motors of a closed machine are at a dead point (Gosselin and Angeles 1990, type 2)."""

from __future__ import annotations

from ..expr import Scalar, absolute, maximum, minimum, where
from ..joint import Vector
from ..mechanism import Mechanism
from .loop_closure import loop_jacobian
from .loop_plan import LoopPlan


def side(m: Mechanism, plan: LoopPlan, q: Vector) -> Scalar:
    """Return a number that changes its sign where the dependent joints do not follow the motors.

    The determinant of the planned equations has that sign; its size here is the smallest pivot of
    Gauss with row exchanges over the largest.
    """
    J = loop_jacobian(m, q)
    rows = [[J[r][k] for k in plan.dependent] for r in plan.rows]
    n = len(rows)
    sign: Scalar = 1
    low: Scalar = 1
    high: Scalar = 1e-300
    for j in range(n):
        for r in range(j + 1, n):
            better = absolute(rows[r][j]) > absolute(rows[j][j])
            sign = where(better, -sign, sign)
            for c in range(j, n):
                up, down = rows[j][c], rows[r][c]
                rows[j][c], rows[r][c] = where(better, down, up), where(better, up, down)
        pivot = rows[j][j]
        sign = where(pivot < 0, -sign, sign)
        low = absolute(pivot) if j == 0 else minimum(low, absolute(pivot))
        high = maximum(high, absolute(pivot))
        inverse = 1 / where(absolute(pivot) > 0, pivot, 1)
        for r in range(j + 1, n):
            factor = rows[r][j] * inverse
            for c in range(j + 1, n):
                rows[r][c] = rows[r][c] - factor * rows[j][c]
    return sign * low / high
