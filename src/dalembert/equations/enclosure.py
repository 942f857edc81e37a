"""What stands in front of sines and slides, as intervals of flint that hold it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..algorithms.augmented_body import augmented_bodies
from ..expr.exact import exact
from .angles import CONSTANT
from .interval import Interval, interval
from .kinds import Point
from .ring import Monomial

if TYPE_CHECKING:
    from .closed_form import Equations

Range = tuple[float, float]


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
        m = self.symbols.m.with_values(known) if known else self.symbols.m
        self.point = Point(self.symbols, augmented_bodies(m), self.number)
        self._constant: dict[int, Interval] = {}

    def number(self, x: Any) -> Interval:
        """Return an interval that holds a number or an expression over the parameters' ranges."""
        return interval(x, self.parameters)

    def angle(self, j: int) -> Range:
        """Return the range of a constant in sums of angles, rounded outward."""
        found = self.number(self.symbols.constants[j - CONSTANT - 1])
        low, high = float(found.lower()), float(found.upper())
        return math.nextafter(low, -math.inf), math.nextafter(high, math.inf)

    def constant(self, i: int) -> Interval:
        """Return the interval of a generator that does not move."""
        if i not in self._constant:
            self._constant[i] = self.point.value(self.symbols.generators[i].key)
        return self._constant[i]

    def grown(self, i: int) -> dict[Monomial, Interval]:
        """Return a reported constant of a slide as a polynomial of its coordinate."""
        key = self.symbols.generators[i].key
        q = self.symbols.index["q", key[1] + 1]
        return {((q, e),) if e else (): x for e, x in enumerate(self.point.powers(key))}
