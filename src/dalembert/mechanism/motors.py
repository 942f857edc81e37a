"""Which joints of a tree have a motor: those named in `active`, or all that could have one."""

from __future__ import annotations

from .mechanism import Mechanism
from .parts import joint_name


def tree_motors(m: Mechanism) -> tuple[int, ...]:
    """Return the bodies of a tree whose joints have a motor.

    None named: every joint that is not free, a planar base, elastic or prescribed.
    """
    moving = [j for j, b in enumerate(m.bodies) if b.joint.nv]
    if m.active:
        return tuple(j for j in moving if joint_name(m.bodies[j]) in m.active)
    soft = {spring.joint for spring in m.elastic}
    found = []
    for j in moving:
        body = m.bodies[j]
        base = body.joint.kind == "free" or (body.joint.kind == "planar" and body.parent < 0)
        if not base and j not in soft and joint_name(body) not in m.prescribed:
            found.append(j)
    return tuple(found)
