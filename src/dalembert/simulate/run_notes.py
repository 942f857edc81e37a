"""What a simulation says of itself: of its law, its system, and limits that its motion leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..compute.model import unproven
from .job import Job

Array = np.ndarray


def run_notes(job: Job, out: Array, passed: Sequence[float]) -> tuple[str, ...]:
    """Return all notes: of the law at the first state, the system, the wrenches, the motion."""
    notes = getattr(job.kernels.law, "notes", None)
    first = out.reshape(-1, out.shape[-1])[:1] if out.size else out
    return (
        *(notes(job.m, first[0][: job.m.nq]) if notes and len(first) else ()),
        *job.kernels.system.notes,
        *job.kernels.wrenches.notes,
        *job.notes,
        *_singular(passed),
        *_unproven(job, out),
    )


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
