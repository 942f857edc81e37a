"""Rates of sums of sines: first and second ones at constant rates of joints, term by term.

(x cos θ)' = x' cos θ - x θ' sin θ, and (x cos θ)'' = -2 x' θ' sin θ - x θ'² cos θ where x'' and θ''
are zero. Rates of sums of angles have names: w12 is qd1 + qd2, w1m3 is qd1 - qd3.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..expr import cos, sin
from .trig import Trig, angle_expr, is_coordinate
from .trig_pairs import Angle, Monomial, Turned, paired

if TYPE_CHECKING:
    from .loop_blocks import Solved

Motion = tuple[Any, Any, Any]  # a factor, its first and its second rate


def first_rate(s: Solved, t: Trig) -> Any:
    """Return d/dt of a sum."""
    total: Any = 0
    for factor, moving in _terms(s, t):
        for k, (_, rate, _) in enumerate(moving):
            total = total + _times([factor, *_others(moving, k), rate])
    return total


def second_rate(s: Solved, t: Trig) -> Any:
    """Return d²/dt² of a sum at constant rates of all joints."""
    total: Any = 0
    for factor, moving in _terms(s, t):
        own: Any = 0  # alike in every equation that has these factors
        for k, (_, _, second) in enumerate(moving):
            own = own + _times([*_others(moving, k), second])
        for a, b in combinations(range(len(moving)), 2):
            rates = [moving[a][1], moving[b][1]]
            own = own + 2 * _times([*_others(moving, a, b), *rates])
        total = total + factor * own
    return total


def _terms(s: Solved, t: Trig) -> list[tuple[Any, list[Motion]]]:
    """Return the constant part of each term, and the factors that move."""
    found = []
    for x, letters, turned in paired(t):
        still = tuple(p for p in letters if not is_coordinate(p[0]))
        factor = Trig({(still, (), ""): x}, t.atoms).expr(s.graph)
        found.append((factor, _moving(s, letters, turned)))
    return found


def _moving(s: Solved, letters: Monomial, turned: Turned) -> list[Motion]:
    out: list[Motion] = []
    for n, e in letters:
        if is_coordinate(n):
            x, rate = s.symbol(n), s.symbol("qd" + n[1:])
            first = e * _power(x, e - 1) * rate
            out.append((_power(x, e), first, e * (e - 1) * _power(x, e - 2) * rate * rate))
    for angle, kind in turned:
        a, rate = angle_expr(s.graph, angle), turn(s, angle)
        own, other = (cos(a), -sin(a)) if kind == "c" else (sin(a), cos(a))
        out.append((own, rate * other, -(rate * rate) * own))
    return out


def _power(x: Any, e: int) -> Any:
    made: Any = 1
    for _ in range(abs(e)):
        made = made * x
    return 1 / made if e < 0 else made


def _others(moving: Sequence[Motion], *but: int) -> list[Any]:
    return [value for k, (value, _, _) in enumerate(moving) if k not in but]


def _times(factors: Sequence[Any]) -> Any:
    made: Any = 1
    for x in factors:
        made = made * x
    return made


def turn(s: Solved, angle: Angle) -> Any:
    """Return the rate of an angle: one of a joint, or a named sum."""
    parts = [(n, c) for n, c in angle if is_coordinate(n)]
    total: Any = 0
    for n, c in parts:
        total = total + c * s.symbol("qd" + n[1:])
    if len(parts) < 2:
        return total
    name = "w" + _marks(parts)
    if name in {p.name for p in s.m.parameters}:
        name += "_"
    s.turns.setdefault(name, total)
    return s.symbol(name)


def _marks(parts: Sequence[tuple[str, Fraction]]) -> str:
    """Return 12m3 of q1 + q2 - q3, 10_11 of q10 + q11, 2q1_3 of 2 q1 + q3, 3o2q1 of 3/2 q1."""
    apart = any(abs(c) != 1 or int(n[1:]) > 9 for n, c in parts)
    out = ""
    for n, c in parts:
        top, bottom = abs(Fraction(c)).as_integer_ratio()
        size = f"{top}o{bottom}q" if bottom > 1 else f"{top}q" if top > 1 else ""
        out += ("m" if c < 0 else "_" if out and apart else "") + size + n[1:]
    return out
