"""Kane's ten steps as text, LaTeX and plain data: a section for each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import shown
from ..expr.formula import Product, Sum, Symbol, names_in
from ..expr.style import LATEX, LINE, TEXT, latex_width, write
from .kane_steps import steps
from .sections import Document, Line, Section
from .text import vector

if TYPE_CHECKING:
    from .kane_form import KaneForm


def printed(form: KaneForm, only: Sequence[int] | None = None) -> Document:
    """Return the steps as they are printed."""
    title = f"{shown(form.mechanism.name)}: Kane's method in ten steps (DeSantis 1996, section 5)"
    made = _without_idle(form, steps(form, only))
    return Document(title, "", [f"gravity = ({vector(form.mechanism.gravity)})"], made)


def _without_idle(form: KaneForm, sections: Sequence[Section]) -> list[Section]:
    """Return the sections without the numbers K1, K2... that no line of them uses."""
    used = {n for section in sections for _, right in section.formulas() for n in names_in(right)}
    s = form.setting.symbols
    idle = {s.names[s.index["other", t]] for t in s.others} - used
    return [
        replace(x, lines=[y for y in x.lines if isinstance(y, str) or y[0].name not in idle])
        for x in sections
    ]


def narrow(form: KaneForm, only: Sequence[int] | None = None) -> Document:
    """Return the steps with parts of fractions wider than half a line named, and after them."""
    made = printed(form, only)
    named: dict[Sum, Symbol] = {}
    return replace(made, sections=[_with_names(s, named) for s in made.sections])


def _with_names(section: Section, named: dict[Sum, Symbol]) -> Section:
    lines: list[Line] = []
    for line in section.lines:
        if isinstance(line, str):
            lines.append(line)
            continue
        known = len(named)
        left, right = line
        lines.append((left, Sum(tuple(_named(p, named) for p in right.terms))))
        lines += [(symbol, part) for part, symbol in list(named.items())[known:]]
    return replace(section, lines=lines)


def _named(p: Product, named: dict[Sum, Symbol]) -> Product:
    """Return a fraction with wide parts by name; the names are added to `named`."""
    if not p.under:
        return p
    sides = []
    for letter, side in (("N", p.factors), ("D", p.under)):
        part = Sum((Product(1, side),))
        if latex_width(write(part, LATEX)) > LINE / 2:
            count = sum(symbol.name[0] == letter for symbol in named.values()) + 1
            symbol = Symbol(f"{letter}{count}", rf"\mathcal {letter}_{{{count}}}")
            side = ((named.setdefault(part, symbol), 1),)
        sides.append(side)
    return Product(p.number, *sides)


def data(form: KaneForm, only: Sequence[int] | None = None) -> dict[str, Any]:
    """Return the steps as plain data: each line as text and in LaTeX."""
    s = form.setting.symbols
    found = []
    for section in printed(form, only).sections:
        lines = [
            {"remark": x}
            if isinstance(x, str)
            else {
                "name": x[0].name,
                "text": write(x[1], TEXT),
                "latex": f"{''.join(LATEX.symbol(x[0]))} = {write(x[1], LATEX)}",
            }
            for x in section.lines
        ]
        found.append({"step": section.step, "title": section.name, "lines": lines})
    return {
        "name": form.mechanism.name,
        "form": "kane",
        "coordinates": s.coordinates[: s.p],
        "prescribed": [*s.steer, *(s.coordinate(k) for k in s.given)],
        "speeds": list(s.speeds),
        "steps": found,
    }
