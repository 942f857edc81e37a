"""Inverse and direct dynamics of mechanisms with closed loops.

Khalil (2010), section 4: Γ_c = Gᵀ Γ_tr (55) with G = ∂q̇_tr/∂q̇_a (56) from the closure (4), and
Γ_c = A_c q̈_a + H_c (58); (57) with the transpose of E2.19. Redundant equations are left out by the
plan; motors beyond the mobility share the load with the least norm; independent coordinates without
a motor move so that their force is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ModelError, shown
from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism, joint_name
from .closed_kinematics import Closed, Plan, closed_at, dot
from .composite import composite
from .drives import Drives
from .loop_closure import closure_rates
from .newton_euler import newton_euler
from .springs import spring_forces, without_springs

Inverse = Callable[..., list[Scalar]]


def active_torques(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    inverse: Inverse = newton_euler,
    tree: Mechanism | None = None,
    steps: int = 0,
    weights: Sequence[float] | None = None,
    drives: Drives = "inertia",
    **given: Any,
) -> Any:
    """Return (motor forces, checks), (55): only independent entries of qd, qdd are read.

    `tree` is the same mechanism in frames chosen for the tree's own dynamics.
    """
    closed = closed_at(m, plan, q, steps)
    _, gamma, _ = closed_motion(closed, qd, qdd, inverse, tree or m, drives, given)
    return [shared_forces(closed, closed.projected(gamma), weights), *closed.checks()]


def tree_torques(
    m: Mechanism, plan: Plan, q: Vector, qd: Vector, qdd: Vector, **options: Any
) -> Any:
    """Return (Γ_tr, checks): joint forces of the cut tree in the closed motion."""
    steps = options.pop("steps", 0)
    inverse, tree = options.pop("inverse", newton_euler), options.pop("tree", None)
    drives = options.pop("drives", "inertia")
    closed = closed_at(m, plan, q, steps)
    _, gamma, _ = closed_motion(closed, qd, qdd, inverse, tree or m, drives, options)
    return [gamma, *closed.checks()]


def closed_motion(
    closed: Closed,
    qd: Vector,
    qdd: Vector,
    inverse: Inverse,
    tree: Mechanism,
    drives: Drives,
    given: dict[str, Any],
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Return (qd, Γ_tr, qdd) of the whole tree; free coordinates move without force."""
    plan, q = closed.plan, closed.q
    qd = closed.velocity(qd)
    ask = [qdd[k] for k in plan.independent]
    if plan.free:
        first = len(ask) - plan.free
        ask[first:] = [0] * plan.free
    qdd = closed.acceleration(qd, ask)
    gamma = _forces(closed, tree, qd, qdd, inverse, drives, given)
    if not plan.free:
        return qd, gamma, qdd
    # (Gᵀ Γ)_f = 0: the accelerations of the coordinates that no motor moves
    columns = [[row[first + c] for row in closed.G] for c in range(plan.free)]
    M = _inertia(tree, q, drives)
    along = [[dot(row, g) for row in M] for g in columns]
    A = [[dot(g, x) for x in along] for g in columns]
    extra = solve(A, [-dot(g, gamma) for g in columns])
    for g, x, a in zip(columns, along, extra, strict=True):
        qdd = [y + a * k for y, k in zip(qdd, g, strict=True)]
        gamma = [y + a * k for y, k in zip(gamma, x, strict=True)]
    return qd, gamma, qdd


def _forces(
    closed: Closed,
    tree: Mechanism,
    qd: Vector,
    qdd: Vector,
    inverse: Inverse,
    drives: Drives,
    given: dict[str, Any],
) -> list[Scalar]:
    """Return Γ_tr, what the point springs carry taken off."""
    gamma = inverse(without_springs(tree), closed.q, qd, qdd, drives=drives, **given)
    pull = spring_forces(closed.m, closed.q, qd)
    return [a - b for a, b in zip(gamma, pull, strict=True)]


def _inertia(tree: Mechanism, q: Vector, drives: Drives) -> list[list[Scalar]]:
    """Return the mass matrix of the tree, with rotors unless drives are left out."""
    return composite(tree, q, drives="none" if drives == "none" else "inertia")


