"""The order of print: which term and which factor stands first, and what is grouped."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..expr.formula import Product, Sum, grouped, mapped
from .ring import Monomial, Poly, Ring, Term

TRIG = ("sin", "cos", "sinK", "cosK")


def ordered(ring: Ring, p: Poly) -> list[Term]:
    """Return the terms of a polynomial in the order of print, factors in theirs."""
    rank = ring.ranks
    terms = [
        (c, tuple(sorted(monomial, key=lambda f: rank[f[0]]))) for c, monomial in ring.terms(p)
    ]

    def key(term: Term) -> tuple[Any, ...]:
        constant = [rank[i] for i, e in term[1] for _ in range(e) if rank[i][0] < 3]
        moving = [rank[i] for i, e in term[1] for _ in range(e) if rank[i][0] >= 3]
        return constant, moving

    return sorted(terms, key=key)


def split(ring: Ring, monomial: Monomial) -> tuple[Monomial, Monomial]:
    """Return the constant and the moving factors of a monomial."""
    kinds = [ring.symbols.generators[i].key[0] for i, _ in monomial]
    moving = [k in TRIG or k == "q" for k in kinds]
    return (
        tuple(f for f, x in zip(monomial, moving, strict=True) if not x),
        tuple(f for f, x in zip(monomial, moving, strict=True) if x),
    )


def grouped_as_printed(ring: Ring, p: Poly, kind: str) -> Sum:
    """Return the sum as the report prints it: `2*VZ6*L2*(-S34*C5)`, inertias term by term."""
    groups: dict[tuple[Any, ...], list[Term]] = {}
    for c, monomial in ordered(ring, p):
        constant, moving = split(ring, monomial)
        kinds = {ring.symbols.generators[i].key[0] for i, _ in constant}
        if kind == "Q":
            held = tuple(f for f in constant if ring.symbols.generators[f[0]].key[0] not in "VJ")
            rest = (*moving, *(f for f in constant if f not in held))
            groups.setdefault((abs(c), held), []).append((c, rest))
        elif "V" in kinds and moving:
            groups.setdefault((abs(c), constant), []).append((c, moving))
        else:
            groups.setdefault((c, monomial), []).append((c, ()))
    parts = []
    for (number, factors), terms in groups.items():
        if not any(rest for _, rest in terms):
            parts.append(Product(sum((c for c, _ in terms), Fraction(0)), factors))
        elif not factors and number == 1:
            parts += [Product(c, rest) for c, rest in terms]
        else:
            inner = tuple(Product(1 if c > 0 else -1, rest) for c, rest in terms)
            parts.append(Product(number, (*factors, (Sum(inner, signed=True), 1))))
    return mapped(Sum(tuple(parts), signed=True), ring.symbol)


def factored(ring: Ring, p: Poly, nested: int = 40) -> Sum:
    """Return the sum with common factors taken out, the most frequent first.

    `nested` is how many brackets may stand inside each other, but for one around the whole sum.
    """
    return mapped(Sum(tuple(_factored(ring, ordered(ring, p), nested))), ring.symbol)


def one_product(s: Sum) -> Product:
    """Return a sum as one product, the number and the sign that all its terms share in front."""
    return grouped(s) if len(s.terms) < 2 else _with_number((), list(s.terms))


def _factored(ring: Ring, terms: Sequence[Term], nested: int) -> list[Product]:
    parts: list[Product] = []
    left = list(terms)
    while left:
        best, count = _most_frequent(ring, left)
        of_all = count == len(terms)
        if count < 2 or not (nested or of_all):
            parts += [Product(c, monomial) for c, monomial in left]
            break
        power, inside, left = _taken_out(left, best)
        inner = _factored(ring, inside, nested if of_all else nested - 1)
        if _is_circle(ring, inner):
            inner = [Product(inner[0].number)]
        if len(inner) == 1:
            # one factor after another is one product
            parts.append(Product(inner[0].number, ((best, power), *inner[0].factors)))
        else:
            parts.append(_with_number(((best, power),), inner))
    return [_sorted(ring, part) for part in _joined(parts)]


def _is_circle(ring: Ring, inner: Sequence[Product]) -> bool:
    """Return whether parts are a number times s² + c² of one angle: that number then."""
    if len(inner) != 2 or inner[0].number != inner[1].number:
        return False
    found = {x.factors for x in inner}
    return any(found == {((s, 2),), ((c, 2),)} for s, c, _ in ring.circles)


def _joined(parts: list[Product]) -> list[Product]:
    """Return a sum in which products with the same bracket are one: (a+b)*(c+d)."""
    alike: dict[Any, list[Product]] = {}
    for k, part in enumerate(parts):
        last, power = part.factors[-1] if part.factors else (k, 0)
        key = last if isinstance(last, Sum) and power == 1 else k
        alike.setdefault(-key if -key in alike else key, []).append(part)
    out: list[Product] = []
    for key, found in alike.items():
        if len(found) == 1:
            out += found
            continue
        rest = [Product(x.number if x.factors[-1][0] == key else -x.number, x.factors[:-1])
                for x in found]  # fmt: skip
        one = _with_number((), rest)
        out.append(Product(one.number, (*one.factors, (key, 1))))
    return out


def _taken_out(terms: Sequence[Term], i: int) -> tuple[int, list[Term], list[Term]]:
    """Return the power of generator i that can go, the terms without it, and the other terms."""
    powers = [dict(monomial).get(i, 0) for _, monomial in terms]
    power = min(e for e in powers if e)
    inside, rest = [], []
    for (c, monomial), e in zip(terms, powers, strict=True):
        if e:
            kept = tuple((k, x - power if k == i else x) for k, x in monomial)
            inside.append((c, tuple(f for f in kept if f[1])))
        else:
            rest.append((c, monomial))
    return power, inside, rest


def _with_number(factors: Monomial, inner: list[Product]) -> Product:
    """Return factors times a sum, the number and the sign all its parts share taken out."""
    numbers = {abs(part.number) for part in inner}
    shared = numbers.pop() if len(numbers) == 1 else 1
    shared = -shared if all(part.number < 0 for part in inner) else shared
    if shared != 1:
        inner = [Product(x.number / shared, x.factors, x.under) for x in inner]
    return Product(shared, (*factors, (Sum(tuple(inner)), 1)))


def _sorted(ring: Ring, part: Product) -> Product:
    """Return a product with its symbols in their order, a sum in brackets last."""
    rank = ring.ranks
    last = (1 << 30,)
    return Product(
        part.number,
        tuple(sorted(part.factors, key=lambda f: rank[f[0]] if isinstance(f[0], int) else last)),
    )


def _most_frequent(ring: Ring, terms: Sequence[Term]) -> tuple[int, int]:
    """Return the generator that most terms share, constants before angles, and how many do."""
    counts: dict[int, int] = {}
    for _, monomial in terms:
        for i, _ in monomial:
            counts[i] = counts.get(i, 0) + 1
    best = min(counts, key=lambda i: (-counts[i], ring.ranks[i]), default=0)
    return best, counts.get(best, 0)
