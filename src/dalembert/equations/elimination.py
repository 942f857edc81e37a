"""Matrices and linear systems over ratios: block by block, each by Bareiss' elimination.

Bareiss, Sylvester's identity and multistep integer-preserving Gaussian elimination (1968): every
division is exact, so that entries stay polynomials until the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..algebra import is_plain_zero
from ..errors import ModelError
from ..linalg import block, dot
from .ratio import Field, Ratio
from .ring import Poly

Matrix = list[list[Any]]  # rows of numbers and ratios


def has_any(row: Sequence[Any]) -> bool:
    """Return whether an entry is not zero."""
    return any(not is_plain_zero(x) for x in row)


def times(A: Matrix, x: list[Any]) -> list[Any]:
    """Return A x."""
    return [dot(row, x) for row in A]


def product(A: Matrix, B: Matrix) -> Matrix:
    """Return A B."""
    columns = transposed(B)
    return [[dot(row, column) for column in columns] for row in A]


def transposed(A: Matrix) -> Matrix:
    """Return A'."""
    return [list(column) for column in zip(*A, strict=True)]


def solved(field: Field, A: Matrix, B: Matrix, names: Sequence[str]) -> Matrix:
    """Return X of A X = B; `names` are those of the rows, for the error when A is singular."""
    n = len(A)
    X: Matrix = [[] for _ in range(n)]
    rows, known = list(range(n)), set[int]()
    while rows:
        inside, columns = block(A, rows, known)
        inverse = _inverse(field, [[A[r][c] for c in columns] for r in inside],
                           [names[r] for r in inside])  # fmt: skip
        rest = []
        for r in inside:
            right = list(B[r])
            for c in known:
                if A[r][c].__class__ is not int or A[r][c] != 0:
                    right = [x - A[r][c] * y for x, y in zip(right, X[c], strict=True)]
            rest.append(right)
        for k, c in enumerate(columns):
            X[c] = [
                sum((a * right[b] for a, right in zip(inverse[k], rest, strict=True)), 0)
                for b in range(len(B[0]))
            ]
        known |= set(columns)
        rows = [r for r in rows if r not in inside]
    return X


def _inverse(field: Field, A: Matrix, names: Sequence[str]) -> Matrix:
    """Return the inverse of a block, by rows of its unknowns."""
    n = len(A)
    if n != len(A[0]):
        raise dependent(names[-1])
    # rows without denominators beside the unit matrix
    work: list[list[Poly]] = []
    for r, row in enumerate(A):
        shared = field.one
        for x in row:
            if isinstance(x, Ratio):
                shared = shared * x.den / shared.gcd(x.den)
        whole = Ratio(field, shared, field.one)
        entries = [field.lift(x * whole)[0] for x in row]
        work.append([*entries, *(shared if k == r else field.ring.zero for k in range(n))])
    before = field.one
    for k in range(n):
        found = [r for r in range(k, n) if len(field.reduced(work[r][k]))]
        if not found:
            raise dependent(names[k])
        best = min(found, key=lambda r: (len(work[r][k]), r))
        work[k], work[best] = work[best], work[k]
        pivot = work[k][k]
        for r in range(n):
            if r != k:
                factor = work[r][k]
                work[r] = [
                    (pivot * x - factor * y) / before for x, y in zip(work[r], work[k], strict=True)
                ]
        before = pivot
    # the diagonal now holds the determinant, up to the row exchanges that all entries share
    return [[field.make(x, work[k][k]) for x in work[k][n:]] for k in range(n)]


def dependent(name: str) -> ModelError:
    """Return the error of a constraint that follows from the others or contradicts them."""
    return ModelError(
        f"constraint or speed {name!r} depends on the others: [H; S] is singular in every state",
        hint="remove one of them, or choose other speeds",
    )
