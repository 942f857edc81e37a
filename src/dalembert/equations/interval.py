"""Numbers and expressions as intervals of flint, rounded outward."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from ..algorithms.augmented_body import augmented_bodies
from ..errors import UsageError
from ..expr import OPS, Expr
from ..expr.arena import Rows
from ..expr.exact import exact
from .angles import CONSTANT
from .kinds import Point
from .ring import Monomial

if TYPE_CHECKING:
    from .closed_form import Equations

Interval = Any  # flint.arb


def _product(x: Interval, y: Interval) -> Interval:
    return x * y if x is not y else abs(x) * abs(x)  # a square is not negative


# an interval knows most functions itself; what compares two of them has no bounds
_OPS = {
    name: op.evaluate
    for name, op in OPS.items()
    if not op.exact and (not op.numpy or hasattr(arb, name))
}
_OPS |= {"mul": _product, "absolute": abs, "atan2": arb.atan2}


def hull(a: float, b: float) -> Interval:
    """Return an interval that holds both ends."""
    return arb(a).union(arb(b))


def interval(x: Any, parameters: Mapping[str, Interval] | None = None) -> Interval:
    """Return an interval that holds a number, or an expression for all values of its parameters."""
    if isinstance(x, float):
        return arb(x)
    if not isinstance(x, Expr):
        return arb(fmpq(*x.as_integer_ratio()))

    def unbounded(i: int, values: list[Interval]) -> Interval:
        raise UsageError(
            f"a number of the model uses {x.graph.op[i]}, which has no bounds here",
            hint="give it as a number: m.with_values(...)",
            command="give it as a number: --set NAME=...",
        )

    leaf: Rows = {"const": interval, "pi": arb.pi, "param": lambda name: (parameters or {})[name]}
    return x.graph.fold([x.id], leaf, _OPS, unbounded)[x.id]


# -- what stands in front of sines and slides, as intervals that hold it --------------------------


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
