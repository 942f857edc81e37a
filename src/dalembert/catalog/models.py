"""From an algorithm of rigid bodies to a model of the whole machine.

The algorithms know rigid bodies; rotors, springs and friction (`JointForces`) are added here, once:
inverse = rigid + rotor q̈ - passive, direct = rigid(tau + passive, rotor), M + diag(rotor).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..joint import Vector
from ..linalg import Matrix
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .later import (
    active_chain,
    articulated_body,
    augmented_body,
    direct_by_mass_matrix,
    energy,
    gibbs_appell,
    homogeneous,
    joint_forces,
    kane,
    newton_euler,
    partition,
    screw_form,
    springs,
    world_spatial,
)

if TYPE_CHECKING:
    from ..algorithms.drives import Drives
    from ..algorithms.joint_forces import JointForces
    from ..algorithms.newton_euler import Wrenches

Algorithm = Callable[..., Any]

# inverse models of rigid bodies: (m, q, qd, qdd, wrenches) -> tau
RIGID: Mapping[str, Algorithm] = {
    "newton_euler": newton_euler.newton_euler,
    "world_spatial": world_spatial.world_spatial,
    "screw_form": screw_form.screw_form,
    "augmented_body": augmented_body.augmented_body,
    "homogeneous": homogeneous.homogeneous,
    "active_chain": active_chain.active_chain,
    "gibbs_appell": gibbs_appell.gibbs_appell,
    "kane": kane.kane,
}


def each(make: Callable[[Algorithm], Algorithm]) -> dict[str, Algorithm]:
    """Return one algorithm per formalism, made from its inverse model of rigid bodies."""
    return {name: make(rigid) for name, rigid in RIGID.items()}


def acted(model: Algorithm) -> Algorithm:
    """Return a quantity by model(forces, *inputs): `drives` says what JointForces counts."""

    def quantity(m: Mechanism, *inputs: Vector, drives: Drives = "inertia", **options: Any) -> Any:
        return model(joint_forces.JointForces(m, drives), *inputs, **options)

    return quantity


# -- inverse -----------------------------------------------------------------------------------


def _with_rotors(rigid: Algorithm) -> Algorithm:
    return lambda *given: joint_forces.with_rotors(rigid)(*given)


# inverse models of bodies and rotors, (m, q, qd, qdd, wrenches, rotor) -> tau; W has its own
DRIVEN = {**each(_with_rotors), "active_chain": active_chain.active_chain}


def inverse_model(driven: Algorithm) -> Algorithm:
    """Return the forces of the actuators: tau + rotor q̈ - passive."""

    def inverse(
        forces: JointForces, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None
    ) -> Values:
        tau = driven(forces.m, q, qd, qdd, wrenches, forces.rotor)
        return tau - forces.passive(q, qd)

    return acted(inverse)


INVERSE = {name: inverse_model(driven) for name, driven in DRIVEN.items()}


def gravity_load(rigid: Algorithm) -> Algorithm:
    """Return the load of gravity, -Q: the inverse model at rest."""
    return lambda m, q: rigid(m, q, [0] * m.nv, [0] * m.nv)


def coriolis_forces(rigid: Algorithm) -> Algorithm:
    """Return the forces of Coriolis and centrifugal kind: unaccelerated, without gravity."""
    return lambda m, q, qd: rigid(m.weightless, q, qd, [0] * m.nv)


def bias_forces(rigid: Algorithm) -> Algorithm:
    """Return the forces of the bodies at zero acceleration, and friction if drives count it."""

    def bias(
        forces: JointForces, q: Vector, qd: Vector, wrenches: Wrenches | None = None
    ) -> Values:
        tau = Values(rigid(forces.m, q, qd, [0] * forces.m.nv, wrenches))
        return tau.plus(forces.friction(qd))

    return acted(bias)


# -- mass matrix -------------------------------------------------------------------------------


def mass_with_rotors(mass: Algorithm) -> Algorithm:
    """Return a mass matrix with the rotors on its diagonal."""
    return acted(lambda forces, q: forces.mass(mass(forces.m, q)))


def by_columns(rigid: Algorithm) -> Algorithm:
    """Return the mass matrix, a column for each unit acceleration."""
    return mass_with_rotors(lambda m, q: direct_by_mass_matrix.mass_matrix_by_columns(m, q, rigid))


def lagrange_model(rigid: Algorithm) -> Algorithm:
    """Return Q, A, B, C with the rotors on the diagonal of A."""

    def coefficients(forces: JointForces, q: Vector) -> Any:
        Q, A, B, C = rigid(forces.m, q)
        return Q, forces.mass(Matrix(A)), B, C

    return acted(coefficients)


# -- direct ------------------------------------------------------------------------------------


def direct_model(rigid: Algorithm) -> Algorithm:
    """Return the accelerations that actuator forces give, springs and friction added to them."""

    def direct(
        forces: JointForces, q: Vector, qd: Vector, tau: Vector, wrenches: Wrenches | None = None
    ) -> Any:
        return rigid(forces.m, q, qd, forces.passive(q, qd) + tau, wrenches, forces.rotor)

    return acted(direct)


def partly_given(rigid: Algorithm) -> Algorithm:
    """Return (qdd, tau): x is qdd of the velocity variables in `known`, tau of the others."""

    def hybrid(
        forces: JointForces, q: Vector, qd: Vector, x: Vector, known: Collection[int] = (),
        wrenches: Wrenches | None = None,
    ) -> tuple[Any, Any]:  # fmt: skip
        m, passive = forces.m, forces.at_joints(q, qd)
        given = {j for j, b in enumerate(m.bodies) if b.joint.nv and m.velocity_index[j] in known}
        net = [a if k in known else a + passive[k] for k, a in enumerate(x)]
        told = articulated_body.Known(given, forces.rotor)
        qdd, tau, *_ = rigid(m, q, qd, net, told, springs.with_pull(m, q, qd, wrenches))
        return qdd, [tau[k] - passive[k] if k in known else a for k, a in enumerate(x)]

    return acted(hybrid)


def hybrid_model(hybrid: Algorithm) -> Algorithm:
    """Return (qdd, tau) where x is qdd for the joints named in `given` and tau for the others."""

    def model(m: Mechanism, *inputs: Vector, given: Sequence[str] = (), **options: Any) -> Any:
        own = [m.joint_index(name) for name in given]
        return hybrid(m, *inputs, known=partition.velocity_indices(m, own), **options)

    return model


BODIES = partly_given(articulated_body.hybrid_dynamics)
PARTITION = partly_given(partition.hybrid_by_partition)


# -- others ------------------------------------------------------------------------------------


def framed(algorithm: Algorithm) -> Algorithm:
    """Return a kinematic algorithm with the frame as an option: the last that moves by default."""

    def of_frame(m: Mechanism, *inputs: Vector, frame: str | None = None, **options: Any) -> Any:
        return algorithm(m, frame if frame is not None else m.end_frame, *inputs, **options)

    return of_frame


def kinetic_energy(forces: JointForces, q: Vector, qd: Vector) -> list[Any]:
    """Return the kinetic energy of bodies and rotors."""
    return [energy.kinetic_energy(forces.m, q, qd)[0] + forces.twice_energy(qd) * 0.5]


def acceleration_energy(forces: JointForces, q: Vector, qd: Vector, qdd: Vector) -> list[Any]:
    """Return the energy of acceleration of bodies and rotors."""
    own = gibbs_appell.acceleration_energy(forces.m, q, qd, qdd)[0]
    return [own + forces.twice_energy(qdd) / 2]


def potential_energy(m: Mechanism, q: Vector) -> list[Any]:
    """Return the potential energy of gravity, joint springs and point springs."""
    return [energy.potential_energy(m, q)[0] + joint_forces.JointForces(m).energy(q)]


def active_chain_V(forces: JointForces, q: Vector, qd: Vector) -> Values:
    """Return V of W q̈ = P + V, less friction with drives="all"."""
    return Values(active_chain.active_chain_V(forces.m, q, qd)).less(forces.friction(qd))
