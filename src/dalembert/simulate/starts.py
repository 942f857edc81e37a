"""Where a motion starts: states as they are given, brought to where the machine can be.

Loops are closed from the motors, or from the joints that follow signals; a machine on wheels is
moved to where its constraints hold, and what was changed is noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.closed_kinematics import closed_at
from ..algorithms.loop_closure import closure
from ..compute import evaluate, neutral
from ..compute.rotations import ROUGH, check_quaternions
from ..errors import ComputationError, UsageError, shown
from ..mechanism import Mechanism
from ..plan import planned
from ..plan.assembly import assemble
from ..plan.kane import explain
from .job import Job
from .result import column_names
from .rolling import Rolling
from .systems import Closed, Planned

Array = np.ndarray
Lead = tuple[int, ...]  # the leading dimensions of states
CHANGED = 1e-6  # of the largest number given: what differs by more is noted
ROUNDED = 1e-3  # the same of poses that loops close again
BREAKS = "breaks the constraints"

# states next to their closure are closed in floats, so that nothing is compiled
FEW = 4  # states
NEAR = 1e-6  # of a residual that Newton's two steps close
CLOSED = 1e-12
FIRM = 1e-3  # pivot ratio above which the plan of the motors is beyond doubt


def started(job: Job, q0: Any, qd0: Any, start: float) -> tuple[Job, Array, Lead]:
    """Return the job, its initial states as rows, and the leading dimensions they stand for."""
    job = _planned_at_given(job, q0, start)
    own, m = job.kernels.system, job.m
    q, v = _given(job, q0, qd0)
    shapes = [np.shape(x) for x in job.parameters.values()]
    lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], job.settings.shape[:-1], *shapes)
    q, v = np.broadcast_to(q, (*lead, m.nq)), np.broadcast_to(v, (*lead, v.shape[-1]))
    q = _normalised(m, q)
    if isinstance(own, Closed):
        q, v = _closed(job, own, q, v, start)
    if isinstance(own, Rolling):
        q, v = _on_wheels(job, own, q, v, start, lead)
    x = np.concatenate([q, v], axis=-1).reshape(-1, m.nq + own.speeds)
    if own.projected and not isinstance(own, Planned) and len(x):
        x = _settled(job, x, start, job.parameter_rows(lead))
    return _with_changes_noted(job, q0, qd0, x, lead), np.ascontiguousarray(x), lead


def planned_there(job: Job, state: Array, t: float, method: str) -> Job:
    """Return the job with its loops planned where it starts."""
    if not isinstance(job.kernels.system, Planned) or not len(state):
        return job
    first = {k: np.ravel(v)[0] for k, v in job.parameters.items()} or None
    return job.renewed(state, t, first, method)


# -- what is given -----------------------------------------------------------------------------


def numbers_of(name: str, values: Any) -> Array:
    """Return values as an array of numbers, or raise UsageError."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(
            f"{name} does not hold numbers alone: {values!r}"[:200],
            hint="give a number, a list or an array",
        ) from None


def times_of(t: Any) -> Array:
    """Return increasing times from those given, or from the end time alone."""
    times = numbers_of("t", t)
    if not np.isfinite(times).all():
        raise UsageError(
            "t holds a time that is not finite", hint="write t=5.0", command="write --time 5"
        )
    if times.ndim == 0:
        times = np.linspace(0.0, float(times), 201)
    if times.ndim != 1 or len(times) < 1 or not (np.diff(times) > 0).all():
        raise UsageError(
            "t must be the end time or increasing times",
            hint="write t=5.0 or t=[0.0, 0.1, 0.2]",
            command="write --time 5",
        )
    return times


