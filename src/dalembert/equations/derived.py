"""The coefficients Q, A, B, C of a tree, each derived when it is first asked for.

Liégeois and Aldon, INRIA RR 32 (1980): the sums of section 3 over exact polynomials, B and C by
derivation with the zero rules (3-17 bis), (3-18), errata E0.15-E0.19.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, ClassVar, Literal, Self

from ..algebra import is_plain_zero
from ..algorithms.augmented_body import centrifugal, coriolis
from ..algorithms.condensed import Condensed
from ..algorithms.drives import rotor_inertia
from ..mechanism import Mechanism
from .entry import Kind, Place
from .ring import Poly, Ring, rational
from .size import LIMIT, check
from .symbols import TreeSymbols

Key = tuple[Kind, Place]
KINDS: tuple[Kind, ...] = ("Q", "A", "B", "C")
KEPT = 2000  # terms of a coefficient whose slopes are kept
NEGLECT = {
    "velocity": {"B", "C"},
    "coriolis": {"B"},
    "centrifugal": {"C"},
    "gravity": {"Q"},
}


def made(kind: Any = dict) -> Any:
    """Return a field that every set of equations fills anew."""
    return field(default_factory=kind, init=False, repr=False, compare=False)


@dataclass(frozen=True, repr=False)
class Derived:
    """The coefficients as polynomials: as the sums give them, or with every s² as 1 - c²."""

    mechanism: Mechanism
    ring: Ring[TreeSymbols] = field(repr=False)
    sign: Literal["section3", "section2"] = "section3"
    neglected: tuple[str, ...] = ()
    changed: Mapping[Key, Poly] = field(default_factory=dict, repr=False)  # by drop and prune
    limit: int = LIMIT
    # what was made so far: of the sums, with s² as 1 - c², condensed, slopes of A, angles in A
    _raw: dict[Key, Poly] = made()
    _short: dict[Key, Poly] = made()
    shortest: dict[Key, Poly] = made()
    _slopes: dict[Any, Poly] = made()
    _turning: dict[tuple[int, int], dict[int, Poly | None]] = made()  # slopes by single angles
    _tangled: dict[tuple[int, int, bool], int] = made()
    _large: list[tuple[int, int, int]] = made(list)  # slopes that were met and not reduced
    _allowed: list[str] = made(list)  # kinds whose predicted size was found bearable
    reduces_slopes: ClassVar[bool] = True  # B and C come from slopes with every s² as 1 - c²

    @property
    def n(self) -> int:
        """The number of degrees of freedom."""
        return len(self.mechanism.bodies)

    @cached_property
    def condensed(self) -> Condensed:
        """The sums of section 3 over the ring."""
        return self.ring.symbols.condensed(self.ring.gens, rational)

    def places(self, kind: Kind) -> Iterator[Place]:
        """Return the indices of one kind: A with i <= j, B with j < k.

        >>> import dalembert as da
        >>> list(da.equations(da.robots.planar2r()).places("A"))
        [(1, 1), (1, 2), (2, 2)]
        """
        return iter(_places(kind, self.n))

    def raw(self, kind: Kind, place: Place) -> Poly:
        """Return a coefficient as the sums of section 3 give it.

        No s² + c² is taken together, but for what round bodies given as numbers leave of it.
        """
        key = (kind, place)
        if key in self.changed:
            return self.changed[key]
        if key not in self._raw:
            made = self._derived(kind, place, True)
            if kind == "A" and self.ring.symbols.repeated:
                from .condense import shortened

                made = shortened(self.ring, made)
            self._raw[key] = made
        return self._raw[key]

    def poly(self, kind: Kind, place: Place) -> Poly:
        """Return a coefficient with every s² as 1 - c²."""
        key = (kind, place)
        made = self._short.get(key)
        if made is None:
            if key in self.changed:
                made = self.ring.reduced(self.changed[key])
            elif kind in "QA":
                # a large sum is kept in one form only
                made = self._raw.get(key) or self._derived(kind, place, True)
                # where joints are numbered as the bodies are, A_ij depends on joints after i alone,
                # and a vector on its way to the base, as in Q, turns by each joint once
                own = not self.ring.symbols.follow.rules
                after = 0 if not own else self.n if kind == "Q" else place[0]
                made = self.ring.reduced(made, after)
            else:
                made = self._derived(kind, place, False)
                if self._large or not self.reduces_slopes:
                    made = self.ring.reduced(made)
            self._short[key] = made
        return made

    def _derived(self, kind: Kind, place: Place, raw: bool) -> Poly:
        """Return a coefficient from the sums; B and C of A as it comes, or with s² as 1 - c²."""
        ring, i = self.ring, place[0] - 1
        if self.neglected and kind in self.absent:
            return ring.zero
        if kind not in self._allowed:
            check(ring.symbols, kind, self.limit)
            self._allowed.append(kind)
        if kind == "Q":
            Q = ring.poly(self.condensed.Q(i))
            return Q if self.sign == "section3" else -Q
        if kind == "A":
            c, j = self.condensed, place[1] - 1
            A = ring.poly(c.A(i, j)) if j in c.beyond[i] else ring.zero
            return A + self._rotors[i] if i == j and i in self._rotors else A
        if self.changed or self.neglected:
            return self._whole._derived(kind, place, raw)
        slope = self._raw_slope if raw else self._slope
        if kind == "B":
            made = coriolis(slope, i, place[1] - 1, place[2] - 1)
        else:
            made = centrifugal(slope, i, place[1] - 1)
        if made.__class__ is int:
            return ring.zero
        # C3, C34 and C4 in one sum: it may vanish without looking so
        hides = len(made) > 1 and self._hides(kind, place, made, raw)
        return ring.zero if hides else made

    def _hides(self, kind: Kind, place: Place, p: Poly, raw: bool) -> bool:
        """Whether B or C vanishes although its polynomial, of such A, does not."""
        ring, i, j = self.ring, place[0], place[1]
        low, high = (i, j) if i < j else (j, i)
        if low > ring.last_tangle and not ring.symbols.follow.rules:
            return False
        if kind == "C":
            sums = self._knots(low, j, raw)
        else:
            sums = self._knots(low, high, raw)
            if i != j:
                sums |= self._knots(low, place[2], raw)
        tied = ring.tied(sums) and ring.entangled(p)
        return tied and self.structure_of(kind, place) == "zero"

    def _knots(self, i: int, j: int, raw: bool) -> int:
        """Return the sums of angles of A_ij that others add up to; its slopes have no more."""
        key = (i, j, raw)
        found = self._tangled.get(key)
        if found is None:
            A = (self.raw if raw else self.poly)("A", (i, j))
            met = {} if raw else self._turning.get((i - 1, j - 1), {})
            found = self._tangled[key] = self.ring.knots(A, met)
        return found

    def _slope(self, i: int, j: int, k: int) -> Poly:
        """Return ∂A_ij/∂q_k, indices from 0, with every s² as 1 - c² unless it is large."""
        key = (i, j, k)
        found = self._slopes.get(key)
        if found is None:
            if not self.condensed.depends(i, j, k):
                return 0
            A = self.poly("A", (i + 1, j + 1))
            if len(A) > KEPT:  # neither kept nor reduced: the sums are
                self._large.append(key)
                return self.ring.slope(A, k)
            met = self._turning.get((i, j))
            if met is None:
                met = self._turning[i, j] = {}
            after = 0 if self.ring.symbols.follow.rules else i + 1
            found = self._slopes[key] = self.ring.reduced_slope(A, k, after, met)
        return found

    def _raw_slope(self, i: int, j: int, k: int) -> Poly:
        """Return ∂A_ij/∂q_k as it comes, indices from 0."""
        key = ("raw", i, j, k)
        found = self._slopes.get(key)
        if found is None:
            if not self.condensed.depends(i, j, k):
                return 0
            A = self.raw("A", (i + 1, j + 1))
            found = self.ring.slope(A, k)
            if len(A) <= KEPT:
                self._slopes[key] = found
        return found

    @cached_property
    def _rotors(self) -> dict[int, Poly]:
        s = self.ring.symbols
        found = rotor_inertia(self.mechanism, "inertia")
        return {
            k: self.ring.poly(s.polynomial(x, self.ring.gens, rational))
            for k, x in found.items()
            if not is_plain_zero(x)
        }

    @cached_property
    def _whole(self) -> Self:
        """The equations with nothing neglected, dropped or pruned."""
        return replace(self, changed={}, neglected=())

    @property
    def absent(self) -> set[str]:
        """The kinds of coefficients that are neglected."""
        out: set[str] = set()
        for what in self.neglected:
            out |= NEGLECT[what]
        return out

    def structure_of(self, kind: Kind, place: Place) -> str:
        """Return "zero", "constant" or "" (neither) of a coefficient, without expanding it.

        >>> import dalembert as da
        >>> da.equations(da.robots.planar2r()).structure_of("A", (2, 2))
        'constant'
        """
        return self._structure.kind_of(kind, place)

    @cached_property
    def _structure(self) -> Any:
        from .structure import Structure

        return Structure(self.ring.symbols)


@cache
def _places(kind: Kind, count: int) -> tuple[Place, ...]:
    n = range(1, count + 1)
    if kind == "Q":
        return tuple((i,) for i in n)
    if kind == "A":
        return tuple((i, j) for i in n for j in n if i <= j)
    if kind == "C":
        return tuple((i, j) for i in n for j in n)
    return tuple((i, j, k) for i in n for j in n for k in n if j < k)
