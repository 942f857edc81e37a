"""The quantities of elastic joints and of moving bases.

Springs between points act as wrenches on links; springs in joints give part of what a joint needs,
or, where the joint has no motor, all of it (that is in the algorithms).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algorithms import elastic, elastic_base, moving_base, prescribed_base, springs
from ..joint import Vector
from ..mechanism import Mechanism
from .models import Algorithm

# -- shapes ------------------------------------------------------------------------------------


def _elastic(m: Mechanism, options: Mapping[str, Any]) -> tuple[int, ...]:
    return (len(elastic.elastic_indices(m)[0]),)


def _rigid(m: Mechanism, options: Mapping[str, Any]) -> tuple[int, ...]:
    return (len(elastic.elastic_indices(m)[1]),)


def _rigid_joints(m: Mechanism, options: Mapping[str, Any]) -> tuple[int, ...]:
    return (max(0, len(elastic.elastic_indices(m)[1]) - moving_base.base_size(m)),)


def _base(m: Mechanism, options: Mapping[str, Any]) -> tuple[int, ...]:
    return (moving_base.base_size(m),)


def _joints(m: Mechanism, options: Mapping[str, Any]) -> tuple[int, ...]:
    return (joint_size(m),)


def joint_size(m: Mechanism) -> int:
    """Return how many velocity variables there are beside those of the base."""
    return max(0, m.nv - moving_base.base_size(m))


INPUTS = {
    "qdd_joints": joint_size,
    "tau_joints": joint_size,
    "base_acceleration": moving_base.base_size,
}

# -- springs -----------------------------------------------------------------------------------


def pulled(algorithm: Algorithm) -> Algorithm:
    """Return the algorithm with the pull of springs between points among the wrenches."""

    def model(
        m: Mechanism, q: Vector, qd: Vector, *rest: Any, wrenches: Any = None, **options: Any
    ) -> Any:
        if m.springs:
            wrenches = springs.added(springs.on_environment(m, q, qd), wrenches or {})
        return algorithm(m, q, qd, *rest, wrenches=wrenches, **options)

    return model


def eased(algorithm: Algorithm) -> Algorithm:
    """Return an inverse model whose last output is what springs in joints leave to the motors."""
    inner = pulled(algorithm)

    def model(m: Mechanism, q: Vector, qd: Vector, *rest: Any, **options: Any) -> Any:
        *first, tau = inner(m, q, qd, *rest, **options)
        return (*first, _less_springs(m, q, qd, tau))

    return model


def pushed(algorithm: Algorithm) -> Algorithm:
    """Return a direct model whose joint torques have the springs in joints added."""
    inner = pulled(algorithm)

    def model(m: Mechanism, q: Vector, qd: Vector, tau: Vector, **options: Any) -> Any:
        return inner(m, q, qd, _less_springs(m, q, qd, tau, -1), **options)

    return model


def _less_springs(m: Mechanism, q: Vector, qd: Vector, tau: Vector, sign: int = 1) -> list[Any]:
    start, left = moving_base.base_size(m), list(tau)
    for k, force in elastic.joint_springs(m, q, qd).items():
        left[k - start] = left[k - start] - sign * force
    return left


# -- rows --------------------------------------------------------------------------------------

MIXED = "m/s2, rad/s2; N, N m"
ON_BASE = {"drives": "inertia", "convention": "classical"}


ROWS: tuple[dict[str, Any], ...] = (
    dict(
        name="elastic_inverse",
        inputs=("q", "qd", "qdd"),
        outputs=(("qdd_elastic", _elastic), ("tau_rigid", _rigid)),
        methods={
            "recursion": pulled(elastic.elastic_inverse),
            "partition": pulled(elastic.elastic_inverse_by_partition),
        },
        unit=MIXED,
        summary="qdd of the elastic joints and tau of the rigid ones",
        options={"drives": "inertia"},
    ),
    dict(
        name="moving_base_inverse",
        inputs=("q", "qd", "qdd_joints"),
        outputs=(("base_acceleration", _base), ("tau", _joints)),
        methods={
            "composite": eased(moving_base.moving_base_inverse),
            "recursion": eased(moving_base.moving_base_by_recursion),
            "partition": eased(moving_base.moving_base_by_partition),
            "articulated_body": eased(moving_base.moving_base_by_articulated_bodies),
        },
        unit=MIXED,
        summary="acceleration of the free base and joint torques",
        options=ON_BASE,
    ),
    dict(
        name="moving_base_direct",
        inputs=("q", "qd", "tau_joints"),
        outputs=(("base_acceleration", _base), ("qdd", _joints)),
        methods={
            "articulated_body": pushed(moving_base.moving_base_direct),
            "partition": pushed(moving_base.moving_base_direct_by_partition),
        },
        unit="m/s2, rad/s2",
        summary="accelerations of the free base and of the joints from joint torques",
        options=ON_BASE,
    ),
    dict(
        name="base_acceleration",
        inputs=("q", "qd", "qdd_joints"),
        outputs=(("base_acceleration", _base),),
        methods={"composite": pulled(moving_base.base_acceleration)},
        unit="m/s2, rad/s2",
        summary="acceleration of the free base that the motion of the joints causes",
        options={"convention": "classical"},
    ),
    dict(
        name="prescribed_base_inverse",
        inputs=("q", "qd", "base_acceleration", "qdd_joints"),
        outputs=(("base_wrench", _base), ("tau", _joints)),
        methods={
            "virtual_link": eased(prescribed_base.prescribed_base_inverse),
            "initial_conditions": eased(prescribed_base.prescribed_base_from_start),
        },
        unit="N, N m",
        summary="wrench on a base that moves as prescribed, and joint torques",
        options=ON_BASE,
    ),
    dict(
        name="elastic_base_inverse",
        inputs=("q", "qd", "qdd_joints"),
        outputs=(
            ("base_acceleration", _base),
            ("qdd_elastic", _elastic),
            ("tau_rigid", _rigid_joints),
        ),
        methods={
            "recursion": pulled(elastic_base.elastic_base_inverse),
            "partition": pulled(elastic_base.elastic_base_by_partition),
        },
        unit=MIXED,
        summary="acceleration of the free base, qdd of elastic joints, tau of rigid ones",
        options=ON_BASE,
    ),
)
