"""Joints without a motor: elastic ones, and those that a list of active joints leaves out.

Khalil (2010), section 6: Γ_j = -K_j Δq_j (69), (70) with damping; of passive joints Γ_j = 0 (§6.2).
Their inverse model is hybrid dynamics, motion given at the other joints: the three recursions
(72)-(82) are those of `hybrid_dynamics` (E2.22: V̇ is computed at every joint; E2.23), the partition
(68)-(71) is the second method.
"""

from __future__ import annotations

from ..algebra import is_plain_zero
from ..errors import ModelError
from ..mechanism import Mechanism, joint_name
from .partition import velocity_indices


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
    """Return the velocity indices of (elastic and passive joints, rigid joints).

    Of a whole tree whose joints follow others they are those that are left.
    """
    soft, n = velocity_indices(m, on_base(m)), m.nv
    if m.fold is not None:
        soft, n = [m.fold.v[k][0] for k in soft if k not in m.fold.following], m.fold.count
    return sorted({*soft}), [k for k in range(n) if k not in soft]


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
