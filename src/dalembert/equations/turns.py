"""The turns that lead from frame to frame: joint angles, quarter turns and constant angles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import Any

from ..algebra import Transform, Turn
from ..expr import OPS, Expr, Graph, atan2, sqrt
from ..expr.arena import Rows
from ..expr.exact import exact, to_float
from ..mechanism import Mechanism
from .angles import Angle, Pairs, coordinate_axis, lift, number, on_circle, zyx
from .frames import settled

QUARTER = 1e-12  # of a turn of a rounded matrix: what is nearer to a quarter turn is one


class Turns:
    """The elementary turns of every body in its parent, and the constant angles among them."""

    def __init__(self, m: Mechanism, labels: Sequence[int]):
        self.m, self.labels = m, labels  # the number of each body's coordinate
        self.constants: list[Any] = []  # constant angles: letters, or numbers
        self.numeric: dict[int, tuple[Fraction, Fraction]] = {}  # cosine and sine of the numbers
        self.alone: set[int] = set()  # constants that stand without a joint
        self.axes = [coordinate_axis(body.joint) for body in m.bodies]
        self.tilts = [self._tilt(j) for j in range(len(m.bodies))]
        self.factors = [self._factors(j) for j in range(len(m.bodies))]

    def _factors(self, j: int) -> list[tuple[int, Angle]]:
        """Return the elementary turns of body j in its parent, general axes taken apart."""
        body = self.m.bodies[j]
        along, sense = self.axes[j]
        turning = body.joint.kind in ("revolute", "screw")
        if turning and along is not None and not body.placement.R.factors:
            return [(along, Angle(Pairs(), (sense * self.labels[j],)))]
        turns: list[tuple[int, Angle]] = []
        for f in body.placement.R.factors:
            if isinstance(f, Turn):
                turns.append((f.axis, self._constant(f.angle)))
            else:
                turns += [(axis, self._of_matrix(angle)) for axis, angle in zyx(f)]
        turns = [(axis, angle) for axis, angle in turns if angle.value is None]
        turns = settled(turns, along if turning else None, self._axis_before(j))
        if turning:
            q = Angle(Pairs(), (self.labels[j],))
            if along is None:
                K = self.tilts[j]
                turns += [*K, (2, q), *((a, -angle) for a, angle in reversed(K))]
            else:
                turns.append((along, q if sense > 0 else -q))
        turns = [(axis, angle) for axis, angle in turns if angle.value is None]
        for _, run in groupby(turns, key=lambda turn: turn[0]):
            angles = [angle for _, angle in run]
            if not any(angle.joints for angle in angles):
                self.alone |= {k for angle in angles for k, _ in angle.constants}
        return turns

    def _axis_before(self, j: int) -> int | None:
        """Return the coordinate axis of the joint that carries the parent of body j, if it has."""
        i = self.m.bodies[j].parent
        turning = i >= 0 and self.m.bodies[i].joint.kind in ("revolute", "screw")
        return self.axes[i][0] if turning else None

    def _tilt(self, j: int) -> list[tuple[int, Angle]]:
        """Return the turns Rz Ry that bring z onto a general axis; none for ±x, ±y, ±z."""
        if self.axes[j][0] is not None:
            return []
        x, y, z = self.m.bodies[j].joint.axis  # type: ignore[attr-defined]
        flat = number(sqrt(lift(x * x + y * y)))
        return [
            (2, self._of_matrix(number(atan2(lift(y), lift(x))))),
            (1, self._of_matrix(number(atan2(lift(flat), lift(z))))),
        ]

    def _of_matrix(self, angle: Any) -> Angle:
        """Return an angle of a rounded matrix or axis: numbers, exactly on the unit circle."""
        if isinstance(angle, Expr):
            return self._constant(angle)
        quarters = angle / (math.pi / 2)
        if abs(quarters - round(quarters)) < QUARTER:
            return Angle(Pairs(), quarters=round(quarters) % 4)
        return self._constant(float(angle))

    def _constant(self, angle: Any) -> Angle:
        """Return a constant angle: quarter turns exactly, anything else as a pair of its own."""
        if not isinstance(angle, Expr):
            if angle == 0:
                return Angle(Pairs())
            sign = 1 if angle > 0 else -1
            return Angle(Pairs(), (), ((self.named(abs(angle)), sign),))
        turns = angle.graph.over_pi(angle.id)
        if turns is not None and (2 * turns).denominator == 1:
            return Angle(Pairs(), quarters=int(2 * turns) % 4)
        negative = angle.graph.op[angle.id] == "neg"
        k = self.named(-angle if negative else angle)
        return Angle(Pairs(), (), ((k, -1 if negative else 1),))

    def named(self, angle: Any) -> int:
        """Return the number of a constant angle; a new one is entered."""
        for k, known in enumerate(self.constants, 1):
            if type(known) is type(angle) and known == angle:
                return k
        self.constants.append(angle)
        k = len(self.constants)
        if not isinstance(angle, Expr) or not angle.names():
            self.numeric[k] = on_circle(to_float(angle))
        return k


# -- sines and cosines of constant angles inside lengths and inertias -----------------------------


Label = Callable[[str, Any], float | str]


def with_named_angles(m: Mechanism, label: Label) -> Mechanism:
    """Return the mechanism with parameters for the sines and cosines in its levers and inertias.

    A joint held at 0.3 leaves cos(0.3) in the centres of the bodies it merges: constants are
    printed with the names CKj and SKj of such pairs, as rotations are.
    `label(op, angle)` gives the name of one, or its value.
    """
    graphs: dict[int, Graph] = {}
    for b in m.bodies:
        for x in (*b.placement.p, *b.inertia.lever, *b.inertia.tensor.six(), b.inertia.mass):
            if x.__class__ is Expr:
                graphs[id(x.graph)] = x.graph
    if not any("sin" in g.op or "cos" in g.op for g in graphs.values()):
        return m
    graph = Graph()

    def written(x: Any) -> Any:
        if not isinstance(x, Expr):
            return x
        source = x.graph
        if not any(source.op[i] in ("sin", "cos") for i in source.live([x.id])):
            return x

        def named(i: int, values: list[Any]) -> Any:
            op = source.op[i]
            if op not in ("sin", "cos"):
                return OPS[op].evaluate(*values)
            name = label(op, exact(Expr(source, source.args[i][0])))
            if isinstance(name, str):
                return graph.param(name)
            return graph.constant(Fraction(repr(name)))

        leaf: Rows = {"const": graph.constant, "pi": graph.pi, "param": graph.param}
        return exact(source.fold([x.id], leaf, {}, named)[x.id])

    bodies = tuple(
        replace(
            b,
            placement=Transform(b.placement.R, b.placement.p.map(written)),
            inertia=b.inertia.map(written),
        )
        for b in m.bodies
    )
    return replace(m, bodies=bodies, checked=True)
