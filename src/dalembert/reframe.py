"""Frames re-chosen and inertias regrouped so that the recursions cost the fewest operations.

`reframe` turns every joint axis to z and places frames as modified Denavit-Hartenberg does (Khalil
and Kleinfinger 1986), each body frame turned and slid along its own joint axis only; `regroup`
moves to the parent what a joint cannot feel (Gautier and Khalil 1990). Joint-space quantities do
not change; poses and wrenches of links do, so those are computed on the original mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from .algebra import Mat3, Rotation, Transform, Turn, Vec3, is_plain_zero
from .digits import digits_kept
from .expr import Expr
from .frozen import dataclass
from .inertia import Inertia
from .joint import Prismatic, Revolute, Screw, Spherical
from .mechanism import Body, Mechanism
from .mechanism.rehome import merge_fixed

Z = Vec3(0, 0, 1)
FAR = 10  # a frame is not slid beyond this many times its distance from its parent's
SMALL = 1e-14  # direction cosines and relative lengths below this are rounding of zero


Levers = Literal["few", "axial", "foot"]


def simplify(m: Mechanism, lighten: bool = False, levers: Levers = "few") -> Mechanism:
    """Return the cheapest mechanism with the same joint-space dynamics (numbers already bound).

    `lighten` serves the inverse model: see `regroup`; for `levers` see `reframe`. Frames stay as
    described where others would cost digits.
    """
    plain = _axes_to_z(merge_fixed(m))
    chosen = reframe(plain, levers)
    return regroup(chosen if digits_kept(plain, chosen, regroup) else plain, lighten)


# -- regrouping --------------------------------------------------------------------------------


def regroup(m: Mechanism, lighten: bool = False) -> Mechanism:
    """Return the mechanism with inertia moved to parents where the joint does not feel it.

    Revolute about z: M, MZ and diag(YY, YY, 0). Prismatic: the tensor. Spherical: the mass.
    How much mass moves over a revolute joint is free. All of it, unless `lighten`: then as much as
    makes one first moment of the parent vanish. A mass costs the inverse model 3 products and 3
    sums, a first moment 5 and 5; the first two bodies of a fixed base move simply and are left.
    """
    bodies = list(m.bodies)
    simple = {-1: 2}  # how many more bodies from the base on move simply
    for j, b in enumerate(bodies):
        simple[j] = max(0, simple[b.parent] - b.joint.nv)
    last = {b.parent: j for j, b in reversed(list(enumerate(bodies)))}  # its first child, met last
    for j in reversed(range(len(bodies))):
        body = bodies[j]
        moved, kept = _parts(body)
        if moved is None:
            continue
        i = body.parent
        if i >= 0:
            light = lighten and last[i] == j and not (simple[i] or simple[bodies[i].parent])
            if light and isinstance(body.joint, Revolute):
                moved, kept = _lighter(bodies[i], body.placement, moved, kept)
            inertia = _tidy(bodies[i].inertia.about_origin + moved.moved(body.placement))
            bodies[i] = replace(bodies[i], inertia=inertia)
        bodies[j] = replace(body, inertia=kept)
    return replace(m, bodies=tuple(bodies), checked=True)


def _lighter(parent: Body, T: Transform, moved: Inertia, kept: Inertia) -> tuple[Inertia, Inertia]:
    """Return (moved, kept) with the mass that cancels a first moment of the parent."""
    h = parent.h + T.R @ moved.lever
    P = T.p
    if any(isinstance(x, Expr) for x in (*h, *P, moved.mass)):
        return moved, kept
    free = _felt(parent)
    k = max((a for a in range(3) if free[a]), key=lambda a: abs(P[a]))
    if P[k] == 0 or h[k] + P[k] * moved.mass == 0:
        return moved, kept
    mass = -h[k] / P[k]
    if abs(mass) > 10 * abs(moved.mass):
        return moved, kept  # digits would be lost
    return replace(moved, mass=mass), replace(kept, mass=moved.mass - mass)


def _felt(body: Body) -> tuple[bool, bool, bool]:
    """Return which first moments of a body stay with it when it is regrouped in its turn."""
    turns = isinstance(body.joint, Revolute) and _along_z(body.joint.axis)
    return True, True, not turns


def _parts(body: Body) -> tuple[Inertia | None, Inertia]:
    """Return (what the parent takes over, what stays) of a body's inertia."""
    I = body.inertia
    mass, h, (xx, yy, zz, xy, xz, yz) = I.m, I.h, I.Io.six()
    joint = body.joint
    if isinstance(joint, Revolute) and _along_z(joint.axis):
        moved = Inertia(mass, Vec3(0, 0, h.z), Mat3.symmetric(yy, yy, 0, 0, 0, 0), "origin")
        stays = Mat3.symmetric(xx - yy, 0, zz, xy, xz, yz)
        return moved, Inertia(0, Vec3(h.x, h.y, 0), stays, "origin")
    if isinstance(joint, Prismatic):
        return Inertia(0, Vec3.zero(), I.Io, "origin"), Inertia(mass, h, Mat3.zero(), "origin")
    if isinstance(joint, Spherical):
        return Inertia(mass, Vec3.zero(), Mat3.zero(), "origin"), Inertia(0, h, I.Io, "origin")
    return None, I


