"""Expressions as sums of sines and cosines of sums of angles: products of sines do not stay.

cos a cos b = (cos(a - b) + cos(a + b)) / 2 and its like. In a plane that is the short form: the
determinant of two links is one sine of the angle between them. In space axes are not parallel, and
such pairs go back into products (`trig_pairs.py`). `trig_form.py` writes what is shortest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..expr import Expr, Graph, cos, sin, sqrt
from ..expr.arena import Rows
from ..expr.show import decimal, text
from . import trig_phase
from .trig_pairs import Angle, Key, Monomial, Term, added, order, paired
from .trig_phase import PI

HALF = Fraction(1, 2)
LIMIT = 64  # terms beyond which nothing is folded
DUST = 1e-15  # parts of a sum that rounding leaves
DIGITS = 20


class NotTrig(Exception):
    """What is met is not a sum of letters, sines and cosines."""


def root(name: str) -> str:
    """Return 3 of sqrt(3), nothing of another name."""
    inside = name[5:-1] if name[:5] == "sqrt(" and name[-1:] == ")" else ""
    return inside if inside.isdigit() else ""


@dataclass
class Trig:
    """A sum of coefficient · letters · cos or sin of an angle."""

    terms: dict[Key, Any] = field(default_factory=dict)
    atoms: dict[str, Expr] = field(default_factory=dict)  # what names of other terms stand for

    @staticmethod
    def of(value: Any, letters: Monomial = ()) -> Trig:
        """Return a number times letters."""
        return Trig({(letters, (), ""): value} if value != 0 else {})

    def _joined(self, o: Trig, terms: dict[Key, Any]) -> Trig:
        if len(terms) > LIMIT:
            raise NotTrig
        return Trig({k: x for k, x in terms.items() if x != 0}, {**self.atoms, **o.atoms})

    def __add__(self, o: Trig) -> Trig:
        out = dict(self.terms)
        for k, x in o.terms.items():
            out[k] = out.get(k, 0) + x
        return self._joined(o, out)

    def __neg__(self) -> Trig:
        return Trig({k: -x for k, x in self.terms.items()}, self.atoms)

    def __sub__(self, o: Trig) -> Trig:
        return self + (-o)

    def __mul__(self, o: Trig) -> Trig:
        if len(self.terms) * len(o.terms) > 4 * LIMIT:
            raise NotTrig
        out: dict[Key, Any] = {}
        for (a, x, f), c in self.terms.items():
            for (b, y, g), d in o.terms.items():
                letters, number = _product(a, b)
                for angle, kind, factor in _rules(x, f, y, g):
                    angle, kind, sign = _canonical(angle, kind)
                    if sign:
                        key = (letters, angle, kind)
                        out[key] = out.get(key, 0) + c * d * number * factor * sign
        return self._joined(o, out)

    def __truediv__(self, o: Trig) -> Trig:
        if len(o.terms) != 1:
            raise NotTrig
        (((letters, angle, _), value),) = o.terms.items()
        if angle:
            raise NotTrig
        under = tuple((n, -e) for n, e in letters)
        return self * Trig({(under, (), ""): Fraction(1) / value}, o.atoms)

    def linear(self) -> Angle:
        """Return the sum as an angle: letters counted by numbers."""
        found: dict[str, Fraction] = {}
        for (letters, angle, _), x in self.terms.items():
            if (
                angle
                or isinstance(x, float)
                or len(letters) > 1
                or (letters and letters[0][1] != 1)
            ):
                raise NotTrig
            name = letters[0][0] if letters else ""
            if name in self.atoms:
                raise NotTrig
            found[name] = found.get(name, Fraction(0)) + x
        return tuple(sorted(found.items(), key=lambda p: order(p[0])))

    def expr(self, graph: Graph) -> Any:
        """Return the sum as an expression, terms in a fixed order, pairs as products."""
        total: Any = 0
        for x, letters, turned in paired(self):
            made: Any = abs(x)
            for n, e in letters:
                for _ in range(e):
                    made = made * self._letter(graph, n)
            for angle, kind in turned:
                a = angle_expr(graph, angle)
                made = made * (cos(a) if kind == "c" else sin(a))
            for n, e in letters:
                for _ in range(-e):
                    made = made / self._letter(graph, n)
            total = total - made if x < 0 else total + made
        return total

    def _letter(self, graph: Graph, name: str) -> Any:
        if name == PI:
            return graph.pi()
        if name not in self.atoms and root(name):
            return sqrt(graph.constant(int(root(name))))
        return graph.adopt(self.atoms[name]) if name in self.atoms else graph.param(name)


def angle_expr(graph: Graph, angle: Angle) -> Any:
    """Return an angle as an expression, a positive part first."""
    total: Any = 0
    for name, c in sorted(angle, key=lambda p: (p[1] < 0, order(p[0]))):
        part: Any = graph.pi() if name == PI else graph.param(name) if name else 1
        total = total + part * c if c > 0 else total - part * (-c)
    return total


def _product(a: Monomial, b: Monomial) -> tuple[Monomial, Any]:
    """Return a product of letters, and the number that squares of roots leave."""
    out = dict(a)
    for n, e in b:
        out[n] = out.get(n, 0) + e
    number: Any = 1
    for n, e in list(out.items()):
        square = root(n)
        if square and not 0 <= e < 2:
            number, out[n] = number * Fraction(int(square)) ** (e // 2), e % 2
    return tuple(sorted(((n, e) for n, e in out.items() if e), key=lambda p: order(p[0]))), number


def _rules(x: Angle, f: str, y: Angle, g: str) -> list[tuple[Angle, str, Any]]:
    """Return the terms of a product of two of 1, cos, sin: angle, kind, factor."""
    if not f:
        return [(y, g, 1)]
    if not g:
        return [(x, f, 1)]
    less, more = added(x, y, -1), added(x, y, 1)
    if f == g:
        return [(less, "c", HALF), (more, "c", HALF if f == "c" else -HALF)]
    if f == "s":  # sin x cos y
        return [(more, "s", HALF), (less, "s", HALF)]
    return [(more, "s", HALF), (less, "s", -HALF)]


def _canonical(angle: Angle, kind: str) -> tuple[Angle, str, int]:
    """Return angle, kind and sign: the first part is positive, quarter turns go into the kind."""
    if not kind:
        return angle, kind, 1
    parts, sign = dict(angle), 1
    lead = next((c for n, c in angle if n not in ("", PI)), angle[0][1] if angle else 1)
    if lead < 0:
        parts = {n: -c for n, c in angle}
        sign = -1 if kind == "s" else 1
    turns = parts.get(PI, Fraction(0)) * 2
    whole = int(turns // 1)
    if whole:
        parts[PI] = (turns - whole) / 2
        for _ in range(whole % 4):  # cos(x + pi/2) = -sin x, sin(x + pi/2) = cos x
            kind, sign = ("s", -sign) if kind == "c" else ("c", sign)
    angle = tuple((n, c) for n, c in sorted(parts.items(), key=lambda p: order(p[0])) if c)
    if not angle:
        return (), "", sign if kind == "c" else 0
    return angle, kind, sign


def _turned(kind: str) -> Any:
    def function(x: Trig) -> Trig:
        angle, own, sign = _canonical(x.linear(), kind)
        return Trig({((), angle, own): sign} if sign else {})

    return function


def trig(x: Any) -> Trig:
    """Return an expression as a sum of sines and cosines; NotTrig where it is none."""
    if not isinstance(x, Expr):
        return Trig.of(x)
    graph = x.graph

    def other(i: int, values: list[Any]) -> Trig:
        node = Expr(graph, i)
        # it depends on a coordinate or a rate
        varies = any(n[:1] == "q" and n[1:].lstrip("d").isdigit() for n in node.names())
        if varies or graph.op[i] == "input":
            raise NotTrig
        name = text(node)
        return Trig({(((name, 1),), (), ""): 1}, {name: node})

    leaves: Rows = {
        "const": Trig.of,
        "pi": lambda: Trig.of(1, ((PI, 1),)),
        "param": lambda name: Trig.of(1, ((name, 1),)),
    }
    ops: Mapping[str, Any] = {
        "add": Trig.__add__, "sub": Trig.__sub__, "neg": Trig.__neg__, "mul": Trig.__mul__,
        "div": Trig.__truediv__, "sin": _turned("s"), "cos": _turned("c"),
    }  # fmt: skip
    return graph.fold([x.id], leaves, ops, other)[x.id]


def is_coordinate(name: str) -> bool:
    """Return whether a name is that of a coordinate: q1, q12."""
    return name[:1] == "q" and name[1:].isdigit()


def plain(x: Any) -> Any:
    """Return the number of an expression that is one, anything else as it is."""
    return x if not isinstance(x, Expr) or x.value is None else x.value


def primitive(values: list[Trig], graph: Graph) -> tuple[Any, list[Any]]:
    """Return the factor that all terms of some sums share, and the sums without it."""
    terms = [paired(t) for t in values]
    every = [(dict(letters), turned) for each in terms for _, letters, turned in each]
    names = {n for letters, _ in every for n in letters}
    powers = {n: min(letters.get(n, 0) for letters, _ in every) for n in names}
    turns = [f for f in every[0][1] if all(f in turned for _, turned in every)]
    sizes = {abs(x) for each in terms for x, _, _ in each}
    number = Fraction(sizes.pop()) if len(sizes) == 1 else Fraction(1)
    atoms = {n: x for t in values for n, x in t.atoms.items()}

    def made(each: list[Term], by: Any) -> Any:
        total = Trig(atoms=atoms)
        for x, letters, turned in each:
            part = Trig({(_product(letters, by)[0], (), ""): x}, atoms)
            for f in turned:
                part = part * Trig({((), *f): 1})
            total = total + part
        return total.expr(graph)

    shared = tuple((n, p) for n, p in powers.items() if p)
    under = tuple((n, -p) for n, p in shared)
    left = [
        [(x / number, letters, tuple(f for f in turned if f not in turns))
         for x, letters, turned in each] for each in terms
    ]  # fmt: skip
    return made([(number, (), tuple(turns))], shared), [made(each, under) for each in left]


def _phased(t: Trig) -> Trig:
    """Return the sum with cosines and sines of one angle as one, where they add up to one."""
    out = dict(t.terms)
    for (letters, angle), keys in trig_phase.groups(t.terms).items():
        found = trig_phase.joined((key, t.terms[key]) for key in keys)
        if found is None:
            continue
        number, roots, steps = found
        for key in keys:
            del out[key]
        if number:
            new, kind, sign = _canonical(added(angle, ((PI, Fraction(steps, 12)),)), "c")
            place = _product(letters, roots)[0], new, kind
            out[place] = out.get(place, 0) + sign * number
    return Trig({k: x for k, x in out.items() if x != 0}, t.atoms)


def tidy(t: Trig) -> Trig:
    """Return the sum without dust: what rounding left beside a term of the same letters.

    A number of more than twenty digits is printed, and counted, as the float nearest to it.
    """
    t = _phased(t)
    out: dict[Key, Any] = {}
    largest: dict[Monomial, float] = {}
    for (letters, _, _), x in t.terms.items():
        largest[letters] = max(largest.get(letters, 0.0), abs(float(x)))
    for key, x in t.terms.items():
        if abs(float(x)) < DUST * largest[key[0]]:
            continue
        long = isinstance(x, Fraction) and len(decimal(x)) > DIGITS and x.denominator > 999
        out[key] = float(x) if long else x
    return Trig(out, t.atoms)
