"""Names and texts of the reported constants V, W, J, factored as the 1980 report prints them.

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

from ..algebra import Vec3, is_zero
from ..expr import Expr, decimal, text
from ..expr.exact import exact, to_float
from ..inertia import Inertia
from ..mechanism import Mechanism
from .augmented_body import AugmentedBody, augmented_bodies

Term = tuple[Any, tuple[str, ...]]  # a number times texts
Sum = list[Term]
Value = Any  # a number, or the text of an expression

ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # XX YY ZZ XY XZ YZ
MASSES = 100  # in one written sum


@dataclass(frozen=True, slots=True)
class Reported:
    """The constants of a mechanism by name, each a number or a text, in order of the bodies."""

    augmented_masses: dict[str, Value]  # only those that long sums are written with
    masses: dict[str, Value]
    inertias: dict[str, Value]
    total: dict[str, Value]


def reported(mechanism: Mechanism, full: bool = False) -> Reported:
    """Return the texts of V, W and J; `full` gives every body its components by name."""
    bodies = mechanism.bodies
    out = Reported({}, {}, {}, {})
    beyond = _mass_sums(mechanism, out.augmented_masses)
    for j, augmented in enumerate(augmented_bodies(mechanism)):
        whole = _Whole(j + 1, bodies[j].inertia, augmented, beyond)
        axis = None if full else whole.axis()
        _write(whole, axis, out)
    return out


def _write(whole: _Whole, axis: int | None, out: Reported) -> None:
    n = whole.number
    for u in range(3):
        _keep(out.masses, f"V{'XYZ'[u]}{n}", joined(whole.mass(u), tail=whole.sliding_mass(u)))
    for a, b in ENTRIES:
        letters = "XYZ"[a] if a == b else "XYZ"[a] + "XYZ"[b]
        name = f"W{letters}{n}"
        if axis is None:
            _keep(out.inertias, name, _moment(whole, a, b))
        elif a == b and a != axis:
            # the two axes normal to the body's own share one constant, named after that axis
            name = f"W{'XYZ'[axis]}{n}"
            _keep(out.inertias, name, _moment(whole, a, b))
        else:
            name = ""
        _keep(out.total, f"J{letters}{n}", _total(whole, a, b, name, out.inertias.get(name, 0)))


def _total(whole: _Whole, a: int, b: int, name: str, W: Value) -> Value:
    """Return entry a, b of I + W; W goes by its name unless both are numbers."""
    inertia = whole.inertia
    if inertia.at == "origin":  # the body's own part was given as one tensor: no name fits
        rest, tail = whole.moment(a, b)[1:], whole.sliding_moment(a, b)
        return joined([term(inertia.tensor[a, b]), *rest], tail=tail)
    I = term(inertia.tensor[a, b])
    by_name = W.__class__ is str or (I[1] != () and W != 0)
    return joined([I, (1, (name,)) if by_name else (W, ())])


def _moment(whole: _Whole, a: int, b: int) -> Value:
    return joined(whole.moment(a, b), tail=whole.sliding_moment(a, b))


def _keep(table: dict[str, Value], name: str, value: Value) -> None:
    if value.__class__ is str or value != 0:
        table[name] = value


class _Whole:
    """One augmented body as sums of terms."""

    def __init__(
        self, number: int, inertia: Inertia, body: AugmentedBody, beyond: Sequence[MassSum]
    ):
        self.number, self.inertia, self.body = number, inertia, body
        self.m, self.M = term(inertia.m), beyond[number - 1]
        self.q: Term = (1, (f"q{number}",))
        # children at one branch point share a lever
        at: dict[Vec3, list[MassSum]] = {}
        for c, l in body.levers:
            at.setdefault(l, []).append(beyond[c])
        self.branches = [(l, MassSum.union(sums)) for l, sums in at.items()]
        self.centre = inertia.centre if not is_zero(inertia.m) else Vec3.zero()

    def axis(self) -> int | None:
        """Return the one axis along which centre, levers and slide lie, or None."""
        vectors = [self.inertia.h, *(l for l, mass in self.branches if not mass.is_zero())]
        if not self.M.is_zero():
            vectors.append(self.body.slide)
        axes = {u for v in vectors for u in range(3) if not is_zero(v[u])}
        return axes.pop() if len(axes) == 1 else None

    def mass(self, u: int, plus: bool = True) -> Sum:
        """Return component u of M_j b_j (3-3), constant part."""
        inertia = self.inertia
        own = times(term(self.centre[u]), self.m) if inertia.at == "centre" else term(inertia.h[u])
        levers = ((term(l[u]), mass) for l, mass in self.branches)
        return [own, *(times(l, mass.factor(plus)) for l, mass in levers if l[0] != 0)]

    def sliding_mass(self, u: int) -> Sum:
        """Return the part of M_j b_j in q_j (E0.9)."""
        if is_zero(self.body.slide[u]):
            return []
        return [times(self.q, term(self.body.slide[u]), self.M.factor(plus=True))]

    def moment(self, a: int, b: int) -> Sum:
        """Return entry a, b of the K sums (3-4), constant part."""
        own = times(_arm(self.centre, a, b), self.m)
        arms = ((_arm(l, a, b), mass) for l, mass in self.branches)
        return [own, *(times(arm, mass.factor()) for arm, mass in arms if arm[0] != 0)]

    def sliding_moment(self, a: int, b: int) -> Sum:
        """Return the parts of the K sums in q_j and q_j² (E0.9)."""
        s, q = self.body.slide, self.q
        if s.is_zero():
            return []
        pairs = [(u, u, 2) for u in range(3) if u != a] if a == b else [(a, b, -1), (b, a, -1)]
        first = [
            times((k, ()), q, term(s[u]), grouped(self.mass(v, plus=False))) for u, v, k in pairs
        ]
        return [*first, times(square(q), _arm(s, a, b), self.M.factor())]


def _arm(v: Vec3, a: int, b: int) -> Term:
    """Return entry a, b of v·v 1 - v vᵀ."""
    if a == b:
        return grouped([square(term(v[u])) for u in range(3) if u != a])
    return times((-1, ()), term(v[a]), term(v[b]))


# -- sums of masses ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MassSum:
    """A sum of masses: a number, and terms by body index."""

    number: Any = 0
    terms: tuple[tuple[int, Term], ...] = ()

    @staticmethod
    def union(sums: Iterable[MassSum]) -> MassSum:
        """Return the sum in which every term stands once."""
        number: Any = 0
        terms: list[tuple[int, Term]] = []
        for part in sums:
            number = number + part.number
            terms += part.terms
        return MassSum(number, tuple(sorted(terms)))

    def is_zero(self) -> bool:
        """Return whether there is no term at all."""
        return not self.terms and bool(self.number == 0)

    def sum(self) -> Sum:
        """Return the terms and the number as one sum."""
        return [*(t for _, t in self.terms), (self.number, ())]

    def factor(self, plus: bool = False) -> Term:
        """Return the sum as one factor, in brackets; `plus` writes the first sign too."""
        if not self.terms:
            return self.number, ()
        return 1, (f"({joined(self.sum(), plus)})",)


def _mass_sums(mechanism: Mechanism, named: dict[str, Value]) -> list[MassSum]:
    """Return the sum of the masses of each body and all beyond (3-2); long ones enter `named`."""
    sums: list[list[MassSum]] = [[] for _ in mechanism.bodies]
    made: list[MassSum] = [MassSum()] * len(mechanism.bodies)
    long: dict[int, Value] = {}
    for j, body in mechanism.inward():
        own = term(body.m)
        mine = MassSum(0, ((j, own),)) if own[1] else MassSum(own[0])
        total = MassSum.union([mine, *sums[j]])
        if len(total.terms) > MASSES:
            long[j] = joined(total.sum())
            total = MassSum(0, ((j, (1, (f"M({j + 1})",))),))
        made[j] = total
        if body.parent >= 0:
            sums[body.parent].append(total)
    named.update((f"M({j + 1})", long[j]) for j in sorted(long))
    return made


# -- sums and products as text -----------------------------------------------------------------


def term(x: Any) -> Term:
    """Return a scalar as a number times texts; what has no parameter is a number."""
    if not isinstance(x, Expr):
        return (x if x.__class__ is float else exact(x)), ()
    if x.value is not None:
        return x.value, ()
    if not x.names():
        return to_float(x), ()
    sign, graph, i = 1, x.graph, x.id
    if graph.op[i] == "neg":
        sign, i = -1, graph.args[i][0]
    if graph.op[i] == "mul" and (k := graph.const[graph.args[i][0]]) is not None:
        sign, i = sign * k, graph.args[i][1]  # type: ignore[assignment]
    shown = text(Expr(graph, i))
    return sign, (f"({shown})" if graph.op[i] in ("add", "sub", "div") else shown,)


def times(*terms: Term) -> Term:
    """Return the product of terms, texts in the order given."""
    number: Any = 1
    for k, _ in terms:
        number = number * k
    return number, tuple(t for _, texts in terms for t in texts)


def square(t: Term) -> Term:
    """Return the square of a term."""
    return t[0] * t[0], tuple(f"{x if _is_atom(x) else f'({x})'}**2" for x in t[1])


def _is_atom(x: str) -> bool:
    """Whether a text is a name, or all inside one pair of brackets."""
    depth = 0
    for k, c in enumerate(x):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return x.isidentifier() or (c == ")" and x[0] == "(" and k == len(x) - 1)
    return False


def grouped(terms: Sum) -> Term:
    """Return a sum as one term, in brackets when it has several."""
    kept = [t for t in terms if t[0] != 0]
    if len(kept) == 1:
        return kept[0]
    value = joined(kept)
    return (1, (f"({value})",)) if value.__class__ is str else (value, ())


def joined(terms: Sum, plus: bool = False, tail: Sum | None = None) -> Value:
    """Return a sum as text, numbers added up after other terms and before the `tail`.

    It is a number when nothing else is in it; `plus` writes the first sign too.
    """
    number = sum(k for k, texts in terms if not texts)
    parts = [*(t for t in terms if t[1]), (number, ()), *(tail or ())]
    kept = [t for t in parts if t[0] != 0]
    if all(not texts for _, texts in kept):
        return number
    out = "".join(_signed(k, texts) for k, texts in kept)
    return out if plus or out[0] == "-" else out[1:]


def _signed(k: Any, texts: tuple[str, ...]) -> str:
    number = [decimal(abs(k))] if abs(k) != 1 or not texts else []
    return ("-" if k < 0 else "+") + "*".join([*number, *texts])
