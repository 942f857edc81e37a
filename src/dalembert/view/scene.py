"""A mechanism as plain data: everything that the page needs to draw it, move it and close it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra import Transform
from ..errors import shown
from ..mechanism import Mechanism, joint_name
from ..mechanism.view import headline
from .bodies import array, attachments, ellipsoid, floating, mass_centre, matrix, shape_points
from .pose import drawn_with, in_numbers, limits_of, start_pose, whole, world_frames
from .wheels import NAME, wheels

Array = np.ndarray


def scene(m: Mechanism, q: Any = None, motion: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the data of a view: bodies, joints, loops, wheels, and a motion if there is one."""
    title = headline(m)  # of the joints that have coordinates, without those that follow
    m, q = whole(m, q)
    numeric = in_numbers(m)
    pose, remarks = start_pose(m, q)
    frames = world_frames(numeric, pose)
    corners = _corners(numeric, frames)
    low, high = corners.min(axis=0), corners.max(axis=0)
    size = float(np.linalg.norm(high - low)) or 1.0
    points = shape_points(numeric, m, size)
    bodies, odd = _bodies(m, numeric, points, size)
    letters = drawn_with(m)
    if letters:
        shown_letters = ", ".join(map(shown, letters[:8])) + (", ..." * (len(letters) > 8))
        remarks.append(f"drawn with 0.4 for the parameters without a value: {shown_letters}")
    return {
        "name": shown(m.name, NAME),
        "headline": title,
        "gravity": array(numeric.gravity).tolist(),
        "size": size,
        "low": low.tolist(),
        "high": high.tolist(),
        "q": pose.tolist(),
        "bodies": bodies,
        "base": [p.tolist() for p in attachments(numeric)[-1]],
        "frames": [
            {"name": shown(f.name, NAME), "body": f.body, "place": matrix(f.placement)}
            for f in numeric.named
        ],
        "loops": [_loop(x) for x in numeric.loops],
        "couplings": [
            {"joint": c.joint, "of": c.of, "ratio": float(c.ratio), "offset": float(c.offset)}
            for c in numeric.couplings
        ],
        "springs": [_ends(s) | {"length": float(s.length)} for s in numeric.springs],
        "wheels": wheels(numeric, pose),
        "steer": _steered(numeric),
        "elastic": [s.joint for s in numeric.elastic],
        "active": [m.joint_index(n) for n in m.active if n in m.joint_names],
        "remarks": [*odd, *remarks],
        "motion": motion,
    }


def _corners(m: Mechanism, frames: list[Transform]) -> Array:
    """Return all points held by bodies, in the world."""
    held = attachments(m)
    found = [np.zeros(3)] if any(b.joint.kind != "free" for b in m.bodies if b.parent < 0) else []
    found += held[-1]
    for j, T in enumerate(frames):
        found.append(array(T.p))
        found += [array(T @ type(T.p)(*map(float, p))) for p in held[j]]
        centre = m.bodies[j].inertia.centre if float(m.bodies[j].m) > 0 else None
        if centre is not None:
            found.append(array(T @ centre))
    return np.array(found)


def _bodies(
    m: Mechanism, numeric: Mechanism, points: list[list[list[float]]], size: float
) -> tuple[list[dict[str, Any]], list[str]]:
    out: list[dict[str, Any]] = []
    odd: list[str] = []
    limits, hidden, at = limits_of(m), floating(numeric), 0
    for j, b in enumerate(numeric.bodies):
        centre = mass_centre(m, numeric, j)
        # a link may reach back to the joint before it as well as on to the next
        ends = np.array(
            [*points[j], array(b.placement.p), np.zeros(3) if centre is None else centre]
        )
        reach = float(np.linalg.norm(ends, axis=1).max())
        reach = max([reach, *(float(w.radius) for w in numeric.wheels if w.body == j and w.radius)])
        shape, why = ellipsoid(m, numeric, j, reach, size)
        odd += [why] if why else []
        axis = getattr(b.joint, "axis", None)
        out.append({
            "name": shown(b.name, NAME),
            "joint": shown(joint_name(b), NAME),
            "kind": b.joint.kind,
            "parent": b.parent,
            "place": matrix(b.placement),
            "axis": None if axis is None else array(axis).tolist(),
            "pitch": float(getattr(b.joint, "pitch", 0.0)),
            "limits": limits[at : at + b.joint.nq],
            "hidden": j in hidden,
            "points": points[j],
            "mass": float(b.m) if centre is not None else None,
            "centre": None if centre is None else centre.tolist(),
            "ellipsoid": shape,
        })  # fmt: skip
        at += b.joint.nq
    return out, odd


def _ends(record: Any) -> dict[str, Any]:
    return {
        "i": record.body_i, "pi": array(record.point_i).tolist(),
        "j": record.body_j, "pj": array(record.point_j).tolist(),
    }  # fmt: skip


def _loop(loop: Any) -> dict[str, Any]:
    axis_j = loop.axis if loop.axis_j is None else loop.axis_j
    return _ends(loop) | {
        "name": shown(loop.name, NAME),
        "kind": loop.joint,
        "axis_i": None if loop.axis is None else array(loop.axis).tolist(),
        "axis_j": None if axis_j is None else array(axis_j).tolist(),
        "Ri": [float(x) for row in loop.rotation_i.matrix().rows for x in row],
        "Rj": [float(x) for row in loop.rotation_j.matrix().rows for x in row],
        "length": None if loop.length is None else float(loop.length),
    }


def _steered(m: Mechanism) -> list[str]:
    """Return the prescribed angles that are not joints; they turn wheels."""
    return [shown(n, NAME) for n in m.prescribed if n not in m.joint_names]
