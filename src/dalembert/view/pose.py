"""Where a mechanism is drawn: numbers for open parameters, a start pose, frames in the world."""

from __future__ import annotations

from contextlib import suppress
from math import isfinite
from typing import Any

import numpy as np

from ..algebra import Transform
from ..errors import ComputationError, UsageError, shown
from ..expr import Expr
from ..expr.exact import to_float
from ..joint import Prismatic, Vector
from ..mechanism import Mechanism, require_mechanism
from ..mechanism.limits import coordinate_limits
from ..mechanism.validate import numbers
from ..plan.assembly import Closure, assemble, geometry_of
from .bodies import array, floating

Array = np.ndarray
STAND_IN = 0.4  # metres or radians, for a parameter of the geometry that has no value


def stand_ins(m: Mechanism) -> dict[str, float]:
    """Return a value for each open parameter, so that a machine of letters can be drawn."""
    return dict.fromkeys(m.open_parameters, STAND_IN)


def drawn_with(m: Mechanism) -> list[str]:
    """Return the open parameters that decide the shape, those a picture has to mention."""
    found = {n for x in numbers(geometry_of(m)) if isinstance(x, Expr) for n in x.names()}
    found |= {n for x in _springs_and_wheels(m) if isinstance(x, Expr) for n in x.names()}
    return [n for n in m.open_parameters if n in found]


def _springs_and_wheels(m: Mechanism) -> list[Any]:
    points = [p for s in m.springs for p in (s.point_i, s.point_j)]
    return [x for p in (*points, *(w.point for w in m.wheels)) for x in p]


def in_numbers(m: Mechanism) -> Mechanism:
    """Return the mechanism in floats, its open parameters replaced by stand-ins."""
    require_mechanism(m, "view")
    return m.bound(stand_ins(m))


def limits_of(m: Mechanism) -> list[tuple[float | None, float | None]]:
    """Return one pair of limits per coordinate; None where open or still a letter."""
    pairs = coordinate_limits(m)
    return [(a if isfinite(a) else None, b if isfinite(b) else None) for a, b in pairs]


def whole(m: Mechanism, q: Any = None) -> tuple[Mechanism, Any]:
    """Return the machine with a coordinate for each joint that follows another, and q likewise."""
    if not m.followers:
        return m, q
    if q is not None and np.shape(q)[-1] == m.nq:
        fold = m.unfolded.fold
        values = m.floats
        rows = [(k, to_float(a, values), to_float(b, values)) for k, a, b in fold.q]
        columns = np.asarray(q, dtype=float)
        q = np.stack([a * columns[..., k] + b for k, a, b in rows], axis=-1)
    return m.coupled, q


def start_pose(m: Mechanism, q: Any = None) -> tuple[Array, list[str]]:
    """Return (q, remarks): the given pose, or one at rest within its limits with loops closed.

    A machine with loops may be given its motors alone.
    """
    remarks: list[str] = []
    closed = bool(m.loops or m.couplings)
    numeric = m.with_values(stand_ins(m)) if m.open_parameters else m
    if q is None:
        pose = np.array(m.neutral)
        for k, (lo, hi) in enumerate(limits_of(m)):
            outside = (lo is not None and pose[k] < lo) or (hi is not None and pose[k] > hi)
            if outside:
                lo, hi = lo if lo is not None else hi, hi if hi is not None else lo
                pose[k] = (lo + hi) / 2  # type: ignore[operator]
        return (_upright(numeric, pose, remarks) if closed else pose), remarks
    given = np.asarray(q, dtype=float).reshape(-1)
    if given.shape == (m.nq,):
        return (_given(numeric, given, remarks) if closed else given), remarks
    motors = [m.joint_index(name) for name in m.active]
    if closed and motors and len(given) == len(motors) and not m.prescribed:
        return _with_motors(numeric, motors, given), remarks
    raise UsageError(
        f"q has {len(given)} entries, the mechanism needs {m.nq}",
        hint="joints: " + ", ".join(map(shown, m.joint_names[:12])),
    )


