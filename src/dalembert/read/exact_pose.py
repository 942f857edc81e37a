"""Rounded matrices and axes made exact: signed permutations, multiples of pi/12, unit vectors."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..algebra import Mat3, Rotation, Vec3, turn
from ..expr import Expr, Graph, sqrt
from ..expr.exact import exact, to_float
from ..frozen import dataclass

NEAR = 1e-10  # entries of a matrix that is a rounding of an exact rotation
UNIT = 1e-12  # how far from 1 the norm of an axis may be


def is_numeric(x: Any) -> bool:
    """Return whether a number depends on no parameter."""
    return not (isinstance(x, Expr) and x.names())


@dataclass(frozen=True, slots=True)
class Snapped:
    """A rotation in elementary factors where it is exact, and whether its numbers changed."""

    rotation: Rotation
    changed: bool


def factored(matrix: Mat3, graph: Graph, keep: bool = False) -> Snapped:
    """Return the rotation of a matrix; a rounded quarter turn or multiple of pi/12 is exact.

    With `keep` only exact quarter turns become factors, and no number changes.
    """
    entries = [x for r in matrix.rows for x in r]
    if not all(is_numeric(x) for x in entries):
        return Snapped(Rotation.of(matrix), False)
    values = [to_float(x) for x in entries]
    whole = tuple(round(v) for v in values)
    near = max(abs(v - w) for v, w in zip(values, whole, strict=True)) <= NEAR
    if near and whole in _quarter_turns():
        same = all(x == w for x, w in zip(entries, whole, strict=True))
        if same or not keep:
            return Snapped(_rotation(_quarter_turns()[whole], graph), not same)
    if not keep:
        for axis in range(3):
            k = _twelfths(values, axis)
            if k is not None:
                return Snapped(_rotation(((axis, Fraction(k, 12)),), graph), True)
    return Snapped(Rotation.of(matrix), False)


def _rotation(word: tuple[tuple[int, Fraction], ...], graph: Graph) -> Rotation:
    made = Rotation(tuple(turn(axis, graph.pi() * turns) for axis, turns in word))
    return made.map(exact)


@lru_cache(maxsize=1)
def _quarter_turns() -> dict[tuple[int, ...], tuple[tuple[int, Fraction], ...]]:
    """Return matrix -> shortest word of quarter and half turns, for the 24 rotations of a cube."""
    single = [((a, Fraction(n, 2)),) for n in (1, -1, 2) for a in range(3)]
    words = [(), *single, *(a + b for a in single for b in single if a[0][0] != b[0][0])]
    found: dict[tuple[int, ...], tuple[tuple[int, Fraction], ...]] = {}
    graph = Graph()
    for word in words:
        rows = _rotation(word, graph).matrix().rows
        found.setdefault(tuple(int(to_float(x)) for r in rows for x in r), word)
    return found


def _twelfths(values: list[float], axis: int) -> int | None:
    """Return k when nine entries are those of a rotation by k pi/12 about a coordinate axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    k = round(math.atan2(values[3 * j + i], values[3 * i + i]) * 12 / math.pi)
    c, s = math.cos(k * math.pi / 12), math.sin(k * math.pi / 12)
    wanted = [0.0] * 9
    wanted[4 * axis] = 1.0
    wanted[4 * i] = wanted[4 * j] = c
    wanted[3 * j + i], wanted[3 * i + j] = s, -s
    near = all(abs(v - w) <= NEAR for v, w in zip(values, wanted, strict=True))
    return k if near and k else None


def unit_axis(axis: Vec3, graph: Graph) -> Vec3 | None:
    """Return the unit vector along an axis, exactly; None for the zero vector.

    An axis of norm 1, or one that depends on a parameter, stays as it is.
    """
    if not all(is_numeric(x) for x in axis):
        return axis
    if axis.is_zero():
        return None
    largest = max(abs(to_float(x)) for x in axis)
    if not 1e-9 < largest < 1e9:
        # far from 1 the square may leave the range of floats
        power = Fraction(10) ** round(math.log10(largest)) if largest else Fraction(1, 10**300)
        axis = axis.map(lambda x: x / power)
    square = axis.dot(axis)
    if abs(math.sqrt(max(to_float(square), 0.0)) - 1) <= UNIT:
        return axis
    single = [k for k in range(3) if axis[k] != 0]
    if len(single) == 1:
        sign = 1 if to_float(axis[single[0]]) > 0 else -1
        return Vec3(*(sign if k == single[0] else 0 for k in range(3)))
    root = sqrt(square if isinstance(square, Expr) else graph.constant(square))
    return axis.map(lambda x: exact(x / root) if x != 0 else 0)


def turned_to(normal: Vec3) -> Rotation | None:
    """Return a rotation that brings z onto a unit vector; None where it is there.

    x goes on to y, y to z and z to x where the vector lies along an axis.
    """
    single = [k for k in range(3) if normal[k] != 0]
    if len(single) == 1:
        k, positive = single[0], to_float(normal[single[0]]) > 0
        if k == 2 and positive:
            return None
        u, v = ((k + 1) % 3, (k + 2) % 3)
        columns = [_unit(u), _unit(v) if positive else -_unit(v), normal]
    else:
        n = [to_float(x) for x in normal]
        least = min(range(3), key=lambda k: abs(n[k]))
        first = Vec3(*n).cross(_unit(least))
        size = math.sqrt(first.dot(first))
        first = first.map(lambda x: x / size)
        columns = [first, Vec3(*n).cross(first), Vec3(*n)]
    return Rotation.of(Mat3(*zip(*(tuple(c) for c in columns), strict=True)))


def _unit(k: int) -> Vec3:
    return Vec3(*(1 if i == k else 0 for i in range(3)))
