"""Vectors on their way through the frames of a tree, nothing done with what is zero by structure.

A vector is a tuple of three scalars. Turns about one axis add up before they act: a vector that
passes parallel joints turns once, by the sum of their angles.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from .algebra import Mat3, Row, Turn, Vec3, is_plain_zero, minus, plus, product, turn
from .expr import Scalar

Factors = tuple[Turn | Mat3, ...]
UNITS: dict[Row, tuple[int, int]] = {  # axis and sense
    (1, 0, 0): (0, 1), (0, 1, 0): (1, 1), (0, 0, 1): (2, 1),
    (-1, 0, 0): (0, -1), (0, -1, 0): (1, -1), (0, 0, -1): (2, -1),
}  # fmt: skip
AXES = (0, 1, 2)
Way = Sequence[tuple[int, Factors]]  # of each frame: the one below it, its rotation in that
Sums = dict[tuple[int, int], tuple[Turn, Turn, Turn]]  # of two turns, kept with them


class Carried:
    """A vector on its way through frames: turns about one axis add up, then act once."""

    __slots__ = ("_value", "base", "outward", "turn")

    def __init__(self, base: Row, outward: bool, turn: Turn | None = None):
        self.base, self.outward, self.turn = base, outward, turn
        self._value: Row | None = base if turn is None else None

    @property
    def value(self) -> Row:
        """The vector in the frame that was reached."""
        if self._value is None:
            assert self.turn is not None
            self._value = turned(self.turn, self.base, self.outward)
        return self._value

    def through(self, factors: Factors, sums: Sums | None = None) -> Carried:
        """Return the vector seen from the next frame, factors of the child's rotation.

        `sums` are the sums of two turns that were made so far.
        """
        at, outward, sums = self, self.outward, {} if sums is None else sums
        for factor in factors if outward else factors[::-1]:
            last = at.turn
            if factor.__class__ is not Turn:
                rotation = factor.T if outward else factor
                at = Carried(tuple(rotation @ Vec3(*at.value)), outward)
            elif last is not None and last.axis == factor.axis:
                made = sums.get((id(last), id(factor)))
                if made is None:
                    whole = turn(factor.axis, last.angle + factor.angle)
                    made = sums[id(last), id(factor)] = (whole, last, factor)
                at = Carried(at.base, outward, made[0])
            elif not fixed_under(v := at.value, factor):
                at = Carried(v, outward, factor)
        return at


def turned(turn: Turn, v: Row, back: bool) -> Row:
    """Return the turn, or its inverse, of a vector; what is zero by structure is left out."""
    c, s, axis = turn.c, turn.s, turn.axis
    along, x, y = v[axis], v[axis - 2], v[axis - 1]
    if x.__class__ is int and x == 0:
        if y.__class__ is int and y == 0:
            return v
        a, b = product(s, y if back else -y), product(c, y)
    elif y.__class__ is int and y == 0:
        a, b = product(c, x), product(s, -x if back else x)
    elif back:
        a, b = c * x + s * y, c * y - s * x
    else:
        a, b = c * x - s * y, s * x + c * y
    return (along, a, b) if axis == 0 else (b, along, a) if axis == 1 else (a, b, along)


def dot(a: Row, b: Row) -> Scalar:
    """Return the scalar product without what is zero by structure."""
    out: Scalar = 0
    for u in AXES:
        x, y = a[u], b[u]
        if x.__class__ is int:
            x, y = y, x
        if y.__class__ is int:
            if y == 0:
                continue
            x = product(x, y)
        else:
            x = x * y
        out = x if out.__class__ is int and out == 0 else out + x
    return out


def coordinate(v: Row) -> tuple[int, int] | None:
    """Return axis and sense of a vector that is, by structure, ±x, ±y or ±z; else None."""
    x, y, z = v
    if x.__class__ is int and y.__class__ is int and z.__class__ is int:
        return UNITS.get(v)
    return None


def cross(a: Row, b: Row) -> Row:
    """Return the vector product without what is zero by structure."""
    (x, y, z), (u, v, w) = a, b
    return (
        minus(product(y, w), product(z, v)),
        minus(product(z, u), product(x, w)),
        minus(product(x, v), product(y, u)),
    )


def fixed_under(v: Row, factor: Turn | Mat3) -> bool:
    """Return whether a vector lies, by structure, along the axis of an elementary turn."""
    if factor.__class__ is not Turn:
        return False
    axis = factor.axis
    x = v[axis - 2]
    return (x == 0 if x.__class__ is int else is_plain_zero(x)) and is_plain_zero(v[axis - 1])


class Seen:
    """A vector of one frame as that frame and those below it see it, down to the base (-1)."""

    __slots__ = ("_carried", "_lowest", "_sums", "_way", "rows")

    def __init__(self, v: Row, frame: int, way: Way, sums: Sums):
        self.rows = {frame: v}
        self._carried: dict[int, Carried] = {}  # of the frames below
        self._lowest, self._way, self._sums = frame, way, sums

    def at(self, f: int) -> Row:
        """Return the vector in the axes of frame f."""
        row = self.rows.get(f)
        if row is None:
            row = self.rows[f] = self._at(f).value
        return row

    def part(self, f: int, u: int) -> Scalar:
        """Return one component in the axes of frame f; a turn about that axis is not taken."""
        at = self._at(f)
        return at.base[u] if at.turn is not None and at.turn.axis == u else at.value[u]

    def _at(self, f: int) -> Carried:
        """Return the vector on its way, in frame f."""
        carried, k = self._carried, self._lowest
        if not carried:
            carried[k] = Carried(self.rows[k], False)
        if f in carried:
            return carried[f]
        at = carried[k]
        while k != f:
            k, factors = self._way[k]
            at = carried[k] = at.through(factors, self._sums)
        self._lowest = f
        return at


def total(vectors: Sequence[Row]) -> Row:
    """Return the sum of vectors."""
    if not vectors:
        return 0, 0, 0
    x, y, z = vectors[0]
    for u, v, w in vectors[1:]:
        x, y, z = plus(x, u), plus(y, v), plus(z, w)
    return x, y, z


def sum_of(scalars: Sequence[Scalar]) -> Scalar:
    """Return the sum of scalars, nothing added to the number zero."""
    return reduce(plus, scalars, 0)
