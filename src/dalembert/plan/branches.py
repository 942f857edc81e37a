"""All poses of a planar loop with two passive joints, in closed form.

Two passive joints and the cut pin are the corners of a triangle whose sides the other joints
decide: the third corner is where two circles meet.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra import Transform, Vec3
from ..errors import ModelError, shown
from ..mechanism import Loop, Mechanism, joint_name
from .assembly import geometry_of, given_pose

Array = np.ndarray


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


Passive = tuple[int, str]  # a body and the branch of the loop that it is on, i or j


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
    from ..algorithms.loop_closure import branches
    from .loops import motors

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
    from ..algorithms.kinematics import frame_pose

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
