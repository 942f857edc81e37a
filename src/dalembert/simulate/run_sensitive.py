"""Sensitivities in a run: which columns there are, where they start, how they pass events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import UsageError
from ..expr.exact import to_float
from ..runtime.methods import STIFF
from .job import Case, Job
from .rolling import Rolling
from .sensitive import Way, event_slopes, ways_of

Array = np.ndarray
FIXED = ("rk4", "euler", "constant_acceleration")


def varied(parameters: Any, sensitivities: Any) -> list[str]:
    """Return the names that a simulation varies: they are parameters, whatever values they have."""
    given = list(parameters) if isinstance(parameters, Mapping) else []
    more = (sensitivities,) if isinstance(sensitivities, str) else sensitivities or ()
    if not isinstance(more, Iterable) or not all(isinstance(n, str) for n in more):
        raise UsageError("sensitivities are names", hint='sensitivities=["L1", "kp"]')
    return [*given, *more]


def followed(
    job: Job, states: Array, lead: tuple[int, ...], start: float, names: Any, method: str
) -> tuple[Job, Array]:
    """Return the job and its first states with a column of sensitivities for each name."""
    if not names:
        return job, states
    k = job.kernels
    if job.asked:
        raise UsageError(
            "sensitivities need derivatives of the forces, and a Python function has none",
            hint="give numbers, a table or a law of dalembert.control",
        )
    if isinstance(k.system, Rolling) or k.wrenches.functions or method in STIFF:
        what = f"method={method!r}" if method in STIFF else "wheels and functions of wrenches"
        raise UsageError(
            f"{what}: no sensitivities are computed there", hint="methods: dop853, rosenbrock, rk4"
        )
    if k.dry_joints and method in FIXED:
        raise UsageError(
            f"sensitivities with {method} and joints that stick",
            hint='method="dop853" finds when they stick; or drives="inertia"',
        )
    ways = ways_of(job.m, k.law, names)
    own = [w.name for w in ways if not w.settings]
    asked = tuple(sorted({*k.parameters, *(set(own) - set(job.m.open_parameters))}))
    values = {n: float(to_float(job.m.values[n])) for n in own if n in job.m.values}
    given = {**values, **job.parameters}
    made = replace(job, kernels=replace(k, ways=ways, parameters=asked), parameters=given)
    wide = np.concatenate([states, np.zeros((len(states), states.shape[1] * len(ways)))], axis=1)
    return made, _started(made, wide, lead, start)


def _started(job: Job, wide: Array, lead: tuple[int, ...], start: float) -> Array:
    """Return first states on the closure: where loops close depends on lengths."""
    if job.kernels.project() is None or not len(wide):
        return wide
    p = np.zeros(job.kernels.rhs().inputs[3].size)
    return Case(job, p, job.parameter_rows(lead)).closed(wide, start)


def event_times(
    job: Job, table: Any, which: int, driver: Any, x: Array, t: float
) -> dict[str, float]:
    """Return ∂(time of an event)/∂name for each sensitivity."""
    ways: tuple[Way, ...] = job.kernels.ways
    if not ways:
        return {}
    kernel = job.kernels.events(table.functions, table.key, "tangent events")
    slopes = event_slopes(job, kernel, which, driver.inputs(x, t), driver.parameters)
    return {w.name: float(s) for w, s in zip(ways, slopes, strict=True)}


def through_jump(
    job: Job, driver: Any, before: Array, after: Array, t: float, settings: tuple[Array, Array]
) -> Array:
    """Return the state after joints stuck or slipped, its columns as the jump leaves them."""
    k, n = job.kernels, job.kernels.size
    old, new = settings
    count = len(k.dry_joints)
    changed = np.flatnonzero(old[-count:] != new[-count:])
    if not len(changed):
        return after
    _, at, u, _ = driver.inputs(before, t)
    slopes = event_slopes(job, k.guards("tangent guards"), int(changed[0]), (before, at, u, old),
                          driver.parameters)  # fmt: skip
    slopes = np.where(np.isfinite(slopes), slopes, 0.0)  # a guard that only touches moves nothing
    f = [np.asarray(k.rhs()(before, at, u, p, parameters=driver.parameters)) for p in (old, new)]
    columns = before.copy()
    columns[:n] = after[:n]
    for c, slope in enumerate(slopes, 1):
        columns[n * c : n * (c + 1)] += (f[0][:n] - f[1][:n]) * slope
    return columns
