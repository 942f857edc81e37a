"""Columns that only noise moves: errors of the positions are in the regressor too.

Least squares takes a regressor as exact. A column that noise moves and the motion does not would
look seen, with a value near zero and a narrow interval (attenuation: Fuller, Measurement Error
Models, section 1.1). The spread of the smoothed motion says how large such columns are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..compute.tangent import integrate
from ..measure.motion import MeasuredMotion
from ..mechanism import is_closed
from .unknowns import Unknowns

Array = np.ndarray
FEW = 2000  # samples that the noise of the columns is found with
LOUD = 0.02  # share of noise in what a column shows beyond the others


def noise_of_columns(u: Unknowns, d: MeasuredMotion, use: Array) -> Array | None:
    """Return ΣΔYᵀΔY per equation of each force, (forces, columns, columns), None if not known.

    ΔY is what one draw of the noise of (q, q̇, q̈) changes; `use` (n, forces) says which samples
    each force takes. Closed machines are left out: noise would open their loops.
    """
    if d.spread is None or is_closed(u.m):
        return None
    whole = np.flatnonzero(d.valid)
    if not len(whole):
        return None
    rows = whole[np.unique(np.linspace(0, len(whole) - 1, FEW).astype(int))]
    spread = d.spread[rows]
    known = np.isfinite(spread).all(axis=(1, 2, 3))
    rows, spread = rows[known], spread[known]
    if not len(rows):
        return None
    values, vectors = np.linalg.eigh(spread)
    half = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    drawn = np.random.default_rng(0).normal(size=(*half.shape[:2], 3, 1))
    off = (half @ drawn)[..., 0]
    state = d.q[rows], d.qd[rows], d.qdd[rows]
    moved = np.asarray(integrate(u.m, state[0], off[..., 0]))
    change = u.rows(moved, state[1] + off[..., 1], state[2] + off[..., 2]) - u.rows(*state)
    made = []
    for j in range(change.shape[1]):
        own = change[use[rows, j], j]
        made.append(own.T @ own / max(1, len(own)))
    return np.array(made)


def loud_columns(R: Array, seen: Sequence[int], noise: Array) -> list[int]:
    """Return the columns of a weighted triangle that are mostly noise beyond the others.

    The loudest is left out first, then the others are judged without it.
    """
    left = list(seen)
    while left:
        size = np.linalg.norm(R[:, left], axis=0)
        inverse = np.linalg.pinv((R[:, left] / size).T @ (R[:, left] / size), hermitian=True)
        own = noise[np.ix_(left, left)] / np.outer(size, size)
        share = np.einsum("ik,ij,jk->k", inverse, own, inverse) / inverse.diagonal()
        k = int(np.argmax(share))
        if share[k] <= LOUD:
            break
        left.pop(k)
    return [k for k in seen if k not in left]
