"""The reported constants V, W, J by name, as formulas factored as the 1980 report prints them.

Liégeois and Aldon, INRIA RR 32 (1980), section 4.3. The values are those of `augmented_body`; here
they are written over levers and masses, `VY1 = D1*M1+L1*(+M2+M3+M6)`. A body whose centre, levers
and slide lie along one axis u has one Vu, one Wu for both axes normal to u, and J = I + Wu on
these; any other body has components VX.., WX.. WXY.., JX.. JXY.. Zero components are left out.
What slides has parts in `qj` (E0.9). A sum of more than 100 masses is written by augmented masses,
`M(3) = M3+M(4)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..algebra import Vec3, is_plain_zero
from ..algorithms.augmented_body import AugmentedBody, augmented_bodies
from ..expr import Expr
from ..expr.exact import exact
from ..expr.formula import Product, Sum, formula, grouped, name, total
from ..inertia import Inertia
from ..mechanism import Mechanism

ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # XX YY ZZ XY XZ YZ
MASSES = 100  # in one written sum


@dataclass(frozen=True, slots=True)
class Reported:
    """The constants of a mechanism by name, zeros left out, in order of the bodies."""

    augmented_masses: dict[str, Sum]  # only those that long sums are written with
    masses: dict[str, Sum]
    inertias: dict[str, Sum]
    total: dict[str, Sum]

    def tables(self) -> tuple[dict[str, Sum], ...]:
        """Return all constants, each after those it is written with."""
        return self.augmented_masses, self.masses, self.inertias, self.total


def reported(mechanism: Mechanism, full: bool = False, slides: Sequence[Product] = ()) -> Reported:
    """Return V, W and J; `full` gives every body its components by name.

    `slides` are the coordinates of the joints where they are not q1, q2, ...
    """
    bodies = mechanism.bodies
    out = Reported({}, {}, {}, {})
    beyond = _mass_sums(mechanism, out.augmented_masses)
    for j, augmented in enumerate(augmented_bodies(mechanism)):
        q = slides[j] if slides else name(f"q{j + 1}")
        whole = _Whole(j + 1, bodies[j].inertia, augmented, beyond, q)
        axis = None if full else whole.axis()
        _write(whole, axis, out)
    return out


def _write(whole: _Whole, axis: int | None, out: Reported) -> None:
    n = whole.number
    for u in range(3):
        _keep(out.masses, f"V{'XYZ'[u]}{n}", total(whole.mass(u), whole.sliding_mass(u)))
    for a, b in ENTRIES:
        letters = "XYZ"[a] if a == b else "XYZ"[a] + "XYZ"[b]
        label = f"W{letters}{n}"
        if axis is None:
            _keep(out.inertias, label, _moment(whole, a, b))
        elif a == b and a != axis:
            # the two axes normal to the body's own share one constant, named after that axis
            label = f"W{'XYZ'[axis]}{n}"
            _keep(out.inertias, label, _moment(whole, a, b))
        else:
            label = ""
        _keep(out.total, f"J{letters}{n}", _total(whole, a, b, label, out.inertias.get(label)))


def _total(whole: _Whole, a: int, b: int, label: str, W: Sum | None) -> Sum:
    """Return entry a, b of I + W; W goes by its name unless both are numbers."""
    inertia, I = whole.inertia, term(whole.inertia.tensor[a, b])
    if inertia.at == "origin":  # the body's own part was given as one tensor: no name fits
        return total([I, *whole.moment(a, b)[1:]], whole.sliding_moment(a, b))
    if W is None:
        return total([I])
    numbers = W.number is not None and I.is_number
    return total([I, *(W.terms if numbers else [name(label)])])


def _moment(whole: _Whole, a: int, b: int) -> Sum:
    return total(whole.moment(a, b), whole.sliding_moment(a, b))


def _keep(table: dict[str, Sum], label: str, value: Sum) -> None:
    if value:
        table[label] = value


class _Whole:
    """One augmented body as sums of terms."""

    def __init__(
        self, number: int, inertia: Inertia, body: AugmentedBody, beyond: Sequence[MassSum],
        q: Product,
    ):  # fmt: skip
        self.number, self.inertia, self.body = number, inertia, body
        self.m, self.M = term(inertia.m), beyond[number - 1]
        self.q = q
        # children at one branch point share a lever
        at: dict[Vec3, list[MassSum]] = {}
        for c, l in body.levers:
            at.setdefault(l, []).append(beyond[c])
        self.branches = [(l, MassSum.union(sums)) for l, sums in at.items()]
        self.centre = inertia.centre if not is_plain_zero(inertia.m) else Vec3.zero()

    def axis(self) -> int | None:
        """Return the one axis along which centre, levers and slide lie, or None."""
        vectors = [self.inertia.h, *(l for l, mass in self.branches if not mass.is_zero())]
        if not self.M.is_zero():
            vectors.append(self.body.slide)
        axes = {u for v in vectors for u in range(3) if not is_plain_zero(v[u])}
        return axes.pop() if len(axes) == 1 else None

    def mass(self, u: int, signed: bool = True) -> list[Product]:
        """Return component u of M_j b_j (3-3), constant part."""
        inertia = self.inertia
        own = term(self.centre[u]) * self.m if inertia.at == "centre" else term(inertia.h[u])
        return [own, *(term(l[u]) * mass.factor(signed) for l, mass in self.branches)]

    def sliding_mass(self, u: int) -> list[Product]:
        """Return the part of M_j b_j in q_j (E0.9)."""
        return [self.q * term(self.body.slide[u]) * self.M.factor(signed=True)]

    def moment(self, a: int, b: int) -> list[Product]:
        """Return entry a, b of the K sums (3-4), constant part."""
        arms = (_arm(l, a, b) * mass.factor() for l, mass in self.branches)
        return [_arm(self.centre, a, b) * self.m, *arms]

    def sliding_moment(self, a: int, b: int) -> list[Product]:
        """Return the parts of the K sums in q_j and q_j² (E0.9)."""
        s, q = self.body.slide, self.q
        if s.is_zero():
            return []
        pairs = [(u, u, 2) for u in range(3) if u != a] if a == b else [(a, b, -1), (b, a, -1)]
        first = [
            Product(k) * q * term(s[u]) * grouped(total(self.mass(v, signed=False)))
            for u, v, k in pairs
        ]
        return [*first, q.power(2) * _arm(s, a, b) * self.M.factor()]


def _arm(v: Vec3, a: int, b: int) -> Product:
    """Return entry a, b of v·v 1 - v vᵀ."""
    if a == b:
        return grouped(total(term(v[u]).power(2) for u in range(3) if u != a))
    return Product(-1) * term(v[a]) * term(v[b])


def term(x: Any) -> Product:
    """Return a scalar as one product; what has no parameter is a number."""
    return grouped(formula(x if x.__class__ is float else exact(x)))


# -- sums of masses ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MassSum:
    """A sum of masses: a number, and terms by body index."""

    number: Any = 0
    terms: tuple[tuple[int, Product], ...] = ()

    @staticmethod
    def union(sums: Iterable[MassSum]) -> MassSum:
        """Return the sum in which every term stands once."""
        number: Any = 0
        terms: list[tuple[int, Product]] = []
        for part in sums:
            number = number + part.number
            terms += part.terms
        return MassSum(number, tuple(sorted(terms, key=lambda t: t[0])))

    def is_zero(self) -> bool:
        """Return whether there is no term at all."""
        return not self.terms and bool(self.number == 0)

    def sum(self, signed: bool = False) -> Sum:
        """Return the terms and the number as one sum."""
        return total([*(t for _, t in self.terms), Product(self.number)], signed=signed)

    def factor(self, signed: bool = False) -> Product:
        """Return the sum as one factor, in brackets; with `signed` its first sign is written."""
        return Product(1, ((self.sum(signed), 1),)) if self.terms else Product(self.number)


def _mass_sums(mechanism: Mechanism, named: dict[str, Sum]) -> list[MassSum]:
    """Return the sum of the masses of each body and all beyond (3-2); long ones enter `named`."""
    sums: list[list[MassSum]] = [[] for _ in mechanism.bodies]
    made: list[MassSum] = [MassSum()] * len(mechanism.bodies)
    long: dict[int, Sum] = {}
    for j, body in mechanism.inward():
        own = term(body.m)
        mine = MassSum(own.number) if own.is_number else MassSum(0, ((j, own),))
        every = MassSum.union([mine, *sums[j]])
        if len(every.terms) > MASSES:
            long[j] = every.sum()
            every = MassSum(0, ((j, name(f"M({j + 1})")),))
        made[j] = every
        if body.parent >= 0:
            sums[body.parent].append(every)
    named.update((f"M({j + 1})", long[j]) for j in sorted(long))
    return made


# -- which components are not zero, before any of them is written ---------------------------------


Present = tuple[list[tuple[int, int]], list[tuple[int, int, int]]]  # (body, u) of V, (body, a, b)
AXES = (0, 1, 2)


def _point(axes: int) -> int:
    """Return the entries of the tensor of a point mass, as bits; axes: those of its lever."""
    x, y, z = axes & 1, axes >> 1 & 1, axes >> 2 & 1
    entries = (y | z, x | z, x | y, x & y, x & z, y & z)
    return sum(bit << k for k, bit in enumerate(entries))


POINT = [_point(axes) for axes in range(8)]


def of_letters(m: Mechanism) -> Present | None:
    """Return the components of V and J that are not zero; None where more than letters tell.

    Where all masses, centres, inertias and lengths are single letters or zero, no sum of them can
    vanish: the zeros of each body tell. Any other mechanism has its augmented bodies written first.
    """
    masses: list[tuple[int, int]] = []
    inertias: list[tuple[int, int, int]] = []
    count = len(m.bodies)
    heavy, V, J = [0] * count, [0] * count, [0] * count
    for j in range(count - 1, -1, -1):
        body = m.bodies[j]
        inertia, p, i = body.inertia, body.placement.p, body.parent
        mass, centre = _letters((inertia.mass,)), _letters(inertia.lever)
        tensor, lever = _letters(inertia.tensor.six()), _letters(p)
        plain = inertia.at == "centre" and body.joint.kind == "revolute"
        if not plain or None in (mass, centre, tensor, lever):
            return None
        heavy[j] |= mass
        if mass:
            V[j], J[j] = V[j] | centre, J[j] | POINT[centre]
        J[j] |= tensor
        if i >= 0 and heavy[j]:
            heavy[i], V[i], J[i] = 1, V[i] | lever, J[i] | POINT[lever]
    for j in range(count):
        masses += [(j, u) for u in AXES if V[j] >> u & 1]
        inertias += [(j, a, b) for k, (a, b) in enumerate(ENTRIES) if J[j] >> k & 1]
    return masses, inertias


def _letters(scalars: Iterable[Any]) -> Any:
    """Return which scalars are letters, as bits; None where one is neither a letter nor zero."""
    bits, bit = 0, 1
    for x in scalars:
        if x.__class__ is Expr:
            if x.graph.op[x.id] != "param":
                return None
            bits |= bit
        elif x.__class__ is not int or x != 0:
            return None
        bit <<= 1
    return bits
