"""Robots with elastic joints: springs as passive forces, and the inverse model they ask for.

Khalil (2010), section 6: Γ_j = -K_j Δq_j (69), (70) with damping. The three recursions (72)-(82)
are those of `hybrid_dynamics` (E2.22: V̇ is computed at every joint; E2.23); the partition (68)-(71)
is the second method.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import ModelError
from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism, joint_name
from .articulated_body import hybrid_dynamics
from .composite import composite
from .drives import Drives
from .newton_euler import Wrench, newton_euler


def joint_springs(m: Mechanism, q: Vector, qd: Vector) -> dict[int, Scalar]:
    """Return the force -K (q - rest) - D qd of each elastic joint, by velocity index."""
    q_, qd_ = m.split_q(q), m.split(qd)
    forces = {}
    for spring in m.elastic:
        body = m.bodies[spring.joint]
        if body.joint.nv != 1:
            raise ModelError(
                f"joint {joint_name(body)!r} is elastic and has {body.joint.nv} freedoms"
            )
        stretch = q_[spring.joint][0] - spring.rest
        force = -(spring.stiffness * stretch) - spring.damping * qd_[spring.joint][0]
        forces[m.velocity_index[spring.joint]] = force
    return forces


def spring_energy(m: Mechanism, q: Vector) -> Scalar:
    """Return ½ Σ K (q - rest)² of the elastic joints."""
    q_ = m.split_q(q)
    energy: Scalar = 0
    for spring in m.elastic:
        stretch = q_[spring.joint][0] - spring.rest
        energy = energy + spring.stiffness * (stretch * stretch) * 0.5
    return energy


def elastic_indices(m: Mechanism) -> tuple[list[int], list[int]]:
    """Return the velocity indices of (elastic joints, rigid joints)."""
    elastic = sorted(m.velocity_index[s.joint] for s in m.elastic)
    return elastic, [k for k in range(m.nv) if k not in elastic]


def elastic_inverse(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
) -> tuple[list[Scalar], list[Scalar]]:
    """Return (qdd of the elastic joints, tau of the rigid ones), recursively in O(n).

    The entries of qdd that belong to elastic joints are not read.
    """
    m = _elastic(mechanism)
    elastic, rigid = elastic_indices(m)
    springs = {s.joint for s in m.elastic}
    force = joint_springs(m, q, qd)
    x = [force[k] if k in force else qdd[k] for k in range(m.nv)]
    given = {j for j, b in m.outward() if b.joint.nv and j not in springs}
    found, tau, _ = hybrid_dynamics(m, q, qd, x, given, wrenches, drives)
    return [found[k] for k in elastic], [tau[k] for k in rigid]


def elastic_inverse_by_partition(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the same by the partition of A and H, (68)-(71)."""
    m = _elastic(mechanism)
    elastic, rigid = elastic_indices(m)
    A = composite(m, q, drives)
    H = newton_euler(m, q, qd, [0] * m.nv, wrenches, drives)
    force = joint_springs(m, q, qd)
    # second row: A_ff q̈_f = Γ_f - H_f - A_fr q̈_r
    right = [force[k] - H[k] - sum((A[k][r] * qdd[r] for r in rigid), 0) for k in elastic]
    found = solve([[A[k][c] for c in elastic] for k in elastic], right)
    whole = list(qdd)
    for k, value in zip(elastic, found, strict=True):
        whole[k] = value
    tau = [sum((A[r][c] * whole[c] for c in range(m.nv)), 0) + H[r] for r in rigid]
    return found, tau


def _elastic(m: Mechanism) -> Mechanism:
    if not m.elastic:
        raise ModelError(
            "the mechanism has no elastic joint",
            hint='elastic = [{ joint = "j2", stiffness = 350 }], or m.with_flexible_joints(...)',
        )
    return m
