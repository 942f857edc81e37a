"""The generic branch of a closed mechanism, and poses that are not singular.

Flat and folded rest poses often lie where branches meet, or on a branch of their own on which a
motor moves nothing. Several assembled poses are found; the branch is taken whose freedoms the
motors match best, then the one of the highest rank.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ComputationError, SingularPose
from ..mechanism import Mechanism
from .assembly import Closure, assemble, close, given_pose, search, upright
from .elimination import null_space, rank_of

Array = np.ndarray


STARTS = 24  # from which assembled poses are sought
STEP = 1e-3  # of a trial motion, in parts of the mechanism's size
NEEDED = 8  # assembled poses after which the search ends
ALONE = 6  # joints that are held one at a time where no motor is named


@dataclass(frozen=True, eq=False)
class Generic:
    """A pose of the generic branch, and what was seen elsewhere."""

    closure: Closure
    pose: Array
    text: str  # empty where every pose has the same rank


def general_pose(m: Mechanism) -> tuple[Closure, Array]:
    """Return an assembled pose of the generic branch, always the same for a mechanism."""
    found = generic(m)
    return found.closure, found.pose


def generic(m: Mechanism) -> Generic:
    """Return a pose of the branch that the motors match best, then of the highest rank."""
    c = Closure(m)
    rng = np.random.default_rng(1)
    spread = c.moved(np.array(m.neutral), 0.3 * rng.uniform(-1, 1, m.nv))
    q, worst = close(c, spread)
    if worst > 1e-12:
        q = assemble(m, m.neutral)
    first = highest([q, *neighbours(c, q, 3)], c)
    best = _merit(c, first)
    if best[:3] == (0, 0, 0) and m.active and is_regular(c, first):
        return Generic(c, first, "")
    poses = [first, *others(c, q)]
    merits = [_merit(c, p) for p in poses]
    order = sorted(range(len(poses)), key=merits.__getitem__)
    at = next((k for k in order if is_regular(c, poses[k])), order[0])
    seen = sorted({-x[3] for x in merits})
    text = ""
    if len(seen) > 1 or merits[at][:3] != best[:3]:
        there = {m.nv - r for r in seen} - {m.nv + merits[at][3]}
        text = f"planned on the generic branch of {len(poses)} assembled poses"
        if there:
            text += "; mobility elsewhere " + ", ".join(map(str, sorted(there)))
    return Generic(c, poses[at], text)


def highest(poses: list[Array], c: Closure) -> Array:
    """Return the first pose of the highest rank."""
    ranks = [rank_of(c.jacobian(p)) for p in poses]
    return poses[ranks.index(max(ranks))]


def _merit(c: Closure, q: Array) -> tuple[int, int, int, int]:
    """Return how badly the motors match the degrees of freedom of a pose; then -rank."""
    from .loops import made_at

    try:
        made = made_at(c, q)
    except SingularPose:
        return (2, 0, 0, 0)
    unmatched = made.free + made.spare_motors
    return (int(not made.mobility), min(made.free, made.spare_motors), unmatched, -made.rank)


def others(c: Closure, q: Array, starts: int = STARTS, seed: int = 3) -> list[Array]:
    """Return assembled poses found from random starts about a pose, always the same.

    Half of them keep the motors where they were drawn: where a motor is held fast at a folded
    pose, these leave it. Without motors, a few keep one joint each.
    """
    from .loops import motors

    rng = np.random.default_rng(seed)
    driven = motors(c.m)
    found: list[Array] = []
    held: list[tuple[tuple[int, ...], int]] = [(driven, starts), ((), starts)]
    if not driven:
        single = [k for b, k in zip(c.m.bodies, c.m.velocity_index, strict=True) if b.joint.nv == 1]
        held = [((), starts), *(((k,), max(4, starts // 4)) for k in single[:ALONE])]
    for hold, tries in held:
        steps = rng.uniform(-1, 1, (tries, c.m.nv)) * np.linspace(0.3, 3.0, tries)[:, None]
        steps[:, list(hold)] *= np.linspace(0.2, 0.5, tries)[:, None]
        many = c.moved(np.repeat(q[None], tries, axis=0), steps)
        count = len(found)
        for start in search(c, many, hold, least=0.0, steps=30)[: 2 * NEEDED]:
            pose, worst = close(c, start, hold)
            if worst < 1e-11:
                found.append(pose)
            if len(found) == count + min(NEEDED, tries // 2):
                break
    return found


def neighbours(c: Closure, q: Array, count: int, far: float = 0.05) -> list[Array]:
    """Return assembled poses a little away, along directions the loops leave free."""
    rng = np.random.default_rng(2)
    N = null_space(c.jacobian(q))
    found = []
    for _ in range(count):
        step = N @ rng.normal(size=N.shape[1]) if N.shape[1] else np.zeros(c.m.nv)
        size = np.abs(step).max(initial=0.0)
        near, worst = close(c, c.moved(q, step * (far / size if size else 0.0)))
        if worst < 1e-11:
            found.append(near)
    return found


def is_regular(c: Closure, q: Array) -> bool:
    """Return whether every motion that J leaves free at a pose leads to assembled poses.

    Where branches meet, or a structure is shaky, a small step along such a motion falls back, or
    the equations have a higher rank where it ends.
    """
    rng = np.random.default_rng(4)
    J = c.jacobian(q)
    N, rank = null_space(J), rank_of(J)
    for _ in range(3 if N.shape[1] else 0):
        step = N @ rng.normal(size=N.shape[1])
        there = c.moved(q, step * (STEP / np.abs(step).max()))
        near, worst = close(c, there)
        if worst > 1e-9 or np.abs(near - there).max() > 0.3 * np.abs(there - q).max():
            return False
        if worst < 1e-12 and rank_of(c.jacobian(near)) > rank:
            return False
    return True


def regular_pose(m: Mechanism, q: ArrayLike | None = None) -> Array:
    """Return an assembled pose that is not singular: near `q`, else near the rest pose.

    The motors decide it, and the closure keeps its rank around it. Of several tries the nearest
    that lies well away from singular poses is taken.

    >>> import dalembert as da
    >>> m = da.robots.fourbar()
    >>> bool(abs(da.closure(m, da.regular_pose(m))).max() < 1e-12)
    True
    """
    c, usual = general_pose(m)
    start = np.array(m.neutral) if q is None else given_pose(m, q)
    here, worst = close(c, start)
    poses = [here] if worst < 1e-11 else []
    for far in (0.1, 0.3, 0.6):
        poses += [p for x in poses[:1] for p in neighbours(c, x, 4, far)]
    poses += [usual, *neighbours(c, usual, 4, 0.3)]
    wanted = _merit(c, usual)
    fit = [p for p in poses if _merit(c, p) == wanted and is_regular(c, p)]
    size = [_distance(c, p) for p in fit]
    if not fit:
        raise ComputationError("no pose was found that is not singular")
    good = 0.1 * max(size)
    away = [float(np.linalg.norm(p - start)) if s >= good else np.inf
            for p, s in zip(fit, size, strict=True)]  # fmt: skip
    found = fit[int(np.argmin(away))]
    return upright(c, found) if q is None else found


def _distance(c: Closure, q: Array) -> float:
    """Return how far a pose is from where the closure loses rank or a motor its hold."""
    from .loops import made_at

    J = c.jacobian(q)
    made = made_at(c, q)
    s = np.linalg.svd(J, compute_uv=False)
    closed = float(s[made.rank - 1] / s[0]) if made.rank else 1.0
    N = null_space(J)
    lead = np.linalg.svd(N[list(made.independent)], compute_uv=False) if N.shape[1] else [1.0]
    return min(closed, float(lead[-1]))
