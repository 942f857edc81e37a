"""Analytic derivatives of inverse and direct dynamics.

Singh, Russell and Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial
vector algebra (2022), eqs (34)-(37): one composite sweep gives dtau/dq, dtau/dqd and M, here in the
frames of the links. Derivatives with respect to q are along the velocity variables, so they have nv
columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..algebra import Vec3
from ..expr import Scalar
from ..joint import UNITS, Planar, Vector
from ..linalg import LeafFirst, Matrix
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from ..mechanism.rehome import expand_planar
from ..spatial import CoriolisFactor, Wrench, inertia_to_parent
from .composite import composite
from .joint_forces import JointForces
from .link_states import LinkState, link_states
from .newton_euler import Wrenches, newton_euler
from .singular_model import refuse_singular
from .slopes import slopes, tangent, units
from .springs import spring_forces

Slopes = tuple[Matrix, Matrix, Matrix]


def inverse_dynamics_derivatives(
    forces: JointForces, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None
) -> Slopes:
    """Return (dtau/dq, dtau/dqd, M); viscous friction is in dtau/dqd with drives="all".

    Wrenches on the environment are constant in the axes of their links.
    """
    acting, tree = by_expanded_bodies(forces.m, wrenches or {}), expand_planar(forces.m)
    return joint_slopes(forces, link_states(tree, q, qd, qdd), acting, q, qd)


def joint_slopes(
    forces: JointForces, states: Sequence[LinkState], acting: Wrenches, q: Vector, qd: Vector
) -> Slopes:
    """Return (dtau/dq, dtau/dqd, M) of bodies and joints from the states of all bodies."""
    m = expand_planar(forces.m)
    dq, dqd, M = _rigid(m, states, acting)
    springs = [(m.velocity_index[s.joint], s) for s in m.elastic]  # tau = ... + K (q - rest) + D qd
    dq = dq.plus_diagonal({k: s.stiffness for k, s in springs})
    dqd = dqd.plus_diagonal({k: s.damping for k, s in springs})
    if m.springs:
        pull_q, pull_qd = spring_slopes(m, q, qd)
        dq, dqd = dq - pull_q, dqd - pull_qd
    return dq, dqd.plus_diagonal(forces.viscous), forces.mass(M)


def by_expanded_bodies(m: Mechanism, wrenches: Wrenches) -> dict[int, Wrench]:
    """Return wrenches by the numbers that bodies have in `expand_planar(m)`."""
    before, number = 0, {}
    for j, body in enumerate(m.bodies):
        before += 2 * isinstance(body.joint, Planar)
        number[j] = j + before
    return {number[j]: w for j, w in wrenches.items()}


def _rigid(m: Mechanism, states: Sequence[LinkState], acting: Wrenches) -> Slopes:
    """Return (dtau/dq, dtau/dqd, M) of the rigid bodies."""
    n, start = m.nv, m.velocity_index
    dq, dqd, M = ([[0] * n for _ in range(n)] for _ in range(3))
    f = {j: x.f + acting[j] if j in acting else x.f for j, x in enumerate(states)}
    I = {j: x.I for j, x in enumerate(states)}
    B2: dict[int, CoriolisFactor] = {}  # 2 B, of a body when it is first needed
    # Ψ̇ + Ṡ; what one freedom does to its own axis is nothing, so there it is 2 Ψ̇
    both = [
        [r * 2 if len(x.s) == 1 else r + x.xi.cross(s) for s, r in zip(x.s, x.psi, strict=True)]
        for x in states
    ]

    for j, body in m.inward():
        for i in (j, body.parent):
            if i >= 0 and i not in B2:
                B2[i] = CoriolisFactor.of(states[i].I * 2, states[i].xi)
        if body.parent >= 0:
            i, place = body.parent, states[j].place
            I[i] += inertia_to_parent(I[j], *place)
            B2[i], f[i] = B2[i] + B2[j].to_parent(*place), f[j].to_parent(*place, onto=f[i])
        for a, s in enumerate(states[j].s):
            col = start[j] + a
            # what this freedom of j does to the forces of the whole branch beyond it
            Is, twice = I[j] @ s, B2[j].transposed(s)
            by_q = I[j] @ states[j].psi2[a] + B2[j] @ states[j].psi[a]
            by_qd = I[j] @ both[j][a] + B2[j] @ s
            i = j
            while i >= 0:
                x = states[i]
                for b, t in enumerate(x.s):
                    row = start[i] + b
                    M[row][col] = M[col][row] = t.dot(Is)
                    dq[row][col], dqd[row][col] = t.dot(by_q), t.dot(by_qd)
                    if i != j:
                        # and what a freedom of an ancestor does to the force of j
                        dq[col][row] = x.psi2[b].dot(Is) + x.psi[b].w.dot(twice)
                        dqd[col][row] = both[i][b].dot(Is) + t.w.dot(twice)
                if i == j:
                    by_q = by_q + s.cross_star(f[j])  # the branch turns, and its force with it
                Is, by_q, by_qd = (w.to_parent(*x.place) for w in (Is, by_q, by_qd))
                twice, i = x.place[0] @ twice, m.bodies[i].parent
    return Matrix(dq), Matrix(dqd), Matrix(M)


def forward_dynamics_derivatives(
    forces: JointForces, q: Vector, qd: Vector, tau: Vector, wrenches: Wrenches | None = None
) -> Slopes:
    """Return (dqdd/dq, dqdd/dqd, M⁻¹): -M⁻¹ times the derivatives of the inverse model."""
    m, mass = forces.m, forces.mass(composite(forces.m, q))
    refuse_singular(m, mass)
    M = LeafFirst(mass)
    h = newton_euler(m, q, qd, [0] * m.nv, wrenches)
    qdd = M.solve(Values(tau) + forces.passive(q, qd) - h)
    dq, dqd, _ = inverse_dynamics_derivatives(forces, q, qd, qdd, wrenches)
    known_q, known_qd = flying(forces, q, qd)
    left = without(known_q, -dq), without(known_qd, -dqd)
    inverse, by_q, by_qd = M.inverse_and_products(*left)
    return by_q.with_columns(known_q), by_qd.with_columns(known_qd), inverse


def flying(
    forces: JointForces, q: Vector, qd: Vector
) -> tuple[dict[int, Values], dict[int, Values]]:
    """Return columns of dqdd/dq and of dqdd/dqd that no body can change, by velocity index.

    Where a body flies freely, all forces depend on its place, on how it is turned and on its
    velocity v only through v̇ + ω × v - g in its own axes, so that this stays as it is: along its
    place nothing changes, turning it by u changes v̇ by g × u, and a change of v changes it by
    -ω × v. Springs between points see more than that.
    """
    m, by_q, by_qd = forces.m, dict[int, Values](), dict[int, Values]()
    resisted = {*forces.rotor, *forces.viscous}
    for j, body in m.outward():
        k, own = m.velocity_index[j], m.split(qd)[j]
        if body.parent >= 0 or len(own) < 6 or m.springs or resisted & {*range(k, k + 6)}:
            continue
        R, _ = body.pose(m.split_q(q)[j])
        g, w = R.T @ m.gravity, Vec3(*own[3:])
        for a, unit in enumerate(UNITS):
            by_q[k + a] = Values.zeros(m.nv)
            by_q[k + 3 + a] = Values.zeros(m.nv).plus(dict(enumerate(g.cross(unit), k)))
            by_qd[k + a] = Values.zeros(m.nv).plus(dict(enumerate(unit.cross(w), k)))
    return by_q, by_qd


def without(known: Mapping[int, Values], D: Matrix) -> Matrix:
    """Return a matrix with zeros in the columns of which the answer is known."""
    return D.with_columns({c: Values.zeros(len(D)) for c in known})


def spring_slopes(
    m: Mechanism, q: Vector, qd: Vector
) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """Return the slopes of what point springs exert on the joints, by q and by qd."""

    def record(own: Mechanism, q: Sequence[Any], qd: Sequence[Any]) -> Any:
        along = [tangent(own, q, Values.unit(m.nv, c)) for c in range(m.nv)]
        return spring_forces(own, q, qd), (along, units(qd, range(m.nv)))

    by_q, by_qd = slopes((m,), record, (q, qd), m.nv, (m.nv, m.nv))
    return by_q, by_qd
