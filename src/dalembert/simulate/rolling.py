"""A machine on wheels as `simulate` integrates it: the rates of all joints are the state.

The rates are brought back to what the constraints allow after each step, and the coordinates that
are independent are chosen again where their pivots fade, as with closed loops: no choice of speeds
can become singular on the way.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms import kane
from ..algorithms.closed_kinematics import closed_at
from ..algorithms.closed_loop import closed_forward
from ..algorithms.held_joints import Outcome, Push, loop_outcome
from ..algorithms.velocity_constraints import Constraints
from ..algorithms.velocity_rows import forward_row, steering_of, with_told
from ..expr import Scalar
from ..frozen import dataclass
from ..joint import Vector
from ..linalg import dot
from ..mechanism import Mechanism
from ..plan import LoopPlan, plan, planned
from ..plan.assembly import Closure, close
from ..plan.kane import RedundantConstraint, with_speeds
from .systems import Planned, Reduced, led_by

Array = np.ndarray
UNPLANNED = LoopPlan(0, (), (), (), ())


@dataclass(frozen=True)
class Rolling(Planned, Reduced):
    """A machine under velocity constraints with the rates of all joints as its state.

    Signals and forces are those of `Reduced`.
    """

    plan: LoopPlan = UNPLANNED
    tree: Mechanism | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        return ("rolling", self.plan, self.drives)

    @property
    def law_plan(self) -> LoopPlan:  # type: ignore[override]
        return planned(self.m) if self.m.active else self.plan

    def told(self, u: Vector) -> Mechanism:
        return with_told(self.m, *self.prescribed(u))

    def _plan_near(self, m: Mechanism, q: Any, u: Any) -> LoopPlan:
        if u is not None:
            m = with_told(m, *([float(x) for x in part] for part in self.prescribed(u)))
        return plan(m, close(Closure(m), np.array(q, dtype=float))[0])

    def acceleration(self, q: Vector, v: Vector, tau: Vector, u: Vector) -> list[Scalar]:
        m = self.told(u)
        return list(closed_forward(self._model(m, q), v, self._total(m, q, tau)))

    def outcome(self, q: Vector, v: Vector, u: Vector, push: Push) -> Outcome:
        m = self.told(u)
        return loop_outcome(self._model(m, q), v, replace(push, tau=self._total(m, q, push.tau)))

    def _total(self, m: Mechanism, q: Vector, tau: Vector) -> list[Scalar]:
        """Return the forces of all joints with the traction of the wheels."""
        total = list(tau[: m.nv])
        for wheel, force in zip(m.wheels, tau[m.nv :], strict=True):
            row = forward_row(m, wheel, q, [0] * m.nv, steering_of(m))
            total = [a + h * force for a, h in zip(total, row.H, strict=True)]
        return total

    def project(self, q: Vector, v: Vector, u: Vector) -> tuple[Vector, Vector, Scalar]:
        m, end = self.told(u), 2 * len(self.steering)
        q = m.normalised(q)
        for k, j in enumerate(Constraints.of(m).prescribed):
            q[m.coordinate_index[j]] = u[end + 3 * k]
        closed = closed_at(m, self.plan, q, 2 * Constraints.of(m).is_holonomic)
        return closed.q, closed.velocity(v), closed.trusted

    def alpha(self, q: Array, qd: Array, u: Array) -> Array:
        """Return the named speeds of many states; the rates where none are named."""
        if not self.m.speeds:
            return qd
        b = self.m.bound()
        steer = kane.steering(b, *self.prescribed([u[..., k] for k in range(u.shape[-1])]))
        columns = [q[..., k] for k in range(q.shape[-1])], [qd[..., k] for k in range(qd.shape[-1])]
        rows = kane.speed_rows(b, *columns, steer)
        found = [dot(r.H, columns[1]) for r in rows]
        return np.stack([np.broadcast_to(x, q.shape[:-1]) for x in found], axis=-1)

    def rates(self, q: Array, alpha: Array, u: Array, parameters: Any = None) -> Array:
        """Return the rates of all joints from the named speeds, nan where they do not decide."""
        given = [[float(x) for x in part] for part in self.prescribed([float(x) for x in u])]
        out = np.empty((len(q), self.m.nv))
        for k in range(len(q)):
            own = {n: x[k] if np.ndim(x) else x for n, x in (parameters or {}).items()}
            b = self.m.bound(own)
            try:
                out[k] = kane.reduction(b, q[k].tolist(), alpha[k].tolist(), *given).qd
            except ZeroDivisionError:
                out[k] = np.nan
        return out


def rolling(m: Mechanism, drives: Any, given: tuple[int, ...]) -> Rolling:
    """Return the system of a machine on wheels, some joints of which follow signals."""
    m = led_by(m, given)
    with suppress(RedundantConstraint):  # the plan leaves such rows out
        m = with_speeds(m)
    return Rolling(m, drives, planned(replace(m, active=(), checked=True)))
