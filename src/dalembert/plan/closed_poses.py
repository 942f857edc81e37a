"""Closed poses of a machine with some joints held: in closed form, or from many starts.

Planar loops with two unknown pins each are solved one after the other: two passive joints and the
cut pin are the corners of a triangle whose sides the other joints decide, and the third corner is
where two circles meet. Where there is no such order, random starts are led to closed poses by least
squares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra import Transform, Vec3
from ..algorithms.kinematics import frame_pose
from ..algorithms.loop_closure import branches
from ..errors import ModelError, UsageError, shown
from ..expr import trace
from ..mechanism import Loop, Mechanism, joint_name
from .assembly import Closure, close, geometry_of, given_pose, search, values_at
from .elimination import null_space
from .generic import STEP
from .loops import motors

Array = np.ndarray


STARTS = 96  # of one round of the search
ROUNDS = 8  # at most; it ends after two rounds without a new pose
SAME = 1e-6  # poses whose points are nearer than this, in parts of the size, are one


class Points:
    """Where all frame origins and cut points of a machine are: what tells poses apart.

    A universal joint turned by half a turn, or a rod spun about its own axis, moves none of them.
    """

    def __init__(self, c: Closure):
        m = self.m = c.m
        self.c = c

        def points(q: Sequence[Any]) -> list[Any]:
            poses = [frame_pose(m, body.name, q) for body in m.bodies]
            out = [x for pose in poses for x in pose.p]
            for loop in m.loops:
                out += [x for x in (poses[loop.body_i] @ loop.point_i if loop.body_i >= 0
                                    else loop.point_i)]  # fmt: skip
            return out

        self._function = trace(points, [("q", m.nq)])

    def at(self, q: Any) -> Any:
        """Return the points of many poses, in parts of the size."""
        return values_at(self._function, q) / self.c.size

    def new(self, q: Any, among: Sequence[Any], far: float = SAME) -> bool:
        """Return whether a pose is none of others."""
        if not len(among):
            return True
        all_of = self.at(np.stack([q, *among]))
        return bool(np.abs(all_of[1:] - all_of[0]).max(axis=1).min() > far)


# -- closed form -------------------------------------------------------------------------------


Passive = tuple[int, str]  # a body and the branch of the loop that it is on, i or j
Dyad = tuple[Loop, tuple[Passive, Passive]]


def dyads(m: Mechanism, held: Sequence[int]) -> list[Dyad] | None:
    """Return loops in an order in which each has two unknown pins; None if there is none."""
    known = {j for j in range(len(m.bodies)) if not m.bodies[j].joint.nv}
    known |= {j for j in range(len(m.bodies)) if m.velocity_index[j] in set(held)}
    known &= {j for j, b in enumerate(m.bodies) if b.joint.nv <= 1}
    left, chain = list(m.loops), []
    while left and not m.couplings:
        for loop in left:
            sides = zip("ij", branches(m, loop), strict=True)
            unknown = [(j, side) for side, path in sides for j in path if j not in known]
            if not unknown or _pins(m, loop, unknown):
                break
        else:
            return None
        left.remove(loop)
        if unknown:
            chain.append((loop, (unknown[0], unknown[1])))
            known |= {j for j, _ in unknown}
    complete = all(j in known for j in range(len(m.bodies)))
    return chain if chain and not left and complete else None


def _pins(m: Mechanism, loop: Loop, unknown: list[Passive]) -> bool:
    pins = all(m.bodies[j].joint.kind == "revolute" for j, _ in unknown)
    return len(unknown) == 2 and pins and loop.joint == "revolute"


def closed_form(c: Closure, chain: list[Dyad], start: Any) -> list[tuple[str, Any]] | None:
    """Return (name, pose) of all poses; None where the dyads are not planar."""
    indices = [c.m.loops.index(_same(c.m, loop)) for loop, _ in chain]
    found: list[tuple[str, Any]] = [("", start)]
    for index, (_, ends) in zip(indices, chain, strict=True):
        again = []
        for signs, pose in found:
            poses = dyad_poses(c.m, c.m.loops[index], ends, pose)
            marks = "+-" if len(poses) == 2 else "0"
            again += [(signs + mark, q) for mark, q in zip(marks, poses, strict=False)]
        found = again
    closed = [(signs, q) for signs, q in found if c.worst(q) < 1e-9]
    if found and not closed and not _planar(c, start):
        return None
    word = "elbow" if len(chain) == 1 else "elbows"
    named: list[tuple[str, Any]] = []
    points = Points(c)
    for signs, q in closed:
        if points.new(q, [other for _, other in named]):
            named.append((f"{word} {' '.join(signs)}", q))
    return named


def _same(m: Mechanism, loop: Loop) -> Loop:
    """Return the loop of the bound mechanism that has the ends of another."""
    ends = (loop.body_i, loop.body_j, loop.name)
    return next(x for x in m.loops if (x.body_i, x.body_j, x.name) == ends)


def _planar(c: Closure, q: Any) -> bool:
    """Return whether all axes are parallel at a pose."""
    axes = [axis_of(c.m, q, j) for j, b in enumerate(c.m.bodies) if b.joint.kind == "revolute"]
    return all(np.linalg.norm(np.cross(axes[0], a)) < 1e-9 for a in axes)


# -- one loop ------------------------------------------------------------------------------------


def planar_branches(m: Mechanism, q: ArrayLike) -> list[Array]:
    """Return the poses of a planar four- or five-bar at given motors, in closed form: 2, 1 or none.

    Motors stay as `q` has them, wherever the loop is cut; the two passive joints of the loop are
    found. Without motors those at the ends of both branches are taken as passive.

    >>> import dalembert as da
    >>> m = da.robots.fivebar()
    >>> len(da.planar_branches(m, da.assemble(m)))
    2
    """
    if len(m.loops) != 1 or m.loops[0].joint != "revolute":
        raise ModelError("branches in closed form are those of one loop with a revolute cut joint")
    b, pose = geometry_of(m).bound(), given_pose(m, q)
    return dyad_poses(b, b.loops[0], _passive(m), pose)


def dyad_poses(b: Mechanism, loop: Loop, ends: tuple[Passive, Passive], pose: Array) -> list[Array]:
    """Return the poses in which two passive joints close a planar loop, the others as in `pose`.

    The first turns the triangle to the left, seen along the axis; where both are one there is one.
    """
    (first, path), (second, other) = ends
    tips = {"i": (loop.body_i, loop.point_i), "j": (loop.body_j, loop.point_j)}
    axis = axis_of(b, pose, first)
    start = _place(b, pose, first, Vec3(0, 0, 0))
    if path == other:
        # the second turns about the first, the tip beyond it about the second
        reach, beyond = (second, Vec3(0, 0, 0)), tips[path]
        goal = _place(b, pose, *tips["j" if path == "i" else "i"])
        long = _arm(axis, _place(b, pose, *beyond) - _place(b, pose, *reach))
    else:
        # both turn their tips to one pin
        reach, beyond = tips[path], tips[other]
        goal = _place(b, pose, second, Vec3(0, 0, 0))
        long = _arm(axis, _place(b, pose, *beyond) - goal)
    short = _arm(axis, _place(b, pose, *reach) - start)
    found = []
    for pin in _meeting(axis, start, goal, float(np.linalg.norm(short)),
                        float(np.linalg.norm(long))):  # fmt: skip
        new = _turned(b, pose, first, reach, pin)
        found.append(_turned(b, new, second, beyond, goal if path == other else pin))
    return found


def _passive(m: Mechanism) -> tuple[Passive, Passive]:
    """Return the two passive bodies of the loop, from its base outwards, and their branch."""
    driven, loop = set(motors(m)), m.loops[0]
    sides = [(k, side) for side, path in zip("ij", branches(m, loop), strict=True) for k in path]
    found = [(k, s) for k, s in sides if m.bodies[k].joint.nv and m.velocity_index[k] not in driven]
    if not driven:
        found = [(k, s) for k, s in sides if k in (loop.body_i, loop.body_j)]
    if len(found) != 2 or any(m.bodies[k].joint.kind != "revolute" for k, _ in found):
        names = ", ".join(shown(joint_name(m.bodies[k]), 40) for k, _ in found[:8]) or "none"
        raise ModelError(
            f"branches in closed form need two passive revolute joints in the loop, not {names}",
            hint="name the motors in active; dalembert.assemble(m, q) finds one pose of any loop",
            command="name the motors in active",
        )
    return found[0], found[1]


def _place(b: Mechanism, pose: Array, body: int, point: Vec3) -> Array:
    """Return a point of a body in the base frame."""
    return np.array(list(_frame(b, pose, body) @ point), dtype=float)


def _frame(b: Mechanism, pose: Array, body: int) -> Transform:
    return frame_pose(b, b.bodies[body].name, pose.tolist()) if body >= 0 else Transform()


def axis_of(b: Mechanism, pose: Array, body: int) -> Array:
    """Return the axis of a joint in the base frame."""
    axis: Any = b.bodies[body].joint.axis  # type: ignore[attr-defined]
    return np.array(list(_frame(b, pose, body).R @ axis), dtype=float)


def _arm(axis: Array, v: Array) -> Array:
    """Return the part of a vector in the plane."""
    return v - axis * (axis @ v)


def _meeting(axis: Array, a: Array, c: Array, r: float, s: float) -> list[Array]:
    """Return where circles about a and c meet, seen along the axis."""
    gap = _arm(axis, c - a)
    d = float(np.linalg.norm(gap))
    if d <= 1e-9 * (r + s):  # one about the other: any direction or none
        return []
    along = (d * d + r * r - s * s) / (2 * d)
    height2 = r * r - along * along
    if height2 < -1e-12 * r * r:
        return []
    across = np.cross(axis, gap) / d
    signs = (1.0, -1.0) if height2 > 1e-12 * r * r else (0.0,)
    return [a + gap / d * along + across * (k * np.sqrt(max(height2, 0.0))) for k in signs]


def _turned(b: Mechanism, pose: Array, body: int, tip: tuple[int, Vec3], to: Array) -> Array:
    """Return the pose with one joint turned so that a point beyond it lies towards another."""
    axis, centre = axis_of(b, pose, body), _place(b, pose, body, Vec3(0, 0, 0))
    arm, way = _arm(axis, _place(b, pose, *tip) - centre), _arm(axis, to - centre)
    turn = np.arctan2(axis @ np.cross(arm, way), arm @ way)
    at = b.coordinate_index[body]
    new = pose.copy()
    new[at] = (pose[at] + turn + np.pi) % (2 * np.pi) - np.pi
    return new


# -- many starts -------------------------------------------------------------------------------


def sought(c: Closure, start: Any, held: Any, starts: int | None) -> tuple[list[Any], int]:
    """Return the closed poses that rounds of random starts lead to, and how many starts."""
    found: list[Any] = []
    points = Points(c)
    idle = count = curves = 0
    most = ROUNDS * STARTS if starts is None else starts
    rng = np.random.default_rng(5)
    while count < most and (idle < 2 or starts is not None):
        n = min(STARTS, most - count)
        ends = search(c, _random_poses(c, start, held, n, rng), held, steps=40, least=0.0)
        before = len(found)
        near = np.abs(c.residual(ends)).max(axis=1, initial=0.0) < 0.05
        for end in ends[near]:
            if not points.new(end, found, 1e-3):
                continue
            pose, worst = close(c, end, held)
            pose = _wrapped(c.m, pose)
            if worst < 1e-11 and points.new(pose, found):
                if _is_single(c, points, pose, held):
                    found.append(pose)
                else:
                    curves += 1
        count += n
        idle = 0 if len(found) > before else idle + 1
    if curves and not found:
        raise UsageError(
            "assembly_modes: poses are not single ones: the machine moves with its motors held",
            hint="give values of more joints",
        )
    return found, count


def _is_single(c: Closure, points: Points, q: Any, held: Any) -> bool:
    """Return whether a pose is not one of a curve of poses, as folded linkages may have."""
    moving = [k for k in range(c.m.nv) if k not in set(held)]
    N = null_space(c.jacobian(q)[:, moving])
    if not N.shape[1]:
        return True
    step = np.zeros(c.m.nv)
    step[moving] = N[:, 0] * (STEP / np.abs(N[:, 0]).max())
    near, worst = close(c, c.moved(q, step), tuple(held))
    return not (worst < 1e-11 and points.new(near, [q], 0.1 * STEP))


def _random_poses(c: Closure, start: Any, held: Any, n: int, rng: Any) -> Any:
    """Return poses with the held joints as at the start, all others anywhere."""
    m, out = c.m, []
    for j, body in enumerate(m.bodies):
        kind, own = body.joint.kind, body.joint
        if own.nv == 1 and m.velocity_index[j] in held:
            out += [np.full(n, start[m.coordinate_index[j]])]
        elif kind in ("free", "spherical"):
            out += list(rng.uniform(-2, 2, (own.nq - 4, n)) * c.size)
            x = rng.normal(size=(4, n))
            out += list(x / np.linalg.norm(x, axis=0))
        elif kind == "planar":
            out += [*(rng.uniform(-2, 2, (2, n)) * c.size), rng.uniform(-np.pi, np.pi, n)]
        else:
            far = 2 * c.size if kind == "prismatic" else np.pi
            out += list(rng.uniform(-far, far, (own.nq, n)))
    return np.array(out).reshape(m.nq, n).T.copy()


def _wrapped(m: Mechanism, q: Any) -> Any:
    """Return a pose with passive angles within half a turn and quaternions with w >= 0."""
    out = np.array(q, dtype=float)
    for body, at in zip(m.bodies, m.coordinate_index, strict=True):
        kind, nq = body.joint.kind, body.joint.nq
        if kind in ("free", "spherical") and out[at + nq - 1] < 0:
            out[at + nq - 4 : at + nq] *= -1
        if kind == "planar":
            out[at + 2] = _half_turn(out[at + 2])
        if kind == "revolute":
            out[at] = _half_turn(out[at])
    return out


def _half_turn(x: float) -> float:
    return x if -math.pi < x <= math.pi else math.remainder(x, 2 * math.pi)
