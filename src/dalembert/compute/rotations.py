"""Checks of rotations that users give: unit quaternions and 4 x 4 poses."""

from __future__ import annotations

from typing import Any

from ..errors import UsageError, shown
from ..mechanism import Mechanism, joint_name

UNIT = 1e-4  # how far a quaternion or an axis may be from length 1; integration drifts
ROUGH = 1e-3  # the same where it is normalised first


def check_rotations(m: Mechanism, name: str, inputs: dict[str, Any]) -> None:
    """Raise UsageError if the coordinates or the pose given to a quantity hold no rotation."""
    if m.nq != m.nv and "q" in inputs:
        check_quaternions(m, name, inputs["q"])
    if "pose" in inputs:
        check_poses(name, inputs["pose"])


def check_quaternions(m: Mechanism, name: str, q: Any, within: float = UNIT) -> None:
    """Raise UsageError if a quaternion in q is not of unit length, naming joint and state."""
    import numpy

    x = numpy.asarray(q, dtype=float)
    for j, body in m.outward():
        if body.joint.nq == body.joint.nv or x.shape[-1:] != (m.nq,):
            continue
        last = m.coordinate_index[j] + body.joint.nq
        size = numpy.linalg.norm(x[..., last - 4 : last], axis=-1)
        bad = numpy.argwhere(numpy.abs(size - 1) > within)
        if len(bad):
            raise UsageError(
                f"{name}: the quaternion of joint {shown(joint_name(body))!r}{_place(bad[0])} "
                f"has length {size[tuple(bad[0])]:.7g}, not 1",
                hint="divide qx, qy, qz, qw by it; neutral(m) is the rest pose, (0, 0, 0, 1)",
            )


def check_poses(name: str, pose: Any) -> None:
    """Raise UsageError unless the pose holds a rotation: R'R = 1, det R = 1."""
    import numpy

    x = numpy.asarray(pose, dtype=float)
    if x.shape[-2:] != (4, 4):
        return  # the kernel says which shape it takes
    R = x[..., :3, :3]
    off = numpy.abs(numpy.swapaxes(R, -1, -2) @ R - numpy.eye(3)).max(axis=(-1, -2))
    for fails, what in (
        (off > UNIT, "its axes are not unit vectors at right angles"),
        (numpy.linalg.det(R) < 0, "it mirrors: its axes are left-handed"),
        ((x[..., 3, :] != [0, 0, 0, 1]).any(axis=-1), "its last row is not 0 0 0 1"),
    ):
        bad = numpy.argwhere(fails)
        if len(bad):
            raise UsageError(
                f"{name}: pose{_place(bad[0])} is not a pose: {what}",
                hint="four rows: the axes as columns, then the position; 0 0 0 1 below",
            )


def _place(index: Any) -> str:
    state = tuple(map(int, index))
    return f" of state {state if len(state) > 1 else state[0]}" if state else ""