def _load(plan: Plan, gamma: Vector, tau: Vector) -> list[Scalar]:
    """Return what motor forces leave over beside the tree's own forces, for all joints."""
    load: list[Scalar] = [-x for x in gamma]
    for k, u in zip(plan.motors, tau, strict=True):
        load[k] = load[k] + u
    return load


def shared_forces(
    closed: Closed, force: Sequence[Scalar], weights: Sequence[float] | None
) -> list[Scalar]:
    """Return motor forces u with G_aᵀ u = force, of least Σ w u² where motors are spare."""
    plan = closed.plan
    n = len(plan.independent) - plan.free
    ease = _eases(weights, len(plan.motors))
    if not plan.spare_motors:
        by_index = dict(zip(plan.independent[:n], force, strict=False))
        return [by_index[k] for k in plan.motors]
    G = closed.G
    Ga = [[G[k][c] for c in range(n)] for k in plan.motors]
    eased = [[x * e for x in row] for row, e in zip(Ga, ease, strict=True)]
    K = [[dot([r[a] for r in Ga], [r[b] for r in eased]) for b in range(n)] for a in range(n)]
    mu = solve(K, list(force[:n]))
    return [dot(row, mu) for row in eased]


def _eases(weights: Sequence[float] | None, count: int) -> list[float]:
    """Return 1 / w of each motor; weights are numbers of the plan, not of a state."""
    if weights is None:
        return [1.0] * count
    if len(weights) != count or not all(0 < w < float("inf") for w in weights):
        raise ModelError(
            f"weights = {list(weights)}: one positive number for each of {count} motors is needed",
            hint="a larger weight spares its motor",
        )
    return [1 / w for w in weights]


def active_mass_matrix(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    tree: Mechanism | None = None,
    steps: int = 0,
    drives: Drives = "inertia",
) -> Any:
    """Return (A_c, checks) of (58): Gᵀ M G."""
    closed = closed_at(m, plan, q, steps)
    return [_reduced(closed, tree or m, drives), *closed.checks()]


def _reduced(closed: Closed, tree: Mechanism, drives: Drives) -> list[list[Scalar]]:
    M = _inertia(tree, closed.q, drives)
    columns = list(zip(*closed.G, strict=True))
    n = len(columns)
    along = [[dot(row, g) for row in M] for g in columns]
    A: list[list[Scalar]] = [[0] * n for _ in range(n)]
    for a in range(n):
        for b in range(a, n):
            A[a][b] = A[b][a] = dot(columns[a], along[b])
    return A


def _bias(
    closed: Closed,
    qd: Vector,
    inverse: Inverse,
    tree: Mechanism,
    drives: Drives,
    given: dict[str, Any],
) -> tuple[list[Scalar], list[Scalar]]:
    """Return (Γ_tr at q̈_i = 0, that q̈ of the whole tree)."""
    qd = closed.velocity(qd)
    rest = closed.acceleration(qd, [0] * len(closed.plan.independent))
    return _forces(closed, tree, qd, rest, inverse, drives, given), rest


def active_bias(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    inverse: Inverse = newton_euler,
    tree: Mechanism | None = None,
    steps: int = 0,
    drives: Drives = "inertia",
    **given: Any,
) -> Any:
    """Return (H_c, checks) of (58)."""
    closed = closed_at(m, plan, q, steps)
    gamma, _ = _bias(closed, qd, inverse, tree or m, drives, given)
    return [closed.projected(gamma), *closed.checks()]


def holding_forces(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    inverse: Inverse = newton_euler,
    tree: Mechanism | None = None,
) -> list[Scalar]:
    """Return the motor forces that hold gravity and springs at rest.

    What no motor moves is not held: its share is left out (least squares in the coordinates that
    are independent).
    """
    closed = closed_at(m, plan, q, 0)
    return shared_forces(closed, closed.projected(free_load(closed, tree or m, inverse)), None)


def free_load(closed: Closed, tree: Mechanism, inverse: Inverse = newton_euler) -> list[Scalar]:
    """Return gravity and springs on all joints of the cut tree, at rest."""
    rest = [0] * closed.m.nv
    return _forces(closed, tree, rest, rest, inverse, "none", {})


