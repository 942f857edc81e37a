"""Closure equations of cut joints and couplings, their Jacobian and their accelerations.

Khalil (2010), section 2.2, eqs (3)-(5): the two branches of a loop meet at its cut joint. Each cut
joint keeps as many equations as it takes away degrees of freedom: revolute 5, prismatic 5,
cylindrical 4, universal 4, spherical 3, fixed 6, rod of constant length 1, coupling 1. Both
branches are followed from the body where they part, so that nothing before it appears.

Wheels and velocity constraints are equations of the rates beside them (`velocity_rows`).

An equation is written once, on vectors that carry their first and second rates in time: the
residual, one row of the Jacobian and the acceleration at qdd = 0 are the three parts of its value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile

from ..algebra import Vec3, is_plain_zero, plain_number
from ..errors import ModelError
from ..expr import Scalar, maximum, sqrt, where
from ..frozen import dataclass
from ..joint import UNITS, ZERO, Vector
from ..linalg import dot
from ..mechanism import Loop, Mechanism, joint_name
from .link_motion import State, path, states
from .moving_vectors import Jet, Moving, across
from .velocity_rows import Row, held_gaps, held_names, held_rows, held_units

Column = tuple[int, Vec3, Vec3]  # velocity index, v, w

# -- what two bodies may have to do ------------------------------------------------------------


def _gap(loop: Loop, i: State, j: State) -> Moving:
    return j.point(loop.point_j) - i.point(loop.point_i)


def _met(loop: Loop, i: State, j: State) -> list[Jet]:
    return _gap(loop, i, j).parts()


def _axes(loop: Loop) -> tuple[Vec3, Vec3]:
    """Return the joint axis in both bodies; without `axis_j`, the same components in both."""
    if loop.axis is None:
        raise ModelError(f"loop {loop.name!r}: a {loop.joint} joint needs an axis")
    return loop.axis, loop.axis if loop.axis_j is None else loop.axis_j


def normals(axis: Vec3) -> tuple[Vec3, Vec3]:
    """Return two unit vectors normal to an axis and to each other; coordinate axes give theirs."""
    for k in range(3):
        if all(is_plain_zero(axis[a]) for a in range(3) if a != k):
            return UNITS[(k + 1) % 3], UNITS[(k + 2) % 3]
    return across(axis * (1 / sqrt(axis.dot(axis))))


def _aligned(loop: Loop, i: State, j: State) -> list[Jet]:
    axis_i, axis_j = _axes(loop)
    axis = j.vector(axis_j)
    return [i.vector(t).dot(axis) for t in normals(axis_i)]


def _beside(loop: Loop, i: State, j: State) -> list[Jet]:
    gap = _gap(loop, i, j)
    return [i.vector(t).dot(gap) for t in normals(_axes(loop)[0])]


def _same_turn(loop: Loop, i: State, j: State) -> list[Jet]:
    """Return the antisymmetric part of the rotation between the two cut frames."""
    e, f = _cut_axes(loop, i, j)
    rows = []
    for a, b in ((1, 2), (2, 0), (0, 1)):
        x, y = e[b].dot(f[a]), e[a].dot(f[b])
        rows.append(Jet((x.x - y.x) * 0.5, (x.xd - y.xd) * 0.5, (x.xdd - y.xdd) * 0.5))
    return rows


def _cut_axes(loop: Loop, i: State, j: State) -> tuple[list[Moving], list[Moving]]:
    e = [i.vector(loop.rotation_i @ u) for u in UNITS]
    return e, [j.vector(loop.rotation_j @ u) for u in UNITS]


def _crossed(loop: Loop, i: State, j: State) -> list[Jet]:
    if loop.axis_j is None:
        raise ModelError(
            f"loop {loop.name!r}: a universal joint needs both axes",
            hint="write axis in body_i's axes and axis_j in body_j's, at right angles",
        )
    axis_i, axis_j = _axes(loop)
    return [i.vector(axis_i).dot(j.vector(axis_j))]


def _rod(loop: Loop, i: State, j: State) -> list[Jet]:
    """Return (|gap|² - length²) / (2 length), a length near closure."""
    gap = _gap(loop, i, j)
    square = gap.dot(gap)
    k = 1 / (2 * loop.length)
    return [Jet((square.x - loop.length * loop.length) * k, square.xd * k, square.xdd * k)]


# -- for a search: half turns are far from closed ----------------------------------------------


def _half_between_axes(loop: Loop, i: State, j: State) -> Jet:
    axis_i, axis_j = _axes(loop)
    cosine = i.vector(axis_i).dot(j.vector(axis_j))
    return Jet((1 + cosine.x) * 0.5, cosine.xd * 0.5, 0)


def _half_of_turn(loop: Loop, i: State, j: State) -> Jet:
    parts = [a.dot(b) for a, b in zip(*_cut_axes(loop, i, j), strict=True)]
    trace, rate = sum((c.x for c in parts), 0), sum((c.xd for c in parts), 0)
    return Jet((1 + trace) * 0.25, rate * 0.25, 0)


def _unfolded(sines: list[Jet], half: Jet) -> list[Jet]:
    """Return 2 sin(a/2) from sin(a), given cos²(a/2) and its rate; second rates are left out."""
    k = 1 / sqrt(maximum(half.x, 1e-9))
    slope = -0.5 * half.xd * k * k
    return [Jet(s.x * k, (s.xd + s.x * slope) * k, 0) for s in sines]


# -- the cut joints ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Condition:
    """Equations that a cut joint asks of its two bodies."""

    units: tuple[str, ...]  # what each is measured in
    ways: tuple[str, ...]  # where it points, in the axes of the body the branches leave
    rows: Callable[[Loop, State, State], list[Jet]]
    half: Callable[[Loop, State, State], Jet] | None = None  # cos²(a/2) where they are sines of a


MEETING = Condition(("m",) * 3, ("along x", "along y", "along z"), _met)
BESIDE = Condition(("m",) * 2, ("across the axis",) * 2, _beside)
ALIGNED = Condition(("rad",) * 2, ("between the axes",) * 2, _aligned, _half_between_axes)
SAME_TURN = Condition(("rad",) * 3, ("about x", "about y", "about z"), _same_turn, _half_of_turn)
CROSSED = Condition(("rad",), ("off the angle of the axes",), _crossed)
HELD_APART = Condition(("m",), ("along the rod",), _rod)
CUT_JOINTS = {
    "revolute": (MEETING, ALIGNED),
    "prismatic": (BESIDE, SAME_TURN),
    "cylindrical": (BESIDE, ALIGNED),
    "universal": (MEETING, CROSSED),
    "spherical": (MEETING,),
    "fixed": (MEETING, SAME_TURN),
    "rod": (HELD_APART,),
}
EQUATIONS = {joint: sum(len(c.units) for c in asked) for joint, asked in CUT_JOINTS.items()}


def _loop_rows(loop: Loop, i: State, j: State, far: bool = False) -> list[Jet]:
    """Return the equations of a loop; `far` ones grow up to half a turn."""
    rows: list[Jet] = []
    for asked in CUT_JOINTS[loop.joint]:
        half = asked.half(loop, i, j) if far and asked.half else None
        own = asked.rows(loop, i, j)
        rows += own if half is None else _unfolded(own, half)
    return rows


HALF = 0.01  # cos²(a/2) below this: the ends of a loop are turned by half a turn


def turned_closure(m: Mechanism, q: Vector) -> list[Scalar]:
    """Return the residuals; a sine that vanishes because the ends are half a turn apart is 2."""
    rows, at = closure(m, q), 0
    for loop, half in zip(m.loops, half_turns(m, q), strict=True):
        if plain_number(half) is None:
            asked = CUT_JOINTS[loop.joint]
            first = at + sum(len(c.units) for c in takewhile(lambda c: c.half is None, asked))
            rows[first] = where(half < HALF, 2, rows[first])
        at += EQUATIONS[loop.joint]
    return rows


def half_turns(m: Mechanism, q: Vector) -> list[Scalar]:
    """Return cos²(a/2) of each loop, a the angle by which its cut frames or axes are apart.

    Near zero the loop is closed upside down; spherical and other joints give one.
    """
    out: list[Scalar] = []
    for loop in m.loops:
        i, j = ends(m, loop, q)
        halves = (asked.half(loop, i, j).x for asked in CUT_JOINTS[loop.joint] if asked.half)
        out.append(next(halves, 1))
    return out


# -- branches ----------------------------------------------------------------------------------


def branches(m: Mechanism, loop: Loop) -> tuple[list[int], list[int]]:
    """Return the bodies from where the branches part to body_i, and to body_j."""
    way_i, way_j = path(m, loop.body_i), path(m, loop.body_j)
    common = set(way_i) & set(way_j)
    return [b for b in way_i if b not in common], [b for b in way_j if b not in common]


def ends(
    m: Mechanism, loop: Loop, q: Vector, qd: Vector | None = None, qdd: Vector | None = None
) -> tuple[State, State]:
    """Return the two bodies of a loop, moving or at rest, seen from where the branches part."""
    way_i, way_j = branches(m, loop)
    return _end(m, way_i, q, qd, qdd), _end(m, way_j, q, qd, qdd)


def _end(
    m: Mechanism, way: Sequence[int], q: Vector, qd: Vector | None = None, qdd: Vector | None = None
) -> State:
    return states(m, q, qd, way, qdd)[way[-1] if way else -1]


def columns(
    m: Mechanism, way: Sequence[int], q: Vector, point: Vec3 | None = None
) -> tuple[State, list[Column]]:
    """Return the end of a branch at rest, and what each freedom gives to its origin or a point."""
    q_, state = m.split_q(q), states(m, q, None, way)
    end = state[way[-1] if way else -1]
    here = end.p if point is None else end.p + end.R @ point
    fields = []
    for b in way:
        x = state[b]
        for a, s in enumerate(m.bodies[b].joint.columns(q_[b])):
            w = x.R @ s.w
            fields.append((m.velocity_index[b] + a, x.R @ s.v + w.cross(here - x.p), w))
    return end, fields


# -- what other modules ask --------------------------------------------------------------------


def equation_count(m: Mechanism) -> int:
    """Return how many closure equations a mechanism has, redundant ones included."""
    closed = sum(EQUATIONS[loop.joint] for loop in m.loops)
    return closed + len(m.couplings) + len(held_names(m))


def equation_places(m: Mechanism) -> list[tuple[str, int]]:
    """Return what each closure equation belongs to, and its number there; 0 where it is alone."""
    places = []
    for k, loop in enumerate(m.loops, 1):
        ends = [m.bodies[b].name if b >= 0 else "base" for b in (loop.body_i, loop.body_j)]
        name = loop.name or f"loop {k} ({ends[0]} - {ends[1]})"
        places += [(name, e + 1) for e in range(EQUATIONS[loop.joint])]
    places += [(f"coupling of {joint_name(m.bodies[c.joint])}", 0) for c in m.couplings]
    return [*places, *((name, 0) for name in held_names(m))]


def equation_names(m: Mechanism) -> list[str]:
    """Return a name for each closure equation, for messages."""
    return [f"{name}, equation {k}" if k else name for name, k in equation_places(m)]


def equation_units(m: Mechanism) -> list[str]:
    """Return the unit of the residual of each closure equation; 1 where a text decides it."""
    units = [u for loop in m.loops for asked in CUT_JOINTS[loop.joint] for u in asked.units]
    units += ["m" if m.bodies[c.joint].joint.lengths else "rad" for c in m.couplings]
    return [*units, *held_units(m)]


def equation_ways(m: Mechanism) -> list[str]:
    """Return where each closure equation of loops and couplings points, for messages."""
    ways = [way for loop in m.loops for asked in CUT_JOINTS[loop.joint] for way in asked.ways]
    return [*ways, *(["of the coordinate"] * len(m.couplings))]


def closure(m: Mechanism, q: Vector) -> list[Scalar]:
    """Return the residual of every closure equation, zero at an assembled pose."""
    return [*(row.x for row in _rows(m, q, [0] * m.nv)), *held_gaps(m, q)]


def closure_rates(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector | None = None
) -> tuple[list[Scalar], list[Scalar]]:
    """Return (J qd, J qdd + J' qd): first and second rates of the residuals; by default qdd = 0."""
    rows = [*_rows(m, q, qd, qdd), *(_jet(row, qd, qdd) for row in held_rows(m, q, qd))]
    return [row.xd for row in rows], [row.xdd for row in rows]


def closure_sides(m: Mechanism, q: Vector) -> list[Scalar] | None:
    """Return -h of every equation J qd = h; None where no equation has a right side."""
    held = held_rows(m, q, [0] * m.nv)
    if all(is_plain_zero(row.h) for row in held):
        return None
    return [*([0] * (equation_count(m) - len(held))), *(-row.h for row in held)]


def _jet(row: Row, qd: Vector, qdd: Vector | None) -> Jet:
    """Return the rates of H qd - h."""
    first = sum((a * b for a, b in zip(row.H, qd, strict=True)), -row.h)
    second = sum((a * b for a, b in zip(row.Hd, qd, strict=True)), -row.hd)
    return Jet(0, first, second if qdd is None else second + dot(row.H, qdd))


def _rows(m: Mechanism, q: Vector, qd: Vector, qdd: Vector | None = None) -> list[Jet]:
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), None if qdd is None else m.split(qdd)
    rows: list[Jet] = []
    for loop in m.loops:
        rows += _loop_rows(loop, *ends(m, loop, q, qd, qdd))
    for c in m.couplings:
        for b in (c.joint, c.of):
            if m.bodies[b].joint.nq != 1:
                raise ModelError(f"coupling: joint {joint_name(m.bodies[b])!r} has no one angle")
        x, rate = q_[c.joint][0], qd_[c.joint][0]
        more = 0 if qdd_ is None else qdd_[c.joint][0] - c.ratio * qdd_[c.of][0]
        rows.append(Jet(x - c.ratio * q_[c.of][0] - c.offset, rate - c.ratio * qd_[c.of][0], more))
    return rows


