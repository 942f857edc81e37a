"""The Coriolis matrix with Ṁ - 2C skew-symmetric: Christoffel's, for joints whose qd is dq/dt.

Echeandia and Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for
rigid-body systems (2021), algorithm 1, on composite bodies in the frames of the links.
"""

from __future__ import annotations

from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from ..mechanism.rehome import expand_planar
from ..spatial import CoriolisFactor, inertia_to_parent
from .link_states import link_states


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
        if body.parent >= 0:
            I[body.parent] += inertia_to_parent(I[j], *states[j].place)
            B[body.parent] += B[j].to_parent(*states[j].place)
        for a, s in enumerate(states[j].s):
            F1 = I[j] @ rate[j][a] + B[j] @ s
            F2, F3 = I[j] @ s, B[j].transposed(s)
            col, i = start[j] + a, j
            while i >= 0:
                x = states[i]
                for b, t in enumerate(x.s):
                    row = start[i] + b
                    C[row][col] = t.dot(F1)
                    if i != j:
                        C[col][row] = rate[i][b].dot(F2) + t.w.dot(F3)
                F1, F2, F3 = F1.to_parent(*x.place), F2.to_parent(*x.place), x.place[0] @ F3
                i = m.bodies[i].parent
    return C
