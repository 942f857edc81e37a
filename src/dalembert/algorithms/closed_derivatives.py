"""Derivatives of the inverse and direct models of mechanisms with closed loops.

Columns belong to the independent coordinates of the plan (those of G, (56) of Khalil 2010): one of
them moves, dependent joints follow the closure, and the rates and accelerations of independent
joints are held. The model is traced once and differentiated as a graph, its solves as equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Vec3
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import Wrench
from .closed_kinematics import closed_at
from .closed_loop import ClosedModel, active_torques, closed_forward
from .joint_forces import JointForces
from .newton_euler import Wrenches
from .slopes import slopes, tangent, units
from .velocity_rows import with_told


def closed_inverse_derivatives(model: ClosedModel, qd: Vector, qdd: Vector) -> Any:
    """Return (dtau/dq, dtau/dqd, dtau/dqdd) of motor forces, a column per independent joint."""
    plan = model.plan
    return _slopes(model, active_torques, (qd, qdd), plan.independent, len(plan.motors))


def closed_forward_derivatives(model: ClosedModel, qd: Vector, tau: Vector) -> Any:
    """Return (dqdd/dq, dqdd/dqd, dqdd/dtau): rows all joints, columns independent ones, motors."""
    motors = range(len(model.plan.motors))
    return _slopes(model, closed_forward, (qd, tau), motors, model.tree.nv)


def _slopes(
    model: ClosedModel,
    quantity: Callable[..., Any],
    given: tuple[Vector, Vector],
    last: Sequence[int],
    height: int,
) -> tuple[Any, ...]:
    """Return the slopes of a quantity by q, by qd and by entries `last` of its last input."""
    m, plan, wrenches = model.closed.m, model.plan, model.wrenches or {}
    n = len(plan.independent)

    def record(
        own: Mechanism, light: Mechanism, q: Sequence[Any], qd: Sequence[Any], x: Sequence[Any],
        *rest: Vector,
    ) -> Any:  # fmt: skip
        told = rest[: len(rest) - bool(wrenches)]
        own = with_told(own, *told) if told else own
        closed = closed_at(own, plan, q, 0)
        here = replace(
            model,
            closed=closed,
            tree=light,
            forces=JointForces(own, model.forces.drives),
            wrenches=_apart(wrenches, rest[-1]) if wrenches else None,
        )
        along = [tangent(own, q, column) for column in zip(*closed.G, strict=True)]
        return quantity(here, qd, x), (along, units(qd, plan.independent), units(x, last))

    # what is prescribed is an input of the trace too, and so is what acts from outside
    angles, rates = ([one[k] for one in m.told] for k in (1, 2))
    flat = [x for w in wrenches.values() for x in w.entries()]
    outside = (*((angles, rates) if m.told else ()), *((flat,) if wrenches else ()))
    bare = replace(m, told=(), checked=True)
    inputs = (model.q, *given, *outside)
    return tuple(slopes((bare, model.tree), record, inputs, height, (n, n, len(last))))


def _apart(wrenches: Wrenches, flat: Vector) -> dict[int, Wrench]:
    """Return wrenches on the same bodies with the numbers of `flat`."""
    six = (flat[6 * k : 6 * k + 6] for k in range(len(wrenches)))
    return {j: Wrench(Vec3(*x[:3]), Vec3(*x[3:])) for j, x in zip(wrenches, six, strict=True)}
