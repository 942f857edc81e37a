"""Motion given in some joints, forces in the others, by rows and columns of A and H.

Khalil (2010), eqs (68)-(71) for elastic joints and (83)-(88) for moving bases: the rows of joints
whose force is known give their accelerations, the other rows the forces that remain.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..algebra import is_zero
from ..errors import SingularModel
from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism, joint_name
from .composite import composite
from .drives import Drives
from .newton_euler import Wrench, newton_euler


def hybrid_by_partition(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    x: Vector,
    given: Collection[int] = (),
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
) -> tuple[list[Scalar], list[Scalar]]:
    """Return (qdd, tau). x holds qdd for the bodies in `given`, tau for the others."""
    m = mechanism
    A = composite(m, q, drives)
    H = newton_euler(m, q, qd, [0] * m.nv, wrenches, drives)
    known = velocity_indices(m, given)
    sought = [k for k in range(m.nv) if k not in set(known)]
    _check(m, A, sought)

    # A_ff q̈_f = Γ_f - H_f - A_fr q̈_r, (71) and (86)
    right = [x[k] - H[k] - sum((A[k][r] * x[r] for r in known), 0) for k in sought]
    found = solve([[A[k][c] for c in sought] for k in sought], right) if sought else []
    qdd = list(x)
    for k, value in zip(sought, found, strict=True):
        qdd[k] = value

    # Γ_r = A_rr q̈_r + A_rf q̈_f + H_r, the first row of (68) and (87)
    tau = list(x)
    for r in known:
        tau[r] = sum((a * value for a, value in zip(A[r], qdd, strict=True)), 0) + H[r]
    return qdd, tau


def velocity_indices(m: Mechanism, bodies: Collection[int]) -> list[int]:
    """Return the velocity indices of the joints of these bodies, in order."""
    return [m.velocity_index[j] + k for j in sorted(bodies) for k in range(m.bodies[j].joint.nv)]


def _check(m: Mechanism, A: list[list[Scalar]], sought: list[int]) -> None:
    owner = [body for body in m.bodies for _ in range(body.joint.nv)]
    for k in sought:
        if is_zero(A[k][k]):
            raise SingularModel(
                f"joint {joint_name(owner[k])!r} moves no inertia: nothing gives its acceleration",
                hint="give a body beyond it a mass or an inertia, or give the joint's motion",
            )
