"""Robots with elastic joints: springs as passive forces, and the inverse model they ask for.

Khalil (2010), section 6: Γ_j = -K_j Δq_j (69), (70) with damping. The three recursions (72)-(82)
are those of `hybrid_dynamics` (E2.22: V̇ is computed at every joint; E2.23); the partition (68)-(71)
is the second method. Joints that a list of active ones leaves out are passive, Γ_j = 0 (§6.2); the
acceleration of a moving base is given here, and sought in `elastic_base.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from ..algebra import is_plain_zero
from ..errors import ModelError
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism, joint_name
from .articulated_body import Known, hybrid_dynamics
from .joint_forces import JointForces, joint_springs
from .moving_base import Hybrid
from .newton_euler import Wrenches
from .partition import hybrid_by_partition, velocity_indices


def unmotorised(m: Mechanism) -> list[int]:
    """Return the bodies whose joints are elastic, or passive: not among the active ones."""
    springs = {s.joint for s in m.elastic}
    return [
        j
        for j, body in enumerate(m.bodies)
        if j in springs or (m.active and body.joint.nv and joint_name(body) not in m.active)
    ]


def on_base(m: Mechanism) -> list[int]:
    """Return the bodies whose joints are elastic or passive, a free or planar base left out."""
    return [j for j in unmotorised(m) if j or m.bodies[0].joint.kind not in ("free", "planar")]


def elastic_indices(m: Mechanism) -> tuple[list[int], list[int]]:
    """Return the velocity indices of (elastic and passive joints, rigid joints)."""
    elastic = velocity_indices(m, on_base(m))
    return elastic, [k for k in range(m.nv) if k not in elastic]


def _inverse_by(hybrid: Hybrid) -> Callable[..., tuple[list[Scalar], list[Scalar]]]:
    """Return the inverse model: (qdd of the elastic joints, tau of the rigid ones).

    The entries of qdd that belong to elastic joints are not read.
    """

    def inverse(
        m: Mechanism,
        q: Vector,
        qd: Vector,
        qdd: Vector,
        forces: JointForces,
        wrenches: Wrenches | None = None,
    ) -> tuple[list[Scalar], list[Scalar]]:
        soft, rigid = elastic_indices(elastic_mechanism(m))
        x = at_springs(forces, q, qd, qdd)
        found, tau, *_ = hybrid(m, q, qd, x, known(m, forces), wrenches)
        rub = forces.friction(qd)
        return [found[k] for k in soft], [tau[k] + rub.get(k, 0) for k in rigid]

    return inverse


elastic_inverse = _inverse_by(hybrid_dynamics)  # (72)-(82), in O(n)
elastic_inverse_by_partition = _inverse_by(hybrid_by_partition)  # (68)-(71)


def known(m: Mechanism, forces: JointForces, *sought: int) -> Known:
    """Return what is known of the joints: the motion of those with a motor, but not of `sought`."""
    soft = {*on_base(m), *sought}
    given = {j for j, b in enumerate(m.bodies) if b.joint.nv and j not in soft}
    return Known(given, forces.rotor)


def at_springs(forces: JointForces, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
    """Return qdd with the force of spring and friction, or zero, where a joint has no motor."""
    m, rub = forces.m, forces.friction(qd)
    force = joint_springs(m, q, qd)
    soft = set(velocity_indices(m, on_base(m)))
    return [force.get(k, 0) - rub.get(k, 0) if k in soft else qdd[k] for k in range(m.nv)]


def elastic_mechanism(m: Mechanism) -> Mechanism:
    """Return the mechanism if some joint has no motor, and each elastic one has a spring."""
    if not on_base(m):
        raise ModelError(
            "the mechanism has no elastic joint",
            hint='elastic = [{ joint = "j2", stiffness = 350 }], or m.with_flexible_joints(...)',
            command='write elastic = [{ joint = "j2", stiffness = 350 }] in the file',
        )
    if m.loops or m.couplings:
        raise ModelError("the inverse model of elastic joints holds for trees: there are loops")
    for spring in m.elastic:
        if is_plain_zero(spring.stiffness) and is_plain_zero(spring.damping):
            raise ModelError(
                f"joint {joint_name(m.bodies[spring.joint])!r} is elastic and has no stiffness",
                hint="stiffness = 350; a passive joint is one that active = [...] leaves out",
            )
    return m
