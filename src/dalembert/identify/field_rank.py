"""The rank of Nᵀ Y over a finite field: exact numbers at random closed states.

A machine whose numbers are decimals and whose constant angles are multiples of 15 degrees has all
of its entries in the field. Independent coordinates are drawn, those that follow are computed by
their closed forms (`loop_passive.py`) with roots of the field, and the closure must vanish exactly.
The rank of such rows is at most the generic one, and below it with a chance of about 1e-15.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from flint import nmod_mat

from ..algebra import Mat3, Rotation, Transform, Turn
from ..algorithms.drives import Drives
from ..algorithms.loop_closure import closure, closure_rates, loop_jacobian
from ..algorithms.regressor import parameter_columns, regressor
from ..equations.loop_blocks import Solved
from ..errors import DalembertError
from ..expr import Expr
from ..expr.arena import Rows
from ..expr.exact import to_float
from ..mechanism import Mechanism
from ..mechanism.binding import unlimited
from .field import (
    PRIME,
    Angle,
    Element,
    NoRoot,
    NotExact,
    Roots,
    Turns,
    element,
    fifteen_degrees,
    random_angle,
    random_element,
    random_unit,
)

TRIES = 400  # draws for one closed state
SPARE = 8  # rows beyond those that a full rank needs
KINDS = ("revolute", "prismatic", "planar", "spherical", "free", "fixed")


def exact_rank(
    m: Mechanism, drives: Drives, columns: Sequence[int], branch: Any = None, seed: int = 1
) -> int | None:
    """Return the rank of chosen columns at closed motions; None where the field cannot say.

    `branch` has the loops in closed form; a field knows both of two roots, so that branches which
    one equation describes are taken together.
    """
    standard = parameter_columns(m.tree, drives)
    if any(standard[k].kind.startswith("Fs") for k in columns):
        return None  # dry friction asks for the sense of a motion
    try:
        loops = None if branch is None else branch.loops
        return _Machine(m, random.Random(seed), loops).rank(drives, columns)
    except (NotExact, NoRoot, DalembertError, ZeroDivisionError, TypeError, ValueError):
        return None


class _Machine:
    """A machine over the field, and its closed motions."""

    def __init__(self, m: Mechanism, rng: random.Random, loops: Solved | None = None):
        if any(b.joint.kind not in KINDS for b in m.bodies) or (m.wheels and m.prescribed):
            raise NotExact
        self.rng = rng
        self.loops = loops
        if (m.loops or m.couplings) and (loops is None or loops.unsolved):
            raise NotExact
        self.roots = Roots(rng)
        self.unit = fifteen_degrees()
        self.values = {n: self.number(x) for n, x in m.values.items()}
        self.m = self._over_field(m)

    # -- numbers --------------------------------------------------------------------------------

    def number(self, x: Any) -> Any:
        """Return an exact number or an expression of parameters with values."""
        if not isinstance(x, Expr):
            return element(x)
        return self.computed(x, self.values)

    def computed(self, x: Any, at: dict[str, Any]) -> Any:
        """Return an expression at elements and angles."""
        if not isinstance(x, Expr):
            return element(x)
        leaf: Rows = {
            "const": _constant,
            "pi": lambda: Turns(Fraction(1)),
            "param": lambda name: at[name],
        }
        ways = OPERATIONS | {"sqrt": self.roots.root, "atan2": self.roots.direction}
        return element(x.graph.fold([x.id], leaf, ways)[x.id])

    def _over_field(self, m: Mechanism) -> Mechanism:
        bodies = []
        for body in m.bodies:
            axis = getattr(body.joint, "axis", None)
            if axis is not None and sum(_fraction(x) ** 2 for x in axis) != 1:
                raise NotExact
            R = Rotation(tuple(self._turned(f) for f in body.placement.R.factors))
            flat = replace(body, placement=Transform(Rotation(), body.placement.p))
            made = flat.map(self.number)
            bodies.append(replace(made, placement=Transform(R, made.placement.p)))
        loops = []
        for loop in m.loops:
            for f in (*loop.rotation_i.factors, *loop.rotation_j.factors):
                if not _is_plain(f):
                    raise NotExact
            for axis in (loop.axis, loop.axis_j):
                if axis is not None and sum(_fraction(x) ** 2 for x in axis) != 1:
                    raise NotExact
            loops.append(loop)
        bare = unlimited(replace(m, bodies=(), loops=(), checked=True)).map(self.number)
        whole = replace(m, bodies=(), loops=tuple(loops), checked=True).map(self.number)
        return replace(whole, bodies=tuple(bodies), gravity=bare.gravity, checked=True)

    def _turned(self, f: Any) -> Any:
        if isinstance(f, Mat3) or not isinstance(f, Turn):
            if not _is_plain(f):
                raise NotExact
            return f
        times = float(to_float(f.angle)) / (math.pi / 12)
        if abs(times - round(times)) > 1e-11:
            raise NotExact
        angle = self.unit * (round(times) % 24)
        return Turn(f.axis, angle, angle.cos(), angle.sin())

    # -- closed motions -------------------------------------------------------------------------

    def rank(self, drives: Drives, columns: Sequence[int]) -> int:
        """Return the rank of the columns over enough closed motions."""
        rows: list[list[int]] = []
        tree = self.m.tree
        while len(rows) < len(columns) + SPARE:
            q = self._pose()
            J = [[_n(x) for x in row] for row in loop_jacobian(self.m, q)]
            N = _null(J, self.m.nv)
            if not N:
                raise NotExact
            qd = self._along(N)
            turn = [_n(x) for x in closure_rates(self.m, q, qd)[1]]
            rest = _particular(J, turn, self.m.nv)
            qdd = [x + y for x, y in zip(rest, self._along(N), strict=True)]
            Y = regressor(tree, q, qd, qdd, drives)
            for column in N:
                rows.append([
                    sum(column[r] * _n(Y[r][k]) for r in range(self.m.nv)) % PRIME for k in columns
                ])  # fmt: skip
        return int(_matrix(rows).rank())

    def _along(self, N: list[list[int]]) -> list[Element]:
        by = [self.rng.randrange(PRIME) for _ in N]
        return [
            Element(sum(b * c[r] for b, c in zip(by, N, strict=True))) for r in range(self.m.nv)
        ]

    def _drawn(self) -> list[Any]:
        """Return random coordinates of all joints."""
        out: list[Any] = []
        for body in self.m.bodies:
            kind = body.joint.kind
            places = {"prismatic": 1, "planar": 2, "free": 3}.get(kind, 0)
            out += [random_element(self.rng) for _ in range(places)]
            if kind in ("revolute", "planar"):
                out.append(random_angle(self.rng))
            elif kind in ("spherical", "free"):
                out += random_unit(self.rng)
        return out

    def _pose(self) -> list[Any]:
        """Return coordinates that close every loop exactly."""
        if self.loops is None:
            return self._drawn()
        for _ in range(TRIES):
            q, self.roots = self._drawn(), Roots(self.rng)
            at: dict[str, Any] = {f"q{k + 1}": x for k, x in enumerate(q)} | self.values
            at |= {n: self.rng.choice((1, -1)) for n in self.loops.at if n[:1] == "e"}
            try:
                for name, x in self.loops.passive:
                    if name:
                        at[name] = self.computed(x, at)
            except (NoRoot, ZeroDivisionError, ValueError):
                continue
            q = [at[f"q{k + 1}"] for k in range(self.m.nq)]
            if all(_n(x) % PRIME == 0 for x in closure(self.m, q)):
                return q
        raise NotExact


def _constant(x: Any) -> Any:
    """Return a constant as it is: it may count half turns."""
    return x if x.__class__ is int else Fraction(repr(x)) if isinstance(x, float) else Fraction(x)


def _divided(a: Any, b: Any) -> Any:
    return (
        Fraction(a) / b
        if isinstance(a, (int, Fraction)) and isinstance(b, (int, Fraction))
        else a / b
    )


OPERATIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: b * a if isinstance(b, Angle) else a * b,
    "div": _divided,
    "neg": lambda a: -a,
    "sin": lambda a: Angle.sin(a),
    "cos": lambda a: Angle.cos(a),
}


def _fraction(x: Any) -> Fraction:
    return Fraction(repr(float(to_float(x))))


def _is_plain(f: Any) -> bool:
    """Return whether a rotation is one of signs and exchanges of axes."""
    rows = f.matrix().rows if isinstance(f, Turn) else f.rows
    return all(abs(float(to_float(x))) in (0.0, 1.0) for row in rows for x in row)


def _n(x: Any) -> int:
    """Return the residue of a scalar of any kind."""
    if isinstance(x, Element):
        return int(x.n)
    made = element(x)
    return int(made.n) if isinstance(made, Element) else int(made) % PRIME


def _matrix(rows: Sequence[Sequence[int]]) -> Any:
    flat = [int(x) % PRIME for row in rows for x in row]
    return nmod_mat(len(rows), len(rows[0]), flat, PRIME)


def _null(J: list[list[int]], n: int) -> list[list[int]]:
    """Return a basis of the rates that keep J qd = 0."""
    if not J:
        return [[int(r == c) for r in range(n)] for c in range(n)]
    X, count = _matrix(J).nullspace()
    return [[int(X[r, c]) for r in range(n)] for c in range(int(count))]


def _particular(J: list[list[int]], turn: list[int], n: int) -> list[Element]:
    """Return one solution of J qdd + turn = 0."""
    out = [Element(0)] * n
    if not J:
        return out
    R, count = _matrix([[*row, -t] for row, t in zip(J, turn, strict=True)]).rref()
    for r in range(int(count)):
        lead = next(c for c in range(n + 1) if int(R[r, c]))
        if lead == n:
            raise NotExact  # the equations contradict each other: no motion passes here
        out[lead] = Element(int(R[r, n]))
    return out
