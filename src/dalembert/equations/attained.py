"""What motions of a box attain: large forces, and large errors of shorter equations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .box import Box
from .ring import Poly

if TYPE_CHECKING:
    from .derive import Equations

Motion = tuple[int, ...]  # what a coefficient stands with: () gravity, (j,) q̈_j, (j, k) q̇_j q̇_k
State = tuple[tuple[float, ...], ...]


def forces(eq: Equations, box: Box) -> tuple[list[float], list[State], list[dict[str, float]]]:
    """Return the largest |tau_i| found, the motion and the parameters that give it, by joint."""
    found = [_forces(eq, box, values) for values in box.cases]
    best = [max(range(len(found)), key=lambda k: found[k][0][i]) for i in range(eq.n)]
    return (
        [found[k][0][i] for i, k in enumerate(best)],
        [found[k][1][i] for i, k in enumerate(best)],
        [box.cases[k] for k in best],
    )


def _forces(eq: Equations, box: Box, values: dict[str, float]) -> tuple[list[float], list[State]]:
    q, qd, qdd = box.random_states
    tau = np.abs(eq.evaluate(values, q, qd, qdd))
    best, motions = [], []
    rng = np.random.default_rng(2)
    ends = [np.array(r, dtype=float).T for r in (box.q, box.qd, box.qdd)]
    for i in range(eq.n):
        k = int(np.argmax(tau[:, i]))
        state, top, width = [x[k] for x in (q, qd, qdd)], float(tau[k, i]), 0.5
        for _ in range(6):
            # a cloud around the best motion, clipped to the box
            cloud = [
                np.clip(x + width * (b - a) * rng.normal(size=(60, eq.n)), a, b)
                for x, (a, b) in zip(state, ends, strict=True)
            ]
            near = np.abs(eq.evaluate(values, *cloud)[:, i])
            j = int(np.argmax(near))
            if near[j] > top:
                state, top = [x[j] for x in cloud], float(near[j])
            width *= 0.6
        best.append(top)
        motions.append(tuple(tuple(float(v) for v in x) for x in state))
    return best, motions


def error(eq: Equations, box: Box, polys: Mapping[Motion, Poly]) -> float:
    """Return the most |Σ coefficient x motion| that motions of the box attain, of those tried."""
    return max(_error(eq, box, polys, values) for values in box.cases)


def _error(
    eq: Equations, box: Box, polys: Mapping[Motion, Poly], values: Mapping[str, float]
) -> float:
    rng = np.random.default_rng(3)
    low, high = np.array(box.q, dtype=float).T
    slow, fast = np.array(box.qd, dtype=float).T
    load = -1.0 if eq.sign == "section3" else 1.0

    def force(q: Any, qd: Any) -> Any:
        """Return the largest |error| over all accelerations: each takes the better of its ends."""
        at = eq.values(values, list(q.T))
        total = np.zeros(len(q))
        spread = np.zeros(len(q))
        for motion, p in polys.items():
            x = np.broadcast_to(eq.ring.evaluate(p, at), len(q))
            if len(motion) == 1:
                a, b = box.qdd[motion[0]]
                total = total + x * ((a + b) / 2)
                spread = spread + np.abs(x) * ((b - a) / 2)
            elif motion:
                total = total + x * qd[:, motion[0]] * qd[:, motion[1]]
            else:
                total = total + load * x
        return np.abs(total) + spread

    q, qd, _ = box.random_states
    found = force(q, qd)
    best = 0.0
    # from the best motions of the first draw, clouds that close in
    for k in np.argsort(found)[-3:]:
        top, here, speed, width = float(found[k]), q[k], qd[k], 0.4
        for _ in range(15):
            cloud = np.clip(here + width * (high - low) * rng.normal(size=(80, eq.n)), low, high)
            rates = np.where(rng.random((80, eq.n)) < 0.75, speed,
                             np.where(rng.random((80, eq.n)) < 0.5, slow, fast))  # fmt: skip
            near = force(cloud, rates)
            j = int(np.argmax(near))
            if near[j] > top:
                top, here, speed = float(near[j]), cloud[j], rates[j]
            width *= 0.8
        best = max(best, top)
    return best
