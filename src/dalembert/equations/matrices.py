"""The equations as matrices: M(q) q̈ + C(q, q̇) q̇ + g(q) = τ, as courses write them.

C is that of Christoffel's symbols, c_ijk = (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i)/2: half of B_ijk
off the diagonal and C_ij on it, so that Ṁ - 2C is skew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..expr.formula import Product, Sum, Symbol, grouped, name, total
from ..expr.style import LATEX, LINE, TEXT, latex_width, text_lines, write
from .model import left_out
from .order import factored
from .ring import rational
from .sections import Document, Section
from .text import expression

if TYPE_CHECKING:
    from .closed_form import Equations

LAW = r"M(q)\,\ddot q + C(q, \dot q)\,\dot q + g(q) = \tau"
Rows = tuple[tuple[Sum, ...], ...]


@dataclass(frozen=True)
class Matrix:
    """A matrix of formulas: `M[1, 2]` is one of them as text, indices from 1."""

    name: str
    rows: Rows

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self.rows), len(self.rows[0]) if self.rows else 0

    def __getitem__(self, place: tuple[int, int]) -> str:
        i, j = place
        return write(self.rows[i - 1][j - 1], TEXT)

    def symbol(self, i: int, j: int) -> Symbol:
        """Return the name of an entry; an upper one where it equals that (M21 is M12)."""
        column = self.shape[1] == 1
        if not column and i > j and self.rows[i - 1][j - 1] == self.rows[j - 1][i - 1]:
            i, j = j, i
        dot = "," if max(self.shape) > 9 else ""
        at = str(i) if column else f"{i}{dot}{j}"
        # C12 is a cosine
        plain = f"{self.name}{at}" if self.name != "C" and not dot else f"{self.name}({i},{j})"
        return Symbol(plain, f"{self.name}_{{{at}}}")

    def named(self) -> tuple[Matrix, dict[Symbol, Sum]]:
        """Return the matrix with names for its entries that are not numbers, and what these are."""
        found: dict[Symbol, Sum] = {}

        def entry(i: int, j: int, x: Sum) -> Sum:
            if x.number is not None:
                return x
            symbol = self.symbol(i, j)
            found[symbol] = x
            return Sum((name(symbol),))

        return self._mapped(entry), found

    def _mapped(self, f: Callable[[int, int, Sum], Sum]) -> Matrix:
        rows = (
            tuple(f(i, j, x) for j, x in enumerate(row, 1)) for i, row in enumerate(self.rows, 1)
        )
        return Matrix(self.name, tuple(rows))

    def lines(self) -> list[str]:
        """Return the matrix in aligned lines of text."""
        cells = [[write(x, TEXT) for x in row] for row in self.rows]
        wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
        head = f"{self.name} = "
        return [
            (head if k == 0 else " " * len(head))
            + "[ " + "  ".join(c.ljust(w) for c, w in zip(row, wide, strict=True)) + " ]"
            for k, row in enumerate(cells)
        ]  # fmt: skip

    def latex(self) -> str:
        """Return the matrix in LaTeX, entry by entry."""
        rows = (" & ".join(write(x, LATEX) for x in row) for row in self.rows)
        return rf"\begin{{bmatrix}} {_NEXT.join(rows)} \end{{bmatrix}}"

    def wide(self) -> float:
        """Return about how wide the matrix is in LaTeX, in points."""
        columns = zip(*self.rows, strict=True)
        return sum(max(latex_width(write(x, LATEX)) + 10 for x in column) for column in columns)


_NEXT = r" \\ "


@dataclass(frozen=True)
class Matrices:
    """M, C and g of M q̈ + C q̇ + g = τ, each a `Matrix` of formulas over named constants."""

    equations: Equations
    M: Matrix
    C: Matrix
    g: Matrix

    def __iter__(self) -> Iterator[Matrix]:
        return iter((self.M, self.C, self.g))

    def evaluate(
        self, values: Mapping[str, float] | None, q: Sequence[Any], qd: Sequence[Any]
    ) -> tuple[Any, Any, Any]:
        """Return M, C and g as arrays at a state."""
        import numpy as np

        eq, n = self.equations, range(1, self.equations.n + 1)
        found = eq.coefficients(values, q)
        sign = -1.0 if eq.sign == "section3" else 1.0
        M = [[found["A", (min(i, j), max(i, j))] for j in n] for i in n]
        C = [[sum(_weight(j, k) * found[_place(i, j, k)] * qd[k - 1] for k in n) for j in n]
             for i in n]  # fmt: skip
        g = [sign * found["Q", (i,)] for i in n]
        return np.array(M, float), np.array(C, float), np.array(g, float)

    def text(self) -> str:
        """Return the matrices as text; entries that do not fit a line have names, which follow."""
        out = ["# M*qdd + C*qd + g = tau; qd1, qdd1: first and second derivative of q1"]
        out += [f"# {x}" for x in left_out(self.equations)]
        for matrix in self:
            lines, rest = matrix.lines(), dict[Symbol, Sum]()
            if max(map(len, lines), default=0) > TEXT.line:
                short, rest = matrix.named()
                lines = short.lines()
            out += lines
            out += [line for left, x in rest.items() for line in text_lines(left.name, x)]
        return "\n".join(out) + "\n"

    def document(self) -> Document:
        """Return the matrices, the entries they name, and the constants, in sections."""
        from .constants import constants

        title = f"{self.equations.mechanism.name}: equations of motion"
        sections = []
        for matrix in self:
            short, rest = (matrix, {}) if matrix.wide() < LINE else matrix.named()
            whole = Sum((name(Symbol("", short.latex())),))
            left = Symbol(matrix.name, matrix.name)
            sections.append(Section("", [(left, whole), *rest.items()]))
        known = [(Symbol(n), x) for n, x in constants(self.equations).items()]
        return Document(
            title, LAW, list(left_out(self.equations)), [*sections, Section("Constants", known)]
        )

    def latex(self) -> str:
        """Return a LaTeX fragment."""
        return self.document().latex()

    def markdown(self) -> str:
        """Return Markdown with formulas that KaTeX renders."""
        return self.document().markdown()

    def json(self) -> dict[str, Any]:
        """Return the matrices as lists of texts."""
        found = {x.name: [[write(y, TEXT) for y in row] for row in x.rows] for x in self}
        gone = {"left_out": x} if (x := list(left_out(self.equations))) else {}
        law = "M*qdd + C*qd + g = tau"
        return {"name": self.equations.mechanism.name, "law": law, **gone, **found}

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_latex_(self) -> str:
        return self.document().mathematics()


def _place(i: int, j: int, k: int) -> Any:
    return ("C", (i, j)) if j == k else ("B", (i, min(j, k), max(j, k)))


def _weight(j: int, k: int) -> Any:
    return 1 if j == k else Fraction(1, 2)


def matrices(eq: Equations) -> Matrices:
    """Return M, C and g of the equations, what was neglected, dropped or pruned left out."""
    n = range(1, eq.n + 1)

    def christoffel(i: int, j: int) -> Sum:
        # rates that have one factor share it
        rates: dict[Sum, list[Product]] = {}
        for k in n:
            kind, place = _place(i, j, k)
            p = getattr(eq, kind)[place].form("condensed") * rational(_weight(j, k))
            rate = name(Symbol(f"qd{k}", rf"\dot q_{{{k}}}"))
            rates.setdefault(factored(eq.ring, p), []).append(rate)
        return total(grouped(x) * grouped(Sum(tuple(r))) for x, r in rates.items())

    gravity = [expression(eq.Q[i]) for i in n]
    return Matrices(
        eq,
        Matrix("M", tuple(tuple(expression(eq.A[i, j]) for j in n) for i in n)),
        Matrix("C", tuple(tuple(christoffel(i, j) for j in n) for i in n)),
        Matrix("g", tuple((-x if eq.sign == "section3" else x,) for x in gravity)),
    )
