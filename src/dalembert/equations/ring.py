"""Exact polynomials in the symbols of a mechanism (python-flint), their slopes and reductions."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpz_mat

from ..expr.formula import Symbol
from .angles import CONSTANT, Joints
from .generator import Symbols
from .kinds import KINDS

FEW = 6  # generators
SHORT = 100  # terms
Poly = Any  # fmpq_mpoly; flint has no type hints
Monomial = tuple[tuple[int, int], ...]  # (generator, power), in order of the generators
Term = tuple[Fraction, Monomial]
Turning = tuple[int, int, Poly, Poly, Poly, int]  # sine, cosine, their slopes, circle, first joint
NONE: dict[int, Poly | None] = {}
S = TypeVar("S", bound=Symbols)


def rational(x: Any) -> Any:
    """Return an exact number as flint's."""
    return fmpq(*Fraction(x).as_integer_ratio())


@cache
def _generators(size: int) -> tuple[Any, tuple[Poly, ...]]:
    """Return a context of so many generators, and these."""
    ctx = fmpq_mpoly_ctx.get(tuple(f"x{i}" for i in range(size)), Ordering.lex)
    return ctx, tuple(ctx.gen(i) for i in range(size))


# flint's polynomials as plain numbers, so that equations can be sent to other processes


def _context(names: tuple[str, ...], order: str) -> Any:
    return fmpq_mpoly_ctx.get(names, Ordering[order])


def _polynomial(ctx: Any, terms: list[tuple[tuple[int, ...], int, int]]) -> Poly:
    return ctx.from_dict({exponents: fmpq(p, q) for exponents, p, q in terms})


copyreg.pickle(fmpq_mpoly_ctx, lambda ctx: (_context, (ctx.names(), ctx.ordering().name)))
copyreg.pickle(
    fmpq_mpoly,
    lambda p: (
        _polynomial,
        (
            p.context(),
            [(tuple(map(int, e)), int(c.p), int(c.q)) for e, c in p.terms()],
        ),
    ),
)


def angle_matrix(sums: Iterable[Joints]) -> Any:
    """Return how often each joint stands in sums of angles, a column for each sum."""
    columns = list(sums)
    joints = sorted({abs(j) for x in columns for j in x if abs(j) < CONSTANT})
    return fmpz_mat([[x.count(j) - x.count(-j) for x in columns] for j in joints])


def _dependent(sums: Sequence[Joints]) -> bool:
    """Return whether some sums of angles, all different, add up to others."""
    count = len(sums)
    if count < 2:
        return False
    joints = {abs(j) for x in sums for j in x}
    return count > sum(j < CONSTANT for j in joints) or angle_matrix(sums).rank() < count