def closed_forward(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    tau: Vector,
    inverse: Inverse = newton_euler,
    tree: Mechanism | None = None,
    steps: int = 0,
    drives: Drives = "inertia",
    **given: Any,
) -> Any:
    """Return (q̈ of the whole tree, checks) for motor forces tau, by A_c and H_c (58)."""
    closed = closed_at(m, plan, q, steps)
    gamma, rest = _bias(closed, qd, inverse, tree or m, drives, given)
    load = _load(plan, gamma, tau)
    A = _reduced(closed, tree or m, drives)
    qdd_i = solve(A, closed.projected(load)) if A else []
    moved = closed.tree(qdd_i, None)
    return [[a + b for a, b in zip(moved, rest, strict=True)], *closed.checks()]


def closed_hybrid(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    x: Vector,
    inverse: Inverse = newton_euler,
    tree: Mechanism | None = None,
    steps: int = 0,
    drives: Drives = "inertia",
    given: Sequence[str | int] = (),
    **acting: Any,
) -> Any:
    """Return (q̈ of the whole tree, motor forces, checks).

    x is the acceleration of the motors named in `given`, the force of the other motors; it has an
    entry for each joint, those of passive ones are not read.
    """
    known = _known(m, plan, given)
    closed = closed_at(m, plan, q, steps)
    gamma, rest = _bias(closed, qd, inverse, tree or m, drives, acting)
    A, H = _reduced(closed, tree or m, drives), closed.projected(gamma)
    order = plan.independent
    ask: list[Scalar] = [x[k] if k in known else 0 for k in order]
    load: list[Scalar] = [x[k] if k in plan.motors else 0 for k in order]
    sought = [a for a, k in enumerate(order) if k not in known]
    if sought:
        right = [load[a] - H[a] - dot(A[a], ask) for a in sought]
        found = solve([[A[a][b] for b in sought] for a in sought], right)
        for a, y in zip(sought, found, strict=True):
            ask[a] = y
    force = {k: H[a] + dot(A[a], ask) if k in known else load[a] for a, k in enumerate(order)}
    moved = closed.tree(ask, None)
    qdd = [a + b for a, b in zip(moved, rest, strict=True)]
    return [qdd, [force[k] for k in plan.motors], *closed.checks()]


def _known(m: Mechanism, plan: Plan, given: Sequence[str | int]) -> set[int]:
    """Return the velocity variables whose accelerations are given: motors, all independent."""
    if plan.spare_motors:
        raise ModelError(
            "motors beyond the mobility share their load: hybrid dynamics would not know how",
            hint="name as many active joints as the mechanism has degrees of freedom",
        )
    known: set[int] = set()
    for name in given:
        j = m.joint_index(name)
        own = range(m.velocity_index[j], m.velocity_index[j] + m.bodies[j].joint.nv)
        if not set(own) <= set(plan.motors):
            raise ModelError(
                f"joint {shown(joint_name(m.bodies[j]))!r} is passive: it follows the motors",
                hint="accelerations may be given of: " + ", ".join(map(shown, m.active)),
            )
        known.update(own)
    return known


def closed_forward_multipliers(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    tau: Vector,
    inverse: Inverse = newton_euler,
    tree: Mechanism | None = None,
    steps: int = 0,
    drives: Drives = "inertia",
    **given: Any,
) -> Any:
    """Return the same by one system: M q̈ - Jᵀ λ = τ - h, J q̈ = -J' q̇."""
    closed = closed_at(m, plan, q, steps)
    qd = closed.velocity(qd)
    n, rows, light = m.nv, plan.rows, tree or m
    h = _forces(closed, light, qd, [0] * n, inverse, drives, given)
    M = _inertia(light, closed.q, drives)
    load = _load(plan, h, tau)
    bias = closure_rates(m, closed.q, qd)[1]
    top = [[*M[k], *(-closed.J[r][k] for r in rows)] for k in range(n)]
    low = [[*closed.J[r], *([0] * len(rows))] for r in rows]
    found = solve([*top, *low], [*load, *(-bias[r] for r in rows)], "general")
    return [found[:n], *closed.checks()]
