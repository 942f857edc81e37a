"""Velocity constraints H(q) q̇ = h of a whole machine: wheels, equations, given rates, closed loops.

DeSantis (1996), (2.9)-(2.11). The single rows are those of `velocity_rows` and `closure_rows`.
"""

from __future__ import annotations

from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism
from .closure_rows import closure_gaps, closure_names, closure_rows, kept_equations
from .velocity_rows import (
    TIME,
    Row,
    Steering,
    forward_row,
    heading,
    is_position,
    is_timed,
    position_gap,
    prescribed_joints,
    prescribed_names,
    rate_of,
    steering_names,
    velocity_names,
    velocity_rows,
    wheel_angle,
)

__all__ = [
    "TIME",
    "Row",
    "closure_names",
    "constraint_count",
    "constraint_names",
    "forward_row",
    "gaps",
    "heading",
    "is_holonomic",
    "is_position",
    "is_timed",
    "prescribed_joints",
    "prescribed_names",
    "rate_of",
    "rows",
    "settled",
    "steering_names",
    "wheel_angle",
]


def constraint_count(m: Mechanism) -> int:
    """Return how many rows the velocity constraints have."""
    return len(velocity_names(m)) + len(kept_equations(m))


def constraint_names(m: Mechanism) -> tuple[str, ...]:
    """Return the name of each row, in order."""
    return (*velocity_names(m), *closure_names(m))


def rows(m: Mechanism, q: Vector, qd: Vector, steer: Steering, t: Scalar = 0) -> list[Row]:
    """Return every velocity constraint at a state; `steer` gives angle and rate by name.

    Time is that of `steer`, when it is there, with its rate.
    """
    closed = zip(closure_names(m), *closure_rows(m, q, qd), strict=True)
    return velocity_rows(m, q, qd, steer, t) + [Row(name, H, Hd) for name, H, Hd in closed]


def is_holonomic(m: Mechanism) -> bool:
    """Return whether positions are constrained: by loops or by equations in the coordinates."""
    return bool(kept_equations(m)) or any(is_position(m, c) for c in m.velocity_constraints)


def gaps(m: Mechanism, q: Vector, t: Scalar = 0) -> list[Scalar]:
    """Return how far the coordinates are from what their constraints ask: f(q, t), closures."""
    told = [c for c in m.velocity_constraints if is_position(m, c)]
    return [position_gap(m, c, q, t) for c in told] + closure_gaps(m, q)


def settled(m: Mechanism, q: Vector, steer: Steering, steps: int = 2) -> list[Scalar]:
    """Return the nearest coordinates that fulfil the constraints of position, by Newton's steps.

    Prescribed joints stay where they are.
    """
    clock, rest = steer.get(TIME, (0, 1))[0], [0] * m.nv
    for _ in range(steps):
        # the order of rows: wheels, equations, prescribed joints, loops
        found = rows(m, q, rest, steer)
        after = len(found) - len(kept_equations(m)) - len(prescribed_joints(m))
        first = after - len(m.velocity_constraints)
        told = [k for k, c in enumerate(m.velocity_constraints, first) if is_position(m, c)]
        H = [found[k].H for k in (*told, *range(after, len(found)))]
        gap = gaps(m, q, clock)
        gap = [*gap[: len(told)], *([0] * len(prescribed_joints(m))), *gap[len(told) :]]
        square = [[sum((a * b for a, b in zip(x, y, strict=True)), 0) for y in H] for x in H]
        lam = solve(square, gap)
        step = [-sum((r[k] * l for r, l in zip(H, lam, strict=True)), 0) for k in range(m.nv)]
        parts = zip(m.bodies, m.split_q(q), m.split(step), strict=True)
        q = [x for body, own_q, dq in parts for x in body.joint.integrate(own_q, dq)]
    return list(q)
