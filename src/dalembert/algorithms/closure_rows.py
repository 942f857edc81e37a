"""Closed loops as rows J q̇ = 0 beside other velocity constraints: holonomic ones (2.4)-(2.8).

A loop may have more equations than it needs: `Loop.kept` names those that are kept, after the rank
of all at assembled poses. The rate of a row is the symmetric form of the loop's second rates;
where rates are not those of coordinates (quaternions), it is that of dual numbers.
"""

from __future__ import annotations

from dataclasses import replace

from ..algebra import is_plain_zero
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import UNHELD, Mechanism
from .constraint_row import with_rate
from .loop_closure import (
    EQUATIONS,
    branches,
    closure,
    closure_rates,
    equation_names,
    loop_jacobian,
)

COORDINATE_RATES = ("revolute", "prismatic", "screw", "planar", "fixed")


def kept_equations(m: Mechanism) -> list[int]:
    """Return which closure equations are kept."""
    found, at = [], 0
    for loop in m.loops:
        own = range(EQUATIONS[loop.joint])
        found += [at + k for k in (own if loop.kept is None else loop.kept)]
        at += len(own)
    return found + [at + k for k in range(len(m.couplings))]


def closure_names(m: Mechanism) -> list[str]:
    """Return the names of the kept equations."""
    names = equation_names(m)
    return [names[r] for r in kept_equations(m)]


def closure_rows(
    m: Mechanism, q: Vector, qd: Vector
) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """Return the kept rows of the loop Jacobian and their time derivatives."""
    kept = kept_equations(m)
    if not kept:
        return [], []
    m = _loops_alone(m)
    if any(body.joint.kind not in COORDINATE_RATES for body in m.bodies):
        return with_rate(m, lambda x: [loop_jacobian(m, x)[r] for r in kept], q, qd)
    J = loop_jacobian(m, q)
    H = [J[r] for r in kept]
    rates: list[list[Scalar]] = [[0] * m.nv for _ in kept]
    if all(is_plain_zero(x) for x in qd):
        return H, rates
    # second rates are a quadratic form B of q̇: its value at (q̇, e_k) is the rate of column k
    for k in _moving(m):
        ends = [_second(m, q, qd, k, step) for step in (1, -1)]
        for at, r in enumerate(kept):
            rates[at][k] = (ends[0][r] - ends[1][r]) * 0.25
    return H, rates


def _second(m: Mechanism, q: Vector, qd: Vector, k: int, step: int) -> list[Scalar]:
    moved = [x + step if i == k else x for i, x in enumerate(qd)]
    return closure_rates(m, q, moved)[1]


def _moving(m: Mechanism) -> list[int]:
    """Return the velocity indices of the joints that stand in a loop."""
    bodies = {b for loop in m.loops for side in branches(m, loop) for b in side}
    return [m.velocity_index[b] + a for b in sorted(bodies) for a in range(m.bodies[b].joint.nv)]


def closure_gaps(m: Mechanism, q: Vector) -> list[Scalar]:
    """Return the residuals of the kept equations."""
    kept = kept_equations(m)
    if not kept:
        return []
    found = closure(_loops_alone(m), q)
    return [found[r] for r in kept]


def _loops_alone(m: Mechanism) -> Mechanism:
    """Return the machine without wheels and equations, whose rows stand elsewhere."""
    return replace(m, **UNHELD, checked=True)
