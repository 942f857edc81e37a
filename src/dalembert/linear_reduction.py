"""Small motions without what is not motion: changes that break a contact, and ignorable ones.

J are the rows of positions. The changes with J δq = 0 are decided by some of their own entries x,
δq = G x, and the rate of x is that of these entries. Some of them change nothing that moves: the
rates of the speeds do not depend on them, nor on what they grow into. They are the largest space K
with A21 K = 0 and A11 K in K on which A11 has the eigenvalue 0 alone, found from below: K₁ has
A11 K₁ = 0, and A11 leads each next one into the last. What is left is the model on the quotient.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray
SMALL = 1e-9  # of the largest entry: what counts as zero


def independent(J: Array) -> tuple[list[int], Array]:
    """Return entries that decide every change with J δq = 0, the first ones if possible, and G."""
    n = J.shape[1]
    rank = int(np.linalg.matrix_rank(J, SMALL * np.abs(J).max(initial=0.0))) if J.size else 0
    dependent: list[int] = []
    rest = J.copy()
    for _ in range(rank):
        # the last of the entries whose column is nearly the longest
        size = np.linalg.norm(rest, axis=0)
        size[dependent] = 0
        k = int(np.flatnonzero(size > 0.5 * size.max())[-1])
        dependent.append(k)
        way = rest[:, k] / size[k]
        rest = rest - np.outer(way, way @ rest)
    kept = [k for k in range(n) if k not in dependent]
    G = np.zeros((n, len(kept)))
    G[kept, range(len(kept))] = 1
    if dependent:
        G[dependent] = -np.linalg.lstsq(J[:, dependent], J[:, kept], rcond=None)[0]
    return kept, G


def restricted(A: Array, n: int, kept: list[int], G: Array) -> Array:
    """Return A of ż = A z, z = (δq, δα), in the entries x of δq = G x."""
    k = len(A) - n
    rows = [*kept, *range(n, n + k)]
    lift = np.zeros((n + k, len(kept) + k))
    lift[:n, : len(kept)] = G
    lift[n:, len(kept) :] = np.eye(k)
    found: Array = A[rows] @ lift
    return found


def ignorable(A: Array, n: int) -> Array:
    """Return K, the changes of the n positions of which no rate of the speeds ever depends."""
    A11, A21 = A[:n, :n], A[n:, :n]
    K = np.zeros((n, 0))
    while True:
        # x with A21 x = 0 and A11 x inside K
        outside = A11 - K @ (K.T @ A11)
        wider = _null(np.vstack([_scaled(outside), _scaled(A21)]))
        if wider.shape[1] == K.shape[1]:
            return K
        K = wider


def _scaled(A: Array) -> Array:
    top = np.abs(A).max(initial=0.0)
    return A / top if top > 1e-12 else np.zeros_like(A)


def _null(A: Array) -> Array:
    if not A.shape[1]:
        return np.zeros((0, 0))
    _, s, Vt = np.linalg.svd(A)
    found: Array = Vt[int(np.sum(s > SMALL)) :].T
    return found


def quotient(A: Array, B: Array, n: int, K: Array) -> tuple[list[int], Array, Array]:
    """Return (entries kept, A, B) of the model without the changes K of its positions."""
    gone: list[int] = []
    rest = K.copy()
    for _ in range(K.shape[1]):
        size = np.linalg.norm(rest, axis=1)
        size[gone] = 0
        k = int(size.argmax())
        gone.append(k)
        way = rest[k] / size[k]
        rest = rest - np.outer(rest @ way, way)
    kept = [k for k in range(n) if k not in gone]
    # P x: the entries kept, less what comes with the entries gone; P K = 0
    P = np.eye(n)[kept]
    if gone:
        P[:, gone] -= np.linalg.solve(K[gone].T, K[kept].T).T
    rates = len(A) - n
    down = np.block([[P, np.zeros((len(kept), rates))],
                     [np.zeros((rates, n)), np.eye(rates)]])  # fmt: skip
    rows = [*kept, *range(n, n + rates)]
    return kept, down @ A[:, rows], down @ B
