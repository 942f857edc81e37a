"""Direct dynamics by articulated bodies.

Khalil (2010), eqs (32)-(44) with errata E2.13-E2.18; the algorithm of Featherstone (1983).
Classical acceleration of the frame origins, link axes, any joint with a square invertible S'JS.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field

from ..algebra import is_plain_one, is_plain_zero
from ..expr import Scalar
from ..frozen import dataclass
from ..joint import Vector
from ..linalg import Matrix, spd
from ..linalg import Vector as Values
from ..mechanism import Body, Mechanism
from ..spatial import NO_WRENCH, ZERO, Articulated, Motion, Twist, Wrench
from .newton_euler import Wrenches
from .singular_model import no_inertia


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the joints of a hybrid model beside their coordinates and rates.

    `given`: the bodies whose acceleration is known; of the others the force is. `rotor`: inertia of
    rotors. `sliding`: 1 or, for a joint held at rest by dry friction, 0; such a joint has no
    acceleration, and its tau is the force it then transmits. Both by velocity index.
    """

    given: Collection[int] = ()
    rotor: Mapping[int, Scalar] = field(default_factory=dict)
    sliding: Mapping[int, Scalar] = field(default_factory=dict)


NOTHING = Known()


def articulated_body(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    wrenches: Wrenches | None = None,
    rotor: Mapping[int, Scalar] | None = None,
) -> list[Scalar]:
    """Return the accelerations qdd that the joint forces tau give at the state (q, qd)."""
    return hybrid_dynamics(m, q, qd, tau, Known(rotor=rotor or {}), wrenches)[0]


def hybrid_dynamics(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    x: Vector,
    known: Known = NOTHING,
    wrenches: Wrenches | None = None,
) -> tuple[list[Scalar], list[Scalar], list[Wrench]]:
    """Return (qdd, tau, the wrench that each joint transmits to its link).

    x holds qdd for the bodies of `known.given`, tau for the others. A joint of given acceleration
    hands its whole inertia to its parent; the others hand on J*.
    """
    # size: the three recursions of one algorithm share a dozen symbols and read best together
    given, rotor, sliding, acting = known.given, known.rotor, known.sliding, wrenches or {}
    q_, qd_, x_ = m.split_q(q), m.split(qd), m.split(x)
    w = {-1: ZERO}
    place, zeta, beta, J, S, U, K, D, u = ({} for _ in range(9))
    for j, body, outward in m.around():
        if outward:  # (32)-(35): velocities, and what they ask for by themselves
            place[j] = body.pose(q_[j])
            rate = x_[j] if j in given else [0] * body.joint.nv
            joint = body.rates(q_[j], qd_[j], rate)
            alone = Motion(w[body.parent]).carried(*place[j]).moved(*joint)
            w[j], zeta[j] = alone.w, alone.acceleration
            beta[j] = -Motion(w[j]).needs(body) - acting.get(j, NO_WRENCH)
            J[j] = Articulated.of(body)
            continue

        # inward (36)-(40): the inertia each joint feels, and the force it must resist
        k = m.velocity_index[j]
        S[j] = body.joint.columns(q_[j]) if j not in given else ()
        U[j] = [J[j] @ s for s in S[j]]
        own = {a: rotor[k + a] for a in range(len(S[j])) if k + a in rotor}
        D[j] = Matrix([[s.dot(t) for t in U[j]] for s in S[j]]).plus_diagonal(own)
        free = () if own or k in sliding else directions(S[j])
        K[j] = times_inverse(U[j], D[j], body, free, sliding.get(k, 1))
        left = beta[j] - J[j] @ zeta[j]
        u[j] = [force + s.dot(left) for force, s in zip(x_[j], S[j], strict=False)]
        if body.parent >= 0:
            for t, y in zip(K[j], u[j], strict=True):
                left = left - t * y
            beta[body.parent] = left.to_parent(*place[j], onto=beta[body.parent])
            J[body.parent] += J[j].less(U[j], K[j]).to_parent(*place[j])

    # outward (41)-(43): accelerations, and the wrenches they transmit
    acceleration = {-1: Twist(-m.gravity, ZERO)}
    qdd, tau, transmitted = {}, {}, []
    for j, body in m.outward():
        k = m.velocity_index[j]
        before = acceleration[body.parent].to_child(*place[j])
        qdd[j] = x_[j]
        if j not in given:
            qdd[j] = _accelerations(D[j], U[j], K[j], u[j], before, sliding.get(k, 1))
        acceleration[j] = before + zeta[j]
        for s, y in zip(S[j], qdd[j], strict=False):
            acceleration[j] += s * y
        transmitted.append(J[j] @ acceleration[j] - beta[j])
        tau[j] = x_[j]
        if j in given or k in sliding:
            forces = zip(body.project(q_[j], transmitted[j]), qdd[j], strict=True)
            tau[j] = [f + rotor.get(k + a, 0) * y for a, (f, y) in enumerate(forces)]
    return m.join(qdd), m.join(tau), transmitted


def directions(S: Sequence[Twist]) -> list[int]:
    """Return along which of the six directions a joint is free, none if it has another axis."""
    found = []
    for s in S:
        units = [k for k, x in enumerate(s.entries()) if not is_plain_zero(x)]
        if len(units) != 1 or not is_plain_one(s.entries()[units[0]]):
            return []
        found += units
    return found


def times_inverse(
    U: Sequence[Wrench], D: Matrix, body: Body, free: Sequence[int], sliding: Scalar
) -> list[Wrench]:
    """Return the columns of U D⁻¹, K; a joint that moves no inertia has none.

    In the directions that a joint leaves free, `free`, U is D itself and K the unit matrix.
    """
    n = len(D)
    if any(is_plain_zero(D[a][a]) for a in range(n)):
        raise no_inertia(body)
    rows = [[u.entries()[r] for u in U] for r in range(6)]
    units = {r: Values.unit(n, a) for a, r in enumerate(free)}
    try:
        K = [units[r] if r in units else _over(D, row, sliding) for r, row in enumerate(rows)]
    except ZeroDivisionError:
        raise no_inertia(body) from None
    return [Wrench.of([row[a] for row in K]) for a in range(n)]


def _over(D: Matrix, row: Sequence[Scalar], sliding: Scalar) -> Values:
    """Return a row of U times D⁻¹."""
    return Values([row[0] * (sliding * (1 / D[0][0]))]) if len(D) == 1 else spd(D, row)


def _accelerations(
    D: Matrix,
    U: Sequence[Wrench],
    K: Sequence[Wrench],
    u: Sequence[Scalar],
    before: Twist,
    sliding: Scalar = 1,
) -> list[Scalar]:
    """Return q̈_j = D⁻¹ (u - Uᵀ jTi V̇_i), (41)."""
    if len(D) == 1:
        f, n = K[0]
        return [u[0] * (sliding * (1 / D[0][0])) - f.dot(before.v) - n.dot(before.w)]
    return list(spd(D, [y - before.dot(t) for y, t in zip(u, U, strict=True)]))
