"""What motions of a box attain: large forces, and large errors of shorter equations.

They are found by climbing from random postures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .box import Box
from .force import Force, Motion
from .postures import Array
from .ring import Poly
from .waves import Basis

if TYPE_CHECKING:
    from .closed_form import Equations

State = tuple[tuple[float, ...], ...]
DRAWN, STARTS, STEPS = 1200, 20, 24


def search(force: Force, seed: int = 3) -> tuple[float, State]:
    """Return the largest |force| found and its motion: the best of random postures climb."""
    box = force.waves.postures
    rng, low, high = np.random.default_rng(seed), box.low, box.high
    if not len(force.waves.K):
        return 0.0, tuple(tuple(map(float, x)) for x in (low[: force.n], *(r[:, 0] for r in (
            force.qd, force.qdd))))  # fmt: skip
    q = low + (high - low) * rng.random((DRAWN, len(low)))
    size = force.top(q @ box.sums.T)
    here = q[np.argsort(size)[-STARTS:]]
    top, way = _climbing(force, here)
    step = np.full(len(here), 0.1)
    for _ in range(STEPS):
        tried = np.clip(here + (step * np.ones_like(here.T)).T * way * (high - low), low, high)
        near, on = _climbing(force, tried)
        better = near > top
        here, way = (np.where(better[:, None], x, y) for x, y in ((tried, here), (on, way)))
        top = np.where(better, near, top)
        step = np.where(better, step * 1.3, step * 0.4)
    return motion(force, here)


def _climbing(force: Force, q: Array) -> tuple[Array, Array]:
    """Return |force| of the best motion at postures, and the way up, its largest part 1."""
    box = force.waves.postures
    f, slope = force.waves.at(q @ box.sums.T)
    total, qd, qdd = force.attained(f)
    w = force.weights(qd, qdd)
    side = np.where((w * f).sum(axis=1) >= 0, 1.0, -1.0)
    way = side[:, None] * np.einsum("np,npv->nv", w, slope) @ box.sums
    way = way * (box.high - box.low)
    return total, way / (np.abs(way).max(axis=1, keepdims=True) + 1e-300)


def motion(force: Force, q: Array) -> tuple[float, State]:
    """Return the largest |force| at some postures and the motion that attains it."""
    total, qd, qdd = force.attained(force.waves.values(q @ force.waves.postures.sums.T))
    k = int(np.argmax(total))
    found = (q[k, : force.n], qd[k], qdd[k])
    return float(total[k]), tuple(tuple(float(v) for v in x) for x in found)


def forces(eq: Equations, box: Box) -> tuple[list[float], list[State], list[dict[str, float]]]:
    """Return the largest |tau_i| found, the motion and the parameters that give it, by joint."""
    best: list[float] = []
    motions, given = [], []
    cases = [(case, Basis(eq, replace(box, values=case, ranges={}))) for case in box.cases]
    for i in range(1, eq.n + 1):
        polys = dict(row(eq, i))
        found = [(*search(force_of(basis, polys)), case) for case, basis in cases]
        _, motion, values = max(found, key=lambda x: x[0])
        best.append(abs(float(eq.evaluate(values, *motion)[i - 1])))
        motions.append(motion)
        given.append(values)
    return best, motions, given


def row(eq: Equations, i: int) -> Iterator[tuple[Motion, Poly]]:
    """Yield the coefficients of tau_i with what each of them stands with, gravity as a load."""
    yield (), -eq.poly("Q", (i,)) if eq.sign == "section3" else eq.poly("Q", (i,))
    for j in range(1, eq.n + 1):
        yield (j - 1,), eq.poly("A", (min(i, j), max(i, j)))
        yield (j - 1, j - 1), eq.poly("C", (i, j))
        for k in range(j + 1, eq.n + 1):
            yield (j - 1, k - 1), eq.poly("B", (i, j, k))


def force_of(
    basis: Basis, polys: Mapping[Motion, Poly],
    less: Mapping[int, Mapping[int, float]] | None = None,
) -> Force:  # fmt: skip
    """Return the force of one joint from its coefficients, those that are zero left out.

    `less` takes off some of them, by number, what they are with joints held.
    """
    kept = {motion: p for motion, p in polys.items() if p}
    terms = basis.eq.ring.terms
    return Force(basis.waves([terms(p) for p in kept.values()], less), list(kept), basis.box)
