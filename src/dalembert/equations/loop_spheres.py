"""A platform that does not turn, on three rods: its place is where three spheres meet.

The end of each rod stays at a distance from a centre that is known: the end of a crank or a slide,
moved by the place of the rod on the platform. From the first centre, n · p = d1 and k · p = d2 are
a line, on which two points have the length of the rod; a sign e says which. Rods that are bars on
universal joints then have one direction, and their two turns follow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..algebra import Vec3
from ..expr import atan2, sqrt
from .loop_blocks import Line, Solved, value
from .loop_passive import coordinate, lifted
from .trig import NotTrig, Trig, trig
from .trig_form import folded
from .trig_pairs import Key, paired

HALF = Fraction(1, 2)
Bar = tuple[list[Trig], list[Trig], list[str]]  # what is known, the rod, names of its turns


@dataclass(frozen=True)
class Rod:
    """A distance of the platform's coordinates from a centre; turns of a bar where it is one."""

    centre: Vec3
    square: Any  # of the length
    bar: Bar | None = None


def spheres(s: Solved, number: int, rows: Sequence[int], joints: Sequence[int]) -> list[Line]:
    """Return the lines of all unknowns of a platform on three rods; none where it is none."""
    names = [f"q{j + 1}" for j in joints]
    loops: dict[str, list[int]] = {}
    for r in rows:
        loops.setdefault(s.places[r][0], []).append(r)
    if len(loops) != 3 or {len(own) for own in loops.values()} not in ({1}, {3}):
        return []
    try:
        parts = [[trig(s.closure[r][1]) for r in own] for own in loops.values()]
        place = [n for n in names if all(any(_holds(t, n) for t in own) for own in parts)]
        if len(place) != 3 or any(_turns(t, n) for own in parts for t in own for n in place):
            return []
        others = [n for n in names if n not in place]
        found = [_rod(s, own, place, others) for own in parts]
    except NotTrig:
        return []
    rods = [rod for rod in found if rod is not None]
    bars = [rod.bar for rod in rods if rod.bar is not None]
    if len(rods) != 3 or len(others) != 2 * len(bars):
        return []
    lines = _platform(s, number, place, rods)
    for k, bar in enumerate(bars, 1):
        made = _turned(s, (number, k), bar)
        if not made:
            return []
        lines += made
    return lines


def _holds(t: Trig, name: str) -> bool:
    return any(name in dict(letters) for letters, _, _ in t.terms) or _turns(t, name)


def _turns(t: Trig, name: str) -> bool:
    return any(name in dict(angle) for _, angle, _ in t.terms)


def _parted(t: Trig, names: Sequence[str]) -> tuple[Trig, Trig]:
    """Return the terms without an angle of some names, and those with one."""
    with_one: dict[Key, Any] = {
        k: x for k, x in t.terms.items() if any(n in names for n, _ in k[1])
    }
    rest = {k: x for k, x in t.terms.items() if k not in with_one}
    return Trig(rest, t.atoms), Trig(with_one, t.atoms)


def _rod(s: Solved, own: list[Trig], place: list[str], others: list[str]) -> Rod | None:
    """Return the sphere of a loop: a distance, or three equations with the turns of a bar."""
    if len(own) == 1:
        return _sphere(s, own[0], place, None)
    names = [n for n in others if any(_turns(t, n) for t in own)]
    parts = [_parted(t, names) for t in own]
    known, rod = [a for a, _ in parts], [b for _, b in parts]
    square, length = Trig(), Trig()
    for a, b in parts:
        square, length = square + a * a, length + b * b
    if len(names) != 2 or any(_turns(length, n) for n in names):
        return None
    return _sphere(s, square - length, place, (known, rod, names))


def _sphere(s: Solved, t: Trig, place: list[str], bar: Any) -> Rod | None:
    """Return centre and radius of c (|p|² - 2 p · centre + d) = 0."""
    squares, linear, rest = {}, {n: Trig(atoms=t.atoms) for n in place}, Trig(atoms=t.atoms)
    for (letters, angle, kind), x in t.terms.items():
        own = [(n, e) for n, e in letters if n in place]
        bare = tuple(p for p in letters if p not in own)
        if not own:
            rest.terms[letters, angle, kind] = x
        elif own[0][1] == 2 and len(own) == 1 and not angle and own[0][0] not in squares:
            squares[own[0][0]] = bare, x
        elif own[0][1] == 1 and len(own) == 1:
            linear[own[0][0]].terms[bare, angle, kind] = x
        else:
            return None
    if set(squares) != set(place) or len({str(x) for x in squares.values()}) != 1:
        return None
    bare, x = squares[place[0]]
    c = lifted(s, Trig({(bare, (), ""): x}, t.atoms).expr(s.graph))
    centre = Vec3(*[folded(-lifted(s, linear[n].expr(s.graph)) / (2 * c)) for n in place])
    d = lifted(s, rest.expr(s.graph)) / c
    return Rod(centre, folded(centre.dot(centre) - d), bar)


