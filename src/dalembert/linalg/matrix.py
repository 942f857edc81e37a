"""Vectors and matrices of any size over any scalar; products leave out structural zeros."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

from ..algebra import is_plain_zero
from ..expr import Scalar


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Return Σ a b over entries that are not structurally zero."""
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        if not (is_plain_zero(x) or is_plain_zero(y)):
            total = total + x * y
    return total


class Vector(Sequence[Scalar]):
    """A row of scalars with + - * @; the scalar product skips structural zeros."""

    __slots__ = ("entries",)

    def __init__(self, entries: Iterable[Scalar]):
        self.entries = tuple(entries)

    @staticmethod
    def zeros(n: int) -> Vector:
        """Return n zeros."""
        return Vector([0] * n)

    @staticmethod
    def unit(n: int, k: int) -> Vector:
        """Return n entries, the k-th of them one."""
        return Vector(1 if r == k else 0 for r in range(n))

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Scalar]:
        return iter(self.entries)

    def __getitem__(self, k: Any) -> Any:
        return Vector(self.entries[k]) if isinstance(k, slice) else self.entries[k]

    def __repr__(self) -> str:
        return f"Vector({list(self.entries)})"

    def __add__(self, o: Sequence[Scalar]) -> Vector:
        return Vector(x + y for x, y in zip(self.entries, o, strict=True))

    __radd__ = __add__

    def __sub__(self, o: Sequence[Scalar]) -> Vector:
        return Vector(x - y for x, y in zip(self.entries, o, strict=True))

    def __neg__(self) -> Vector:
        return Vector(-x for x in self.entries)

    def __mul__(self, k: Scalar) -> Vector:
        return Vector(x * k for x in self.entries)

    def __matmul__(self, o: Sequence[Scalar]) -> Scalar:
        return dot(self.entries, o)

    def pick(self, indices: Iterable[int]) -> Vector:
        """Return some of the entries."""
        return Vector(self.entries[k] for k in indices)

    def plus(self, at: Mapping[int, Scalar]) -> Vector:
        """Return the vector with scalars added to the entries that `at` names."""
        return Vector(x + at[k] if k in at else x for k, x in enumerate(self.entries))

    def less(self, at: Mapping[int, Scalar]) -> Vector:
        """Return the vector with scalars taken from the entries that `at` names."""
        return Vector(x - at[k] if k in at else x for k, x in enumerate(self.entries))


class Matrix(Sequence[Vector]):
    """Rows of one length with + - * @ and .T; products skip structural zeros."""

    __slots__ = ("rows", "width")

    def __init__(self, rows: Iterable[Iterable[Scalar]], width: int = 0):
        self.rows = tuple(row if isinstance(row, Vector) else Vector(row) for row in rows)
        self.width = len(self.rows[0]) if self.rows else width  # asked for where there is no row

    @staticmethod
    def zeros(height: int, width: int) -> Matrix:
        """Return a matrix of zeros."""
        return Matrix([[0] * width] * height, width)

    @staticmethod
    def unit(n: int) -> Matrix:
        """Return the unit matrix."""
        return Matrix([Vector.unit(n, k) for k in range(n)])

    @staticmethod
    def diag(entries: Sequence[Scalar]) -> Matrix:
        """Return a diagonal matrix."""
        n = len(entries)
        return Matrix([[x if r == k else 0 for k in range(n)] for r, x in enumerate(entries)])

    @staticmethod
    def block(parts: Sequence[Sequence[Any]]) -> Matrix:
        """Return the matrix of blocks: `Matrix.block([[A, B], [C, D]])`; each has `.rows`."""
        return Matrix(
            [x for part in across for x in part]
            for row in parts
            for across in zip(*(block.rows for block in row), strict=True)
        )

    @staticmethod
    def columns(columns: Sequence[Sequence[Scalar]], height: int = 0) -> Matrix:
        """Return the matrix of these columns; `height` is asked for if there is none."""
        return Matrix(columns, height).T

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Vector]:
        return iter(self.rows)

    @overload
    def __getitem__(self, k: int) -> Vector: ...
    @overload
    def __getitem__(self, k: slice) -> Matrix: ...
    def __getitem__(self, k: Any) -> Any:
        return Matrix(self.rows[k], self.width) if isinstance(k, slice) else self.rows[k]

    def __repr__(self) -> str:
        return f"Matrix({[list(row) for row in self.rows]})"

    @property
    def T(self) -> Matrix:
        """The transpose."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * self.width
        return Matrix(columns, len(self.rows))

    def with_columns(self, columns: Mapping[int, Sequence[Scalar]]) -> Matrix:
        """Return the matrix with other columns at some places."""
        if not columns:
            return self
        kept = [columns.get(c, column) for c, column in enumerate(self.T)]
        return Matrix.columns(kept, len(self.rows))

    def __add__(self, o: Sequence[Sequence[Scalar]]) -> Matrix:
        return Matrix([a + b for a, b in zip(self.rows, o, strict=True)], self.width)

    def __sub__(self, o: Sequence[Sequence[Scalar]]) -> Matrix:
        return Matrix([a - b for a, b in zip(self.rows, o, strict=True)], self.width)

    def __neg__(self) -> Matrix:
        return Matrix([-row for row in self.rows], self.width)

    def __mul__(self, k: Scalar) -> Matrix:
        return Matrix([row * k for row in self.rows], self.width)

    @overload
    def __matmul__(self, o: Matrix) -> Matrix: ...
    @overload
    def __matmul__(self, o: Sequence[Scalar]) -> Vector: ...
    def __matmul__(self, o: Any) -> Any:
        if isinstance(o, Matrix):
            columns = o.T
            return Matrix([[dot(row, c) for c in columns] for row in self.rows], o.width)
        return Vector(dot(row, o) for row in self.rows)

    def pick(self, rows: Iterable[int], columns: Sequence[int] | None = None) -> Matrix:
        """Return some of the rows, and some of the columns if they are named."""
        if columns is None:
            return Matrix([self.rows[r] for r in rows], self.width)
        return Matrix([self.rows[r].pick(columns) for r in rows], len(columns))

    def plus_diagonal(self, at: Mapping[int, Scalar]) -> Matrix:
        """Return the matrix with scalars added to the diagonal where `at` names them."""
        rows = enumerate(self.rows)
        return Matrix([row.plus({k: at[k]}) if k in at else row for k, row in rows], self.width)


def projected(M: Matrix, G: Matrix) -> Matrix:
    """Return Gᵀ M G of a symmetric M: one half is computed."""
    columns, along = G.T, (M @ G).T
    n = G.width
    return Matrix(
        [[dot(columns[min(a, b)], along[max(a, b)]) for b in range(n)] for a in range(n)], n
    )
