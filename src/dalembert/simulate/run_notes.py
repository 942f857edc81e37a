"""What a simulation says of itself: what it counts, its law and system, what its motion meets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..compute.counted import counted
from ..compute.model import unproven
from ..errors import shown
from ..mechanism.limits import limit_letters
from .alarms import alarms
from .events import EventTable, limit_functions
from .job import Job
from .passed import at_numbers
from .result import Event

Array = np.ndarray
ROUNDING = 1e-9  # by which an alarm must be passed


def run_notes(
    job: Job, times: Array, out: Array, passed: Sequence[float], events: Sequence[Event],
    table: EventTable,
) -> tuple[str, ...]:  # fmt: skip
    """Return all notes: of the law at the first state, the system, the wrenches, the motion."""
    notes = getattr(job.kernels.law, "notes", None)
    first = out.reshape(-1, out.shape[-1])[:1] if out.size else out
    return (
        *counted(job.m, job.kernels.system.drives),
        *(notes(job.m, first[0][: job.m.nq]) if notes and len(first) else ()),
        *job.kernels.system.notes,
        *job.kernels.wrenches.notes,
        *job.notes,
        *_started_beyond(job, out, table),
        *_open_limits(job),
        *_singular(passed),
        *_unproven(job, out),
        *_alarmed(job, times, out, events),
    )


def _started_beyond(job: Job, out: Array, table: EventTable) -> tuple[str, ...]:
    """Return notes on joints that are beyond a limit at the start, or leave it at once.

    There is no event then: nothing changes its sign.
    """
    told = []
    rows = out.reshape(-1, *out.shape[-2:]) if out.size else np.zeros((0, 1, 0))
    for name, (_, (k, limit, sign)) in limit_functions(at_numbers(job.m, job.parameters)):
        if name not in table.functions:
            continue
        room, least = sign * (rows[:, :2, k] - limit), ROUNDING * max(1.0, abs(limit))
        if ((room[:, 0] <= least) & (room < -least).any(axis=1)).any():
            told.append(f"{name}, {limit:.6g}: the motion starts at it or beyond, without an event")
    return tuple(told)


def _open_limits(job: Job) -> tuple[str, ...]:
    """Return a note where limits have several values, so that no event can watch them."""
    several = {n for n, x in job.parameters.items() if np.ndim(x)}
    found = sorted(several & limit_letters(job.m))
    if not found:
        return ()
    names = ", ".join(map(shown, found[:8]))
    return (f"limits that depend on {names} are not watched: there are several values",)


def _singular(passed: Sequence[float]) -> tuple[str, ...]:
    """Return a note where the motion runs through singular poses of the loops."""
    times = list(dict.fromkeys(f"{t:.3g}" for t in sorted(passed)))
    if not times:
        return ()
    told = ", ".join(times[:6]) + ", ..." * (len(times) > 6)
    return (
        f"the motion comes close to a singular pose of its constraints near t = {told} s, where it "
        "could go on in several ways: the velocity, and so the branch, is kept",
    )


def _unproven(job: Job, out: Array) -> tuple[str, ...]:
    """Return notes where states leave the limits of pruned equations, of the plant or a law."""
    m = job.m
    told: dict[str, None] = {}
    for own in (job.kernels.system, job.kernels.law):
        model = getattr(own, "model", None)
        if model is not None and model.form is not None:
            at = [m.joint_names.index(n) for n in model.joint_names]
            q, qd = out[..., : m.nq], out[..., m.nq : m.nq + m.nv]
            told |= dict.fromkeys(unproven(model, (q[..., at], qd[..., at])))
    return tuple(told)


def _alarmed(job: Job, times: Array, out: Array, events: Sequence[Event]) -> list[str]:
    """Return a note for each alarm of a motion, from the time when it is first seen."""
    ended, found = getattr(job.kernels.law, "ended", None), alarms(job)
    notes = list(filter(None, [ended(float(times[-1])) if ended and len(times) else ""]))
    if not found or not out.size:
        return notes
    nq, n = job.m.nq, job.kernels.size
    rows = out.reshape(-1, len(times), out.shape[-1])
    q, qd = ([rows[..., k] for k in range(*ends)] for ends in ((0, nq), (nq, n)))
    for name, (f, hint) in found.items():
        bad = np.broadcast_to(f(times, q, qd), rows.shape[:2]) < -ROUNDING
        first = [float(times[k]) for k in np.flatnonzero(bad.any(axis=0))[:1]]
        first += [e.time for e in events if e.name == name]
        if first:
            notes.append(f"{name} at t = {min(first):.4g} s: {hint}")
    return notes
