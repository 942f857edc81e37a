"""A block of legs that carry one platform: what each leg moves alone leaves its equations first.

A leg with one equation more than it has unknowns of its own gives one equation between what leads
and the platform, along a direction that those unknowns do not move: the rod of a Delta or of a
3-RRR, n · v = n · (crank's end) q̇. The platform is solved from these, then each leg by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..algebra import is_plain_zero
from ..expr import Expr
from ..expr.style import TEXT, write
from .loop_blocks import Line, Solved
from .loop_elimination import Elimination, named_line
from .trig import NotTrig, plain, primitive, trig
from .trig_form import folded, formula_of

LONG = 40  # signs of an entry from which on it has a name
Leg = tuple[list[int], list[int]]  # rows of a block and its unknowns that stand in no other row


def legs(A: Sequence[Sequence[Any]], loops: Sequence[str]) -> list[Leg]:
    """Return the rows and the own unknowns of each loop that has one row more than such ones."""
    found = []
    for loop in dict.fromkeys(loops):
        rows = [r for r, name in enumerate(loops) if name == loop]
        others = [r for r in range(len(A)) if r not in rows]
        own = [
            c
            for c in range(len(A))
            if all(is_plain_zero(A[r][c]) for r in others)
            and not all(is_plain_zero(A[r][c]) for r in rows)
        ]
        if len(rows) == len(own) + 1 and len(own) in (1, 2):
            found.append((rows, own))
    return found


class Legs:
    """A block solved leg by leg; it is called as an `Elimination` is."""

    def __init__(self, s: Solved, number: int, A: list[list[Any]], found: Sequence[Leg]):
        self.s, self.found = s, found
        self.lines: list[Line] = []
        n, own = len(A), {c for _, columns in found for c in columns}
        self.shared = [c for c in range(n) if c not in own]
        self.A = [[self._named(row[c]) if c in self.shared else row[c] for c in range(n)]
                  for row in A]  # fmt: skip
        self.ways: list[list[tuple[Any, list[Any]]]] = []  # of the own columns of each leg
        across: list[dict[int, Any]] = []  # by row: the factors of a reduced equation
        for rows, columns in found:
            self.ways.append([_direction([A[r][c] for r in rows]) for c in columns])
            normal = _normal([way for _, way in self.ways[-1]])
            across.append(dict(zip(rows, normal, strict=True)))
        taken = {r for rows, _ in found for r in rows}
        self.across = across + [{r: 1} for r in range(n) if r not in taken]
        reduced = [
            [self._named(_along(row, [A[r][c] for r in range(n)])) for c in self.shared]
            for row in self.across
        ]
        self.platform = Elimination(s, number, reduced)
        self.lines += self.platform.lines

    def _named(self, x: Any) -> Any:
        """Return an entry, by a name where it is long."""
        x = plain(folded(x))
        if not isinstance(x, Expr) or len(write(formula_of(x), TEXT)) <= LONG:
            return x
        return self.s.step(x, self.lines)

    def __call__(self, b: list[Any], lines: list[Line], names: list[str]) -> list[Any]:
        """Return x of A x = b by its names, whose lines are added; numbers stay numbers."""
        side = [folded(_along(row, b)) for row in self.across]
        x: list[Any] = [0] * len(b)
        found = self.platform(side, lines, [names[c] for c in self.shared])
        for c, value in zip(self.shared, found, strict=True):
            x[c] = value
        for (rows, columns), ways in zip(self.found, self.ways, strict=True):
            known = [sum((self.A[r][c] * x[c] for c in self.shared), 0) for r in rows]
            rest = [folded(b[r] - a) for r, a in zip(rows, known, strict=True)]
            for c, value in zip(columns, self._own(ways, rest), strict=True):
                x[c] = named_line(self.s, names[c], value, lines)
        return x

    def _own(self, ways: list[tuple[Any, list[Any]]], b: list[Any]) -> list[Any]:
        """Return x of factor · way · x = b, which has a solution, by the products of the ways."""
        tops = [_dot(way, b) for _, way in ways]
        sizes, mixed = _products([way for _, way in ways])
        if not is_plain_zero(mixed):
            (one, two), (a, c) = tops, sizes
            sizes = [folded(a * c - mixed * mixed)] * 2
            tops = [folded(c * one - mixed * two), folded(a * two - mixed * one)]
        return [
            top / folded(factor * size)
            for top, size, (factor, _) in zip(tops, sizes, ways, strict=True)
        ]


def _along(row: dict[int, Any], column: Sequence[Any]) -> Any:
    total: Any = 0
    for r, n in row.items():
        if not (is_plain_zero(n) or is_plain_zero(column[r])):
            total = total + n * column[r]
    return total


def _direction(column: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Return a column as a factor times a shorter one."""
    graph = next((x.graph for x in column if isinstance(x, Expr)), None)
    try:
        return primitive([trig(x) for x in column], graph) if graph else (1, list(column))
    except NotTrig:
        return 1, list(column)


def _normal(columns: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the direction across one column of two rows, or two columns of three."""
    if len(columns) == 1:
        ((x, y),) = columns
        return [-y, x]
    (a, b, c), (d, e, f) = columns
    return _direction([folded(b * f - c * e), folded(c * d - a * f), folded(a * e - b * d)])[1]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return folded(_along(dict(enumerate(a)), b))


def _products(columns: Sequence[Sequence[Any]]) -> tuple[list[Any], Any]:
    """Return the squares of one or two columns, and their product with each other."""
    return [_dot(c, c) for c in columns], _dot(columns[0], columns[-1]) if columns[1:] else 0
