"""Formalisms compared as polynomials: an identity, not a number of states.

Each formalism is traced as described, exactly; the graphs are then run over rational functions of
the sines and cosines of every joint, the slides, rates, accelerations and open parameters, and two
of them are equal when numerators times denominators are, s² + c² = 1 taken into account. Where that
would be too large, the graphs are run over the field of 2⁶¹ - 1 elements at random points instead:
functions that differ would agree there with a chance below 1e-15.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx, nmod

from .algebra import Mat3, Rotation, Transform, Turn, turn
from .catalog import quantity
from .compute import trace_quantity
from .errors import DalembertError, ModelError
from .expr import Expr, Function, Graph
from .expr.exact import to_float
from .mechanism import Mechanism, is_closed
from .mechanism.rehome import merge_fixed

PRIME = 2**61 - 1
POINTS = 3
LARGE = 4  # joints up to which polynomials are formed
TERMS = 40_000  # of one polynomial
# an external wrench keeps the frames as they are described: that of newton_euler is zero
_WRENCHED = ("newton_euler",)
SERVED = ("revolute", "prismatic", "screw", "fixed")


@dataclass(frozen=True, slots=True)
class Identity:
    """Whether all formalisms give one and the same tau, and how that is known."""

    formalisms: tuple[str, ...]
    different: tuple[str, ...]  # those that differ from the first
    proof: str  # "polynomials", or "field": the chance of a miss is below 1e-15
    absent: Mapping[str, str]

    @property
    def ok(self) -> bool:
        """Whether none differs."""
        return not self.different

    def data(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "quantity": "tau", "formalisms": list(self.formalisms), "ok": self.ok,
            "different": list(self.different), "proof": self.proof, "absent": dict(self.absent),
        }  # fmt: skip

    def __str__(self) -> str:
        how = {
            "polynomials": "as polynomials",
            "field": "over a finite field, the chance of a miss below 1e-15",
        }[self.proof]
        names = ", ".join(self.formalisms)
        if self.ok:
            return f"tau is one and the same {how}: {names}"
        return f"tau differs from {self.formalisms[0]} {how}: {', '.join(self.different)}"


class _TooLarge(Exception):
    """A polynomial has more terms than is worth the time."""


def agree_exactly(m: Mechanism) -> Identity:
    """Return whether every formalism gives the same inverse model, identically."""
    for body in m.bodies:
        if body.joint.kind not in SERVED:
            raise ModelError(
                f"joint {body.name!r} is {body.joint.kind}: its angles have no polynomials here",
                hint="compare at states: dalembert agree without --exact",
            )
    if is_closed(m) or m.followers:
        raise ModelError(
            "identities are those of a tree, and this mechanism has loops or constraints",
            hint="compare at states: dalembert agree without --exact",
        )
    m = merge_fixed(m) if any(b.joint.kind == "fixed" for b in m.bodies) else m
    watch = _exactly(m)
    traced: dict[str, Function] = {}
    absent: dict[str, str] = {}
    for name in quantity("inverse_dynamics", m).methods:
        try:
            traced[name] = trace_quantity(m, "inverse_dynamics", name, wrench=name in _WRENCHED,
                                          drives="inertia", watch=watch)  # fmt: skip
        except DalembertError as error:
            absent[name] = error.message
    for way in (_by_polynomials, _by_field) if m.nv <= LARGE else (_by_field,):
        try:
            return Identity(tuple(traced), way(traced), way.__name__[4:], absent)
        except _TooLarge:
            continue
    raise AssertionError("a field is never too large")


def _exactly(m: Mechanism) -> Callable[[Mechanism, Graph], Mechanism]:
    """Return what puts the mechanism into a graph without rounding a number.

    A constant angle that is not a quarter turn gets a letter of its own: what is equal for every
    angle is equal for this one.
    """
    for body in m.bodies:
        for f in body.placement.R.factors:
            entries = [x for row in f.rows for x in row] if isinstance(f, Mat3) else []
            if any(abs(to_float(x)) not in (0, 1) for x in entries):
                raise ModelError(
                    f"body {body.name!r} is placed by a matrix of rounded numbers",
                    hint="give its angles: a rounded matrix is not exactly a rotation",
                )
        axis = [Fraction(repr(to_float(x))) for x in getattr(body.joint, "axis", (1,))]
        if sum(x * x for x in axis) != 1:
            raise ModelError(
                f"the axis of joint {body.name!r} is rounded: no unit vector exactly",
                hint="give an axis along x, y or z and turn its frame by an angle",
            )

    def put(_: Mechanism, graph: Graph) -> Mechanism:
        def exact(x: Any) -> Any:
            if isinstance(x, Expr):
                return graph.adopt(x)
            if x.__class__ is int:
                return x
            number = x if isinstance(x, Fraction) else Fraction(repr(float(x)))
            return Expr(graph, graph.lift(number))

        def turned(f: Any) -> Any:
            quarter = isinstance(f, Turn) and all(x.__class__ is int for x in (f.c, f.s))
            if not isinstance(f, Turn) or quarter:
                return f.map(exact)
            angle = f.angle if isinstance(f.angle, Expr) else exact(f.angle)
            if not angle.names():
                size = to_float(angle)
                letter = graph.param(f"angle {abs(size)!r}")
                return turn(f.axis, letter if size > 0 else -letter)
            return turn(f.axis, graph.adopt(angle))

        known = {k: v for k, v in m.values.items() if k in {p.name for p in m.parameters}}
        full = m.with_values(**known) if known else m
        bodies = []
        for body, own in zip(full.bodies, full.map(exact).bodies, strict=True):
            R = Rotation(tuple(turned(f) for f in body.placement.R.factors))
            bodies.append(replace(own, placement=Transform(R, own.placement.p)))
        return replace(full.map(exact), bodies=tuple(bodies), checked=True)

    return put


def _by_polynomials(traced: Mapping[str, Function]) -> tuple[str, ...]:
    world = _Polynomials(traced)
    first: list[Any] = []
    different = []
    for name, f in traced.items():
        found = world.run(f)
        first = first or found
        if not all(world.same(a, b) for a, b in zip(first, found, strict=True)):
            different.append(name)
    return tuple(different)


def _by_field(traced: Mapping[str, Function]) -> tuple[str, ...]:
    different: dict[str, None] = {}
    for seed in range(POINTS):
        first: list[Any] = []
        for name, f in traced.items():
            found = _Field(seed).run(f)
            first = first or found
            if found != first:
                different[name] = None
    return tuple(different)


# -- one graph in another algebra --------------------------------------------------------------


class _World:
    """What sines, constants and inputs are; `value` of a node beside its angle, if it has one."""

    def run(self, f: Function) -> list[Any]:
        """Return the results of a graph."""
        graph = f.graph
        angles: dict[int, dict[Any, Fraction] | None] = {}  # joint or constant -> multiple
        made: dict[int, Any] = {}
        ids = [x.id if hasattr(x, "id") else x for x in f.results]
        for i in graph.live(ids):
            op, args = graph.op[i], graph.args[i]
            if op in ("sin", "cos"):
                angle = angles[args[0]]
                if angle is None:
                    raise ModelError("an angle is not a sum here", hint="compare at states")
                angles[i], made[i] = None, self._turned(op, angle)
                continue
            angles[i] = _angle(graph, i, angles)
            made[i] = self._value(graph, i, made)
        return [made[i] for i in ids]

    def _value(self, graph: Any, i: int, made: Mapping[int, Any]) -> Any:
        op, args = graph.op[i], graph.args[i]
        if op == "const":
            return self.number(Fraction(graph.const[i]))
        if op == "pi":
            return self.symbol("pi")
        if op == "param":
            return self.symbol(args[0])
        if op == "input":
            name, k = args
            return self.number(Fraction(0)) if name.startswith("wrench") else self.symbol(name, k)
        x = [made[a] for a in args]
        rows: dict[str, Callable[..., Any]] = {
            "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
            "div": lambda a, b: a / b, "neg": lambda a: -a,
        }  # fmt: skip
        if op not in rows:
            raise ModelError(f"{op} has no identity here", hint="compare at states")
        return self.bounded(rows[op](*x))

    def _turned(self, op: str, angle: Mapping[Any, Fraction]) -> Any:
        """Return the sine or cosine of a sum of joints and constants."""
        c, s = self.number(Fraction(1)), self.number(Fraction(0))
        for what, times in angle.items():
            if times.denominator != 1 and isinstance(what, tuple):
                raise ModelError("half angles have no identity here", hint="compare at states")
            for cj, sj, n in self.turns(what, times):
                for _ in range(abs(n)):
                    t = sj if n > 0 else -sj
                    c, s = self.bounded(c * cj - s * t), self.bounded(s * cj + c * t)
        return s if op == "sin" else c

    def turns(self, what: Any, times: Fraction) -> list[tuple[Any, Any, int]]:
        """Return (cosine, sine, how often) of one part of an angle."""
        if what == "pi":
            quarters = 2 * times
            if quarters.denominator == 1:
                k = int(quarters) % 4
                one = [self.number(Fraction(x)) for x in ((1, 0), (0, 1), (-1, 0), (0, -1))[k]]
                return [(one[0], one[1], 1)]
            return [(*self.pair(("pi", abs(times))), 1 if times > 0 else -1)]
        if what == 1:  # a number of radians
            return [(*self.pair(("1", abs(times))), 1 if times > 0 else -1)] if times else []
        return [(*self.pair(what), int(times))]

    number: Callable[[Fraction], Any]
    symbol: Callable[..., Any]
    pair: Callable[[Any], tuple[Any, Any]]

    def bounded(self, x: Any) -> Any:
        """Return a value, refused when it is too large."""
        return x


def _angle(graph: Any, i: int, angles: Mapping[int, Any]) -> dict[Any, Fraction] | None:
    """Return a node as a sum of joints ("q", k), parameters, pi and radians; None if it is none."""
    op, args = graph.op[i], graph.args[i]
    if op == "const":
        return {1: Fraction(graph.const[i])} if graph.const[i] else {}
    if op == "pi":
        return {"pi": Fraction(1)}
    if op in ("param", "input"):
        return {tuple(args): Fraction(1)}
    if op in ("add", "sub", "neg"):
        parts = [angles.get(a) for a in args]
        if any(p is None for p in parts):
            return None
        out = dict(parts[0] or {}) if op != "neg" else {k: -x for k, x in (parts[0] or {}).items()}
        for k, x in (parts[1] or {}).items() if op != "neg" else ():
            out[k] = out.get(k, Fraction(0)) + (x if op == "add" else -x)
        return {k: x for k, x in out.items() if x}
    if op in ("mul", "div"):
        a, b = (angles.get(x) for x in args)
        if b is not None and set(b) <= {1} and a is not None and (op == "mul" or b):
            by = b.get(1, Fraction(0))
            return {k: x * by if op == "mul" else x / by for k, x in a.items() if x * by}
        if op == "mul" and a is not None and set(a) <= {1} and b is not None:
            return {k: x * a.get(1, Fraction(0)) for k, x in b.items() if a}
    return None


# -- rational functions ------------------------------------------------------------------------


class _Ratio:
    """A polynomial over another."""

    __slots__ = ("down", "up")

    def __init__(self, up: Any, down: Any):
        self.up, self.down = up, down

    def __add__(self, o: _Ratio) -> _Ratio:
        if self.down == o.down:
            return _Ratio(self.up + o.up, self.down)
        return _Ratio(self.up * o.down + o.up * self.down, self.down * o.down)

    def __neg__(self) -> _Ratio:
        return _Ratio(-self.up, self.down)

    def __sub__(self, o: _Ratio) -> _Ratio:
        return self + (-o)

    def __mul__(self, o: _Ratio) -> _Ratio:
        return _Ratio(self.up * o.up, self.down * o.down)

    def __truediv__(self, o: _Ratio) -> _Ratio:
        return _Ratio(self.up * o.down, self.down * o.up)


class _Polynomials(_World):
    """Rational functions; a sine and a cosine for every angle, sines first in the order."""

    def __init__(self, traced: Mapping[str, Function]):
        found = _Names()
        for f in traced.values():
            found.run(f)
        angles, symbols = list(found.angles), list(found.symbols)
        count = 2 * len(angles) + len(symbols)
        self.ctx = fmpq_mpoly_ctx.get(tuple(f"x{k}" for k in range(max(1, count))), Ordering.lex)
        gens = list(self.ctx.gens())
        self.sines = {a: gens[k] for k, a in enumerate(angles)}
        self.cosines = {a: gens[len(angles) + k] for k, a in enumerate(angles)}
        self.others = {s: gens[2 * len(angles) + k] for k, s in enumerate(symbols)}
        self.one = self.ctx.constant(1)

    def number(self, x: Fraction) -> Any:  # type: ignore[override]
        return _Ratio(self.ctx.constant(fmpq(x.numerator, x.denominator)), self.one)

    def symbol(self, *key: Any) -> Any:  # type: ignore[override]
        return _Ratio(self.others[key], self.one)

    def pair(self, what: Any) -> tuple[Any, Any]:  # type: ignore[override]
        return _Ratio(self.cosines[what], self.one), _Ratio(self.sines[what], self.one)

    def bounded(self, x: Any) -> Any:
        """Return a value with every s² as 1 - c², refused when it is too large."""
        up = self._reduced(x.up)
        if len(up) > TERMS or len(x.down) > TERMS:
            raise _TooLarge
        return _Ratio(up, x.down)

    def _reduced(self, p: Any) -> Any:
        for a, s in self.sines.items():
            degrees = p.degrees()
            if any(degrees) and degrees[list(self.sines).index(a)] > 1:
                p = divmod(p, s**2 + self.cosines[a] ** 2 - 1)[1]
        return p

    def same(self, a: _Ratio, b: _Ratio) -> bool:
        """Return whether two rational functions are equal."""
        return not len(self._reduced(a.up * b.down - b.up * a.down))


class _Names(_World):
    """Collects the angles and symbols of a graph; values are of no account."""

    def __init__(self) -> None:
        self.angles: dict[Any, None] = {}
        self.symbols: dict[Any, None] = {}

    def number(self, x: Fraction) -> Any:  # type: ignore[override]
        return 1.0

    def symbol(self, *key: Any) -> Any:  # type: ignore[override]
        self.symbols[key] = None
        return math.pi

    def pair(self, what: Any) -> tuple[Any, Any]:  # type: ignore[override]
        self.angles[what] = None
        return 0.6, 0.8

    def _value(self, graph: Any, i: int, made: Mapping[int, Any]) -> Any:
        if graph.op[i] in ("param", "input", "pi"):
            return super()._value(graph, i, made)
        return 1.0


class _Field(_World):
    """A random point of the field; sines and cosines on its unit circle."""

    def __init__(self, seed: int):
        self.seed = seed

    def number(self, x: Fraction) -> Any:  # type: ignore[override]
        return nmod(x.numerator % PRIME, PRIME) / nmod(x.denominator % PRIME, PRIME)

    def symbol(self, *key: Any) -> Any:  # type: ignore[override]
        return nmod(random.Random(repr((self.seed, key))).randrange(1, PRIME), PRIME)

    def pair(self, what: Any) -> tuple[Any, Any]:  # type: ignore[override]
        t = self.symbol("angle", what)
        norm = 1 / (1 + t * t)
        return (1 - t * t) * norm, 2 * t * norm
