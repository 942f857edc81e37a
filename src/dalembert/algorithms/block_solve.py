"""Linear systems by their structure: small blocks one after another, each inverted by cofactors.

Which entries are zero is known before any number is: rows that hold as many unknowns as they are
form a block, and what it gives is carried into the next. Vehicles come apart into blocks of one or
two unknowns, so that no pivot has to be looked for. A block that is singular at a state, measured
by its rows, gives not-a-number.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from ..algebra import is_zero
from ..expr import Scalar, absolute, solve, where

Matrix = Sequence[Sequence[Scalar]]
Block = tuple[list[int], list[int]]  # rows, unknowns
SINGULAR = 1e-12  # a determinant below this part of the product of its rows counts as zero


def block(A: Matrix, rows: Sequence[int], known: set[int]) -> Block:
    """Return a few rows that hold as many unknowns as they are, grown from the shortest row.

    More rows than unknowns come back when the matrix is structurally singular.
    """
    unknown = {
        r: {c for c, x in enumerate(A[r]) if c not in known and not is_zero(x)} for r in rows
    }
    columns: set[int] = set()
    while True:
        inside = [r for r in rows if unknown[r] <= columns]
        outside = [r for r in rows if r not in inside]
        if (inside and len(inside) >= len(columns)) or not outside:
            return inside, sorted(columns)
        columns |= unknown[min(outside, key=lambda r: (len(unknown[r] - columns), r))]


def blocks(A: Matrix) -> list[Block]:
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

    def __init__(self, A: Matrix):
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
        scale: Scalar = SINGULAR
        for r in rows:
            scale = scale * sum((absolute(x) for x in self.A[r] if not is_zero(x)), 0)
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
                    if not is_zero(self.A[r][c]):
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


def _cofactor(A: Matrix, r: int, c: int) -> Scalar:
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
