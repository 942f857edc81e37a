"""Q, A, B and C of the Lagrange form by differentiation of the mass matrix.

Liégeois and Aldon (1980), (3-17 bis) and (3-18) with errata E0.15-E0.17:
B_ijk = ∂A_ij/∂q_k + ∂A_ik/∂q_j - ∂A_jk/∂q_i (the pair counted once),
C_ij = ∂A_ij/∂q_j - ½ ∂A_jj/∂q_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ModelError
from ..expr import Scalar
from ..joint import Vector
from ..linalg import Matrix
from ..mechanism import Mechanism, joint_name
from .composite import composite
from .newton_euler import newton_euler
from .slopes import slopes, units


def gravity_forces(m: Mechanism, q: Vector) -> list[Scalar]:
    """Return Q: the generalized forces of gravity (minus the gravity load)."""
    rest = [0] * m.nv
    return [-x for x in newton_euler(m, q, rest, rest)]


def lagrange_coefficients(
    m: Mechanism, q: Vector
) -> tuple[list[Scalar], Matrix, list[list[list[Scalar]]], list[list[Scalar]]]:
    """Return (Q, A, B, C); B[i][j][k] = B[i][k][j] is the full coefficient, zero where j = k."""
    for body in m.bodies:
        if body.joint.nv > 1 and body.joint.kind != "planar":
            raise ModelError(
                f"joint {joint_name(body)!r} is {body.joint.kind}: its rates are not those of q",
                hint="Q, A, B, C exist for revolute, prismatic, screw and planar joints",
            )
    n = m.nv
    A = composite(m, q)
    dA = _slopes(m, q)  # dA[k][i][j] = ∂A_ij/∂q_k
    half = 0.5
    B = [
        [
            [dA[k][i][j] + dA[j][i][k] - dA[i][j][k] if j != k else 0 for k in range(n)]
            for j in range(n)
        ]
        for i in range(n)
    ]
    C = [[dA[j][i][j] - dA[i][j][j] * half for j in range(n)] for i in range(n)]
    return gravity_forces(m, q), A, B, C


def _slopes(m: Mechanism, q: Vector) -> list[list[list[Scalar]]]:
    """Return ∂A/∂q_k for every k."""
    n = m.nv

    def record(own: Mechanism, x: Sequence[Any]) -> Any:
        return [a for row in composite(own, x) for a in row], [units(x, range(n))]

    (D,) = slopes([m], record, [q], n * n, [n])
    return [[[D[i * n + j][k] for j in range(n)] for i in range(n)] for k in range(n)]
