"""What several coefficients share, printed once: equal entries, Q(i+1) in Q(i), sums in brackets.

`B(1,1,3) = B(1,1,2)`, `C(1,2) = B(1,1,2)/2`, `Q(2) = VY2*G*S2+Q(3)`; a sum that stands in several
brackets is a line of its own, `T1 = ...`, before the first formula that uses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..expr.formula import Product, Sum, Symbol, name
from .order import factored

if TYPE_CHECKING:
    from .closed_form import Equations
    from .entry import Entry
    from .ring import Poly

RATIOS = tuple(Fraction(k, 2) for k in (2, -2, 1, -1, 4, -4))
Formula = tuple[Symbol, Sum]


class Shared:
    """The formulas of some coefficients in the order of print, each sum written once."""

    def __init__(self, eq: Equations, entries: Sequence[Entry], left: Any, reused: Any):
        self.left, self.reused = left, reused
        self.letter = free_letter(eq)
        self.known: dict[Any, tuple[Symbol, Any]] = {}  # terms, the first with factor 1 -> entry
        self.formulas = [(e, self._right(e)) for e in entries]
        self.uses: Counter[Sum] = Counter()
        self._count(right for _, right in self.formulas)
        self.names: dict[Sum, Symbol] = {}

    def _right(self, entry: Entry) -> Sum:
        """Return the right side of a coefficient, by an earlier one where that is shorter."""
        ring, p = entry.equations.ring, entry.form("condensed")
        if entry.kind == "Q" and (after := self.reused(entry)) is not None:
            own = entry.form("condensed") - after.form("condensed")
            if len(own) < len(p):
                terms = (*factored(ring, own).terms, name(self.left(after)))
                self._keep(entry, p)
                return Sum(terms)
        symbol, ratio = self._keep(entry, p)
        if (len(p) > 1 or sum(p.degrees()) > 2) and ratio in RATIOS:
            return Sum((Product(ratio, ((symbol, 1),)),))
        return factored(ring, p)

    def _keep(self, entry: Entry, p: Poly) -> tuple[Symbol | None, Fraction | None]:
        """Return the first entry that is a multiple of this one and the ratio, if there is one."""
        if not len(p):
            return None, None
        size = p.coeffs()[0]
        key = tuple(p.monoms()), tuple(c / size for c in p.coeffs())
        found = self.known.get(key)
        if found is None:
            self.known[key] = self.left(entry), size
            return None, None
        symbol, first = found
        ratio = size / first
        return symbol, Fraction(int(ratio.p), int(ratio.q))

    def _count(self, sums: Iterable[Sum]) -> None:
        """Count the sums in brackets, those inside a repeated one a single time."""
        stack = list(sums)
        while stack:
            for part in _brackets(stack.pop()):
                found = _normal(part)[0]
                self.uses[found] += 1
                if self.uses[found] == 1:
                    stack.append(found)

    def lines(self, entry: Entry, right: Sum) -> list[Formula]:
        """Return the formula of one coefficient, after those of the sums it is the first to use."""
        out: list[Formula] = []
        made = self._written(right, out)
        return [*out, (self.left(entry), made)]

    def _written(self, s: Sum, out: list[Formula]) -> Sum:
        return Sum(tuple(self._product(p, out) for p in s.terms), s.signed)

    def _product(self, p: Product, out: list[Formula]) -> Product:
        number, factors = p.number, []
        for x, e in p.factors:
            if isinstance(x, Sum):
                found, sign = _normal(x)
                if self.uses[found] > 1:
                    number, x = number * sign**e, self._named(found, out)
                else:
                    x = self._written(x, out)
                    if all(t.number < 0 for t in x.terms):  # so since names stand in it
                        number, x = number * (-1) ** e, -x
            factors.append((x, e))
        return Product(number, tuple(factors), p.under)

    def _named(self, s: Sum, out: list[Formula]) -> Symbol:
        if s not in self.names:
            right = self._written(s, out)
            k = len(self.names) + 1
            self.names[s] = Symbol(f"{self.letter}{k}", f"{self.letter[0]}_{{{k}}}")
            out.append((self.names[s], right))
        return self.names[s]


def free_letter(eq: Equations) -> str:
    """Return the letter of sums that have no name of their own."""
    taken = {p.name for p in eq.mechanism.parameters} | set(eq.ring.symbols.names)
    free = (x for x in ("T", "U", "E", "T_") if not any(n.startswith(x) for n in taken))
    return next(free, "T__")


def _brackets(s: Sum) -> Iterable[Sum]:
    for p in s.terms:
        yield from (x for x, _ in p.factors if isinstance(x, Sum))


def _normal(s: Sum) -> tuple[Sum, int]:
    """Return a sum or its negative, whichever begins with a plus, and the sign between them."""
    return (-s, -1) if s.terms and s.terms[0].number < 0 else (s, 1)
