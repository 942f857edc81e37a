"""Robots with elastic joints: springs as passive forces, and the inverse model they ask for.

Khalil (2010), section 6: Γ_j = -K_j Δq_j (69), (70) with damping. The three recursions (72)-(82)
are those of `hybrid_dynamics` (E2.22: V̇ is computed at every joint; E2.23); the partition (68)-(71)
is the second method. Joints that a list of active ones leaves out are passive, Γ_j = 0 (§6.2); the
acceleration of a moving base is given here, and sought in `elastic_base.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..algebra import is_zero
from ..errors import ModelError
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism, joint_name
from .articulated_body import hybrid_dynamics
from .drives import Drives
from .newton_euler import Wrench
from .partition import hybrid_by_partition, velocity_indices


def joint_springs(m: Mechanism, q: Vector, qd: Vector) -> dict[int, Scalar]:
    """Return the force -K (q - rest) - D qd of each elastic joint, by velocity index."""
    q_, qd_ = m.split_q(q), m.split(qd)
    forces = {}
    for spring in m.elastic:
        body = m.bodies[spring.joint]
        if body.joint.nv != 1:
            raise ModelError(
                f"joint {joint_name(body)!r} is elastic and has {body.joint.nv} degrees of freedom"
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


def unmotorised(m: Mechanism) -> list[int]:
    """Return the bodies whose joints are elastic, or passive: not among the active ones."""
    springs = {s.joint for s in m.elastic}
    return [
        j
        for j, body in enumerate(m.bodies)
        if j in springs or (m.active and body.joint.nv and joint_name(body) not in m.active)
    ]


def on_base(m: Mechanism) -> list[int]:
    """Return the same without a free or planar base, which no motor holds anyway."""
    return [j for j in unmotorised(m) if j or m.bodies[0].joint.kind not in ("free", "planar")]


def elastic_indices(m: Mechanism) -> tuple[list[int], list[int]]:
    """Return the velocity indices of (elastic and passive joints, rigid joints)."""
    elastic = velocity_indices(m, on_base(m))
    return elastic, [k for k in range(m.nv) if k not in elastic]


def elastic_inverse(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    hybrid: Callable[..., tuple[Any, ...]] = hybrid_dynamics,
) -> tuple[list[Scalar], list[Scalar]]:
    """Return (qdd of the elastic joints, tau of the rigid ones), recursively in O(n).

    The entries of qdd that belong to elastic joints are not read.
    """
    m = elastic_mechanism(mechanism)
    elastic, rigid = elastic_indices(m)
    soft = set(on_base(m))
    given = {j for j, b in enumerate(m.bodies) if b.joint.nv and j not in soft}
    found, tau, *_ = hybrid(m, q, qd, at_springs(m, q, qd, qdd), given, wrenches, drives)
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
    return elastic_inverse(mechanism, q, qd, qdd, wrenches, drives, hybrid_by_partition)


def at_springs(m: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
    """Return qdd with the force of the spring, or zero, where a joint has no motor."""
    force = joint_springs(m, q, qd)
    soft = set(velocity_indices(m, on_base(m)))
    return [force.get(k, 0) if k in soft else qdd[k] for k in range(m.nv)]


def elastic_mechanism(m: Mechanism) -> Mechanism:
    """Return the mechanism if some joint has no motor, and each elastic one has a spring."""
    if not on_base(m):
        raise ModelError(
            "the mechanism has no elastic joint",
            hint='elastic = [{ joint = "j2", stiffness = 350 }], or m.with_flexible_joints(...)',
        )
    if m.loops or m.couplings:
        raise ModelError("the inverse model of elastic joints holds for trees: there are loops")
    for spring in m.elastic:
        if is_zero(spring.stiffness) and is_zero(spring.damping):
            raise ModelError(
                f"joint {joint_name(m.bodies[spring.joint])!r} is elastic and has no stiffness",
                hint="stiffness = 350; a passive joint is one that active = [...] leaves out",
            )
    return m
