"""Exact polynomials in the symbols of a mechanism (python-flint), their slopes and reductions."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeVar

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from ..expr.formula import Symbol
from .angles import CONSTANT
from .generator import Symbols
from .kinds import KINDS

FEW = 6  # generators
Poly = Any  # fmpq_mpoly; flint has no type hints
Monomial = tuple[tuple[int, int], ...]  # (generator, power), in order of the generators
Term = tuple[Fraction, Monomial]
S = TypeVar("S", bound=Symbols)


def rational(x: Any) -> Any:
    """Return an exact number as flint's."""
    return fmpq(*Fraction(x).as_integer_ratio())


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


class Ring(Generic[S]):
    """The ring of one set of symbols: sines stand before cosines, so that s² leads s² + c² - 1."""

    def __init__(self, symbols: S):
        self.symbols = symbols
        size = max(1, len(symbols.generators))
        self.ctx = fmpq_mpoly_ctx.get(tuple(f"x{i}" for i in range(size)), Ordering.lex)
        self.gens: list[Poly] = [self.ctx.gen(i) for i in range(size)]
        self.zero: Poly = self.ctx.constant(0)
        self.one: Poly = self.ctx.constant(1)
        self._slopes: dict[int, dict[int, Poly]] = {}

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
                out.append((i, c, self.gens[i] ** 2 + self.gens[c] ** 2 - 1))
        return out

    @cached_property
    def sums(self) -> list[Any]:
        """Angles that are sums or differences of two others, as `condense.sums` yields them."""
        from .condense import sums

        return list(sums(self))

    def poly(self, x: Any) -> Poly:
        """Return a number or polynomial as a polynomial."""
        return x if isinstance(x, fmpq_mpoly) else self.ctx.constant(x)

    def reduced(self, p: Poly) -> Poly:
        """Return p with every s² as 1 - c²: the same function, unique for independent angles."""
        if not p:
            return p
        degrees = p.degrees()
        for s, _, circle in self.circles:
            if degrees[s] > 1:
                p = divmod(p, circle)[1]
        return p

    def slope(self: Ring[Any], p: Poly, k: int) -> Poly:
        """Return dp/dq_k (k from 0), not reduced."""
        if k not in self._slopes:
            slopes = self.symbols.slope(k, self.gens, rational)
            self._slopes[k] = {i: self.poly(x) for i, x in slopes.items()}
        along, out = self._slopes[k], self.zero
        # what p does not hold is left out; a few slopes take less time than all degrees
        degrees = p.degrees() if len(along) > FEW else None
        for i, x in along.items():
            if degrees is None or degrees[i]:
                by = p.derivative(i)
                if by:
                    out = out + by * x if out else by * x
        return out

    def reduced_slope(self: Ring[Any], p: Poly, k: int) -> Poly:
        """Return dp/dq_k of a reduced p, reduced: only sines of q_k can have become squares."""
        out = self.slope(p, k)
        if self.symbols.slides[k] or len(out) > 100:  # looking at the degrees pays
            return self.reduced(out)
        for s, _, circle in self.circles:
            if s in self._slopes[k] and len(out):
                out = out % circle
        return out

    @cached_property
    def _angles(self) -> list[tuple[int, tuple[int, ...]]]:
        """(sine or cosine, the sum of angles it is of)."""
        found = enumerate(self.symbols.generators)
        return [(i, g.key[1]) for i, g in found if g.key[0] in ("sin", "cos")]

    @cached_property
    def _several(self) -> list[int]:
        """The sines and cosines of sums of several angles; all where there are many."""
        several = [i for i, joints in self._angles if len(joints) > 1]
        return several if len(several) <= FEW else [i for i, _ in self._angles]

    @cached_property
    def _summed(self) -> bool:
        """Whether any angle is a sum of several."""
        return any(len(joints) > 1 for _, joints in self._angles)

    def entangled(self, p: Poly) -> bool:
        """Return whether the angle sums in p depend on each other."""
        if not self._summed or not any(p.derivative(i) for i in self._several):
            return False
        degrees = p.degrees()
        sums = {joints for i, joints in self._angles if degrees[i]}
        return len(sums) > len({abs(j) for joints in sums for j in joints if abs(j) < CONSTANT})

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
