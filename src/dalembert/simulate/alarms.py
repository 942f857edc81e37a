"""Alarms of laws: events and notes where a motion is not the one that a law is made for.

A law of steering that is driven against its path, or whose trailers fold, goes on without an error;
the motion is true, and of no use.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .events import Function
from .job import Job
from .result import Event
from .steered import Steered

Array = np.ndarray
ROUNDING = 1e-9


def alarms(job: Job) -> dict[str, tuple[Function, str]]:
    """Return the alarms of a job by name: a function f(t, q, qd), negative there, and a hint."""
    own, found = job.kernels.system, dict[str, tuple[Function, str]]()
    for bodies, law in own.laws if isinstance(own, Steered) else ():
        told = getattr(law, "alarms", None)
        if told is not None:
            places = [job.m.coordinate_index[j] for j in bodies]
            found |= {name: (f, hint) for name, f, hint in told(places)}
    return found


def alarm_notes(job: Job, times: Array, out: Array, events: Sequence[Event]) -> list[str]:
    """Return a note for each alarm of a motion, from the time when it is first seen."""
    notes, found = list[str](), alarms(job)
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
