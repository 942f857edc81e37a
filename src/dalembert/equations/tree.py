"""Long closed forms, written from the tree of the sums of section 3 of the 1980 report.

Expanded, nine joints with ten parameters a link have some hundred thousand terms. Here a vector on
its way through the frames, and whatever else is used twice, is a line `T1 = ...` of its own before
the first formula that uses it; B and C come from the slopes of the same tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..algebra import is_plain_zero
from ..algorithms.condensed import Condensed
from ..expr import Expr, Graph
from ..expr.derive import push
from ..expr.formula import Product, Sum, Symbol, leaf_formula, name, node_formula
from .order import factored
from .repeats import Formula, free_letter
from .structure import coefficient

if TYPE_CHECKING:
    from .closed_form import Equations
    from .entry import Entry, Kind, Place

LONG = 20_000  # terms from which on nothing is expanded in print


def is_long(eq: Equations, entries: Sequence[Entry]) -> bool:
    """Return whether coefficients are so long that they are written from their tree."""
    if eq.ring.symbols.follow.rules:
        return False
    return sum(len(entry.poly) for entry in entries) > LONG


class Tree:
    """The formulas of some coefficients in the order of print, what they share written once."""

    def __init__(self, eq: Equations, entries: Sequence[Entry], left: Any):
        self.left, self.letter = left, free_letter(eq)
        self.graph, ring = Graph(), eq.ring
        self.symbols = {x: ring.symbol(i) for i, x in enumerate(ring.symbols.names)}
        made = Coefficients(eq, self.graph)
        self.formulas: list[tuple[Entry, Any]] = []
        for entry in entries:
            whole = (entry.kind, entry.place) not in eq.changed
            if whole and len(entry.poly):
                self.formulas.append((entry, made.of(entry.kind, entry.place)))
            else:
                self.formulas.append((entry, factored(eq.ring, entry.form("condensed"))))
        ids = [x.id for _, x in self.formulas if isinstance(x, Expr)]
        self.uses = Counter(ids)
        for i in self.graph.live(ids):
            self.uses.update(self.graph.operands(i))
        self.made: dict[int, Sum] = {}
        self.count = 0

    def lines(self, entry: Entry, right: Any) -> list[Formula]:
        """Return the formula of one coefficient, after those it is the first to use."""
        if not isinstance(right, Expr):
            return [(self.left(entry), right)]
        out: list[Formula] = []
        for i in self._new(right.id):
            out += self._line(i, i == right.id, entry)
        if out and out[-1][0] == self.left(entry):
            return out
        return [*out, (self.left(entry), self.made[right.id])]

    def _new(self, top: int) -> Iterator[int]:
        """Yield the nodes below one that are not written yet, operands first."""
        graph, stack = self.graph, [top]
        while stack:
            i = stack[-1]
            wanted = [] if i in self.made else [a for a in graph.operands(i) if a not in self.made]
            stack += wanted
            if not wanted:
                stack.pop()
                if i not in self.made:
                    yield i

    def _line(self, i: int, last: bool, entry: Entry) -> list[Formula]:
        """Write one node; return its line if it has one: a coefficient, or used more than once."""
        graph, operands = self.graph, self.graph.operands(i)
        if not operands:
            parameter = graph.op[i] == "param"
            symbol = self.symbols[graph.args[i][0]] if parameter else None
            self.made[i] = Sum((name(symbol),)) if symbol else leaf_formula(graph, i)
            return []
        right = like_terms(node_formula(graph.op[i], [self.made[a] for a in operands]))
        if self.uses[i] < 2 or graph.op[i] == "neg":
            self.made[i] = right
            return []
        if last:
            symbol = self.left(entry)
        else:
            self.count += 1
            symbol = Symbol(f"{self.letter}{self.count}", f"{self.letter[0]}_{{{self.count}}}")
        self.made[i] = Sum((name(symbol),))
        return [(symbol, right)]


def like_terms(s: Sum) -> Sum:
    """Return a sum with equal products as one: 2*T1 for T1+T1."""
    numbers: dict[Any, Any] = {}
    for p in s.terms:
        key = (p.factors, p.under)
        numbers[key] = numbers.get(key, 0) + p.number
    if len(numbers) == len(s.terms):
        return s
    return Sum(tuple(Product(x, *key) for key, x in numbers.items() if x))


class Coefficients:
    """Q, A, B, C over a graph whose parameters are the symbols of the equations."""

    def __init__(self, eq: Equations, graph: Graph):
        self.eq, self.graph, s = eq, graph, eq.ring.symbols
        self.symbols = s
        self.values = [graph.param(g.name) for g in s.generators]
        weight = s.m.gravity.map(lambda x: s.polynomial(x, self.values, Fraction))
        self.sums = Condensed(s.links(self.values, Fraction), weight)
        self.pairs = list(self.sums.pairs())
        self.A = {p: Expr(graph, graph.lift(self.sums.A(*p))) for p in self.pairs}
        self.slopes: dict[int, dict[tuple[int, int], Expr]] = {}

    def of(self, kind: Kind, place: Place) -> Expr:
        """Return one coefficient, indices from 1."""
        if kind == "A":
            i, j = (k - 1 for k in place)
            found: Any = self.A[i, j] + (self._rotor(i) if i == j else 0)
        else:
            found = coefficient(self.sums, self.slope, kind, place)
        found = -found if kind == "Q" and self.eq.sign != "section3" else found
        return Expr(self.graph, self.graph.lift(found))

    def _rotor(self, i: int) -> Any:
        from ..algorithms.drives import rotor_inertia

        x = rotor_inertia(self.eq.mechanism, "inertia").get(i, 0)
        return 0 if is_plain_zero(x) else self.symbols.polynomial(x, self.values, Fraction)

    def slope(self, i: int, j: int, k: int) -> Any:
        """Return ∂A_ij/∂q_k, indices from 0."""
        if not self.sums.depends(i, j, k):
            return 0
        if k not in self.slopes:
            along = self.symbols.slope(k, self.values, Fraction)
            seeds = {self.values[g].id: x for g, x in along.items()}
            moving = [p for p in self.pairs if self.sums.depends(*p, k)]
            found = push(self.graph, [self.A[p].id for p in moving], seeds)
            self.slopes[k] = dict(zip(moving, found, strict=True))
        return self.slopes[k][i, j]