def _along_z(axis: Vec3) -> bool:
    return is_plain_zero(axis.x) and is_plain_zero(axis.y)


# -- frames ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Choice:
    """How a body frame is turned and slid along its joint axis; None where it is free to choose."""

    turn: float | None = None
    slide: float | None = None


def reframe(m: Mechanism, levers: Levers = "few") -> Mechanism:
    """Return the mechanism with joint axes on z and DH-like frames where geometry is numeric.

    An origin stands at the foot of the common normal ("foot"), or where the `levers` next to it
    have "few" entries, or where they go along the joint axis of the parent ("axial").
    """
    m = _axes_to_z(m)
    if not all(_is_numeric(b.placement) for b in m.bodies):
        return m
    T = [_matrix(b.placement) for b in m.bodies]
    choices = [_choose(m, j, T) for j in range(len(m.bodies))]
    shifts: list[Any] = []  # pose of the new body frame in the old one
    bodies: list[Body] = []
    beyond: dict[int, list[int]] = {j: [] for j in range(-1, len(m.bodies))}
    for j, body in enumerate(m.bodies):
        beyond[body.parent].append(j)
    for j, body in enumerate(m.bodies):
        placed = T[j] if body.parent < 0 else _product(_inverse(shifts[body.parent]), T[j])
        choice = choices[j]
        if levers != "foot":
            choice = _lightest(body, placed, choice, [T[k] for k in beyond[j]], levers == "axial")
        shift, placement = _place(body, placed, choice)
        shifts.append(shift)
        inertia = _tidy(body.inertia.moved(_transform(_inverse(shift))))
        bodies.append(replace(body, placement=placement, inertia=inertia))
    return replace(m, bodies=tuple(bodies), checked=True)


def _axes_to_z(m: Mechanism) -> Mechanism:
    """Return the mechanism with the axis of every one-freedom joint along z of its own frame."""
    turns: list[Rotation] = []
    bodies = []
    for body in m.bodies:
        axis = getattr(body.joint, "axis", None)
        A = _to_axis(axis) if axis is not None else Rotation()
        placement = body.placement
        if body.parent >= 0:
            placement = Transform(turns[body.parent].T) @ placement
        placement = Transform(placement.R @ A, placement.p)
        joint = body.joint
        if A.factors:
            joint = replace(joint, axis=Z)  # type: ignore[type-var]
        turns.append(A)
        inertia = body.inertia.moved(Transform(A.T)) if A.factors else body.inertia
        bodies.append(replace(body, placement=placement, joint=joint, inertia=inertia))
    return replace(m, bodies=tuple(bodies), checked=True)


def _to_axis(axis: Vec3) -> Rotation:
    """Return a rotation that takes z to the axis; exact permutations for coordinate axes."""
    if any(isinstance(x, Expr) for x in axis):
        return Rotation()
    x, y, z = axis
    if x == 0 and y == 0:
        return Rotation() if z > 0 else Rotation.of(Mat3((1, 0, 0), (0, -1, 0), (0, 0, -1)))
    if z == 0 and y == 0:
        s = 1 if x > 0 else -1
        return Rotation.of(Mat3((0, 0, s), (s, 0, 0), (0, 1, 0)))
    if z == 0 and x == 0:
        s = 1 if y > 0 else -1
        return Rotation.of(Mat3((0, s, 0), (0, 0, s), (1, 0, 0)))
    r = math.hypot(x, y)
    n = math.sqrt(x * x + y * y + z * z)
    # columns: a horizontal vector normal to the axis, their product, the axis
    a = (-y / r, x / r, 0.0)
    c = (x / n, y / n, z / n)
    b = (c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2], c[0] * a[1] - c[1] * a[0])
    return Rotation.of(Mat3(*zip(a, b, c, strict=True)))


