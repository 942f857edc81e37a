"""Derivatives of the inverse and direct models of mechanisms with closed loops.

Columns belong to the independent coordinates of the plan (those of G, (56) of Khalil 2010): one of
them moves, dependent joints follow the closure, and the rates and accelerations of independent
joints are held.

The motion is that of three sets of equations in the joints of the cut tree,

    V = J q̇ - h = 0,   E = J q̈ + J' q̇ = 0,   F = Γ_tr(q, q̇, q̈) - Jᵀ λ = the forces of motors.

They are differentiated by every joint at fixed λ, where a joint of one branch moves nothing in the
others, and what follows from them is linear: G for dq, then dq̇ and dq̈ of the dependent joints.
Gᵀ F needs no dλ and no dG, since Gᵀ Jᵀ = 0 in every pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..algebra import is_plain_zero
from ..expr import for_each_column
from ..expr.derive import gradient
from ..frozen import dataclass
from ..joint import Vector
from ..linalg import Matrix, Planned, each_column, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from ..spatial import Wrench
from .closed_kinematics import Closed
from .closed_loop import ClosedModel, motor_shares
from .joint_forces import JointForces
from .loop_closure import closure_rates, loop_jacobian
from .newton_euler import Wrenches
from .slopes import slopes, tangent, units
from .velocity_rows import with_told


def closed_inverse_derivatives(
    model: ClosedModel, qd: Vector, qdd: Vector
) -> tuple[Matrix, Matrix, Matrix]:
    """Return (dtau/dq, dtau/dqd, dtau/dqdd) of motor forces, a column per independent joint."""
    plan, n = model.plan, len(model.plan.independent)
    rates, moved, gamma = model.motion(qd, qdd)
    tau = motor_shares(model.closed, model.closed.projected(gamma), None)
    at = _Motion(model, rates, moved, gamma, tau)
    by_q, by_qd = at.forces()
    found = []
    for force, sway in ((by_q, at.sway), (by_qd, None), (model.A_c, None)):
        found.append(_of_motors(model, _without_free(model, force), sway))
    held = [[0 if c >= n - plan.free else x for c, x in enumerate(row)] for row in found[2]]
    return found[0], found[1], Matrix(held, n)


def closed_forward_derivatives(
    model: ClosedModel, qd: Vector, tau: Vector
) -> tuple[Matrix, Matrix, Matrix]:
    """Return (dqdd/dq, dqdd/dqd, dqdd/dtau): rows all joints, columns independent ones, motors."""
    closed, G = model.closed, model.G
    rates = closed.velocity(qd)
    rest, still = model.bias(qd)
    free = closed.expanded(spd(model.A_c, closed.projected(model.load(rest, tau))))
    at = _Motion(model, rates, free + still, rest + model.M @ free, tau)
    pushed = G.pick(model.plan.motors).T
    return (*at.accelerations(), G @ each_column(spd, model.A_c, pushed))


@dataclass(frozen=True)
class _Motion:
    """A motion of the closed mechanism under motor forces, and its equations' slopes."""

    model: ClosedModel
    qd: Values
    qdd: Values
    gamma: Values
    tau: Vector

    @cached_property
    def _parts(self) -> tuple[dict[str, Matrix], dict[str, Matrix]]:
        """The slopes of V, E, F (and of J w of spare motors) by every joint, and its rate."""
        model, plan = self.model, self.model.plan
        lam = model.closed.multipliers(-model.load(self.gamma, self.tau))
        spare = [self._sway_of_forces] if plan.spare_motors else []
        by_q, by_qd = _slopes(model, (self.qd, self.qdd, lam, *spare))
        e, nv = len(plan.rows), model.tree.nv
        ends = {"V": (0, e), "E": (e, 2 * e), "F": (2 * e, 2 * e + nv), "W": (2 * e + nv, None)}
        whole = (Matrix(by_q, nv), Matrix(by_qd, nv))
        first, second = ({k: x[a:b] for k, (a, b) in ends.items()} for x in whole)
        return first, second

    @property
    def _sway_of_forces(self) -> Values:
        """w = G y of motor forces G_a y of least norm."""
        plan, G = self.model.plan, self.model.G
        n = len(plan.independent) - plan.free
        Ga = G.pick(plan.motors, range(n))
        return G @ [*spd(Ga.T @ Ga, Ga.T @ self.tau), *([0] * plan.free)]

    @cached_property
    def sway(self) -> Matrix | None:
        """The slope of G y by q in the rows of motors, at fixed y, where motors are spare."""
        if not self.model.plan.spare_motors:
            return None
        turned = _followed(self.model.closed, self._parts[0]["W"] @ self.model.G)
        return turned.pick(self.model.plan.motors)

    def forces(self) -> tuple[Matrix, Matrix]:
        """Return d(Gᵀ F)/dq and d(Gᵀ F)/dq̇, what dependent joints do carried back to the rows."""
        closed, G, M, (by_q, by_qd) = self.model.closed, self.model.G, self.model.M, self._parts
        n = len(self.model.plan.independent)

        def row(column: list[Any]) -> list[Any]:
            g = Values(column)
            pull = Values(closed.multipliers(M @ g))
            swing = by_qd["F"].T @ g - by_qd["E"].T @ pull
            hold = Values(closed.multipliers(swing))
            own = by_q["F"].T @ g - by_q["E"].T @ pull - by_q["V"].T @ hold
            return [*(G.T @ own), *(G.T @ swing)]

        found = Matrix(for_each_column(row, [list(column) for column in G.T]), 2 * n)
        return found.pick(range(n), range(n)), found.pick(range(n), range(n, 2 * n))

    def accelerations(self) -> tuple[Matrix, Matrix]:
        """Return dq̈/dq and dq̈/dq̇ of all joints where the forces of motors are held."""
        closed, G, (by_q, by_qd) = self.model.closed, self.model.G, self._parts
        inertia, A_c, nv = (self.model.M @ G).T, self.model.A_c, closed.m.nv

        def follow(lag: Values, force: Values) -> Values:
            moved = _follow(closed, lag)
            return moved - G @ spd(A_c, G.T @ force + inertia @ moved)

        def column(entries: list[Any]) -> list[Any]:
            g = Values(entries)
            rates = _follow(closed, by_q["V"] @ g)
            lag, force = by_q["E"] @ g + by_qd["E"] @ rates, by_q["F"] @ g + by_qd["F"] @ rates
            return [*follow(lag, force), *follow(by_qd["E"] @ g, by_qd["F"] @ g)]

        found = Matrix.columns(for_each_column(column, [list(x) for x in G.T]), 2 * nv)
        return found[:nv], found[nv:]


