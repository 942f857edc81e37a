"""Linear systems, by what is known of them before any number is.

`spd` and `general`: nothing more. `leaves_first`: a mass matrix of a tree. `Planned`: the order of
pivots, for many right sides. `Definite`: positive definite and sparse. `Blocks`: rows that come
apart. `inverse`: two or three rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import nan
from typing import Any

from ..algebra import Vec3, is_plain_zero
from ..expr import Scalar, absolute, maximum, minimum, solve, where
from .matrix import Matrix, Vector, dot

Rows = Sequence[Sequence[Scalar]]
Block = tuple[list[int], list[int]]  # rows, unknowns
DENSE = 6  # the last pivots of a planned system are chosen at run time
VANISHING = 1e-12  # a determinant below this part of the product of its rows counts as zero


def spd(A: Rows, b: Sequence[Scalar]) -> Vector:
    """Return x of A x = b, A symmetric positive definite."""
    return Vector(solve(A, b, "spd") if len(b) else ())


def general(A: Rows, b: Sequence[Scalar]) -> Vector:
    """Return x of A x = b for any regular A."""
    return Vector(solve(A, b, "general") if len(b) else ())


def each_column(solver: Callable[[Any, Any], Vector], A: Rows, B: Matrix) -> Matrix:
    """Return A⁻¹ B, column by column."""
    return Matrix.columns([solver(A, column) for column in B.T], len(A))


def leaves_first(M: Rows, b: Sequence[Scalar]) -> Vector:
    """Return x of M x = b, M positive definite, the last freedom eliminated first.

    Then no zero that the branches of a tree leave in M is filled (Featherstone, Efficient
    factorization of the joint-space inertia matrix for branched kinematic trees, 2005).
    """
    backward = [list(reversed(row)) for row in reversed(M)]
    return spd(backward, list(reversed(b)))[::-1]


def inverse(A: Rows) -> Matrix:
    """Return the inverse of a 2 x 2 or 3 x 3 matrix by its cofactors."""
    if len(A) == 2:
        (a, b), (c, d) = A
        k = 1 / (a * d - b * c)
        return Matrix([[d * k, -(b * k)], [-(c * k), a * k]])
    x, y, z = (Vec3(*row) for row in A)
    columns = y.cross(z), z.cross(x), x.cross(y)
    k = 1 / x.dot(columns[0])
    return Matrix([[column[r] * k for column in columns] for r in range(3)])


# -- pivots in a planned order -------------------------------------------------------------------


class Planned:
    """A = L U in planned order, its last rows solved with pivoting at run time."""

    def __init__(self, A: Rows):
        self.n = n = len(A)
        self.head = head = max(0, n - DENSE)
        U = [list(row) for row in A]
        self.L: list[list[Scalar]] = [[0] * n for _ in range(n)]
        self.ratio: Scalar = 1
        self.inverses: list[Scalar] = []
        for k in range(head):
            inverse = 1 / U[k][k]
            self.inverses.append(inverse)
            # behind a pivot of zero nothing is a number: the ratio says so
            self.ratio = where(absolute(U[k][k]) > 0, self.ratio, 0)
            for i in range(k + 1, n):
                if is_plain_zero(U[i][k]):
                    continue
                self.L[i][k] = l = U[i][k] * inverse
                # a multiplier above one is a pivot below the largest entry of its column
                self.ratio = minimum(self.ratio, 1 / maximum(absolute(l), 1))
                for c in range(k + 1, n):
                    if not is_plain_zero(U[k][c]):
                        U[i][c] = U[i][c] - l * U[k][c]
        self.U = U
        self.tail = [row[head:] for row in U[head:]]
        self.ratio = minimum(self.ratio, pivot_ratio(self.tail))
        if head:
            self.ratio = where(self.ratio > 0, self.ratio, 0)

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return x of A x = b."""
        n, head, L, U = self.n, self.head, self.L, self.U
        y = list(b)
        for k in range(head):
            for i in range(k + 1, n):
                y[i] = y[i] - L[i][k] * y[k]
        x: list[Scalar] = [*[0] * head, *general(self.tail, y[head:])]
        for k in reversed(range(head)):
            s = y[k]
            for c in range(k + 1, n):
                s = s - U[k][c] * x[c]
            x[k] = s * self.inverses[k]
        return x

    def solve_transposed(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return x of Aᵀ x = b."""
        n, head, L, U = self.n, self.head, self.L, self.U
        z = list(b)
        for k in range(head):
            z[k] = z[k] * self.inverses[k]
            for c in range(k + 1, n):
                z[c] = z[c] - U[k][c] * z[k]
        transposed = [list(column) for column in zip(*self.tail, strict=True)]
        x: list[Scalar] = [*z[:head], *general(transposed, z[head:])]
        for k in reversed(range(head)):
            for i in range(k + 1, n):
                x[k] = x[k] - L[i][k] * x[i]
        return x


def pivot_ratio(A: Rows) -> Scalar:
    """Return the smallest pivot of Gauss with row exchanges over the largest."""
    if not len(A):
        return 1
    low: Scalar = None
    high: Scalar = None
    for pivot, _ in exchanged_pivots(A):
        size = where(absolute(pivot) > 0, absolute(pivot), 0)  # none is left behind one of zero
        low = size if low is None else minimum(low, size)
        high = size if high is None else maximum(high, size)
    return low / maximum(high, 1e-300)


def exchanged_pivots(A: Rows) -> Iterator[tuple[Scalar, list[Scalar]]]:
    """Yield each pivot of Gauss with row exchanges, and which rows it was exchanged with."""
    n, rows = len(A), [list(row) for row in A]
    for j in range(n):
        exchanged = []
        for r in range(j + 1, n):
            better = absolute(rows[r][j]) > absolute(rows[j][j])
            exchanged.append(better)
            for c in range(j, n):
                up, down = rows[j][c], rows[r][c]
                rows[j][c], rows[r][c] = where(better, down, up), where(better, up, down)
        pivot = rows[j][j]
        yield pivot, exchanged
        # the same elimination as that of `solve`, so that they share their work
        inverse = 0 if is_plain_zero(pivot) else 1 / pivot
        for r in range(j + 1, n):
            factor = rows[r][j] * inverse
            for c in range(j + 1, n):
                rows[r][c] = rows[r][c] - factor * rows[j][c]


# -- positive definite and sparse ----------------------------------------------------------------


class Definite:
    """A symmetric positive definite matrix as L D Lᵀ, rows with few entries eliminated first."""

    def __init__(self, A: Rows):
        self.n = n = len(A)
        self.order = _sparse_order(A)
        B = [[A[i][j] for j in self.order] for i in self.order]
        self.L: list[list[Scalar]] = [[0] * n for _ in range(n)]
        self.D: list[Scalar] = []
        for k in range(n):
            self.D.append(B[k][k])
            inverse = 1 / B[k][k]
            below = [i for i in range(k + 1, n) if not is_plain_zero(B[i][k])]
            for i in below:
                self.L[i][k] = B[i][k] * inverse
            for i in below:
                for j in below:
                    if j <= i:
                        B[i][j] = B[j][i] = B[i][j] - self.L[i][k] * B[j][k]

    def half(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return L⁻¹ b, in the order of elimination."""
        y = [b[i] for i in self.order]
        for i in range(self.n):
            y[i] = y[i] - dot(self.L[i][:i], y[:i])
        return y

    def product(self, a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
        """Return xᵀ A⁻¹ y from the halves of x and y."""
        return dot(a, [0 if is_plain_zero(y) else y / d for y, d in zip(b, self.D, strict=True)])

    def back(self, half: Sequence[Scalar]) -> list[Scalar]:
        """Return A⁻¹ b from the half of b."""
        x: list[Scalar] = [y / d for y, d in zip(half, self.D, strict=True)]
        for k in reversed(range(self.n)):
            for i in range(k + 1, self.n):
                if not is_plain_zero(self.L[i][k]):
                    x[k] = x[k] - self.L[i][k] * x[i]
        out: list[Scalar] = [0] * self.n
        for i, value in zip(self.order, x, strict=True):
            out[i] = value
        return out

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return A⁻¹ b."""
        return self.back(self.half(b))


def _sparse_order(A: Rows) -> list[int]:
    """Return the order of elimination in which the next row has the fewest neighbours."""
    near = {i: {j for j, x in enumerate(row) if j != i and not is_plain_zero(x)} for i, row in
            enumerate(A)}  # fmt: skip
    order: list[int] = []
    while near:
        k = min(near, key=lambda i: (len(near[i]), i))
        mine = near.pop(k)
        for i in mine:
            near[i] = (near[i] | mine) - {i, k}
        order.append(k)
    return order


# -- small blocks one after another --------------------------------------------------------------
#
# Rows that hold as many unknowns as they are form a block, and what it gives is carried into the
# next. Vehicles come apart into blocks of one or two unknowns, so that no pivot is looked for. A
# block that is singular at a state, measured by its rows, gives not-a-number.


def block(A: Rows, rows: Sequence[int], known: set[int]) -> Block:
    """Return a few rows that hold as many unknowns as they are, grown from the shortest row.

    More rows than unknowns come back when the matrix is structurally singular.
    """
    unknown = {
        r: {c for c, x in enumerate(A[r]) if c not in known and not is_plain_zero(x)} for r in rows
    }
    columns: set[int] = set()
    while True:
        inside = [r for r in rows if unknown[r] <= columns]
        outside = [r for r in rows if r not in inside]
        if (inside and len(inside) >= len(columns)) or not outside:
            return inside, sorted(columns)
        columns |= unknown[min(outside, key=lambda r: (len(unknown[r] - columns), r))]


def blocks(A: Rows) -> list[Block]:
    """Return all blocks in the order in which they are solved."""
    rows, known, out = list(range(len(A))), set[int](), []
    while rows:
        found = block(A, rows, known)
        out.append(found)
        known |= set(found[1])
        rows = [r for r in rows if r not in found[0]]
    return out


class Blocks:
    """A matrix taken apart once, for many right sides."""

    def __init__(self, A: Rows):
        self.A, self.order = A, blocks(A)
        self.inverses = [self._inverse(rows, columns) for rows, columns in self.order]

    def _inverse(self, rows: list[int], columns: list[int]) -> list[list[Scalar]] | None:
        A = [[self.A[r][c] for c in columns] for r in rows]
        n = len(A)
        if n != len(columns):
            return [[nan] * n for _ in columns]
        if n > 3:
            return None  # by elimination
        cofactors = [[_cofactor(A, r, c) for c in range(n)] for r in range(n)]
        det = sum((A[0][c] * cofactors[0][c] for c in range(n)), 0)
        scale: Scalar = VANISHING
        for r in rows:
            scale = scale * sum((absolute(x) for x in self.A[r] if not is_plain_zero(x)), 0)
        over = 1 / where(absolute(det) > scale, det, nan)
        return [[cofactors[r][c] * over for r in range(n)] for c in range(n)]

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return x of A x = b."""
        x: list[Scalar] = [0] * len(b)
        known: list[int] = []
        for (rows, columns), inverse in zip(self.order, self.inverses, strict=True):
            right = []
            for r in rows:
                rest = b[r]
                for c in known:
                    if not is_plain_zero(self.A[r][c]):
                        rest = rest - self.A[r][c] * x[c]
                right.append(rest)
            if inverse is None:
                inner = [[self.A[r][c] for c in columns] for r in rows]
                found = solve(inner, right, "general")
            else:
                pairs = [zip(row, right, strict=True) for row in inverse]
                found = [sum((a * y for a, y in pair), 0) for pair in pairs]
            for c, value in zip(columns, found, strict=True):
                x[c] = value
            known += columns
        return x


def _cofactor(A: Rows, r: int, c: int) -> Scalar:
    """Return the cofactor of a matrix of at most three rows."""
    n = len(A)
    if n == 1:
        return 1
    rows = [k for k in range(n) if k != r]
    columns = [k for k in range(n) if k != c]
    if n == 2:
        minor = A[rows[0]][columns[0]]
    else:
        (a, b), (p, q) = ([A[i][j] for j in columns] for i in rows)
        minor = a * q - b * p
    return minor if (r + c) % 2 == 0 else -minor
