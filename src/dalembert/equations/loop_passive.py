"""Passive coordinates in closed form: dyads of two turns, of a turn and a slide, parallelograms.

A dyad closes a triangle in the plane: p exp(iA) + r exp(iB) + X + iY = 0. Its two solutions are
named by a sign e. Where the known sides are the unknown ones turned, the four sides are a
parallelogram: one of the two solutions is A = α, B = β for ever, and rates follow with constants.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..expr import Expr, atan2, cos, sin, sqrt
from .loop_blocks import Line, Solved, value
from .trig import Angle, NotTrig, Trig, is_coordinate, trig
from .trig_form import folded

SAME = 1e-7


@dataclass(frozen=True)
class Side:
    """A side of unknown direction: coefficient · exp(i angle)."""

    angle: Angle
    length: Any  # an expression or a number; it may be negative
    key: tuple[Any, Any]  # letters and number, to be compared; None and None for several
    turn: Any = 0  # from the angle to the side itself


@dataclass(frozen=True)
class Dyad:
    """Two closure equations in the plane with two unknown coordinates."""

    rows: tuple[int, int]
    joints: tuple[int, int]
    x: Trig  # what is known in both equations
    y: Trig
    sides: tuple[Side, ...]
    slide: tuple[int, Trig, Trig] | None = None  # coordinate, its direction in both equations


def dyad(s: Solved, rows: list[int], joints: list[int]) -> Dyad | None:
    """Return a block as a triangle in the plane, None where it is none."""
    if len(rows) != 2 or any(s.m.bodies[j].joint.nv != 1 for j in joints):
        return None
    try:
        one, two = (trig(s.closure[r][1]) for r in rows)
    except NotTrig:
        return None
    unknown = {f"q{j + 1}" for j in joints}
    for other in (two, -two):  # the plane seen from either side
        found = _taken_apart(s, one, other, unknown)
        if found is not None:
            x, y, sides, slide = found
            return Dyad((rows[0], rows[1]), (joints[0], joints[1]), x, y, sides, slide)
    return None


def _taken_apart(s: Solved, one: Trig, two: Trig, unknown: set[str]) -> Any:
    parts: list[dict[Any, Any]] = [{}, {}]
    known, along = (Trig(atoms=one.atoms), Trig(atoms=two.atoms)), [Trig(), Trig()]
    slides: set[str] = set()
    for n, t in enumerate((one, two)):
        for (letters, angle, kind), c in t.terms.items():
            turns = [a for a, _ in angle if a in unknown]
            own = [a for a, _ in letters if a in unknown]
            if own and turns:
                return None
            if own:
                slides.update(own)
                rest = tuple(p for p in letters if p[0] not in own)
                along[n] = along[n] + Trig({(rest, angle, kind): c}, t.atoms)
            elif turns:
                parts[n].setdefault(angle, []).append((letters, kind, c))
            else:
                known[n].terms[letters, angle, kind] = c
    sides = [
        _side(s, a, parts[0].get(a, []), parts[1].get(a, []), one) for a in {**parts[0], **parts[1]}
    ]
    if None in sides or len(sides) + len(slides) != 2 or not sides:
        return None
    slide = None
    if slides:
        (name,) = slides
        slide = (int(name[1:]) - 1, along[0], along[1])
    return *known, tuple(sides), slide


def _side(s: Solved, angle: Angle, one: Any, two: Any, t: Trig) -> Side | None:
    """Return length and direction of c cos A in the first equation and c sin A in the second."""
    found = _vector(angle, one, two)
    if found is not None:
        angle, letters, c = found
        return Side(angle, Trig({(letters, (), ""): c}, t.atoms).expr(s.graph), (letters, c))
    # a cos A - b sin A and a sin A + b cos A: a side of its own direction in its link
    (a, b), (c, d) = (_by_kind(terms, t) for terms in (one, two))
    if not _vanishes(a + -d) or not _vanishes(b + c):
        return None
    along, across = lifted(s, a.expr(s.graph)), lifted(s, c.expr(s.graph))
    return Side(angle, sqrt(along * along + across * across), (None, None), atan2(across, along))


def _by_kind(terms: Any, t: Trig) -> tuple[Trig, Trig]:
    """Return what stands with the cosine of an angle, and with its sine."""
    parts = (Trig(atoms=t.atoms), Trig(atoms=t.atoms))
    for letters, kind, c in terms:
        parts["cs".index(kind)].terms[letters, (), ""] = c
    return parts


def _vanishes(t: Trig) -> bool:
    return all(abs(float(c)) <= 1e-12 for c in t.terms.values())


def _vector(angle: Angle, one: Any, two: Any) -> tuple[Angle, Any, Any] | None:
    """Return (A, letters, c) of c exp(iA) from its parts: c cos A, c sin A, or a quarter turn off.

    c sin B and -c cos B are those of A = B - pi/2.
    """
    if len(one) != 1 or len(two) != 1:
        return None
    (a, f, c), (b, g, d) = one[0], two[0]
    quarter = (f, g) == ("s", "c")
    if a != b or not (quarter or (f, g) == ("c", "s")) or not _alike(c, -d if quarter else d):
        return None
    return ((*angle, ("pi", Fraction(-1, 2))) if quarter else angle), a, c


def _alike(a: Any, b: Any) -> bool:
    return abs(float(a - b)) <= 1e-12 * abs(float(a))


# -- parallelograms ------------------------------------------------------------------------------


def parallelogram(s: Solved, d: Dyad) -> list[tuple[Angle, Angle]] | None:
    """Return the pairs (A, α), (B, β) of parallel sides on the branch of the example."""
    if d.slide is not None or len(d.sides) != 2:
        return None
    sides = _known_sides(d)
    if sides is None or len(sides) != 2:
        return None
    pairs = []
    for side in d.sides:
        letters, c = side.key
        match = [
            (a, x) for a, (own, x) in sides.items() if own == letters and _alike(abs(x), abs(c))
        ]
        if len(match) != 1:
            return None
        angle, x = match[0]
        # c exp(iA) + x exp(iα) = 0: the same direction, or the opposite one
        pairs.append((side.angle, angle if x * c < 0 else (*angle, ("pi", Fraction(1)))))
    return pairs if parallel_at(s.at, pairs) or _unfolded(s, d, pairs) else None


def _known_sides(d: Dyad) -> dict[Angle, tuple[Any, Any]] | None:
    """Return the sides of known direction, letters and number by angle; None where one is not."""
    parts: dict[Angle, tuple[list[Any], list[Any]]] = {}
    for n, t in enumerate((d.x, d.y)):
        for (letters, angle, kind), c in t.terms.items():
            parts.setdefault(angle, ([], []))[n].append((letters, kind, c))
    out: dict[Angle, tuple[Any, Any]] = {}
    for angle, (one, two) in parts.items():
        if not angle and len(one) == 1 and not two:  # along the first equation
            out[angle] = one[0][0], one[0][2]
            continue
        found = _vector(angle, one, two)
        if found is None:
            return None
        out[found[0]] = found[1], found[2]
    return out


def parallel_at(at: Any, pairs: list[tuple[Angle, Angle]]) -> bool:
    """Return whether angles are equal, whole turns left out, at values of the coordinates."""
    turns = [angle_at(at, a) - angle_at(at, b) for a, b in pairs]
    return all(abs(math.sin(t / 2)) < SAME for t in turns)


def _unfolded(s: Solved, d: Dyad, pairs: list[tuple[Angle, Angle]]) -> bool:
    """Move the example from the crossed branch to the parallel one, unless a user gave it."""
    if s.given:
        return False
    for name, x in linear(s, d, pairs):
        if name:
            s.at[name] = value(x, s.at)
    return True


def angle_at(at: Any, angle: Angle) -> Any:
    """Return an angle at values of its names."""
    return sum(float(c) * (math.pi if n == "pi" else at[n] if n else 1.0) for n, c in angle)


def parallel_rates(d: Dyad, pairs: list[tuple[Angle, Angle]]) -> dict[int, dict[int, Fraction]]:
    """Return the unknown rates as numbers times known ones."""
    rows = []
    for a, b in pairs:
        row = {int(n[1:]) - 1: c for n, c in a if is_coordinate(n)}
        for n, c in b:
            if is_coordinate(n):
                k = int(n[1:]) - 1
                row[k] = row.get(k, Fraction(0)) - c
        rows.append(row)
    i, j = d.joints
    (p, q), (r, t) = ((row.get(i, Fraction(0)), row.get(j, Fraction(0))) for row in rows)
    det = p * t - q * r
    known = sorted({k for row in rows for k in row} - {i, j})
    out: dict[int, dict[int, Fraction]] = {i: {}, j: {}}
    for k in known:
        x, y = (-row.get(k, Fraction(0)) for row in rows)
        out[i][k], out[j][k] = (t * x - q * y) / det, (p * y - r * x) / det
    return out


# -- coordinates ---------------------------------------------------------------------------------


def coordinates(s: Solved, number: int, d: Dyad) -> list[Line]:
    """Return the lines that give the unknown coordinates of a dyad, and its branch."""
    lines: list[Line] = []

    def name(letter: str, x: Any) -> Any:
        return s.called(s.name(letter, number), x, lines)

    def told(side: Side, letter: str) -> Side:
        """Return a side whose length and turn are symbols where they are not single letters."""
        if side.key[1] is not None:
            return side
        length = name(letter, side.length)
        return replace(side, length=length, turn=name(f"t{letter}", side.turn))

    X, Y = (name(letter, t.expr(s.graph)) for letter, t in (("X", d.x), ("Y", d.y)))
    sign = s.name("e", number)
    if d.slide is not None:
        d = replace(d, sides=(told(d.sides[0], "p"),))
        return _with_slide(s, d, X, Y, sign, lines)
    first, second = sorted(d.sides, key=lambda side: _count(d, side.angle))
    if _count(d, first.angle) != 1:
        return []
    first, second = (told(side, n) for side, n in ((first, "p"), (second, "r")))
    p, r = first.length, second.length
    L = name("L", X * X + Y * Y)
    W = name("W", (r * r - p * p - L) / (2 * p))
    open_angle = atan2(sqrt(lifted(s, L - W * W)), W)
    base = atan2(lifted(s, Y), X)
    lines += _bent(s, d, first, sign, "the side to which the dyad bends", base, open_angle)
    direction = _sum_of(s, first.angle) + first.turn
    turn = -1 if value(r, s.at) < 0 else 1
    back = atan2(lifted(s, -turn * (Y + p * sin(direction))), -turn * (X + p * cos(direction)))
    done = {lines[-1][0]}
    lines.append(coordinate(s, d.joints, second.angle, back - second.turn, done))
    return lines


def _bent(
    s: Solved, d: Dyad, side: Side, sign: str, what: str, base: Any, open_angle: Any
) -> list[Line]:
    """Return the branch and the coordinate of a side whose angle is base ± open_angle."""
    true = angle_at(s.at, side.angle) + value(side.turn, s.at)
    e = s.at[sign] = branch_of(true, value(base, s.at), value(open_angle, s.at))
    A = base + s.symbol(sign) * open_angle - side.turn
    remark = f"{sign} = +1 or -1: {what}; {e:+.0f} in the example"
    return [("", remark), coordinate(s, d.joints, side.angle, A, set())]


def _with_slide(s: Solved, d: Dyad, X: Any, Y: Any, sign: str, lines: list[Line]) -> list[Line]:
    """Return the lines of a turn and a slide: u X' of both equations leaves the turn alone."""
    assert d.slide is not None
    k, one, two = d.slide
    (side,) = d.sides
    u, v = one.expr(s.graph), two.expr(s.graph)
    p, N = side.length, folded(lifted(s, u * u + v * v))
    P = folded(lifted(s, (u * Y - v * X) / p))  # v cos A - u sin A = P
    open_angle = atan2(sqrt(lifted(s, N - P * P)), P)
    base = atan2(lifted(s, -u), v)
    lines += _bent(s, d, side, sign, "the way the dyad bends", base, open_angle)
    A = _sum_of(s, side.angle) + side.turn
    slid = -(u * (X + p * cos(A)) + v * (Y + p * sin(A))) / N
    lines.append((f"q{k + 1}", slid))
    return lines