def loop_jacobian(m: Mechanism, q: Vector) -> list[list[Scalar]]:
    """Return J, one row per closure equation: the rate of the residuals is J qd."""
    return linearised(m, q)[1]


def linearised(
    m: Mechanism, q: Vector, far: bool = False
) -> tuple[list[Scalar], list[list[Scalar]]]:
    """Return (residuals, Jacobian) of the closure; `far` from closed, as a search needs them."""
    q_ = m.split_q(q)
    values: list[Scalar] = []
    J: list[list[Scalar]] = []
    for loop in m.loops:
        (i, of_i), (j, of_j) = (columns(m, way, q) for way in branches(m, loop))
        rows: list[list[Scalar]] = [[0] * m.nv for _ in range(EQUATIONS[loop.joint])]
        i, j = replace(i, rotated={}), replace(j, rotated={})
        moves = [(k, replace(i, v=v, w=w), j) for k, v, w in of_i]
        moves += [(k, i, replace(j, v=v, w=w)) for k, v, w in of_j]
        for k, end_i, end_j in moves:
            for row, jet in zip(rows, _loop_rows(loop, end_i, end_j, far), strict=True):
                row[k] = jet.xd
        values += [jet.x for jet in _loop_rows(loop, i, j, far)]
        J += rows
    for c in m.couplings:
        row = [0] * m.nv
        row[m.velocity_index[c.joint]], row[m.velocity_index[c.of]] = 1, -c.ratio
        values.append(q_[c.joint][0] - c.ratio * q_[c.of][0] - c.offset)
        J.append(row)
    values += held_gaps(m, q)
    return values, J + [row.H for row in held_rows(m, q, [0] * m.nv)]


def reaction_wrenches(m: Mechanism, q: Vector, lam: Vector) -> list[list[Scalar]]:
    """Return the wrench of body_i on body_j at point_j of each loop, base axes, linear first.

    `lam` holds one multiplier per closure equation: M qdd + h = tau + Jᵀ lam.
    """
    out: list[list[Scalar]] = []
    at = 0
    for loop in m.loops:
        first = next(b for way in branches(m, loop) for b in way)
        base = _end(m, path(m, m.bodies[first].parent), q).R
        i, j = ends(m, loop, q)
        arm = j.R @ loop.point_j
        # a unit velocity of point_j along, or a unit turn about, each axis
        twists = [(u, ZERO) for u in UNITS] + [(-u.cross(arm), u) for u in UNITS]
        own = lam[at : at + EQUATIONS[loop.joint]]
        wrench: list[Scalar] = []
        for v, w in twists:
            jets = _loop_rows(loop, i, State(j.R, j.p, v, w))
            wrench.append(sum((l * jet.xd for l, jet in zip(own, jets, strict=True)), 0))
        out.append([*(base @ Vec3(*wrench[:3])), *(base @ Vec3(*wrench[3:]))])
        at += len(own)
    return out
