"""Elastic joints on a moving base: base acceleration, elastic accelerations and torques.

Khalil (2010), sections 6.3 and 7.2 together: neither the base nor an elastic or passive joint has a
motor, so that the accelerations of all of them are sought, the motion of the other joints given.
"""

from __future__ import annotations

from collections.abc import Callable

from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from .articulated_body import hybrid_dynamics
from .elastic import at_springs, elastic_indices, elastic_mechanism, known
from .joint_forces import JointForces
from .moving_base import Hybrid, base_size, classical, moving_base
from .newton_euler import Wrenches
from .partition import hybrid_by_partition

Found = tuple[list[Scalar], list[Scalar], list[Scalar]]


def _inverse_by(hybrid: Hybrid) -> Callable[..., Found]:
    """Return the model: (base acceleration, qdd of the elastic joints, tau of the rigid ones).

    The entries of qdd_joints that belong to elastic joints are not read.
    """

    def inverse(
        m: Mechanism,
        q: Vector,
        qd: Vector,
        qdd_joints: Vector,
        forces: JointForces,
        wrenches: Wrenches | None = None,
    ) -> Found:
        k = base_size(elastic_mechanism(moving_base(m)))
        x = at_springs(forces, q, qd, [*([0] * k), *qdd_joints])
        qdd, tau, *_ = hybrid(m, q, qd, x, known(m, forces, 0), wrenches)
        soft, rigid = elastic_indices(m)
        rub = forces.friction(qd)
        own = [tau[n] + rub.get(n, 0) for n in rigid if n >= k]
        return classical(m, qd, qdd[:k]), [qdd[n] for n in soft], own

    return inverse


elastic_base_inverse = _inverse_by(hybrid_dynamics)  # in O(n)
elastic_base_by_partition = _inverse_by(hybrid_by_partition)  # (68)-(71) with (83)-(87)
