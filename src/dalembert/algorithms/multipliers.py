"""Lagrange with multipliers: the tree's equations and the constraints, not reduced.

[M -H'; H 0] [q̈; λ] = [active forces - bias; ḣ - Ḣ q̇]. Beside Kane's method, which never forms λ
(4.16), it is the second way to the same accelerations: M by composite bodies, the bias by the
recursion of Newton and Euler, one solve of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism
from .closed_kinematics import dot
from .composite import composite
from .drives import Drives
from .kane import active_forces, reduction, rotors, speed_rows, steering, without_gravity
from .newton_euler import Wrench, newton_euler

Found = tuple[list[Scalar], list[Scalar], list[Scalar], list[Scalar]]


def multipliers(
    m: Mechanism,
    q: Vector,
    alpha: Vector,
    angles: Vector,
    rates: Vector,
    tau: Vector,
    forces: Vector,
    drives: Drives = "inertia",
    wrenches: Mapping[int, Wrench] | None = None,
) -> Found:
    """Return (α̇, q̇, q̈, λ) of a machine under its velocity constraints."""
    r = reduction(m, q, alpha, angles, rates)
    steer, n, qd = steering(m, angles, rates), m.nv, r.qd
    acting = active_forces(m, q, qd, tau, forces, steer, drives, wrenches)
    M = composite(m, q, rotors(drives))
    bias = newton_euler(without_gravity(m), q, qd, [0] * n, drives=rotors(drives))
    H = [row.H for row in r.constraints]
    count = len(H)
    upper = [[*M[k], *(-row[k] for row in H)] for k in range(n)]
    right = [f - b for f, b in zip(acting, bias, strict=True)]
    right += [row.hd - dot(row.Hd, qd) for row in r.constraints]
    found = solve([*upper, *([*row, *([0] * count)] for row in H)], right, "general")
    qdd = found[:n]
    # the speeds are rows of the rates: α = S q̇
    chosen = speed_rows(m, q, qd, steer)
    speeds = [dot(row.H, qdd) + dot(row.Hd, qd) for row in chosen] if count else qdd
    return speeds, list(qd), qdd, found[n:]