def _given(job: Job, q0: Any, qd0: Any) -> tuple[Array, Array]:
    """Return coordinates and rates, or named speeds of a machine on wheels, their sizes checked."""
    own, m = job.kernels.system, job.m
    q = numbers_of("q0", _rest(job) if q0 is None else q0)
    v = numbers_of("qd0", np.zeros(own.speeds) if qd0 is None else qd0)
    count = own.speeds
    if isinstance(own, Rolling) and v.shape[-1:] != (m.nv,):
        count = len(m.speeds) if m.speeds or v.shape[-1:] == (0,) else own.speeds
    for what, value, size in (("q0", q, m.nq), ("qd0", v, count)):
        if value.ndim == 0 or value.shape[-1] != size:
            kind = "speeds" if count != m.nv and what == "qd0" else "joints"
            raise UsageError(
                f"{what} has shape {value.shape}, expected (..., {size})",
                hint=f"one number for each of the {kind}: {', '.join(_entries(job, what)[:20])}",
            )
        if not np.isfinite(value).all():
            raise UsageError(f"{what} holds a number that is not finite", hint="look for nan, inf")
    check_quaternions(m, "simulate", q, ROUGH)
    return q, v


def _rest(job: Job) -> Array:
    """Return the pose where a motion starts when none is given: rest, with its loops closed."""
    m = job.m
    if not isinstance(job.kernels.system, Closed):
        return neutral(m)
    return assemble(m, parameters=job.parameters or None)


def _entries(job: Job, what: str) -> list[str]:
    """Return the names of the entries of q0 or qd0."""
    own, m = job.kernels.system, job.m
    if what == "qd0" and (own.speeds != m.nv or (isinstance(own, Rolling) and m.speeds)):
        return [shown(name) for name in m.speeds] or [f"{own.speeds} in all"]
    return [shown(name.partition(".")[2]) for name in column_names(m, what[:-1])]


def _normalised(m: Mechanism, q: Array) -> Array:
    """Return coordinates with unit quaternions."""
    return np.stack(m.normalised([q[..., k] for k in range(m.nq)]), axis=-1)


def _with_changes_noted(job: Job, q0: Any, qd0: Any, states: Array, lead: Lead) -> Job:
    """Return the job with notes on what loops or wheels do not allow as it was given."""
    m, own = job.m, job.kernels.system
    # loops are closed again after a pose was rounded: only what is more than that is told
    closed = isinstance(own, Closed)
    small = ROUNDED if closed else CHANGED
    notes, q, v = [], states[:, : m.nq], states[:, m.nq : m.nq + m.nv]
    for what, given, names, made, place, why in (
        ("q0", q0, m.coordinate_names, q, m.coordinate_index,
         "leaves loops open" if closed else BREAKS),
        ("qd0", qd0, m.rate_names, v, m.velocity_index, "would open loops" if closed else BREAKS),
    ):  # fmt: skip
        size = len(names)
        if given is None or np.shape(given)[-1:] != (size,):
            continue
        asked = np.broadcast_to(numbers_of(what, given), (*lead, size)).reshape(-1, size)
        asked = _normalised(m, asked) if what == "q0" else asked
        off, least = np.abs(made - asked), 1 + np.abs(asked).max(initial=0.0)
        led = [place[j] for j in own.given]
        notes += _led_notes(what, names, led, np.where(asked != 0, off, 0.0), small * least, made)
        if what == "qd0" and closed:
            off = np.where(asked != 0, off, 0.0)  # the rates that lead are often given alone
        gap = off.max(axis=0, initial=0.0)
        gap[led] = 0.0
        if isinstance(own, Planned) and gap.max(initial=0.0) > small * least:
            k = int(gap.argmax())
            notes.append(f"{what} {why}: {shown(names[k])} is changed by {gap[k]:.3g}")
    return replace(job, notes=(*job.notes, *notes))


def _led_notes(
    what: str, names: Sequence[str], led: Sequence[int], off: Array, small: float, made: Array
) -> list[str]:
    """Return notes on prescribed joints that do not start as given; a zero is not given."""
    notes = []
    for k in led:
        if off[:, k].max(initial=0.0) > small:
            row = int(off[:, k].argmax())
            notes.append(
                f"{what}: {shown(names[k])} starts as its motion prescribes, {made[row, k]:.6g}"
            )
    return notes


# -- closed loops ------------------------------------------------------------------------------


