"""Energies, mass centre and momentum, summed over the bodies."""

from __future__ import annotations

from ..algebra import Rotation, Vec3, is_zero
from ..errors import ModelError
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from .drives import Drives, rotor_inertia


def velocities(m: Mechanism, q: Vector, qd: Vector) -> list[tuple[Rotation, Vec3, Vec3, Vec3]]:
    """Return (R, p, v, w) of each body: pose in the base frame; velocity in link axes."""
    q_, qd_ = m.split_q(q), m.split(qd)
    states: dict[int, tuple[Rotation, Vec3, Vec3, Vec3]] = {
        -1: (Rotation(), Vec3.zero(), Vec3.zero(), Vec3.zero())
    }
    for j, body in m.outward():
        R_i, p_i, v_i, w_i = states[body.parent]
        R, P = body.pose(q_[j])
        wJ, _, vJ, _ = body.rates(q_[j], qd_[j], [0] * len(qd_[j]))
        v = R.T @ (v_i + w_i.cross(P)) + vJ
        states[j] = ((R_i @ R).bounded(), R_i @ P + p_i, v, R.T @ w_i + wJ)
    return [states[j] for j in range(len(m.bodies))]


def kinetic_energy(m: Mechanism, q: Vector, qd: Vector, drives: Drives = "inertia") -> list[Scalar]:
    """Return ½ Σ (m v·v + 2 h·(v × w) + w·Io w), rotors included unless drives is "none"."""
    twice: Scalar = 0
    for body, (_, _, v, w) in zip(m.bodies, velocities(m, q, qd), strict=True):
        twice = twice + body.m * v.dot(v) + 2 * body.h.dot(v.cross(w)) + w.dot(body.Io @ w)
    for k, Ia in rotor_inertia(m, drives).items():
        twice = twice + Ia * qd[k] * qd[k]
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
    total: Scalar = 0
    moment = Vec3.zero()
    rest = [0] * m.nv
    for body, (R, p, _, _) in zip(m.bodies, velocities(m, q, rest), strict=True):
        total = total + body.m
        moment = moment + R @ body.h + p * body.m
    if is_zero(total):
        raise ModelError("no mass, so no mass centre", hint="give a body a mass")
    return [x / total for x in moment]


def momentum(m: Mechanism, q: Vector, qd: Vector) -> list[Scalar]:
    """Return [linear; angular about the base origin] momentum in base axes, rotors not counted."""
    linear, angular = Vec3.zero(), Vec3.zero()
    for body, (R, p, v, w) in zip(m.bodies, velocities(m, q, qd), strict=True):
        l = body.m * v + w.cross(body.h)
        h = body.Io @ w + body.h.cross(v)
        l_0 = R @ l
        linear, angular = linear + l_0, angular + R @ h + p.cross(l_0)
    return [*linear, *angular]