def lifted(s: Solved, x: Any) -> Expr:
    """Return a number or an expression as an expression."""
    return x if isinstance(x, Expr) else s.graph.constant(x)


def _count(d: Dyad, angle: Angle) -> int:
    own = {f"q{j + 1}" for j in d.joints}
    return sum(n in own for n, _ in angle)


def branch_of(true: float, base: float, turned: float) -> float:
    """Return the sign e with which base + e · turned is an angle."""
    gaps = {e: abs(math.sin((true - base - e * turned) / 2)) for e in (1.0, -1.0)}
    return min(gaps, key=gaps.__getitem__)


def _sum_of(s: Solved, angle: Angle) -> Any:
    total: Any = 0
    for n, c in angle:
        part = s.graph.pi() if n == "pi" else s.symbol(n) if n else 1
        total = total + part * c
    return total


def coordinate(s: Solved, joints: Iterable[int], angle: Angle, x: Any, done: set[str]) -> Line:
    """Return the line of the one unknown of an angle."""
    own = {f"q{j + 1}" for j in joints} - done
    ((name, c),) = [(n, c) for n, c in angle if n in own]
    rest = tuple((n, k) for n, k in angle if n != name)
    return name, (x - _sum_of(s, rest)) / c


def linear(s: Solved, d: Dyad, pairs: list[tuple[Angle, Angle]]) -> list[Line]:
    """Return the coordinates of a parallelogram on its own branch, whole turns left aside."""
    lines: list[Line] = [("", "a parallelogram: opposite sides stay parallel on this branch")]
    done: set[str] = set()
    for a, b in sorted(pairs, key=lambda p: _count(d, p[0])):
        line = coordinate(s, d.joints, a, _sum_of(s, b), done)
        lines.append((line[0], folded(line[1])))
        done.add(line[0])
    return lines
