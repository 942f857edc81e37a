"""Units of coordinates, rates and forces: lengths or angles, joint by joint."""

from __future__ import annotations

from .mechanism import Mechanism

LENGTHS = {"free": 3, "planar": 2, "prismatic": 1}  # how many coordinates, from the first on


def unit_kinds(m: Mechanism, rates: bool) -> list[str]:
    """Return "angle", "length" or "number" of each entry of q, or of qd and forces."""
    out: list[str] = []
    for b in m.bodies:
        count = b.joint.nv if rates else b.joint.nq
        angular = "number" if not rates and b.joint.kind in ("free", "spherical") else "angle"
        lengths = LENGTHS.get(b.joint.kind, 0) if count else 0
        out += ["length"] * lengths + [angular] * (count - lengths)
    return out


def force_and_speed(m: Mechanism, name: str) -> tuple[str, str]:
    """Return the units of force and speed of a joint, or of one of its parts."""
    kinds = dict(zip(m.rate_names, unit_kinds(m, True), strict=True))
    return ("N", "m/s") if kinds.get(name) == "length" else ("N m", "rad/s")
