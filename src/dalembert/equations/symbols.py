"""The symbols closed forms are written with, and what each of them is.

One generator for the sine and one for the cosine of every sum of angles of parallel axes that can
occur (S2, S23, ...), one for each slide q_j, each reported constant V, J, each augmented mass of a
slide, each parameter of a length or of gravity; a pair CKj, SKj for each constant angle that is no
quarter turn and stands alone, a number where the angle is one; a constant angle beside parallel
joints joins their sum (C123a = cos(q1+q2+q3+a)). The reported constants of a sliding body grow
with its coordinate (E0.9): they are generators with a slope.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..algebra import Mat3, Turn, Vec3, is_plain_zero, product
from ..algorithms.augmented_body import AugmentedBody, augmented_bodies, slide
from ..algorithms.condensed import Condensed, Link
from ..errors import TooLargeError
from ..expr import OPS, Expr, Graph, Scalar, text
from ..expr.arena import Rows
from ..expr.exact import exact, to_float
from ..joint import UNITS, ZERO
from ..mechanism import Mechanism
from .angles import Angle, Joints, Pairs, normal
from .follow import Follow
from .generator import Generator, atoms, slopes, without_clashes
from .kinds import KINDS, Key, Point, Slope, joined, letters
from .reported import ENTRIES, Present, Reported, of_letters, reported
from .turns import Turns, with_named_angles

SUMS = 3000  # of angles, in one set of symbols


class TreeSymbols:
    """The generators of a tree of revolute, prismatic and screw joints, and its links over them."""

    def __init__(
        self, m: Mechanism, full: bool = False, more: Sequence[Any] = (), follow: Any = None
    ):
        self.m, self.n = m, len(m.bodies)
        self.follow: Follow = follow or Follow.none(self.n)
        self.full, self.more = full, more  # more: other numbers that enter as they are
        turns = Turns(m, self.follow.labels)
        self.constants, self.numeric, self.alone = turns.constants, turns.numeric, turns.alone
        self.tilts, self.factors, self._named_angle = turns.tilts, turns.factors, turns.named
        self.axes = turns.axes
        self.others: dict[str, Expr] = {}  # what is not a polynomial of parameters
        self.written = with_named_angles(m, self._label)  # as constants are printed
        self.slides = [b.joint.kind != "revolute" and not slide(b).is_zero() for b in m.bodies]
        self.levers: list[list[tuple[int, Vec3]]] = [[] for _ in m.bodies]
        for j, body in enumerate(m.bodies):
            if body.parent >= 0:
                self.levers[body.parent].append((j, body.placement.p))
        self.letters = of_letters(m)  # where V and J of letters alone are not zero
        self.polynomials = self._polynomials()
        self.generators = self._generators()
        self.names = [g.name for g in self.generators]
        self.index = {g.key: i for i, g in enumerate(self.generators)}
        # generators of one kind, by what tells them apart
        self.reports: dict[str, list[tuple[Any, int]]] = {"V": [], "J": [], "sin": [], "cos": []}
        for key, i in self.index.items():
            if key[0] in self.reports:
                self.reports[key[0]].append((key[1:], i))
        self.angles = [(s, c, joints) for ((joints,), s), (_, c)
                       in zip(self.reports["sin"], self.reports["cos"], strict=True)]  # fmt: skip

    # -- constant angles ---------------------------------------------------------------------------

    def _label(self, op: str, angle: Any) -> Any:
        """Return the sine or cosine of a constant angle: a number, or sign and name."""
        if not isinstance(angle, Expr) or not angle.names():
            return (math.sin if op == "sin" else math.cos)(to_float(angle))
        self.alone.add(self._named_angle(angle))
        name = f"{op[0].upper()}K{self._named_angle(angle)}"
        while name in {p.name for p in self.m.parameters}:
            name += "_"
        return name

    def _turned(self, graph: Graph, i: int) -> tuple[int, int] | None:
        """Return number and sign of the constant angle whose sine or cosine a node is, if it is."""
        if graph.op[i] not in ("sin", "cos"):
            return None
        angle = exact(Expr(graph, graph.args[i][0]))
        if not isinstance(angle, Expr) or not angle.names():
            sign = -1 if to_float(angle) < 0 else 1
            return self._named_angle(sign * angle), sign
        known = [k for k, x in enumerate(self.constants, 1) if type(x) is Expr and x == angle]
        return (known[0], 1) if known else None

    # -- generators --------------------------------------------------------------------------------

    def _polynomials(self) -> dict[str, list[Any]]:
        """Return the numbers that enter as they are: levers, gravity, pitches, rotor inertias."""
        levers = [x for each in self.levers for _, l in each for x in l]
        pitches = [getattr(b.joint, "pitch", 0) for b in self.m.bodies]
        rest = [*pitches, *(d.gear * d.gear * d.inertia for d in self.m.drives), *self.more]
        return {"levers": levers, "gravity": list(self.m.gravity), "rest": rest}

    def _generators(self) -> list[Generator]:
        sums = self._sums()
        names = [joined(s, "_" if self.n > 9 else "") for s in sums]
        made = [Generator(f"S{name}", ("sin", s)) for name, s in zip(names, sums, strict=True)]
        constants = [k for k in range(1, len(self.constants) + 1) if k not in self.numeric]
        made += [Generator(f"SK{k}", ("sinK", k)) for k in constants]
        made += [Generator(f"C{name}", ("cos", s)) for name, s in zip(names, sums, strict=True)]
        made += [Generator(f"CK{k}", ("cosK", k)) for k in constants]
        sliding = [j for j in range(self.n) if self.slides[j]]
        labels = [self.follow.labels[j] for j in sliding]
        made += [Generator(f"q{k}", ("q", k)) for k in labels]
        carried = [j for j in sliding if not is_plain_zero(self.augmented[j].M)]
        made += [Generator(f"MT{j + 1}", ("M", j)) for j in carried]
        masses, inertias = self.letters or self._present()
        made += [Generator(f"V{'XYZ'[u]}{j + 1}", ("V", j, u)) for j, u in masses]
        made += [Generator(f"J{letters(a, b)}{j + 1}", ("J", j, a, b)) for j, a, b in inertias]
        parameters: dict[str, None] = {}
        for x in (x for group in self.polynomials.values() for x in group):
            self._atoms(x, parameters)
        made += [Generator(name, ("p", name)) for name in parameters]
        made += [Generator(f"F{k}", ("other", t)) for k, t in enumerate(self.others, 1)]
        return without_clashes(made)

    @cached_property
    def augmented(self) -> list[AugmentedBody]:
        """The augmented bodies, their constants as they are written."""
        return augmented_bodies(self.m)

    def _present(self) -> Present:
        """Return which components of V and J are not zero, of those that differ."""
        masses = [
            (j, u)
            for j, body in enumerate(self.augmented)
            for u, x in enumerate(body.V)
            if not is_plain_zero(x) or (self.slides[j] and self._grows(body, u))
        ]
        inertias = [
            (j, a, b)
            for j, body in enumerate(self.augmented)
            for (a, b), x in zip(ENTRIES, body.J.six(), strict=True)
            if not is_plain_zero(x) or (self.slides[j] and self._grows(body, a, b))
            if a != b or self.first(j, a) == a
        ]
        return masses, inertias

    @staticmethod
    def _grows(body: AugmentedBody, a: int, b: int | None = None) -> bool:
        """Whether a component of V, or of J, changes with the slide of a body."""
        if b is None:
            return not is_plain_zero(body.V_q[a])
        return not (is_plain_zero(body.W_q[a, b]) and is_plain_zero(body.W_qq[a, b]))

    def first(self, j: int, a: int) -> int:
        """Return the first axis about which body j has the same number as inertia as about a."""
        diagonal = self.augmented[j].J.six()[:3]
        if not a or self.slides[j] or isinstance(diagonal[a], Expr):
            return a
        return next(u for u, x in enumerate(diagonal)
                    if not isinstance(x, Expr) and x == diagonal[a])  # fmt: skip

    @cached_property
    def repeated(self) -> list[tuple[int, int]]:
        """(body, axis) of the moments of inertia that are numbers, and those of an axis before."""
        if self.letters:
            return []
        numbers = [
            (j, u, x)
            for j, body in enumerate(self.augmented)
            for u, x in ((1, body.J.b[1]), (2, body.J.c[2]))
            if x.__class__ is not Expr
        ]
        return [(j, u) for j, u, x in numbers if self.first(j, u) != u and not is_plain_zero(x)]

    @cached_property
    def reported(self) -> Reported:
        """The texts of the reported constants."""
        return reported(self.written, self.full, self.follow.slides())

    def _sums(self) -> list[Joints]:
        """Return every sum of angles that a vector on its way through the frames can turn by."""
        sums: dict[Joints, None] = {}
        for k in range(self.n):
            axis, angle, at = -1, Angle(Pairs()), k
            while at >= 0:
                for a, step in reversed(self.factors[at]):
                    axis, angle = a, step + angle if a == axis else step
                    if angle.joints:
                        sums[normal(angle.sum)] = None
                at = self.m.bodies[at].parent
            if len(sums) > SUMS:
                raise TooLargeError(
                    f"parallel axes give more than {SUMS} sums of angles",
                    hint="use inverse_dynamics or export: they are recursive, of any size",
                )
        for j in range(self.n):
            if any(step.joints for _, step in self.factors[j]):
                sums[(self.follow.labels[j],)] = None
        return sorted(sums)

    def _atoms(self, x: Any, parameters: dict[str, None]) -> None:
        """Collect the parameters of an expression, and the parts of it that are not polynomial."""
        for graph, i in atoms(x, _ARITHMETIC):
            if graph.op[i] == "param":
                parameters.setdefault(graph.args[i][0])
            elif graph.op[i] != "const":
                turned = self._turned(graph, i)
                if turned is not None:
                    self.alone.add(turned[0])
                else:
                    self.others.setdefault(text(Expr(graph, i)), Expr(graph, i))

    # -- over any scalar ---------------------------------------------------------------------------

    def polynomial(self, x: Any, values: Sequence[Scalar], rational: Callable[[Any], Any]) -> Any:
        """Return an exact number or an expression of parameters over the scalars of `values`."""
        if x.__class__ is int:
            return x
        if not isinstance(x, Expr):
            return rational(x)
        graph = x.graph

        if graph.op[x.id] == "param":
            place = self.index.get(("p", graph.args[x.id][0]))
            return None if place is None else values[place]

        def known(key: Any) -> Any:
            return values[self.index[key]] if key in self.index else None

        def named(i: int, _: list[Any]) -> Any:
            turned = self._turned(graph, i)
            if turned is None:
                return known(("other", text(Expr(graph, i))))
            (k, sign), cosine = turned, graph.op[i] == "cos"
            if k not in self.numeric:
                return values[self.index[graph.op[i] + "K", k]]
            return rational(self.numeric[k][0 if cosine else 1]) * (1 if cosine else sign)

        leaf: Rows = {
            "const": lambda c: c if c.__class__ is int else rational(c),
            "param": lambda name: known(("p", name)),
        }
        return graph.fold([x.id], leaf, _ARITHMETIC, named)[x.id]

    def pairs(self, values: Sequence[Scalar], rational: Callable[[Any], Any]) -> Pairs:
        """Return the sines and cosines of all angles over these scalars."""
        pairs = Pairs()
        for k, (c, s) in self.numeric.items():
            pairs.constant[k] = (rational(c), rational(s))
        for sine, cosine, joints in self.angles:
            pairs.joint[joints] = (values[cosine], values[sine])
        for k in range(1, len(self.constants) + 1):
            if ("sinK", k) in self.index:
                pairs.constant[k] = values[self.index["cosK", k]], values[self.index["sinK", k]]
        return pairs

    def condensed(self, values: Sequence[Scalar], rational: Callable[[Any], Any]) -> Condensed:
        """Return the sums Q_i, A_ij over these scalars."""
        gravity = self.m.gravity.map(lambda x: self.polynomial(x, values, rational))
        return Condensed(self.links(values, rational), gravity)

    def links(self, values: Sequence[Scalar], rational: Callable[[Any], Any]) -> list[Link]:
        """Return the augmented bodies over these scalars, one for each generator."""
        pairs = self.pairs(values, rational)
        masses: list[list[Scalar]] = [[0] * 3 for _ in range(self.n)]
        inertias: list[list[Scalar]] = [[0] * 6 for _ in range(self.n)]
        for (j, u), i in self.reports["V"]:
            masses[j][u] = values[i]
        for (j, *entry), i in self.reports["J"]:
            inertias[j][_SLOT[entry[0], entry[1]]] = values[i]
        for j, u in self.repeated:
            inertias[j][u] = inertias[j][self.first(j, u)]
        links = []
        for j, body in enumerate(self.m.bodies):
            factors = tuple([pairs.turn(axis, a) for axis, a in self.factors[j]])
            fixed = self._fixed_before(j)
            axis = self._axis(j, pairs)
            angular = ZERO if body.joint.kind == "prismatic" else axis
            linear, M = ZERO, 0
            levers = {
                c: Vec3(*[self.polynomial(x, values, rational) for x in (l.x, l.y, l.z)])
                for c, l in self.levers[j]
            }
            if self.slides[j]:
                linear = self._slide(j, values, rational)
                slid = linear * self._value("q", self.follow.labels[j], values=values)
                levers = {c: l + slid for c, l in levers.items()}
                M = self._value("M", j, values=values)
            V, J = Vec3(*masses[j]), Mat3.symmetric(*inertias[j])
            links.append(Link(body.parent, factors[fixed:], linear, angular, M, V, J, levers,
                              factors[:fixed]))  # fmt: skip
        return links

    def _fixed_before(self, j: int) -> int:
        """Return how many turns of a root come before those about the axis of its joint."""
        if self.m.bodies[j].parent >= 0:
            return 0
        turns = self.factors[j]
        moving = [k for k, (_, a) in enumerate(turns) if a.joints]
        first = moving[0] if moving else len(turns)
        while 0 < first < len(turns) and turns[first - 1][0] == turns[first][0]:
            first -= 1
        return first

    def _value(self, *key: Any, values: Sequence[Scalar]) -> Scalar:
        return values[self.index[key]] if key in self.index else 0

    def _axis(self, j: int, pairs: Pairs) -> Vec3:
        along, sense = self.axes[j]
        if along is not None:
            return UNITS[along] if sense > 0 else -UNITS[along]
        axis = Vec3(0, 0, 1)
        for a, angle in reversed(self.tilts[j]):
            angle = Angle(pairs, (), angle.constants, angle.quarters)
            axis = Turn(a, angle, angle.cos(), angle.sin()) @ axis
        return axis

    def slope(
        self, k: int, values: Sequence[Scalar], rational: Callable[[Any], Any]
    ) -> dict[int, Scalar]:
        """Return the derivative of each generator along q_k (k from 0), where it is not zero."""
        label, found = self.follow.labels[k], dict[int, Scalar]()
        for s, c, joints in self.angles:
            rate = joints.count(label) - joints.count(-label)
            if rate:
                found[s], found[c] = product(rate, values[c]), product(-rate, values[s])
        if not self.slides[k]:
            return found
        slide = self._slide(k, values, rational)
        change = Slope(
            {label: 1},
            lambda *key: self._value(*key, values=values),
            lambda j: slide if j == k else None,
        )
        grown = [i for i, g in enumerate(self.generators)
                 if g.key == ("q", label) or g.key[:2] in (("V", k), ("J", k))]  # fmt: skip
        return found | slopes(self, change, grown)

    def _slide(self, k: int, values: Sequence[Scalar], rational: Callable[[Any], Any]) -> Vec3:
        """Return the slide of joint k per unit of its coordinate, over these scalars."""
        joint = self.m.bodies[k].joint
        axis = self._axis(k, self.pairs(values, rational))
        if joint.kind == "prismatic":
            return axis
        return axis * self.polynomial(joint.pitch, values, rational)  # type: ignore[attr-defined]

    # -- numbers -----------------------------------------------------------------------------------

    def exact(self, key: Key, bodies: Sequence[AugmentedBody]) -> tuple[Any, ...]:
        """Return what does not turn by powers of the slide of its body: one where none slides."""
        kind, *of = key
        row = KINDS[kind].exact
        assert row is not None
        powers = row(self, bodies, *of)
        return powers if len(powers) > 1 and self.slides[of[0]] else powers[:1]

    @cached_property
    def moving(self) -> list[bool]:
        """Whether each generator changes with the posture."""
        keys = [g.key for g in self.generators]
        return [KINDS[k[0]].exact is None or len(self.exact(k, self.augmented)) > 1 for k in keys]

    def values(
        self,
        parameters: Mapping[str, float],
        q: Sequence[Any],
        rates: Sequence[Sequence[Any]] = (),
        generators: Sequence[Generator] | None = None,
    ) -> list[Any]:
        """Return the float (or array) of each generator at a posture."""
        known = self.m.floats
        known |= {k: float(v) for k, v in parameters.items()}

        def number(x: Any) -> Any:
            return to_float(x, known) if isinstance(x, Expr | Fraction) else x

        # frames beyond the last body may have open letters
        alone = replace(self.m, named=(), changes=(), springs=(), elastic=(), checked=True)
        bodies = augmented_bodies(alone.bound(parameters))
        at = Point(self, bodies, number, self.follow.whole(q, known), *rates)
        return [at.value(g.key) for g in generators or self.generators]


_SLOT = {entry: k for k, entry in enumerate(ENTRIES)}
_ARITHMETIC = {name: OPS[name].evaluate for name in ("add", "sub", "mul", "neg")}
