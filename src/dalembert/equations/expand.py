"""Planar and free bases as slides and turns with massless bodies between them.

Liégeois and Aldon, INRIA RR 32 (1980), footnote of section 2.2: one degree of freedom per body.
"""

from __future__ import annotations

from dataclasses import replace

from ..algebra import Transform
from ..joint import UNITS, Prismatic, Revolute
from ..mechanism import Body, Mechanism
from ..mechanism.rehome import expand_planar, rehomed


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
