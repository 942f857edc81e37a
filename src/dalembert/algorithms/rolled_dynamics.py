"""Inverse and direct dynamics of large trees, with code of constant size.

The recursions are those of `newton_euler` and `articulated_body`, link by link: what is written
here is only which values a link hands to its neighbours, and where they are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..algebra import Vec3
from ..expr import Port, Scalar
from ..expr.rolled import Cells, Rolled, Roller, Slots
from ..joint import Vector
from ..linalg import Matrix, spd
from ..mechanism import Mechanism
from ..spatial import Articulated, Motion, Twist, Wrench
from .articulated_body import directions, times_inverse
from .rolled_links import Call, Link, Links, Results, constants, shared
from .rolled_values import (
    Inward,
    Outward,
    articulated_entries,
    as_articulated,
    as_motion,
    inputs,
)

SIX = 6


def rolled_newton_euler(m: Mechanism, rotor: dict[int, float]) -> Rolled:
    """Return inverse dynamics: tau of (q, qd, qdd)."""
    n = m.nv
    roller = Roller("inverse_dynamics", inputs(m, "qdd"), [Port("tau", (n,))])
    links = Links(m, rotor, roller, ahead=True)
    links.angles()
    wrench = [roller.room(SIX) for _ in m.bodies]
    motion = Outward(roller, 9, [0] * 6 + [*-m.gravity])
    out, parts = roller.begin(), links.runs()
    for j, many in parts:
        given = links.place(j, many) | {"before": motion.of(m.bodies[j].parent)}
        given |= {"qd": links.rate(1, j, many), "qdd": links.rate(2, j, many)}
        found = {"after": motion.new(m, j, many), "wrench": wrench[j].longer(many)}
        links.apply(out, j, Call(_needed, given, found), many)
    inward = roller.begin()
    sums = Inward(Slots(roller, SIX))
    for j, many in reversed(parts):
        given = links.place(j, many) | {"qdd": links.rate(2, j, many)}
        given |= {"wrench": wrench[j].longer(many)}
        call = Call(_transmitted, given, {"tau": links.result(0, j, many)})
        sums.step(links, inward, j, call, many=many)
    roller.strips = links.strips(parts)
    return roller.rolled()


def _needed(*run: Link, before: Vector, q: Vector, qd: Vector, qdd: Vector) -> Results:
    own, wrench = as_motion(before), []
    for link, *state in zip(run, *(shared(run, x) for x in (q, qd, qdd)), strict=True):
        R, P = link.place(state[0])
        own = own.carried(R, Vec3.zero() if link.reached else P).moved(*link.body.rates(*state))
        wrench += own.needs(link.body).entries()
        own = replace(own, vd=own.vd + own.U @ link.beyond)
    return {"after": [*own.w, *own.wd, *own.vd], "wrench": wrench}


def _transmitted(
    *run: Link, q: Vector, qdd: Vector, wrench: Vector, felt: Vector = (), onto: Vector = ()
) -> Results:
    parts = [*zip(run, shared(run, q), shared(run, qdd), strict=True)]
    own = [Wrench.of(wrench[SIX * k :]) for k in range(len(run))]
    tau, total = list[Scalar](), own[-1] + Wrench.of(felt)
    for (link, angle, rates), under in zip(
        reversed(parts), [*reversed(own[:-1]), Wrench.of(onto)], strict=True
    ):
        pairs = zip(link.body.project(angle, total), rates, strict=True)
        tau[:0] = [f + link.rotor * a for f, a in pairs]
        total = total.to_parent(*link.place(angle), onto=under)
    return {"tau": tau, "sent": total.entries()}


def rolled_articulated_body(m: Mechanism, rotor: dict[int, float]) -> Rolled:
    """Return direct dynamics: qdd of (q, qd, tau)."""
    roller = Roller("forward_dynamics", inputs(m, "tau"), [Port("qdd", (m.nv,))])
    links = Links(m, rotor, roller)
    links.angles()
    accelerations(links, [links.result(0, j) for j in range(len(m.bodies))])
    return roller.rolled()


def accelerations(links: Links, qdd: Sequence[Cells]) -> None:
    """Write the passes that find the accelerations of joints under the forces of input 2."""
    m, roller = links.m, links.roller
    zeta, beta = ([roller.room(SIX) for _ in m.bodies] for _ in range(2))
    K = [roller.room(SIX * b.joint.nv) for b in m.bodies]
    y = [roller.room(b.joint.nv) for b in m.bodies]
    w = Outward(roller, 3, [0] * 3)
    out, known = roller.begin(), {}
    for j, body in links.outward():
        given = links.place(j) | {"before": w.of(body.parent), "qd": links.rate(1, j)}
        found = {"after": w.new(m, j), "zeta": zeta[j], "beta": beta[j]}
        known[j] = constants(links.apply(out, j, Call(_alone, given, found)), "zeta")
    inward = roller.begin()
    sums = Inward(Slots(roller, 27))
    for j, _ in links.inward():
        given = links.place(j) | {"tau": links.rate(2, j), "zeta": zeta[j], "beta": beta[j]}
        call = Call(_resisted, given, {"K": K[j], "y": y[j]}, known[j])
        made = sums.step(links, inward, j, call)
        known[j] += constants(made, "K") if made else ()
    a = Outward(roller, SIX, [*-m.gravity, 0, 0, 0])
    last = roller.begin()
    for j, body in links.outward():
        given = links.place(j) | {"before": a.of(body.parent)}
        given |= {"zeta": zeta[j], "K": K[j], "y": y[j]}
        found = {"qdd": qdd[j], "after": a.new(m, j)}
        links.apply(last, j, Call(_moved, given, found, known[j]))


def _alone(link: Link, before: Vector, q: Vector, qd: Vector) -> Results:
    joint = link.body.rates(q, qd, [0] * len(qd))
    alone = Motion(Vec3(*before)).carried(*link.place(q)).moved(*joint)
    beta = (-Motion(alone.w).needs(link.body)).entries()
    return {"after": [*alone.w], "zeta": alone.acceleration.entries(), "beta": beta}


def _resisted(
    link: Link, q: Vector, tau: Vector, zeta: Vector, beta: Vector, **sums: Vector
) -> Results:
    felt, onto = sums.get("felt", ()), sums.get("onto", ())  # of the children, at the parent
    J, left = Articulated.of(link.body), Wrench.of(beta)
    if felt:
        J, left = J + as_articulated(felt), left + Wrench.of(felt[21:])
    S = link.body.joint.columns(q)
    U = [J @ s for s in S]
    own = {} if link.rotor == 0 else {0: link.rotor}
    D = Matrix([[s.dot(t) for t in U] for s in S]).plus_diagonal(own)
    K = times_inverse(U, D, link.body, () if own else directions(S), 1)
    left = left - J @ Twist.of(zeta)
    u = [force + s.dot(left) for force, s in zip(tau, S, strict=True)]
    y = [u[0] * (1 / D[0][0])] if len(S) == 1 else list(spd(D, u))
    for t, x in zip(K, u, strict=True):
        left = left - t * x
    place = link.place(q)
    force = left.to_parent(*place, onto=Wrench.of(onto[21:]))
    handed = J.less(U, K).to_parent(*place)
    if onto:
        handed = as_articulated(onto) + handed
    sent = [*articulated_entries(handed), *force.entries()]
    return {"K": [x for t in K for x in t.entries()], "y": y, "sent": sent}


def _moved(link: Link, before: Vector, q: Vector, zeta: Vector, K: Vector, y: Vector) -> Results:
    S = link.body.joint.columns(q)
    a = Twist.of(before).to_child(*link.place(q))
    qdd = [x - a.dot(Wrench.of(K[SIX * k :])) for k, x in enumerate(y)]
    a = a + Twist.of(zeta)
    for s, x in zip(S, qdd, strict=True):
        a = a + s * x
    return {"qdd": qdd, "after": a.entries()}
