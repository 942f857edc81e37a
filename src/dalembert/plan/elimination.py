"""The linear algebra of a plan, in floats: rank, free motions, independent rows, pivots."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import SingularPose

Array = np.ndarray


RANK = 1e-8  # singular values below this part of the largest are zero
PIVOT = 0.1  # a pivot is at least this part of the largest entry of its column
LEAST = 1e-7  # what a row must add to those chosen before it


def rank_of(J: Array) -> int:
    """Return how many rows of J are independent."""
    s = np.linalg.svd(J, compute_uv=False)
    return int(np.sum(s > RANK * max(s[0], 1e-300))) if len(s) else 0


def null_space(J: Array) -> Array:
    """Return an orthonormal basis of the motions that J leaves free, as columns."""
    if not J.size:
        return np.eye(J.shape[1])
    _, s, Vt = np.linalg.svd(J)
    rank = int(np.sum(s > RANK * max(s[0], 1e-300)))
    return np.asarray(Vt[rank:].T)


def largest_rows(
    N: Array, candidates: Any, taken: list[int] | None = None, least: float = LEAST
) -> list[int]:
    """Return rows of N, most independent first, that add to the rank of those taken."""
    basis = np.zeros((N.shape[1], 0))
    for k in taken or ():
        basis = _extended(basis, N[k])
    rest, found = list(candidates), []
    while rest and basis.shape[1] < N.shape[1]:
        left = [float(np.linalg.norm(N[k] - basis @ (basis.T @ N[k]))) for k in rest]
        top = max(left)
        if top < least:
            break
        # the first of those that are nearly as good: small changes do not change the choice
        k = next(k for k, size in zip(rest, left, strict=True) if size > 0.7 * top)
        found.append(k)
        rest.remove(k)
        basis = _extended(basis, N[k])
    return found


def _extended(basis: Array, row: Array) -> Array:
    left = row - basis @ (basis.T @ row)
    left = left - basis @ (basis.T @ left)
    return np.column_stack([basis, left / np.linalg.norm(left)])


def pivots(A: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return equations and columns in pivot order: sparse first, none small in its column."""
    A = A.copy()
    rows, columns = list(range(A.shape[0])), list(range(A.shape[1]))
    found: list[tuple[int, int]] = []
    while columns:
        sub = np.abs(A[np.ix_(rows, columns)])
        full = sub > 1e-10
        top = sub.max(axis=0, initial=0.0)
        if top.min() < 1e-9:
            raise SingularPose("the dependent coordinates do not follow from the motors here")
        work = np.outer(full.sum(axis=1) - 1, full.sum(axis=0) - 1).astype(float)
        work[sub < PIVOT * top] = np.inf
        # among equally sparse ones, the largest in its column
        work -= 0.5 * sub / top
        a, b = np.unravel_index(int(work.argmin()), work.shape)
        r, k = rows.pop(int(a)), columns.pop(int(b))
        found.append((r, k))
        for i in rows:
            if A[i, k] != 0:
                A[i] -= A[r] * (A[i, k] / A[r, k])
    return tuple(r for r, _ in found), tuple(k for _, k in found)
