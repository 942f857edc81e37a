"""Mass matrix and derivatives of large trees, with code of constant size.

The formulas are those of `base_axes` and `derivatives`: all vectors at the base origin and in base
axes, so that a pair of joints meets in a few dot products. Joints of one freedom only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Mat3, Vec3
from ..expr import Port
from ..expr.rolled import Cells, Rolled, Roller, Slots
from ..inertia import Inertia
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import CoriolisFactor, Twist, Wrench
from .base_axes import Based, turned
from .rolled_links import Call, Link, Links, Results
from .rolled_values import (
    Inward,
    Outward,
    as_inertia,
    inertia_entries,
    inputs,
)

IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]  # rotation and origin of the base
Where = Callable[[int, int, int], Cells]  # output, row, column -> its cell


def rolled_mass_matrix(m: Mechanism, rotor: dict[int, float], packed: bool = False) -> Rolled:
    """Return M of (q)."""
    roller, where = _matrices("mass_matrix", m, inputs(m, "qdd")[:1], ("M",), packed)
    links = Links(m, rotor, roller)
    links.angles()
    zeros(links, where, (0,), packed)
    s, I, F = ([roller.room(size) for _ in m.bodies] for size in (6, 10, 6))
    frame = Outward(roller, 12, IDENTITY)
    out = roller.begin()
    for j, body in links.outward():
        given = links.place(j) | {"before": frame.of(body.parent)}
        found = {"after": frame.new(m, j), "s": s[j], "I": I[j]}
        links.apply(out, j, Call(_seen, given, found))
    inward, sums = roller.begin(), Inward(Slots(roller, 10))
    for j, _ in links.inward():
        found = {"F": F[j], "M": where(0, j, j)}
        sums.step(links, inward, j, Call(_composite, {"s": s[j], "I": I[j]}, found))
    pairs = roller.begin()
    for j, i in ancestors(m):
        found = {"upper": where(0, i, j)} | ({} if packed else {"lower": where(0, j, i)})
        links.apply_plain(pairs, Call(_met, {"s": s[i], "F": F[j]}, found))
    return _finished(roller, m, packed)


def _met(s: Vector, F: Vector) -> Results:
    mass = Twist.of(s).dot(Wrench.of(F))
    return {"upper": [mass], "lower": [mass]}


def _seen(link: Link, before: Vector, q: Vector) -> Results:
    frame, s, I = seen(link, before, q)
    return {"after": frame, "s": s.entries(), "I": inertia_entries(I)}


def _composite(link: Link, s: Vector, I: Vector, felt: Vector = (), onto: Vector = ()) -> Results:
    total = as_inertia(I) + as_inertia(felt) if felt else as_inertia(I)
    F = total @ Twist.of(s)
    sent = total + as_inertia(onto) if onto else total
    mass = Twist.of(s).dot(F) + link.rotor
    return {"F": F.entries(), "M": [mass], "sent": inertia_entries(sent)}


# -- derivatives of the inverse model ----------------------------------------------------------


def rolled_inverse_derivatives(
    m: Mechanism, rotor: dict[int, float], packed: bool = False
) -> Rolled:
    """Return (dtau_dq, dtau_dqd, M) of (q, qd, qdd)."""
    names = "dtau_dq", "dtau_dqd", "M"
    roller, where = _matrices("inverse_dynamics_derivatives", m, inputs(m, "qdd"), names, packed)
    links = Links(m, rotor, roller)
    links.angles()
    zeros(links, where, (0, 1, 2), packed)
    Slopes(links, [links.rate(2, j) for j in range(len(m.bodies))]).write(where, packed)
    return _finished(roller, m, packed)


class Slopes:
    """The passes of Singh, Russell and Wensing (2022), at the accelerations `qdd`."""

    def __init__(self, links: Links, qdd: Sequence[Cells]):
        self.links, m, roller = links, links.m, links.roller
        self.axis, self.own = ([roller.room(size) for _ in m.bodies] for size in (18, 28))
        start = [*IDENTITY, *[0] * 6, *-m.gravity, 0, 0, 0]
        state = Outward(roller, 24, start)
        out = roller.begin()
        for j, body in links.outward():
            given = links.place(j) | {"before": state.of(body.parent)}
            given |= {"qd": links.rate(1, j), "qdd": qdd[j]}
            found = {"after": state.new(m, j), "axis": self.axis[j], "own": self.own[j]}
            links.apply(out, j, Call(_state, given, found))

    def write(self, where: Where, packed: bool = False, mass: bool = True) -> None:
        """Write dtau/dq, dtau/dqd and, with `mass`, M."""
        links, m, roller = self.links, self.links.m, self.links.roller
        column = [roller.room(21) for _ in m.bodies]
        inward, sums = roller.begin(), Inward(Slots(roller, 28))
        for j, _ in links.inward():
            found = {"column": column[j], "dq": where(0, j, j), "dqd": where(1, j, j)}
            found |= {"M": where(2, j, j)} if mass else {}
            given = {"axis": self.axis[j], "own": self.own[j]}
            sums.step(links, inward, j, Call(_branch, given, found))
        pairs = roller.begin()
        for j, i in ancestors(m):
            found = {"dq": where(0, i, j), "dqd": where(1, i, j)}
            found |= {"dq_": where(0, j, i), "dqd_": where(1, j, i)}
            found |= {"M": where(2, i, j)} if mass else {}
            found |= {"M_": where(2, j, i)} if mass and not packed else {}
            given = {"axis": self.axis[i], "column": column[j]}
            links.apply_plain(pairs, Call(_pair, given, found))


def _state(link: Link, before: Vector, q: Vector, qd: Vector, qdd: Vector) -> Results:
    frame, s, I = seen(link, before, q)
    xi, a = Twist.of(before[12:]), Twist.of(before[18:])
    psi = xi.cross(s)
    psi2 = a.cross(s) + xi.cross(psi)
    xi, a = xi + s * qd[0], a + s * qdd[0] + psi * qd[0]
    f = I @ a + xi.cross_star(I @ xi)
    B = CoriolisFactor.of(I * 2, xi)
    axis = [*s.entries(), *psi.entries(), *psi2.entries()]
    after = [*frame, *xi.entries(), *a.entries()]
    own = [*f.entries(), *inertia_entries(I), *(x for r in B.K.rows for x in r), *B.p]
    return {"after": after, "axis": axis, "own": own}


def _branch(link: Link, axis: Vector, own: Vector, felt: Vector = (), onto: Vector = ()) -> Results:
    s, psi, psi2 = (Twist.of(axis[k:]) for k in (0, 6, 12))
    total = [a + b for a, b in zip(own, felt, strict=True)] if felt else own
    f, I, B = Wrench.of(total[:6]), as_inertia(total[6:16]), _factor(total[16:])
    Is, twice = I @ s, B.transposed(s)
    by_q, by_qd = I @ psi2 + B @ psi, I @ (psi * 2) + B @ s
    made = {"dq": [s.dot(by_q)], "dqd": [s.dot(by_qd)], "M": [s.dot(Is) + link.rotor]}
    by_q = by_q + s.cross_star(f)  # the branch turns, and its force with it
    column = [*Is.entries(), *twice, *by_q.entries(), *by_qd.entries()]
    sent = [a + b for a, b in zip(total, onto, strict=True)] if onto else total
    return made | {"column": column, "sent": sent}


def _pair(axis: Vector, column: Vector) -> Results:
    s, psi, psi2 = (Twist.of(axis[k:]) for k in (0, 6, 12))
    Is, by_q, by_qd = (Wrench.of(column[k : k + 6]) for k in (0, 9, 15))
    twice, mass = Vec3(*column[6:9]), s.dot(Is)
    above = {"dq": [s.dot(by_q)], "dqd": [s.dot(by_qd)], "M": [mass]}
    below = {"dq_": [psi2.dot(Is) + psi.w.dot(twice)], "dqd_": [psi.dot(Is) * 2 + s.w.dot(twice)]}
    return above | below | {"M_": [mass]}


# -- pieces ------------------------------------------------------------------------------------


def seen(link: Link, before: Vector, q: Vector) -> tuple[list[Any], Twist, Inertia]:
    """Return place, axis and inertia of a body in base axes; `before` is the parent's place."""
    own, at = link.place(q)
    R_i, p_i = Mat3(*(tuple(before[k : k + 3]) for k in (0, 3, 6))), Vec3(*before[9:12])
    R, p = turned(R_i, own), p_i + R_i @ at
    body = Based.of(link.body, q, R, p)
    return [*(x for row in R.rows for x in row), *p], body.s[0], body.I


