"""Exact polynomials in the symbols of a mechanism (python-flint), their slopes and reductions."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Sequence
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


class Ring(Generic[S]):
    """The ring of one set of symbols: sines stand before cosines, so that s² leads s² + c² - 1."""

    def __init__(self, symbols: S):
        self.symbols = symbols
        size = max(1, len(symbols.generators))
        self.ctx, generators = _generators(size)
        self.gens: list[Poly] = list(generators)
        self.zero: Poly = self.ctx.constant(0)
        self.one: Poly = self.ctx.constant(1)
        self._slopes: dict[int, tuple[list[Any], list[Any]]] = {}

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
        out = []
        for i, g in enumerate(self.symbols.generators):
            if g.key[0] in ("sin", "sinK"):
                c = self.symbols.index["cos" + g.key[0][3:], g.key[1]]
                sine, cosine = self.gens[i], self.gens[c]
                out.append((i, c, sine**2 + cosine**2 - 1))
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
        # to divide by a few circles takes less time than to ask for all degrees
        degrees = p.degrees() if len(self.circles) > FEW or len(p) > SHORT else None
        first = self._first
        for s, _, circle in self.circles:
            if first[s] > after and (degrees is None or degrees[s] > 1):
                p = p % circle
        return p

    @cached_property
    def _first(self) -> dict[int, int]:
        """The least number of a joint in the angle of each sine, very large for constants."""
        keys = ((i, self.symbols.generators[i].key) for i, _, _ in self.circles)
        return {i: min(map(abs, key[1])) if key[0] == "sin" else CONSTANT for i, key in keys}

    def slope(self: Ring[Any], p: Poly, k: int) -> Poly:
        """Return dp/dq_k (k from 0), not reduced."""
        return self._slope(p, k, False)

    def reduced_slope(self: Ring[Any], p: Poly, k: int) -> Poly:
        """Return dp/dq_k of a reduced p, reduced."""
        return self._slope(p, k, True)

    def _slope(self: Ring[Any], p: Poly, k: int, reduce: bool) -> Poly:
        turns, rest = self._along(k)
        out = None
        # what p does not hold is left out; a few slopes take less time than all degrees
        degrees = p.degrees() if len(turns) > FEW or len(p) > SHORT else None
        for s, c, by_s, by_c, circle in turns:
            if degrees is None or degrees[s] or degrees[c]:
                with_s, with_c = p.derivative(s), p.derivative(c)
                made = with_s * by_s if with_s else None
                if with_c:
                    made = with_c * by_c if made is None else made + with_c * by_c
                    # only where a sine stood beside its cosine is it squared now
                    if reduce and with_s and with_s.derivative(c):
                        made = made % circle
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

    def _along(self: Ring[Any], k: int) -> tuple[list[Any], list[Any]]:
        """Return what changes with q_k: angles (sine, cosine, their slopes, circle), the rest."""
        if k not in self._slopes:
            found = self.symbols.slope(k, self.gens, rational)
            turns = [
                (s, c, self.poly(found.pop(s)), self.poly(found.pop(c)), circle)
                for s, c, circle in self.circles
                if s in found
            ]
            self._slopes[k] = turns, [(i, self.poly(x)) for i, x in found.items()]
        return self._slopes[k]

    @cached_property
    def _knots(self) -> list[tuple[Joints, int, int]]:
        """The sums of angles that others add up to, with sine and cosine."""
        index = self.symbols.index
        sums = [g.key[1] for g in self.symbols.generators if g.key[0] == "sin"]
        shared = {j if j > 0 else -j for x in sums if len(x) > 1 for j in x}
        sums = [x for x in sums if not shared.isdisjoint(map(abs, x))]
        if not sums:
            return []
        relations, count = angle_matrix(sums).nullspace()
        tied = [x for x, row in zip(sums, relations.tolist(), strict=True) if any(row[:count])]
        return [(x, index["sin", x], index["cos", x]) for x in tied]

    @cached_property
    def _tied(self) -> dict[int, bool]:
        return {}

    def entangled(self, p: Poly) -> bool:
        """Return whether angle sums in p depend on each other: S3, S34 and S4."""
        return self.tied(self.knots(p))

    def knots(self, p: Poly) -> int:
        """Return which sums of angles are in p, of those that others add up to: bits."""
        knots = self._knots
        if len(knots) > FEW or len(p) > SHORT:
            degrees = p.degrees()
            return sum(1 << n for n, (_, s, c) in enumerate(knots) if degrees[s] or degrees[c])
        found, by = 0, p.derivative
        for n, (_, s, c) in enumerate(knots):
            if by(s) or by(c):
                found |= 1 << n
        return found

    def tied(self, bits: int) -> bool:
        """Return whether sums of angles, by their bits, depend on each other."""
        found = self._tied.get(bits)
        if found is None:
            sums = [x for n, (x, _, _) in enumerate(self._knots) if bits >> n & 1]
            found = self._tied[bits] = len(sums) > 1 and angle_matrix(sums).rank() < len(sums)
        return found

    @cached_property
    def last_tangle(self) -> int:
        """The last joint number behind which sums of angles depend on each other; 0 for none."""
        starts = [min(map(abs, x)) for x, _, _ in self._knots]
        tied = (
            k
            for k in range(max(starts, default=0), 0, -1)
            if self.tied(sum(1 << n for n, start in enumerate(starts) if start > k))
        )
        return next(tied, 0)

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
