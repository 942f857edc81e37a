"""Derivatives of the inverse and direct models of mechanisms with closed loops.

Columns belong to the independent coordinates of the plan (those of G, (56) of Khalil 2010): one of
them moves, dependent joints follow the closure, and the rates and accelerations of independent
joints are held. The model is traced once and differentiated as a graph, its solves as equations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Vec3
from ..joint import Vector
from ..mechanism import Mechanism
from .closed_kinematics import Plan, closed_at
from .closed_loop import Inverse, active_torques, closed_forward
from .drives import Drives
from .newton_euler import Wrench, newton_euler
from .slopes import slopes, tangent, units
from .velocity_rows import with_told

Model = Callable[..., Sequence[Any]]


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
    wrenches: Mapping[int, Wrench] | None = None,
) -> Any:
    """Return (dtau/dq, dtau/dqd, dtau/dqdd) of motor forces, a column per independent joint."""

    def model(own: Mechanism, light: Mechanism, *x: Any, **acting: Any) -> Any:
        acting |= {"inverse": inverse, "tree": light, "drives": drives}
        return active_torques(own, plan, *x, **acting)[0]

    given, count = (q, qd, qdd), len(plan.motors)
    return _slopes(m, plan, tree or m, model, given, plan.independent, steps, count, wrenches)


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
    wrenches: Mapping[int, Wrench] | None = None,
) -> Any:
    """Return (dqdd/dq, dqdd/dqd, dqdd/dtau): rows all joints, columns independent ones, motors."""

    def model(own: Mechanism, light: Mechanism, *x: Any, **acting: Any) -> Any:
        acting |= {"inverse": inverse, "tree": light, "drives": drives}
        return closed_forward(own, plan, *x, **acting)[0]

    given, motors = (q, qd, tau), range(len(plan.motors))
    return _slopes(m, plan, tree or m, model, given, motors, steps, m.nv, wrenches)


def _slopes(
    m: Mechanism,
    plan: Plan,
    tree: Mechanism,
    model: Model,
    given: tuple[Vector, Vector, Vector],
    last: Sequence[int],
    steps: int,
    height: int,
    wrenches: Mapping[int, Wrench] | None = None,
) -> list[Any]:
    """Return the slopes of a model by q, by qd and by entries `last` of its last input, checks."""
    at = closed_at(m, plan, given[0], steps)
    n = len(plan.independent)
    angles, rates = ([one[k] for one in m.told] for k in (1, 2))

    def record(
        own: Mechanism, light: Mechanism, q: Sequence[Any], qd: Sequence[Any], x: Sequence[Any],
        *rest: Vector,
    ) -> Any:  # fmt: skip
        told, acting = rest[: len(rest) - bool(wrenches)], {}
        own = with_told(own, *told) if told else own
        if wrenches:
            acting["wrenches"] = _apart(wrenches, rest[-1])
        columns = zip(*closed_at(own, plan, q, 0).G, strict=True)
        along = [tangent(own, q, column) for column in columns]
        by_rest = units(qd, plan.independent), units(x, last)
        return model(own, light, q, qd, x, **acting), (along, *by_rest)

    # what is prescribed is an input of the trace too, and so is what acts from outside
    flat = [x for w in (wrenches or {}).values() for part in w for x in part]
    outside = (*((angles, rates) if m.told else ()), *((flat,) if wrenches else ()))
    inputs = (at.q, *given[1:], *outside)
    bare = replace(m, told=(), checked=True)
    found = slopes((bare, tree), record, inputs, height, (n, n, len(last)))
    return [*found, *at.checks()]


def _apart(wrenches: Mapping[int, Wrench], flat: Vector) -> dict[int, Wrench]:
    """Return the same wrenches with the numbers of `flat`."""
    six = (flat[6 * k : 6 * k + 6] for k in range(len(wrenches)))
    return {j: (Vec3(*x[:3]), Vec3(*x[3:])) for j, x in zip(wrenches, six, strict=True)}