def ancestors(m: Mechanism) -> Iterator[tuple[int, int]]:
    """Yield every body with each of the bodies that carry it."""
    for j, body in enumerate(m.bodies):
        i = body.parent
        while i >= 0:
            yield j, i
            i = m.bodies[i].parent


def related(m: Mechanism) -> set[tuple[int, int]]:
    """Return the pairs of bodies one of which carries the other, and of each with itself."""
    met = {(j, j) for j in range(len(m.bodies))}
    return met | {pair for j, i in ancestors(m) for pair in ((i, j), (j, i))}


def zeros(links: Links, where: Where, outputs: Sequence[int], packed: bool) -> None:
    """Write the zeros of joints on different branches; packed results have none."""
    n, met = len(links.m.bodies), related(links.m)
    if packed or len(met) == n * n:
        return
    cleared = links.roller.begin()
    for i in range(n):
        for j in range(n):
            if (i, j) not in met:
                found = {f"zero{k}": where(k, i, j) for k in outputs}
                links.apply_plain(cleared, Call(_zeros, {}, found))


def _zeros() -> Results:
    return defaultdict(lambda: [0.0])


def _factor(x: Vector) -> CoriolisFactor:
    return CoriolisFactor(Mat3(*(tuple(x[k : k + 3]) for k in (0, 3, 6))), Vec3(*x[9:12]))


