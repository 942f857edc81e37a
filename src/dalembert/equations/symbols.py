"""The symbols closed forms are written with, and what each of them is.

One generator for the sine and one for the cosine of every sum of angles of parallel axes that can
occur (S2, S23, ...), one for each slide q_j, each reported constant V, J, each augmented mass of a
slide, each parameter of a length or of gravity; a pair CKj, SKj for each constant angle that is no
quarter turn. The reported constants of a sliding body grow with its coordinate (E0.9): they are
generators with a slope.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..algebra import Mat3, Turn, Vec3, is_zero
from ..algorithms.augmented_body import AugmentedBody, augmented_bodies
from ..algorithms.condensed import Link
from ..algorithms.reported import ENTRIES, Reported, reported
from ..errors import TooLargeError
from ..expr import OPS, Expr, Graph, Scalar, atan2, cos, sin, sqrt, text
from ..expr.arena import Rows
from ..expr.exact import exact, to_float
from ..joint import Joint
from ..mechanism import Mechanism
from .angles import (
    UNNAMED,
    Angle,
    Joints,
    Pairs,
    coordinate_axis,
    lift,
    number,
    on_circle,
    zyx,
)
from .generator import Generator, joined, letters, without_clashes
from .named_angles import with_named_angles

SUMS = 3000  # of angles, in one set of symbols


class Symbols:
    """The generators of a tree of revolute, prismatic and screw joints, and its links over them."""

    def __init__(self, m: Mechanism, full: bool = False, more: Sequence[Any] = ()):
        self.m, self.n = m, len(m.bodies)
        self.full, self.more = full, more  # more: other numbers that enter as they are
        self.augmented: list[AugmentedBody] = augmented_bodies(m)
        self.constants: list[Any] = []  # the angle of each pair CKj, SKj
        self.numeric: dict[int, tuple[Fraction, Fraction]] = {}  # of general axes and matrices
        self.others: dict[str, Expr] = {}  # what is not a polynomial of parameters
        self.tilts = [self._tilt(body.joint) for body in m.bodies]
        self.factors = [self._factors(j) for j in range(self.n)]
        self.written = with_named_angles(m, self._label)  # as constants are printed
        self.slides = [not a.slide.is_zero() for a in self.augmented]
        self.polynomials = self._polynomials()
        self.generators = self._generators()
        self.index = {g.key: i for i, g in enumerate(self.generators)}
        self.names = [g.name for g in self.generators]

    # -- frames ------------------------------------------------------------------------------------

    def _factors(self, j: int) -> list[tuple[int, Angle]]:
        """Return the elementary turns of body j in its parent, general axes taken apart."""
        body = self.m.bodies[j]
        turns: list[tuple[int, Angle]] = []
        for f in body.placement.R.factors:
            if isinstance(f, Turn):
                turns.append((f.axis, self._constant(f.angle)))
            else:
                turns += [(axis, self._of_matrix(angle)) for axis, angle in zyx(f)]
        if body.joint.kind in ("revolute", "screw"):
            q = Angle(Pairs(), (j + 1,))
            along, sense = coordinate_axis(body.joint)
            if along is None:
                K = self.tilts[j]
                turns += [*K, (2, q), *((a, -angle) for a, angle in reversed(K))]
            else:
                turns.append((along, q if sense > 0 else -q))
        return [(axis, angle) for axis, angle in turns if angle.value is None]

    def _tilt(self, joint: Joint) -> list[tuple[int, Angle]]:
        """Return the turns Rz Ry that bring z onto a general axis; none for ±x, ±y, ±z."""
        if coordinate_axis(joint)[0] is not None:
            return []
        x, y, z = joint.axis  # type: ignore[attr-defined]
        flat = number(sqrt(lift(x * x + y * y)))
        return [
            (2, self._of_matrix(number(atan2(lift(y), lift(x))))),
            (1, self._of_matrix(number(atan2(lift(flat), lift(z))))),
        ]

    def _of_matrix(self, angle: Any) -> Angle:
        """Return an angle of a rounded matrix or axis: numbers, exactly on the unit circle."""
        if isinstance(angle, Expr):
            return self._constant(angle)
        if angle == 0:
            return Angle(Pairs())
        c, s = on_circle(abs(angle))
        known = [k for k, pair in self.numeric.items() if pair == (c, s)]
        k = known[0] if known else UNNAMED + len(self.numeric)
        self.numeric[k] = (c, s)
        return Angle(Pairs(), (), ((k, 1 if angle > 0 else -1),))

    def _constant(self, angle: Any) -> Angle:
        """Return a constant angle: quarter turns exactly, anything else as a pair of its own."""
        if not isinstance(angle, Expr):
            if angle == 0:
                return Angle(Pairs())
            sign = 1 if angle > 0 else -1
            return Angle(Pairs(), (), ((self._named_angle(abs(angle)), sign),))
        turns = angle.graph.over_pi(angle.id)
        if turns is not None and (2 * turns).denominator == 1:
            return Angle(Pairs(), quarters=int(2 * turns) % 4)
        negative = angle.graph.op[angle.id] == "neg"
        k = self._named_angle(-angle if negative else angle)
        return Angle(Pairs(), (), ((k, -1 if negative else 1),))

    def _named_angle(self, angle: Any) -> int:
        for k, known in enumerate(self.constants, 1):
            if type(known) is type(angle) and known == angle:
                return k
        self.constants.append(angle)
        return len(self.constants)

    def _label(self, op: str, angle: Any) -> tuple[int, str]:
        """Return sign and name of the sine or cosine of a constant angle."""
        number = not isinstance(angle, Expr)
        sign = -1 if number and angle < 0 else 1
        name = f"{op[0].upper()}K{self._named_angle(sign * angle)}"
        while name in {p.name for p in self.m.parameters}:
            name += "_"
        return (sign if op == "sin" else 1), name

    def _key(self, op: str, angle: Any) -> tuple[int, tuple[str, int]] | None:
        """Return sign and key of the sine or cosine of an angle, if that angle has a name."""
        sign = -1 if not isinstance(angle, Expr) and angle < 0 else 1
        for k, known in enumerate(self.constants, 1):
            if type(known) is type(angle) and known == sign * angle:
                return (sign if op == "sin" else 1), (op + "K", k)
        return None

    # -- generators --------------------------------------------------------------------------------

    def _polynomials(self) -> dict[str, list[Any]]:
        """Return the numbers that enter as they are: levers, gravity, pitches, rotor inertias."""
        levers = [x for a in self.augmented for _, l in a.levers for x in l]
        pitches = [getattr(b.joint, "pitch", 0) for b in self.m.bodies]
        rest = [*pitches, *(d.gear * d.gear * d.inertia for d in self.m.drives), *self.more]
        return {"levers": levers, "gravity": list(self.m.gravity), "rest": rest}

    def _generators(self) -> list[Generator]:
        sums = self._sums()
        names = [joined(s, "_" if self.n > 9 else "") for s in sums]
        made = [Generator(f"S{name}", ("sin", s)) for name, s in zip(names, sums, strict=True)]
        constants = range(1, len(self.constants) + 1)
        made += [Generator(f"SK{k}", ("sinK", k)) for k in constants]
        made += [Generator(f"C{name}", ("cos", s)) for name, s in zip(names, sums, strict=True)]
        made += [Generator(f"CK{k}", ("cosK", k)) for k in constants]
        sliding = [j for j in range(self.n) if self.slides[j]]
        made += [Generator(f"q{j + 1}", ("q", j + 1)) for j in sliding]
        masses = [j for j in sliding if not is_zero(self.augmented[j].M)]
        made += [Generator(f"MT{j + 1}", ("M", j)) for j in masses]
        made += [
            Generator(f"V{'XYZ'[u]}{j + 1}", ("V", j, u))
            for j in range(self.n)
            for u in range(3)
            if self._present(j, "V", u)
        ]
        made += [
            Generator(f"J{letters(a, b)}{j + 1}", ("J", j, a, b))
            for j in range(self.n)
            for a, b in ENTRIES
            if self._present(j, "J", a, b)
        ]
        parameters: dict[str, None] = {}
        for x in (x for group in self.polynomials.values() for x in group):
            self._atoms(x, parameters)
        made += [Generator(name, ("p", name)) for name in parameters]
        made += [Generator(f"F{k}", ("other", t)) for k, t in enumerate(self.others, 1)]
        return without_clashes(made)

    def _present(self, j: int, what: str, a: int, b: int = 0) -> bool:
        """Whether a component of V_j or J_j is not zero by structure, slides included."""
        body = self.augmented[j]
        if what == "V":
            return not (is_zero(body.V[a]) and is_zero(body.V_q[a]))
        grows = (body.J, body.W_q, body.W_qq) if self.slides[j] else (body.J,)
        return not all(is_zero(W[a, b]) for W in grows)

    @cached_property
    def reported(self) -> Reported:
        """The texts of the reported constants."""
        return reported(self.written, self.full)

    def _sums(self) -> list[Joints]:
        """Return every sum of angles that a vector on its way through the frames can turn by."""
        sums: dict[Joints, None] = {}
        for k in range(self.n):
            axis, angle, at = -1, Angle(Pairs()), k
            while at >= 0:
                for a, step in reversed(self.factors[at]):
                    axis, angle = a, step + angle if a == axis else step
                    if angle.joints:
                        sign = 1 if angle.joints[0] > 0 else -1
                        sums[tuple(sign * j for j in angle.joints)] = None
                at = self.m.bodies[at].parent
            if len(sums) > SUMS:
                raise TooLargeError(
                    f"parallel axes give more than {SUMS} sums of angles",
                    hint="use inverse_dynamics or export: they are recursive, of any size",
                )
        for j in range(self.n):
            if any(step.joints for _, step in self.factors[j]):
                sums[(j + 1,)] = None
        return sorted(sums)

    def _atoms(self, x: Any, parameters: dict[str, None]) -> None:
        """Collect the parameters of an expression, and the parts of it that are no polynomial."""
        if not isinstance(x, Expr):
            return
        graph, stack = x.graph, [x.id]
        while stack:
            i = stack.pop()
            op, args = graph.op[i], graph.args[i]
            if op == "param":
                parameters.setdefault(args[0])
            elif op in ("add", "sub", "mul", "neg"):
                stack += reversed(args)
            elif op != "const" and not self._is_named(graph, i):
                part = Expr(graph, i)
                self.others.setdefault(text(part), part)

    def _is_named(self, graph: Graph, i: int) -> bool:
        """Whether a node is the sine or cosine of an angle with a name."""
        op = graph.op[i]
        if op not in ("sin", "cos"):
            return False
        return self._key(op, exact(Expr(graph, graph.args[i][0]))) is not None

    # -- over any scalar ---------------------------------------------------------------------------

    def polynomial(self, x: Any, values: Sequence[Scalar], rational: Callable[[Any], Any]) -> Any:
        """Return an exact number or an expression of parameters over the scalars of `values`."""
        if not isinstance(x, Expr):
            return x if x.__class__ is int else rational(x)
        graph = x.graph

        def known(key: Any) -> Any:
            return values[self.index[key]] if key in self.index else None

        def named(i: int, _: list[Any]) -> Any:
            if not self._is_named(graph, i):
                return known(("other", text(Expr(graph, i))))
            sign, name = self._key(graph.op[i], exact(Expr(graph, graph.args[i][0])))  # type: ignore[misc]
            return sign * values[self.index[name]]

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
        for i, g in enumerate(self.generators):
            if g.key[0] == "sin":
                pairs.joint[g.key[1]] = (values[self.index["cos", g.key[1]]], values[i])
            elif g.key[0] == "sinK":
                pairs.constant[g.key[1]] = (values[self.index["cosK", g.key[1]]], values[i])
        return pairs

    def links(self, values: Sequence[Scalar], rational: Callable[[Any], Any]) -> list[Link]:
        """Return the augmented bodies over these scalars, one for each generator."""
        pairs = self.pairs(values, rational)
        links = []
        for j, body in enumerate(self.m.bodies):
            turns = [(axis, Angle(pairs, a.joints, a.constants, a.quarters))
                     for axis, a in self.factors[j]]  # fmt: skip
            factors = tuple(Turn(axis, a, a.cos(), a.sin()) for axis, a in turns)
            axis = self._axis(j, pairs)
            angular = Vec3.zero() if body.joint.kind == "prismatic" else axis
            linear = self._slide(j, values, rational) if self.slides[j] else Vec3.zero()
            slid = linear * self._value("q", j + 1, values=values)
            levers = {
                c: l.map(lambda x: self.polynomial(x, values, rational)) + slid
                for c, l in self.augmented[j].levers
            }
            V = Vec3(*(self._value("V", j, u, values=values) for u in range(3)))
            J = Mat3.symmetric(*(self._value("J", j, a, b, values=values) for a, b in ENTRIES))
            M = self._value("M", j, values=values)
            links.append(Link(body.parent, factors, linear, angular, M, V, J, levers))
        return links

    def _value(self, *key: Any, values: Sequence[Scalar]) -> Scalar:
        return values[self.index[key]] if key in self.index else 0

    def _axis(self, j: int, pairs: Pairs) -> Vec3:
        along, sense = coordinate_axis(self.m.bodies[j].joint)
        if along is not None:
            return Vec3(*(sense if u == along else 0 for u in range(3)))
        axis = Vec3(0, 0, 1)
        for a, angle in reversed(self.tilts[j]):
            angle = Angle(pairs, (), angle.constants, angle.quarters)
            axis = Turn(a, angle, angle.cos(), angle.sin()) @ axis
        return axis

    def slope(
        self, k: int, values: Sequence[Scalar], rational: Callable[[Any], Any]
    ) -> dict[int, Scalar]:
        """Return the derivative of each generator along q_k (k from 0), where it is not zero."""
        out: dict[int, Scalar] = {}
        for i, g in enumerate(self.generators):
            kind = g.key[0]
            if kind in ("sin", "cos"):
                sign = (k + 1 in g.key[1]) - (-(k + 1) in g.key[1])
                if sign:
                    other = values[self.index["cos" if kind == "sin" else "sin", g.key[1]]]
                    out[i] = sign * other if kind == "sin" else -sign * other
            elif g.key == ("q", k + 1):
                out[i] = 1
        if self.slides[k]:
            out |= self._sliding_slope(k, values, rational)
        return out

    def _sliding_slope(
        self, k: int, values: Sequence[Scalar], rational: Callable[[Any], Any]
    ) -> dict[int, Scalar]:
        """Return the slopes of V_k and J_k of a body that slides (E0.9)."""
        s, out = self._slide(k, values, rational), {}
        V = Vec3(*(self._value("V", k, u, values=values) for u in range(3)))
        M = self._value("M", k, values=values)
        for u in range(3):
            if ("V", k, u) in self.index:
                out[self.index["V", k, u]] = s[u] * M
        for a, b in ENTRIES:
            if ("J", k, a, b) in self.index:
                along = 2 * s.dot(V) if a == b else 0
                out[self.index["J", k, a, b]] = along - (s[a] * V[b] + s[b] * V[a])
        return out

    def _slide(self, k: int, values: Sequence[Scalar], rational: Callable[[Any], Any]) -> Vec3:
        """Return the slide of joint k per unit of its coordinate, over these scalars."""
        joint = self.m.bodies[k].joint
        axis = self._axis(k, self.pairs(values, rational))
        if joint.kind == "prismatic":
            return axis
        return axis * self.polynomial(joint.pitch, values, rational)  # type: ignore[attr-defined]

    # -- numbers -----------------------------------------------------------------------------------

    def values(self, parameters: Mapping[str, float], q: Sequence[Any]) -> list[Any]:
        """Return the float (or array) of each generator at a posture."""
        bodies = augmented_bodies(self.m.bound(parameters))
        known = {k: to_float(v) for k, v in self.m.values.items()}
        known |= {k: float(v) for k, v in parameters.items()}
        V = [b.reported_mass(q[j] if self.slides[j] else 0) for j, b in enumerate(bodies)]
        J = [b.total_inertia(q[j] if self.slides[j] else 0) for j, b in enumerate(bodies)]
        out: list[Any] = []
        for g in self.generators:
            kind, *key = g.key
            if kind in ("sin", "cos"):
                angle = sum((q[j - 1] if j > 0 else -q[-j - 1] for j in key[0]), 0.0)
                out.append((sin if kind == "sin" else cos)(angle))
            elif kind in ("sinK", "cosK"):
                angle = to_float(self.constants[key[0] - 1], known)
                out.append((math.sin if kind == "sinK" else math.cos)(angle))
            elif kind == "q":
                out.append(q[key[0] - 1])
            elif kind == "M":
                out.append(bodies[key[0]].M)
            elif kind == "V":
                out.append(V[key[0]][key[1]])
            elif kind == "J":
                out.append(J[key[0]][key[1], key[2]])
            elif kind == "p":
                out.append(known[key[0]])
            else:
                out.append(to_float(self.others[key[0]], known))
        return out


_ARITHMETIC = {name: OPS[name].evaluate for name in ("add", "sub", "mul", "neg")}
