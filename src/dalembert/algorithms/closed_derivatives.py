"""Derivatives of the inverse and direct models of mechanisms with closed loops.

Columns belong to the independent coordinates of the plan (those of G, (56) of Khalil 2010): one of
them moves, dependent joints follow the closure, and the rates and accelerations of independent
joints are held. The model is traced once and differentiated as a graph, its solves as equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..joint import Vector
from ..mechanism import Mechanism
from .closed_kinematics import Plan, closed_at
from .closed_loop import Inverse, active_torques, closed_forward
from .drives import Drives
from .newton_euler import newton_euler
from .slopes import slopes, tangent, units
from .velocity_rows import with_told

Model = Callable[[Mechanism, Mechanism, Vector, Vector, Vector], Sequence[Any]]


def closed_inverse_derivatives(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    inverse: Inverse = newton_euler,
    tree: Mechanism | None = None,
    steps: int = 0,
    drives: Drives = "inertia",
) -> Any:
    """Return (dtau/dq, dtau/dqd, dtau/dqdd) of motor forces, a column per independent joint."""

    def model(own: Mechanism, light: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> Any:
        return active_torques(own, plan, q, qd, qdd, inverse, light, drives=drives)[0]

    return _slopes(
        m, plan, tree or m, model, (q, qd, qdd), plan.independent, steps, len(plan.motors)
    )


def closed_forward_derivatives(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    tau: Vector,
    inverse: Inverse = newton_euler,
    tree: Mechanism | None = None,
    steps: int = 0,
    drives: Drives = "inertia",
) -> Any:
    """Return (dqdd/dq, dqdd/dqd, dqdd/dtau): rows all joints, columns independent ones, motors."""

    def model(own: Mechanism, light: Mechanism, q: Vector, qd: Vector, tau: Vector) -> Any:
        return closed_forward(own, plan, q, qd, tau, inverse, light, drives=drives)[0]

    return _slopes(m, plan, tree or m, model, (q, qd, tau), range(len(plan.motors)), steps, m.nv)


def _slopes(
    m: Mechanism,
    plan: Plan,
    tree: Mechanism,
    model: Model,
    given: tuple[Vector, Vector, Vector],
    last: Sequence[int],
    steps: int,
    height: int,
) -> list[Any]:
    """Return the slopes of a model by q, by qd and by entries `last` of its last input, checks."""
    at = closed_at(m, plan, given[0], steps)
    n = len(plan.independent)
    angles, rates = ([one[k] for one in m.told] for k in (1, 2))

    def record(
        own: Mechanism, light: Mechanism, q: Sequence[Any], qd: Sequence[Any], x: Sequence[Any],
        *told: Vector,
    ) -> Any:  # fmt: skip
        own = with_told(own, *told) if told else own
        columns = zip(*closed_at(own, plan, q, 0).G, strict=True)
        along = [tangent(own, q, column) for column in columns]
        by_rest = units(qd, plan.independent), units(x, last)
        return model(own, light, q, qd, x), (along, *by_rest)

    # what is prescribed is an input of the trace too
    inputs = (at.q, *given[1:], *((angles, rates) if m.told else ()))
    bare = replace(m, told=(), checked=True)
    found = slopes((bare, tree), record, inputs, height, (n, n, len(last)))
    return [*found, *at.checks()]
