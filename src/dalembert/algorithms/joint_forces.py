"""What acts at the joints beside the rigid bodies: rotors, springs, friction.

The algorithms of rigid bodies know none of it: M q̈ + h = tau of the rigid bodies, and the
actuators give tau + rotor q̈ - passive(q, q̇) (Khalil 2010: the last terms of (31) and of (44), (69)
and (70)). Joint springs: -K (q - rest) - D q̇. Point springs: `springs.py`. Friction: `drives.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from ..errors import ModelError
from ..expr import Scalar
from ..frozen import dataclass
from ..joint import Vector
from ..linalg import Matrix
from ..linalg import Vector as Values
from ..mechanism import Mechanism, joint_name
from .drives import Drives, friction, rotor_inertia, viscous_friction
from .newton_euler import Wrenches
from .springs import point_spring_energy, spring_forces

Inverse = Callable[..., Values]  # tau of bodies and rotors: (m, q, qd, qdd, wrenches, rotor)


@dataclass(frozen=True)
class JointForces:
    """Rotor inertia, springs and friction of a mechanism, as far as `drives` counts them."""

    m: Mechanism
    drives: Drives = "inertia"

    @cached_property
    def rotor(self) -> dict[int, Scalar]:
        """Ia by velocity index."""
        return rotor_inertia(self.m, self.drives)

    @property
    def viscous(self) -> dict[int, Scalar]:
        """The slope of friction over the speed, by velocity index."""
        if self.drives != "all":
            return {}
        return viscous_friction(self.m, [1] * self.m.nv)

    def friction(self, qd: Vector) -> dict[int, Scalar]:
        """Return the friction that the actuator must overcome, by velocity index."""
        return friction(self.m, qd, self.drives)

    def springs(self, q: Vector, qd: Vector) -> Values:
        """Return the forces of joint springs and point springs on the joints."""
        return Values(spring_forces(self.m, q, qd)).plus(joint_springs(self.m, q, qd))

    def passive(self, q: Vector, qd: Vector) -> Values:
        """Return the forces of springs, less friction, on the joints."""
        return self.springs(q, qd).less(self.friction(qd))

    def at_joints(self, q: Vector, qd: Vector) -> Values:
        """Return the passive forces where point springs act as wrenches on the links."""
        own = Values.zeros(self.m.nv).plus(joint_springs(self.m, q, qd))
        return own.less(self.friction(qd))

    def inertial(self, qdd: Vector) -> dict[int, Scalar]:
        """Return Ia q̈, what the rotors need, by velocity index."""
        return {k: Ia * qdd[k] for k, Ia in self.rotor.items()}

    def twice_energy(self, rates: Vector) -> Scalar:
        """Return Σ Ia x² of the rotors: twice their kinetic energy, where x are the rates."""
        return sum((Ia * rates[k] * rates[k] for k, Ia in self.rotor.items()), 0)

    def mass(self, M: Matrix) -> Matrix:
        """Return the mass matrix with the rotors on its diagonal."""
        return M.plus_diagonal(self.rotor)

    def energy(self, q: Vector) -> Scalar:
        """Return the energy of joint springs and point springs."""
        return spring_energy(self.m, q) + point_spring_energy(self.m, q)


def with_rotors(rigid: Callable[..., Vector]) -> Inverse:
    """Return the inverse model of bodies and rotors: tau + Ia q̈."""

    def inverse(
        m: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None,
        rotor: Mapping[int, Scalar] | None = None,
    ) -> Values:  # fmt: skip
        inertial = {k: Ia * qdd[k] for k, Ia in (rotor or {}).items()}
        return Values(rigid(m, q, qd, qdd, wrenches)).plus(inertial)

    return inverse


def joint_springs(m: Mechanism, q: Vector, qd: Vector) -> dict[int, Scalar]:
    """Return the force -K (q - rest) - D qd of each elastic joint, by velocity index."""
    q_, qd_ = m.split_q(q), m.split(qd)
    forces = {}
    for spring in m.elastic:
        body = m.bodies[spring.joint]
        if body.joint.nv != 1:
            raise ModelError(
                f"joint {joint_name(body)!r} is elastic and has {body.joint.nv} degrees of freedom"
            )
        stretch = q_[spring.joint][0] - spring.rest
        force = -(spring.stiffness * stretch) - spring.damping * qd_[spring.joint][0]
        forces[m.velocity_index[spring.joint]] = force
    return forces


def spring_energy(m: Mechanism, q: Vector) -> Scalar:
    """Return ½ Σ K (q - rest)² of the elastic joints."""
    q_ = m.split_q(q)
    energy: Scalar = 0
    for spring in m.elastic:
        stretch = q_[spring.joint][0] - spring.rest
        energy = energy + spring.stiffness * (stretch * stretch) * 0.5
    return energy
