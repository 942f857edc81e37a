"""Vectors, matrices, rotations and transforms of three-dimensional space over any scalar.

A `Rotation` keeps its elementary factors: Rx(a) Rx(b) is Rx(a + b), a product with a vector turns
it factor by factor, and an exact quarter turn only changes places and signs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from .display import call, record
from .expr import Expr, Scalar, cos, sin
from .expr.exact import to_float
from .frozen import dataclass

Map = Callable[[Scalar], Scalar]


def plain_number(x: Scalar) -> Scalar | None:
    """Return the number that x is in every state, None where it depends on one."""
    x = getattr(x, "value", x)
    return x if x.__class__ is float or hasattr(x, "numerator") else None


def is_plain_zero(x: Scalar) -> bool:
    """Return whether x is the number zero itself: what it multiplies may be skipped.

    An expression that vanishes in some states is not; a 0.0 computed on a run in floats is.
    """
    if x.__class__ is int:
        return x == 0
    x = x.graph.const[x.id] if x.__class__ is Expr else getattr(x, "value", x)
    return (x.__class__ is float or hasattr(x, "numerator")) and bool(x == 0)


def is_plain_one(x: Scalar) -> bool:
    """Return whether x is the constant one."""
    x = getattr(x, "value", x)
    return (x.__class__ is float or hasattr(x, "numerator")) and bool(x == 1)


def product(a: Scalar, b: Scalar) -> Scalar:
    """Return a b; nothing is multiplied by the numbers 0, 1 and -1."""
    if a.__class__ is int:
        a, b = b, a
    if b.__class__ is int and -1 <= b <= 1:
        return 0 if b == 0 else a if b == 1 else -a
    return a * b


def plus(a: Scalar, b: Scalar) -> Scalar:
    """Return a + b; nothing is added to the number 0."""
    if a.__class__ is int and a == 0:
        return b
    return a if b.__class__ is int and b == 0 else a + b


def minus(a: Scalar, b: Scalar) -> Scalar:
    """Return a - b; nothing is taken from the number 0, nor 0 from anything."""
    if b.__class__ is int and b == 0:
        return a
    return -b if a.__class__ is int and a == 0 else a - b


@dataclass(frozen=True, slots=True)
class Vec3:
    """Three scalars."""

    x: Scalar
    y: Scalar
    z: Scalar

    __repr__ = call

    @staticmethod
    def zero() -> Vec3:
        """Return the vector of zeros."""
        return Vec3(0, 0, 0)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __getitem__(self, k: int) -> Scalar:
        return (self.x, self.y, self.z)[k]

    def __add__(self, o: Vec3) -> Vec3:
        return Vec3(self.x + o.x, self.y + o.y, self.z + o.z)

    def __sub__(self, o: Vec3) -> Vec3:
        return Vec3(self.x - o.x, self.y - o.y, self.z - o.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, k: Scalar) -> Vec3:
        return Vec3(self.x * k, self.y * k, self.z * k)

    __rmul__ = __mul__

    def dot(self, o: Vec3) -> Scalar:
        """Return the scalar product."""
        return self.x * o.x + self.y * o.y + self.z * o.z

    def cross(self, o: Vec3) -> Vec3:
        """Return the vector product self × o."""
        return Vec3(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )

    def skew(self) -> Mat3:
        """Return the matrix of `self ×`."""
        return Mat3((0, -self.z, self.y), (self.z, 0, -self.x), (-self.y, self.x, 0))

    def outer(self, o: Vec3) -> Mat3:
        """Return self oᵀ."""
        return Mat3(*(tuple(a * b for b in o) for a in self))

    def map(self, f: Map) -> Vec3:
        """Return the vector with every entry mapped."""
        return Vec3(f(self.x), f(self.y), f(self.z))

    def is_zero(self) -> bool:
        """Return whether every entry is the constant zero."""
        return is_plain_zero(self.x) and is_plain_zero(self.y) and is_plain_zero(self.z)


Row = tuple[Scalar, Scalar, Scalar]


@dataclass(frozen=True, slots=True)
class Mat3:
    """Nine scalars, row by row."""

    a: Row
    b: Row
    c: Row

    __repr__ = call

    @staticmethod
    def zero() -> Mat3:
        """Return the matrix of zeros."""
        return Mat3((0, 0, 0), (0, 0, 0), (0, 0, 0))

    @staticmethod
    def identity() -> Mat3:
        """Return the unit matrix."""
        return Mat3((1, 0, 0), (0, 1, 0), (0, 0, 1))

    @staticmethod
    def symmetric(xx: Scalar, yy: Scalar, zz: Scalar, xy: Scalar, xz: Scalar, yz: Scalar) -> Mat3:
        """Return the symmetric matrix of six entries in the contract's order XX YY ZZ XY XZ YZ."""
        return Mat3((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))

    def six(self) -> tuple[Scalar, ...]:
        """Return XX, YY, ZZ, XY, XZ, YZ of a symmetric matrix."""
        return self.a[0], self.b[1], self.c[2], self.a[1], self.a[2], self.b[2]

    @property
    def rows(self) -> tuple[Row, Row, Row]:
        """The three rows."""
        return self.a, self.b, self.c

    @property
    def T(self) -> Mat3:
        """The transpose."""
        return Mat3(*zip(*self.rows, strict=True))

    def __getitem__(self, k: tuple[int, int]) -> Scalar:
        return self.rows[k[0]][k[1]]

    def __add__(self, o: Mat3) -> Mat3:
        return Mat3(*(tuple(map(plus, r, s)) for r, s in zip(self.rows, o.rows, strict=True)))

    def __sub__(self, o: Mat3) -> Mat3:
        return Mat3(
            *(
                tuple(x - y for x, y in zip(r, s, strict=True))
                for r, s in zip(self.rows, o.rows, strict=True)
            )
        )

    def __neg__(self) -> Mat3:
        return self.map(lambda x: -x)

    def __mul__(self, k: Scalar) -> Mat3:
        return self.map(lambda x: x * k)

    __rmul__ = __mul__

    def __matmul__(self, o: Any) -> Any:
        if isinstance(o, Vec3):
            return Vec3(*(r[0] * o.x + r[1] * o.y + r[2] * o.z for r in self.rows))
        columns = tuple(zip(*o.rows, strict=True))
        return Mat3(
            *(tuple(r[0] * k[0] + r[1] * k[1] + r[2] * k[2] for k in columns) for r in self.rows)
        )

    def rotate(self, tensor: Mat3) -> Mat3:
        """Return self tensor selfᵀ, exactly symmetric for a symmetric tensor."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (self @ (self @ tensor).T).rows
        return Mat3.symmetric(xx, yy, zz, xy, xz, yz)

    def map(self, f: Map) -> Mat3:
        """Return the matrix with every entry mapped."""
        return Mat3(*(tuple(f(x) for x in r) for r in self.rows))


def yaw_pitch_roll(R: Mat3) -> tuple[float, float, float]:
    """Return the angles of R = Rz(yaw) Ry(pitch) Rx(roll), a matrix of numbers.

    Roll is that of Rz(-yaw) R, so that rounding of yaw near a quarter turn of pitch does no harm.
    """
    a, b, c = ([to_float(x) for x in row] for row in R.rows)
    flat = math.hypot(a[0], b[0])
    yaw = math.atan2(b[0], a[0]) if flat > 1e-15 else 0.0
    s, k = math.sin(yaw), math.cos(yaw)
    return yaw, math.atan2(-c[0], flat), math.atan2(s * a[2] - k * b[2], k * b[1] - s * a[1])


@dataclass(frozen=True, slots=True)
class Turn:
    """A rotation by `angle` about one coordinate axis (0, 1, 2), with its cosine and sine."""

    axis: int
    angle: Scalar
    c: Scalar
    s: Scalar

    def __repr__(self) -> str:
        return f"R{'XYZ'[self.axis]}({self.angle})"

    def __matmul__(self, v: Vec3) -> Vec3:
        c, s = self.c, self.s
        if self.axis == 0:
            return Vec3(v.x, c * v.y - s * v.z, s * v.y + c * v.z)
        if self.axis == 1:
            return Vec3(c * v.x + s * v.z, v.y, c * v.z - s * v.x)
        return Vec3(c * v.x - s * v.y, s * v.x + c * v.y, v.z)

    @property
    def T(self) -> Turn:
        """The turn back."""
        return Turn(self.axis, -self.angle, self.c, -self.s)

    def rotate(self, tensor: Mat3) -> Mat3:
        """Return R tensor Rᵀ; in 7 products and 6 sums for a symmetric tensor."""
        c, s, T = self.c, self.s, tensor.rows
        z, x, y = self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3
        k = s * (T[x][x] - T[y][y]) + c * (T[x][y] + T[y][x])
        sk, ck = s * k, c * k
        out: list[list[Scalar]] = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
        out[x][x], out[y][y], out[z][z] = T[x][x] - sk, T[y][y] + sk, T[z][z]
        out[x][y], out[y][x] = ck - T[y][x], ck - T[x][y]
        out[x][z], out[y][z] = c * T[x][z] - s * T[y][z], s * T[x][z] + c * T[y][z]
        out[z][x], out[z][y] = c * T[z][x] - s * T[z][y], s * T[z][x] + c * T[z][y]
        return Mat3(*(tuple(row) for row in out))

    def matrix(self) -> Mat3:
        """Return the nine entries."""
        columns = (self @ Vec3(1, 0, 0), self @ Vec3(0, 1, 0), self @ Vec3(0, 0, 1))
        return Mat3(*zip(*columns, strict=True))

    def map(self, f: Map) -> Turn:
        """Return the turn with angle, cosine and sine mapped."""
        return Turn(self.axis, f(self.angle), f(self.c), f(self.s))


def turn(axis: int, angle: Scalar) -> Turn:
    """Return the elementary rotation about coordinate axis 0, 1 or 2."""
    return Turn(axis, angle, cos(angle), sin(angle))


def _sum_of_angles(a: Turn, b: Turn) -> Scalar:
    """Return the sum of two angles; exact numbers stay under an exact sine, never a rounded one."""
    total = a.angle + b.angle
    graph = next((x.graph for x in (a.c, a.s, b.c, b.s) if isinstance(x, Expr)), None)
    if graph is not None and isinstance(total, (int, Fraction)):
        return graph.constant(total)
    return total


LONG = 24  # factors: a matrix costs as much as two to six turns, but an arm keeps all of its own


@dataclass(frozen=True, slots=True)
class Rotation:
    """A product of factors, each a `Turn` or a constant `Mat3`, the leftmost first."""

    factors: tuple[Turn | Mat3, ...] = ()

    def __repr__(self) -> str:
        return f"Rotation({' @ '.join(map(repr, self.factors))})"

    @staticmethod
    def about(axis: int, angle: Scalar) -> Rotation:
        """Return the rotation by `angle` about coordinate axis 0, 1 or 2."""
        return Rotation() if is_plain_zero(angle) else Rotation((turn(axis, angle),))

    @staticmethod
    def of(matrix: Mat3) -> Rotation:
        """Return the rotation of a matrix, taken as it is."""
        return Rotation((matrix,))

    @property
    def T(self) -> Rotation:
        """The inverse rotation."""
        return Rotation(tuple(f.T for f in reversed(self.factors)))

    def __matmul__(self, o: Any) -> Any:
        if isinstance(o, Vec3):
            for factor in reversed(self.factors):
                o = factor @ o
            return o
        if isinstance(o, Mat3):
            columns = [self @ Vec3(*column) for column in zip(*o.rows, strict=True)]
            return Mat3(*zip(*columns, strict=True))
        return self._times(o)

    def _times(self, o: Rotation) -> Rotation:
        left, right = list(self.factors), list(o.factors)
        while left and right:
            a, b = left[-1], right[0]
            if not (isinstance(a, Turn) and isinstance(b, Turn) and a.axis == b.axis):
                break
            # turns about one axis add their angles
            left.pop()
            right.pop(0)
            total = _sum_of_angles(a, b)
            if not is_plain_zero(total):
                left.append(turn(a.axis, total))
                break
        return Rotation((*left, *right))

    def matrix(self) -> Mat3:
        """Return the nine entries."""
        return self @ Mat3.identity()

    def rotate(self, tensor: Mat3) -> Mat3:
        """Return R tensor Rᵀ, exactly symmetric for a symmetric tensor."""
        for factor in reversed(self.factors):
            tensor = factor.rotate(tensor)
        return tensor

    def rotate_any(self, matrix: Mat3) -> Mat3:
        """Return R matrix Rᵀ of a matrix that need not be symmetric."""
        for factor in reversed(self.factors):
            if isinstance(factor, Turn):
                matrix = factor.rotate(matrix)
            else:
                matrix = factor @ matrix @ factor.T
        return matrix

    def map(self, f: Map) -> Rotation:
        """Return the rotation with every number mapped."""
        return Rotation(tuple(factor.map(f) for factor in self.factors))

    def bounded(self) -> Rotation:
        """Return this rotation in at most LONG factors, so that deep chains cost no more.

        The first and the last stay as they are: they may still merge with their neighbours.
        """
        if len(self.factors) <= LONG:
            return self
        first, *middle, last = self.factors
        return Rotation((first, Rotation(tuple(middle)).matrix(), last))


@dataclass(frozen=True, slots=True)
class Transform:
    """Rotation R and origin p of a frame, seen from another: x ↦ R x + p."""

    R: Rotation = Rotation()
    p: Vec3 = Vec3(0, 0, 0)

    __repr__ = record

    def __matmul__(self, o: Any) -> Any:
        if isinstance(o, Vec3):
            return self.R @ o + self.p
        return Transform(self.R @ o.R, self.R @ o.p + self.p)

    @property
    def inverse(self) -> Transform:
        """The transform back."""
        R = self.R.T
        return Transform(R, -(R @ self.p))

    def map(self, f: Map) -> Transform:
        """Return the transform with every number mapped."""
        return Transform(self.R.map(f), self.p.map(f))

    def is_identity(self) -> bool:
        """Return whether nothing is moved, by structure."""
        return not self.R.factors and self.p.is_zero()
