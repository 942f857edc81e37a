"""Numbers of the motion of bodies that stand in equations: v(frame), w(frame), p, axis, distance.

Each has a value and a row: velocities are row · q̇, the rate of a position is row · q̇.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Rotation, Transform, Vec3
from ..expr import Expr, Scalar, evaluate, sqrt
from ..joint import Vector
from ..mechanism import BodyTerm, Mechanism
from .constraint_row import with_rate
from .kinematics import target_jacobian, target_pose, target_twists

Values = Mapping[str, Any]


def term_rows(
    m: Mechanism, t: BodyTerm, q: Vector, qd: Vector, values: Values
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the row of a term and its rate."""
    row, rate = with_rate(m, lambda x: [_row(m, t, x, values)], q, qd)
    return row[0], rate[0]


def term_value(m: Mechanism, t: BodyTerm, q: Vector, values: Values) -> Scalar:
    """Return the value of a position: of p, axis, distance or direction."""
    ends = _ends(m, t, q, values)
    if t.quantity in ("distance", "direction"):
        gap = ends[1].p - ends[0].p
        size = sqrt(gap.dot(gap))
        if t.quantity == "distance":
            return size
        return _seen(ends[0].R, gap * (1 / size), t)[t.component]
    vector = ends[0].p if t.quantity == "p" else ends[0].R @ _point(t, 0, values)
    return _seen(ends[0].R, vector, t)[t.component]


def _point(t: BodyTerm, k: int, values: Values) -> Vec3:
    return Vec3(*(_number(x, values) for x in t.points[k]))


def _number(x: Any, values: Values) -> Scalar:
    if not isinstance(x, Expr):
        return x if isinstance(x, (int, float)) else float(x)
    found: Scalar = evaluate(x.graph, [x.id], {}, values)[0]
    return found


def _targets(m: Mechanism, t: BodyTerm, values: Values) -> list[tuple[int, Transform]]:
    """Return the frames of a term moved to its points."""
    found = []
    for k, frame in enumerate(t.frames):
        body, placement = m.frame(frame)
        lever = Vec3.zero() if t.quantity == "axis" else _point(t, k, values)
        found.append((body, placement @ Transform(Rotation(), lever)))
    return found


def _ends(m: Mechanism, t: BodyTerm, q: Vector, values: Values) -> list[Transform]:
    return [target_pose(m, target, q) for target in _targets(m, t, values)]


def _seen(R: Rotation, x: Vec3, t: BodyTerm) -> Vec3:
    return x if t.in_base else R.T @ x


def _row(m: Mechanism, t: BodyTerm, q: Vector, values: Values) -> list[Scalar]:
    targets = _targets(m, t, values)
    if t.is_rate:
        axes = "base" if t.in_base else "local"
        rows = target_jacobian(m, targets[0], q, axes)
        return list(rows[t.component + (3 if t.quantity == "w" else 0)])
    ends = _ends(m, t, q, values)
    moves = zip(*(target_twists(m, target, q, "base") for target in targets), strict=True)
    return [_field(t, ends, own, values)[t.component] for own in moves]


def _field(t: BodyTerm, ends: list[Transform], moves: Any, values: Values) -> Vec3:
    """Return the rate of a position vector for one freedom; of a distance three times the same."""
    (v, w), R = moves[0], ends[0].R
    if t.quantity == "p":
        x, rate = ends[0].p, v
    elif t.quantity == "axis":
        x = R @ _point(t, 0, values)
        rate = w.cross(x)
    else:
        gap, apart = ends[1].p - ends[0].p, moves[1][0] - v
        size = sqrt(gap.dot(gap))
        x = gap * (1 / size)
        along = x.dot(apart)
        if t.quantity == "distance":
            return Vec3(along, along, along)
        rate = (apart - x * along) * (1 / size)
    return rate if t.in_base else R.T @ (rate - w.cross(x))
