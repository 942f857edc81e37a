"""Error bands of forces: noise of the motion and doubt about parameters, by exact derivatives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..compute import compile, evaluate
from ..errors import UsageError
from ..measure.motion import MeasuredMotion, gap_lines
from ..measure.spread import Spread
from ..mechanism import is_closed
from .torque_result import Torques

Array = np.ndarray
BLOCK = 256  # samples whose derivatives are held at once: they stay in the processor's cache
HELD = 32 * BLOCK  # samples whose spread is held at once


def with_bands(
    made: Torques, data: MeasuredMotion | None, index: list[int], whole: Array, wrench: Any,
    drives: Any, uncertainty: Any,
) -> Torques:  # fmt: skip
    """Return the forces with their standard deviation."""
    notes, forces = made.notes, None
    if data is not None:
        notes = (*made.notes, *data.notes, *gap_lines(data.gaps))
        forces = None if data.tau is None else data.tau[:, index]
    rows = np.flatnonzero(whole)
    square = np.zeros((len(rows), made.tau.shape[1]))
    known = False
    if data is not None and data.spread is not None and not is_closed(made.m):
        square += of_noise(made, data.spread, rows, wrench, drives)
        known = True
    if uncertainty is not None:
        square += of_parameters(made, rows, uncertainty)
        known = True
    if not known:
        return replace(made, measured=forces, notes=notes)
    band = np.full_like(made.tau, np.nan)
    band[rows] = np.sqrt(square)
    return replace(made, band=band, measured=forces, notes=notes)


def of_noise(made: Torques, spread: Spread | Array, rows: Array, wrench: Any, drives: Any) -> Array:
    """Return the variance of forces from that of q, q̇ and q̈ of each joint: (samples, forces)."""
    kind = "none" if drives == "none" else "inertia"
    name, n = "inverse_dynamics_derivatives", made.m.nv
    kernel = None if wrench is not None else compile(made.m, name, drives=kind)
    out = np.empty((len(rows), n))
    held = tuple(np.empty((BLOCK, n, n)) for _ in range(3))
    for k in range(0, len(rows), BLOCK):
        some = rows[k : k + BLOCK]
        if k % HELD == 0:
            own = spread[rows[k : k + HELD]]
        state = made.q[some], made.qd[some], made.qdd[some]
        if kernel is not None and len(some) == BLOCK:
            kernel(*state, out=held)
            slopes = held
        else:
            given = {} if wrench is None else {"wrench_on_environment": _slice(wrench, k, some)}
            slopes = evaluate(made.m, name, *state, drives=kind, **given)
        out[k : k + BLOCK] = _squared(slopes, own[k % HELD : k % HELD + BLOCK])
    return out


def _squared(slopes: Any, spread: Array) -> Array:
    """Return Σ_j s_ijᵀ P_j s_ij, s the derivatives by q, q̇ and q̈, P their covariance."""
    A, B, M = slopes
    P = spread[:, None]
    by_q = A * P[..., 0, 0]
    by_q += 2 * P[..., 0, 1] * B
    by_q += 2 * P[..., 0, 2] * M
    by_qd = B * P[..., 1, 1]
    by_qd += 2 * P[..., 1, 2] * M
    total = np.einsum("sij,sij->si", by_q, A) + np.einsum("sij,sij->si", by_qd, B)
    return np.asarray(total + np.einsum("sij,sij,sj->si", M, M, spread[..., 2, 2]))


def of_parameters(made: Torques, rows: Array, f: Any) -> Array:
    """Return the variance of forces from that of identified parameters: Y C Yᵀ, row by row."""
    if not (hasattr(f, "fit") and hasattr(f, "equations")):
        raise UsageError("uncertainty is what identify gave", hint="uncertainty=da.identify(m, d)")
    u, seen = f.equations.unknowns, list(f.fit.seen)
    if u.m.coordinate_names != made.m.coordinate_names:
        raise UsageError("uncertainty is that of another mechanism", hint="f.mechanism")
    values, vectors = np.linalg.eigh(f.fit.covariance)
    L = vectors * np.sqrt(np.maximum(values, 0.0))
    out = np.empty((len(rows), made.tau.shape[1]))
    for k in range(0, len(rows), 4096):
        some = rows[k : k + 4096]
        Y = u.rows(made.q[some], made.qd[some], made.qdd[some])[..., seen]
        out[k : k + 4096] = ((Y @ L) ** 2).sum(axis=-1)
    return out


def _slice(wrench: Any, start: int, some: Array) -> Any:
    return wrench[start : start + len(some)] if np.ndim(wrench) == 3 else wrench
