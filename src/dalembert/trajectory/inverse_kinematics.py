"""Inverse kinematics by damped least squares on the compiled Jacobian, within joint limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..compute import evaluate, integrate, neutral
from ..compute.designs import Designs, designs_of
from ..compute.reach import REACHED, reach
from ..compute.rotations import check_poses
from ..compute.turns import pose_error
from ..errors import ComputationError, UsageError, require_count, require_none, shown
from ..measure.markers import follow
from ..mechanism import UNHELD, Mechanism, is_closed, require_mechanism
from ..mechanism.limits import coordinate_limits
from ..plan import planned
from ..runtime.arguments import numbers

Array = np.ndarray
WITHIN = 1e-9  # by which a limit may be passed
STARTS = 60  # that are tried where none is given
PATIENCE = 50  # steps without a hundredth gained, after which another of them is tried


def joint_limits(m: Mechanism) -> Array:
    """Return (lower, upper) of every velocity variable; infinite where open or symbolic."""
    limits = coordinate_limits(m)
    places = zip(m.bodies, m.coordinate_index, strict=True)
    rows = [limits[at + k] for body, at in places for k in range(body.joint.nv)]
    return np.array(rows).reshape(-1, 2)


def inverse_kinematics(
    m: Mechanism,
    pose: ArrayLike | Mapping[str, Any] | str | PathLike[str],
    q0: ArrayLike | None = None,
    *,
    frame: str | None = None,
    rows: str = "xyzrpw",
    limits: bool = True,
    rest: ArrayLike | None = None,
    steps: int = 200,
    tolerance: float = 1e-11,
    parameters: Mapping[str, Any] | None = None,
) -> Array:
    """Return joint coordinates near q0 that bring a frame to a pose, or to a point.

    Without q0 it starts at the rest pose; if that fails, at other poses within the limits, always
    the same ones.

    `pose` is 4 x 4, or three numbers for a point. `rows` are the directions that count: x y z and
    the turns r p w about base axes. Damped least squares keeps the limits; motions that the task
    leaves free are drawn towards `rest`. Closed loops stay closed: their motors move.
    A mapping from frames to points (n, 3), or a marker file (.trc, .c3d), is followed sample by
    sample by least squares: the result is q, (n, nq). Arrays of `parameters`, of poses
    (..., 4, 4) or of points (..., 3) are solved together (trees of joints with one coordinate
    each): q is (..., nq), NaN where a pose is not reached.

    >>> import dalembert as da
    >>> m = da.load("RZ(), TXK(1), RZ(), TXK(1); body 2: M = 1;")
    >>> q = da.inverse_kinematics(m, [1.0, 1.0, 0.0], [0.3, 1.0], frame="tip")
    >>> [round(float(x), 6) for x in da.pose(m, q, frame="tip")[:3, 3]]
    [1.0, 1.0, 0.0]
    """
    require_mechanism(m, "inverse_kinematics")
    require_count("steps", steps)
    if isinstance(pose, str) and pose in m.frames:
        hint = f"write inverse_kinematics(m, pose, frame={pose!r})"
        raise UsageError(f"pose is the name of a frame, {pose!r}", hint=hint)
    if isinstance(pose, str | PathLike | Mapping):
        require_none(
            "inverse_kinematics of points of frames", frame=frame, rest=rest, parameters=parameters
        )
        return follow(m, pose, q0, limits=limits)[0]
    designs = designs_of(m, parameters, "inverse_kinematics")
    if designs.lead or np.ndim(pose) > 2 or (np.ndim(pose) == 2 and np.shape(pose) != (4, 4)):
        require_none("inverse_kinematics of many poses at once", rest=rest)
        return _many(designs, pose, q0, frame, rows, limits)
    m = designs.m
    asked, way, most = _wanted(pose, rows), Reach.of(m, limits, rest), (steps, tolerance)
    if q0 is not None:
        return _found(m, asked, q0, frame, most, way)
    failed: ComputationError | None = None
    for start in way.starts():
        try:
            return _found(m, asked, start, frame, most, way, PATIENCE)
        except ComputationError as error:
            failed = failed or error
    raise ComputationError(
        f"{failed.message}, from {STARTS} poses" if failed else "the pose is not reached",
        hint="it may be out of reach or beyond limits; leave rows out, or limits=False",
    )


def _found(
    m: Mechanism, asked: tuple[Array, list[int]], q0: Any, frame: str | None,
    most: tuple[int, float], way: Reach, patience: int | None = None,
) -> Array:  # fmt: skip
    """Return coordinates at a pose by damped least squares, steps no longer than half a radian."""
    (wanted, chosen), (steps, tolerance) = asked, most
    q = way.moved(np.array(q0, dtype=float), np.zeros(m.nv))
    damping, best, gained, since = 1e-3, np.inf, np.inf, 0
    error = np.zeros(len(chosen))
    for k in range(steps):
        now = evaluate(m, "pose", q, frame=frame)
        error = pose_error(now, wanted)[chosen]
        size = float(np.linalg.norm(error))
        if size <= tolerance and way.rest is None:
            return way.kept(q)
        damping = max(1e-14, damping * (0.2 if size < best else 4.0))
        best = min(best, size)
        gained, since = (size, k) if size < 0.99 * gained else (gained, since)
        if patience is not None and size > tolerance and k - since > patience:
            break
        G = way.map(q)
        dq = way.step(evaluate(m, "jacobian", q, frame=frame)[chosen] @ G, error, q, damping)
        if size <= tolerance and float(np.abs(dq).max()) < 1e-10:
            return way.kept(q)
        q = way.moved(q, G @ dq * min(1.0, 0.5 / max(float(np.abs(dq).max()), 1e-300)))
    if float(np.linalg.norm(error)) <= 1e3 * tolerance:
        return way.kept(q)
    raise ComputationError(
        f"the pose is not reached: {np.linalg.norm(error):.3g} is left",
        hint="it may be out of reach or beyond limits; begin nearer, or leave rows out",
    )


def _many(
    designs: Designs, pose: Any, q0: Any, frame: str | None, rows: str, limits: bool
) -> Array:
    """Return coordinates of many machines, or for many poses, NaN where one is not reached."""
    m = designs.m
    if is_closed(m) or m.nq != m.nv:
        raise UsageError(
            "many poses at once are for trees of joints with one coordinate each",
            hint="ask for one pose after the other",
        )
    goal = numbers(pose, "pose")
    size = 2 if goal.shape[-2:] == (4, 4) else 1
    one = goal.reshape((-1, *goal.shape[goal.ndim - size :]))[0]
    _, chosen = _wanted(one, rows)
    start = np.asarray(neutral(m) if q0 is None else q0, dtype=float)
    lead = np.broadcast_shapes(designs.lead, goal.shape[: goal.ndim - size], start.shape[:-1])
    given = {n: np.broadcast_to(designs.shaped(x), lead).ravel() for n, x in designs.arrays.items()}
    tail = goal.shape[goal.ndim - size :]
    goals = np.broadcast_to(goal, (*lead, *tail)).reshape((-1, *tail))
    starts = np.array(np.broadcast_to(start, (*lead, m.nq)).reshape(-1, m.nq))
    free = np.full(m.nq, np.inf)
    within = None if limits else (-free, free)
    found, left = reach(m, given, starts, frame, goals, tuple(chosen), within)
    others = Reach.of(m, limits, None).starts() if q0 is None else iter(())
    for other in islice(others, 1, 12):
        missed = np.flatnonzero(left > REACHED)
        if not missed.size:
            break
        again = np.tile(other, (missed.size, 1))
        own = {n: x[missed] for n, x in given.items()}
        q, gap = reach(m, own, again, frame, goals[missed], tuple(chosen), within)
        found[missed], left[missed] = q, gap
    found[left > REACHED] = np.nan
    return found.reshape((*lead, m.nq))


def _wanted(pose: Any, rows: str) -> tuple[Array, list[int]]:
    """Return a pose as 4 x 4 and the directions that count; a point has no turns."""
    wanted = np.eye(4)
    given = numbers(pose, "pose")
    if given.shape == (3,):
        wanted[:3, 3], rows = given, rows.replace("r", "").replace("p", "").replace("w", "")
    elif given.shape == (4, 4):
        check_poses("inverse_kinematics", wanted := given)
    else:
        raise UsageError(
            f"pose has shape {given.shape}, expected (4, 4) or (3,)",
            hint="write a point [x, y, z], or four rows",
        )
    if not set(rows) <= set("xyzrpw"):
        raise UsageError(f"rows = {rows!r}", hint='some of "xyzrpw": directions, then turns')
    return wanted, ["xyzrpw".index(c) for c in rows]


@dataclass(frozen=True, eq=False)
class Reach:
    """What may move and how far: all joints, or the independent ones of closed loops."""

    m: Mechanism
    index: tuple[int, ...]  # velocity variables that are free to choose
    places: tuple[int, ...]  # their coordinates in q; -1 for those of quaternions
    bound: Array
    rest: Array | None
    # passive joints: name, place, limits, and a whole turn, 0 where they do not turn
    others: tuple[tuple[str, int, float, float, float], ...] = ()

    @staticmethod
    def of(m: Mechanism, limits: bool, rest: Any) -> Reach:
        """Return what may move and how far; with closed loops the independent joints."""
        # wheels hold rates, and leave every pose within reach
        m = replace(m, **UNHELD, speeds=(), checked=True)
        index = planned(m).independent if is_closed(m) else tuple(range(m.nv))
        starts = zip((b.joint for b in m.bodies), m.coordinate_index, strict=True)
        at = [start + k if j.nq == j.nv else -1 for j, start in starts for k in range(j.nv)]
        own = list(index)
        bound = joint_limits(m)[own] if limits else np.full((len(own), 2), [-np.inf, np.inf])
        goal = None if rest is None else np.asarray(rest, dtype=float)
        others = [k for k in range(m.nv) if limits and k not in own and at[k] >= 0]
        known = joint_limits(m)
        turns = [2 * np.pi * (b.joint.kind == "revolute") for b in m.bodies
                 for _ in range(b.joint.nv)]  # fmt: skip
        passive = tuple((m.rate_names[k], at[k], float(known[k, 0]), float(known[k, 1]), turns[k])
                        for k in others)  # fmt: skip
        return Reach(m, index, tuple(at[k] for k in own), bound, goal, passive)

    def kept(self, q: Array) -> Array:
        """Return q, if the joints that follow in closed loops are within their limits as well."""
        for name, at, low, high, turn in self.others:
            # a joint that turns may stand whole turns away
            x = q[at] - turn * np.ceil((q[at] - high - WITHIN) / turn) if turn else q[at]
            if not low - WITHIN <= x <= high + WITHIN:
                raise ComputationError(
                    f"the pose is not reached within limits: {shown(name)} would be at {q[at]:.4g} "
                    f"({low:g} to {high:g})",
                    hint="begin on another branch, or limits=False",
                )
        return q

    def starts(self) -> Iterator[Array]:
        """Yield the rest pose, then poses spread over the limits, half a turn if there are none.

        Points of a golden sequence: each coordinate in steps of an irrational number of its own.
        """
        q = np.asarray(neutral(self.m), dtype=float)
        yield q
        half = np.where(np.isfinite(self.bound), self.bound, [-np.pi, np.pi])
        step = np.sqrt(np.arange(2, 2 + len(self.places)))  # a square costs a coordinate nothing
        step = np.where(step % 1 == 0, step + 0.6180339887498949, step)
        for k in range(1, STARTS):
            there = q.copy()
            for place, (low, high), x in zip(self.places, half, (k * step) % 1.0, strict=True):
                if place >= 0:
                    there[place] = low + x * (high - low)
            yield there

    def map(self, q: Array) -> Array:
        """Return the rates of all joints from those that are free to choose."""
        if not is_closed(self.m):
            return np.eye(self.m.nv)
        G: Array = evaluate(self.m, "active_map", q)
        return G

    def closed(self, q: Array) -> Array:
        """Return the pose with its loops closed."""
        found: Array = evaluate(self.m, "assembly", q) if is_closed(self.m) else q
        return found

    def values(self, q: Array) -> Array:
        """Return the coordinates of what is free to choose; zero for quaternions."""
        return np.array([q[k] if k >= 0 else 0.0 for k in self.places])

    def moved(self, q: Array, dq: Array) -> Array:
        """Return q moved, within limits, loops closed."""
        q = integrate(self.m, q, dq)
        for k, (low, high) in zip(self.places, self.bound, strict=True):
            if k >= 0:
                q[k] = min(max(q[k], low), high)
        return self.closed(q)

    def step(self, J: Array, error: Array, q: Array, damping: float) -> Array:
        """Return a damped step; joints that press against a limit are left out."""
        n, now = len(self.index), self.values(q)
        free = np.ones(n, dtype=bool)
        dq = np.zeros(n)
        for _ in range(n + 1):
            Jf = J[:, free]
            K = Jf @ Jf.T + damping * np.eye(len(J))
            dq = np.zeros(n)
            dq[free] = Jf.T @ np.linalg.solve(K, error)
            if self.rest is not None:
                pull = 0.5 * (self.values(self.rest) - now)[free]
                dq[free] += pull - np.linalg.pinv(Jf, rcond=1e-6) @ (Jf @ pull)
            pressed = ((now <= self.bound[:, 0]) & (dq < 0)) | (
                (now >= self.bound[:, 1]) & (dq > 0)
            )
            if not (pressed & free).any():
                return dq
            free &= ~pressed
        return dq
