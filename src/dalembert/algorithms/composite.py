"""The mass matrix by composite rigid bodies.

Walker and Orin (1982), here on first moments and tensors about the frame origin: column by column,
the wrench that unit acceleration of one joint asks of the composite body beyond it.
"""

from __future__ import annotations

from ..algebra import Rotation, Vec3
from ..expr import Scalar
from ..inertia import Inertia
from ..joint import Vector
from ..linalg import Matrix
from ..mechanism import Mechanism
from ..spatial import inertia_to_parent


def composite(m: Mechanism, q: Vector) -> Matrix:
    """Return the mass matrix M(q) of the rigid bodies, nv x nv, symmetric."""
    q_, n, start = m.split_q(q), m.nv, m.velocity_index
    M: list[list[Scalar]] = [[0] * n for _ in range(n)]
    place = {j: body.pose(q_[j]) for j, body in m.outward()}
    I = {j: body.inertia for j, body in m.outward()}
    for j, body in m.inward():
        for a, s in enumerate(body.joint.columns(q_[j])):
            # the wrench of a unit acceleration of this freedom, then seen by every joint below
            wrench, i = I[j] @ s, j
            while i >= 0:
                for b, force in enumerate(m.bodies[i].project(q_[i], wrench)):
                    row, column = start[i] + b, start[j] + a
                    M[row][column] = M[column][row] = force
                wrench, i = wrench.to_parent(*place[i]), m.bodies[i].parent
        if body.parent >= 0:
            I[body.parent] = I[body.parent] + inertia_to_parent(I[j], *place[j])
    return Matrix(M)


def composite_bodies(
    m: Mechanism, q: Vector
) -> tuple[dict[int, tuple[Rotation, Vec3]], dict[int, Inertia]]:
    """Return the place of each body in its parent, and the inertia of all that it carries."""
    q_ = m.split_q(q)
    place = {j: body.pose(q_[j]) for j, body in m.outward()}
    I = {j: body.inertia for j, body in m.outward()}
    for j, body in m.inward():
        if body.parent >= 0:
            I[body.parent] = I[body.parent] + inertia_to_parent(I[j], *place[j])
    return place, I
