"""Equations as the plant: joints move as closed forms say, whole or simplified."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

import numpy as np

from ..algorithms import closed_form
from ..algorithms.held_joints import Outcome, Push
from ..catalog import algorithm, quantity
from ..compute import neutral
from ..compute.model import check_joints, equations_of
from ..errors import UsageError, shown
from ..expr import Scalar
from ..expr.exact import to_float
from ..frozen import dataclass
from ..joint import Vector
from ..mechanism import Mechanism
from .systems import Tree


@dataclass(frozen=True)
class Plant(Tree):
    """The joints of `m`, moved by the closed forms of `model`; frozen joints rest."""

    model: Mechanism = field(kw_only=True)

    @property
    def key(self) -> tuple[Any, ...]:
        model = self.model
        return ("plant", self.drives, self.framed, model.digest, repr(model.values))

    def bound(self, m: Mechanism) -> Plant:
        return replace(self, m=m, model=self.model.bound())

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        left = "; ".join(self.model.form.left_out)
        return (
            f"the motion is that of closed forms{': ' + left if left else ''}",
            "energy is that of the full mechanism",
        )

    @property
    def _at(self) -> list[int]:
        """Where the joints of the equations stand among those of the mechanism."""
        return [self.m.joint_names.index(name) for name in self.model.joint_names]

    def _spread(self, values: Vector) -> list[Scalar]:
        """Return accelerations of all joints; frozen ones rest, whatever acts on them."""
        found = dict(zip(self._at, values, strict=True))
        return [found.get(k, 0) for k in range(self.m.nv)]

    def acceleration(self, q: Vector, v: Vector, tau: Vector, u: Vector) -> list[Scalar]:
        _, run = algorithm(quantity("forward_dynamics", self.model), None)
        state = ([x[k] for k in self._at] for x in (q, v, tau))
        return self._spread(run(self.model, *state, drives=self.drives))

    def outcome(self, q: Vector, v: Vector, u: Vector, push: Push) -> Outcome:
        at = self._at
        own = {at.index(k): s for k, s in push.direction.items() if k in at}
        q, v, tau = ([x[k] for k in at] for x in (q, v, push.tau))
        found = closed_form.outcome(self.model, q, v, tau, own, self.drives)
        held = {at[k]: x for k, x in found.friction.items()}
        qdd = self._spread(found.qdd)
        return Outcome(qdd, {k: held.get(k, 0) for k in push.direction}, {})


def parted(m: Any, plant: Any) -> tuple[Any, Any]:
    """Return the mechanism that is simulated, and the equations it moves by or None."""
    told = equations_of(m)
    if plant is None:
        return (m, None) if told is None else (_own(m, told), told)
    found = equations_of(plant)
    if found is None:
        raise UsageError(
            "plant= takes equations, not " + type(plant).__name__,
            hint="da.simulate(other, ...) simulates another mechanism",
        )
    return (m if told is None else _own(m, told)), found


def _own(m: Any, told: Any) -> Mechanism:
    """Return the mechanism beside equations: with all its joints where it is known."""
    found: Mechanism = m.full if isinstance(m, Mechanism) else told.mechanism
    return found


def planted(own: Any, eq: Any, outside: bool) -> Plant:
    """Return the system of equations as the plant, refused where they do not speak of it."""
    if type(own) is not Tree or own.given or own.m.followers or outside:
        raise UsageError(
            "equations as the plant move trees under joint forces: no loops, wheels, wrenches, "
            "followers or prescribed joints",
            hint="simulate the mechanism itself, or lock joints first",
        )
    check_joints(eq.model, own.m)
    return Plant(own.m, (), own.drives, model=eq.model)


def frozen_start(m: Mechanism, eq: Any, q0: Any, qd0: Any) -> Any:
    """Return where a motion starts: frozen joints at their values, where they must rest."""
    if eq is None or not eq.frozen:
        return q0
    q = np.array(neutral(m) if q0 is None else q0, dtype=float)
    if q.shape[-1:] != (m.nq,):
        return q0
    known = eq.mechanism.floats
    rates = None if qd0 is None else np.asarray(qd0, dtype=float)
    for name, value in eq.frozen.items():
        if name not in m.joint_names:
            continue
        k, at = m.joint_names.index(name), frozen_at(value, known)
        if q0 is not None and np.abs(q[..., k] - at).max(initial=0.0) > 1e-9:
            raise UsageError(
                f"joint {shown(name)!r} is frozen at {at:.9g} in the equations, not so in q0",
                hint=f"q0 with {at:.9g} there, or no q0",
            )
        if rates is not None and rates.shape[-1:] == (m.nv,) and np.any(rates[..., k]):
            raise UsageError(
                f"joint {shown(name)!r} is frozen in the equations and cannot have a speed",
                hint="qd0 with 0 there",
            )
        q[..., k] = at
    return q


def frozen_at(value: Any, known: dict[str, float]) -> float:
    """Return the value at which a joint is frozen as a number."""
    from ..expr import Graph
    from ..mechanism.edit import number

    return float(to_float(number(value, Graph()), known))
