"""A row for each kind of symbol: what it is worth, between which bounds, how it grows, its print.

A key is the kind and what tells its symbols apart: ("sin", joints), ("q", j), ("V", j, u),
("J", j, a, b), ("p", name), ...; joints from 1, bodies from 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..algorithms.augmented_body import AugmentedBody
from ..expr import Expr, Graph, Scalar, cos, sin
from ..expr.exact import to_float
from ..expr.formula import Symbol
from .angles import CONSTANT, Joints

if TYPE_CHECKING:
    from .symbols import TreeSymbols

Key = tuple[Any, ...]
ALPHABET = "abcdefghijklnopqrstuvwxyz"  # m is a minus: C2m3


@dataclass(frozen=True, slots=True)
class Kind:
    """What all symbols of one kind share; each function takes the rest of a key at its end."""

    rank: int  # place in a product: constants below 3, then what moves
    meaning: Callable[..., str]
    # of what moves, at a Point: over floats or arrays
    value: Callable[..., Any] | None = None
    # of what does not: the exact coefficients of powers of the slide of its body
    exact: Callable[..., tuple[Any, ...]] | None = None
    # of a box and equations: the range; None: that of the values at the ends
    interval: Callable[..., tuple[float, float]] | None = None
    # of a Slope: the derivative
    slope: Callable[..., Any] = lambda *_: 0
    latex: Callable[..., str] | None = None  # None: of the name


# -- points and slopes ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """One state of a tree: floats or arrays, or intervals of what does not move."""

    symbols: TreeSymbols
    bodies: Sequence[AugmentedBody]
    number: Callable[[Any], Any]  # of an exact number or an expression of parameters
    q: Sequence[Any] = ()
    qd: Sequence[Any] = ()
    qdd: Sequence[Any] = ()

    def value(self, key: Key) -> Any:
        """Return what a symbol is worth here."""
        kind, *of = key
        row = KINDS[kind]
        if row.value:
            return row.value(self, *of)
        first, *grown = self.powers(key)
        if grown:
            x = self.q[self.symbols.follow.labels[of[0]] - 1]
            for part, power in zip(grown, (x, x * x), strict=False):
                first = first + part * power
        return first

    def powers(self, key: Key) -> list[Any]:
        """Return a symbol that is not a function of angles by powers of the slide of its body."""
        return [self.number(x) for x in self.symbols.exact(key, self.bodies)]

    def angle(self, joints: Joints) -> Any:
        """Return a sum of angles."""
        constants = self.symbols.constants
        total = math.fsum(
            math.copysign(1.0, j) * self.number(constants[abs(j) - CONSTANT - 1])
            for j in joints
            if abs(j) > CONSTANT
        )
        for j in joints:
            if abs(j) < CONSTANT:
                total = total + (self.q[j - 1] if j > 0 else -self.q[-j - 1])
        return total


@dataclass(frozen=True)
class Slope:
    """How symbols change while the coordinates do: `rates` has those that are not zero."""

    rates: Mapping[int, Scalar]
    at: Callable[..., Scalar]  # a symbol by its key, 0 if there is none
    slide: Callable[[int], Any] = lambda j: None  # of a body along its coordinate, if it moves
    seconds: Mapping[int, Scalar] | None = None  # of rates that are functions of time

    def of(self, key: Key) -> Scalar:
        """Return the derivative of a symbol."""
        kind, *of = key
        return KINDS[kind].slope(self, *of)

    def turning(self, joints: Joints) -> Scalar:
        """Return the rate of a sum of angles."""
        moving = [(j, self.rates[abs(j)]) for j in joints if abs(j) in self.rates]
        return sum(rate if j > 0 else -rate for j, rate in moving)

    def mass(self, j: int, u: int) -> Scalar:
        """Return how V_j grows (E0.9)."""
        s = self.slide(j)
        return s[u] * self.at("M", j) if s else 0

    def inertia(self, j: int, a: int, b: int) -> Scalar:
        """Return how J_j grows (E0.9)."""
        s = self.slide(j)
        if not s:
            return 0
        V = [self.at("V", j, u) for u in range(3)]
        along = 2 * sum(s[u] * V[u] for u in range(3)) if a == b else 0
        return along - (s[a] * V[b] + s[b] * V[a])


# -- names ---------------------------------------------------------------------------------------


def angle_symbol(j: int) -> Symbol:
    """Return a part of a sum of angles: a joint's coordinate, or the letter of a constant."""
    return Symbol(f"q{j}", f"q_{{{j}}}") if j < CONSTANT else Symbol(letter(j))


def signed_sum(joints: Joints) -> str:
    """Return a sum of joints with their signs: q2+q3, q2-q3."""
    text = "".join(("-" if j < 0 else "+") + angle_symbol(abs(j)).name for j in joints)
    return text.removeprefix("+")


def letter(j: int) -> str:
    """Return the letter of a constant angle in a sum of angles: a, b, ..., no m, aa after z."""
    k, out = j - CONSTANT, ""
    while k > 0:
        k, at = divmod(k - 1, len(ALPHABET))
        out = ALPHABET[at] + out
    return out


def _indices(joints: Joints) -> str:
    comma = "," if any(9 < abs(j) < CONSTANT for j in joints) else ""
    return joined(joints, comma, "-")


