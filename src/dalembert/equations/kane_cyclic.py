"""Spin angles that nothing depends on: bodies that are symmetric about the axis they turn about.

Their velocities are written in axes that do not spin, Ω = ω - a q̇: M stays constant there, since
the inertia is the same about every axis across, and the angle stands in no step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..algebra import Mat3, Rotation, Vec3, is_plain_zero
from ..joint import Revolute
from ..mechanism import Mechanism, joint_name


@dataclass(frozen=True)
class Cyclic:
    """The axis of a spin in body axes, its rate's index, and R from body axes to still ones."""

    axis: Vec3
    rate: int
    turn: Rotation

    @property
    def R(self) -> Mat3:
        """The rotation as a matrix."""
        return self.turn.matrix()


def cyclic(m: Mechanism, q: Sequence[Any]) -> dict[int, Cyclic]:
    """Return the bodies that only spin: symmetric, at the end of a branch, in no equation."""
    inner = {b.parent for b in m.bodies} | {w.body for w in m.wheels}
    equations = [
        c for c in (*m.velocity_constraints, *m.speed_equations) if c.expression is not None
    ]
    told = {name for c in equations for name in getattr(c.expression, "names", tuple)()}
    found = {}
    for j, body in enumerate(m.bodies):
        joint = body.joint
        if joint_name(body) in told:  # an equation is about the angle itself
            continue
        if isinstance(joint, Revolute) and j not in inner and _symmetric(body.inertia, joint.axis):
            R, _ = joint.pose(m.split_q(q)[j])
            found[j] = Cyclic(joint.axis, m.velocity_index[j], R)
    return found


def felt(m: Mechanism) -> set[int]:
    """Return the bodies whose angle steers a wheel or loads a spring: it does stand in steps."""
    steering = {w.steer for w in m.wheels}
    turned = {j for j, body in enumerate(m.bodies) if joint_name(body) in steering}
    pulled = {j for s in m.springs for j in (s.body_i, s.body_j)}
    return turned | pulled | {e.joint for e in m.elastic}


def _symmetric(inertia: Any, a: Vec3) -> bool:
    """Return whether I = λ 1 + (μ - λ) a a' about the mass centre, which lies on the axis."""
    if not all(map(is_plain_zero, inertia.centre.cross(a))):
        return False
    rows = inertia.about_centre.rows
    along = a.dot(inertia.about_centre @ a)
    across = (rows[0][0] + rows[1][1] + rows[2][2] - along) / 2
    axis = list(a)
    return all(
        is_plain_zero(rows[r][c] - axis[r] * axis[c] * (along - across) - (across if r == c else 0))
        for r in range(3) for c in range(3)
    )  # fmt: skip
