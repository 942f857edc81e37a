"""The common models of each formalism: gravity, Coriolis, mass matrix from one inverse model.

Springs, which every formalism meets alike, are added here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..algebra import Vec3
from ..algorithms import (
    active_chain,
    augmented_body,
    elastic,
    energy,
    homogeneous,
    kane,
    newton_euler,
    screw_form,
    springs,
    world_spatial,
)
from ..joint import Vector
from ..mechanism import Mechanism

Algorithm = Callable[..., Any]


def _without_gravity(m: Mechanism) -> Mechanism:
    return replace(m, gravity=Vec3.zero(), checked=True)


def gravity_load(inverse: Algorithm) -> Algorithm:
    """Return the load of gravity, -Q: the inverse model at rest."""

    def gravity(m: Mechanism, q: Vector) -> list[Any]:
        rest = [0] * m.nv
        return inverse(m, q, rest, rest, drives="none")

    return gravity


def coriolis_forces(inverse: Algorithm) -> Algorithm:
    """Return the forces of Coriolis and centrifugal kind: unaccelerated, without gravity."""

    def coriolis(m: Mechanism, q: Vector, qd: Vector) -> list[Any]:
        return inverse(_without_gravity(m), q, qd, [0] * m.nv, drives="none")

    return coriolis


def bias_forces(inverse: Algorithm) -> Algorithm:
    """Return what the inverse model gives without acceleration."""

    def bias(m: Mechanism, q: Vector, qd: Vector, **options: Any) -> list[Any]:
        return inverse(m, q, qd, [0] * m.nv, **options)

    return bias


def mass_matrix_of(inverse: Algorithm) -> Algorithm:
    """Return the mass matrix: column j is the inverse model of a unit acceleration of joint j."""

    def mass_matrix(m: Mechanism, q: Vector, drives: Any = "inertia") -> list[list[Any]]:
        still = _without_gravity(m)
        rest = [0] * m.nv
        drives = "none" if drives == "none" else "inertia"
        columns = [
            inverse(still, q, rest, [1 if k == j else 0 for k in range(m.nv)], drives=drives)
            for j in range(m.nv)
        ]
        return [[column[r] for column in columns] for r in range(m.nv)]

    return mass_matrix


def hybrid_model(rigid: Algorithm) -> Algorithm:
    """Return (qdd, tau) where x is qdd for the joints named in `given` and tau for the others."""

    def hybrid(
        m: Mechanism, q: Vector, qd: Vector, x: Vector, given: Any = (), **options: Any
    ) -> tuple[list[Any], list[Any]]:
        known = {m.joint_index(name) for name in given}
        moved = [j in known for j, body in enumerate(m.bodies) for _ in range(body.joint.nv)]
        eased = springs.spring_forces(m, q, qd)
        for k, force in elastic.joint_springs(m, q, qd).items():
            eased[k] = eased[k] + force
        net = [a if k else a + e for a, e, k in zip(x, eased, moved, strict=True)]
        qdd, tau, *_ = rigid(m, q, qd, net, known, **options)
        left = [t - e if k else a for t, e, a, k in zip(tau, eased, x, moved, strict=True)]
        return qdd, left

    return hybrid


def framed(algorithm: Algorithm) -> Algorithm:
    """Return a kinematic algorithm with the frame as an option: the last one when none is named."""

    def of_frame(m: Mechanism, *inputs: Vector, frame: str | None = None, **options: Any) -> Any:
        return algorithm(m, frame if frame is not None else m.frames[-1], *inputs, **options)

    return of_frame


RIGID: Mapping[str, Algorithm] = {
    "newton_euler": newton_euler.newton_euler,
    "world_spatial": world_spatial.world_spatial,
    "screw_form": screw_form.screw_form,
    "augmented_body": augmented_body.augmented_body,
    "homogeneous": homogeneous.homogeneous,
    "active_chain": active_chain.active_chain,
    "kane": kane.kane,
}


def inverse_model(rigid: Algorithm) -> Algorithm:
    """Return an inverse model whose tau is what is left to the actuators beside joint springs."""

    def inverse(m: Mechanism, q: Vector, qd: Vector, qdd: Vector, **options: Any) -> list[Any]:
        tau = rigid(m, q, qd, qdd, **options)
        for k, force in elastic.joint_springs(m, q, qd).items():
            tau[k] = tau[k] - force
        pull = springs.spring_forces(m, q, qd)
        return [a - b for a, b in zip(tau, pull, strict=True)]

    return inverse


def direct_model(rigid: Algorithm) -> Algorithm:
    """Return a direct model in which joint springs add their force to tau (§6.2 of Khalil)."""

    def direct(m: Mechanism, q: Vector, qd: Vector, tau: Vector, **options: Any) -> list[Any]:
        net = [a + b for a, b in zip(tau, springs.spring_forces(m, q, qd), strict=True)]
        for k, force in elastic.joint_springs(m, q, qd).items():
            net[k] = net[k] + force
        return rigid(m, q, qd, net, **options)

    return direct


def potential_energy(m: Mechanism, q: Vector) -> list[Any]:
    """Return [potential energy of gravity, joint springs and point springs]."""
    joints, points = elastic.spring_energy(m, q), springs.point_spring_energy(m, q)
    return [energy.potential_energy(m, q)[0] + joints + points]


INVERSE = {name: inverse_model(rigid) for name, rigid in RIGID.items()}


def each(make: Callable[[Algorithm], Algorithm]) -> dict[str, Algorithm]:
    """Return one algorithm per formalism, made from its rigid inverse model."""
    return {name: make(rigid) for name, rigid in RIGID.items()}
