"""Direct dynamics from composite bodies: q̈ = M⁻¹ (tau - h).

Walker and Orin, Efficient dynamic computer simulation of robotic mechanisms (1982), method 3: the
mass matrix by composite rigid bodies, h by the inverse model at rest of q̈, then LDLᵀ, leaves first.
Its cubic term is small: up to about nine freedoms it needs fewer operations than articulated
bodies do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..algebra import is_zero
from ..errors import SingularModel
from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism, joint_name
from .composite import composite
from .drives import Drives
from .newton_euler import Wrench, newton_euler


def composite_direct(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
) -> list[Scalar]:
    """Return the accelerations qdd that the joint forces tau give at the state (q, qd)."""
    M = composite(mechanism, q, drives)
    refuse_singular(mechanism, M)
    h = newton_euler(mechanism, q, qd, [0] * mechanism.nv, wrenches, drives)
    return leaves_first(M, [t - x for t, x in zip(tau, h, strict=True)])


def leaves_first(M: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """Return x of M x = b, M positive definite, the last freedom eliminated first.

    Then no zero that the branches of a tree leave in M is filled (Featherstone, Efficient
    factorization of the joint-space inertia matrix for branched kinematic trees, 2005).
    """
    turned = [list(reversed(row)) for row in reversed(M)]
    return solve(turned, list(reversed(b)), "spd")[::-1]


def refuse_singular(mechanism: Mechanism, M: Sequence[Sequence[Scalar]]) -> None:
    """Raise SingularModel for a joint whose own inertia is zero whatever the pose."""
    for j, body in mechanism.outward():
        k = mechanism.velocity_index[j]
        if any(is_zero(M[k + a][k + a]) for a in range(body.joint.nv)):
            raise SingularModel(
                f"joint {joint_name(body)!r} moves no inertia: the direct model does not exist",
                hint="give the body beyond it a mass or an inertia about the joint, or a rotor",
            )
