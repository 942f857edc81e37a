"""Entries and matrices of Kane's steps as SymPy objects (an optional package)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..expr.formula import formula
from ..expr.style import LATEX, TEXT, write
from .sympy_form import sympy_of

if TYPE_CHECKING:
    from .ratio import Ratio
    from .ring import Poly


class Entries(list[Any]):
    """A vector or a matrix of entries, row by row, that shows itself and goes to SymPy."""

    def __repr__(self) -> str:
        def shown(x: Any) -> str:
            if isinstance(x, list):
                return f"[{', '.join(map(shown, x))}]"
            return write(formula(x), TEXT) if isinstance(x, (int, float, Fraction)) else repr(x)

        return shown(list(self))

    def latex(self) -> str:
        """Return the matrix in LaTeX."""
        rows = [x if isinstance(x, list) else [x] for x in self]
        cells = [
            [x.latex() if hasattr(x, "latex") else write(formula(x), LATEX) for x in row]
            for row in rows
        ]
        inside = r" \\ ".join(" & ".join(row) for row in cells)
        return rf"\begin{{bmatrix}} {inside} \end{{bmatrix}}"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def to_sympy(self) -> Any:
        """Return the matrix over coordinates, rates and parameters by name."""
        rows: Sequence[Any] = [x if isinstance(x, list) else [x] for x in self]
        return sympy_of().Matrix(
            [[x.to_sympy() if hasattr(x, "to_sympy") else x for x in row] for row in rows]
        )


def ratio_to_sympy(x: Ratio) -> Any:
    """Return numerator over denominator; sines and cosines are of the coordinates by name."""
    sympy = sympy_of()
    symbols = x.field.setting.symbols
    values = []
    for k, g in enumerate(symbols.generators):
        kind, *key = g.key
        if kind in ("sin", "cos"):
            angle = sum(_coordinate(symbols, j, sympy) for j in key[0])
            values.append(getattr(sympy, kind)(angle))
        else:
            values.append(sympy.Symbol(x.field.ring.symbol(k).name, real=True))
    return _polynomial(x.num, values, sympy) / _polynomial(x.den, values, sympy)


def _coordinate(symbols: Any, j: int, sympy: Any) -> Any:
    one = sympy.Symbol(symbols.coordinates[abs(j) - 1], real=True)
    return one if j > 0 else -one


def _polynomial(p: Poly, values: list[Any], sympy: Any) -> Any:
    total = sympy.Integer(0)
    for powers, c in p.to_dict().items():
        term = sympy.Rational(int(c.p), int(c.q)) if hasattr(c, "p") else sympy.Rational(str(c))
        for value, e in zip(values, powers, strict=True):
            if e:
                term *= value**e
        total += term
    return total
