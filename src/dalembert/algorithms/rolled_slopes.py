"""Derivatives of the direct model of large trees, with code of constant size.

-M⁻¹ times the derivatives of the inverse model, as in `base_axes`: M⁻¹ is applied to a few columns
at a time by the recursion of articulated bodies, in base axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from ..expr import Port
from ..expr.rolled import Cells, Pass, Rolled, Roller, Slots
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import NO_WRENCH, Articulated, Twist, Wrench
from .rolled_dynamics import accelerations
from .rolled_links import Call, Formula, Link, Links, Results
from .rolled_matrices import Slopes, zeros
from .rolled_values import (
    Inward,
    Outward,
    articulated_entries,
    as_articulated,
    as_inertia,
    inputs,
)

COLUMNS = 4  # solved at once


def rolled_forward_derivatives(m: Mechanism, rotor: dict[int, float]) -> Rolled:
    """Return (dqdd_dq, dqdd_dqd, Minv) of (q, qd, tau)."""
    n = m.nv
    ends = [Port(name, (n, n)) for name in ("dqdd_dq", "dqdd_dqd", "Minv")]
    roller = Roller("forward_dynamics_derivatives", inputs(m, "tau"), ends)
    links = Links(m, rotor, roller)
    links.angles()
    qdd = [roller.room(1) for _ in m.bodies]
    accelerations(links, qdd)

    def where(k: int, i: int, j: int) -> Cells:
        return Cells(("output", k), i * n + j)

    zeros(links, where, (0, 1), packed=False)
    slopes = Slopes(links, qdd)
    slopes.write(where, mass=False)
    M = Factor(links, slopes)
    for k in range(3):
        M.columns = roller.begin()
        for first in range(0, n, COLUMNS):
            many = min(COLUMNS, n - first)
            x = [where(k, j, first).part(0, many) for j in range(n)]
            if k == 2:
                M.invert(first, many, x)
            else:
                M.solve(x, many)
    return roller.rolled()


class Factor:
    """M⁻¹ by articulated bodies: of each joint K = J s / (s·J s) and 1 / (s·J s)."""

    def __init__(self, links: Links, slopes: Slopes):
        self.links, self.axis = links, slopes.axis
        m, roller = links.m, links.roller
        self.K, self.over = ([roller.room(size) for _ in m.bodies] for size in (6, 1))
        self.a = Outward(roller, 6 * COLUMNS, [0] * (6 * COLUMNS))
        inward, sums = roller.begin(), Inward(Slots(roller, 21))
        for j, _ in links.inward():
            given = {"s": self.axis[j].part(0, 6), "I": slopes.own[j].part(6, 10)}
            found = {"K": self.K[j], "over": self.over[j]}
            sums.step(links, inward, j, Call(_factored, given, found))
        self.sums = Slots(roller, 6 * COLUMNS)
        self.columns = Pass()  # where columns are solved

    def solve(self, x: Sequence[Cells], many: int) -> None:
        """Write M⁻¹ times the negative of some columns in their place; x are their rows."""
        every = range(len(x))
        self._inward(every, x, many, lambda j: _negative)
        self._outward(every, x, many, set(every))

    def invert(self, first: int, many: int, x: Sequence[Cells]) -> None:
        """Write columns of M⁻¹ down to the diagonal, and rows across from them."""
        bodies, last = self.links.m.bodies, first + many
        n = len(bodies)
        met = set(range(first, last))
        for j in reversed(range(last)):
            if j in met and bodies[j].parent >= 0:
                met.add(bodies[j].parent)
        self._inward(sorted(met), x, many, lambda j: _unit(j - first, many))
        across = [Cells(("output", 2), first * n + j, many, n) for j in range(first)]
        self._outward(range(last), x, many, met, across)

    def _inward(
        self, bodies: Sequence[int], x: Sequence[Cells], many: int, formula: Callable[[int], Any]
    ) -> None:
        sums = Inward(self.sums, 6 * many)
        for j in reversed(bodies):
            own, given = formula(j), {"s": self.axis[j].part(0, 6), "K": self.K[j]}
            given |= {"x": x[j]} if own is _negative else {}
            sums.step(self.links, self.columns, j, Call(own, given, {"x": x[j]}), plain=True)
        sums.end()

    def _outward(
        self, bodies: Iterable[int], x: Sequence[Cells], many: int, known: set[int],
        across: Sequence[Cells] = (),
    ) -> None:  # fmt: skip
        m = self.links.m
        self.a.restart()
        for j in bodies:
            given = {"before": self.a.of(m.bodies[j].parent).part(0, 6 * many)}
            given |= {"s": self.axis[j].part(0, 6), "K": self.K[j], "over": self.over[j]}
            given |= {"x": x[j]} if j in known else {}
            found = {"x": x[j], "after": self.a.new(m, j).part(0, 6 * many)}
            found |= {"across": across[j]} if j < len(across) else {}
            self.links.apply_plain(self.columns, Call(_moved, given, found))


def _factored(link: Link, s: Vector, I: Vector, felt: Vector = (), onto: Vector = ()) -> Results:
    J, axis = Articulated.of(as_inertia(I)), Twist.of(s)
    if felt:
        J = J + as_articulated(felt)
    U = J @ axis
    over = 1 / (axis.dot(U) + link.rotor)
    K = U * over
    sent = J.less([U], [K])
    if onto:
        sent = as_articulated(onto) + sent
    return {"K": K.entries(), "over": [over], "sent": articulated_entries(sent)}


def _resisted(s: Vector, K: Vector, b: Vector, felt: Vector, onto: Vector) -> Results:
    axis, u, sent = Twist.of(s), [], []
    for c, force in enumerate(b):
        p = Wrench.of(felt[6 * c : 6 * c + 6]) if felt else NO_WRENCH
        u.append(force - axis.dot(p))
        p = p + Wrench.of(K) * u[-1]
        sent += (Wrench.of(onto[6 * c : 6 * c + 6]) + p if onto else p).entries()
    return {"x": u, "sent": sent}


def _negative(s: Vector, K: Vector, x: Vector, felt: Vector = (), onto: Vector = ()) -> Results:
    return _resisted(s, K, [-y for y in x], felt, onto)


@cache
def _unit(at: int, many: int) -> Formula:
    """Return the formula of a force 1 in column `at`; none of the columns where it is negative."""
    if at < 0 and at != -1:
        return _unit(-1, many)

    def unit(s: Vector, K: Vector, felt: Vector = (), onto: Vector = ()) -> Results:
        return _resisted(s, K, [int(c == at) for c in range(many)], felt, onto)

    return unit


def _moved(before: Vector, s: Vector, K: Vector, over: Vector, x: Vector | None = None) -> Results:
    axis, found, after = Twist.of(s), [], []
    for c in range(len(before) // 6):
        a = Twist.of(before[6 * c : 6 * c + 6])
        own = x[c] * over[0] if x is not None else 0
        found.append(own - a.dot(Wrench.of(K)))
        after += (a + axis * found[-1]).entries()
    return {"x": found, "after": after, "across": found}
