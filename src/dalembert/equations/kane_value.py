"""How one entry of Kane's steps is written: angle sums found again, terms over a denominator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..expr.formula import Product, Sum, Symbol, grouped, total
from ..expr.style import LATEX, TEXT, write
from .condense import shortened
from .kane_step_names import place_of
from .kane_symbols import Setting
from .order import factored, one_product, ordered
from .ratio import Coordinate, Ratio, size
from .ring import Poly, Ring, Term

SHORT = 24  # terms up to which a sum is grouped once instead of being nested
APART = 6  # terms up to which each stands over the denominator by itself
SHORTENED = 300  # terms up to which s² + c² = 1 is tried both ways


# -- angle sums ------------------------------------------------------------------------------------


def with_sums(setting: Setting, p: Poly) -> Poly:
    """Return p with c1 c2 - s1 s2 as c12 and s1 c2 + c1 s2 as s12, wherever both terms stand."""
    index = setting.symbols.index
    sums = [key[1] for key in index if key[0] == "cos" and len(key[1]) > 1]
    sums.sort(key=lambda joints: (joints[0], len(joints)))  # from the base on: th, th+phi1, ...
    used = {i for i, e in enumerate(p.degrees()) if e}
    terms: dict[tuple[int, ...], Any] = {}
    for joints in sums:
        h, t = joints[:-1], joints[-1:]
        ch, sh, ct, st = (index[k, x] for x in (h, t) for k in ("cos", "sin"))
        if not used >= {ch, sh, ct, st}:
            continue
        terms = terms or p.to_dict()
        c, s = index["cos", joints], index["sin", joints]
        if _pair(terms, (ch, ct), (sh, st), c, -1):
            used.add(c)
        if _pair(terms, (sh, ct), (ch, st), s, 1):
            used.add(s)
    return p.context().from_dict(terms) if terms else p


def _pair(
    terms: dict[tuple[int, ...], Any], one: tuple[int, int], two: tuple[int, int], whole: int,
    sign: int,
) -> bool:  # fmt: skip
    """Write x·one + sign·x·two as x·whole in a sum; return whether any was found."""
    changed = False
    for exponents in [e for e in terms if e[one[0]] and e[one[1]]]:
        rest = list(exponents)
        for i in one:
            rest[i] -= 1
        partner = list(rest)
        for i in two:
            partner[i] += 1
        other = tuple(partner)
        if exponents not in terms or terms.get(other) != sign * terms[exponents]:
            continue
        rest[whole] += 1
        del terms[other]
        c, key = terms.pop(exponents), tuple(rest)
        total = terms.pop(key, 0) + c
        if total:
            terms[key] = total
        changed = True
    return changed


# -- entries ---------------------------------------------------------------------------------------


def entry(setting: Setting, x: Any) -> Sum:
    """Return an entry as a formula: a number, a coordinate, a ratio, or a formula already."""
    if isinstance(x, Sum):
        return x
    if isinstance(x, Coordinate):
        x = x.ratio()
    return _ratio(setting, x) if isinstance(x, Ratio) else total([Product(Fraction(x))])


def written(x: Ratio, latex: bool = False) -> str:
    """Return a ratio as text or in LaTeX."""
    return write(entry(x.field.setting, x), LATEX if latex else TEXT)


def products(setting: Setting, terms: Sequence[tuple[Any, Sequence[tuple[str, int, int]]]]) -> Sum:
    """Return a sum that is left as it is: coefficients times named entries of matrices."""
    out = []
    for coefficient, places in terms:
        factors = tuple((place_of(*p), places.count(p)) for p in dict.fromkeys(places))
        out.append(grouped(entry(setting, coefficient)) * Product(1, factors))
    return Sum(tuple(out))


def _ratio(setting: Setting, x: Ratio) -> Sum:
    ring = setting.ring
    sign = -1 if _negative(ring, x.den) else 1
    den, num = ring.terms(sign * x.den), shortest(setting, sign * x.num)
    if len(den) == 1 and not den[0][1] and den[0][0] == 1:
        return _sum(ring, num)
    if len(den) == 1 and len(num) <= APART:
        return Sum(tuple(_over(setting, t, den[0]) for t in ordered(ring, num)))
    top, below = one_product(_sum(ring, num)), one_product(_sum(ring, sign * x.den))
    return Sum((Product(Fraction(top.number) / below.number, top.factors, below.factors),))


def _negative(ring: Ring, p: Poly) -> bool:
    """Whether most terms are negative, so that a fraction reads better with both sides turned."""
    gone = 2 * sum(c < 0 for c in p.coeffs())
    return gone > len(p) or (gone == len(p) and ordered(ring, p)[0][0] < 0)


def shortest(setting: Setting, p: Poly) -> Poly:
    """Return p with angle sums, s² + c² = 1 used where it shortens."""
    if len(p) <= SHORTENED:
        p = shortened(setting.ring, p)
    return with_sums(setting, p)


def _sum(ring: Ring, p: Poly) -> Sum:
    """Return a polynomial with common factors taken out; a short one is grouped only once."""
    if len(p) > SHORT:
        return factored(ring, p)
    made = factored(ring, p, 1)
    one = one_product(made)
    return made if one.number == 1 else Sum((one,))


def _over(setting: Setting, term: Term, den: Term) -> Product:
    """Return one term over a denominator of one term, shared factors gone, s/c as tan."""
    s, top, below = setting.symbols, dict(term[1]), dict(den[1])
    for i in below:
        gone = min(below[i], top.get(i, 0))
        below[i] -= gone
        if gone:
            top[i] -= gone
    tangents: list[tuple[Symbol, int]] = []
    for i in below:
        kind, *key = s.generators[i].key
        sine = s.index["sin", key[0]] if kind == "cos" else -1
        both = min(below[i], top.get(sine, 0))
        if both:
            top[sine] -= both
            below[i] -= both
            tangents.append((s.tangent(key[0]), both))
    ring = setting.ring
    up, down = (
        tuple(
            (ring.symbol(i), side[i]) for i in sorted(side, key=ring.ranks.__getitem__) if side[i]
        )
        for side in (top, below)
    )
    return Product(term[0] / den[0], (*up, *tangents), down)


def multiple(place: tuple[int, int], entries: Mapping[tuple[int, int], Any]) -> Any:
    """Return an entry of the same body and speed of which this one is a multiple, or None."""
    r, c = place
    if size(entries[place]) < 2:
        return None
    for s in range(r // 6 * 6, r // 6 * 6 + 6):
        other = entries.get((s, c))
        if s == r or size(other) < 2:
            continue
        share = entries[place] / other
        number = not isinstance(share, Ratio) or not (
            any(share.num.degrees()) or any(share.den.degrees())
        )
        plain = number or (len(share.num) == 1 and share.den == share.field.one)
        if plain and not (number and s > r):
            return s, c
    return None
