"""Rotor inertia and joint friction (Khalil 2010, the last terms of (31) and of (44)).

Ia = N² J_m, friction = |N| (B |N| q̇ + T_c): the gear ratio N may be negative, the Coulomb friction
may differ between the two senses of motion, and sign(0) = 0.
"""

from __future__ import annotations

from typing import Literal

from ..algebra import is_zero
from ..errors import ModelError, UsageError
from ..expr import Scalar, absolute, exp, sign, where
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
    forces = viscous_friction(m, qd, drives)
    for d in m.drives if drives == "all" else ():
        k = _index(m, d)
        forces[k] = absolute(d.gear) * _coulomb(d, qd[k]) + forces[k]
    return forces


def viscous_friction(m: Mechanism, qd: Vector, drives: Drives = "all") -> dict[int, Scalar]:
    """Return the part of friction that is proportional to speed, by velocity index."""
    if drives != "all":
        return {}
    return {k: d.gear * d.gear * d.viscous * qd[k] for d in m.drives for k in (_index(m, d),)}


def _coulomb(d: Drive, speed: Scalar) -> Scalar:
    forward, backward = sliding_levels(d, speed)
    if forward == -backward:
        return forward * sign(speed)
    return where(speed > 0, forward, where(speed < 0, backward, 0 * speed))


def sliding_levels(d: Drive, speed: Scalar) -> tuple[Scalar, Scalar]:
    """Return dry friction at positive and at negative speed, motor side.

    With a Stribeck speed it falls from the static level: T_c + (T_s - T_c) exp(-(q̇/v_s)²)
    (Armstrong-Hélouvry 1991, with the exponent 2).
    """
    if is_zero(d.stribeck) or is_static_as_sliding(d):
        return d.coulomb
    part = speed / d.stribeck
    fall = exp(-(part * part))
    forward, backward = (c + (s - c) * fall for c, s in zip(d.coulomb, d.static, strict=True))
    return forward, backward


def is_static_as_sliding(d: Drive) -> bool:
    """Return whether friction at rest reaches no other level than in motion."""
    return all(is_zero(x) for x in d.static)


def dry_drives(m: Mechanism) -> dict[int, Drive]:
    """Return the drives with dry friction, by velocity index."""
    return {
        _index(m, d): d for d in m.drives if not all(is_zero(x) for x in (*d.coulomb, *d.static))
    }


def sliding_friction(d: Drive, speed: Scalar, direction: Scalar) -> Scalar:
    """Return dry friction of a joint that slides in a direction (1, -1), joint side.

    The direction is given apart from the speed, so that the force is smooth where the speed is 0.
    """
    forward, backward = sliding_levels(d, speed)
    level = where(direction > 0, forward, where(direction < 0, backward, 0 * direction))
    return absolute(d.gear) * level


def holding_friction(d: Drive) -> tuple[Scalar, Scalar]:
    """Return the largest and the smallest force by which dry friction holds a joint at rest."""
    forward, backward = d.coulomb if is_static_as_sliding(d) else d.static
    return absolute(d.gear) * forward, absolute(d.gear) * backward


def _index(m: Mechanism, d: Drive) -> int:
    body = m.bodies[d.joint]
    if body.joint.nv != 1:
        raise ModelError(f"joint {joint_name(body)!r} has a drive and {body.joint.nv} freedoms")
    return m.velocity_index[d.joint]
