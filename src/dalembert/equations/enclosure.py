"""What stands in front of sines and slides, as intervals of flint that hold it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..algebra import Vec3
from ..algorithms.augmented_body import AugmentedBody, augmented_bodies
from ..expr.exact import exact
from .angles import CONSTANT
from .interval import Interval, interval
from .ring import Monomial

if TYPE_CHECKING:
    from .derive import Equations

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
        self.bodies: list[AugmentedBody] = augmented_bodies(m)
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
            kind, *key = self.symbols.generators[i].key
            self._constant[i] = self._fixed(kind, key)
        return self._constant[i]

    def moves(self, i: int) -> bool:
        """Return whether a generator changes with the posture."""
        kind, *key = self.symbols.generators[i].key
        return kind in ("sin", "cos", "q") or (kind in "VJ" and self.symbols.slides[key[0]])

    def grown(self, i: int) -> dict[Monomial, Interval]:
        """Return a reported constant of a slide as a polynomial of its coordinate."""
        kind, j, *place = self.symbols.generators[i].key
        body, q = self.bodies[j], self.symbols.index["q", j + 1]
        if kind == "V":
            parts = [V[place[0]] for V in (body.V, body.V_q)]
        else:
            parts = [W[place[0], place[1]] for W in (body.J, body.W_q, body.W_qq)]
        return {((q, e),) if e else (): self.number(x) for e, x in enumerate(parts)}

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