def _given(m: Mechanism, pose: Array, remarks: list[str]) -> Array:
    """Return a pose with its loops closed: its motors stay where they can, and a remark says so."""
    try:
        found, who = np.asarray(assemble(m, pose, hold=m.active)), "joints without a motor were"
    except ComputationError:
        found, who = _closed(m, pose, remarks), "all joints were"
    if not remarks and np.abs(found - pose).max() > 1e-6:
        remarks.append(f"the loops are open at the pose that was given: {who} moved")
    return found


def _with_motors(m: Mechanism, motors: list[int], given: Array) -> Array:
    pose = assemble(m)
    starts = np.cumsum([0, *(b.joint.nq for b in m.bodies)])
    goal = pose.copy()
    for j, x in zip(motors, given, strict=True):
        goal[starts[j]] = x
    # by small steps, so that the branch stays the same
    for share in np.linspace(0, 1, 11)[1:]:
        at = pose.copy()
        for j in motors:
            at[starts[j]] = (1 - share) * pose[starts[j]] + share * goal[starts[j]]
        pose = assemble(m, at, hold=m.active)
    return np.asarray(pose)


def _upright(m: Mechanism, pose: Array, remarks: list[str]) -> Array:
    """Return an assembled pose that looks as such machines do: platforms level, above the base."""
    found = [_closed(m, pose, remarks)]
    numeric = m.bound()
    hidden = floating(numeric)
    if not hidden or remarks:
        return found[0]
    g = array(numeric.gravity)
    up = -g / np.linalg.norm(g) if np.linalg.norm(g) > 0 else np.array([0.0, 0.0, 1.0])
    held = [array(b.placement.p) for b in numeric.bodies if b.parent < 0]
    starts, size = np.cumsum([0, *(b.joint.nq for b in m.bodies)]), Closure(m).size
    for height in (0.6, 1.0, 1.5, -0.6, -1.0, -1.5):
        start = pose.copy()
        for j, b in enumerate(numeric.bodies):
            if b.joint.kind == "free":
                start[starts[j] : starts[j] + 3] = np.mean(held, axis=0) + height * size * up
            elif isinstance(b.joint, Prismatic):
                share = float(array(b.joint.axis) @ up)
                start[starts[j]] = height * size * (share if j in hidden else 1.0)
        with suppress(ComputationError):
            found.append(np.asarray(assemble(m, start)))
    return min(found, key=lambda q: _awkward(m, q, up))


def _awkward(m: Mechanism, q: Array, up: Array) -> float:
    """Return how far a pose is from level platforms above the base and slides drawn out."""
    cost, at = 0.0, 0
    hidden, motors, driven = floating(m), {m.joint_index(n) for n in m.active}, []
    for j, b in enumerate(m.bodies):
        own = q[at : at + b.joint.nq]
        at += b.joint.nq
        driven += [float(own[0])] if j in motors and b.joint.nq == 1 else []
        if b.joint.kind == "free":
            cost += 4 * float(np.linalg.norm(own[3:6])) + 5 * float(own[:3] @ up < 0)
        elif b.joint.kind == "prismatic":
            cost += float(own[0] < 0) * float(j not in hidden)
        elif b.joint.nq == 1:
            cost += 0.05 * abs(float(np.arctan2(np.sin(own[0]), np.cos(own[0]))))
    return cost + 3 * float(np.std(driven)) * (len(driven) > 2)


def _closed(m: Mechanism, pose: Array, remarks: list[str]) -> Array:
    try:
        return np.asarray(assemble(m, pose))
    except ComputationError as error:
        remarks.append(f"drawn open: {error.message}")
        return pose


def world_frames(m: Mechanism, q: Vector | Array) -> list[Transform]:
    """Return the frame of each body in the world; m is in floats."""
    frames: list[Transform] = []
    for b, own in zip(m.bodies, m.split_q(list(map(float, q))), strict=True):
        R, p = b.pose(own)
        here = Transform(R, p)
        there = here if b.parent < 0 else frames[b.parent] @ here
        # one matrix each: long chains of factors are not needed here
        frames.append(Transform(type(there.R).of(there.R.matrix()), there.p))
    return frames