class Ring(Generic[S]):
    """The ring of one set of symbols: sines stand before cosines, so that s² leads s² + c² - 1."""

    def __init__(self, symbols: S):
        self.symbols = symbols
        size = max(1, len(symbols.generators))
        self.ctx, generators = _generators(size)
        self.gens: list[Poly] = list(generators)
        self.zero: Poly = self.ctx.constant(0)
        self.one: Poly = self.ctx.constant(1)
        self._slopes: dict[int, tuple[list[Turning], list[Any]]] = {}
        self._behind: dict[int, list[tuple[int, Poly]]] = {}  # circles that were asked for
        self._tied: dict[int, bool] = {}  # by bits

    @cached_property
    def ranks(self) -> list[tuple[Any, ...]]:
        """The place of each generator in a product: constants, lengths, slides, angles."""
        found = []
        for i, g in enumerate(self.symbols.generators):
            angle, rank = g.kind in ("sin", "cos"), KINDS[g.kind].rank
            found.append((rank, *g.key[1:], g.kind == "cos") if angle else (rank, i))
        return found

    @cached_property
    def _printed(self) -> list[Symbol]:
        return [g.symbol() for g in self.symbols.generators]

    def symbol(self, i: int) -> Symbol:
        """Return generator i as it stands in formulas."""
        return self._printed[i]

    @cached_property
    def circles(self) -> list[tuple[int, int, Poly]]:
        """(sine, cosine, s² + c² - 1) of every angle."""
        out, index, gens = [], self.symbols.index, self.gens
        for i, g in enumerate(self.symbols.generators):
            key = g.key
            if key[0] == "sin" or key[0] == "sinK":
                c = index["cos" if key[0] == "sin" else "cosK", key[1]]
                sine, cosine = gens[i], gens[c]
                out.append((i, c, sine * sine + cosine * cosine - self.one))
        return out

    @cached_property
    def sums(self) -> list[Any]:
        """Angles that are sums or differences of two others, as `condense.sums` yields them."""
        from .condense import sums

        return list(sums(self))

    def poly(self, x: Any) -> Poly:
        """Return a number or polynomial as a polynomial."""
        if x.__class__ is fmpq_mpoly:
            return x
        return self.zero if x.__class__ is int and x == 0 else self.ctx.constant(x)

    def reduced(self, p: Poly, after: int = 0) -> Poly:
        """Return p with every s² as 1 - c²: the same function, unique for independent angles.

        No angle of a joint up to number `after` is in p.
        """
        if not p:
            return p
        circles = self._behind.get(after)
        if circles is None:
            circles = self._behind[after] = self._circles_behind(after)
        # to divide by a few circles takes less time than to ask for all degrees
        if len(circles) > FEW or len(p) > SHORT:
            degrees = p.degrees()
            circles = [x for x in circles if degrees[x[0]] > 1]
        for _, circle in circles:
            p = p % circle
        return p

    def _circles_behind(self, joint: int) -> list[tuple[int, Poly]]:
        """Return (sine, s² + c² - 1) of the angles in which no joint up to a number is."""
        pairs = zip(self.circles, self._firsts, strict=True)
        return [(i, circle) for (i, _, circle), first in pairs if first > joint]

    @cached_property
    def _firsts(self) -> list[int]:
        """The least number of a joint in the angle of each circle, very large for constants."""
        keys = [self.symbols.generators[i].key for i, _, _ in self.circles]
        return [min(map(abs, key[1])) if key[0] == "sin" else CONSTANT for key in keys]

    def slope(self: Ring[Any], p: Poly, k: int) -> Poly:
        """Return dp/dq_k (k from 0), not reduced."""
        return self._slope(p, k, False)

    def reduced_slope(
        self: Ring[Any], p: Poly, k: int, after: int = 0, met: dict[int, Poly | None] | None = None
    ) -> Poly:
        """Return dp/dq_k of a reduced p, reduced.

        No angle of a joint up to number `after` is in p; `met` keeps its slopes by single angles.
        """
        return self._slope(p, k, True, after, met)

    def _slope(
        self: Ring[Any], p: Poly, k: int, reduce: bool, after: int = 0, met: Any = None
    ) -> Poly:
        turns, rest = self._along(k)
        out = None
        # what p does not hold is left out; a few slopes take less time than all degrees
        degrees = p.degrees() if len(turns) > FEW or len(p) > SHORT else None
        for turn in turns:
            if turn[5] > after and (degrees is None or degrees[turn[0]] or degrees[turn[1]]):
                made = self._turned(p, turn, reduce, met)
                if made is not None:
                    out = made if out is None else out + made
        for i, x in rest:
            if degrees is None or degrees[i]:
                by = p.derivative(i)
                if by:
                    out = by * x if out is None else out + by * x
        if out is None:
            return self.zero
        return self.reduced(out) if reduce and rest else out

    def _turned(self, p: Poly, turn: Turning, reduce: bool, met: Any) -> Poly | None:
        """Return the part of a slope that one angle gives, None for none."""
        s, c, by_s, by_c, circle, _ = turn
        own = met is not None and by_s is self.gens[c]  # the rate of the angle is one
        if own and s in met:
            return met[s]
        with_s, with_c = p.derivative(s), p.derivative(c)
        made = with_s * by_s if with_s else None
        if with_c:
            made = with_c * by_c if made is None else made + with_c * by_c
            # only where a sine stood beside its cosine is it squared now
            if reduce and with_s and with_s.derivative(c):
                made = made % circle
        if own:
            met[s] = made
        return made

    def _along(self: Ring[Any], k: int) -> tuple[list[Turning], list[Any]]:
        """Return what changes with q_k: angles, and the rest with its slope."""
        if k not in self._slopes:
            found = self.symbols.slope(k, self.gens, rational)
            turns = [
                (s, c, self.poly(found.pop(s)), self.poly(found.pop(c)), circle, first)
                for (s, c, circle), first in zip(self.circles, self._firsts, strict=True)
                if s in found
            ]
            self._slopes[k] = turns, [(i, self.poly(x)) for i, x in found.items()]
        return self._slopes[k]

    @cached_property
    def _knots(self) -> list[tuple[Joints, int, int]]:
        """The sums of angles that others may add up to, with sine and cosine."""
        generators = self.symbols.generators
        keys = [(generators[s].key, s, c) for s, c, _ in self.circles]
        sums = [(key[1], s, c) for key, s, c in keys if key[0] == "sin"]
        while True:
            # nothing adds up to a sum whose joint is in no other
            met: dict[int, int] = {}
            for x, _, _ in sums:
                for j in set(map(abs, x)):
                    met[j] = met.get(j, 0) + (j < CONSTANT)
            left = [x for x in sums if 1 not in [met[abs(j)] for j in x[0]]]
            if len(left) == len(sums):
                return left
            sums = left

    def entangled(self, p: Poly) -> bool:
        """Return whether angle sums in p depend on each other: S3, S34 and S4."""
        return self.tied(self.knots(p))

    def knots(self, p: Poly, met: Mapping[int, Poly | None] = NONE) -> int:
        """Return which sums of angles are in p, of those that others add up to: bits.

        `met` are slopes of p by single angles, as `reduced_slope` keeps them.
        """
        knots = self._knots
        if len(knots) > FEW or len(p) > SHORT:
            degrees = p.degrees()
            return sum(1 << n for n, (_, s, c) in enumerate(knots) if degrees[s] or degrees[c])
        found, by = 0, p.derivative
        for n, (_, s, c) in enumerate(knots):
            if (met[s] is not None) if s in met else (by(s) or by(c)):
                found |= 1 << n
        return found

    def tied(self, bits: int) -> bool:
        """Return whether sums of angles, by their bits, depend on each other."""
        found = self._tied.get(bits)
        if found is None:
            sums = [x for n, (x, _, _) in enumerate(self._knots) if bits >> n & 1]
            found = self._tied[bits] = _dependent(sums)
        return found

    @cached_property
    def last_tangle(self) -> int:
        """The last joint number behind which sums of angles depend on each other; 0 for none."""
        starts = {x: min(map(abs, x)) for x, _, _ in self._knots}
        for start in sorted(set(starts.values()), reverse=True):
            if _dependent([x for x, first in starts.items() if first >= start]):
                return start - 1
        return 0

    def terms(self, p: Poly) -> list[Term]:
        """Return the terms of p, each a fraction and a monomial."""
        out: list[Term] = []
        for exponents, c in p.terms():
            monomial = tuple([(i, int(e)) for i, e in enumerate(exponents) if e])
            out.append((Fraction(int(c.p), int(c.q)), monomial))
        return out

    def sum(self, terms: Iterable[Term]) -> Poly:
        """Return the polynomial of terms."""
        data: dict[tuple[int, ...], Any] = {}
        size = len(self.gens)
        for c, monomial in terms:
            exponents = [0] * size
            for i, e in monomial:
                exponents[i] = e
            key = tuple(exponents)
            data[key] = data.get(key, fmpq(0)) + rational(c)
        return self.ctx.from_dict({k: v for k, v in data.items() if v})

    def evaluate(self, p: Poly, values: Sequence[Any]) -> Any:
        """Return p at floats or arrays, one for each generator."""
        import numpy as np

        if not len(p):
            return 0.0
        coefficients = np.array([int(c.p) / int(c.q) for c in p.coeffs()])
        exponents = np.array(p.monoms(), dtype=np.int64)
        used = np.flatnonzero(exponents.any(axis=0))
        out: Any = coefficients
        for i in map(int, used):
            value: Any = np.asarray(values[i], dtype=float)
            powers = value[..., None] ** np.arange(exponents[:, i].max() + 1)
            out = out * powers[..., exponents[:, i]]
        return np.sum(out, axis=-1) if np.ndim(out) else out
