"""Entries and matrices of Kane's steps as SymPy objects (an optional package)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..expr.formula import Call, Sum, formula
from ..expr.style import LATEX, TEXT, write
from .kane_print import printed
from .sympy_form import converted, polynomial, sympy_of

if TYPE_CHECKING:
    from .kane_form import KaneForm
    from .kane_symbols import Setting
    from .ratio import Ratio


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
    """Return numerator over denominator; sines and cosines are of the coordinates by name.

    Where bodies lean, a ratio is written by the names of earlier steps: what they are stands here.
    """
    setting = x.field.setting
    letters = setting.said() if setting.said else _letters(setting)
    values, sympy = [letters[n] for n in setting.symbols.names], sympy_of()
    return polynomial(setting.ring, x.num, values, sympy) / polynomial(
        setting.ring, x.den, values, sympy
    )


def _letters(setting: Setting) -> dict[str, Any]:
    """Return what each symbol of the steps is in SymPy, by its printed name."""
    sympy, s = sympy_of(), setting.symbols
    found: dict[str, Any] = {}
    for g in s.generators:
        kind, *key = g.key
        if kind in ("sin", "cos"):
            angle = sum(_coordinate(s, j, sympy) for j in key[0])
            found[g.name] = getattr(sympy, kind)(angle)
            found.setdefault(s.tangent(key[0]).name, sympy.tan(angle))
        elif kind == "other":
            found[g.name] = converted(s.others[key[0]], sympy)
        else:
            found[g.name] = sympy.Symbol(g.name, real=True)
    return found


def _coordinate(symbols: Any, j: int, sympy: Any) -> Any:
    one = sympy.Symbol(symbols.coordinates[abs(j) - 1], real=True)
    return one if j > 0 else -one


# -- lines -----------------------------------------------------------------------------------------

STATE = ("q", "p", "other", "sin", "cos", "rate", "speed", "second", "force")  # of no line before


def lines_to_sympy(form: KaneForm, only: Sequence[int] | None, whole: bool) -> dict[str, Any]:
    """Return the printed lines by name, over the names before them or over the state alone."""
    letters, found = _letters(form.setting), dict[str, Any]()
    kept = {
        g.name for g in form.setting.symbols.generators
        if g.kind in STATE and not isinstance(g.key[1], tuple)
    }  # fmt: skip
    for section in printed(form, None if whole else only).sections:
        for symbol, value in section.formulas():
            name = symbol.name
            if name == "0":
                name = f"0({sum(n.startswith('0(') for n in found) + 1})"
            made = _sum(value, letters)
            if only is None or section.step in only:
                found[name] = made
            if whole and name not in kept:
                letters[name] = made
    return found


def said_letters(form: KaneForm) -> dict[str, Any]:
    """Return what each symbol of the steps of bodies that lean is, over the state alone."""
    return _letters(form.setting) | lines_to_sympy(form, (5, 6, 7), whole=True)


def _sum(x: Sum, letters: dict[str, Any]) -> Any:
    """Return a formula in SymPy; a name that is not known is a symbol from then on."""
    sympy = sympy_of()

    def factor(f: Any) -> Any:
        y, e = f
        if isinstance(y, Sum):
            made = _sum(y, letters)
        elif isinstance(y, Call):
            made = getattr(sympy, y.name)(*(_sum(z, letters) for z in y.of))
        elif y.name == "pi":
            made = sympy.pi
        else:
            made = letters.setdefault(y.name, sympy.Symbol(y.name, real=True))
        return made**e

    terms = [
        sympy.Mul(sympy.Rational(str(p.number)), *map(factor, p.factors),
                  *(1 / factor(f) for f in p.under))
        for p in x.terms
    ]  # fmt: skip
    return sympy.Add(*terms)
