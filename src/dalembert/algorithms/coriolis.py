"""The Coriolis matrix with Ṁ - 2C skew-symmetric: Christoffel's, for joints whose qd is dq/dt.

Echeandia and Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for
rigid-body systems (2021), algorithm 1, on composite bodies in the frames of the links.
"""

from __future__ import annotations

from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from ..mechanism.rehome import expand_planar
from .spatial import CoriolisFactor, link_states


def coriolis_matrix(mechanism: Mechanism, q: Vector, qd: Vector) -> list[list[Scalar]]:
    """Return C(q, qd), nv x nv: C qd are the Coriolis and centrifugal forces."""
    m = expand_planar(mechanism)
    n, start = m.nv, m.velocity_index
    C: list[list[Scalar]] = [[0] * n for _ in range(n)]
    states = link_states(m, q, qd, [0] * n)
    I = {j: x.I for j, x in enumerate(states)}
    B = {j: CoriolisFactor.of(x.I, x.xi) for j, x in enumerate(states)}
    rate = [[x.xi.cross(s) for s in x.s] for x in states]

    for j, body in m.inward():
        at = states[j].R, states[j].P
        if body.parent >= 0:
            i = body.parent
            I[i], B[i] = I[i] + I[j].back(*at), B[i] + B[j].back(*at)
        for a, s in enumerate(states[j].s):
            F1 = I[j] @ rate[j][a] + B[j] @ s
            F2 = I[j] @ s
            F3 = B[j].transposed(s)
            col = start[j] + a
            i = j
            while i >= 0:
                for b, t in enumerate(states[i].s):
                    row = start[i] + b
                    C[row][col] = t.dot(F1)
                    if i != j:
                        C[col][row] = rate[i][b].dot(F2) + t.w.dot(F3)
                at = states[i].R, states[i].P
                F1, F2, F3 = F1.back(*at), F2.back(*at), states[i].R @ F3
                i = m.bodies[i].parent
    return C
