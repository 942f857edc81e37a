"""How sure fitted parameters are, from the residuals of stretches of time.

Residuals near each other in time hang together, so stretches are what is independent, not samples.
The covariance is the sandwich of their scores, each freed of the part that the fit took out of it
(CR2), and each parameter has its own degrees of freedom: few where a few stretches show it. Bell
and McCaffrey, Bias reduction in standard errors for linear regression with multi-stage samples,
Survey Methodology 28 (2002), sections 4 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Array = np.ndarray
ALONE = 1e-6  # left of a direction that one stretch fits by itself
SHARE = 0.01  # of the variance of a parameter that lies in such directions


def covariance_of(triangles: Sequence[Array]) -> tuple[Array, Array]:
    """Return the covariance of the parameters, and the degrees of freedom of each.

    A triangle [R z] of each stretch: R of its weighted columns, z their weighted forces. What one
    stretch alone shows leaves no residual. There equations count as independent, as far as those
    of the other parameters are, with one degree of freedom.
    """
    parts = [(T[:, :-1], T[:, -1]) for T in triangles]
    normal = sum(R.T @ R for R, _ in parts)
    size = np.sqrt(np.diag(normal))
    size = np.where(size > 0, size, 1.0)
    parts = [(R / size, z) for R, z in parts]
    inverse = np.linalg.pinv(normal / np.outer(size, size), hermitian=True)
    x = inverse @ sum(R.T @ z for R, z in parts)
    scores, moved, alone = [], [], np.zeros(len(x))
    for R, z in parts:
        left, V = np.linalg.eigh(np.eye(len(R)) - R @ inverse @ R.T)
        own = left < ALONE
        A = (V[:, ~own] / np.sqrt(left[~own])) @ V[:, ~own].T
        scores.append(inverse @ (R.T @ (A @ (z - R @ x))))
        moved.append(A @ R @ inverse)
        alone += ((V[:, own].T @ R @ inverse) ** 2).sum(axis=0)
    S = np.array(scores)
    covariance = S.T @ S
    freedom = _freedom([R for R, _ in parts], moved, inverse)
    lonely = alone > SHARE * inverse.diagonal()
    if lonely.any():
        sure = covariance.diagonal()[~lonely] / inverse.diagonal()[~lonely]
        level = max(1.0, float(np.median(sure))) if len(sure) else 1.0
        covariance[lonely, :] = covariance[:, lonely] = 0.0
        at = np.ix_(lonely, lonely)
        covariance[at] = level * inverse[at]
        freedom[lonely] = 1.0
    return covariance / np.outer(size, size), freedom


def _freedom(columns: Sequence[Array], moved: Sequence[Array], inverse: Array) -> Array:
    """Return (tr G)² / tr G² of each parameter, G the covariance of its scores for unit noise."""
    own = np.array([(a**2).sum(axis=0) for a in moved])  # (stretches, parameters)
    taken = np.array([a.T @ R for a, R in zip(moved, columns, strict=True)])
    out = np.ones(len(inverse))
    for c in range(len(inverse)):
        G = np.diag(own[:, c]) - taken[:, c] @ inverse @ taken[:, c].T
        squares = float((G**2).sum())
        out[c] = np.trace(G) ** 2 / squares if squares > 0 else 1.0
    return np.maximum(out, 1.0)
