"""Long numbers that occur again and again in printed equations, each by a name of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..expr.formula import Call, Product, Sum, Symbol, mapped
from ..expr.style import TEXT, write
from .sections import Line, Section

LONG = 12  # signs of a number
OFTEN = 3


def with_names(sections: Sequence[Section], name: Callable[[int], str]) -> list[Section]:
    """Return the sections with such numbers named K1, K2..., in a section before the others."""
    counts: Counter[str] = Counter()
    values: dict[str, Any] = {}

    def seen(p: Product) -> Product:
        text = _text(p.number)
        counts[text] += 1
        values.setdefault(text, abs(p.number))
        return p

    _each(sections, seen)
    often = [t for t in counts if len(t) >= LONG and counts[t] >= OFTEN]
    if not often:
        return list(sections)
    symbols = {t: Symbol(name(k)) for k, t in enumerate(often, 1)}

    def named(p: Product) -> Product:
        own = symbols.get(_text(p.number))
        if own is None:
            return p
        return Product(1 if p.number > 0 else -1, ((own, 1), *p.factors), p.under)

    lines = [(symbols[t], Sum((Product(values[t]),))) for t in often]
    return [Section("Numbers", lines), *_each(sections, named)]


def _text(x: Any) -> str:
    return write(Sum((Product(abs(x)),)), TEXT)


def _each(sections: Sequence[Section], product: Callable[[Product], Product]) -> list[Section]:
    """Return the sections with every product of their formulas changed."""

    def plain(x: Any) -> Any:
        return None if isinstance(x, Call) else x

    def line(x: Line) -> Line:
        return x if isinstance(x, str) else (x[0], mapped(x[1], plain, product))

    return [replace(s, lines=[line(x) for x in s.lines]) for s in sections]
