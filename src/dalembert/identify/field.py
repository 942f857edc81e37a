"""Numbers and angles over a finite field: what an algorithm meets when a rank is to be exact.

An angle is a point (c, s) with c² + s² = 1. The prime is 23 modulo 24, so that 2 and 3 have roots
and multiples of 15 degrees are points, and a root is a power.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

PRIME = 2**61 - 465


class NoRoot(ArithmeticError):
    """A number has no square root in the field."""


class NotExact(Exception):
    """A number of a machine is not in the field: a rounded direction, another function."""


def element(x: Any) -> Any:
    """Return an exact number as an element; integers stay as they are."""
    if isinstance(x, (Element, Angle)) or x.__class__ is int:
        return x
    number = x if isinstance(x, Fraction) else Fraction(repr(float(x)))
    if number.denominator == 1:
        return int(number)
    return Element(number.numerator * pow(number.denominator, -1, PRIME))


class Element:
    """A residue; zeros that come out of a computation are not skipped."""

    __slots__ = ("n",)
    value = None  # what `is_plain_zero` asks

    def __init__(self, n: int):
        self.n = n % PRIME

    def __add__(self, o: Any) -> Element:
        return Element(self.n + _residue(o))

    def __sub__(self, o: Any) -> Element:
        return Element(self.n - _residue(o))

    def __rsub__(self, o: Any) -> Element:
        return Element(_residue(o) - self.n)

    def __mul__(self, o: Any) -> Any:
        if hasattr(o, "cross"):
            return NotImplemented  # a vector knows how it is scaled
        return Element(self.n * _residue(o))

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, o: Any) -> Element:
        return Element(self.n * pow(_residue(o), -1, PRIME))

    def __rtruediv__(self, o: Any) -> Element:
        return Element(_residue(o) * pow(self.n, -1, PRIME))

    def __neg__(self) -> Element:
        return Element(-self.n)

    def sign(self) -> int:
        """Return 1: a field has no senses of motion, and columns that ask for them are refused."""
        return 1

    def __gt__(self, o: Any) -> bool:
        return False

    __lt__ = __gt__

    def sqrt(self) -> Element:
        """Return one of the two roots, always the same."""
        root = pow(self.n, (PRIME + 1) // 4, PRIME)
        if root * root % PRIME != self.n:
            raise NoRoot
        return Element(root)


def _residue(x: Any) -> int:
    if x.__class__ is Element:
        return int(x.n)
    if x.__class__ is int:
        return int(x)
    if not isinstance(x, (float, Fraction)):
        raise NotExact
    made = element(x)
    return int(made.n) if isinstance(made, Element) else int(made)


class Angle:
    """A point of the unit circle; sums of angles are products of points."""

    __slots__ = ("c", "s")
    value = None

    def __init__(self, c: Any, s: Any):
        self.c, self.s = Element(_residue(c)), Element(_residue(s))

    def __add__(self, o: Any) -> Angle:
        if o.__class__ is int and o == 0:
            return self
        if not isinstance(o, Angle):
            raise NotExact
        return Angle(self.c * o.c - self.s * o.s, self.s * o.c + self.c * o.s)

    __radd__ = __add__

    def __neg__(self) -> Angle:
        return Angle(self.c, -self.s)

    def __sub__(self, o: Any) -> Angle:
        return self + -o

    def __rsub__(self, o: Any) -> Angle:
        return -self + o

    def __mul__(self, times: Any) -> Angle:
        times = times.n if isinstance(times, Element) else times
        times = times - PRIME if times == PRIME - 1 else times
        if Fraction(times).denominator != 1 or abs(times) > 100:
            raise NotExact
        total = Angle(1, 0)
        for _ in range(abs(int(times))):
            total = total + self
        return -total if times < 0 else total

    __rmul__ = __mul__

    def __truediv__(self, by: Any) -> Angle:
        if by not in (1, -1):
            raise NotExact
        return self * by

    def sin(self) -> Element:
        """Return the second coordinate."""
        return self.s

    def cos(self) -> Element:
        """Return the first coordinate."""
        return self.c


class Turns(Angle):
    """A rational number of half turns, which may be divided; it must be one of 15 degrees."""

    __slots__ = ("times",)

    def __init__(self, times: Fraction):
        self.times = times
        if (12 * times).denominator != 1:
            raise NotExact
        at = fifteen_degrees() * int(12 * times % 24)
        super().__init__(at.c, at.s)

    def __neg__(self) -> Angle:
        return Turns(-self.times)

    def __mul__(self, by: Any) -> Angle:
        return Turns(self.times * Fraction(by))

    __rmul__ = __mul__

    def __truediv__(self, by: Any) -> Angle:
        return Turns(self.times / Fraction(by))


class Roots:
    """Square roots of one draw: which of two is drawn, and stays for equal numbers."""

    def __init__(self, rng: random.Random):
        self.rng, self.kept = rng, dict[int, Element]()

    def root(self, x: Any) -> Element:
        """Return a root of a number."""
        n = _residue(x) % PRIME
        if n not in self.kept:
            found = Element(n).sqrt()
            self.kept[n] = found if self.rng.random() < 0.5 else -found
        return self.kept[n]

    def direction(self, y: Any, x: Any) -> Angle:
        """Return the angle of a vector, as `atan2` does; its length needs a root."""
        x, y = Element(_residue(x)), Element(_residue(y))
        length = self.root(x * x + y * y)
        if length.n == 0:
            raise NoRoot
        return Angle(x / length, y / length)


def random_element(rng: random.Random) -> Element:
    """Return any element."""
    return Element(rng.randrange(PRIME))


def random_angle(rng: random.Random) -> Angle:
    """Return a point of the circle, by its rational parametrisation."""
    t = random_element(rng)
    below = 1 + t * t
    return Angle((1 - t * t) / below, 2 * t / below)


def random_unit(rng: random.Random) -> list[Element]:
    """Return a unit quaternion, by the stereographic projection of the sphere."""
    t = [random_element(rng) for _ in range(3)]
    square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2]
    below = 1 + square
    return [*(2 * x / below for x in t), (1 - square) / below]


def fifteen_degrees() -> Angle:
    """Return the angle of which all multiples of 15 degrees are sums."""
    two, three = Element(2).sqrt(), Element(3).sqrt()
    return Angle(two * (three + 1) / 4, two * (three - 1) / 4)
