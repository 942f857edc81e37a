"""The quantities of elastic joints and of moving bases.

All are hybrid dynamics: joints with a motor have a given motion, the base and joints without a
motor a given force, which is that of springs and friction. Free bases have algorithms of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..joint import Free, Vector
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .axes import gives
from .folded import forces_of_leaders, partitioned
from .later import elastic, moving_base, springs
from .models import BODIES, PARTITION, Algorithm, acted
from .quantity import Quantity, row

if TYPE_CHECKING:
    from ..algorithms.joint_forces import JointForces
    from ..algorithms.newton_euler import Wrenches

# -- by hybrid dynamics ------------------------------------------------------------------------


def inverse_by(hybrid: Algorithm, base: bool = False, soft: bool = False) -> Algorithm:
    """Return an inverse model in which the motion of joints with a motor is given.

    It gives the acceleration of a moving base, q̈ of joints without a motor, tau of the others.
    """

    def model(m: Mechanism, q: Vector, qd: Vector, x: Vector, **options: Any) -> Any:
        k = moving_base.base_size(moving_base.moving_base(m)) if base else 0
        given = [*([0] * k), *x]
        loose = elastic.elastic_indices(elastic.elastic_mechanism(m))[0] if soft else []
        known = [n for n in range(k, len(given)) if n not in loose]
        net = [a if n in known else 0 for n, a in enumerate(given)]
        qdd, tau = hybrid(m, q, qd, net, known=known, **options)
        bending = ([qdd[n] for n in loose],) if soft else ()
        return *((qdd[:k],) if base else ()), *bending, [tau[n] for n in known]

    return _of_base(model) if base else model


def direct_by(hybrid: Algorithm) -> Algorithm:
    """Return the accelerations of a moving base and of its joints from joint torques."""

    def model(m: Mechanism, q: Vector, qd: Vector, tau_joints: Vector, **options: Any) -> Any:
        k = moving_base.base_size(moving_base.moving_base(m))
        qdd, _ = hybrid(m, q, qd, [*([0] * k), *tau_joints], **options)
        return qdd[:k], qdd[k:]

    return _of_base(model)


# -- by algorithms of their own ----------------------------------------------------------------


def _driven(algorithm: Algorithm) -> Algorithm:
    """Return a model whose last output, tau beyond the base, counts what acts at the joints."""

    def model(
        forces: JointForces, q: Vector, qd: Vector, *rest: Vector, wrenches: Wrenches | None = None
    ) -> Any:
        m, k = forces.m, moving_base.base_size(forces.m)
        *first, tau = algorithm(m, q, qd, *rest, springs.with_pull(m, q, qd, wrenches))
        inertial = forces.inertial([*([0] * k), *rest[-1]])
        own = Values.zeros(m.nv).plus(inertial) - forces.at_joints(q, qd)
        return (*first, Values(tau) + own[k:])

    return acted(model)


def _of_free_base(algorithm: Algorithm) -> Algorithm:
    """Return the inverse model on a free base; planar ones go by articulated bodies."""
    free, planar = _driven(algorithm), inverse_by(BODIES, base=True)

    def model(m: Mechanism, q: Vector, qd: Vector, x: Vector, convention: str = "classical",
              **options: Any) -> Any:  # fmt: skip
        if moving_base.base_size(moving_base.moving_base(m)) != Free.nv:
            return planar(m, q, qd, x, convention=convention, **options)
        found, tau = free(m, q, qd, x, **options)
        return found if _is_classical(convention) else moving_base.base_rates(m, qd, found), tau

    return model


def _alone(inverse: Algorithm) -> Algorithm:
    """Return the acceleration of the base as the one output."""
    return lambda m, *inputs, **options: inverse(m, *inputs, drives="none", **options)[0]


def _prescribed(inverse: Algorithm) -> Algorithm:
    """Return a model that takes the base acceleration in a convention."""

    def model(m: Mechanism, q: Vector, qd: Vector, acceleration: Vector, qdd_joints: Vector,
              convention: str = "classical", **options: Any) -> Any:  # fmt: skip
        rates = acceleration
        if _is_classical(convention):
            rates = moving_base.base_rates(moving_base.moving_base(m), qd, acceleration)
        return inverse(m, q, qd, rates, qdd_joints, **options)

    return model


def _folded_wrench(
    whole: Mechanism, q: Vector, qd: Vector, base_rates: Vector, qdd_joints: Vector, **options: Any
) -> Any:
    """Return (wrench on a prescribed base, torques) of a tree in which joints follow others."""
    tau = forces_of_leaders(whole, q, qd, [*base_rates, *qdd_joints], **options)
    return tau[: len(base_rates)], tau[len(base_rates) :]


# -- the two conventions of a base acceleration ------------------------------------------------

CONVENTIONS = ("classical", "spatial")


def _of_base(model: Algorithm) -> Algorithm:
    """Return a model whose first output, rates of the base's qd, is told in a convention."""

    def quantity(m: Mechanism, q: Vector, qd: Vector, x: Vector, convention: str = "classical",
                 **options: Any) -> Any:  # fmt: skip
        rates, *rest = model(m, q, qd, x, **options)
        return moving_base.classical(m, qd, rates) if _is_classical(convention) else rates, *rest

    return quantity


