"""The rows of the catalog for Kane's method: reduced machines, wheels, the Cartesian model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..algorithms import cartesian, kane
from ..algorithms.multipliers import multipliers
from ..joint import Vector
from ..mechanism import Mechanism
from ..plan.kane import kane_speeds
from .shapes import Options, joints, joints2

Algorithm = Callable[..., Any]


def _speeds(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (len(kane_speeds(m)),)


def _speeds2(m: Mechanism, options: Options) -> tuple[int, ...]:
    return _speeds(m, options) * 2


def _stacked(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (6 * len(kane.massive(m)), m.nv)


def _stacked_speeds(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (6 * len(kane.massive(m)), *_speeds(m, options))


def _v_speeds(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (m.nv, *_speeds(m, options))


def _held(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (m.nv - len(kane_speeds(m)),)


def _kane(pick: Callable[..., Any]) -> Algorithm:
    """Return a quantity of the reduced machine: pick(m, q, reduction) at (q, alpha, steering)."""

    def quantity(
        m: Mechanism, q: Vector, alpha: Vector, steer: Vector, steer_rate: Vector, **options: Any
    ) -> Any:
        return pick(m, q, kane.reduction(m, q, alpha, steer, steer_rate), **options)

    return quantity


def _at_rest(pick: Callable[..., Any]) -> Algorithm:
    """Return a quantity of the reduced machine that depends on the pose and steering alone."""

    def quantity(m: Mechanism, q: Vector, steer: Vector, **options: Any) -> Any:
        alpha, still = [0] * len(kane.speed_names(m)), [0] * len(steer)
        return pick(m, q, kane.reduction(m, q, alpha, steer, still), **options)

    return quantity


def _D(m: Mechanism, q: Vector, r: kane.Reduction, drives: Any = "inertia") -> Any:
    return kane.D_and_C(m, q, r, drives)[0]


def _C(m: Mechanism, q: Vector, r: kane.Reduction, drives: Any = "inertia") -> Any:
    return kane.D_and_C(m, q, r, drives)[1]


def _g0(m: Mechanism, q: Vector, r: kane.Reduction, drives: Any = "inertia") -> Any:
    return kane.g0_and_gw(m, q, r, drives)[0]


def _gw(m: Mechanism, q: Vector, r: kane.Reduction, drives: Any = "inertia") -> Any:
    return kane.g0_and_gw(m, q, r, drives)[1]


def _kane_tau(
    m: Mechanism,
    q: Vector,
    alpha: Vector,
    steer: Vector,
    steer_rate: Vector,
    tau: Vector,
    forces: Vector,
    **options: Any,
) -> Any:
    r = kane.reduction(m, q, alpha, steer, steer_rate)
    told = kane.steering(m, steer, steer_rate)
    acting = kane.active_forces(m, q, r.qd, tau, forces, told, **options)
    columns = zip(*r.J_nh, strict=True)
    return [sum((a * b for a, b in zip(c, acting, strict=True)), 0) for c in columns]


def _part(model: Algorithm, which: Any) -> Algorithm:
    """Return some of what a model gives."""
    return lambda *inputs, **options: model(*inputs, **options)[which]


STATE = ("q", "alpha", "steer", "steer_rate")
FRAME = {"frame": None}
DRIVES = {"drives": "inertia"}


def kane_rows() -> tuple[tuple[Any, ...], ...]:
    """Return the rows as arguments of `Quantity`."""
    return (
        ("kane_J_h", ("q",), (("J_h", _stacked),), {"kane": kane.J_h},
                 "m, 1", "velocities of the mass centres, body axes: v = J_h qd", False),
        ("kane_J_nh", ("q", "steer"), (("J_nh", _v_speeds),),
                 {"kane": _at_rest(lambda m, q, r: r.J_nh)},
                 "mixed", "qd = J_nh alpha under the velocity constraints", False),
        ("kane_J", ("q", "steer"), (("J", _stacked_speeds),),
                 {"kane": _at_rest(lambda m, q, r: kane.J_and_rate(m, q, r)[0])},
                 "mixed", "J = J_h J_nh", False),
        ("kane_Jdot", STATE, (("Jdot", _stacked_speeds),),
                 {"kane": _kane(lambda m, q, r: kane.J_and_rate(m, q, r)[1])},
                 "mixed", "time derivative of J", False),
        ("kane_D", ("q", "steer"), (("D", _speeds2),),
                 {"kane": _at_rest(_D)},
                 "kg, kg m2", "reduced inertia D = J'MJ, rotors included", False, DRIVES),
        ("kane_C", STATE, (("C", _speeds2),),
                 {"kane": _kane(_C)},
                 "N s, N m s", "Kane's C = J'(MJ' + WMJ), not Christoffel's", False, DRIVES),
        ("kane_g0", STATE, (("g0", _speeds),), {"kane": _kane(_g0)},
                 "m/s2, rad/s2", "g0 of alpha_dot = g0 + gw tau: what inertia does", False, DRIVES),
        ("kane_gw", ("q", "steer"), (("gw", _speeds2),), {"kane": _at_rest(_gw)},
                 "1/kg", "gw of alpha_dot = g0 + gw tau: the inverse of D", False, DRIVES),
        ("kane_tau", (*STATE, "tau", "traction"), (("tau", _speeds),),
                 {"kane": _kane_tau}, "N, N m",
             "active forces on the speeds, gravity and springs included", False, DRIVES),
        ("alpha_dot", (*STATE, "tau", "traction"), (("alpha_dot", _speeds),),
                 {"kane": _part(kane.state_model, 0), "multipliers": _part(multipliers, 0)},
                 "m/s2, rad/s2",
                 "rates of the speeds; traction acts along the headings of the wheels", False,
                 DRIVES),
        ("kane_motion", (*STATE, "tau", "traction"), (("qd", joints), ("qdd", joints)),
             {"kane": _part(kane.state_model, slice(1, 3)),
              "multipliers": _part(multipliers, slice(1, 3))}, "m/s, rad/s; m/s2, rad/s2",
             "joint rates and accelerations of the machine under its constraints", False, DRIVES),
        ("constraint_forces", (*STATE, "tau", "traction"), (("lambda", _held),),
                 {"kane": kane.constraint_forces, "multipliers": _part(multipliers, 3)},
                 "N, N m",
                 "force of each velocity constraint; of a wheel its lateral force", False, DRIVES),
        ("cartesian_mass", ("q",), (("M_x", joints2),), {"kane": cartesian.cartesian_mass},
                 "kg, kg m2", "M_x of the Cartesian model", False, FRAME),
        ("cartesian_bias", ("q", "qd"), (("V_x", joints),), {"kane": cartesian.cartesian_bias},
                 "N, N m", "V_x of the Cartesian model", False, FRAME),
        ("cartesian_force", ("q", "tau"), (("F_x", joints),), {"kane": cartesian.cartesian_force},
                 "N, N m", "F_x: joint forces seen at the frame", False, FRAME),
    )  # fmt: skip
