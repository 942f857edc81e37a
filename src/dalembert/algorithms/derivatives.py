"""Analytic derivatives of inverse and direct dynamics.

Singh, Russell and Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial
vector algebra (2022), eqs (34)-(37): one composite sweep gives dtau/dq, dtau/dqd and M. Derivatives
with respect to q are along the velocity variables, so they have nv columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism
from ..rehome import expand_planar
from .articulated_body import articulated_body
from .drives import Drives, rotor_inertia
from .elastic import joint_springs
from .spatial import CoriolisFactor, spatial_states

Matrix = list[list[Scalar]]


def inverse_dynamics_derivatives(
    mechanism: Mechanism, q: Vector, qd: Vector, qdd: Vector, drives: Drives = "inertia"
) -> tuple[Matrix, Matrix, Matrix]:
    """Return (dtau/dq, dtau/dqd, M); viscous friction is in dtau/dqd with drives="all"."""
    m = expand_planar(mechanism)
    n, start = m.nv, m.velocity_index
    dq, dqd, M = (_zeros(n) for _ in range(3))
    states = spatial_states(m, q, qd, qdd)
    I = {j: x.I for j, x in enumerate(states)}
    B = {j: CoriolisFactor.of(x.I, x.xi) for j, x in enumerate(states)}
    f = {j: x.I @ x.xi_d + x.xi.cross_star(x.I @ x.xi) for j, x in enumerate(states)}
    # rates of the joint motions as the parent moves: Ψ̇, Ψ̈, and Ψ̇ + Ṡ
    psi = [[x.xi_parent.cross(s) for s in x.s] for x in states]
    psi2 = [
        [x.xi_d_parent.cross(s) + x.xi_parent.cross(r) for s, r in zip(x.s, rates, strict=True)]
        for x, rates in zip(states, psi, strict=True)
    ]
    both = [
        [r + x.xi.cross(s) for s, r in zip(x.s, rates, strict=True)]
        for x, rates in zip(states, psi, strict=True)
    ]

    for j, body in m.inward():
        if body.parent >= 0:
            i = body.parent
            I[i], B[i], f[i] = I[i] + I[j], B[i] + B[j], f[i] + f[j]
        for a, s in enumerate(states[j].s):
            col = start[j] + a
            # what this freedom of j does to the forces of the whole branch beyond it
            Is, Bs = I[j] @ s, B[j] @ s
            own = I[j] @ psi2[j][a] + (B[j] @ psi[j][a]) * 2
            seen_below = own + s.cross_star(f[j])
            from_speed = I[j] @ both[j][a] + Bs * 2
            twice = B[j].transposed(s) * 2
            i = j
            while i >= 0:
                for b, t in enumerate(states[i].s):
                    row = start[i] + b
                    M[row][col] = M[col][row] = t.dot(Is)
                    dq[row][col] = t.dot(own if i == j else seen_below)
                    dqd[row][col] = t.dot(from_speed)
                    if i != j:
                        # and what a freedom of an ancestor does to the force of j
                        dq[col][row] = psi2[i][b].dot(Is) + psi[i][b].w.dot(twice)
                        dqd[col][row] = both[i][b].dot(Is) + t.w.dot(twice)
                i = m.bodies[i].parent
    for k, Ia in rotor_inertia(m, drives).items():
        M[k][k] = M[k][k] + Ia
    for spring in m.elastic:  # tau = ... + K (q - rest) + D qd
        k = start[spring.joint]
        dq[k][k], dqd[k][k] = dq[k][k] + spring.stiffness, dqd[k][k] + spring.damping
    if drives == "all":
        for d in m.drives:
            k = start[d.joint]
            dqd[k][k] = dqd[k][k] + d.gear * d.gear * d.viscous
    return dq, dqd, M


def forward_dynamics_derivatives(
    mechanism: Mechanism, q: Vector, qd: Vector, tau: Vector, drives: Drives = "inertia"
) -> tuple[Matrix, Matrix, Matrix]:
    """Return (dqdd/dq, dqdd/dqd, M⁻¹): -M⁻¹ times the derivatives of the inverse model."""
    net = list(tau)
    for k, force in joint_springs(mechanism, q, qd).items():
        net[k] = net[k] + force
    qdd = articulated_body(mechanism, q, qd, net, drives=drives)
    dq, dqd, M = inverse_dynamics_derivatives(mechanism, q, qd, qdd, drives)
    n = len(M)
    unit = [[1 if r == c else 0 for r in range(n)] for c in range(n)]
    inverse = [solve(M, unit[c]) for c in range(n)]  # symmetric: columns are rows
    return _minus_product(inverse, dq), _minus_product(inverse, dqd), inverse


def _zeros(n: int) -> Matrix:
    return [[0] * n for _ in range(n)]


def _minus_product(A: Sequence[Sequence[Scalar]], B: Sequence[Sequence[Scalar]]) -> Matrix:
    columns = list(zip(*B, strict=True))
    return [[-sum((x * y for x, y in zip(row, c, strict=True)), 0) for c in columns] for row in A]
