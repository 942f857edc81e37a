"""Notes on starts that loops or wheels do not allow: what was changed, and by how much."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import shown
from .job import Job
from .rolling import Rolling
from .systems import Closed
from .timed import numbers_of

Array = np.ndarray
BREAKS = "breaks the constraints"


def changed(job: Job, q0: Any, qd0: Any, states: Array, lead: tuple[int, ...]) -> Job:
    """Return the job with a note where coordinates or rates were given that break constraints."""
    m, own = job.m, job.kernels.system
    if not isinstance(own, Rolling | Closed):
        return job
    job = _moved(job, own, q0, states, lead)
    # the rates of a closed machine follow those that lead: they are often given alone
    if isinstance(own, Closed) or qd0 is None or np.shape(qd0)[-1:] != (m.nv,):
        return job
    asked = np.broadcast_to(numbers_of("qd0", qd0), (*lead, m.nv)).reshape(-1, m.nv)
    gap = np.abs(states[:, m.nq : m.nq + m.nv] - asked).max(axis=0, initial=0.0)
    if gap.max(initial=0.0) <= 1e-6 * (1 + np.abs(asked).max(initial=0.0)):
        return job
    k = int(gap.argmax())
    note = f"qd0 {BREAKS}: {shown(m.rate_names[k])} is changed by {gap[k]:.3g}"
    return replace(job, notes=(*job.notes, note))


def _moved(job: Job, own: Rolling | Closed, q0: Any, states: Array, lead: tuple[int, ...]) -> Job:
    """Return the job with a note where q0 misses constraints of position, and was moved."""
    m = job.m
    if q0 is None:
        return job
    asked = np.broadcast_to(numbers_of("q0", q0), (*lead, m.nq)).reshape(-1, m.nq)
    asked = np.stack(m.normalised([asked[:, k] for k in range(m.nq)]), axis=-1)
    gap = np.abs(states[:, : m.nq] - asked).max(axis=0, initial=0.0)
    gap[[m.coordinate_index[j] for j in own.given]] = 0.0  # these start as prescribed
    # loops are closed again after a pose was rounded: only what is more than that is told
    small, what = (1e-3, "leaves loops open") if isinstance(own, Closed) else (1e-6, BREAKS)
    if gap.max(initial=0.0) <= small * (1 + np.abs(asked).max(initial=0.0)):
        return job
    k = int(gap.argmax())
    note = f"q0 {what}: {shown(m.coordinate_names[k])} is changed by {gap[k]:.3g}"
    return replace(job, notes=(*job.notes, note))
