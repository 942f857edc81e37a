"""The quantities of elastic joints and of moving bases.

Springs between points act as wrenches on links; springs in joints give part of what a joint needs,
or, where the joint has no motor, all of it (that is in the algorithms).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..joint import Vector
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .axes import gives
from .later import (
    articulated_body,
    elastic,
    elastic_base,
    joint_forces,
    moving_base,
    prescribed_base,
    springs,
)
from .models import Algorithm
from .quantity import Quantity, row

if TYPE_CHECKING:
    from ..algorithms.joint_forces import JointForces

# -- springs, drives and conventions -----------------------------------------------------------

CONVENTIONS = ("classical", "spatial")


def pulled(algorithm: Algorithm) -> Algorithm:
    """Return the algorithm with the pull of springs between points among the wrenches."""

    def model(m: Mechanism, q: Vector, qd: Vector, *rest: Any, wrenches: Any = None) -> Any:
        return algorithm(m, q, qd, *rest, _with_pull(m, q, qd, wrenches))

    return model


def _with_pull(m: Mechanism, q: Vector, qd: Vector, wrenches: Any) -> Any:
    """Return the wrenches with the pull of springs between points added."""
    if not m.springs:
        return wrenches
    return springs.added(springs.on_environment(m, q, qd), wrenches or {})


def based(algorithm: Algorithm) -> Algorithm:
    """Return a model whose first output, the classical base acceleration, is in a convention."""

    def model(m: Mechanism, q: Vector, qd: Vector, *rest: Any, **options: Any) -> Any:
        convention = _named(options.pop("convention", "classical"))
        found, *others = algorithm(m, q, qd, *rest, **options)
        if convention == "spatial":
            found = moving_base.base_rates(m, qd, found)
        return (found, *others) if others else found

    return model


def driven(algorithm: Algorithm) -> Algorithm:
    """Return an inverse model whose last output counts rotors, springs and friction of joints."""
    inner = pulled(algorithm)

    def model(
        m: Mechanism, q: Vector, qd: Vector, *rest: Any, drives: Any = "inertia",
        wrenches: Any = None,
    ) -> Any:  # fmt: skip
        *first, tau = inner(m, q, qd, *rest, wrenches=wrenches)
        forces, k = joint_forces.JointForces(m, drives), moving_base.base_size(m)
        inertial = forces.inertial([*([0] * k), *rest[-1]])
        return (*first, (Values(tau) - _passive(forces, q, qd)).plus(_beyond(inertial, k)))

    return model


def pushed(algorithm: Algorithm) -> Algorithm:
    """Return a direct model in which springs and friction act beside the joint torques."""

    def model(
        m: Mechanism, q: Vector, qd: Vector, tau: Vector, drives: Any = "inertia",
        wrenches: Any = None,
    ) -> Any:  # fmt: skip
        forces = joint_forces.JointForces(m, drives)
        net, wrenches = _passive(forces, q, qd) + tau, _with_pull(m, q, qd, wrenches)
        return algorithm(m, q, qd, net, wrenches, articulated_body.Known(rotor=forces.rotor))

    return model


def soft(algorithm: Algorithm) -> Algorithm:
    """Return a model of elastic joints, which takes their springs and friction itself."""

    def model(
        m: Mechanism, q: Vector, qd: Vector, qdd: Vector, drives: Any = "inertia",
        wrenches: Any = None,
    ) -> Any:  # fmt: skip
        return pulled(algorithm)(
            m, q, qd, qdd, joint_forces.JointForces(m, drives), wrenches=wrenches
        )

    return model


def prescribed(algorithm: Algorithm) -> Algorithm:
    """Return a model that takes the base acceleration in a convention."""
    inner = driven(algorithm)

    def model(
        m: Mechanism, q: Vector, qd: Vector, acceleration: Vector, qdd_joints: Vector,
        convention: str = "classical", **options: Any,
    ) -> Any:  # fmt: skip
        rates = to_rates(moving_base.moving_base(m), qd, acceleration, convention)
        return inner(m, q, qd, rates, qdd_joints, **options)

    return model


def _passive(forces: JointForces, q: Vector, qd: Vector) -> Values:
    """Return joint springs less friction of the joints beyond the base; point springs are apart."""
    k = moving_base.base_size(forces.m)
    own = Values([0] * (forces.m.nv - k)).plus(
        _beyond(joint_forces.joint_springs(forces.m, q, qd), k)
    )
    return own.less(_beyond(forces.friction(qd), k))


def _beyond(by_index: Mapping[int, Any], base: int) -> dict[int, Any]:
    return {k - base: x for k, x in by_index.items()}


def from_rates(m: Mechanism, qd: Vector, rates: Vector, convention: str) -> list[Any]:
    """Return the base acceleration in a convention from the rates of the base's qd."""
    classical = _named(convention) == "classical"
    return moving_base.classical(m, qd, rates) if classical else list(rates)


