"""Formulas as trees, for people to read: sums of products of symbols, which `style.py` writes.

A `Product` is a number times factors over other factors; a `Sum` has products as its terms. A
factor is a symbol, a function of a sum, or a sum in brackets, each with its power. Where a sum was
found in a ring of polynomials, its factors may be numbers of generators until `mapped` puts symbols
in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .arena import Rows
from .exact import to_float
from .graph import Graph
from .scalar import Expr

Number = Any  # an int, a Fraction or a float
Factor = tuple[Any, int]  # a Symbol, Call or Sum (or the number of a generator) and its power


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name; `latex` where it is not that of the name, powers going before the `tail`."""

    name: str
    latex: str = field(default="", compare=False)
    tail: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function of sums: cos(al), atan2(a, b)."""

    name: str
    of: tuple[Sum, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A number times factors, over those of a denominator."""

    number: Number = 1
    factors: tuple[Factor, ...] = ()
    under: tuple[Factor, ...] = ()

    def __mul__(self, other: Product) -> Product:
        up, down = (*self.factors, *other.factors), (*self.under, *other.under)
        return Product(self.number * other.number, _merged(up), _merged(down))

    def __neg__(self) -> Product:
        return Product(-self.number, self.factors, self.under)

    def power(self, e: int) -> Product:
        """Return the product to a positive power."""
        up, down = (tuple((x, k * e) for x, k in side) for side in (self.factors, self.under))
        return Product(self.number**e, up, down)

    @property
    def is_number(self) -> bool:
        """Whether there is nothing but the number."""
        return not (self.factors or self.under)


class _Hashed:
    """A value whose hash is counted once: trees are looked up part by part."""

    __slots__ = ("_hash",)
    _hash: int


@dataclass(frozen=True, slots=True)
class Sum(_Hashed):
    """Terms added up; the report writes the first sign too of those that are `signed`."""

    terms: tuple[Product, ...] = ()
    signed: bool = False

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", hash((self.terms, self.signed)))
            return self._hash

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __neg__(self) -> Sum:
        return Sum(tuple(-p for p in self.terms), self.signed)

    @property
    def number(self) -> Number | None:
        """The value of a sum of numbers, None where there are symbols."""
        return sum(p.number for p in self.terms) if all(p.is_number for p in self.terms) else None


def _merged(factors: Sequence[Factor]) -> tuple[Factor, ...]:
    """Return factors with equal neighbours as one power."""
    out: list[Factor] = []
    for x, e in factors:
        if out and out[-1][0] == x:
            out[-1] = (x, out[-1][1] + e)
        else:
            out.append((x, e))
    return tuple(out)


def name(text: str | Symbol, power: int = 1) -> Product:
    """Return a symbol as a product."""
    return Product(1, ((Symbol(text) if isinstance(text, str) else text, power),))


def total(terms: Iterable[Product], tail: Iterable[Product] = (), signed: bool = False) -> Sum:
    """Return terms as a sum: like ones together, zeros left out, the number before the `tail`.

    >>> from dalembert.expr.style import TEXT, write
    >>> a = name("a")
    >>> write(total([Product(3), a, name("b"), Product(2) * a, Product(-1)]), TEXT)
    '3*a+b+2'
    """
    like: dict[Any, Number] = {}
    for p in terms:
        key = p.factors, p.under
        like[key] = like[key] + p.number if key in like else p.number
    number = like.pop(((), ()), 0)
    every = [*(Product(n, *key) for key, n in like.items()), Product(number), *tail]
    return Sum(tuple(p for p in every if p.number != 0), signed)


def grouped(s: Sum) -> Product:
    """Return a sum as one product: its only term, or itself in brackets."""
    if not s.terms:
        return Product(0)
    return s.terms[0] if len(s.terms) == 1 else Product(1, ((s, 1),))


