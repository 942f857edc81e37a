"""Closed forms of a tree in which joints follow others.

q_whole = R q + r with a constant R: Q is R' Q_whole, A is R' A_whole R, and B, C are summed over
all joints that move together, as Christoffel's symbols are; then the coordinates of followers are
written by those of their leaders.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from ..errors import UsageError, shown
from ..mechanism import Mechanism
from .angles import CONSTANT, Angle
from .closed_form import Equations
from .derived import Key
from .entry import Kind, Place
from .follow import Follow
from .frames import rechosen
from .ring import Poly, Ring, rational
from .structure import Structure, residue
from .symbols import TreeSymbols


def folded(m: Mechanism, full: bool, remarks: tuple[str, ...], limit: int) -> FoldedEquations:
    """Return the closed forms of a tree with followers, all joints with one freedom."""
    whole, follow = m.unfolded, Follow.of(m)
    tree = replace(whole, fold=None, checked=True)
    more = [x for _, a, b in follow.rules for x in (a, b)]
    ring = Ring(TreeSymbols(rechosen(tree), full, more, follow))
    inner = Equations(tree, ring, limit=limit)
    return FoldedEquations(m, ring, remarks=(*remarks, *follow.remarks(m)), limit=limit,
                           whole=inner)  # fmt: skip


@dataclass(frozen=True, repr=False)
class FoldedEquations(Equations):
    """Equations of the coordinates that are left; `whole` are those of all joints."""

    whole: Any = None
    reduces_slopes: ClassVar[bool] = False

    @property
    def follow(self) -> Follow:
        """Which joint follows which."""
        return self.ring.symbols.follow

    @property
    def n(self) -> int:
        """The number of degrees of freedom."""
        return self.follow.count

    def _derived(self, kind: Kind, place: Place, raw: bool) -> Poly:
        if kind in self.absent:
            return self.ring.zero
        get = self.whole.raw if raw else self.whole.poly
        made = self.ring.zero
        for key, factor in self._parts(kind, place):
            made += get(*key) * factor
        made = self._by_leaders(made)
        return -made if kind == "Q" and self.sign != "section3" else made

    def _parts(self, kind: Kind, place: Place) -> list[tuple[Key, Poly]]:
        """Return the coefficients of the whole tree that are summed, and what each is times."""
        members = [self.follow.members(k) for k in place]
        if kind == "C":  # all pairs of what moves together
            members = [members[0], members[1], members[1]]
        found: list[tuple[Key, Poly]] = []
        for chosen in product(*members):
            at = tuple(body for body, _ in chosen)
            factor = self.ring.one
            for _, ratio in chosen:
                factor = factor * self._number(ratio)
            if kind == "A":
                found.append((("A", (min(at), max(at))), factor))
            elif kind == "Q":
                found.append((("Q", at), factor))
            elif kind == "B" or at[1] < at[2]:
                found.append((("B", (at[0], min(at[1:]), max(at[1:]))), factor))
            elif at[1] == at[2]:
                found.append((("C", at[:2]), factor))
        return found

    def _number(self, x: Any) -> Poly:
        return self.ring.poly(self.ring.symbols.polynomial(x, self.ring.gens, rational))

    # -- the coordinates of followers --------------------------------------------------------------

    @cached_property
    def _images(self) -> dict[int, Poly]:
        """What stands for the generators of followers, by the coordinates of their leaders."""
        ring, s, follow = self.ring, self.ring.symbols, self.follow
        pairs, out = s.pairs(ring.gens, rational), dict[int, Poly]()
        for i, g in enumerate(s.generators):
            if g.kind == "q" and g.key[1] > follow.count:
                leader, ratio, offset = follow.rules[g.key[1] - follow.count - 1]
                if ("q", leader) in s.index:
                    q = ring.gens[s.index["q", leader]]
                    out[i] = self._number(ratio) * q + self._number(offset)
            elif g.kind in ("sin", "cos") and any(
                follow.count < abs(j) < CONSTANT for j in g.key[1]
            ):
                angle = self._led(g.key[1], pairs)
                if angle is not None:
                    out[i] = ring.poly(angle.sin() if g.kind == "sin" else angle.cos())
        return out

    def _led(self, joints: Any, pairs: Any) -> Angle | None:
        """Return a sum of angles by those of leaders; None where one keeps a symbol of its own."""
        total = Angle(pairs)
        for j in joints:
            one = Angle(pairs, (abs(j),))
            if abs(j) > CONSTANT:
                one = Angle(pairs, (), ((abs(j) - CONSTANT, 1),))
            elif abs(j) > self.follow.count:
                found = self.follow.turns(abs(j))
                if found is None:
                    return None
                leader, ratio, quarters = found
                if ("cos", (leader,)) not in self.ring.symbols.index:
                    return None
                sense = leader if ratio > 0 else -leader
                one = Angle(pairs, (sense,) * abs(ratio), (), quarters)
            total = total + one if j > 0 else total + -one
        return total

    def _by_leaders(self, p: Poly) -> Poly:
        degrees, images = p.degrees(), self._images
        if not any(degrees[i] for i in images):
            return p
        gens = self.ring.gens
        return p.compose(*(images.get(i, x) for i, x in enumerate(gens)), ctx=self.ring.ctx)

    # -- what else depends on the number of bodies -------------------------------------------------

    @cached_property
    def _structure(self) -> Any:
        return FoldedStructure(self)

    @cached_property
    def _rotors(self) -> dict[int, Poly]:
        return {}  # they are in A of the whole tree


def _refused(what: str, hint: str) -> Any:
    def method(self: FoldedEquations, *args: Any, **options: Any) -> Any:
        names = ", ".join(map(shown, self.mechanism.followers[:8]))
        raise UsageError(f"{what} in closed form: {names} follow other joints", hint=hint)

    method.__doc__ = f"Raise: {what} is that of joints with coordinates of their own."
    return method


LOCKED = "lock the joints that follow"
for _what, _hint in {
    "regressor": "da.regressor(m, ...) gives its numbers and kernels",
    "energy_regressor": "da.energy_regressor(m, ...) gives its numbers",
    **dict.fromkeys(("terms", "prune", "prune_curve", "freeze_error"), LOCKED),
}.items():
    setattr(FoldedEquations, _what, _refused(_what, _hint))


class FoldedStructure(Structure):
    """Zero, constant or equal, by the coefficients as they are written."""

    def __init__(self, eq: FoldedEquations):
        super().__init__(eq.ring.symbols)
        self.equations = eq

    @cached_property
    def probes(self) -> Any:
        """Two random postures at which coefficients are tried."""
        return [_Probe(self.equations, p) for p in Structure(self.symbols).probes]


class _Probe:
    """The coefficients of a folded tree at one random point of the field."""

    def __init__(self, eq: FoldedEquations, point: Any):
        self.equations, self.values = eq, point.values

    def at(self, kind: Any, place: Place) -> int:
        """Return a coefficient at this point."""
        total = residue(0)
        for number, monomial in self.equations.ring.terms(self.equations.poly(kind, place)):
            term = residue(number)
            for i, e in monomial:
                term = term * self.values[i] ** e
            total = total + term
        return int(total)
