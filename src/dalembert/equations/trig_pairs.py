"""Sums of sines that are products: c sin(a + b) + c sin(a - b) is 2 c sin a cos b.

Angles about axes that are not parallel stand with both signs in the sums of `trig.py`; what they
came from is shorter, and is found again here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .trig import Trig

Angle = tuple[tuple[str, Fraction], ...]  # names and how often each is counted, "" the number
Monomial = tuple[tuple[str, int], ...]
Key = tuple[Monomial, Angle, str]  # of letters, of an angle, "c" or "s" ("" if there is none)
Turned = tuple[tuple[Angle, str], ...]  # factors: sines and cosines
Item = tuple[Monomial, Turned, Angle, str]  # letters, factors found, and the angle that is left
Term = tuple[Any, Monomial, Turned]  # number, letters, factors
HALF = Fraction(1, 2)


@cache
def order(name: str) -> tuple[str, int, str]:
    """Return a key that puts q2 before q10."""
    head = name.rstrip("0123456789")
    return head, int(name[len(head) :] or 0), name


def added(x: Angle, y: Angle, sign: int = 1) -> Angle:
    """Return the sum or the difference of two angles."""
    out = dict(x)
    for n, c in y:
        out[n] = out.get(n, Fraction(0)) + sign * c
    return tuple(sorted(((n, c) for n, c in out.items() if c), key=lambda p: order(p[0])))


def paired(t: Trig) -> list[Term]:
    """Return the terms of a sum, pairs as products, in a fixed order: minus signs last."""
    items: dict[Item, Any] = {(letters, (), a, f): x for (letters, a, f), x in t.terms.items()}
    while flips := Counter(f for _, _, f in _pairs(items)):
        most = max(flips, key=lambda f: (flips[f], -len(f), [order(n) for n in f]))
        for one, two, flip in list(_pairs(items)):
            if flip == most and one in items and two in items:
                _joined(items, one, two, flip)
    _square(items)
    terms = [(x, letters, _turned(found, a, f)) for (letters, found, a, f), x in items.items()]
    terms.sort(key=_rank)
    return sorted(terms, key=lambda term: term[0] < 0)


def _square(items: dict[Item, Any]) -> None:
    """Put 2 cos² a in the place of 1 + cos 2a, and 2 sin² a of 1 - cos 2a."""
    for item, x in list(items.items()):
        letters, found, angle, kind = item
        alone = letters, found, (), ""
        half = tuple((n, c / 2) for n, c in angle)
        whole = kind == "c" and all(c.denominator == 1 for _, c in half)
        if whole and alone in items and abs(items[alone]) == abs(x):
            y = items.pop(alone)
            del items[item]
            own = "c" if x == y else "s"
            items[letters, (*found, (half, own)), half, own] = 2 * y


def _turned(found: Turned, angle: Angle, kind: str) -> Turned:
    every = [*found, (angle, kind)] if kind else [*found]
    return tuple(sorted(every, key=lambda x: [(order(n), c) for n, c in x[0]]))


def _rank(term: Term) -> Any:
    _, letters, turned = term
    turns = [([(order(n), c) for n, c in a], f) for a, f in turned]
    return [(order(n), e) for n, e in letters], turns


def _pairs(items: dict[Item, Any]) -> Iterator[tuple[Item, Item, tuple[str, ...]]]:
    """Yield two items and the names whose sign differs between them."""
    alike: dict[Any, list[Item]] = {}
    for item, x in items.items():
        letters, found, angle, kind = item
        if len(angle) > 1:
            names = tuple((n, abs(c)) for n, c in angle)
            alike.setdefault((letters, found, names, kind, abs(x)), []).append(item)
    for group in alike.values():
        for one, two in combinations(group, 2):
            signs = zip(one[2], two[2], strict=True)
            differ = tuple(n for (n, a), (_, b) in signs if a != b)
            rest = tuple(n for n, _ in one[2] if n not in differ)
            if differ and rest:
                yield one, two, min(differ, rest, key=lambda f: (len(f), [order(n) for n in f]))


def _joined(items: dict[Item, Any], one: Item, two: Item, flip: tuple[str, ...]) -> None:
    """Put a product in the place of two items: the part that flips is found, the other is left."""
    letters, found, P, kind = one
    Q, x, y = two[2], items.pop(one), items.pop(two)
    same = x == y
    H, D = (tuple((n, c / 2) for n, c in added(P, Q, s)) for s in (1, -1))
    if kind == "c":
        f, g, number = ("c", "c", 2 * x) if same else ("s", "s", -2 * x)
    else:
        f, g, number = ("s", "c", 2 * x) if same else ("c", "s", 2 * x)
    parts = []
    for angle, own in ((H, f), (D, g)):
        if next(c for _, c in angle) < 0:
            angle = tuple((n, -c) for n, c in angle)
            number = -number if own == "s" else number
        parts.append((angle, own))
    turns, left = parts if tuple(n for n, _ in H) == flip else parts[::-1]
    key = letters, tuple(sorted((*found, turns), key=repr)), *left
    items[key] = items.get(key, 0) + number
    if not items[key]:
        del items[key]