def _is_classical(convention: str) -> bool:
    if convention not in CONVENTIONS:
        known = " or ".join(f'"{c}"' for c in CONVENTIONS)
        raise UsageError(f"unknown convention {convention!r}", hint=known)
    return convention == "classical"


# -- rows --------------------------------------------------------------------------------------

ON_BASE = {"drives": "inertia", "convention": "classical"}
WHOLE = "forward_dynamics and inverse_dynamics count base and springs: name the motors in active"


def _row(name: str, inputs: str, outputs: Any, methods: Any, summary: str, options: Any,
         example: str = "flying_arm()", *, folded: Any, **facts: Any) -> Quantity:  # fmt: skip
    return row(name, inputs, outputs, methods, summary, options, example=example,
               frame_free=True, wrenches=True, instead=WHOLE, folded={"partition": folded},
               **facts)  # fmt: skip


ROWS = (
    _row("elastic_inverse", "q qd qdd", gives(qdd_elastic="elastic / s2", tau_rigid="J / rigid"),
         {"recursion": inverse_by(BODIES, soft=True),
          "partition": inverse_by(PARTITION, soft=True)},
         "qdd of the elastic joints and tau of the rigid ones", {"drives": "inertia"},
         "flexible2r()", counted="elastic", folded=inverse_by(partitioned, soft=True)),
    _row("moving_base_inverse", "q qd qdd_joints",
         gives(base_acceleration="base / s2", tau="J / beyond_base"),
         {"composite": _of_free_base(moving_base.moving_base_inverse),
          "recursion": _of_free_base(moving_base.moving_base_by_recursion),
          "partition": inverse_by(PARTITION, base=True),
          "articulated_body": inverse_by(BODIES, base=True)},
         "acceleration of the free base and joint torques", ON_BASE, counted="moving",
         folded=inverse_by(partitioned, base=True)),
    _row("moving_base_direct", "q qd tau_joints",
         gives(base_acceleration="base / s2", qdd="beyond_base / s2"),
         {"articulated_body": direct_by(BODIES), "partition": direct_by(PARTITION)},
         "accelerations of the free base and of the joints from joint torques", ON_BASE,
         folded=direct_by(partitioned)),
    _row("base_acceleration", "q qd qdd_joints", gives(base_acceleration="base / s2"),
         {"composite": _alone(_of_free_base(moving_base.moving_base_inverse))},
         "acceleration of the free base that the motion of the joints causes",
         {"convention": "classical"}, folded=_alone(inverse_by(partitioned, base=True))),
    _row("prescribed_base_inverse", "q qd base_acceleration qdd_joints",
         gives(base_wrench="J / base", tau="J / beyond_base"),
         {"virtual_link": _prescribed(_driven(moving_base.prescribed_base_inverse)),
          "initial_conditions":
              _prescribed(_driven(moving_base.prescribed_base_from_start))},
         "wrench on a base that moves as prescribed, and joint torques", ON_BASE,
         folded=_prescribed(_folded_wrench)),
    _row("elastic_base_inverse", "q qd qdd_joints",
         gives(base_acceleration="base / s2", qdd_elastic="elastic / s2",
               tau_rigid="J / rigid_beyond_base"),
         {"recursion": inverse_by(BODIES, base=True, soft=True),
          "partition": inverse_by(PARTITION, base=True, soft=True)},
         "acceleration of the free base, qdd of elastic joints, tau of rigid ones", ON_BASE,
         "flying_arm().with_flexible_joints(100, 0.01)", counted="elastic moving",
         folded=inverse_by(partitioned, base=True, soft=True)),
)  # fmt: skip
