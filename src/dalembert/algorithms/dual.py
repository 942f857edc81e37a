"""Dual numbers: a value and its slope along one coordinate, over any scalar."""

from __future__ import annotations

from typing import Any

from ..algebra import is_plain_zero
from ..expr import Scalar, cos, sin, sqrt
from ..frozen import dataclass


@dataclass(frozen=True, slots=True)
class Dual:
    """value + slope ε with ε² = 0; polynomials, sines and cosines carry their slope along."""

    real: Scalar
    slope: Scalar

    @property
    def value(self) -> Scalar:
        """The plain scalar of a constant; None where there is a slope; for `is_plain_zero`."""
        return getattr(self.real, "value", self.real) if is_plain_zero(self.slope) else None

    def __add__(self, o: Any) -> Dual:
        a, b = parts(o)
        return Dual(self.real + a, self.slope + b)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.real, -self.slope)

    def __sub__(self, o: Any) -> Dual:
        a, b = parts(o)
        return Dual(self.real - a, self.slope - b)

    def __rsub__(self, o: Any) -> Dual:
        return -self + o

    def __mul__(self, o: Any) -> Dual:
        if isinstance(o, Dual):
            return Dual(self.real * o.real, self.real * o.slope + self.slope * o.real)
        return Dual(self.real * o, self.slope * o)

    __rmul__ = __mul__

    def __truediv__(self, o: Any) -> Dual:
        a, b = parts(o)
        ratio = self.real / a
        return Dual(ratio, (self.slope - ratio * b) / a)

    def __rtruediv__(self, o: Any) -> Dual:
        ratio = o / self.real
        return Dual(ratio, -ratio * self.slope / self.real)

    def sqrt(self) -> Dual:
        """Return the square root and its slope."""
        root = sqrt(self.real)
        return Dual(root, self.slope / (2 * root))

    def sin(self) -> Dual:
        """Return the sine and its slope."""
        return Dual(sin(self.real), cos(self.real) * self.slope)

    def cos(self) -> Dual:
        """Return the cosine and its slope."""
        return Dual(cos(self.real), -sin(self.real) * self.slope)


def parts(x: Any) -> tuple[Scalar, Scalar]:
    """Return value and slope of any scalar; the slope of a plain one is zero."""
    return (x.real, x.slope) if isinstance(x, Dual) else (x, 0)