def letters(a: int, b: int) -> str:
    """Return the letters of a tensor entry: X for the diagonal, XY off it."""
    return "XYZ"[a] if a == b else "XYZ"[a] + "XYZ"[b]


def joined(joints: Joints, dot: str, minus: str = "m") -> str:
    """Return the digits of a sum of angles: 234, 2_3 from ten joints on, 2m3 for q2 - q3."""
    out = str(joints[0])
    for j in joints[1:]:
        called = str(abs(j)) if abs(j) < CONSTANT else letter(abs(j))
        out += f"{minus}{called}" if j < 0 else f"{dot}{called}"
    return out


# -- the rows ------------------------------------------------------------------------------------


def _of_angle(f: Callable[[Any], Any], angle: Any) -> Any:
    return f(angle if isinstance(angle, Expr) else to_float(angle))


KINDS = {
    "M": Kind(0, lambda j: f"mass of body {j + 1} and all beyond",
              exact=lambda s, bodies, j: (bodies[j].M,)),
    "V": Kind(0, lambda j, u: f"mass times distance of body {j + 1} and all that it carries",
              exact=lambda s, bodies, j, u: (bodies[j].V[u], bodies[j].V_q[u]),
              slope=Slope.mass,
              latex=lambda j, u: f"V_{{{'XYZ'[u]}{j + 1}}}"),
    "J": Kind(1, lambda j, a, b: f"total inertia of body {j + 1}",
              exact=lambda s, bodies, j, a, b: (
                  bodies[j].J[a, b], bodies[j].W_q[a, b], bodies[j].W_qq[a, b]),
              slope=Slope.inertia,
              latex=lambda j, a, b: f"J_{{{letters(a, b)}{j + 1}}}"),
    "other": Kind(2, str, exact=lambda s, bodies, text: (s.others[text],)),
    "p": Kind(2, lambda name: "parameter", exact=lambda s, bodies, name: (Graph().param(name),)),
    "q": Kind(3, lambda j: f"coordinate of joint {j}",
              value=lambda at, j: at.q[j - 1],
              interval=lambda box, eq, j: box.q[j - 1],
              slope=lambda d, j: d.rates.get(j, 0)),
    "sinK": Kind(4, lambda k: f"sine of constant angle {k}",
                 exact=lambda s, bodies, k: (_of_angle(sin, s.constants[k - 1]),)),
    "cosK": Kind(4, lambda k: f"cosine of constant angle {k}",
                 exact=lambda s, bodies, k: (_of_angle(cos, s.constants[k - 1]),)),
    "sin": Kind(5, lambda joints: f"sin({signed_sum(joints)})",
                value=lambda at, joints: sin(at.angle(joints)),
                interval=lambda box, eq, joints: box.wave(eq, "sin", joints),
                slope=lambda d, joints: d.turning(joints) * d.at("cos", joints),
                latex=lambda joints: f"s_{{{_indices(joints)}}}"),
    "cos": Kind(5, lambda joints: f"cos({signed_sum(joints)})",
                value=lambda at, joints: cos(at.angle(joints)),
                interval=lambda box, eq, joints: box.wave(eq, "cos", joints),
                slope=lambda d, joints: -d.turning(joints) * d.at("sin", joints),
                latex=lambda joints: f"c_{{{_indices(joints)}}}"),
    # of Kane's method and regressors
    "rate": Kind(6, lambda j: f"dq{j}/dt",
                 value=lambda at, j: at.qd[j - 1],
                 slope=lambda d, j: (d.seconds or {}).get(j, 0),
                 latex=lambda j: rf"\dot q_{{{j}}}"),
    "follows": Kind(6, lambda j, a: f"rate of joint {j + 1} by that of joint {a + 1}",
                    slope=lambda d, j, a: d.at("turns", j, a)),
    "turns": Kind(6, lambda j, a: f"d/dt of the rate of joint {j + 1} by that of {a + 1}"),
    # steps of bodies that lean, and the rates of these steps
    "root": Kind(6, lambda k: f"root {k}"),
    "step": Kind(6, lambda *_: "component of a direction or lever"),
    "root_rate": Kind(6, lambda k: f"d/dt of root {k}"),
    "step_rate": Kind(6, lambda *_: "d/dt of a component"),
    "speed": Kind(6, lambda name: f"speed {name}"),
    "second": Kind(7, lambda j, *_: f"d2q{j}/dt2",
                   value=lambda at, j: at.qdd[j - 1],
                   latex=lambda j, *_: rf"\ddot q_{{{j}}}"),
    "force": Kind(8, lambda j: f"force at {j}"),
    # senses of motion
    "sign": Kind(9, lambda j: f"sign of dq{j}/dt",
                 value=lambda at, j: 1.0 * ((at.qd[j - 1] > 0) * 1 - (at.qd[j - 1] < 0) * 1),
                 latex=lambda j: rf"\operatorname{{sgn}}\dot q_{{{j}}}"),
    "forward": Kind(9, lambda j: f"1 where dq{j}/dt > 0, else 0",
                    value=lambda at, j: 1.0 * (at.qd[j - 1] > 0)),
    "backward": Kind(9, lambda j: f"1 where dq{j}/dt < 0, else 0",
                     value=lambda at, j: 1.0 * (at.qd[j - 1] < 0)),
}  # fmt: skip
