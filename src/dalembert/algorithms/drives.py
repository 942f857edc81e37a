"""Rotor inertia and joint friction (Khalil 2010, the last terms of (31) and of (44)).

Ia = N² J_m, friction = |N| (B |N| q̇ + T_c): the gear ratio N may be negative, the Coulomb friction
may differ between the two senses of motion, and sign(0) = 0. The drive of a joint that follows
another one is seen at its leader, through the ratio.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from ..algebra import is_plain_zero
from ..errors import ModelError, UsageError
from ..expr import Scalar, absolute, exp, sign, sqrt, where
from ..joint import Vector
from ..mechanism import Drive, Mechanism, joint_name
from ..mechanism.follower import Follower

Drives = Literal["inertia", "all", "none"]
CHOICES = ("inertia", "all", "none")
ROUNDED = 1e-3  # rad/s or m/s


def check_drives(drives: Any) -> None:
    """Raise UsageError for anything but the three choices."""
    if drives not in CHOICES:
        raise UsageError(f"unknown drives {drives!r}", hint="one of " + ", ".join(CHOICES))


def rotor_inertia(m: Mechanism, drives: Drives = "inertia") -> dict[int, Scalar]:
    """Return Ia by velocity index, for the joints that have a drive."""
    check_drives(drives)
    if drives == "none":
        return {}
    total: dict[int, Scalar] = {}
    for k, d in placed_drives(m):
        total[k] = total.get(k, 0) + d.gear * d.gear * d.inertia
    return total


def friction(m: Mechanism, qd: Vector, drives: Drives = "all") -> dict[int, Scalar]:
    """Return the friction force the actuator must overcome, by velocity index."""
    forces = viscous_friction(m, qd, drives)
    for k, d in placed_drives(m) if drives == "all" else ():
        forces[k] = absolute(d.gear) * _coulomb(d, qd[k]) + forces[k]
    return forces


def viscous_friction(m: Mechanism, qd: Vector, drives: Drives = "all") -> dict[int, Scalar]:
    """Return the part of friction that is proportional to speed, by velocity index."""
    if drives != "all":
        return {}
    total: dict[int, Scalar] = {}
    for k, d in placed_drives(m):
        total[k] = total.get(k, 0) + d.gear * d.gear * d.viscous * qd[k]
    return total


def _coulomb(d: Drive, speed: Scalar) -> Scalar:
    forward, backward = sliding_levels(d, speed)
    if d.rounded:
        way = speed / sqrt(speed * speed + d.rounded**2)
        return 0.5 * (forward - backward) * way + 0.5 * (forward + backward) * way * way
    if (forward == -backward) is True:  # arrays are compared element by element, and go on
        return forward * sign(speed)
    return where(speed > 0, forward, where(speed < 0, backward, 0 * speed))


def rounded(m: Mechanism, speed: float = ROUNDED) -> Mechanism:
    """Return the mechanism with dry friction that passes through zero smoothly, without events.

    T_c sign(q̇) becomes T_c q̇ / sqrt(q̇² + speed²): a joint that friction should hold creeps.
    """
    return replace(m, drives=tuple(replace(d, rounded=speed) for d in m.drives), checked=True)


def sliding_levels(d: Drive, speed: Scalar) -> tuple[Scalar, Scalar]:
    """Return dry friction at positive and at negative speed, motor side.

    With a Stribeck speed, a speed of the joint, it falls from the static level:
    T_c + (T_s - T_c) exp(-(q̇/v_s)²) (Armstrong-Hélouvry 1991, with the exponent 2).
    """
    if is_plain_zero(d.stribeck) or has_no_static_level(d):
        return d.coulomb
    part = speed / d.stribeck
    fall = exp(-(part * part))
    forward, backward = (c + (s - c) * fall for c, s in zip(d.coulomb, d.static, strict=True))
    return forward, backward


def has_no_static_level(d: Drive) -> bool:
    """Return whether friction at rest reaches no other level than in motion."""
    return all(is_plain_zero(x) for x in d.static)


def dry_drives(m: Mechanism) -> dict[int, list[Drive]]:
    """Return the drives with dry friction that holds, by velocity index: a leader may have more."""
    found: dict[int, list[Drive]] = {}
    for k, d in placed_drives(m):
        if not d.rounded and not all(is_plain_zero(x) for x in (*d.coulomb, *d.static)):
            found.setdefault(k, []).append(d)
    return found


def sliding_friction(drives: list[Drive], speed: Scalar, direction: Scalar) -> Scalar:
    """Return dry friction of a joint that slides in a direction (1, -1), joint side.

    The direction is given apart from the speed, so that the force is smooth where the speed is 0.
    """
    total: Scalar = 0
    for d in drives:
        forward, backward = sliding_levels(d, speed)
        level = where(direction > 0, forward, where(direction < 0, backward, 0 * direction))
        total = total + absolute(d.gear) * level
    return total


def holding_friction(drives: list[Drive]) -> tuple[Scalar, Scalar]:
    """Return the largest and the smallest force by which dry friction holds a joint at rest."""
    upper: Scalar = 0
    lower: Scalar = 0
    for d in drives:
        forward, backward = d.coulomb if has_no_static_level(d) else d.static
        upper, lower = upper + absolute(d.gear) * forward, lower + absolute(d.gear) * backward
    return upper, lower


def placed_drives(m: Mechanism) -> list[tuple[int, Drive]]:
    """Return the drives with their velocity index, those of followers at their leaders."""
    leaders = {joint_name(b): j for j, b in enumerate(m.bodies)} if m.drives else {}
    return [_placed(m, d, leaders) for d in m.drives]


def _placed(m: Mechanism, d: Drive, leaders: dict[str, int]) -> tuple[int, Drive]:
    body = m.bodies[d.joint]
    if isinstance(body.joint, Follower):
        return m.velocity_index[leaders[body.joint.of]], _at_leader(d, body.joint.ratio)
    if body.joint.nv != 1:
        raise ModelError(
            f"joint {joint_name(body)!r} has a drive and {body.joint.nv} degrees of freedom"
        )
    return m.velocity_index[d.joint], d


def _at_leader(d: Drive, ratio: Any) -> Drive:
    """Return the drive that does the same at a joint which moves 1 / ratio as fast."""
    ahead = ratio > 0

    def seen(levels: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return the levels by the sense of the leader: a negative ratio exchanges them."""
        if all(is_plain_zero(x) for x in levels):
            return levels
        up, down = levels
        return where(ahead, up, -down), where(ahead, down, -up)

    slow = d.stribeck if is_plain_zero(d.stribeck) else d.stribeck / absolute(ratio)
    return replace(
        d, gear=d.gear * ratio, coulomb=seen(d.coulomb), static=seen(d.static), stribeck=slow
    )
