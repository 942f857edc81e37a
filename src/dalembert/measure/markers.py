"""Joint coordinates that follow many measured points at once: markers to q(t).

Weighted least squares at every sample, by Levenberg-Marquardt with limits, all samples together:
every hundredth sample is solved first, one after the other, and the rest start between those
(Lu and O'Connor, Bone position estimation from skin marker coordinates using global optimisation
with joint constraints, J. Biomechanics 32, 1999).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.kinematics import target_jacobian, target_pose
from ..compute import integrate, neutral
from ..errors import ComputationError, UsageError, shown
from ..expr import Graph, program, trace
from ..mechanism import Mechanism, is_rolling, require_mechanism
from ..mechanism.limits import coordinate_limits
from .table import Table, read_table, some

Array = np.ndarray
STRIDE = 100
STEPS = 60
SMALL = 1e-8  # a step in radians or metres that ends the search
BATCH = 1024


def follow(
    m: Mechanism, points: Any, q0: Any = None, *, weights: Mapping[str, float] | None = None,
    limits: bool = True,
) -> tuple[Array, Array]:  # fmt: skip
    """Return q, (n, nq), and the distance left at each sample, (n, markers).

    `points` maps frames to arrays (n, 3) in world axes, or is a table with heads `FRAME.x FRAME.y
    FRAME.z` (a `.trc` or `.c3d` file); NaN where a marker was not seen. Heads that are not frames
    of m are left out.
    """
    require_mechanism(m, "inverse_kinematics")
    if m.loops or is_rolling(m):
        raise UsageError("markers are followed by trees", hint="m.tree is the tree without loops")
    names, wanted = _points(m, points)
    weight = np.array([float((weights or {}).get(n, 1.0)) for n in names])
    for n in weights or {}:
        if n not in names:
            raise UsageError(f"a weight for {shown(n)!r}, which is not a marker", hint=some(names))
    start = np.array(neutral(m) if q0 is None else q0, dtype=float)
    if start.shape != (m.nq,):
        raise UsageError(f"q0 has shape {start.shape}, expected ({m.nq},)")
    kernel, bounds = _kernel(m, names), _bounds(m, limits)
    count = len(wanted)
    q = np.zeros((count, m.nq))
    seeds = np.unique(np.r_[0:count:STRIDE, count - 1])
    now = start
    for k in seeds:
        now = _solved(m, kernel, wanted[k : k + 1], weight, now[None], bounds, 4 * STEPS)[0]
        q[k] = now
    near = np.searchsorted(seeds, np.arange(count) - STRIDE // 2)
    nearest = seeds[np.clip(near, 0, len(seeds) - 1)]
    for a in range(0, count, BATCH):
        rows = slice(a, min(a + BATCH, count))
        q[rows] = _solved(m, kernel, wanted[rows], weight, q[nearest[rows]], bounds, STEPS)
    e = kernel(q)[0].reshape(count, len(names), 3) - wanted
    return q, np.linalg.norm(e, axis=2)


def _points(m: Mechanism, points: Any) -> tuple[list[str], Array]:
    """Return the frames that are followed and their places, (n, markers, 3)."""
    if isinstance(points, str | Path | Table):
        table = read_table(points)
        frames = dict.fromkeys(h.rpartition(".")[0] for h in table.heads if h.endswith(".x"))
        heads = {f: [f"{f}.{x}" for x in "xyz"] for f in frames if f in m.frames}
        points = {f: np.stack([table.columns[h] for h in own], axis=1)
                  for f, own in heads.items() if set(own) <= set(table.heads)}  # fmt: skip
        if not points:
            raise UsageError(
                "no marker of the table is a frame of the mechanism",
                hint=f"markers: {some(frames)}; frames: {some(m.frames)}",
            )
    if not isinstance(points, Mapping) or not points:
        raise UsageError("points are a mapping from frames to (n, 3) arrays, or a marker file")
    arrays = {str(f): np.asarray(x, dtype=float) for f, x in points.items()}
    sizes = {x.shape for x in arrays.values()}
    if len(sizes) != 1 or next(iter(sizes))[1:] != (3,):
        raise UsageError(f"points of shapes {sorted(sizes)}", hint="(n, 3) for each frame")
    for f in arrays:
        m.frame(f)
    return list(arrays), np.stack(list(arrays.values()), axis=1)


def _kernel(m: Mechanism, names: list[str]) -> Any:
    """Return the kernel of all points and their Jacobian."""
    from ..runtime import compile_program

    graph = Graph()
    bound = m.bound(m.floats, graph)

    def body(q: Any) -> Any:
        places, slopes = [], []
        for n in names:
            target = bound.frame(n)
            places += list(target_pose(bound, target, q).p)
            J = target_jacobian(bound, target, q, "base")
            slopes += [x for row in J[:3] for x in row]
        return places, slopes

    outputs = [("p", (3 * len(names),)), ("J", (3 * len(names), m.nv))]
    return compile_program(program(trace(body, [("q", m.nq)], outputs=outputs, graph=graph)))


def _bounds(m: Mechanism, limits: bool) -> Array:
    """Return lower and upper limits of the velocity variables' coordinates, (nv, 2)."""
    out, own = np.tile([-np.inf, np.inf], (m.nv, 1)), coordinate_limits(m)
    for body, at, k in zip(m.bodies, m.coordinate_index, m.velocity_index, strict=True):
        if limits and body.joint.nv == 1:
            out[k] = own[at]
    return out


