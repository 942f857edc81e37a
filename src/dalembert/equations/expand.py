"""Planar, free and spherical joints as slides and turns with massless bodies between them.

Liégeois and Aldon, INRIA RR 32 (1980), footnote of section 2.2: one degree of freedom per body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import atan2, hypot
from typing import Any

from ..algebra import Transform
from ..errors import UsageError, shown
from ..joint import UNITS, Joint, Prismatic, Revolute, quaternion_matrix
from ..mechanism import Body, Mechanism
from ..mechanism.rehome import expand_planar, rehomed


def whole_joints(m: Mechanism, joints: Mapping[int | str, Any]) -> dict[int | str, Any]:
    """Return joints to hold; the name of an expanded base stands for all its slides and turns."""
    out: dict[int | str, Any] = {}
    for joint, x in joints.items():
        parts = _parts(m, joint) if isinstance(joint, str) else []
        if not parts or all(part in joints for part in parts):
            out[joint] = x
        elif isinstance(x, (int, float)) and x == 0 and not any(part in joints for part in parts):
            out |= dict.fromkeys((*parts, joint), 0)
        else:
            names, own = ", ".join(map(shown, parts)), shown(str(joint))
            number = m.velocity_index[m.joint_index(joint)] + 1
            raise UsageError(
                f"joint {own!r} is expanded: it is held whole at 0, or part by part",
                hint=f"name every part of it, {names} and {own} (its last turn), or hold that turn "
                f"alone by its number, {number}",
            )
    return out


def _parts(m: Mechanism, joint: str) -> list[str]:
    """Return the joints in front of the last turn of an expanded base; none of any other."""
    body = m.bodies[m.joint_index(joint)]
    own, found = body.name, list[str]()
    for name in ("ry", "rz", "z", "y", "x"):
        before = m.bodies[body.parent] if body.parent >= 0 else None
        if before is not None and before.name == f"{own}.{name}":
            found, body = [before.name, *found], before
    return found


# names and axes of the joints before the last turn, about x
SLIDES = tuple(zip("xyz", map(Prismatic, UNITS), strict=True))
TURNS = (("rz", Revolute(UNITS[2])), ("ry", Revolute(UNITS[1])))
STEPS: dict[str, tuple[tuple[str, Joint], ...]] = {
    "free": (*SLIDES, *TURNS),
    "spherical": TURNS,
}


def expanded(m: Mechanism) -> Mechanism:
    """Return the mechanism with planar, free and spherical joints as slides and turns.

    A ball turns about z, y, x; where the turn about y is a right angle the other two are one.
    """
    m = expand_planar(m)
    kinds = {b.joint.kind for b in m.bodies} & set(STEPS)
    if not kinds:
        return m
    new, bodies = {-1: -1}, []
    for j, body in enumerate(m.bodies):
        parent, place = new[body.parent], body.placement
        if steps := STEPS.get(body.joint.kind):
            for name, joint in steps:
                bodies.append(Body(f"{body.name}.{name}", parent, place, joint))
                parent, place = len(bodies) - 1, Transform()
            last = Revolute(UNITS[0])
            body = replace(body, placement=place, joint=last, joint_name="", limits=())
        new[j] = len(bodies)
        bodies.append(replace(body, parent=parent))
    notes = []
    if "free" in kinds:
        notes.append("a free base is expanded: x, y, z, then turns about z, y, x")
    if "spherical" in kinds:
        notes.append("spherical joints are expanded: turns about z, y, x")
    home = {j: (k, Transform()) for j, k in new.items()}
    moved = rehomed(m, {}, home, tuple(bodies), ())
    return replace(moved, notes=(*m.notes, *notes), changes=(), checked=False)


def expanded_pose(m: Mechanism, q: Any) -> list[float]:
    """Return a pose of a mechanism as that of its expanded form, which may also be given itself."""
    q = [float(x) for x in q]
    balls = sum(b.joint.kind in STEPS for b in m.bodies)
    if len(q) == m.nq - balls:
        return q
    out: list[float] = []
    for body, own in zip(m.bodies, m.split_q(q), strict=True):
        if body.joint.kind not in STEPS:
            out += own
            continue
        out += own[:-4]
        (_, _, _), (_, _, _), (zx, zy, zz) = rows = quaternion_matrix(*own[-4:]).rows
        out += [atan2(rows[1][0], rows[0][0]), atan2(-zx, hypot(zy, zz)), atan2(zy, zz)]
    return out