# -- where results go --------------------------------------------------------------------------


def _matrices(
    name: str, m: Mechanism, ports: Sequence[Port], outputs: Sequence[str], packed: bool
) -> tuple[Roller, Where]:
    """Return a new roller with square outputs, and the place of their entries."""
    n = m.nv
    if not packed:
        roller = Roller(name, ports, [Port(x, (n, n)) for x in outputs])
        return roller, lambda k, i, j: Cells(("output", k), i * n + j)
    places = [packed_places(m, symmetric=x == "M") for x in outputs]
    sizes = [Port(x, (len(set(p.values())),)) for x, p in zip(outputs, places, strict=True)]
    return Roller(name, ports, sizes), lambda k, i, j: Cells(("output", k), places[k][i, j])


def packed_places(m: Mechanism, symmetric: bool) -> dict[tuple[int, int], int]:
    """Return the place of each entry that is not zero, in order of first appearance by rows."""
    found: dict[tuple[int, int], int] = {}
    many = 0
    for i, j in sorted(related(m)):
        if symmetric and j < i:
            found[i, j] = found[j, i]
        else:
            found[i, j], many = many, many + 1
    return found


def _finished(roller: Roller, m: Mechanism, packed: bool) -> Rolled:
    made, n = roller.rolled(), m.nv
    if not packed:
        return made
    whole = tuple(Port(p.name, (n, n)) for p in made.outputs)
    index = []
    for port in whole:
        places = packed_places(m, port.name == "M")
        index.append(tuple(places.get((i, j), -1) for i in range(n) for j in range(n)))
    return replace(made, whole=whole, index=tuple(index))
