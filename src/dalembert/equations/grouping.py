"""The grouping of inertial parameters written out: text, LaTeX and plain data."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..algorithms.base_parameters import BaseParameters
from ..errors import shown
from ..expr import Expr, Scalar
from ..expr.exact import to_float
from ..expr.formula import Product, Sum, Symbol, grouped, name
from ..expr.polynomial import coefficient
from ..expr.style import TEXT, write
from .sections import Document, Section


def formulas(bp: BaseParameters) -> dict[Symbol, Sum]:
    """Return the formula of each grouped parameter, as a tree."""
    pairs = zip(bp.names, bp.forms, strict=True)
    return {Symbol(n): grouped_form(bp, form) for n, form in pairs if len(form) > 1}


def section(bp: BaseParameters, title: str = "Base parameters", of: str = "") -> Section:
    """Return the grouping: remarks, then one formula for each group; `of` is a mechanism's name."""
    count = f"{len(bp)} base parameters of {len(bp.standard)} standard ones"
    words = [
        f"{shown(of)}: {count}" if of else count,
        "MX.., XX..: first moments and tensors about the origin of the body's frame; IA.. rotors",
        "phi: " + ", ".join(map(shown, bp.names)),
        "no effect: " + (", ".join(map(shown, bp.no_effect)) or "none"),
        *bp.notes,
    ]
    return Section(title, [*words, *bp.formulas.items()])


def document(bp: BaseParameters, of: str = "") -> Document:
    """Return the grouping alone."""
    title, *lines = section(bp, of=of).lines
    return Document(str(title), "", [], [Section("", lines)])


def grouped_form(bp: BaseParameters, form: Mapping[int, Scalar]) -> Sum:
    """Return a linear form as a formula, plain parameters first: XX2-YY2+D3**2*(M3+M4)."""
    merged: dict[Any, tuple[Sum, list[Product]]] = {}
    for c, k in form.items():
        factor = coefficient(k)
        plain = k in (1, -1)
        merged.setdefault(c if plain else factor, (factor, []))[1].append(
            name(bp.standard[c].symbol())
        )
    terms = sorted(merged.values(), key=lambda term: term[0].number not in (1, -1))
    return Sum(tuple(grouped(k) * grouped(Sum(tuple(names))) for k, names in terms))


def data(bp: BaseParameters) -> dict[str, Any]:
    """Return names, columns, formulas and coefficients as plain data."""
    base = []
    for label, c, form in zip(bp.names, bp.kept, bp.forms, strict=True):
        terms = {bp.standard[k].symbol(): _plain(x) for k, x in form.items()}
        right = write(grouped_form(bp, form), TEXT)
        base.append({"name": label, "column": c, "formula": right, "terms": terms})
    standard = [{"name": c.symbol(), "kind": c.kind, "joint": c.joint} for c in bp.standard]
    return {
        "standard": standard,
        "base": base,
        "no_effect": list(bp.no_effect),
        "notes": list(bp.notes),
    }


def _plain(x: Scalar) -> float | int | str:
    if isinstance(x, Expr):
        return repr(x) if x.names() else to_float(x)
    if isinstance(x, Fraction):
        return float(x)
    return x
