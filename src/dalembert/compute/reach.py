"""Poses reached by many machines at once: damped least squares on the compiled Jacobian."""

from __future__ import annotations

import numpy as np

from ..mechanism import Mechanism
from ..mechanism.limits import coordinate_limits
from .bounds import bounds as bounds_of
from .evaluate import evaluate
from .turns import pose_error

Array = np.ndarray
REACHED = 1e-8  # metres and radians
STEPS = 80
STARTS = 4


def limits(m: Mechanism) -> tuple[Array, Array]:
    """Return lower and upper limits of the coordinates, infinite where open."""
    low, high = np.array(coordinate_limits(m)).reshape(-1, 2).T
    return low, high


def reach(
    m: Mechanism,
    designs: dict[str, Array],
    q: Array,
    frame: str | None,
    wanted: Array,
    rows: tuple[int, ...] = (0, 1, 2),
    bounds: tuple[Array, Array] | None = None,
) -> tuple[Array, Array]:
    """Return coordinates that bring a frame to poses, and what is left, for all designs.

    `wanted` are points (n or 1, 3) or poses (n or 1, 4, 4), `rows` the directions that count: x y z
    and turns about base axes. Loops are closed on the way. Those that do not arrive try again from
    other starts. `bounds` are lower and upper limits of the coordinates, (nq,) or (n or 1, nq).
    """
    low, high = bounds_of(m, designs) if bounds is None else map(np.atleast_2d, bounds)
    rng = np.random.default_rng(0)
    wanted = np.broadcast_to(wanted, (len(q), *wanted.shape[1:])) if wanted.ndim > 1 else wanted
    best, left = q.copy(), np.full(len(q), np.inf)
    start = q
    for _ in range(STARTS):
        todo = np.flatnonzero(left > REACHED)
        if not len(todo):
            break
        given = {n: x[todo] for n, x in designs.items()}
        goal = wanted[todo] if wanted.ndim > 1 else wanted
        own = [x[todo] if len(x) > 1 else x for x in (low, high)]
        found, gap = _descend(m, given, start[todo], frame, goal, rows, *own)
        better = gap < left[todo]
        best[todo[better]], left[todo[better]] = found[better], gap[better]
        wide_low, wide_high = np.maximum(low, -np.pi), np.minimum(high, np.pi)
        start = np.broadcast_to(rng.uniform(wide_low, wide_high), q.shape)
    return best, left


def _errors(now: Array, wanted: Array, rows: tuple[int, ...]) -> Array:
    """Return (position, rotation vector) in base axes from poses to others, the rows that count."""
    if wanted.shape[-2:] != (4, 4) or max(rows) < 3:
        goal = wanted[..., :3, 3] if wanted.shape[-2:] == (4, 4) else wanted
        return np.asarray((goal - now[..., :3, 3])[..., [k for k in rows if k < 3]])
    return pose_error(now, wanted)[..., list(rows)]


def _descend(
    m: Mechanism, designs: dict[str, Array], q: Array, frame: str | None, wanted: Array,
    rows: tuple[int, ...], low: Array, high: Array,
) -> tuple[Array, Array]:  # fmt: skip
    q = np.clip(q, low, high)
    damping = np.full(len(q), 1e-2)
    given = designs or None

    tree = m.tree if m.loops else m

    def error(q: Array) -> Array:
        T = evaluate(tree, "pose", q, frame=frame, parameters=given, check=False)
        e = _errors(np.asarray(T), wanted, rows)
        if not m.loops:
            return e
        gap = evaluate(m, "closure", q, parameters=given, check=False)
        return np.concatenate([e, -gap], axis=1)

    def slopes(q: Array) -> Array:
        J = evaluate(tree, "jacobian", q, frame=frame, parameters=given, check=False)
        J = np.asarray(J)[:, list(rows)]
        if not m.loops:
            return J
        closing = evaluate(m, "loop_jacobian", q, parameters=given, check=False)
        return np.concatenate([J, closing], axis=1)

    e = error(q)
    size = np.linalg.norm(e, axis=1)
    for _ in range(STEPS):
        J = slopes(q)
        # joints at a limit that would leave stay
        push = np.einsum("nij,ni->nj", J, e)
        held = ((q <= low) & (push < 0)) | ((q >= high) & (push > 0))
        J = np.where(held[:, None, :], 0.0, J)
        A = J @ J.transpose(0, 2, 1)
        scale = np.einsum("nii->n", A)
        A += ((damping * scale) + 1e-14)[:, None, None] * np.eye(A.shape[-1])
        step = np.einsum("nij,ni->nj", J, np.linalg.solve(A, e[..., None])[..., 0])
        step *= np.minimum(1.0, 0.7 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        tried = np.clip(q + step, low, high)
        e2 = error(tried)
        new = np.linalg.norm(e2, axis=1)
        better = new < size
        q, e = np.where(better[:, None], tried, q), np.where(better[:, None], e2, e)
        size = np.where(better, new, size)
        damping = np.clip(np.where(better, damping * 0.1, damping * 6), 1e-12, 1e6)
        if ((size <= 0.1 * REACHED) | (damping >= 1e5)).all():
            break
    return q, size
