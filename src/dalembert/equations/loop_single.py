"""One closure equation with one unknown in closed form: a slide, a coupling, or a turn.

A turn stands in a cos A + b sin A + K = 0. Its two solutions are named by a sign e; where K is zero
they are half a turn apart, and an equation between axes has one of them alone.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ..algorithms.loop_closure import equation_units
from ..expr import Expr, atan2, sqrt
from .loop_blocks import Line, Solved, value
from .loop_passive import angle_at, branch_of, coordinate, lifted
from .trig import NotTrig, Trig, trig


def single(s: Solved, number: int, row: int, joint: int) -> list[Line]:
    """Return the lines that give the unknown coordinate of an equation; none where it has none."""
    unknown = f"q{joint + 1}"
    try:
        whole = trig(s.closure[row][1])
    except NotTrig:
        return []
    known, along = Trig(atoms=whole.atoms), Trig(atoms=whole.atoms)
    parts = {"c": Trig(atoms=whole.atoms), "s": Trig(atoms=whole.atoms)}
    turns = set()
    for (letters, angle, kind), c in whole.terms.items():
        power = dict(letters).get(unknown, 0)
        if any(n == unknown for n, _ in angle):
            if power:
                return []
            turns.add(angle)
            parts[kind].terms[letters, (), ""] = c
        elif power == 1:
            rest = tuple(p for p in letters if p[0] != unknown)
            along.terms[rest, angle, kind] = c
        elif power:
            return []
        else:
            known.terms[letters, angle, kind] = c
    K, u = known.expr(s.graph), along.expr(s.graph)
    if not turns:
        return [(unknown, -lifted(s, K) / u)] if along.terms else []
    if len(turns) > 1 or along.terms:
        return []
    a, b = (parts[kind].expr(s.graph) if parts[kind].terms else None for kind in "cs")
    angle = turns.pop()
    if known.terms:
        return _turn(s, number, joint, angle, a, b, K)
    return _across(s, number, row, joint, angle, [0 if x is None else x for x in (a, b)])


def _across(s: Solved, number: int, row: int, joint: int, angle: Any, ab: list[Any]) -> list[Line]:
    """Return the lines of a cos A + b sin A = 0."""
    true, (a, b) = angle_at(s.at, angle), ab
    way = value(b, s.at) * math.cos(true) - value(a, s.at) * math.sin(true)
    at = 1.0 if way >= 0 else -1.0
    if equation_units(s.m)[s.plan.rows[row]] == "rad":  # ends that are half turned are open
        k = int(at)
        plain = not isinstance(a, Expr) and not isinstance(b, Expr) and 0 in (a, b)
        quarters = round(2 * math.atan2(-k * a, k * b) / math.pi) if plain else 0
        A = s.graph.pi() * Fraction(quarters, 2) if plain else atan2(lifted(s, -k * a), k * b)
        return [coordinate(s, {joint}, angle, A, set())]
    sign = s.name("e", number)
    s.at[sign] = at
    e = s.symbol(sign)
    remark = f"{sign} = +1 or -1: the way it points; {at:+.0f} in the example"
    return [("", remark), coordinate(s, {joint}, angle, atan2(-e * a, e * b), set())]


def _turn(s: Solved, number: int, joint: int, angle: Any, a: Any, b: Any, K: Any) -> list[Line]:
    """Return the lines of a cos A + b sin A + K = 0."""
    lines: list[Line] = []
    true, sign = angle_at(s.at, angle), s.name("e", number)
    e = s.symbol(sign)
    W = -lifted(s, K)
    W = W / (b if a is None else a) if a is None or b is None else W
    W = lifted(s, s.called(s.name("W", number), W, lines))
    if a is None or b is None:
        open_side = sqrt(1 - W * W)
        A = atan2(W, e * open_side) if a is None else e * atan2(open_side, W)
        own = math.cos(true) if a is None else math.sin(true)
        at = 1.0 if own >= 0 else -1.0
    else:
        base, open_angle = atan2(lifted(s, b), a), atan2(sqrt(lifted(s, a * a + b * b - W * W)), W)
        at = branch_of(true, value(base, s.at), value(open_angle, s.at))
        A = base + e * open_angle
    s.at[sign] = at
    lines.append(("", f"{sign} = +1 or -1: the side to which it turns; {at:+.0f} in the example"))
    return [*lines, coordinate(s, {joint}, angle, A, set())]