def to_rates(m: Mechanism, qd: Vector, acceleration: Vector, convention: str) -> list[Any]:
    """Return the rates of the base's qd from its acceleration in a convention."""
    classical = _named(convention) == "classical"
    return moving_base.base_rates(m, qd, acceleration) if classical else list(acceleration)


def _named(convention: str) -> str:
    if convention not in CONVENTIONS:
        known = " or ".join(f'"{c}"' for c in CONVENTIONS)
        raise UsageError(f"unknown convention {convention!r}", hint=known)
    return convention


def _alone(*inputs: Any) -> tuple[Any]:
    """Return the acceleration of the base as the one output."""
    return (moving_base.base_acceleration(*inputs),)


# -- rows --------------------------------------------------------------------------------------

ON_BASE = {"drives": "inertia", "convention": "classical"}
WHOLE = "forward_dynamics and inverse_dynamics count base and springs: name the motors in active"


def _row(name: str, inputs: str, outputs: Any, methods: Any, summary: str, options: Any,
         example: str = "flying_arm()", **facts: Any) -> Quantity:  # fmt: skip
    return row(name, inputs, outputs, methods, summary, options, example=example,
               frame_free=True, wrenches=True, instead=WHOLE, **facts)  # fmt: skip


ROWS = (
    _row("elastic_inverse", "q qd qdd", gives(qdd_elastic="elastic / s2", tau_rigid="J / rigid"),
         {"recursion": soft(elastic.elastic_inverse),
          "partition": soft(elastic.elastic_inverse_by_partition)},
         "qdd of the elastic joints and tau of the rigid ones", {"drives": "inertia"},
         "flexible2r()", counted="elastic"),
    _row("moving_base_inverse", "q qd qdd_joints",
         gives(base_acceleration="base / s2", tau="J / beyond_base"),
         {"composite": based(driven(moving_base.moving_base_inverse)),
          "recursion": based(driven(moving_base.moving_base_by_recursion)),
          "partition": based(driven(moving_base.moving_base_by_partition)),
          "articulated_body": based(driven(moving_base.moving_base_by_articulated_bodies))},
         "acceleration of the free base and joint torques", ON_BASE, counted="moving"),
    _row("moving_base_direct", "q qd tau_joints",
         gives(base_acceleration="base / s2", qdd="beyond_base / s2"),
         {"articulated_body": based(pushed(moving_base.moving_base_direct)),
          "partition": based(pushed(moving_base.moving_base_direct_by_partition))},
         "accelerations of the free base and of the joints from joint torques", ON_BASE),
    _row("base_acceleration", "q qd qdd_joints", gives(base_acceleration="base / s2"),
         {"composite": based(pulled(_alone))},
         "acceleration of the free base that the motion of the joints causes",
         {"convention": "classical"}),
    _row("prescribed_base_inverse", "q qd base_acceleration qdd_joints",
         gives(base_wrench="J / base", tau="J / beyond_base"),
         {"virtual_link": prescribed(prescribed_base.prescribed_base_inverse),
          "initial_conditions": prescribed(prescribed_base.prescribed_base_from_start)},
         "wrench on a base that moves as prescribed, and joint torques", ON_BASE),
    _row("elastic_base_inverse", "q qd qdd_joints",
         gives(base_acceleration="base / s2", qdd_elastic="elastic / s2",
               tau_rigid="J / rigid_beyond_base"),
         {"recursion": based(soft(elastic_base.elastic_base_inverse)),
          "partition": based(soft(elastic_base.elastic_base_by_partition))},
         "acceleration of the free base, qdd of elastic joints, tau of rigid ones", ON_BASE,
         "flying_arm().with_flexible_joints(100, 0.01)", counted="elastic moving"),
)  # fmt: skip
