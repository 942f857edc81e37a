"""The shortest form of a coefficient: s² + c² = 1 used where it shortens, either way round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ring import Poly, Ring

if TYPE_CHECKING:
    from .entry import Entry


def shortest(entry: Entry) -> Poly:
    """Return the form of a coefficient with the fewest terms that was found.

    Candidates are the sums of section 3 as they come (angle sums seen from the frame of the entry)
    and the same with squares of sines or cosines replaced, angle by angle, while that shortens.
    """
    eq, key = entry.equations, (entry.kind, entry.place)
    if key not in eq.shortest:
        eq.shortest[key] = min((shortened(eq.ring, entry.raw), entry.poly), key=len)
    return eq.shortest[key]


def shortened(ring: Ring, p: Poly) -> Poly:
    """Return p after every replacement s² -> 1 - c² or c² -> 1 - s² that leaves fewer terms."""
    improving = True
    while improving:
        improving = False
        degrees = p.degrees()
        for s, c, _ in ring.circles:
            for square, other in ((s, c), (c, s)):
                if degrees[square] > 1:
                    tried = replaced(ring, p, square, other)
                    if len(tried) < len(p):
                        p, degrees, improving = tried, tried.degrees(), True
    return p


def replaced(ring: Ring, p: Poly, square: int, other: int) -> Poly:
    """Return p with every even power of one sine or cosine written by the other."""
    x2, instead = ring.gens[square] ** 2, 1 - ring.gens[other] ** 2
    out, factor = ring.zero, ring.one
    while len(p):
        p, rest = divmod(p, x2)
        out = out + rest * factor
        factor = factor * instead
    return out
