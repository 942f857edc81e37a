"""Negligible terms left out, with a proven bound of the error this makes.

Bounded is |tau_full - tau_pruned|, joint by joint, for every motion of a box. Shares refer to the
largest force of each joint that was found: a lower bound of the maximum, attained by a motion that
is shown. The bound comes from outward-rounded intervals over a subdivided box of postures, until it
is within 1.5 of an error that was found, or the budget ends.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..display import lines_html
from . import attained
from .box import Box, box_of
from .enclosure import Enclosure, enclosed, most
from .entry import Entry
from .order import ordered
from .ring import Term
from .tolerance import in_words, tolerances

if TYPE_CHECKING:
    from .derive import Equations

Key = tuple[Any, tuple[int, ...]]
Ranges = tuple[tuple[float, float], ...]
CLOSE = 1.5  # a bound this near to a found error is not improved further
NEAR = 1.05  # the same, of one factor
ROUNDS = 4
ROUNDING = 1e-15  # of the largest term of a joint: what a joint that needs no force may be off


@dataclass(frozen=True)
class Pruned:
    """The shorter equations, what they leave out, and the proof."""

    equations: Equations
    kept: int  # terms, every s² as 1 - c²
    gone: int
    bound: tuple[float, ...]  # |tau_full - tau_pruned| never passes it, by joint
    found: tuple[float, ...]  # errors that motions of the box attain
    reference: tuple[float, ...]  # forces that motions of the box attain
    motions: tuple[attained.State, ...]  # (q, qd, qdd) of each reference
    values: tuple[Mapping[str, float], ...]  # the parameters of each reference
    positive_definite: str  # "proven" or "not proven", of A over the box
    idle: tuple[bool, ...] = ()  # joints that need no force at all, but for rounding

    @property
    def share(self) -> tuple[float, ...]:
        """The proven bound over the attained force, by joint; 0 of a joint that needs no force."""
        rows = zip(self.bound, self.reference, self.idle, strict=True)
        return tuple(0.0 if idle or not r else b / r for b, r, idle in rows)

    def __str__(self) -> str:
        lines = [f"{self.gone} of {self.kept + self.gone} terms are left out"]
        for i, share in enumerate(self.share):
            force = f"{share:.3%} of the force {self.reference[i]:.6g} that is attained"
            if self.idle[i]:
                force = "it needs no force, but for rounding"
            lines.append(
                f"joint {i + 1}: error at most {self.bound[i]:.3e} ({force}), "
                f"{self.found[i]:.3e} found"
            )
        lines.append(f"A positive definite over the box: {self.positive_definite}")
        return "\n".join(lines)

    def __getattr__(self, name: str) -> Any:
        # what is asked of equations is asked of the shorter ones
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.equations, name)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return lines_html(str(self))


def prune(
    eq: Equations,
    values: Mapping[str, Any],
    limits: Any,
    tolerance: float | str | Mapping[str | int, float | str],
    budget: int = 4000,
) -> Pruned:
    """Return the equations without terms whose sum is proven to stay below `tolerance`.

    It is a share, 0.01 or "1%", a force "0.5 N m", or such a one for each joint: {"j1": "1%"}, with
    `all` for the others.
    A value may be a pair (low, high): then all holds for every value between.
    `budget` is the number of boxes examined for each joint and each bound.
    """
    each = tolerances(eq, tolerance)
    box = box_of(eq, values, limits)
    reference, motions, given = attained.forces(eq, box)
    rows = _rows(eq, box)
    allowed = [x * size if shared else x for (x, shared), size in zip(each, reference, strict=True)]
    if any(x for x, _ in each):
        least = (r if x else 0.0 for r, (x, _) in zip(_rounding(rows, eq.n), each, strict=True))
        allowed = list(map(max, allowed, least))
    chosen: list[int] = []
    bound = found = [0.0] * eq.n
    room = [x * (1 - 1e-6) for x in allowed]
    for _ in range(ROUNDS):
        trial = _greedy(rows, room)
        if len(trial) <= len(chosen):
            break
        proof = [_bound_of(eq, box, _errors(rows, trial, i), budget) for i in range(eq.n)]
        if any(b > a for (b, _), a in zip(proof, allowed, strict=True)):
            room = [(r + s) / 2 for r, s in zip(room, _used(rows, chosen, eq.n), strict=True)]
            continue
        chosen = trial
        bound, found = [b for b, _ in proof], [f for _, f in proof]
        # what the plain sum of bounds overstates may be spent on further terms
        spent = _used(rows, chosen, eq.n)
        room = [s * min(4.0, a / b) if b else a
                for s, a, b in zip(spent, allowed, bound, strict=True)]  # fmt: skip
    shorter = _without(eq, rows, chosen, in_words(each))
    definite = "proven" if _definite(shorter, box, budget) else "not proven"
    idle = [x <= y for x, y in zip(reference, _rounding(rows, eq.n), strict=True)]
    gone = sum(len(rows[k].terms) for k in chosen)
    every = sum(len(row.terms) for row in rows)
    made = Pruned(
        shorter, every - gone, gone, tuple(bound), tuple(found),
        tuple(reference), tuple(motions), tuple(given), definite, tuple(idle),
    )  # fmt: skip
    remarks = (*shorter.remarks, *str(made).splitlines())
    return replace(made, equations=replace(shorter, remarks=remarks))


# -- which terms go --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """Terms that move alike, (JX6 - JY6)*C5*S6, and the largest force they can give each joint."""

    entry: Entry
    terms: tuple[Term, ...]
    force: dict[int, float]
    single: dict[int, float]  # the same of the largest of its terms: JX6*C5*S6


def _rows(eq: Equations, box: Box) -> list[Row]:
    """Return the terms of all coefficients, every s² as 1 - c², in groups that move alike."""
    out = []
    cases = [eq.values(case, [a for a, _ in box.q]) for case in box.cases]
    for kind in ("Q", "A", "B", "C"):
        for entry in getattr(eq, kind):
            groups: dict[Any, list[Term]] = {}
            for term in ordered(eq.ring, entry.poly):
                groups.setdefault(_movement(eq, term), []).append(term)
            for movement, terms in groups.items():
                sizes = [[float(c) * _constant(m, movement, values) for c, m in terms]
                         for values in cases]  # fmt: skip
                whole = max(abs(sum(each)) for each in sizes) * (1 + 1e-9)
                force, single = (
                    box.bound(eq, entry, (Fraction(size), movement))
                    for size in (whole, max(abs(x) for each in sizes for x in each))
                )
                out.append(Row(entry, tuple(terms), force, single))
    return out


def _rounding(rows: Sequence[Row], n: int) -> list[float]:
    """Return what rounding alone makes of the force of each joint."""
    return [ROUNDING * max((row.single.get(i, 0.0) for row in rows), default=0.0) for i in range(n)]


def _movement(eq: Equations, term: Term) -> tuple[tuple[int, int], ...]:
    """Return the factors of a term that change with the posture."""
    s = eq.ring.symbols

    def moves(i: int) -> bool:
        kind, *key = s.generators[i].key
        return kind in ("sin", "cos", "q") or (kind in "VJ" and s.slides[key[0]])

    return tuple(sorted(f for f in term[1] if moves(f[0])))


def _constant(monomial: Any, movement: Any, values: Sequence[Any]) -> float:
    """Return the value of the factors of a term that do not change with the posture."""
    size = 1.0
    for i, e in monomial:
        if (i, e) not in movement:
            size *= float(values[i]) ** e
    return size


def _greedy(rows: Sequence[Row], room: Sequence[float]) -> list[int]:
    """Return the terms that fit into the room, the smallest shares first."""

    def share(k: int) -> float:
        return max(f / room[i] if room[i] else float("inf") for i, f in rows[k].force.items())

    left = list(room)
    chosen = []
    for k in sorted(range(len(rows)), key=lambda k: (share(k), k)):
        if all(f <= left[i] for i, f in rows[k].force.items()):
            chosen.append(k)
            for i, f in rows[k].force.items():
                left[i] -= f
    return sorted(chosen)


def _used(rows: Sequence[Row], chosen: Sequence[int], n: int) -> list[float]:
    out = [0.0] * n
    for k in chosen:
        for i, f in rows[k].force.items():
            out[i] += f
    return out


def _without(eq: Equations, rows: Sequence[Row], chosen: Sequence[int], share: str) -> Equations:
    gone = set(chosen)
    touched = {(rows[k].entry.kind, rows[k].entry.place) for k in chosen}
    kept: dict[Key, list[Term]] = {key: [] for key in touched}
    for k, row in enumerate(rows):
        key = (row.entry.kind, row.entry.place)
        if key in touched and k not in gone:
            kept[key] += row.terms
    changed = dict(eq.changed) | {key: eq.ring.sum(terms) for key, terms in kept.items()}
    left_out = sum(len(rows[k].terms) for k in gone)
    every = sum(len(row.terms) for row in rows)
    remark = f"pruned: {left_out} of {every} terms, the error of each joint below {share}"
    return replace(eq, changed=changed, remarks=(*eq.remarks, remark))


# -- the proof -------------------------------------------------------------------------------------

Error = dict[tuple[int, ...], list[Term]]  # () gravity, (j,) acceleration, (j, k) rates


def _errors(rows: Sequence[Row], chosen: Sequence[int], i: int) -> Error:
    """Return what joint i loses, by the motion it stands with."""
    out: Error = {}
    for k in chosen:
        row = rows[k]
        place = tuple(x - 1 for x in row.entry.place)
        if row.entry.kind == "A":
            if i in place:
                other = place[1] if place[0] == i else place[0]
                out.setdefault((other,), []).extend(row.terms)
        elif place[0] == i:
            motion = {"Q": (), "B": place[1:], "C": (place[-1], place[-1])}[row.entry.kind]
            out.setdefault(motion, []).extend(row.terms)
    return out


def _bound_of(eq: Equations, box: Box, error: Error, budget: int) -> tuple[float, float]:
    """Return (proven bound, found value) of the error of one joint over the box.

    Two bounds are made, and the smaller one counts: the sum of the maxima of each motion's factor,
    and the maximum of the sum.
    """
    if not error:
        return 0.0, 0.0
    enclosure = Enclosure(eq, box.values, box.ranges)
    found = attained.error(eq, box, {motion: eq.ring.sum(t) for motion, t in error.items()})
    parts = [(enclosure.grouped(t), _motion_size(box, motion)) for motion, t in error.items()]
    total, known = 0.0, {}
    for terms, size in parts:
        # many motions have one and the same factor
        key = tuple((movement, str(c)) for c, movement in terms)
        if key not in known:
            known[key] = _maximum(eq, enclosure, [(terms, 1.0)], box.q, 0.0, budget // 8)
        total += known[key] * size
    if total > CLOSE * found:
        total = min(total, _maximum(eq, enclosure, parts, box.q, found, budget))
    return total * (1 + 1e-12), found


def _maximum(
    eq: Equations,
    enclosure: Enclosure,
    parts: Sequence[tuple[Sequence[Any], float]],
    q: Ranges,
    found: float,
    budget: int,
) -> float:
    """Return an upper bound of Σ |factor| size over the box, by halving its worst part."""
    used = sorted({g for terms, _ in parts for _, m in terms for g, _ in m})
    start = enclosure.variables(q, used)
    names = sorted(start, key=str)

    def upper(ranges: Ranges) -> float:
        at = enclosure.at(dict(zip(names, ranges, strict=True)), used)
        return sum(most(enclosed(terms, at)) * size for terms, size in parts)

    whole: Ranges = tuple(start[name] for name in names)
    heap = [(-upper(whole), 0, whole)]
    low = found
    for step in range(1, budget):
        worst, _, box = heap[0]
        if -worst <= (CLOSE if found else NEAR) * low or not names:
            break
        heapq.heappop(heap)
        if not found:
            low = max(low, upper(tuple(((a + b) / 2,) * 2 for a, b in box)))
        for k, half in enumerate(halves(box)):
            heapq.heappush(heap, (-upper(half), 2 * step + k, half))
    return -heap[0][0]


def halves(box: Ranges) -> list[Ranges]:
    """Return a box in two halves across its widest side."""
    j = max(range(len(box)), key=lambda j: box[j][1] - box[j][0])
    a, b = box[j]
    middle = (a + b) / 2
    return [(*box[:j], part, *box[j + 1 :]) for part in ((a, middle), (middle, b))]


def _motion_size(box: Box, motion: tuple[int, ...]) -> float:
    if len(motion) == 1:
        return max(map(abs, box.qdd[motion[0]]))
    size = 1.0
    for j in motion:
        size *= max(map(abs, box.qd[j]))
    return size


def _definite(eq: Equations, box: Box, budget: int) -> bool:
    """Whether A is proven positive definite over the box: LDLᵀ of intervals, pivots above zero."""
    n = range(1, eq.n + 1)
    enclosure = Enclosure(eq, box.values, box.ranges)
    entries = {e.place: enclosure.grouped(e.terms("report")) for e in eq.A}
    if any(not entries[i, i] for i in n):
        return False
    used = sorted({g for terms in entries.values() for _, m in terms for g, _ in m})
    start = enclosure.variables(box.q, used)
    names = sorted(start, key=str)
    stack: list[Ranges] = [tuple(start[name] for name in names)]
    for _ in range(budget):
        if not stack:
            return True
        part = stack.pop()
        at = enclosure.at(dict(zip(names, part, strict=True)), used)
        A = [[enclosed(entries[min(i, j), max(i, j)], at) for j in n] for i in n]
        if not _positive(A):
            if not names:
                return False
            stack += halves(part)
    return not stack


def _positive(A: list[list[Any]]) -> bool:
    n = len(A)
    for k in range(n):
        if not A[k][k] > 0:
            return False
        for i in range(k + 1, n):
            ratio = A[i][k] / A[k][k]
            for j in range(i, n):
                A[i][j] = A[j][i] = A[i][j] - ratio * A[k][j]
    return True
