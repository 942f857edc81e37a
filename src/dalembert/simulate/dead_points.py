"""Laws that ask a model for motor forces are watched where the motors are at a dead point.

There the motors do not move the machine for an instant, and the forces that a model asks of them
have no bound. A law with limits goes through; one without is refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.loop_closure import loop_jacobian
from ..compute.designs import with_numbers
from ..errors import SingularPose
from ..expr import Scalar, where
from ..joint import Vector
from ..linalg import exchanged_pivots, pivot_ratio
from ..mechanism import Mechanism
from ..plan import LoopPlan
from ..plan.assembly import Closure
from ..plan.elimination import null_space
from .events import EventTable
from .job import Job
from .result import Event
from .rolling import Rolling

DEAD = "the motors pass a dead point"
NEAR = 0.02  # share of the motors in a motion below which they are said to be at a dead point


def with_dead_points(job: Job, table: EventTable) -> EventTable:
    """Return the events with that of the motors, where a law asks a model of loops for forces."""
    m, plan = _closed(job), _plan(job)
    if m is None or plan is None:
        return table

    def passed(t: Any, q: Vector, qd: Vector) -> Any:
        return side(m, plan, q)

    key = None if table.key is None else (table.key, DEAD, repr(plan))
    return replace(table, functions={**table.functions, DEAD: passed}, key=key)


def side(m: Mechanism, plan: LoopPlan, q: Vector) -> Scalar:
    """Return a number that changes its sign where the dependent joints do not follow the motors.

    Gosselin and Angeles (1990), type 2. The determinant of the planned equations has that sign.
    """
    J = loop_jacobian(m, q)
    A = [[J[r][k] for k in plan.dependent] for r in plan.rows]
    sign: Scalar = 1
    for pivot, exchanged in exchanged_pivots(A):
        for turns in (*exchanged, pivot < 0):
            sign = where(turns, -sign, sign)
    return sign * pivot_ratio(A)


def _plan(job: Job) -> LoopPlan | None:
    """Return how the law solves the loops; None where its forces do not depend on it."""
    law: Any = job.kernels.law
    plan = getattr(law, "plan", None)
    # spare motors have dead points together only; what no motor moves is not asked of them
    if plan is None or not law.asks or plan.spare_motors or not plan.rows:
        return None
    return plan  # type: ignore[no-any-return]


def _closed(job: Job) -> Mechanism | None:
    """Return the machine in numbers; None where its equations know more than the pose."""
    own = job.kernels.system
    if isinstance(own, Rolling) and (own.timed or own.signals):
        return None
    if any(np.ndim(v) for v in job.parameters.values()):
        return None
    m = with_numbers(job.m, job.parameters)
    return None if m.open_parameters else m.bound()


def share(job: Job, q: Any) -> float:
    """Return the smallest share that the motors have in the motions of a pose; 1 if not watched."""
    m, plan = _closed(job), _plan(job)
    if m is None or plan is None or not np.isfinite(q).all():
        return 1.0
    N = null_space(Closure(m).jacobian(np.asarray(q, dtype=float)))
    led = np.linalg.svd(N[list(plan.independent)], compute_uv=False)
    return float(led[-1]) if len(led) else 1.0


def passed(job: Job, events: list[Event], told: bool = True) -> list[Event]:
    """Return the events without those that only the plan met; refuse a law without limits."""
    kept = [e for e in events if e.name != DEAD or share(job, e.q) < NEAR]
    law: Any = job.kernels.law
    if len(kept) == len(events) and all(e.name != DEAD for e in kept):
        return events
    for e in kept:
        if e.name == DEAD and law.limit is None:
            raise refused(job, e.time)
    return [e for e in kept if told or e.name != DEAD]


def hint(job: Job) -> str:
    """Return a hint on dead points for a motion that stopped, if its law may meet one."""
    if _plan(job) is None:
        return ""
    return "; or the motors met a dead point, where the forces of this law have no bound"


def refused(job: Job, t: float) -> SingularPose:
    """Return the error of a law whose motors are at a dead point."""
    return SingularPose(
        f"{DEAD} at t = {t:.9g} s, where {type(job.kernels.law).__name__} asks for forces without "
        "bound",
        hint="limit=... bounds its forces; or name other active joints, or keep away from there",
        command="name other active joints, or keep away from there",
    )