def _is_numeric(T: Transform) -> bool:
    symbols: list[Any] = []
    T.map(lambda x: symbols.append(x) or x if isinstance(x, Expr) else x)  # type: ignore[func-returns-value]
    return not symbols


def _slides(body: Body) -> bool:
    return isinstance(body.joint, (Revolute, Screw, Prismatic)) and _along_z(body.joint.axis)


def _choose(m: Mechanism, i: int, T: Sequence[Any]) -> _Choice:
    """Return how frame i should stand: x along the common normal to the axis of its main child."""
    if not _slides(m.bodies[i]):
        return _Choice(0.0, 0.0)
    children = [j for j, b in enumerate(m.bodies) if b.parent == i and _slides(b)]
    if not children:
        free = not any(b.parent == i for b in m.bodies)
        return _Choice(_towards_centre(m.bodies[i])) if free else _Choice(0.0, 0.0)
    j = children[0]
    R, p = T[j]
    u = [R[k][2] for k in range(3)]
    normal = (-u[1], u[0])  # z × u
    sine = math.hypot(*normal)
    if sine < 1e-9:
        if isinstance(m.bodies[j].joint, Prismatic) or math.hypot(p[0], p[1]) <= SMALL * _size(p):
            return _Choice()
        return _Choice(math.atan2(p[1], p[0]), None)
    turn = math.atan2(normal[1], normal[0])
    if isinstance(m.bodies[j].joint, Prismatic):
        return _Choice(turn, None)
    # foot of the common normal on z: the point of the line p + t u nearest to the z axis
    t = -(p[0] * u[0] + p[1] * u[1]) / (sine * sine)
    slide = p[2] + t * u[2]
    # nearly parallel axes meet their normal far away: digits would be lost in the lever
    return _Choice(turn, slide if abs(slide) <= FAR * _size(p) else None)


def _lightest(body: Body, T: Any, choice: _Choice, beyond: Sequence[Any], axial: bool) -> _Choice:
    """Return the choice; its slide is left open where levers then have fewer entries.

    The foot of the common normal is the place of Denavit and Hartenberg. A length along the joint
    axis may as well be left to the next levers, about whose parent's axis it has no moment.
    """
    if choice.slide is None or not _slides(body) or isinstance(body.joint, Prismatic):
        return choice
    R, p = T
    axis = [R[k][2] for k in range(3)]
    c, s = math.cos(choice.turn or 0.0), math.sin(choice.turn or 0.0)

    def weight(slide: float) -> float:
        total = _weight([a + slide * b for a, b in zip(p, axis, strict=True)], axial)
        for S, o in beyond:
            here = [c * o[0] + s * o[1], c * o[1] - s * o[0], o[2] - slide]
            u = [c * S[0][2] + s * S[1][2], c * S[1][2] - s * S[0][2], S[2][2]]
            along = _dot(here, u)
            nearest = [a - along * b for a, b in zip(here, u, strict=True)]
            total += min(_weight(here, axial), _weight(nearest, axial))
        return total

    nearest, foot = weight(-_dot(p, axis)), weight(choice.slide)
    return replace(choice, slide=None) if nearest <= foot + (1e-9 if axial else -1e-9) else choice


def _weight(p: Sequence[float], axial: bool) -> float:
    """Return what a lever costs: so much by itself, and for each entry."""
    least = 1e-12 * _size(p)
    costs = (1.0, 1.0, 0.9 if axial else 1.0)
    entries = sum(cost for x, cost in zip(p, costs, strict=True) if abs(x) > least)
    return entries + (entries > 0 and not axial)


def _dot(p: Sequence[float], u: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(p, u, strict=True))


def _towards_centre(body: Body) -> float | None:
    """Return the turn of a last body that puts its first moment on x (one number less)."""
    h = body.h
    if isinstance(body.joint, Prismatic) or any(isinstance(x, Expr) for x in h):
        return None
    x, y = float(h.x), float(h.y)
    return math.atan2(y, x) if math.hypot(x, y) > 0 else None


def _size(p: Iterable[float]) -> float:
    return max(1e-300, *(abs(x) for x in p))


