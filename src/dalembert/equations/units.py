"""What pruning can leave out: terms that move alike, and the largest force each can make.

A unit is what goes together. Of plain equations it is a product of sines with its constant in one
coefficient, (JX6 - JY6)*C5*S6; of passive ones such a product in A (the kinetic energy) or in V
(the potential energy) with all that follows from it in B, C and Q.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..algorithms.augmented_body import centrifugal, coriolis
from ..carried import dot
from .box import Box
from .derived import KINDS
from .entry import Entry, motions
from .force import Motion
from .order import ordered
from .ring import Poly, Term

if TYPE_CHECKING:
    from .closed_form import Equations

Key = tuple[Any, tuple[int, ...]]
Changes = Mapping[Key, Sequence[Term]]


@dataclass(frozen=True, slots=True)
class Unit:
    """Terms that go together, by coefficient, and the largest force they can give each joint."""

    changes: Changes
    force: dict[int, float]
    single: dict[int, float]  # the same of the largest of its terms: JX6*C5*S6


class Sizes:
    """How large terms can be over a box."""

    def __init__(self, eq: Equations, box: Box):
        self.eq, self.box = eq, box
        self.cases = [eq.values(case, [a for a, _ in box.q]) for case in box.cases]

    def alike(self, terms: Sequence[Term]) -> dict[Any, list[Term]]:
        """Return terms in groups that move alike."""
        groups: dict[Any, list[Term]] = {}
        for term in terms:
            groups.setdefault(_movement(self.eq, term), []).append(term)
        return groups

    def unit(self, changes: Changes) -> Unit:
        """Return a unit with its forces."""
        force: dict[int, float] = {}
        single: dict[int, float] = {}
        for (kind, place), terms in changes.items():
            entry = Entry(self.eq, kind, place)
            for movement, group in self.alike(terms).items():
                sizes = [[float(c) * _constant(m, movement, values) for c, m in group]
                         for values in self.cases]  # fmt: skip
                whole = max(abs(sum(each)) for each in sizes) * (1 + 1e-9)
                large = max(abs(x) for each in sizes for x in each)
                for j, size in self.box.bound(self.eq, entry, (Fraction(1), movement)).items():
                    force[j] = force.get(j, 0.0) + size * whole
                    single[j] = max(single.get(j, 0.0), size * large)
        return Unit(changes, force, single)


def plain(eq: Equations, box: Box) -> list[Unit]:
    """Return the units of all coefficients, every s² as 1 - c²."""
    sizes = Sizes(eq, box)
    return [
        sizes.unit({(kind, place): group})
        for kind in KINDS
        for place in eq.places(kind)
        for group in sizes.alike(ordered(eq.ring, eq.poly(kind, place))).values()
    ]


def _movement(eq: Equations, term: Term) -> tuple[tuple[int, int], ...]:
    """Return the factors of a term that change with the posture."""
    moving = eq.ring.symbols.moving
    return tuple(sorted(f for f in term[1] if moving[f[0]]))


def _constant(monomial: Any, movement: Any, values: Sequence[Any]) -> float:
    """Return the value of the factors of a term that do not change with the posture."""
    size = 1.0
    for i, e in monomial:
        if (i, e) not in movement:
            size *= float(values[i]) ** e
    return size


# -- units of the energies -------------------------------------------------------------------------


def passive(eq: Equations, box: Box) -> list[Unit]:
    """Return the units of T = ½ q̇ A q̇ and V; each leaves A, B, C, Q those of two energies."""
    sizes, ring = Sizes(eq, box), eq.ring
    out = []
    for place in eq.places("A"):
        for group in sizes.alike(ordered(ring, eq.poly("A", place))).values():
            changes = {("A", place): group, **_of_inertia(eq, place, ring.sum(group))}
            out.append(sizes.unit(changes))
    if "Q" not in eq.absent:
        for group in sizes.alike(ordered(ring, ring.reduced(potential(eq)))).values():
            changes = _of_potential(eq, ring.sum(group))
            if changes:
                out.append(sizes.unit(changes))
    return out


def potential(eq: Equations) -> Poly:
    """Return V, the energy of weight: Q_i = -∂V/∂q_i."""
    c = eq.condensed
    roots = [j for j, link in enumerate(c.links) if link.parent < 0]
    total = eq.ring.zero
    for root in roots:
        total = total - eq.ring.poly(dot(c.weight[root], c.moments(root, -1)))
    return total


def _of_inertia(eq: Equations, place: tuple[int, ...], p: Poly) -> dict[Key, list[Term]]:
    """Return what an addend p of A_ij makes of B and C."""
    ring, slopes = eq.ring, {}

    def slope(a: int, b: int, k: int) -> Poly:
        if (a + 1, b + 1) != place:
            return ring.zero
        if k not in slopes:
            slopes[k] = ring.slope(p, k)
        return slopes[k]

    out: dict[Key, list[Term]] = {}
    for kind in ("B", "C"):
        if kind in eq.absent:
            continue
        for where in eq.places(kind):  # type: ignore[arg-type]
            i, *rest = (x - 1 for x in where)
            made = coriolis(slope, i, *rest) if kind == "B" else centrifugal(slope, i, rest[0])
            made = ring.reduced(ring.poly(made))
            if len(made):
                out[kind, where] = ring.terms(made)
    return out


def _of_potential(eq: Equations, p: Poly) -> dict[Key, list[Term]]:
    """Return what an addend p of V makes of Q."""
    sign = -1 if eq.sign == "section3" else 1
    out: dict[Key, list[Term]] = {}
    for i in range(eq.n):
        made = sign * eq.ring.reduced(eq.ring.slope(p, i))
        if len(made):
            out["Q", (i + 1,)] = eq.ring.terms(made)
    return out


# -- which units go, and what is lost ----------------------------------------------------------


def greedy(units: Sequence[Unit], room: Sequence[float]) -> list[int]:
    """Return the units that fit into the room, the smallest shares first."""

    def share(k: int) -> float:
        forces = units[k].force.items()
        return max((f / room[i] if room[i] else float("inf") for i, f in forces), default=0.0)

    left, chosen = list(room), []
    for k in sorted(range(len(units)), key=lambda k: (share(k), k)):
        if all(f <= left[i] for i, f in units[k].force.items()):
            chosen.append(k)
            for i, f in units[k].force.items():
                left[i] -= f
    return sorted(chosen)


def used(units: Sequence[Unit], chosen: Sequence[int], n: int) -> list[float]:
    """Return the plain sum of the largest forces of some units, by joint."""
    out = [0.0] * n
    for k in chosen:
        for i, f in units[k].force.items():
            out[i] += f
    return out


def lost(eq: Equations, units: Sequence[Unit], chosen: Sequence[int]) -> dict[Key, Poly]:
    """Return what goes from each coefficient."""
    terms: dict[Key, list[Term]] = {}
    for k in chosen:
        for key, group in units[k].changes.items():
            terms.setdefault(key, []).extend(group)
    return {key: eq.ring.sum(group) for key, group in terms.items()}


def errors(eq: Equations, gone: Mapping[Key, Poly], i: int) -> Iterator[tuple[Motion, Poly]]:
    """Yield what joint i loses (from 0), with the motion it stands with; gravity as a load."""
    for (kind, place), p in gone.items():
        load = -p if kind == "Q" and eq.sign == "section3" else p
        yield from ((motion, load) for j, motion in motions(kind, place) if j == i)
