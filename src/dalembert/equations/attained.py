"""What motions of a box attain: large forces, and large errors of shorter equations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .box import Box
from .ring import Poly

if TYPE_CHECKING:
    from .derive import Equations

Motion = tuple[int, ...]  # what a coefficient stands with: () gravity, (j,) q̈_j, (j, k) q̇_j q̇_k
State = tuple[tuple[float, ...], ...]
DRAWN = 2000  # postures of the first draw
STARTS = 4  # the best of them, from which clouds close in
CLOUDS, CLOUD = 15, 80


def forces(eq: Equations, box: Box) -> tuple[list[float], list[State], list[dict[str, float]]]:
    """Return the largest |tau_i| found, the motion and the parameters that give it, by joint."""
    best, motions, given = [], [], []
    for i in range(1, eq.n + 1):
        polys = {motion: p for motion, p in _row(eq, i)}
        found = [(*_most(eq, box, polys, values), values) for values in box.cases]
        size, motion, values = max(found, key=lambda x: x[0])
        best.append(size)
        motions.append(motion)
        given.append(values)
    return best, motions, given


def error(eq: Equations, box: Box, polys: Mapping[Motion, Poly]) -> float:
    """Return the most |Σ coefficient x motion| that motions of the box attain, of those tried."""
    return max(_most(eq, box, polys, values)[0] for values in box.cases)


def _row(eq: Equations, i: int) -> Iterator[tuple[Motion, Poly]]:
    """Yield the coefficients of tau_i with what each of them stands with."""
    yield (), eq.poly("Q", (i,))
    for j in range(1, eq.n + 1):
        yield (j - 1,), eq.poly("A", (min(i, j), max(i, j)))
        yield (j - 1, j - 1), eq.poly("C", (i, j))
        for k in range(j + 1, eq.n + 1):
            yield (j - 1, k - 1), eq.poly("B", (i, j, k))


def _most(
    eq: Equations, box: Box, polys: Mapping[Motion, Poly], values: Mapping[str, float]
) -> tuple[float, State]:
    """Return the largest |Σ coefficient x motion| found and its motion: clouds around the best."""
    rng = np.random.default_rng(3)
    force = _Force(eq, box, polys, values)
    low, high = np.array(box.q, dtype=float).T
    slow, fast = np.array(box.qd, dtype=float).T

    def ends(shape: tuple[int, int]) -> Any:
        return np.where(rng.random(shape) < 0.5, slow, fast)

    shape = (DRAWN, eq.n)
    q = low + (high - low) * rng.random(shape)
    qd = np.where(
        rng.random((DRAWN, 1)) < 0.8, ends(shape), slow + (fast - slow) * rng.random(shape)
    )
    found = force(q, qd)
    best: tuple[float, Any, Any] = (-1.0, q[0], qd[0])
    for k in np.argsort(found)[-STARTS:]:
        top, here, speed, width = float(found[k]), q[k], qd[k], 0.4
        for _ in range(CLOUDS):
            cloud = here + width * (high - low) * rng.normal(size=(CLOUD, eq.n))
            cloud = np.clip(cloud, low, high)
            rates = np.where(rng.random((CLOUD, eq.n)) < 0.75, speed, ends((CLOUD, eq.n)))
            near = force(cloud, rates)
            j = int(np.argmax(near))
            if near[j] > top:
                top, here, speed = float(near[j]), cloud[j], rates[j]
            width *= 0.8
        best = max(best, (top, here, speed), key=lambda x: x[0])
    top, here, speed = best
    parts = (here, speed, force.accelerations(here, speed))
    return top, tuple(tuple(float(v) for v in x) for x in parts)


class _Force:
    """|Σ coefficient x motion| of many motions, each acceleration at the better of its ends."""

    def __init__(
        self, eq: Equations, box: Box, polys: Mapping[Motion, Poly], values: Mapping[str, float]
    ):
        self.eq, self.values = eq, values
        self.polys = {motion: p for motion, p in polys.items() if p}
        self.qdd = np.array(box.qdd, dtype=float)
        self.load = -1.0 if eq.sign == "section3" else 1.0

    def parts(self, q: Any, qd: Any) -> tuple[Any, Any]:
        """Return the sum without accelerations, and the factor of each of them."""
        at = self.eq.values(self.values, list(q.T))
        total, slope = np.zeros(len(q)), np.zeros((len(q), len(self.qdd)))
        for motion, p in self.polys.items():
            x = np.broadcast_to(self.eq.ring.evaluate(p, at), len(q))
            if len(motion) == 1:
                slope[:, motion[0]] += x
            elif motion:
                total = total + x * qd[:, motion[0]] * qd[:, motion[1]]
            else:
                total = total + self.load * x
        return total, slope

    def __call__(self, q: Any, qd: Any) -> Any:
        total, slope = self.parts(q, qd)
        low, high = self.qdd.T
        total = total + slope @ ((low + high) / 2)
        return np.abs(total) + np.abs(slope) @ ((high - low) / 2)

    def accelerations(self, q: Any, qd: Any) -> Any:
        """Return the accelerations that make the force of one motion the largest."""
        total, slope = self.parts(q[None], qd[None])
        low, high = self.qdd.T
        side = 1.0 if total[0] + slope[0] @ ((low + high) / 2) >= 0 else -1.0
        return np.where(side * slope[0] >= 0, high, low)
