"""Frames of closed forms: constant turns beside the joints they are parallel to, numbers first.

A robot of numbers alone has the same few terms however it was described: where a constant rotation
is neither a permutation of axes nor parallel to a joint beside it, frames are re-chosen (z along
the joints, x along common normals), and masses and inertias are given in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Vec3
from ..expr import Expr
from ..expr.exact import to_float
from ..mechanism import Body, Mechanism
from ..mechanism.validate import numbers
from ..reframe import reframe
from .angles import Angle, coordinate_axis

SMALL = 1e-12  # direction cosines below it are rounding of zero
Turns = list[tuple[int, Angle]]


def rechosen(m: Mechanism) -> Mechanism:
    """Return the mechanism with frames re-chosen if it has skew axes and is all numbers."""
    if not any(_skew(m, body) for body in m.bodies):
        return m
    given = [x for x in numbers(replace(m, gravity=Vec3.zero(), drives=())) if _open(x)]
    if given or any(b.joint.kind == "screw" for b in m.bodies):
        return m
    bodies = tuple(
        replace(
            b,
            placement=b.placement.map(_float),
            inertia=b.inertia.map(_float),
            joint=replace(b.joint, axis=b.joint.axis.map(_float)),  # type: ignore[attr-defined,type-var]
        )
        for b in m.bodies
    )
    return reframe(replace(m, bodies=bodies, checked=True))


def _open(x: Any) -> bool:
    return isinstance(x, Expr) and bool(x.names())


def _float(x: Any) -> Any:
    # whole numbers stay: zeros and ones fold
    found = to_float(x)
    return int(found) if found.is_integer() and abs(found) < 2 else found


def _skew(m: Mechanism, body: Body) -> bool:
    """Whether a body's rotation at rest does not permute axes, even beside parallel joints."""
    if not body.placement.R.factors:
        return coordinate_axis(body.joint)[0] is None
    rows = body.placement.R.matrix().rows
    if any(_open(x) for row in rows for x in row):
        return False
    axis, _ = coordinate_axis(body.joint)
    if axis is None:
        return True
    R = [[to_float(x) for x in row] for row in rows]
    if _plain([R[k][axis] for k in range(3)]):
        return False
    before = coordinate_axis(m.bodies[body.parent].joint)[0] if body.parent >= 0 else None
    return before is None or not _plain(R[before])


def _plain(v: Sequence[float]) -> bool:
    """Whether a unit vector lies along an axis."""
    return sum(abs(x) > SMALL for x in v) == 1


# -- constant turns beside parallel joints -----------------------------------------------------


def settled(turns: Turns, own: int | None, before: int | None) -> Turns:
    """Return constant turns with the first and the last next to the joints they are parallel to.

    A turn passes quarter turns about other axes: Y(a) X(90°) = X(90°) Z(a). `own` is the axis of
    the joint behind the turns, `before` that of the joint in front of them.
    """
    bent = [k for k, (_, angle) in enumerate(turns) if angle.constants]
    if not bent:
        return turns
    last = bent[-1]
    axis, sense = _passed(turns[last][0], turns[last + 1 :], -1)
    if axis == own:
        angle = turns[last][1]
        return [*turns[:last], *turns[last + 1 :], (axis, angle if sense > 0 else -angle)]
    first = bent[0]
    axis, sense = _passed(turns[first][0], turns[:first][::-1], 1)
    if axis == before:
        angle = turns[first][1]
        return [(axis, angle if sense > 0 else -angle), *turns[:first], *turns[first + 1 :]]
    return turns


def _passed(axis: int, quarters: Sequence[tuple[int, Angle]], way: int) -> tuple[int, int]:
    """Return the axis and sense of a turn behind quarter turns it is moved through."""
    v = [0, 0, 0]
    v[axis] = 1
    for a, angle in quarters:
        x, y = (a + 1) % 3, (a + 2) % 3
        for _ in range(way * angle.quarters % 4):
            v[x], v[y] = -v[y], v[x]
    along = next(k for k in range(3) if v[k])
    return along, v[along]
