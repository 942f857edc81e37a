"""Which rung of the ladder of Stribeck speeds fits each joint: chosen on triangles alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .extra import ladders
from .rows import Equations, Stretch, triangle

Array = np.ndarray
SWEEPS = 3


def with_best_rungs(e: Equations) -> Equations:
    """Return the equations with one Stribeck column per joint, that of the least residual."""
    u = e.unknowns
    first = len(u.names) - len(u.extras)
    steps = ladders(u.extras)
    if not steps:
        return e
    joints = range(len(e.forces))
    R = [triangle([s.R[j] for s in e.training if len(s.R[j])] or [np.zeros((1, len(u.names) + 1))])
         for j in joints]  # fmt: skip
    size = [max(float(np.linalg.norm(x[:, -1])), 1e-300) for x in R]
    whole = triangle([x / s for x, s in zip(R, size, strict=True)])
    chosen = {j: some[len(some) // 2] for j, some in steps.items()}
    fixed = [k for k, x in enumerate(u.extras) if x.kind != "Fk"]

    def columns(rungs: dict[int, int]) -> list[int]:
        kept = sorted([*fixed, *rungs.values()])
        return [*range(first), *(first + k for k in kept)]

    def rest(rungs: dict[int, int]) -> float:
        at = columns(rungs)
        x = np.linalg.lstsq(whole[:, at], whole[:, -1], rcond=1e-12)[0]
        return float(((whole[:, at] @ x - whole[:, -1]) ** 2).sum())

    for _ in range(SWEEPS):
        before = dict(chosen)
        for j, some in steps.items():
            left = [rest({**chosen, j: k}) for k in some]
            chosen[j] = some[int(np.argmin(left))]
        if chosen == before:
            break
    at = columns(chosen)
    extras = tuple(u.extras[k - first] for k in at[first:])
    noise = None if e.noise is None else e.noise[:, at][:, :, at]
    return replace(e, unknowns=u.beside(extras), training=[_kept(s, at) for s in e.training],
                   holdout=_kept(e.holdout, at), noise=noise)  # fmt: skip


def _kept(s: Stretch, at: list[int]) -> Stretch:
    return replace(s, R=[x[:, [*at, -1]] for x in s.R])
