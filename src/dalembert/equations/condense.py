"""The shortest form of a coefficient: s² + c² = 1 and angle sums used where they shorten it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .angles import CONSTANT, Joints, rotated
from .kinds import Key
from .ring import Poly, Ring

if TYPE_CHECKING:
    from .entry import Entry

LARGE = 1000  # terms from which on no other angle sums are tried


def shortest(entry: Entry) -> Poly:
    """Return the form of a coefficient with the fewest terms that was found.

    Candidates are the sums of section 3 as they come (angle sums seen from the frame of the entry)
    and the same with every s² as 1 - c², both with squares of sines or cosines replaced, angle by
    angle, while that shortens; then other angle sums (q2 and q3 for q2 and q2 + q3), likewise.
    """
    eq, key = entry.equations, (entry.kind, entry.place)
    if key not in eq.shortest:
        forms = (shortened(eq.ring, p) for p in (entry.raw, entry.poly))
        eq.shortest[key] = joined(eq.ring, resummed(eq.ring, min(forms, key=len)))
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


def resummed(ring: Ring, p: Poly) -> Poly:
    """Return p after every change of angle sums that leaves fewer terms.

    A change can shorten only where a term holds two of the three angles: else each cosine of the
    sum becomes two products that no other term has.
    """
    improving, index = 1 < len(p) < LARGE, ring.symbols.index
    known = ring.sums if improving else []
    while improving:
        improving = False
        met = meetings(ring, p)
        for gone, a, b in known:
            s, c = index["sin", gone], index["cos", gone]
            near = met.get(gone, ())
            if gone in met and (b[0] in met.get(a[0], ()) or {gone, a[0], b[0]}.intersection(near)):
                instead = list(ring.gens)
                instead[c], instead[s] = rotated(_pair(ring, a), _pair(ring, b))
                tried = shortened(ring, p.compose(*instead))
                if len(tried) < len(p):
                    p, met, improving = tried, meetings(ring, tried), True
    return p


def joined(ring: Ring, p: Poly) -> Poly:
    """Return p with pairs of terms that are one sine or cosine of a sum with a constant angle.

    X CK C2a + X SK S2a is X C2, beside terms that keep C2a: a link has levers on both sides of
    its constant turn.
    """
    if not 1 < len(p) < LARGE:
        return p
    index = ring.symbols.index
    for gone, (a, one), (b, two) in ring.sums:
        if b[0] < CONSTANT or one != 1:
            continue
        (ca, sa), (cb, sb) = (_places(ring, x) for x in (a, b))
        for new, first, second, sign in (
            (index["cos", gone], (ca, cb), (sa, sb), -two),
            (index["sin", gone], (sa, cb), (ca, sb), two),
        ):
            p = _met(ring, p, new, first, second, sign)
    return p


def _met(
    ring: Ring, p: Poly, new: int, first: tuple[int, int], second: tuple[int, int], sign: int
) -> Poly:
    """Return p with X first + sign X second written as X new, for every X."""
    terms = p.to_dict()
    made = dict(terms)
    for powers, factor in terms.items():
        if not all(powers[k] for k in first):
            continue
        rest = list(powers)
        for k in first:
            rest[k] -= 1
        other, instead = list(rest), list(rest)
        for k in second:
            other[k] += 1
        instead[new] += 1
        pair = tuple(other)
        if made.get(powers) == factor and made.get(pair) == sign * factor:
            del made[powers], made[pair]
            made[tuple(instead)] = made.get(tuple(instead), 0) + factor
    if len(made) == len(terms):
        return p
    return p.context().from_dict({k: x for k, x in made.items() if x})


def _places(ring: Ring, joints: Joints) -> tuple[int, int]:
    """Return where the cosine and the sine of an angle stand among the generators."""
    index = ring.symbols.index
    if joints[0] > CONSTANT:
        k = joints[0] - CONSTANT
        return index["cosK", k], index["sinK", k]
    return index["cos", joints], index["sin", joints]


def meetings(ring: Ring, p: Poly) -> dict[Joints, set[Joints]]:
    """Return for each angle of p those that stand in one term with it, itself if squared."""
    angle = {k: _angle(g.key) for k, g in enumerate(ring.symbols.generators) if _angle(g.key)}
    met: dict[Joints, set[Joints]] = {}
    for powers in p.monoms():
        here = [angle[k] for k, power in enumerate(powers) for _ in range(power) if k in angle]
        for n, one in enumerate(here):
            met.setdefault(one, set()).update(here[:n], here[n + 1 :])
    return met


def sums(ring: Ring) -> Iterator[tuple[Joints, tuple[Joints, int], tuple[Joints, int]]]:
    """Yield (angle, first, second): an angle of the ring that is a sum or difference of two others.

    The sign of each other angle stands with it.
    """
    known = {_angle(g.key): None for g in ring.symbols.generators if g.key[0] in ("cos", "cosK")}
    for a in known:
        for b in known:
            total = tuple(sorted((*a, *b), key=abs))
            if a < b and total in known:
                yield total, (a, 1), (b, 1)
                yield a, (total, 1), (b, -1)
                if b[0] < CONSTANT:
                    yield b, (total, 1), (a, -1)


def _angle(key: Key) -> Joints:
    """Return the sum of angles whose sine or cosine a generator is; none of any other."""
    kind, *of = key
    if kind in ("sin", "cos"):
        return of[0]  # type: ignore[no-any-return]
    return (CONSTANT + of[0],) if kind in ("sinK", "cosK") else ()


def _pair(ring: Ring, angle: tuple[Joints, int]) -> tuple[Poly, Poly]:
    """Return cosine and sine of an angle with a sign."""
    joints, sign = angle
    c, s = _places(ring, joints)
    return ring.gens[c], sign * ring.gens[s]


def replaced(ring: Ring, p: Poly, square: int, other: int) -> Poly:
    """Return p with every even power of one sine or cosine written by the other."""
    x2, instead = ring.gens[square] ** 2, 1 - ring.gens[other] ** 2
    out, factor = ring.zero, ring.one
    while len(p):
        p, rest = divmod(p, x2)
        out = out + rest * factor
        factor = factor * instead
    return out
