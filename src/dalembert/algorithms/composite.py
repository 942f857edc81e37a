"""The mass matrix by composite rigid bodies.

Walker and Orin (1982), here on first moments and tensors about the frame origin: column by column,
the wrench that unit acceleration of one joint asks of the composite body beyond it.
"""

from __future__ import annotations

from ..algebra import Transform
from ..expr import Scalar
from ..inertia import Inertia
from ..joint import Vector
from ..mechanism import Mechanism
from .drives import Drives, rotor_inertia


def composite(mechanism: Mechanism, q: Vector, drives: Drives = "inertia") -> list[list[Scalar]]:
    """Return the mass matrix M(q), nv x nv, symmetric."""
    q_ = mechanism.split_q(q)
    n, start = mechanism.nv, mechanism.velocity_index
    M: list[list[Scalar]] = [[0] * n for _ in range(n)]
    pose = {j: body.pose(q_[j]) for j, body in mechanism.outward()}
    whole = {j: body.inertia for j, body in mechanism.outward()}

    for j, body in mechanism.inward():
        I = whole[j]
        if body.parent >= 0:
            there = Inertia(I.m, I.h, I.Io, "origin").moved(Transform(*pose[j]))
            whole[body.parent] = whole[body.parent] + there
        for a, (linear, angular) in enumerate(body.joint.columns(q_[j])):
            # the wrench of a unit acceleration of this freedom, then seen by every joint below
            f = linear * I.m + angular.cross(I.h)
            t = I.Io @ angular + I.h.cross(linear)
            k = j
            while k >= 0:
                for b, force in enumerate(mechanism.bodies[k].project(q_[k], f, t)):
                    M[start[k] + b][start[j] + a] = M[start[j] + a][start[k] + b] = force
                R, P = pose[k]
                f = R @ f
                t, k = R @ t + P.cross(f), mechanism.bodies[k].parent
    for k, Ia in rotor_inertia(mechanism, drives).items():
        M[k][k] = M[k][k] + Ia
    return M
