"""The variables of cut joints: what a joint that was cut would show.

A cut joint has no coordinate in the tree; its variable follows from the poses of its two bodies.
"""

from __future__ import annotations

from ..algebra import Vec3
from ..expr import Scalar, atan2, sqrt, where
from ..joint import UNITS, Vector
from ..mechanism import Loop, Mechanism
from .link_motion import State
from .loop_closure import ends, normals

# the name and the unit of each variable of a cut joint
PARTS: dict[str, dict[str, str]] = {
    "revolute": {"": "rad"},
    "prismatic": {"": "m"},
    "cylindrical": {"slide": "m", "turn": "rad"},
    "universal": {"1": "rad", "2": "rad"},
    "spherical": dict.fromkeys(("qx", "qy", "qz", "qw"), "1"),
}


def cut_names(m: Mechanism) -> list[str]:
    """Return a name for each coordinate of a cut joint."""
    names = []
    for k, loop in enumerate(m.loops, 1):
        name = loop.name or f"loop {k}"
        parts = PARTS.get(loop.joint, {})
        names += [f"{name}.{part}" if part else name for part in parts]
    return names


def cut_units(m: Mechanism) -> list[str]:
    """Return the unit of each coordinate of a cut joint."""
    return [unit for loop in m.loops for unit in PARTS.get(loop.joint, {}).values()]


def cut_coordinates(m: Mechanism, q: Vector) -> list[Scalar]:
    """Return the variables of the cut joints, loop by loop.

    Revolute: the angle; prismatic: the length; cylindrical: slide and turn; universal: both
    angles; spherical: the quaternion. Positive is body_j moved along or about the axis from
    body_i; zero is where both frames of the cut joint coincide, or, without frames, where the
    normals of both axes do.
    """
    return [x for loop in m.loops for x in _variables(loop, *ends(m, loop, q))]


def _variables(loop: Loop, i: State, j: State) -> list[Scalar]:
    if loop.joint not in PARTS:
        return []
    frame_i = [i.R @ (loop.rotation_i @ u) for u in UNITS]
    frame_j = [j.R @ (loop.rotation_j @ u) for u in UNITS]
    if loop.joint == "spherical":
        return _quaternion([[a.dot(b) for b in frame_j] for a in frame_i])
    assert loop.axis is not None
    axis_i = loop.rotation_i.T @ loop.axis
    axis_j = loop.rotation_j.T @ (loop.axis if loop.axis_j is None else loop.axis_j)

    def at_i(v: Vec3) -> Vec3:
        return frame_i[0] * v[0] + frame_i[1] * v[1] + frame_i[2] * v[2]

    def at_j(v: Vec3) -> Vec3:
        return frame_j[0] * v[0] + frame_j[1] * v[1] + frame_j[2] * v[2]

    if loop.joint == "universal":
        # R = Rot(a, θ1) Rot(b, θ2): b turns about a by θ1, a about b by -θ2
        a, b = at_i(axis_i), at_j(axis_j)
        first = atan2(at_i(axis_i.cross(axis_j)).dot(b), at_i(axis_j).dot(b))
        second = atan2(at_j(axis_i.cross(axis_j)).dot(a), at_j(axis_i).dot(a))
        return [first, second]
    s, t = normals(axis_i)
    other = at_j(normals(axis_j)[0])
    turn = atan2(at_i(t).dot(other), at_i(s).dot(other))
    gap = j.p + j.R @ loop.point_j - i.p - i.R @ loop.point_i
    slide = at_i(axis_i).dot(gap)
    size = sqrt(axis_i.dot(axis_i))
    found = {"revolute": [turn], "prismatic": [slide / size], "cylindrical": [slide / size, turn]}
    return found[loop.joint]


def _quaternion(R: list[list[Scalar]]) -> list[Scalar]:
    """Return (x, y, z, w) of a rotation, from the largest of the four; w is not negative."""
    t = R[0][0] + R[1][1] + R[2][2]
    K: list[list[Scalar]] = [[0] * 4 for _ in range(4)]
    for a in range(3):
        for b in range(3):
            K[a][b] = R[a][b] + R[b][a] if a != b else 1 + 2 * R[a][a] - t
    skew = [R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
    for a in range(3):
        K[a][3] = K[3][a] = skew[a]
    K[3][3] = 1 + t
    best, size = K[3], K[3][3]
    for a in range(3):
        better = K[a][a] > size
        best = [where(better, x, y) for x, y in zip(K[a], best, strict=True)]
        size = where(better, K[a][a], size)
    scale = where(best[3] < 0, -1.0, 1.0) / sqrt(sum((x * x for x in best), 0))
    return [x * scale for x in best]
