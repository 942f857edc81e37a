"""The lowest natural frequency of many designs: springs against inertia at one pose."""

from __future__ import annotations

import numpy as np

from ..compute import evaluate
from ..mechanism import Mechanism

Array = np.ndarray


def lowest_frequency(m: Mechanism, designs: dict[str, Array], q: Array) -> Array:
    """Return the lowest frequency in Hz of small motions about q at rest, motors free.

    K = ∂(springs and gravity)/∂q, M = ∂τ/∂q̈; NaN where no motion is drawn back.
    """
    count = len(next(iter(designs.values())))
    pose = np.broadcast_to(q, (count, m.nq))
    rest = np.zeros((count, m.nv))
    made = evaluate(m, "inverse_dynamics_derivatives", pose, rest, rest, parameters=designs,
                    check=False)  # fmt: skip
    K, M = np.asarray(made[0]), np.asarray(made[2])
    w = np.linalg.eigvals(np.linalg.solve(M, (K + K.transpose(0, 2, 1)) / 2)).real
    w = np.where(w > 1e-9 * np.abs(w).max(axis=1, keepdims=True), w, np.nan)
    with np.errstate(all="ignore"):
        lowest = np.nanmin(np.where(np.isfinite(w), w, np.inf), axis=1)
    return np.where(np.isfinite(lowest), np.sqrt(lowest) / (2 * np.pi), np.nan)
