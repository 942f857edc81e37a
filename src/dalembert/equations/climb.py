"""Motions that make the force of a joint large, found by climbing from random postures."""

from __future__ import annotations

import numpy as np

from .force import Force
from .postures import Array

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
