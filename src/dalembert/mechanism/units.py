"""Units of coordinates and rates: m, rad, or 1 for the parts of quaternions."""

from __future__ import annotations

from collections.abc import Iterable

from .mechanism import Mechanism


def coordinate_units(m: Mechanism) -> tuple[str, ...]:
    """Return the unit of each entry of q."""
    return _units((b.joint.lengths, b.joint.nq, b.joint.nq == b.joint.nv) for b in m.bodies)


def rate_units(m: Mechanism) -> tuple[str, ...]:
    """Return what each velocity variable is the rate of: m or rad."""
    return _units((b.joint.lengths, b.joint.nv, True) for b in m.bodies)


def _units(joints: Iterable[tuple[int, int, bool]]) -> tuple[str, ...]:
    """Return the units of (lengths, entries, whether the others are angles) of each joint."""
    each = (["m"] * n + ["rad" if turns else "1"] * (size - n) for n, size, turns in joints)
    return tuple(unit for own in each for unit in own)


def force_and_speed(m: Mechanism, name: str) -> tuple[str, str]:
    """Return the units of force and speed of a joint, or of one of its parts."""
    units = dict(zip(m.rate_names, rate_units(m), strict=True))
    return ("N", "m/s") if units.get(name) == "m" else ("N m", "rad/s")
