"""Angles of closed forms: sums of joint angles, quarter turns and constants, and their sines."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..algebra import Mat3, Turn, is_plain_zero
from ..carried import coordinate
from ..expr import Expr, Scalar, asin, atan2
from ..expr.exact import to_float
from ..joint import Joint

STEP = math.pi / 12  # angles of which descriptions are made
CONSTANT = 1_000_000  # in a sum of angles, what is larger stands for constant angle number j - this
Joints = tuple[int, ...]  # numbers from 1 with sign, the first one positive; constants last


@dataclass(frozen=True, slots=True)
class Angle:
    """A sum of joint angles, constants and quarter turns; `pairs` knows its sine and cosine."""

    pairs: Pairs
    joints: Joints = ()
    constants: tuple[tuple[int, int], ...] = ()  # (number of the constant, sign)
    quarters: int = 0

    @property
    def sum(self) -> Joints:
        """Joints and constants in one sum, as the name of a generator has them."""
        if not self.constants:
            return self.joints
        constants = (k + CONSTANT if s > 0 else -k - CONSTANT
                     for k, s in self.constants for _ in range(abs(s)))  # fmt: skip
        return (*self.joints, *constants)

    @property
    def value(self) -> int | None:
        """Zero for no angle at all, else None: what `is_plain_zero` asks."""
        return None if self.joints or self.constants or self.quarters else 0

    def __add__(self, o: Angle) -> Angle:
        constants, a, b = self.constants, self.joints, o.joints
        if o.constants:
            constants = _summed(constants, o.constants)
        quarters = (self.quarters + o.quarters) % 4
        if not a or not b or abs(a[-1]) < abs(b[0]):
            joints = a + b
        elif set(map(abs, a)).isdisjoint(map(abs, b)):
            joints = tuple(sorted(a + b, key=abs))
        else:
            counts = _summed(((j, 1) for j in a), ((j, 1) for j in b))
            joints = tuple(j if k > 0 else -j for j, k in counts for _ in range(abs(k)))
        return Angle(self.pairs, joints, constants, quarters)

    def __neg__(self) -> Angle:
        constants = tuple((k, -s) for k, s in self.constants)
        return Angle(self.pairs, tuple(-j for j in self.joints), constants, -self.quarters % 4)

    def cos(self) -> Scalar:
        """Return the generator of the cosine."""
        return self.pairs.of(self)[0]

    def sin(self) -> Scalar:
        """Return the generator of the sine."""
        return self.pairs.of(self)[1]


def _summed(*parts: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    counts: dict[int, int] = {}
    for part in parts:
        for x, k in part:
            counts[abs(x)] = counts.get(abs(x), 0) + (k if x > 0 else -k)
    return tuple((x, k) for x, k in sorted(counts.items()) if k)


class Pairs:
    """Cosine and sine of every angle over one kind of scalar."""

    def __init__(self) -> None:
        self.joint: dict[Joints, tuple[Scalar, Scalar]] = {}
        self.constant: dict[int, tuple[Scalar, Scalar]] = {}
        self._made: dict[tuple[Any, ...], tuple[Scalar, Scalar]] = {}

    def of(self, a: Angle) -> tuple[Scalar, Scalar]:
        """Return (cos, sin), each sum a generator when it is one, else by the addition formulas."""
        key = (a.joints, a.constants, a.quarters)
        found = self._made.get(key)
        if found is None:
            pair = self._whole(a.sum) if a.joints and a.constants else None
            if pair is None:
                pair = self._joints(a.joints)
                for k, times in a.constants:
                    c, s = self.constant[k]
                    for _ in range(abs(times)):
                        pair = rotated(pair, (c, s if times > 0 else -s))
            for _ in range(a.quarters):
                pair = -pair[1], pair[0]
            found = self._made[key] = pair
        return found

    def turn(self, axis: int, a: Angle) -> Turn:
        """Return the turn by an angle over these scalars."""
        if a.pairs is not self:
            a = Angle(self, a.joints, a.constants, a.quarters)
        c, s = self.of(a)
        return Turn(axis, a, c, s)

    def _whole(self, joints: Joints) -> tuple[Scalar, Scalar] | None:
        """Return cosine and sine of a sum that is a generator itself."""
        named = normal(joints)
        if named not in self.joint:
            return None
        c, s = self.joint[named]
        return (c, s) if named == joints else (c, -s)

    def _joints(self, joints: Joints) -> tuple[Scalar, Scalar]:
        if not joints:
            return 1, 0
        named = self._whole(joints)
        if named is not None:
            return named
        pair: tuple[Scalar, Scalar] = (1, 0)
        for j in joints:
            c, s = self.joint[(abs(j),)]
            pair = rotated(pair, (c, s if j > 0 else -s))
        return pair


def normal(joints: Joints) -> Joints:
    """Return a sum of angles or its negative, whichever begins with a plus."""
    return joints if joints[0] > 0 else tuple(-j for j in joints)


def rotated(a: tuple[Scalar, Scalar], b: tuple[Scalar, Scalar]) -> tuple[Scalar, Scalar]:
    """Return cosine and sine of a sum of two angles."""
    (ca, sa), (cb, sb) = a, b
    if is_plain_zero(sa) and is_plain_zero(ca - 1):
        return b
    return ca * cb - sa * sb, sa * cb + ca * sb


# -- constant angles -------------------------------------------------------------------------------


def on_circle(angle: float) -> tuple[Fraction, Fraction]:
    """Return rational cosine and sine of an angle, right to double precision, c² + s² = 1.

    Multiples of 15 degrees are right to 20 digits: turns that undo each other then leave nothing.
    """
    steps = round(angle / STEP)
    near = abs(angle - steps * STEP) <= 1e-15 * max(1.0, abs(angle))
    if near and steps % 12 == 0:  # whole numbers of half turns
        return Fraction(1 - steps // 12 % 2 * 2), Fraction(0)
    t = _half_tangent(steps) if near else Fraction(math.tan(angle / 2))
    t = t.limit_denominator(10**12)
    norm = 1 + t * t
    return (1 - t * t) / norm, 2 * t / norm


def _half_tangent(steps: int) -> Fraction:
    """Return the tangent of half of so many times 15 degrees, no whole number of half turns."""
    two, three, six = (Fraction(math.isqrt(n * 10**80), 10**40) for n in (2, 3, 6))
    sines = (0, (six - two) / 4, Fraction(1, 2), two / 2, three / 2, (six + two) / 4, Fraction(1))

    def sine(k: int) -> Any:
        k %= 24
        return -sine(k - 12) if k > 12 else sines[12 - k] if k > 6 else sines[k]

    return Fraction(sine(steps) / (1 + sine(steps + 6)))


def zyx(R: Mat3) -> list[tuple[int, Any]]:
    """Return the turns of a constant matrix as Rz Ry Rx, zeros left out."""
    (xx, xy, _), (yx, yy, _), (zx, zy, zz) = R.rows
    known = not any(isinstance(e, Expr) and e.names() for row in R.rows for e in row)
    if not known:
        turns = [(2, atan2(yx, xx)), (1, asin(-zx)), (0, atan2(zy, zz))]
    elif abs(to_float(xx)) + abs(to_float(yx)) < 1e-9:  # Ry is a quarter turn
        half = math.copysign(math.pi / 2, -to_float(zx))
        turns = [(2, math.atan2(-to_float(xy), to_float(yy))), (1, half)]
    else:
        y = math.atan2(-to_float(zx), math.hypot(to_float(xx), to_float(yx)))
        z, x = math.atan2(to_float(yx), to_float(xx)), math.atan2(to_float(zy), to_float(zz))
        turns = [(2, z), (1, y), (0, x)]
    return [(axis, angle) for axis, angle in turns if not is_plain_zero(angle)]


def lift(x: Any) -> Any:
    """Return a number as a scalar that functions accept: expressions stay, the rest are floats."""
    return x if isinstance(x, Expr) else float(x)


def number(x: Any) -> Any:
    """Return an expression without parameters as a float; others stay."""
    return to_float(x) if isinstance(x, Expr) and not x.names() else x


def coordinate_axis(joint: Joint) -> tuple[int | None, int]:
    """Return (axis, sense) of a joint along ±x, ±y, ±z, else (None, 0)."""
    axis = tuple(joint.axis)  # type: ignore[attr-defined]
    if (found := coordinate(axis)) is not None:
        return found
    along = [u for u, x in enumerate(axis) if not is_plain_zero(x)]
    if len(along) == 1:
        for sense in (1, -1):
            if is_plain_zero(axis[along[0]] - sense):
                return along[0], sense
    return None, 0
