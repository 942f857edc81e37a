"""Cosines and sines of one angle with several phases as one: exact, over square roots of 2 and 3.

1.5 cos A + 0.5 sqrt(3) sin A is sqrt(3) cos(A - pi/6). Legs that stand at 120 degrees to each other
bring such sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from .trig_pairs import Angle, Key, Monomial

PI = "pi"
ROOTS = (1, 2, 3, 6)  # the numbers of a surd stand with their square roots
Surd = tuple[Fraction, ...]
ZERO: Surd = (Fraction(0),) * 4
# cosines of 0, 15, ... 90 degrees
QUARTER: tuple[tuple[int, ...], ...] = (
    (4, 0, 0, 0), (0, 1, 0, 1), (0, 0, 2, 0), (0, 2, 0, 0), (2, 0, 0, 0), (0, -1, 0, 1),
    (0, 0, 0, 0),
)  # fmt: skip


def _times(a: Surd, b: Surd) -> Surd:
    out = [Fraction(0)] * 4
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            if x and y:
                square = ROOTS[i] * ROOTS[j]
                whole = max(n for n in (1, 2, 3, 6) if square % (n * n) == 0)
                out[ROOTS.index(square // (whole * whole))] += x * y * whole
    return tuple(out)


def _plus(a: Surd, b: Surd) -> Surd:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _value(a: Surd) -> float:
    return sum(float(x) * math.sqrt(n) for x, n in zip(a, ROOTS, strict=True))


def _cosine(steps: int) -> Surd:
    """Return the cosine of so many times 15 degrees."""
    k = steps % 24
    k = min(k, 24 - k)
    sign = Fraction(1, 4) if k <= 6 else Fraction(-1, 4)
    return tuple(sign * x for x in QUARTER[k if k <= 6 else 12 - k])


def joined(terms: Iterable[tuple[Key, Any]]) -> tuple[Any, Monomial, int] | None:
    """Return number, root and phase of the one cosine that terms add up to; None where none is.

    The terms have the same angle but for multiples of pi, and the same letters but for roots; the
    phase counts 15 degrees, the number is 0 where nothing is left.
    """
    a, b = ZERO, ZERO
    for (letters, angle, kind), x in terms:
        phase = dict(angle).get(PI, Fraction(0)) * 12 - (6 if kind == "s" else 0)
        if phase.denominator != 1:
            return None
        size = tuple(Fraction(x) if n == _root_of(letters) else Fraction(0) for n in ROOTS)
        a = _plus(a, _times(size, _cosine(int(phase))))
        b = _plus(b, _times(size, _cosine(int(phase) - 6)))
    if a == b == ZERO:
        return Fraction(0), (), 0
    # a cos A - b sin A
    angle_of = math.atan2(_value(b), _value(a)) * 12 / math.pi
    square = _plus(_times(a, a), _times(b, b))
    if abs(angle_of - round(angle_of)) > 1e-9 or any(square[1:]):
        return None
    for n in ROOTS:
        p, q = (square[0] / n).as_integer_ratio()
        if math.isqrt(p) ** 2 == p and math.isqrt(q) ** 2 == q:
            roots: Monomial = ((f"sqrt({n})", 1),) if n > 1 else ()
            return Fraction(math.isqrt(p), math.isqrt(q)), roots, round(angle_of)
    return None


def surd_root(name: str) -> int:
    """Return 2, 3 or 6 of sqrt(2), sqrt(3), sqrt(6), 0 of another name."""
    return {f"sqrt({n})": n for n in ROOTS[1:]}.get(name, 0)


def _root_of(letters: Monomial) -> int:
    return math.prod(surd_root(n) or 1 for n, _ in letters)


def groups(terms: dict[Key, Any]) -> dict[tuple[Monomial, Angle], list[Key]]:
    """Return the terms by their letters without roots and their angle without pi."""
    found: dict[tuple[Monomial, Angle], list[Key]] = {}
    for key, x in terms.items():
        letters, angle, kind = key
        own = [n for n, _ in letters if surd_root(n)]
        if kind and not isinstance(x, float) and len(own) < 2:
            bare = tuple(p for p in letters if p[0] not in own)
            turned = tuple(p for p in angle if p[0] != PI)
            found.setdefault((bare, turned), []).append(key)
    return {place: keys for place, keys in found.items() if len(keys) > 1}
