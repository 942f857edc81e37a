"""Rotor inertia and joint friction (Khalil 2010, the last terms of (31) and of (44)).

Ia = N² J_m, friction = |N| (B |N| q̇ + T_c): the gear ratio N may be negative, the Coulomb friction
may differ between the two senses of motion, and sign(0) = 0.
"""

from __future__ import annotations

from typing import Literal

from ..errors import ModelError, UsageError
from ..expr import Scalar, absolute, sign, where
from ..joint import Vector
from ..mechanism import Drive, Mechanism, joint_name

Drives = Literal["inertia", "all", "none"]
CHOICES = ("inertia", "all", "none")


def rotor_inertia(m: Mechanism, drives: Drives = "inertia") -> dict[int, Scalar]:
    """Return Ia by velocity index, for the joints that have a drive."""
    if drives not in CHOICES:
        raise UsageError(f"unknown drives {drives!r}", hint="one of " + ", ".join(CHOICES))
    if drives == "none":
        return {}
    return {_index(m, d): d.gear * d.gear * d.inertia for d in m.drives}


def friction(m: Mechanism, qd: Vector, drives: Drives = "all") -> dict[int, Scalar]:
    """Return the friction force the actuator must overcome, by velocity index."""
    if drives != "all":
        return {}
    forces = {}
    for d in m.drives:
        k = _index(m, d)
        forces[k] = absolute(d.gear) * _coulomb(d, qd[k]) + d.gear * d.gear * d.viscous * qd[k]
    return forces


def _coulomb(d: Drive, speed: Scalar) -> Scalar:
    forward, backward = d.coulomb
    if forward == -backward:
        return forward * sign(speed)
    return where(speed > 0, forward, where(speed < 0, backward, 0 * speed))


def _index(m: Mechanism, d: Drive) -> int:
    body = m.bodies[d.joint]
    if body.joint.nv != 1:
        raise ModelError(f"joint {joint_name(body)!r} has a drive and {body.joint.nv} freedoms")
    return m.velocity_index[d.joint]
