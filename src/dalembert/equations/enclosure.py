"""Enclosures of coefficients over a box of postures: intervals of flint, rounded outward."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from ..algebra import Vec3
from ..algorithms.augmented_body import AugmentedBody, augmented_bodies
from ..expr.exact import exact
from .interval import Interval, hull, interval
from .ring import Monomial, Term

if TYPE_CHECKING:
    from .derive import Equations

Range = tuple[float, float]
Variable = tuple[Any, ...]  # the joints of an angle sum, or ("q", joint)
TURN = math.nextafter(math.pi, 4.0)  # a little more than half a turn
Grouped = tuple[Interval, Monomial]  # a constant times what moves


class Enclosure:
    """The generators of some equations as intervals; parameters are the exact decimals given.

    Parameters with a range are intervals that hold all of it.
    """

    def __init__(
        self,
        eq: Equations,
        values: Mapping[str, float],
        ranges: Mapping[str, Range] | None = None,
    ):
        self.symbols = eq.ring.symbols
        names = {p.name for p in eq.mechanism.parameters}
        known = {
            k: exact(v)
            for k, v in {**eq.mechanism.values, **values}.items()
            if k in names and k not in (ranges or {})
        }
        self.parameters = {k: interval(v) for k, v in known.items()}
        self.parameters |= {
            k: interval(exact(a)).union(interval(exact(b))) for k, (a, b) in (ranges or {}).items()
        }
        m = eq.mechanism.with_values(known) if known else eq.mechanism
        self.bodies: list[AugmentedBody] = augmented_bodies(m)
        self._constant: dict[int, Interval] = {}

    def number(self, x: Any) -> Interval:
        """Return an interval that holds a number or an expression over the parameters' ranges."""
        return interval(x, self.parameters)

    def variables(self, q: Sequence[Range], used: Sequence[int]) -> dict[Variable, Range]:
        """Return the angle sums and slides that generators depend on, with their ranges.

        Each sum counts as a variable of its own: a larger set than the postures, so a bound over it
        holds for them. A range of more than a turn is a turn.
        """
        out: dict[Variable, Range] = {}
        for i in used:
            kind, *key = self.symbols.generators[i].key
            if kind in ("sin", "cos"):
                low = sum(q[j - 1][0] if j > 0 else -q[-j - 1][1] for j in key[0])
                high = sum(q[j - 1][1] if j > 0 else -q[-j - 1][0] for j in key[0])
                slack = 1e-14 * (1 + abs(low) + abs(high))
                wide = high - low > 2 * math.pi
                out[key[0]] = (-TURN, TURN) if wide else (low - slack, high + slack)
            elif self.moves(i):
                j = key[0] if kind == "q" else key[0] + 1
                out["q", j] = q[j - 1]
        return out

    def at(self, ranges: Mapping[Variable, Range], used: Sequence[int]) -> dict[int, Interval]:
        """Return the interval of each used generator over ranges of the variables."""
        out = {}
        for i in used:
            kind, *key = self.symbols.generators[i].key
            if kind in ("sin", "cos"):
                angle = hull(*ranges[key[0]])
                out[i] = angle.sin() if kind == "sin" else angle.cos()
            elif kind == "q":
                out[i] = hull(*ranges["q", key[0]])
            elif kind in "VJ" and self.symbols.slides[key[0]]:
                out[i] = self._sliding(kind, key, hull(*ranges["q", key[0] + 1]))
            else:
                if i not in self._constant:
                    self._constant[i] = self._fixed(kind, key)
                out[i] = self._constant[i]
        return out

    def grouped(self, terms: Sequence[Term]) -> list[Grouped]:
        """Return terms that move alike as one, (JX6 - JY6)*C5, the constant an interval."""
        out: dict[Monomial, Interval] = {}
        for c, monomial in terms:
            x, movement = arb(fmpq(c.numerator, c.denominator)), []
            for i, e in monomial:
                if self.moves(i):
                    movement.append((i, e))
                    continue
                for _ in range(e):
                    x = x * self.at({}, (i,))[i]
            key = tuple(movement)
            out[key] = out[key] + x if key in out else x
        return [(x, key) for key, x in out.items()]

    def moves(self, i: int) -> bool:
        """Return whether a generator changes with the posture."""
        kind, *key = self.symbols.generators[i].key
        return kind in ("sin", "cos", "q") or (kind in "VJ" and self.symbols.slides[key[0]])

    def _sliding(self, kind: str, key: Sequence[int], q: Interval) -> Interval:
        body = self.bodies[key[0]]
        if kind == "V":
            return self.number(body.V[key[1]]) + self.number(body.V_q[key[1]]) * q
        a, b = key[1:]
        parts = [self.number(W[a, b]) for W in (body.J, body.W_q, body.W_qq)]
        return parts[0] + (parts[1] + parts[2] * q) * q

    def _fixed(self, kind: str, key: Sequence[Any]) -> Interval:
        if kind in ("sinK", "cosK"):
            angle = self.number(self.symbols.constants[key[0] - 1])
            return angle.sin() if kind == "sinK" else angle.cos()
        if kind == "M":
            return self.number(self.bodies[key[0]].M)
        if kind == "p":
            return self.parameters[key[0]]
        if kind == "other":
            return self.number(self.symbols.others[key[0]])
        body = self.bodies[key[0]]
        V: Vec3 = body.V
        return self.number(V[key[1]] if kind == "V" else body.J[key[1], key[2]])


def enclosed(terms: Sequence[Grouped], at: Mapping[int, Interval]) -> Interval:
    """Return an interval that holds a polynomial."""
    total = arb(0)
    for c, movement in terms:
        x = c
        for i, e in movement:
            # arb ** int may be nan where the interval holds zero
            y = abs(at[i]) if e % 2 == 0 else at[i]
            for _ in range(e):
                x = x * y
        total += x
    return total


def most(x: Interval) -> float:
    """Return a float not below the absolute value of anything in an interval."""
    top = float(x.abs_upper())
    return math.inf if math.isnan(top) else math.nextafter(top, math.inf)
