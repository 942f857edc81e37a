"""The code of one state whose limbs are alike: bundles of their lines are vectors.

All else is computed line by line, as elsewhere; what it needs of a bundle is taken out of that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .lanes import real, value_type
from .limbs import Bundle, Values
from .lower import Access, Chunk
from .schedule import Item, Schedule

ADDED = {1: "fadd contract", -1: "fsub contract"}


class Bundled(Chunk):
    """The text of one function of one state, in which bundles are vectors."""

    def __init__(self, plan: Schedule, access: Access, items: Sequence[Item] = ()):
        super().__init__(plan, access, items)
        here = {v for v in items if isinstance(v, int)}
        # lines that were cut apart are computed one by one
        self.whole = [b for b in access.bundles if not b.op or here.issuperset(b.values)]
        self.bundle = {v: b for b in self.whole for v in b.values}
        self.wide: dict[Values, str] = {}
        self.written = 0
        uses = Counter(a for line in plan.block.lines for a in line.args)
        uses.update(plan.block.results)
        terms = {a for b in self.whole if b.op == "add" for a in b.args}
        # products of one sum alone are written with it, where they may take its signs
        self.inner = {
            b.values
            for b in self.whole
            if b.op == "mul" and b.values in terms and all(uses[v] == 1 for v in b.values)
        }

    def line(self, v: int) -> None:
        """Write one line of the program, or at the first of a bundle all of it."""
        own = self.bundle.get(v)
        if own is None:
            super().line(v)
        elif v == own.values[0] and own.values not in self.inner:
            self.wide[own.values] = self.made(own)
            for each in own.values:
                if each in self.plan.slot:
                    self.store(self.value(each), "%s", self.plan.slot[each])
                self.results(each)
            self.paced(v)

    def paced(self, n: int) -> None:
        """Write a place that no instruction passes, after some vectors and lines."""
        self.written += 1
        super().paced(self.written)

    # -- bundles -------------------------------------------------------------------------------

    def made(self, own: Bundle) -> str:
        """Return the vector that a bundle is."""
        kind = value_type(len(own.values))
        if own.op == "neg":
            return self(f"fneg {kind} {{}}", self.vector(*own.args))
        if own.op == "mul":
            return self.product(own)
        (x, p), (y, q) = sorted(zip(own.args, own.signs, strict=True), key=_last)
        left = self.vector(x) if {*p} == {1} else self.turned(x, p)
        if len({*q}) == 1:
            return self(f"{ADDED[q[0]]} {kind} {{}}, {{}}", left, self.vector(y))
        return self(f"{ADDED[1]} {kind} {{}}, {{}}", left, self.turned(y, q))

    def product(self, own: Bundle, signs: Sequence[int] | None = None) -> str:
        """Return a product, with signs if there are any; numbers take them in at no cost."""
        x, y = own.args
        if signs and not self.numbers_only(x):
            x, y = y, x
        left = self.turned(x, signs) if signs else self.vector(x)
        form = f"fmul contract {value_type(len(own.values))} {{}}, {{}}"
        return self(form, left, self.vector(y))

    def turned(self, values: Values, signs: Sequence[int]) -> str:
        """Return values with signs: a product that is exact, and that a sum takes in."""
        own = self.bundle.get(values[0])
        if values in self.inner and own is not None:
            return self.product(own, signs)
        if self.numbers_only(values):
            known = self.plan.constants
            return _numbers([s * known[v] for v, s in zip(values, signs, strict=True)])
        form = f"fmul contract {value_type(len(values))} {{}}, {_numbers(signs)}"
        return self(form, self.vector(values))

    # -- values --------------------------------------------------------------------------------

    def numbers_only(self, values: Values) -> bool:
        """Return whether values are numbers."""
        return all(v in self.plan.constants for v in values)

    def vector(self, values: Values) -> str:
        """Return values as a vector; it is made at its first use."""
        if values not in self.wide:
            self.wide[values] = self.found(values)
        return self.wide[values]

    def found(self, values: Values) -> str:
        """Return values as a vector: numbers, part of a bundle, one many times, or gathered."""
        if self.numbers_only(values):
            return _numbers([self.plan.constants[v] for v in values])
        own = self.bundle.get(values[0])
        if values in self.inner and own is not None:
            return self.product(own)
        kind, first = value_type(len(values)), self.plan.turn.get(values[0], -1)
        if own is not None and own.values in self.wide and {*values} <= {*own.values}:
            return self.picked(own.values, self.wide[own.values], [*map(own.values.index, values)])
        if len({*values}) == 1:
            one = self(f"insertelement {kind} poison, double {{}}, i64 0", self.value(values[0]))
            return self.picked(values, one, [0] * len(values))
        if first >= 0 and all(self.plan.turn.get(v) == n for n, v in enumerate(values, first)):
            return self(f"load {kind}, ptr {{}}, align 8", self.address("%t", first))
        made = "poison"
        for k, v in enumerate(values):
            made = self(f"insertelement {kind} {{}}, double {{}}, i64 {k}", made, self.value(v))
        return made

    def picked(self, values: Values, wide: str, places: Sequence[int]) -> str:
        """Return some lanes of a vector."""
        kind, many = value_type(len(values)), [f"i32 {n}" for n in places]
        mask = f"<{len(many)} x i32> <{', '.join(many)}>"
        return self(f"shufflevector {kind} {{}}, {kind} poison, {mask}", wide)

    def value(self, v: int) -> str:
        """Return the operand of a value as a number: it is taken out of its bundle."""
        own = self.bundle.get(v)
        if v not in self.known and own is not None and own.op:
            wide, k = self.vector(own.values), own.values.index(v)
            form = f"extractelement {value_type(len(own.values))} {{}}, i64 {k}"
            self.known[v] = self(form, wide)
        return super().value(v)


def _last(term: tuple[Values, Sequence[int]]) -> tuple[bool, bool]:
    """Return what puts a term last: it is taken away, or its signs differ."""
    return term[1][0] < 0 and len({*term[1]}) == 1, len({*term[1]}) > 1


def _numbers(values: Sequence[float]) -> str:
    return "<" + ", ".join(f"double {real(float(x))}" for x in values) + ">"
