"""Elastic joints on a moving base: base acceleration, elastic accelerations and torques.

Khalil (2010), sections 6.3 and 7.2 together: neither the base nor an elastic or passive joint has a
motor, so that the accelerations of all of them are sought, the motion of the other joints given.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from .articulated_body import hybrid_dynamics
from .drives import Drives
from .elastic import at_springs, elastic_indices, elastic_mechanism, on_base
from .moving_base import Hybrid, base_from_rates, base_size, moving_base
from .newton_euler import Wrench
from .partition import hybrid_by_partition


def elastic_base_inverse(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd_joints: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    convention: str = "classical",
    hybrid: Hybrid = hybrid_dynamics,
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Return (base acceleration, qdd of the elastic joints, tau of the rigid ones), in O(n).

    The entries of qdd_joints that belong to elastic joints are not read.
    """
    m, k = elastic_mechanism(moving_base(mechanism)), base_size(mechanism)
    soft = {0, *on_base(m)}
    given = {j for j, b in enumerate(m.bodies) if b.joint.nv and j not in soft}
    x = at_springs(m, q, qd, [*([0] * k), *qdd_joints])
    qdd, tau, *_ = hybrid(m, q, qd, x, given, wrenches, drives)
    elastic, rigid = elastic_indices(m)
    base = base_from_rates(m, qd, qdd[:k], convention)
    return base, [qdd[n] for n in elastic], [tau[n] for n in rigid if n >= k]


def elastic_base_by_partition(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd_joints: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
    convention: str = "classical",
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Return the same from A and H, (68)-(71) with (83)-(87)."""
    return elastic_base_inverse(
        mechanism, q, qd, qdd_joints, wrenches, drives, convention, hybrid_by_partition
    )