def _solved(
    m: Mechanism, kernel: Any, wanted: Array, weight: Array, q: Array, bounds: Array, steps: int
) -> Array:
    """Return q of a batch of samples, all of them by the same number of damped steps at most."""
    nv = m.nv
    seen = np.isfinite(wanted).all(axis=2)
    w = np.sqrt(np.where(seen, weight, 0.0))[..., None]  # (samples, markers, 1)
    goal = np.where(np.isfinite(wanted), wanted, 0.0)
    one = np.array([k for k, b in enumerate(_owners(m)) if b == 1], dtype=int)
    at = _coordinates(m)[one]
    low, high = bounds[one, 0], bounds[one, 1]

    def errors(q: Array, rows: Array) -> tuple[Array, Array, Array]:
        p, J = kernel(np.ascontiguousarray(q))
        e = ((p.reshape(len(q), -1, 3) - goal[rows]) * w[rows]).reshape(len(q), -1)
        J = (J.reshape(len(q), -1, 3, nv) * w[rows][..., None]).reshape(len(q), -1, nv)
        return (e**2).sum(axis=1), e, J

    out, rows = np.array(q), np.arange(len(q))  # rows: the samples that still move
    q, damping = out.copy(), np.full(len(q), 1e-3)
    cost, e, J = errors(q, rows)
    for _ in range(steps):
        turned = J.transpose(0, 2, 1)
        A, g = turned @ J, (turned @ e[..., None])[..., 0]
        # a coordinate at its limit that would leave stays there
        held = np.zeros(g.shape, dtype=bool)
        own = g[:, one]
        held[:, one] = ((q[:, at] <= low) & (own > 0)) | ((q[:, at] >= high) & (own < 0))
        A[held[:, :, None] | held[:, None, :]] = 0.0
        g[held] = 0.0
        size = np.einsum("nii->ni", A).max(axis=1)
        A[:, np.arange(nv), np.arange(nv)] += (damping * size + 1e-12)[:, None]
        step = -np.linalg.solve(A, g[..., None])[..., 0]
        step *= np.minimum(1.0, 0.6 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        tried = np.array(integrate(m, q, step))
        tried[:, at] = np.clip(tried[:, at], low, high)
        new, e2, J2 = errors(tried, rows)
        better = new <= cost
        small = np.abs(step).max(axis=1) < SMALL
        q[better], e[better], J[better] = tried[better], e2[better], J2[better]
        damping = np.clip(np.where(better, damping * 0.1, damping * 5), 1e-14, 1e8)
        cost = np.where(better, new, cost)
        out[rows] = q
        go = ~(small | (damping >= 1e7))
        if not go.any():
            break
        rows, q, e, J = rows[go], q[go], e[go], J[go]
        cost, damping = cost[go], damping[go]
    if not np.isfinite(out).all():
        raise ComputationError("the markers cannot be followed: a coordinate is not finite")
    return out


def _owners(m: Mechanism) -> list[int]:
    """Return, for each velocity variable, the degrees of freedom of its joint."""
    return [b.joint.nv for b in m.bodies for _ in range(b.joint.nv)]


def _coordinates(m: Mechanism) -> Array:
    """Return the place in q of the coordinate of each velocity variable; -1 if it has none."""
    out, at = [], 0
    for b in m.bodies:
        out += [at + k if b.joint.nq == b.joint.nv else -1 for k in range(b.joint.nv)]
        at += b.joint.nq
    return np.array(out, dtype=int)
