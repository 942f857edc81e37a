"""Notes on starts that a machine on wheels cannot take: what was changed, and by how much."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import shown
from .job import Job
from .rolling import Rolling
from .timed import numbers_of

Array = np.ndarray


def changed(job: Job, q0: Any, qd0: Any, states: Array, lead: tuple[int, ...]) -> Job:
    """Return the job with a note where coordinates or rates were given that break constraints."""
    m, own = job.m, job.kernels.system
    if not isinstance(own, Rolling):
        return job
    job = _moved(job, own, q0, states, lead)
    if qd0 is None or np.shape(qd0)[-1:] != (m.nv,):
        return job
    asked = np.broadcast_to(numbers_of("qd0", qd0), (*lead, m.nv)).reshape(-1, m.nv)
    gap = np.abs(states[:, m.nq : m.nq + m.nv] - asked).max(axis=0, initial=0.0)
    if gap.max(initial=0.0) <= 1e-6 * (1 + np.abs(asked).max(initial=0.0)):
        return job
    k = int(gap.argmax())
    note = f"qd0 breaks the constraints: {shown(m.rate_names[k])} is changed by {gap[k]:.3g}"
    return replace(job, notes=(*job.notes, note))


def _moved(job: Job, own: Rolling, q0: Any, states: Array, lead: tuple[int, ...]) -> Job:
    """Return the job with a note where q0 misses constraints of position, and was moved."""
    m = job.m
    if q0 is None:
        return job
    asked = np.broadcast_to(numbers_of("q0", q0), (*lead, m.nq)).reshape(-1, m.nq)
    asked = np.stack(m.normalised([asked[:, k] for k in range(m.nq)]), axis=-1)
    gap = np.abs(states[:, : m.nq] - asked).max(axis=0, initial=0.0)
    gap[[m.coordinate_index[j] for j in own.given]] = 0.0  # these start as prescribed
    if gap.max(initial=0.0) <= 1e-6 * (1 + np.abs(asked).max(initial=0.0)):
        return job
    k = int(gap.argmax())
    note = f"q0 breaks the constraints: {shown(m.coordinate_names[k])} is changed by {gap[k]:.3g}"
    return replace(job, notes=(*job.notes, note))