def _platform(s: Solved, number: int, place: list[str], rods: Sequence[Rod]) -> list[Line]:
    """Return the lines of the point that has the lengths of three rods from their centres."""
    lines: list[Line] = []
    count = [0]

    def named(letter: str, x: Any) -> Any:
        count[0] += 1
        return s.called(s.name(letter, number, count[0]), folded(x), lines)

    def vector(letter: str, v: Vec3) -> Vec3:
        count[0] = 0
        return Vec3(*[named(letter, x) for x in v])

    first = vector("xc", rods[0].centre)
    n1, n2 = vector("n", rods[1].centre - first), vector("k", rods[2].centre - first)
    l0, l1, l2 = (rod.square for rod in rods)
    h1 = s.called(s.name("d", number, 1), folded((n1.dot(n1) + l0 - l1) * HALF), lines)
    h2 = s.called(s.name("d", number, 2), folded((n2.dot(n2) + l0 - l2) * HALF), lines)
    N = vector("N", n1.cross(n2))
    S = s.called(s.name("NN", number), N.dot(N), lines)  # S1 is a sine
    p = vector("p", (n2.cross(N) * h1 + N.cross(n1) * h2) * (1 / lifted(s, S)))
    sign = s.name("e", number)
    side = sqrt(lifted(s, (l0 - p.dot(p)) / S))
    true = Vec3(*[s.at[n] for n in place]) - Vec3(*[value(x, s.at) for x in first])
    t = sum(float(a) * value(b, s.at) for a, b in zip(true, N, strict=True))
    s.at[sign] = e = 1.0 if t >= 0 else -1.0
    told = f"{sign} = +1 or -1: the side of the plane of the centres; {e:+.0f} in the example"
    lines.append(("", told))
    along = s.called(s.name("t", number), side, lines)
    for n, a, b, c in zip(place, first, p, N, strict=True):
        lines.append((n, a + b + s.symbol(sign) * along * c))
    return lines


def _turned(s: Solved, number: tuple[int, int], bar: Bar) -> list[Line]:
    """Return the lines of both turns of a bar: sin B, cos B cos A and cos B sin A are known."""
    known, rod, names = bar
    columns: dict[Any, list[Any]] = {}
    for r, t in enumerate(rod):
        for x, letters, turned in paired(t):
            column = columns.setdefault(turned, [0, 0, 0])
            column[r] = column[r] + Trig({(letters, (), ""): x}, t.atoms).expr(s.graph)
    single = [k for k in columns if len(k) == 1]
    double = [k for k in columns if len(k) == 2]
    if len(single) != 1 or len(double) != 2:
        return []
    ((angle, kind),) = single[0]
    if len(angle) != 1 or kind != "s" or angle[0][0] not in names or angle[0][1] != 1:
        return []
    rest = {k: [f for f in k if f[0] != angle] for k in double}
    if sorted(f[0][1] for f in rest.values() if len(f) == 1) != ["c", "s"]:
        return []
    ends = [-lifted(s, t.expr(s.graph)) for t in known]  # the bar itself

    def part(key: Any) -> Any:
        a = columns[key]
        top = sum((x * y for x, y in zip(a, ends, strict=True)), 0)
        return folded(top / lifted(s, folded(sum((lifted(s, x * x) for x in a), lifted(s, 0)))))

    lines: list[Line] = []
    W = s.called(s.name("W", *number), part(single[0]), lines)
    sign = s.name("e", *number)
    swing = angle[0][0]
    s.at[sign] = at = 1.0 if math.cos(s.at[swing]) >= 0 else -1.0
    e = s.symbol(sign)
    lines.append(("", f"{sign} = +1 or -1: the way the rod swings; {at:+.0f} in the example"))
    lines.append((swing, atan2(lifted(s, W), e * sqrt(lifted(s, 1 - W * W)))))
    other = next(n for n in names if n != swing)
    c, sn = (next(k for k in double if rest[k][0][1] == f) for f in "cs")
    A = atan2(e * part(sn), e * part(c))
    joint = int(other[1:]) - 1
    lines.append(coordinate(s, {joint}, rest[c][0][0], A, set()))
    return lines