def _follow(closed: Closed, lag: Sequence[Any]) -> Values:
    """Return -J_d⁻¹ lag in the entries of dependent joints, zero in the others."""
    x: list[Any] = [0] * closed.m.nv
    for k, value in zip(closed.plan.dependent, closed.factor.solve(lag), strict=True):
        x[k] = -value
    return Values(x)


def _followed(closed: Closed, lag: Matrix) -> Matrix:
    """Return the same of each column of a matrix."""
    return Matrix.columns([_follow(closed, column) for column in lag.T], closed.m.nv)


def _without_free(model: ClosedModel, force: Matrix) -> Matrix:
    """Return the rows of motored coordinates where those without a motor feel no force."""
    plan = model.plan
    n = len(plan.independent) - plan.free
    own, free = range(n), range(n, n + plan.free)
    if not plan.free:
        return force
    A = model.A_c
    moved = each_column(spd, A.pick(free, free), force.pick(free))
    return force.pick(own) - A.pick(own, free) @ moved


def _of_motors(model: ClosedModel, force: Matrix, sway: Matrix | None) -> Matrix:
    """Return the slopes of motor forces u of least norm, G_aᵀ u = force; sway is dG_a y."""
    plan = model.plan
    n = len(plan.independent) - plan.free
    if not plan.spare_motors:
        order = list(plan.independent[:n])
        return force.pick(order.index(k) for k in plan.motors)
    Ga = model.G.pick(plan.motors, range(n))
    if sway is not None:
        force = force - Ga.T @ sway
    found = Ga @ each_column(spd, Ga.T @ Ga, force)
    return found if sway is None else found + sway


def _slopes(model: ClosedModel, given: tuple[Vector, ...]) -> list[list[list[Any]]]:
    """Return the slopes of V, E, F and J w by all joints, and by their rates, one row each.

    `given` holds q̇, q̈ and λ, and w where there is one.
    """
    m, plan, wrenches = model.closed.m, model.plan, model.wrenches or {}
    spare = len(given) - 3

    def record(
        own: Mechanism, light: Mechanism, q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any],
        lam: Sequence[Any], *rest: Vector,
    ) -> Any:  # fmt: skip
        told = rest[spare : len(rest) - bool(wrenches)]
        own = with_told(own, *told) if told else own
        here = replace(
            model,
            closed=Closed(own, plan, q, [], Planned([]), 1),
            tree=light,
            forces=JointForces(own, model.forces.drives),
            wrenches=_apart(wrenches, rest[-1]) if wrenches else None,
        )
        V, E = (Values(x).pick(plan.rows) for x in closure_rates(own, q, qd, qdd))
        F = here.gamma(qd, qdd) - _reaction(V @ lam, qd)
        W = Matrix(loop_jacobian(own, q), m.nv).pick(plan.rows) @ rest[0] if spare else ()
        along = [tangent(own, q, Values.unit(m.nv, k)) for k in range(m.nv)]
        return [*V, *E, *F, *W], (along, units(qd, range(m.nv)))

    # what is prescribed is an input of the trace too, and so is what acts from outside
    angles, rates = ([one[k] for one in m.told] for k in (1, 2))
    flat = [x for w in wrenches.values() for x in w.entries()]
    outside = (*((angles, rates) if m.told else ()), *((flat,) if wrenches else ()))
    bare = replace(m, told=(), checked=True)
    height = (2 + spare) * len(plan.rows) + m.nv
    inputs = (model.q, *given, *outside)
    return slopes((bare, model.tree), record, inputs, height, (m.nv, m.nv))


def _reaction(power: Any, qd: Sequence[Any]) -> list[Any]:
    """Return Jᵀ λ, the slope of the power λᵀ J q̇ over the rates."""
    if is_plain_zero(power):  # no equation is planned
        return [0] * len(qd)
    return gradient(power.graph, power.id, [x.id for x in qd])


def _apart(wrenches: Wrenches, flat: Vector) -> dict[int, Wrench]:
    """Return wrenches on the same bodies with the numbers of `flat`."""
    six = (flat[6 * k : 6 * k + 6] for k in range(len(wrenches)))
    return {j: Wrench.of(x) for j, x in zip(wrenches, six, strict=True)}
