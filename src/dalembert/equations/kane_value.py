"""How one entry of Kane's steps is written: angle sums found again, terms over a denominator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..expr import decimal
from .condense import shortened
from .kane_symbols import Setting
from .latex import symbol
from .order import Part, factor_keys, factored, ordered
from .ratio import Coordinate, Ratio
from .ring import Monomial, Poly, Ring, Term

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


# -- grouping --------------------------------------------------------------------------------------


def grouped(ring: Ring, terms: Sequence[Term], level: int = 1) -> Part:
    """Return a sum as one product: what all terms share, times the rest grouped once more."""
    shared = dict(terms[0][1])
    for _, monomial in terms[1:]:
        have = dict(monomial)
        shared = {i: min(e, have[i]) for i, e in shared.items() if i in have}
    sizes = {abs(c) for c, _ in terms}
    number = sizes.pop() if len(sizes) == 1 else Fraction(1)
    if all(c < 0 for c, _ in terms):
        number = -number
    rest = [(c / number, tuple((i, e - shared.get(i, 0)) for i, e in m if e > shared.get(i, 0)))
            for c, m in terms]  # fmt: skip
    rank = factor_keys(ring)
    factors = tuple(sorted(shared.items(), key=lambda f: rank[f[0]]))
    if len(rest) == 1:
        return Part(number * rest[0][0], factors)
    return Part(number, factors, tuple(_groups(ring, rest, level)))


def _groups(ring: Ring, terms: list[Term], level: int) -> list[Part]:
    parts: list[Part] = []
    while terms:
        counts: dict[int, int] = {}
        for _, monomial in terms:
            for i, _ in monomial:
                counts[i] = counts.get(i, 0) + 1
        rank = factor_keys(ring)
        often = [i for i, c in counts.items() if c > 1]
        if level == 0 or not often:
            return parts + [Part(c, m) for c, m in terms]
        best = min(often, key=lambda i: (-counts[i], rank[i]))
        inside = [t for t in terms if dict(t[1]).get(best)]
        parts.append(grouped(ring, inside, level - 1))
        terms = [t for t in terms if not dict(t[1]).get(best)]
    return parts


# -- dialects --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Style:
    """How products, powers, fractions and symbols are written."""

    times: str
    power: str
    bracket: tuple[str, str]
    fraction: Callable[[str, str, bool], str]
    symbol: Callable[[Setting, tuple[Any, ...]], str]
    entry: Callable[[str, int, int], str]
    number: Callable[[Fraction], str]


def _text_fraction(top: str, below: str, simple: bool) -> str:
    return f"{top}/{below}" if simple else f"{top}/({below})"


def _tan_text(setting: Setting, key: tuple[Any, ...]) -> str:
    name = setting.symbols.names[setting.symbols.index["sin", key[1]]]
    return f"tan{name.removeprefix('sin')}" if name.startswith("sin") else f"T{name[1:]}"


def _plain_symbol(setting: Setting, key: tuple[Any, ...]) -> str:
    if key[0] == "tan":
        return _tan_text(setting, key)
    return setting.symbols.names[setting.symbols.index[key]]


def _latex_symbol(setting: Setting, key: tuple[Any, ...]) -> str:
    s = setting.symbols
    kind = key[0]
    if kind in ("sin", "cos", "tan"):
        joints = key[1]
        if s.numbered and max(joints) <= s.n:
            head = {"sin": "s", "cos": "c", "tan": r"\tan q"}[kind]
            return f"{head}_{{{(',' if s.n > 9 else '').join(map(str, joints))}}}"
        total = "+".join(symbol(s.coordinates[k - 1]) for k in joints)
        return rf"\{kind} {total}" if len(joints) == 1 else rf"\{kind}({total})"
    if kind == "q":
        return symbol(s.coordinates[key[1] - 1])
    if kind == "rate":
        return rf"\dot {{{symbol(s.coordinates[key[1] - 1])}}}"
    if kind == "second":
        dot = r"\ddot" if key[1] == "rate" else r"\dot"
        inner = s.coordinates[key[2] - 1] if key[1] == "rate" else key[2]
        return rf"{dot} {{{symbol(str(inner).replace('.', '_'))}}}"
    if kind == "force" and isinstance(key[1], int):
        inner = str(key[1]) if s.numbered else symbol(s.coordinates[key[1] - 1])
        return rf"\Gamma_{{{inner}}}"
    return symbol(s.names[s.index[key]])


def _text_number(x: Fraction) -> str:
    out = decimal(x)
    return f"({out})" if "/" in out else out


def _latex_number(x: Fraction) -> str:
    out = decimal(x)
    return rf"\tfrac{{{x.numerator}}}{{{x.denominator}}}" if "/" in out else out


def _latex_entry(name: str, r: int, c: int) -> str:
    return {"Jd": r"\dot J", "J_nh": "J_{nh}"}.get(name, name) + f"({r},{c})"


TEXT = Style(
    "*", "{}**{}", ("(", ")"), _text_fraction, _plain_symbol,
    lambda n, r, c: f"{n}({r},{c})", _text_number,
)  # fmt: skip
LATEX = Style(
    r"\,", "{{{}}}^{{{}}}", (r"\left(", r"\right)"),
    lambda top, below, simple: rf"\frac{{{top}}}{{{below}}}", _latex_symbol,
    _latex_entry, _latex_number,
)  # fmt: skip


def _negative(ring: Ring, p: Poly) -> bool:
    """Whether most terms are negative, so that a fraction reads better with both sides turned."""
    gone = 2 * sum(c < 0 for c in p.coeffs())
    return gone > len(p) or (gone == len(p) and ordered(ring, p)[0][0] < 0)


class Writer:
    """Writes entries in one style."""

    def __init__(self, setting: Setting, style: Style):
        self.setting, self.ring, self.style = setting, setting.ring, style

    def write(self, x: Any) -> str:
        """Return an entry: a number, a coordinate, a ratio, or a sum left as products."""
        if isinstance(x, Coordinate):
            x = x.ratio()
        if isinstance(x, Ratio):
            return self._ratio(x).removeprefix("+")
        if hasattr(x, "terms"):
            return self._products(x).removeprefix("+") or "0"
        sign = "-" if x < 0 else ""
        return sign + self.style.number(abs(Fraction(x)))

    def _ratio(self, x: Ratio) -> str:
        sign = -1 if _negative(self.ring, x.den) else 1
        den = self.ring.terms(sign * x.den)
        num = self.shortest(sign * x.num)
        if len(den) == 1 and not den[0][1] and den[0][0] == 1:
            return self.sum(num)
        if len(den) == 1 and len(num) <= APART:
            return "".join(self._over(t, den[0]) for t in ordered(self.ring, num))
        top, below = self.sum(num).removeprefix("+"), self.sum(sign * x.den).removeprefix("+")
        if self.style is TEXT and len(num) > 1:
            top = f"({top})"
        simple = len(den) == 1 and len(den[0][1]) == 1 and den[0][1][0][1] == 1
        return "+" + self.style.fraction(top, below, simple)

    def shortest(self, p: Poly) -> Poly:
        """Return p with angle sums, s² + c² = 1 used where it shortens."""
        if len(p) <= SHORTENED:
            p = shortened(self.ring, p)
        return with_sums(self.setting, p)

    def sum(self, p: Poly) -> str:
        """Return a polynomial, every sign written."""
        terms = ordered(self.ring, p)
        if len(terms) > SHORT:
            return "".join(self._part(part) for part in factored(self.ring, p))
        one = grouped(self.ring, terms)
        if one.inner and not one.factors and one.number == 1:
            return "".join(self._part(part) for part in one.inner)
        return self._part(one)

    def _factors(self, factors: Sequence[tuple[tuple[Any, ...], int]]) -> list[str]:
        out = []
        for key, e in factors:
            name = self.style.symbol(self.setting, key)
            trig = key[0] in ("sin", "cos", "tan")
            if e != 1 and self.style is LATEX and trig and "(" not in name and "\\" in name:
                head, _, rest = name.partition(" ")
                out.append(f"{head}^{{{e}}} {rest}")
            else:
                out.append(name if e == 1 else self.style.power.format(name, e))
        return out

    def _keys(self, monomial: Monomial) -> list[tuple[tuple[Any, ...], int]]:
        generators = self.setting.symbols.generators
        return [(generators[i].key, e) for i, e in monomial]

    def _part(self, part: Part) -> str:
        sign, size = ("-" if part.number < 0 else "+"), abs(part.number)
        names = self._factors(self._keys(part.factors))
        if part.inner:
            inner = "".join(self._part(p) for p in part.inner).removeprefix("+")
            names.append(self.style.bracket[0] + inner + self.style.bracket[1])
        if size != 1 or not names:
            names.insert(0, self.style.number(size))
        return sign + self.style.times.join(names)

    def _over(self, term: Term, den: Term) -> str:
        """Return one term over a denominator of one term, shared factors gone, s/c as tan."""
        number = term[0] / den[0]
        top, below = dict(self._keys(term[1])), dict(self._keys(den[1]))
        for key in list(below):
            gone = min(below[key], top.get(key, 0))
            for side in (top, below):
                if key in side:
                    side[key] -= gone
        for key in [k for k in below if k[0] == "cos" and below[k]]:
            other = ("sin", key[1])
            both = min(below[key], top.get(other, 0))
            if both:
                top[other] -= both
                below[key] -= both
                top = {k: e for k, e in top.items() if e} | {("tan", key[1]): both}
        sign, size = ("-" if number < 0 else "+"), abs(number)
        names = self._factors([(k, e) for k, e in top.items() if e])
        under = [(k, e) for k, e in below.items() if e]
        if size.numerator != 1 or not names:
            names.insert(0, str(size.numerator))
        bottom = self._factors(under)
        if size.denominator != 1:
            bottom.insert(0, str(size.denominator))
        if not bottom:
            return sign + self.style.times.join(names)
        simple = len(bottom) == 1
        below_text = self.style.times.join(bottom)
        return sign + self.style.fraction(self.style.times.join(names), below_text, simple)

    def _products(self, x: Any) -> str:
        out = []
        for coefficient, places in x.terms:
            names: list[str] = []
            for place in dict.fromkeys(places):
                name = self.style.entry(*place)
                e = places.count(place)
                names.append(name if e == 1 else self.style.power.format(name, e))
            value = self.write(coefficient)
            sign = "-" if value.startswith("-") else "+"
            value = value.removeprefix("-")
            single = not isinstance(coefficient, Ratio) or len(coefficient.num) == 1
            if not single:
                left, right = self.style.bracket
                sign, value = "+", f"{left}{self.write(coefficient)}{right}"
            parts = names if value == "1" else [value, *names]
            out.append(sign + self.style.times.join(parts))
        return "".join(out)
