"""Wheels of a machine as plain data: axles, and bodies that an equation makes roll beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DalembertError, shown
from ..mechanism import Mechanism
from .bodies import array, matrix

Array = np.ndarray
NAME = 60  # characters of a name that a page shows
SAME = 1e-6  # what counts as parallel, and as one equation


def wheels(m: Mechanism, pose: Array) -> list[dict[str, Any]]:
    """Return the wheels to draw of a machine in numbers.

    A body that turns about the normal of its parent's axle, and that an equation makes roll, is the
    wheel: it has the radius that the equation says. The axle then has none of its own, but the
    track of the wheels at its ends. Discs and wheels that roll on others are drawn as they are.
    """
    own = rims(m, pose)
    out = []
    for w in m.wheels:
        held = [j for j in own if m.bodies[j].parent == w.body]
        normal = array(w.normal) / np.linalg.norm(array(w.normal))
        apart = [float(array(m.bodies[j].placement.p) @ normal) for j in held]
        made = _record(w.name, w.body, array(w.point), normal, w.radius, steer=w.steer)
        if held and w.radius is None and not w.steer:
            made |= {"radius": own[held[0]], "track": max(apart) - min(apart)}
        out.append(made)
    for j, radius in own.items():
        axis = array(m.bodies[j].joint.axis)  # type: ignore[attr-defined]
        out.append(_record(m.bodies[j].name, j, np.zeros(3), axis, radius, hub=True))
    for c in m.rolling:
        if c.kind in ("disc", "wheel") and c.axis is not None:
            out.append(_record(c.name, c.body_i, array(c.point_i), array(c.axis), c.radius))
    return out


def _record(
    name: str, body: int, point: Array, normal: Array, radius: Any, *, steer: str | None = None,
    hub: bool = False,
) -> dict[str, Any]:  # fmt: skip
    return {
        "name": shown(name, NAME), "body": body, "point": point.tolist(),
        "normal": normal.tolist(), "steer": steer and shown(steer, NAME),
        "radius": None if radius is None else float(radius), "track": None, "hub": hub,
    }  # fmt: skip


def rims(m: Mechanism, pose: Array) -> dict[int, float]:
    """Return the bodies that roll by an equation, and their radii.

    Such an equation is v - r w = 0, with v the speed of the hub along its parent's axle's way.
    """
    if not (m.wheels and m.velocity_constraints):
        return {}
    from ..compute import evaluate

    try:
        J = np.asarray(evaluate(m, "loop_jacobian", pose))
    except DalembertError:  # letters without values: the axles are drawn as they are
        return {}
    axles = {w.body: array(w.normal) for w in m.wheels if not w.steer}
    found: dict[int, float] = {}
    for j, b in enumerate(m.bodies):
        if b.joint.kind != "revolute" or b.parent not in axles:
            continue
        turned = np.array(matrix(b.placement)[:9]).reshape(3, 3)
        axis, normal = turned @ array(b.joint.axis), axles[b.parent]  # type: ignore[attr-defined]
        if np.linalg.norm(np.cross(axis, normal)) < SAME * np.linalg.norm(normal):
            radius = _radius(m, J, j, pose)
            found |= {} if radius is None else {j: radius}
    return found


def _radius(m: Mechanism, J: Array, j: int, pose: Array) -> float | None:
    """Return r of the equation of body j, None where it has none."""
    from ..compute import evaluate

    k, hub = m.velocity_index[j], m.bodies[j].name
    speeds = np.asarray(evaluate(m.tree, "jacobian", pose, frame=hub))[:3]
    for row in J[np.abs(J[:, k]) > SAME]:
        rest = np.where(np.arange(len(row)) == k, 0.0, row)
        along = np.linalg.lstsq(speeds.T, rest, rcond=None)[0]
        if np.abs(along @ speeds - rest).max() < SAME and np.linalg.norm(along) > SAME:
            return float(abs(row[k]) / np.linalg.norm(along))
    return None
