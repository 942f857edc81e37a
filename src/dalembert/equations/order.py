"""The order of print: which term and which factor stands first, and what is grouped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .ring import Monomial, Poly, Ring, Term

TRIG = ("sin", "cos", "sinK", "cosK")
CONSTANT = {"M": 0, "V": 0, "J": 1, "other": 2, "p": 2}
RANK = CONSTANT | {"q": 3, "sinK": 4, "cosK": 4, "sin": 5, "cos": 5}
RANK |= {"rate": 6, "speed": 6, "second": 7, "force": 8}  # of Kane's method and regressors
RANK |= {"sign": 9, "forward": 9, "backward": 9}  # senses of motion


@dataclass(frozen=True, slots=True)
class Part:
    """A number times factors times, perhaps, a sum in brackets."""

    number: Fraction
    factors: Monomial = ()
    inner: tuple[Part, ...] = ()


def factor_keys(ring: Ring) -> list[tuple[Any, ...]]:
    """Return the place of each generator in a product: constants, lengths, slides, angles."""
    if not ring.ranks:
        for i, g in enumerate(ring.symbols.generators):
            angle = g.key[0] in ("sin", "cos")
            ring.ranks.append((RANK[g.key[0]], *g.key[1:], g.key[0] == "cos") if angle
                              else (RANK[g.key[0]], i))  # fmt: skip
    return ring.ranks


def ordered(ring: Ring, p: Poly) -> list[Term]:
    """Return the terms of a polynomial in the order of print, factors in theirs."""
    rank = factor_keys(ring)
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


def grouped_as_printed(ring: Ring, p: Poly, kind: str) -> list[Part]:
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
            parts.append(Part(sum((c for c, _ in terms), Fraction(0)), factors))
        elif not factors and number == 1:
            parts += [Part(c, rest) for c, rest in terms]
        else:
            inner = tuple(Part(Fraction(1 if c > 0 else -1), rest) for c, rest in terms)
            parts.append(Part(number, factors, inner))
    return parts


def factored(ring: Ring, p: Poly) -> list[Part]:
    """Return the sum with common factors taken out, the most frequent first."""
    return _factored(ring, ordered(ring, p), 0)


def _factored(ring: Ring, terms: Sequence[Term], depth: int) -> list[Part]:
    parts: list[Part] = []
    left = list(terms)
    while left:
        best = _most_frequent(ring, left) if depth < 40 else None
        if best is None:
            parts += [Part(c, monomial) for c, monomial in left]
            break
        power, inside, rest = _taken_out(left, best)
        inner = _factored(ring, inside, depth + 1)
        if len(inner) == 1:
            # one factor after another is one product
            one = inner[0]
            parts.append(Part(one.number, ((best, power), *one.factors), one.inner))
        else:
            parts.append(_with_number(((best, power),), inner))
        left = rest
    return [_sorted(ring, part) for part in parts]


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


def _with_number(factors: Monomial, inner: list[Part]) -> Part:
    """Return factors times a sum, the number all its parts share taken out."""
    numbers = {abs(part.number) for part in inner}
    if len(numbers) == 1 and (shared := numbers.pop()) != 1:
        inner = [Part(x.number / shared, x.factors, x.inner) for x in inner]
        return Part(shared, factors, tuple(inner))
    return Part(Fraction(1), factors, tuple(inner))


def _sorted(ring: Ring, part: Part) -> Part:
    rank = factor_keys(ring)
    factors = tuple(sorted(part.factors, key=lambda f: rank[f[0]]))
    return Part(part.number, factors, part.inner)


def _most_frequent(ring: Ring, terms: Sequence[Term]) -> int | None:
    """Return the generator that most terms share (at least two), constants before angles."""
    counts: dict[int, int] = {}
    for _, monomial in terms:
        for i, _ in monomial:
            counts[i] = counts.get(i, 0) + 1
    shared = [i for i, c in counts.items() if c > 1]
    if not shared:
        return None
    rank = factor_keys(ring)
    return min(shared, key=lambda i: (-counts[i], rank[i]))