def _closed(job: Job, own: Closed, q: Array, v: Array, start: float) -> tuple[Array, Array]:
    """Return states on the closure, from the motors or from the joints that follow signals."""
    given, u = job.parameters or None, job.led(start)
    m = own.led if own.given else own.m
    q, v = q.copy(), v.copy()
    for k, j in enumerate(own.given):
        q[..., m.coordinate_index[j]] = u[3 * k]
        v[..., m.velocity_index[j]] = u[3 * k + 1]
    found = near_closure(m, q, v) if given is None else None
    if found is not None:
        return found
    q = evaluate(m, "assembly", q, parameters=given)
    if not v.any():  # at rest
        return q, v
    return q, evaluate(m, "tree_motion", q, v, np.zeros_like(v), parameters=given)[0]


def near_closure(m: Mechanism, q: Array, v: Array) -> tuple[Array, Array] | None:
    """Return states with their loops closed, from the motors; None where kernels must decide.

    A start that is given is most often an assembled pose.
    """
    if m.open_parameters or q[..., 0].size > FEW:
        return None
    plan, bound = planned(m), m.bound()
    size = max(1.0, *map(abs, plan.row_sizes))

    def gap(at: Any) -> float:
        return max((abs(float(x)) for x in closure(bound, at)), default=0.0)

    made_q, made_v = [], []
    for own_q, own_v in zip(q.reshape(-1, m.nq), v.reshape(-1, m.nv), strict=True):
        if not gap(own_q.tolist()) <= NEAR * size:
            return None
        try:
            found = closed_at(bound, plan, own_q.tolist(), 2)
        except ZeroDivisionError:  # a singular pose: the kernels say which loop
            return None
        if not (gap(found.q) <= CLOSED * size and float(found.trusted) > FIRM):
            return None
        made_q.append([float(x) for x in found.q])
        made_v.append([float(x) for x in found.velocity(own_v.tolist())])
    return np.array(made_q).reshape(q.shape), np.array(made_v).reshape(v.shape)


# -- wheels ------------------------------------------------------------------------------------


def _planned_at_given(job: Job, q0: Any, start: float) -> Job:
    """Return the job of a machine on wheels planned at the pose where it starts."""
    if not isinstance(job.kernels.system, Rolling):
        return job
    q = numbers_of("q0", _rest(job) if q0 is None else q0)
    if q.ndim == 0 or q.shape[-1] != job.m.nq or not q.size or job.m.open_parameters:
        return job  # `_given` refuses a wrong q0
    return job.planned_at(q.reshape(-1, job.m.nq)[0], job.led(start))


def _on_wheels(
    job: Job, own: Rolling, q: Array, v: Array, start: float, lead: Lead
) -> tuple[Array, Array]:
    """Return poses and rates of all joints that the constraints allow."""
    m = job.m
    given = job.parameter_rows(lead)
    rest = np.concatenate([q, np.zeros((*lead, m.nv))], axis=-1).reshape(-1, m.nq + m.nv)
    x = _settled(job, rest, start, given) if len(rest) else rest
    if v.shape[-1] == m.nv:
        x[:, m.nq :] += v.reshape(-1, m.nv)
    elif np.any(v):
        u = job.led(start)
        x[:, m.nq :] = own.rates(x[:, : m.nq], v.reshape(-1, v.shape[-1]), u, given)
        bad = np.argwhere(~np.isfinite(x).all(axis=1))
        if len(bad):
            angles = [float(y) for y in own.prescribed(list(u))[0]]
            explain(m, x[int(bad[0][0]), : m.nq].tolist(), angles, " at the start")
    x = _settled(job, x, start, given) if len(x) else x
    return x[:, : m.nq].reshape(*lead, m.nq), x[:, m.nq :].reshape(*lead, m.nv)


def _settled(job: Job, x: Array, start: float, parameters: Any) -> Array:
    """Return states where they must lie: prescribed joints at their motion, positions as held."""
    project, u, p = job.kernels.project(), job.told(start), np.zeros(job.kernels.data)
    for _ in range(30):
        found = project(x, [start], u, p, parameters=parameters)[0]
        moved, x = np.abs(found - x).max(), found
        if moved <= 1e-12 * (1 + np.abs(x).max()):
            return x
    raise ComputationError(
        "no coordinates near q0 fulfil the constraints of position",
        hint="q0 should lie near a pose at which loops close and equations f(q) = 0 hold",
    )
