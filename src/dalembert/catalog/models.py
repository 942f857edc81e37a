"""From an algorithm of rigid bodies to a model of the whole machine.

The algorithms know rigid bodies; rotors, springs and friction (`JointForces`) are added here, once:
inverse = rigid + rotor q̈ - passive, direct = rigid(tau + passive, rotor), M + diag(rotor).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..joint import Vector
from ..linalg import Matrix
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .later import (
    active_chain,
    articulated_body,
    augmented_body,
    cartesian,
    composite,
    energy,
    gibbs_appell,
    homogeneous,
    joint_forces,
    kane,
    newton_euler,
    screw_form,
    world_spatial,
)

if TYPE_CHECKING:
    from ..algorithms.drives import Drives
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


# -- inverse -----------------------------------------------------------------------------------


def inverse_model(rigid: Algorithm) -> Algorithm:
    """Return the forces of the actuators: tau + rotor q̈ - passive."""

    def inverse(
        m: Mechanism, q: Vector, qd: Vector, qdd: Vector, drives: Drives = "inertia",
        wrenches: Wrenches | None = None,
    ) -> Values:  # fmt: skip
        forces = joint_forces.JointForces(m, drives)
        tau = Values(rigid(m, q, qd, qdd, wrenches)).plus(forces.inertial(qdd))
        return tau - forces.passive(q, qd)

    return inverse


def active_chain_inverse(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector, drives: Drives = "inertia",
    wrenches: Wrenches | None = None,
) -> Values:  # fmt: skip
    """Return the forces of the actuators, W q̈ - V - passive: the rotors count in W."""
    forces = joint_forces.JointForces(m, drives)
    P = active_chain.active_chain(m, q, qd, qdd, wrenches, forces.rotor)
    return P - forces.passive(q, qd)


def gravity_load(rigid: Algorithm) -> Algorithm:
    """Return the load of gravity, -Q: the inverse model at rest."""
    return lambda m, q: rigid(m, q, [0] * m.nv, [0] * m.nv)


def coriolis_forces(rigid: Algorithm) -> Algorithm:
    """Return the forces of Coriolis and centrifugal kind: unaccelerated, without gravity."""
    return lambda m, q, qd: rigid(m.weightless, q, qd, [0] * m.nv)


def bias_forces(rigid: Algorithm) -> Algorithm:
    """Return what the rigid bodies need without acceleration, and friction if drives count it."""

    def bias(
        m: Mechanism, q: Vector, qd: Vector, drives: Drives = "inertia",
        wrenches: Wrenches | None = None,
    ) -> Values:  # fmt: skip
        tau = Values(rigid(m, q, qd, [0] * m.nv, wrenches))
        return tau.plus(joint_forces.JointForces(m, drives).friction(qd))

    return bias


# -- mass matrix -------------------------------------------------------------------------------


def with_rotors(mass: Algorithm) -> Algorithm:
    """Return a mass matrix with the rotors on its diagonal."""
    return lambda m, q, drives="inertia": joint_forces.JointForces(m, drives).mass(mass(m, q))


def by_columns(rigid: Algorithm) -> Algorithm:
    """Return the mass matrix: column j is the inverse model of a unit acceleration of joint j."""

    def mass_matrix(m: Mechanism, q: Vector) -> Matrix:
        still, n = m.weightless, m.nv
        return Matrix.columns([rigid(still, q, [0] * n, Values.unit(n, j)) for j in range(n)], n)

    return with_rotors(mass_matrix)


def lagrange_model(rigid: Algorithm) -> Algorithm:
    """Return Q, A, B, C with the rotors on the diagonal of A."""

    def coefficients(m: Mechanism, q: Vector, drives: Drives = "inertia") -> Any:
        Q, A, B, C = rigid(m, q)
        return Q, joint_forces.JointForces(m, drives).mass(Matrix(A)), B, C

    return coefficients


# -- direct ------------------------------------------------------------------------------------


def direct_model(rigid: Algorithm) -> Algorithm:
    """Return the accelerations that actuator forces give, springs and friction added to them."""

    def direct(
        m: Mechanism, q: Vector, qd: Vector, tau: Vector, drives: Drives = "inertia",
        wrenches: Wrenches | None = None,
    ) -> Any:  # fmt: skip
        forces = joint_forces.JointForces(m, drives)
        return rigid(m, q, qd, forces.passive(q, qd) + tau, wrenches, forces.rotor)

    return direct


def hybrid_model(rigid: Algorithm) -> Algorithm:
    """Return (qdd, tau) where x is qdd for the joints named in `given` and tau for the others."""

    def hybrid(
        m: Mechanism, q: Vector, qd: Vector, x: Vector, given: Any = (),
        drives: Drives = "inertia", wrenches: Wrenches | None = None,
    ) -> tuple[Any, Any]:  # fmt: skip
        forces = joint_forces.JointForces(m, drives)
        known = articulated_body.Known({m.joint_index(name) for name in given}, forces.rotor)
        moved = [j in known.given for j, body in enumerate(m.bodies) for _ in range(body.joint.nv)]
        passive = forces.passive(q, qd)
        net = [a if k else a + p for a, p, k in zip(x, passive, moved, strict=True)]
        qdd, tau, *_ = rigid(m, q, qd, net, known, wrenches)
        return qdd, [t - p if k else a for t, p, a, k in zip(tau, passive, x, moved, strict=True)]

    return hybrid


def with_forces(algorithm: Algorithm) -> Algorithm:
    """Return an algorithm that takes JointForces with `drives` as its option."""

    def model(
        m: Mechanism, *inputs: Vector, drives: Drives = "inertia", wrenches: Wrenches | None = None
    ) -> Any:
        return algorithm(m, *inputs, joint_forces.JointForces(m, drives), wrenches)

    return model


# -- others ------------------------------------------------------------------------------------


def framed(algorithm: Algorithm) -> Algorithm:
    """Return a kinematic algorithm with the frame as an option: the last that moves by default."""

    def of_frame(m: Mechanism, *inputs: Vector, frame: str | None = None, **options: Any) -> Any:
        return algorithm(m, frame if frame is not None else m.end_frame, *inputs, **options)

    return of_frame


def kinetic_energy(m: Mechanism, q: Vector, qd: Vector, drives: Drives = "inertia") -> list[Any]:
    """Return the kinetic energy of bodies and rotors."""
    twice: Any = 0
    for k, Ia in joint_forces.JointForces(m, drives).rotor.items():
        twice = twice + Ia * qd[k] * qd[k]
    return [energy.kinetic_energy(m, q, qd)[0] + twice * 0.5]


def acceleration_energy(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector, drives: Drives = "inertia"
) -> list[Any]:
    """Return the energy of acceleration of bodies and rotors."""
    twice: Any = 0
    for k, Ia in joint_forces.JointForces(m, drives).rotor.items():
        twice = twice + Ia * qdd[k] * qdd[k]
    return [gibbs_appell.acceleration_energy(m, q, qd, qdd)[0] + twice / 2]


def potential_energy(m: Mechanism, q: Vector) -> list[Any]:
    """Return the potential energy of gravity, joint springs and point springs."""
    return [energy.potential_energy(m, q)[0] + joint_forces.JointForces(m).energy(q)]


def active_chain_V(m: Mechanism, q: Vector, qd: Vector, drives: Drives = "inertia") -> Values:
    """Return V of W q̈ = P + V, less friction with drives="all"."""
    return Values(active_chain.active_chain_V(m, q, qd)).less(
        joint_forces.JointForces(m, drives).friction(qd)
    )


def _inertia(m: Mechanism, q: Vector) -> Matrix:
    """Return the mass matrix with rotors, of the coordinates that are left where some follow."""
    if m.fold is None:
        return joint_forces.JointForces(m).mass(composite.composite(m, q))
    whole = joint_forces.JointForces(m).mass(composite.composite(m, m.fold.coordinates(q)))
    return Matrix(m.fold.square(whole))


def cartesian_mass(m: Mechanism, q: Vector, frame: str | None = None) -> Matrix:
    """Return M_x of the machine with its rotors."""
    return cartesian.cartesian_mass(m, q, _inertia(m, q), frame)


def cartesian_bias(m: Mechanism, q: Vector, qd: Vector, frame: str | None = None) -> Values:
    """Return V_x of the machine with its rotors."""
    return cartesian.cartesian_bias(m, q, qd, _inertia(m, q), frame)


INVERSE = {**each(inverse_model), "active_chain": active_chain_inverse}
