"""Analytic derivatives of inverse and direct dynamics.

Singh, Russell and Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial
vector algebra (2022), eqs (34)-(37): one composite sweep gives dtau/dq, dtau/dqd and M, here in the
frames of the links. Derivatives with respect to q are along the velocity variables, so they have nv
columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..expr import Scalar
from ..joint import Planar, Vector
from ..mechanism import Mechanism
from ..mechanism.rehome import expand_planar
from .articulated_body import articulated_body
from .composite_direct import leaves_first
from .drives import Drives, rotor_inertia
from .elastic import joint_springs
from .newton_euler import Wrench
from .slopes import slopes, tangent, units
from .spatial import CoriolisFactor, LinkState, Spatial, link_states
from .springs import spring_forces

Matrix = list[list[Scalar]]


def inverse_dynamics_derivatives(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    drives: Drives = "inertia",
    wrenches: Mapping[int, Wrench] | None = None,
) -> tuple[Matrix, Matrix, Matrix]:
    """Return (dtau/dq, dtau/dqd, M); viscous friction is in dtau/dqd with drives="all".

    Wrenches on the environment are constant in the axes of their links.
    """
    m = expand_planar(mechanism)
    start = m.velocity_index
    states = link_states(m, q, qd, qdd)
    f = {j: x.f for j, x in enumerate(states)}
    for j, (force, couple) in _expanded(mechanism, wrenches or {}).items():
        f[j] = f[j] + Spatial(couple, force)
    dq, dqd, M = _rigid(m, states, f)
    for k, Ia in rotor_inertia(m, drives).items():
        M[k][k] = M[k][k] + Ia
    for spring in m.elastic:  # tau = ... + K (q - rest) + D qd
        k = start[spring.joint]
        dq[k][k], dqd[k][k] = dq[k][k] + spring.stiffness, dqd[k][k] + spring.damping
    if m.springs:
        pull_q, pull_qd = spring_slopes(m, q, qd)
        dq, dqd = _minus(dq, pull_q), _minus(dqd, pull_qd)
    if drives == "all":
        for d in m.drives:
            k = start[d.joint]
            dqd[k][k] = dqd[k][k] + d.gear * d.gear * d.viscous
    return dq, dqd, M


def _expanded(m: Mechanism, wrenches: Mapping[int, Wrench]) -> dict[int, Wrench]:
    """Return wrenches by the numbers that bodies have in `expand_planar(m)`."""
    before, number = 0, {}
    for j, body in enumerate(m.bodies):
        before += 2 * isinstance(body.joint, Planar)
        number[j] = j + before
    return {number[j]: w for j, w in wrenches.items()}


def _rigid(
    m: Mechanism, states: Sequence[LinkState], f: dict[int, Spatial]
) -> tuple[Matrix, Matrix, Matrix]:
    """Return (dtau/dq, dtau/dqd, M) of the rigid bodies, which need the wrenches f."""
    dq, dqd, M = (_zeros(m.nv) for _ in range(3))
    start = m.velocity_index
    I = {j: x.I for j, x in enumerate(states)}
    B2 = {j: CoriolisFactor.of(x.I * 2, x.xi) for j, x in enumerate(states)}  # 2 B
    # Ψ̇ + Ṡ; what one freedom does to its own axis is nothing, so there it is 2 Ψ̇
    both = [
        [r * 2 if len(x.s) == 1 else r + x.xi.cross(s) for s, r in zip(x.s, x.psi, strict=True)]
        for x in states
    ]

    for j, body in m.inward():
        at = states[j].R, states[j].P
        if body.parent >= 0:
            i = body.parent
            I[i] = I[i] + I[j].back(*at)
            B2[i], f[i] = B2[i] + B2[j].back(*at), f[i] + f[j].back(*at)
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
                at = x.R, x.P
                Is, by_q, by_qd = Is.back(*at), by_q.back(*at), by_qd.back(*at)
                twice, i = x.R @ twice, m.bodies[i].parent
    return dq, dqd, M


def forward_dynamics_derivatives(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    drives: Drives = "inertia",
    wrenches: Mapping[int, Wrench] | None = None,
) -> tuple[Matrix, Matrix, Matrix]:
    """Return (dqdd/dq, dqdd/dqd, M⁻¹): -M⁻¹ times the derivatives of the inverse model."""
    net = list(tau)
    for k, force in joint_springs(mechanism, q, qd).items():
        net[k] = net[k] + force
    net = [a + b for a, b in zip(net, spring_forces(mechanism, q, qd), strict=True)]
    qdd = articulated_body(mechanism, q, qd, net, wrenches, drives)
    dq, dqd, M = inverse_dynamics_derivatives(mechanism, q, qd, qdd, drives, wrenches)
    n = len(M)
    unit = [[1 if r == c else 0 for r in range(n)] for c in range(n)]
    inverse = [leaves_first(M, unit[c]) for c in range(n)]
    for r in range(n):
        for c in range(r):
            inverse[r][c] = inverse[c][r]  # symmetric: one half of the columns is enough
    return _minus_product(inverse, dq), _minus_product(inverse, dqd), inverse


def spring_slopes(m: Mechanism, q: Vector, qd: Vector) -> tuple[Matrix, Matrix]:
    """Return the slopes of what point springs exert on the joints, by q and by qd."""

    def record(own: Mechanism, q: Sequence[Any], qd: Sequence[Any]) -> Any:
        each = [[1 if r == c else 0 for r in range(m.nv)] for c in range(m.nv)]
        along = [tangent(own, q, e) for e in each]
        return spring_forces(own, q, qd), (along, units(qd, range(m.nv)))

    by_q, by_qd = slopes((m,), record, (q, qd), m.nv, (m.nv, m.nv))
    return by_q, by_qd


def _minus(A: Matrix, B: Matrix) -> Matrix:
    return [[x - y for x, y in zip(a, b, strict=True)] for a, b in zip(A, B, strict=True)]


def _zeros(n: int) -> Matrix:
    return [[0] * n for _ in range(n)]


def _minus_product(A: Sequence[Sequence[Scalar]], B: Sequence[Sequence[Scalar]]) -> Matrix:
    columns = list(zip(*B, strict=True))
    return [[-sum((x * y for x, y in zip(row, c, strict=True)), 0) for c in columns] for row in A]