def names_in(x: Any) -> set[str]:
    """Return the names of the symbols of a formula."""
    if isinstance(x, Symbol):
        return {x.name}
    parts: list[Any] = list(x.of) if isinstance(x, Call) else []
    if isinstance(x, Sum):
        parts = [f for t in x.terms for f, _ in (*t.factors, *t.under)]
    return set[str]().union(*map(names_in, parts))


def mapped(
    s: Sum, change: Callable[[Any], Any], product: Callable[[Product], Product] | None = None
) -> Sum:
    """Return a formula with `change` of every symbol, function or generator's number in its place.

    Where it is None, what a function is of is changed instead; `product` changes each term last.
    """

    def factor(f: Factor) -> Factor:
        x, e = f
        if isinstance(x, Sum):
            return mapped(x, change, product), e
        new = change(x)
        if new is None:
            new = Call(x.name, tuple(mapped(y, change, product) for y in x.of))
        return new, e

    terms = (
        Product(p.number, tuple(map(factor, p.factors)), tuple(map(factor, p.under)))
        for p in s.terms
    )
    return Sum(tuple(map(product, terms) if product else terms), s.signed)


# -- expressions -----------------------------------------------------------------------------------


def formula(x: Any) -> Sum:
    """Return an exact number or an expression as a formula; what has no parameter is a number.

    >>> from dalembert.expr import Graph
    >>> g = Graph()
    >>> from dalembert.expr.style import TEXT, write
    >>> write(formula(2 * g.param("a") * (g.param("b") + 1)), TEXT)
    '2*a*(b+1)'
    """
    if not isinstance(x, Expr):
        return total([Product(x)])
    if x.value is not None:
        return total([Product(x.value)])
    if not x.names():
        return total([Product(to_float(x))])
    return x.graph.fold([x.id], _LEAVES, _OPS, lambda i, of: _call(x.graph.op[i], of))[x.id]


def leaf_formula(graph: Graph, i: int) -> Sum:
    """Return a leaf of a graph as a formula."""
    found: Sum = graph.fold([i], _LEAVES, {})[i]
    return found


def node_formula(op: str, of: Sequence[Sum]) -> Sum:
    """Return an operation on formulas as a formula."""
    found: Sum = _OPS[op](*of) if op in _OPS else _call(op, of)
    return found


def _call(op: str, of: Sequence[Sum]) -> Sum:
    return Sum((Product(1, ((Call("abs" if op == "absolute" else op, tuple(of)), 1),)),))


def _added(terms: Sequence[Product]) -> Sum:
    """Return a sum of terms, its numbers as one where the first of them stood."""
    places = [k for k, p in enumerate(terms) if p.is_number]
    if len(places) < 2:
        return Sum(tuple(terms))
    whole = Product(sum(terms[k].number for k in places))
    put = {places[0]: (whole,) if whole.number else ()} | dict.fromkeys(places[1:], ())
    return Sum(tuple(x for k, p in enumerate(terms) for x in put.get(k, (p,))))


def _product(a: Sum, b: Sum) -> Sum:
    if a == b:
        one = grouped(a)
        return total([one.power(2)])
    return total([grouped(a) * grouped(b)])


def _quotient(a: Sum, b: Sum) -> Sum:
    below = grouped(b)
    turned = Product(Fraction(1) / below.number, below.under, below.factors)
    return total([grouped(a) * turned])


_LEAVES: Rows = {
    "const": lambda value: total([Product(value)]),
    "pi": lambda: Sum((Product(1, ((Symbol("pi", r"\pi"), 1),)),)),
    "param": lambda text: Sum((name(text),)),
    "input": lambda text, k: Sum((name(f"{text}[{k}]"),)),
}
_OPS: Rows = {
    "add": lambda a, b: _added((*a.terms, *b.terms)),
    "sub": lambda a, b: _added((*a.terms, *(-b).terms)),
    "neg": lambda a: -a,
    "mul": _product,
    "div": _quotient,
}
