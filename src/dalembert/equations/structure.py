"""Which coefficients are zero, constant or equal, found before any of them is expanded.

Every generator gets a random value of a finite field (sines and cosines on the unit circle), twice;
the sums of section 3 and their slopes are then plain arithmetic. A polynomial that is not zero is
zero at such a point with a probability below 1e-15.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import nmod

from ..algebra import Vec3
from ..algorithms.augmented_body import centrifugal, coriolis
from ..algorithms.condensed import Condensed
from ..algorithms.dual import Dual, parts
from ..display import lines_html
from .angles import CONSTANT, rotated
from .symbols import TreeSymbols

PRIME = 2**61 - 1
Place = tuple[int, ...]


def residue(x: Any) -> Any:
    """Return a fraction in the field."""
    up, down = x.as_integer_ratio()
    return nmod(up % PRIME, PRIME) / nmod(down % PRIME, PRIME)


def coefficient(sums: Condensed, slope: Any, kind: str, place: Place) -> Any:
    """Return a coefficient over the scalars of the sums; `slope(i, j, k)` is ∂A_ij/∂q_k."""
    i, *rest = (x - 1 for x in place)
    if kind == "Q":
        return sums.Q(i)
    if kind == "A":
        return sums.A(i, rest[0]) if rest[0] in sums.beyond[i] else 0
    return coriolis(slope, i, *rest) if kind == "B" else centrifugal(slope, i, *rest)


class Probe:
    """All coefficients at one random point of the field."""

    def __init__(self, symbols: TreeSymbols, seed: int):
        self.symbols = symbols
        self.values = self._point(random.Random(seed), random.Random(0))
        self.sums = symbols.condensed(self.values, residue)
        self._slopes: dict[int, Condensed] = {}
        self._made: dict[tuple[str, Place], int] = {}

    def _point(self, moving: random.Random, fixed: random.Random) -> list[Any]:
        """Return a value for each generator; constants have the same one at every point."""
        pairs = {(j + 1,): _circle(moving) for j in range(self.symbols.n)}
        constants = {k: _circle(fixed) for k in range(1, len(self.symbols.constants) + 1)}
        for k, (c, s) in self.symbols.numeric.items():
            constants[k] = (residue(c), residue(s))
        pairs |= {(k + CONSTANT,): pair for k, pair in constants.items()}
        values: list[Any] = []
        for i, g in enumerate(self.symbols.generators):
            kind, *key = g.key
            if kind in ("sin", "cos"):
                pair = (nmod(1, PRIME), nmod(0, PRIME))
                for j in key[0]:
                    c, s = pairs[(abs(j),)]
                    pair = rotated(pair, (c, s if j > 0 else -s))
                values.append(pair[kind == "sin"])
            elif kind in ("sinK", "cosK"):
                values.append(constants[key[0]][kind == "sinK"])
            else:
                source = moving if self.symbols.moving[i] else fixed
                values.append(nmod(source.randrange(PRIME), PRIME))
        return values

    def at(self, kind: str, place: Place) -> int:
        """Return a coefficient at this point."""
        key = (kind, place)
        if key not in self._made:
            self._made[key] = int(coefficient(self.sums, self.slope, kind, place)) % PRIME
        return self._made[key]

    def slope(self, i: int, j: int, k: int) -> Any:
        """Return ∂A_ij/∂q_k, i <= j, indices from 0."""
        if not self.sums.depends(i, j, k):
            return nmod(0, PRIME)
        if k not in self._slopes:
            slopes = self.symbols.slope(k, self.values, residue)
            values = [Dual(x, slopes.get(i, 0)) for i, x in enumerate(self.values)]
            self._slopes[k] = Condensed(self.symbols.links(values, residue), Vec3.zero())
        return parts(self._slopes[k].A(i, j))[1] + nmod(0, PRIME)


def _circle(source: random.Random) -> tuple[Any, Any]:
    """Return a point of the unit circle of the field."""
    t = nmod(source.randrange(1, PRIME), PRIME)
    norm = 1 / (1 + t * t)
    return (1 - t * t) * norm, 2 * t * norm


@dataclass(frozen=True, slots=True)
class Summary:
    """Names of the coefficients that are zero or constant, and groups of equal ones."""

    zero: dict[str, tuple[str, ...]]
    constant: dict[str, tuple[str, ...]]
    equal: tuple[tuple[str, ...], ...]
    nonzero: dict[str, tuple[int, int]]  # kind -> (not zero, all)

    def __str__(self) -> str:
        lines = [f"{k}: {some} of {every} not zero" for k, (some, every) in self.nonzero.items()]
        lines += [f"zero {k}: {' '.join(names)}" for k, names in self.zero.items() if names]
        lines += [f"constant {k}: {' '.join(names)}" for k, names in self.constant.items() if names]
        lines += ["equal: " + " = ".join(group) for group in self.equal]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return lines_html(str(self))


class Structure:
    """The structure of the equations over one set of symbols."""

    def __init__(self, symbols: TreeSymbols):
        self.symbols = symbols

    @cached_property
    def probes(self) -> Sequence[Probe]:
        """Two random postures at which coefficients are tried."""
        return [Probe(self.symbols, seed) for seed in (1, 2)]

    def kind_of(self, kind: str, place: Place) -> str:
        """Return "zero", "constant" or ""."""
        first = self.probes[0].at(kind, place)
        if first == 0:
            return "zero"
        return "constant" if first == self.probes[1].at(kind, place) else ""

    def summary(self, eq: Any) -> Summary:
        """Return the structure of all coefficients of the equations."""
        zero: dict[str, tuple[str, ...]] = {}
        constant: dict[str, tuple[str, ...]] = {}
        counts: dict[str, tuple[int, int]] = {}
        groups: dict[tuple[str, int], list[str]] = {}
        for kind in "QABC":
            entries = list(getattr(eq, kind))
            kinds = {e.name: self._kind(eq, e) for e in entries}
            zero[kind] = tuple(n for n, k in kinds.items() if k == "zero")
            constant[kind] = tuple(n for n, k in kinds.items() if k == "constant")
            counts[kind] = (len(entries) - len(zero[kind]), len(entries))
            for e in entries:
                if kinds[e.name] == "":
                    value = self.probes[0].at(kind, e.place)
                    groups.setdefault((kind, value), []).append(e.name)
        equal = tuple(tuple(g) for g in groups.values() if len(g) > 1)
        return Summary(zero, constant, equal, counts)

    def _kind(self, eq: Any, entry: Any) -> str:
        if (entry.kind, entry.place) in eq.changed or entry.kind in eq.absent:
            return "zero" if entry.is_zero() else ""
        if entry.kind == "A" and entry.place[0] - 1 in eq._rotors and len(set(entry.place)) == 1:
            return "" if self.kind_of("A", entry.place) == "" else "constant"
        return self.kind_of(entry.kind, entry.place)
