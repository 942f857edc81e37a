"""Expressions as sums of sines and cosines of sums of angles: products of sines do not stay.

cos a cos b = (cos(a - b) + cos(a + b)) / 2 and its like. In a plane that is the short form: the
determinant of two links is one sine of the angle between them. `folded` takes it where it is
shorter than what was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

from ..expr import Expr, Graph, cos, sin
from ..expr.arena import Rows
from ..expr.formula import Call, Product, Sum, Symbol, formula, mapped
from ..expr.show import decimal, text
from ..expr.style import TEXT, write

Angle = tuple[tuple[str, Fraction], ...]  # names and how often each is counted, "" the number
Monomial = tuple[tuple[str, int], ...]
Key = tuple[Monomial, Angle, str]  # of letters, of an angle, "c" or "s" ("" if there is none)
PI = "pi"
HALF = Fraction(1, 2)
LIMIT = 64  # terms beyond which nothing is folded
DUST = 1e-15  # parts of a sum that rounding leaves
DIGITS = 20


class NotTrig(Exception):
    """What is met is not a sum of letters, sines and cosines."""


@cache
def _order(name: str) -> tuple[str, int, str]:
    """Return a key that puts q2 before q10."""
    head = name.rstrip("0123456789")
    return head, int(name[len(head) :] or 0), name


def _root(name: str) -> str:
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
        return tuple(sorted(found.items(), key=lambda p: _order(p[0])))

    def expr(self, graph: Graph) -> Any:
        """Return the sum as an expression, terms in a fixed order."""
        total: Any = 0
        terms = sorted(self.terms.items(), key=_rank)
        terms.sort(key=lambda t: t[1] < 0)  # a sum does not begin with a minus where it need not
        for (letters, angle, kind), x in terms:
            made: Any = abs(x)
            above = [(n, e) for n, e in letters if e > 0]
            for n, e in above:
                for _ in range(e):
                    made = made * self._letter(graph, n)
            if kind:
                a = _sum(graph, angle)
                made = made * (cos(a) if kind == "c" else sin(a))
            for n, e in letters:
                for _ in range(-e):
                    made = made / self._letter(graph, n)
            total = total - made if x < 0 else total + made
        return total

    def _letter(self, graph: Graph, name: str) -> Any:
        if name == PI:
            return graph.pi()
        return graph.adopt(self.atoms[name]) if name in self.atoms else graph.param(name)


def _rank(item: tuple[Key, Any]) -> Any:
    (letters, angle, kind), _ = item
    return (
        [(_order(n), e) for n, e in letters],
        [(_order(n), c) for n, c in angle],
        kind,
    )


def _sum(graph: Graph, angle: Angle) -> Any:
    """Return an angle as an expression, a positive part first."""
    total: Any = 0
    for name, c in sorted(angle, key=lambda p: (p[1] < 0, _order(p[0]))):
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
        root = _root(n)
        if root and not 0 <= e < 2:
            number, out[n] = number * Fraction(int(root)) ** (e // 2), e % 2
    return tuple(sorted(((n, e) for n, e in out.items() if e), key=lambda p: _order(p[0]))), number


def _rules(x: Angle, f: str, y: Angle, g: str) -> list[tuple[Angle, str, Any]]:
    """Return the terms of a product of two of 1, cos, sin: angle, kind, factor."""
    if not f:
        return [(y, g, 1)]
    if not g:
        return [(x, f, 1)]
    less, more = _added(x, y, -1), _added(x, y, 1)
    if f == g:
        return [(less, "c", HALF), (more, "c", HALF if f == "c" else -HALF)]
    if f == "s":  # sin x cos y
        return [(more, "s", HALF), (less, "s", HALF)]
    return [(more, "s", HALF), (less, "s", -HALF)]


def _added(x: Angle, y: Angle, sign: int) -> Angle:
    out = dict(x)
    for n, c in y:
        out[n] = out.get(n, Fraction(0)) + sign * c
    return tuple(sorted(((n, c) for n, c in out.items() if c), key=lambda p: _order(p[0])))


def _canonical(angle: Angle, kind: str) -> tuple[Angle, str, int]:
    """Return angle, kind and sign: quarter turns go into the kind, the first part is positive."""
    if not kind:
        return angle, kind, 1
    parts, sign = dict(angle), 1
    turns = parts.get(PI, Fraction(0)) * 2
    whole = int(turns // 1)
    if whole:
        rest = (turns - whole) / 2
        parts[PI] = rest
        for _ in range(whole % 4):  # cos(x + pi/2) = -sin x, sin(x + pi/2) = cos x
            kind, sign = ("s", -sign) if kind == "c" else ("c", sign)
    angle = tuple((n, c) for n, c in sorted(parts.items(), key=lambda p: _order(p[0])) if c)
    if not angle:
        return (), "", sign if kind == "c" else 0
    lead = next((c for n, c in angle if n not in ("", PI)), angle[0][1])
    if lead < 0:
        angle = tuple((n, -c) for n, c in angle)
        sign = -sign if kind == "s" else sign
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


def _tidy(t: Trig) -> Trig:
    """Return the sum without dust: what rounding left beside a term of the same letters.

    A number of more than twenty digits is printed, and counted, as the float nearest to it.
    """
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


def formula_of(x: Any) -> Sum:
    """Return an expression as a formula to be printed, folded where that is shorter."""
    plain = _typeset(formula(x))
    if not isinstance(x, Expr):
        return plain
    try:
        made = _written(_tidy(trig(x)))
    except NotTrig:
        return plain
    return made if len(write(made, TEXT)) <= len(write(plain, TEXT)) else plain


# letters before an index, the longer ones first, in LaTeX
HEADS = {"qdd": r"\ddot{q}", "qd": r"\dot{q}", "tau": r"\tau", "Ac": "A", "Hc": "H"}


def symbol(name: str) -> Symbol:
    """Return the symbol of a name: rates have dots in LaTeX, A_c and H_c their index."""
    word = next((w for w in HEADS if name.startswith(w)), "")
    index = name[len(word) :]
    bare = index[1:-1] if index[:1] == "(" and index[-1:] == ")" else index
    if not word or (bare == index and not index.isdigit()):
        return Symbol(name)
    return Symbol(name, rf"{HEADS[word]}_{{{'c,' * (word in ('Ac', 'Hc'))}{bare}}}")


def _typeset(s: Sum) -> Sum:
    """Return a formula with the symbols of `symbol`."""

    def change(x: Any) -> Any:
        return None if isinstance(x, Call) else x if x.latex else symbol(x.name)

    return mapped(s, change)


def _written(t: Trig) -> Sum:
    """Return a sum term by term, what all terms are divided by below one line."""
    terms = sorted(t.terms.items(), key=_rank)
    terms.sort(key=lambda p: p[1] < 0)
    unders = {tuple((n, -e) for n, e in letters if e < 0) for (letters, _, _), _ in terms}
    shared = unders.pop() if len(unders) == 1 and len(terms) > 1 else ()
    products = []
    for (letters, angle, kind), c in terms:
        up = [(_symbol(t, n), e) for n, e in letters if e > 0]
        down = [(_symbol(t, n), -e) for n, e in letters if e < 0] if not shared else []
        if kind:
            up.append((Call("cos" if kind == "c" else "sin", (_angle_sum(angle),)), 1))
        products.append(Product(c, tuple(up), tuple(down)))
    made = Sum(tuple(products))
    if not shared:
        return made
    below = tuple((_symbol(t, n), e) for n, e in shared)
    return Sum((Product(1, ((made, 1),), below),))


def _symbol(t: Trig, name: str) -> Any:
    if name == PI:
        return Symbol("pi", r"\pi")
    if root := _root(name):
        return Symbol(name, rf"\sqrt{{{root}}}")
    if name in t.atoms:
        return formula(t.atoms[name]) if t.atoms[name].names() else Symbol(name)
    return symbol(name)


def _angle_sum(angle: Angle) -> Sum:
    parts = []
    for name, c in sorted(angle, key=lambda p: (p[1] < 0, _order(p[0]))):
        of = ((Symbol("pi", r"\pi") if name == PI else Symbol(name), 1),) if name else ()
        parts.append(Product(c, of))
    return Sum(tuple(parts))


def folded(x: Any) -> Any:
    """Return an expression in its shorter form: as it is, or without products of sines.

    >>> from dalembert.expr import Graph, cos, sin
    >>> g = Graph()
    >>> a, b = g.param("q1"), g.param("q2")
    >>> text(folded(sin(a) * cos(b) - cos(a) * sin(b)))
    'sin(q1-q2)'
    """
    if not isinstance(x, Expr):
        return x
    try:
        made = _tidy(trig(x))
    except NotTrig:
        return x
    found = made.expr(x.graph)
    if not isinstance(found, Expr):
        return found
    return found if len(write(_written(made), TEXT)) <= len(write(formula(x), TEXT)) else x


def without(x: Any, det: Any) -> tuple[Any, int]:
    """Return (rest, n) with x = n det + rest, n of -1, 0, 1 so that the rest is shortest."""
    try:
        whole, part = trig(x), trig(det)
        rests = {n: _tidy(whole - part * Trig.of(n)) for n in (0, 1, -1)}
    except NotTrig:
        return x, 0
    best = min(rests, key=lambda n: (len(rests[n].terms), abs(n)))
    if not best:
        return x, 0
    return rests[best].expr(x.graph), best
