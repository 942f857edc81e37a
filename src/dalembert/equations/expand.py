"""Planar and free bases as slides and turns with massless bodies between them.

Liégeois and Aldon, INRIA RR 32 (1980), footnote of section 2.2: one degree of freedom per body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..algebra import Transform
from ..errors import UsageError, shown
from ..joint import UNITS, Prismatic, Revolute
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


def expanded(m: Mechanism) -> Mechanism:
    """Return the mechanism with planar and free joints as slides, then turns about z, y, x."""
    m = expand_planar(m)
    if not any(b.joint.kind == "free" for b in m.bodies):
        return m
    new, bodies = {-1: -1}, []
    for j, body in enumerate(m.bodies):
        parent = new[body.parent]
        if body.joint.kind == "free":
            steps = [Prismatic(u) for u in UNITS] + [Revolute(u) for u in reversed(UNITS[1:])]
            for name, joint in zip(("x", "y", "z", "rz", "ry"), steps, strict=True):
                place = body.placement if name == "x" else Transform()
                bodies.append(Body(f"{body.name}.{name}", parent, place, joint))
                parent = len(bodies) - 1
            body = replace(
                body, placement=Transform(), joint=Revolute(UNITS[0]), joint_name="", limits=()
            )
        new[j] = len(bodies)
        bodies.append(replace(body, parent=parent))
    note = "a free base is expanded: x, y, z, then turns about z, y, x"
    home = {j: (k, Transform()) for j, k in new.items()}
    moved = rehomed(m, {}, home, tuple(bodies), ())
    return replace(moved, notes=(*m.notes, note), changes=(), checked=False)
