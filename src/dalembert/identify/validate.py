"""Validation by simulation: the identified model moves under the forces that were measured.

From measured states at the start of short windows the model is integrated under the measured
forces; how far it drifts from the measured motion says more than a residual of forces does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compute import evaluate
from ..errors import UsageError
from ..mechanism import Mechanism

Array = np.ndarray
WINDOWS = 40
PARTS = 4  # of the time between two samples
SLOW = 1e-2  # speed below which dry friction is rounded off


@dataclass(frozen=True, eq=False)
class Validation:
    """How far simulated motions end from the measured one, RMS of each joint over all windows."""

    joints: tuple[str, ...]
    window: float
    identified: Array
    nominal: Array
    moved: Array  # RMS of how far the joints went in a window

    def __repr__(self) -> str:
        rows = [f"<Validation: simulated for {self.window:g} s from measured states>"]
        for n, a, b, c in zip(self.joints, self.identified, self.nominal, self.moved, strict=True):
            rows.append(f"  {n}: off by {a:.3g} (nominal {b:.3g}) of {c:.3g} moved")
        return "\n".join(rows)


def validate(f: Any, window: float = 0.25) -> Validation:
    """Return the drift of the identified and the nominal model over windows held out."""
    d, m = f.motion, f.mechanism
    if m.nq != m.nv or m.loops or m.wheels or m.velocity_constraints or d.tau is None:
        raise UsageError(
            "validation by simulation is for trees of joints with one coordinate each",
            hint="f.r_squared judges the forces",
        )
    step = float(np.median(np.diff(d.t)))
    count = max(2, round(window / step))
    whole = d.valid & np.isfinite(d.tau).all(axis=1)
    first = f.equations.held_from if len(d) - f.equations.held_from > 4 * count else 0
    starts = [k for k in range(first, len(d) - count - 1, max(1, count // 2))
              if whole[k : k + count + 1].all()]  # fmt: skip
    if not starts:
        raise UsageError(f"no window of {window:g} s is whole", hint="a shorter window")
    starts = [starts[int(k)] for k in np.unique(np.linspace(0, len(starts) - 1, WINDOWS).round())]
    at = np.array(starts)
    ends = d.q[at + count]

    def off(model: Mechanism) -> Array:
        q = _simulated(model, d, at, count, step)
        return np.sqrt(np.nanmean((q - ends) ** 2, axis=0))

    moved = np.sqrt(np.mean((ends - d.q[at]) ** 2, axis=0))
    return Validation(m.rate_names, count * step, off(m), off(f.nominal), moved)


def _simulated(m: Mechanism, d: Any, at: Array, count: int, step: float) -> Array:
    """Return where all windows end, under the measured forces between samples.

    Friction is taken at the end of each part of a step, as F(q̇)/q̇ times the new speed: light wrists
    with much friction are stiff.
    """
    q, qd = d.q[at].copy(), d.qd[at].copy()
    h = step / PARTS
    rest = np.zeros_like(qd)

    def force(kind: str, v: Array) -> Array:
        made = evaluate(m, "inverse_dynamics", q, v, rest, drives=kind, check=False)
        return np.asarray(made)

    for k in range(count * PARTS):
        s = (k + 0.5) / PARTS
        at_k, part = at + int(s), s - int(s)
        tau = (1 - part) * d.tau[at_k] + part * d.tau[at_k + 1]
        slide = np.where(qd < 0, -1.0, 1.0) * np.maximum(np.abs(qd), SLOW)
        drag = np.abs(force("all", slide) - force("inertia", slide)) / np.abs(slide)
        M = np.asarray(evaluate(m, "mass_matrix", q, drives="inertia", check=False))
        push = np.einsum("nij,nj->ni", M, qd) + h * (tau - force("inertia", qd))
        soft = M + h * drag[:, :, None] * np.eye(m.nv)
        new = np.linalg.solve(soft, push[..., None])[..., 0]
        q, qd = q + h / 2 * (qd + new), new
    return q
