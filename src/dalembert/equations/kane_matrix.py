"""Small matrices of Kane's steps: lists of rows whose entries are numbers or ratios."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..algebra import is_plain_zero
from .elimination import Matrix


def has_any(row: Sequence[Any]) -> bool:
    """Return whether an entry is not zero."""
    return any(not is_plain_zero(x) for x in row)


def times(A: Matrix, x: list[Any]) -> list[Any]:
    """Return A x."""
    return [dot(zip(row, x, strict=True)) for row in A]


def product(A: Matrix, B: Matrix) -> Matrix:
    """Return A B."""
    columns = transposed(B)
    return [[dot(zip(row, column, strict=True)) for column in columns] for row in A]


def transposed(A: Matrix) -> Matrix:
    """Return A'."""
    return [list(column) for column in zip(*A, strict=True)]


def dot(pairs: Iterable[tuple[Any, Any]]) -> Any:
    """Return the sum of products, nothing done with zeros."""
    total: Any = 0
    for x, y in pairs:
        if not (is_plain_zero(x) or is_plain_zero(y)):
            total = total + x * y
    return total
