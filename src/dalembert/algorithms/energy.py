"""Energies, mass centre and momentum, summed over the bodies."""

from __future__ import annotations

from ..algebra import Vec3, is_plain_zero
from ..errors import ModelError
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import NO_WRENCH
from .link_motion import poses, twists


def kinetic_energy(m: Mechanism, q: Vector, qd: Vector) -> list[Scalar]:
    """Return ½ Σ (m v·v + 2 h·(v × w) + w·Io w), rotors not counted."""
    xi, twice = twists(m, q, qd), 0
    for j, body in m.outward():
        v, w = xi[j]
        twice = twice + body.m * v.dot(v) + 2 * body.h.dot(v.cross(w)) + w.dot(body.Io @ w)
    return [twice * 0.5]


def potential_energy(m: Mechanism, q: Vector) -> list[Scalar]:
    """Return -Σ m g·p_c, zero where every mass centre is in the base origin."""
    q_ = m.split_q(q)
    moment: dict[int, Vec3] = {}
    mass: dict[int, Scalar] = {}
    for j, body in m.outward():
        moment[j], mass[j] = body.h, body.m
    energy: Scalar = 0
    for j, body in m.inward():
        R, P = body.pose(q_[j])
        there = R @ moment[j] + P * mass[j]
        if body.parent >= 0:
            moment[body.parent] = moment[body.parent] + there
            mass[body.parent] = mass[body.parent] + mass[j]
        else:
            energy = energy - m.gravity.dot(there)
    return [energy]


def centre_of_mass(m: Mechanism, q: Vector) -> list[Scalar]:
    """Return the mass centre of all bodies in the base frame."""
    T, moment = poses(m, q), Vec3.zero()
    total: Scalar = 0
    for j, body in m.outward():
        total = total + body.m
        moment = moment + T[j].R @ body.h + T[j].p * body.m
    if is_plain_zero(total):
        raise ModelError("no mass, so no mass centre", hint="give a body a mass")
    return [x / total for x in moment]


def momentum(m: Mechanism, q: Vector, qd: Vector) -> list[Scalar]:
    """Return [linear; angular about the base origin] momentum in base axes, rotors not counted."""
    T, xi, total = poses(m, q), twists(m, q, qd), NO_WRENCH
    for j, body in m.outward():
        total = total + (body.inertia @ xi[j]).to_parent(T[j].R, T[j].p)
    return total.entries()