def _place(body: Body, T: Any, choice: _Choice) -> tuple[Any, Transform]:
    """Return (pose of the new frame in the old, placement of the new joint frame in the parent)."""
    if not _slides(body):
        return _identity(), _transform(T)
    R, p = T
    gamma, alpha, theta = _zxz(R)
    turn = -theta if choice.turn is None else choice.turn
    if isinstance(body.joint, Prismatic):
        # only the direction of a prismatic joint matters: its origin goes to the parent's
        c, s = math.cos(turn), math.sin(turn)
        back = [-sum(R[k][r] * p[k] for k in range(3)) for r in range(3)]
        shift = ([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], back)
        return shift, Transform(_factors(gamma, alpha, theta + turn))
    # along the axis, as near to the parent's plane as the choice leaves
    lateral = R[0][2], R[1][2], R[2][2]
    slide = choice.slide
    if slide is None:
        slide = -sum(p[k] * lateral[k] for k in range(3))
    c, s = math.cos(turn), math.sin(turn)
    shift = ([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], [0.0, 0.0, slide])
    moved = [p[k] + slide * lateral[k] for k in range(3)]
    scale = SMALL * _size([*p, slide])
    origin = Vec3(*(0 if abs(x) <= scale else x for x in moved))
    return shift, Transform(_factors(gamma, alpha, theta + turn), origin)


def _zxz(R: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Return gamma, alpha, theta of R = Rz(gamma) Rx(alpha) Rz(theta).

    Gamma = 0 where it can be.
    """
    x, y, z = R[0][2], R[1][2], R[2][2]
    if math.hypot(x, y) <= SMALL:
        gamma, alpha = 0.0, 0.0 if z > 0 else math.pi
    elif abs(x) <= SMALL:
        gamma, alpha = 0.0, math.atan2(-y, z)
    else:
        gamma, alpha = math.atan2(x, -y), math.atan2(math.hypot(x, y), z)
    c, s = math.cos(gamma), math.sin(gamma)
    theta = math.atan2(-(c * R[0][1] + s * R[1][1]), c * R[0][0] + s * R[1][0])
    return gamma, alpha, theta


def _factors(gamma: float, alpha: float, theta: float) -> Rotation:
    R = Rotation()
    for axis, angle in ((2, gamma), (0, alpha), (2, theta)):
        R = Rotation((*R.factors, *_constant(axis, angle)))
    return R


def _constant(axis: int, angle: float) -> tuple[Turn | Mat3, ...]:
    """Return a constant turn.

    Quarter turns as exact permutations, which joints do not merge with.
    """
    quarter = angle / (math.pi / 2)
    if abs(quarter - round(quarter)) < 1e-13:
        k = round(quarter) % 4
        if k == 0:
            return ()
        return (Turn(axis, 0, (1, 0, -1, 0)[k], (0, 1, 0, -1)[k]).matrix(),)
    return (Turn(axis, angle, math.cos(angle), math.sin(angle)),)


def _tidy(I: Inertia) -> Inertia:
    """Return the inertia with the rounding of zero removed from its lever."""
    if any(isinstance(x, Expr) for x in I.lever):
        return I
    scale = SMALL * _size(I.lever)
    return replace(I, lever=I.lever.map(lambda x: 0 if abs(x) <= scale else x))


# -- small numeric helpers on (rows, origin) ---------------------------------------------------


def _identity() -> Any:
    return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0, 0.0, 0.0]


def _matrix(T: Transform) -> Any:
    return [[float(x) for x in row] for row in T.R.matrix().rows], [float(x) for x in T.p]


def _product(A: Any, B: Any) -> Any:
    (R, p), (S, q) = A, B
    rows = [[sum(R[i][k] * S[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    return rows, [p[i] + sum(R[i][k] * q[k] for k in range(3)) for i in range(3)]


def _inverse(A: Any) -> Any:
    R, p = A
    rows = [[R[j][i] for j in range(3)] for i in range(3)]
    return rows, [-sum(rows[i][k] * p[k] for k in range(3)) for i in range(3)]


def _transform(A: Any) -> Transform:
    R, p = A
    a, b, c = ((_snap(x), _snap(y), _snap(z)) for x, y, z in R)
    matrix = Mat3(a, b, c)
    scale = SMALL * _size(p)
    origin = Vec3(*(0 if abs(x) <= scale else x for x in p))
    return Transform(Rotation() if matrix == Mat3.identity() else Rotation.of(matrix), origin)


def _snap(x: float) -> float | int:
    for exact in (0, 1, -1):
        if abs(x - exact) <= SMALL:
            return exact
    return x
