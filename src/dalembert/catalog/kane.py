"""The rows of the catalog for Kane's method: reduced machines, wheels, the Cartesian model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..joint import Vector
from ..mechanism import Mechanism
from .axes import gives
from .later import cartesian, joint_forces, kane, multipliers
from .models import cartesian_bias, cartesian_mass
from .quantity import Quantity

if TYPE_CHECKING:
    from ..algorithms.joint_forces import JointForces
    from ..algorithms.kane import Acting, Reduction

Algorithm = Callable[..., Any]


def _kane(pick: Callable[..., Any]) -> Algorithm:
    """Return a quantity of the reduced machine at (q, alpha, steering): pick(m, r, forces)."""

    def quantity(
        m: Mechanism, q: Vector, alpha: Vector, steer: Vector, steer_rate: Vector,
        drives: Any = "inertia",
    ) -> Any:  # fmt: skip
        return pick(
            m, kane.reduction(m, q, alpha, steer, steer_rate), joint_forces.JointForces(m, drives)
        )

    return quantity


def _at_rest(pick: Callable[..., Any]) -> Algorithm:
    """Return a quantity of the reduced machine that depends on the pose and steering alone."""

    def quantity(m: Mechanism, q: Vector, steer: Vector, **options: Any) -> Any:
        alpha, still = [0] * len(kane.speed_names(m)), [0] * len(steer)
        return _kane(pick)(m, q, alpha, steer, still, **options)

    return quantity


def _driven(pick: Callable[..., Any]) -> Algorithm:
    """Return a quantity of the reduced machine under forces: pick(m, r, acting)."""

    def quantity(
        m: Mechanism, q: Vector, alpha: Vector, *inputs: Vector, drives: Any = "inertia",
        wrenches: Any = None,
    ) -> Any:  # fmt: skip
        steer, steer_rate, tau, traction = inputs
        r = kane.reduction(m, q, alpha, steer, steer_rate)
        acting = kane.Acting(tau, traction, joint_forces.JointForces(m, drives), wrenches or {})
        return pick(m, r, acting)

    return quantity


def _tau(m: Mechanism, r: Reduction, acting: Acting) -> Any:
    return r.J_nh.T @ kane.active_forces(m, r, acting)


def _gw(m: Mechanism, r: Reduction, forces: JointForces) -> Any:
    return kane.gw(m, r, forces.rotor)


def _D(m: Mechanism, r: Reduction, forces: JointForces) -> Any:
    return kane.D(m, r, forces.rotor)


def _C(m: Mechanism, r: Reduction, forces: JointForces) -> Any:
    return kane.C(m, r, forces.rotor)


def _part(model: Algorithm, which: Any) -> Algorithm:
    """Return some of what a model of the reduced machine gives."""
    return _driven(lambda *given: model(*given)[which])


STATE = ("q", "alpha", "steer", "steer_rate")
FRAME = {"frame": None}
DRIVES = {"drives": "inertia"}


def kane_rows() -> tuple[Quantity, ...]:
    """Return the rows of Kane's method."""
    rows = (
        Quantity("kane_J_h", ("q",), gives(J_h="moving joint"), {"kane": kane.J_h},
                 "m, 1", "velocities of the mass centres, body axes: v = J_h qd", False),
        Quantity("kane_J_nh", ("q", "steer"), gives(J_nh="joint speed"),
                 {"kane": _at_rest(lambda m, r, forces: r.J_nh)},
                 "mixed", "qd = J_nh alpha under the velocity constraints", False),
        Quantity("kane_J", ("q", "steer"), gives(J="moving speed"),
                 {"kane": _at_rest(lambda m, r, forces: kane.J_and_rate(m, r)[0])},
                 "mixed", "J = J_h J_nh", False),
        Quantity("kane_Jdot", STATE, gives(Jdot="moving speed"),
                 {"kane": _kane(lambda m, r, forces: kane.J_and_rate(m, r)[1])},
                 "mixed", "time derivative of J", False),
        Quantity("kane_D", ("q", "steer"), gives(D="speed speed"),
                 {"kane": _at_rest(_D)},
                 "kg, kg m2", "reduced inertia D = J'MJ, rotors included", False, DRIVES),
        Quantity("kane_C", STATE, gives(C="speed speed"),
                 {"kane": _kane(_C)},
                 "N s, N m s", "Kane's C = J'(MJ' + WMJ), not Christoffel's", False, DRIVES),
        Quantity("kane_g0", STATE, gives(g0="speed"), {"kane": _kane(kane.g0)},
                 "m/s2, rad/s2", "g0 of alpha_dot = g0 + gw tau: what inertia does", False, DRIVES),
        Quantity("kane_gw", ("q", "steer"), gives(gw="speed speed"), {"kane": _at_rest(_gw)},
                 "1/kg", "gw of alpha_dot = g0 + gw tau: the inverse of D", False, DRIVES),
        Quantity("kane_tau", (*STATE, "tau", "traction"), gives(tau="speed"),
                 {"kane": _driven(_tau)}, "N, N m",
             "active forces on the speeds, gravity and springs included", False, DRIVES,
             wrenches=True),
        Quantity("alpha_dot", (*STATE, "tau", "traction"), gives(alpha_dot="speed"),
                 {"kane": _part(kane.state_model, 0),
                  "multipliers": _part(multipliers.multipliers, 0)},
                 "m/s2, rad/s2",
                 "rates of the speeds; traction acts along the headings of the wheels", False,
                 DRIVES, wrenches=True),
        Quantity("kane_motion", (*STATE, "tau", "traction"), gives(qd="joint", qdd="joint"),
             {"kane": _part(kane.state_model, slice(1, 3)),
              "multipliers": _part(multipliers.multipliers, slice(1, 3))},
             "m/s, rad/s; m/s2, rad/s2",
             "joint rates and accelerations of the machine under its constraints", False, DRIVES,
             wrenches=True),
        Quantity("constraint_forces", (*STATE, "tau", "traction"),
                 gives(**{"lambda": "constraint"}),
                 {"kane": _driven(kane.constraint_forces),
                  "multipliers": _part(multipliers.multipliers, 3)},
                 "N, N m",
                 "force of each velocity constraint; of a wheel its lateral force", False, DRIVES,
                 wrenches=True),
    )  # fmt: skip
    return tuple(replace(row, example="truck()") for row in rows)


def cartesian_rows() -> tuple[Quantity, ...]:
    """Return the rows of the Cartesian model, which the theory derives from Kane's."""
    return (
        Quantity("cartesian_mass", ("q",), gives(M_x="joint joint"), {"kane": cartesian_mass},
                 "kg, kg m2", "M_x of the Cartesian model", False, FRAME, regular=True),
        Quantity("cartesian_bias", ("q", "qd"), gives(V_x="joint"), {"kane": cartesian_bias},
                 "N, N m", "V_x of the Cartesian model", False, FRAME, regular=True),
        Quantity("cartesian_force", ("q", "tau"), gives(F_x="joint"),
                 {"kane": cartesian.cartesian_force},
                 "N, N m", "F_x: joint forces seen at the frame", False, FRAME, regular=True),
    )  # fmt: skip
