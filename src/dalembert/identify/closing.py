"""Measured loops closed: joints contradict each other a little, so some of them must lead.

Where motors are spare, each sample is led by motors that move all others well there. A choice made
once for the whole log may pass a dead point, where small errors of those that lead grow without
bound. Motors are chosen as pivots are (Golub and Van Loan, section 5.4: QR with column pivoting).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..compute import evaluate
from ..measure.motion import MeasuredMotion
from ..mechanism import Mechanism, is_closed, joint_name
from ..plan import planned
from .unknowns import shares

Array = np.ndarray
GOOD = 0.3  # of the best reach of a sample: motors that reach as far lead it as well
DEAD = 0.02  # reach below which motors are near a dead point: errors grow fiftyfold


def closed(m: Mechanism, d: MeasuredMotion) -> MeasuredMotion:
    """Return the motion with its loops closed, and a note of samples near a dead point."""
    if not is_closed(m):
        return d
    rows = np.flatnonzero(d.valid)
    if not len(rows):
        return d  # refused later
    q, qd, qdd = (np.array(x) for x in (d.q, d.qd, d.qdd))
    N = free_motions(m, q[rows])
    for own, part in leaders(m, N):
        at = rows[part]
        q[at], qd[at], qdd[at] = led(own, q[at], qd[at], qdd[at])
    return replace(d, q=q, qd=qd, qdd=qdd, notes=(*d.notes, *_dead_points(m, N)))


def led(m: Mechanism, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
    """Return the closed motion in which the motors do what was measured."""
    q = evaluate(m, "assembly", q)
    qd, qdd = evaluate(m, "tree_motion", q, qd, qdd)[:2]
    return q, np.asarray(qd), np.asarray(qdd)


def free_motions(m: Mechanism, q: Array) -> Array:
    """Return orthonormal bases of the motions that the loops leave free, (samples, nv, mobility).

    Rates are in parts of the mechanism's size, as in its plan.
    """
    plan = planned(m)
    J = np.asarray(evaluate(m, "loop_jacobian", q))
    J = J * np.asarray(plan.column_sizes) / np.asarray(plan.row_sizes)[:, None]
    return np.swapaxes(np.linalg.svd(J)[2][..., plan.rank :, :], -1, -2)


def leaders(m: Mechanism, N: Array) -> Iterator[tuple[Mechanism, Array]]:
    """Yield machines moved by as many motors as they need, and the samples that each closes."""
    owner = [b for b in m.bodies for _ in range(b.joint.nv)]
    motors = np.array(planned(m).motors, dtype=int)
    if not shares(m) or any(owner[k].joint.nv != 1 for k in motors):
        yield m, np.arange(len(N))
        return
    best = _pivots(N[:, motors])
    reach = _reach(np.take_along_axis(N[:, motors], best[..., None], axis=1))
    left = np.arange(len(N))
    while len(left):
        most = Counter(map(tuple, best[left].tolist())).most_common(1)[0][0]
        chosen = motors[list(most)]
        well = (best[left] == most).all(axis=1)
        well |= _reach(N[left][:, chosen]) > GOOD * reach[left]
        yield replace(m, active=tuple(joint_name(owner[k]) for k in chosen)), left[well]
        left = left[~well]


def _pivots(rows: Array) -> Array:
    """Return the most independent rows of each matrix, in rising order."""
    rest, found = np.array(rows), []
    for _ in range(rows.shape[-1]):
        k = np.argmax((rest**2).sum(axis=-1), axis=-1)
        found.append(k)
        e = np.take_along_axis(rest, k[:, None, None], axis=1)
        e = e / np.maximum(np.linalg.norm(e, axis=-1, keepdims=True), 1e-300)
        rest = rest - (rest @ np.swapaxes(e, -1, -2)) * e
    return np.sort(np.stack(found, axis=-1), axis=-1)


def _reach(rows: Array) -> Array:
    """Return the least share that joints have in any free motion: errors grow by its inverse."""
    return np.asarray(np.linalg.svd(rows, compute_uv=False).min(axis=-1))


def _dead_points(m: Mechanism, N: Array) -> list[str]:
    """Return what is to be said of samples where the motors, all of them together, hardly lead."""
    plan = planned(m)
    if plan.free or not plan.mobility:
        return []
    reach = _reach(N[:, list(plan.motors)])
    near = int((reach < DEAD).sum())
    if not near:
        return []
    worst = 1 / max(float(reach.min()), 1e-16)
    return [f"the motors are near a dead point in {near} of {len(N)} samples: errors of measured "
            f"joints grow up to {worst:.2g} times there; leave these samples out"]  # fmt: skip
