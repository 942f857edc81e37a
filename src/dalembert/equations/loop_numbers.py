"""Long numbers that occur again and again in printed equations, each by a name of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..expr.formula import Call, Product, Sum, Symbol
from ..expr.style import TEXT, write
from .sections import Section

LONG = 12  # signs of a number
OFTEN = 3


def with_names(sections: Sequence[Section], name: Callable[[int], str]) -> list[Section]:
    """Return the sections with such numbers named K1, K2..., in a section before the others."""
    counts: Counter[str] = Counter()
    values: dict[str, Any] = {}

    def seen(x: Any) -> None:
        text = _text(x)
        counts[text] += 1
        values.setdefault(text, abs(x))

    for section in sections:
        for _, right in section.formulas():
            _walk(right, seen)
    often = [t for t in counts if len(t) >= LONG and counts[t] >= OFTEN]
    if not often:
        return list(sections)
    symbols = {t: Symbol(name(k)) for k, t in enumerate(often, 1)}
    lines = [(symbols[t], Sum((Product(values[t]),))) for t in often]
    return [Section("Numbers", lines), *(_named(s, symbols) for s in sections)]


def _text(x: Any) -> str:
    return write(Sum((Product(abs(x)),)), TEXT)


def _walk(total: Sum, seen: Callable[[Any], None]) -> None:
    """Tell every number of a formula."""
    for p in total.terms:
        seen(p.number)
        for x, _ in (*p.factors, *p.under):
            for inner in (x,) if isinstance(x, Sum) else x.of if isinstance(x, Call) else ():
                _walk(inner, seen)


def _named(section: Section, symbols: dict[str, Symbol]) -> Section:
    lines = [x if isinstance(x, str) else (x[0], _sum(x[1], symbols)) for x in section.lines]
    return replace(section, lines=lines)


def _sum(total: Sum, symbols: dict[str, Symbol]) -> Sum:
    return replace(total, terms=tuple(_product(p, symbols) for p in total.terms))


def _product(p: Product, symbols: dict[str, Symbol]) -> Product:
    up, down = (tuple((_factor(x, symbols), e) for x, e in s) for s in (p.factors, p.under))
    own = symbols.get(_text(p.number))
    if own is None:
        return Product(p.number, up, down)
    return Product(1 if p.number > 0 else -1, ((own, 1), *up), down)


def _factor(x: Any, symbols: dict[str, Symbol]) -> Any:
    if isinstance(x, Sum):
        return _sum(x, symbols)
    return Call(x.name, tuple(_sum(s, symbols) for s in x.of)) if isinstance(x, Call) else x
