"""The rows of the catalog for closed loops: their algorithms take a plan after the mechanism.

Each returns, after its own outputs, the residual of every closure equation, the smallest pivot
ratio (a rank planned too high) and the certificate (a rank planned too low). `closed_rows` are the
models that change their meaning when loops close the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ..algorithms import (
    closed_derivatives,
    closed_kinematics,
    closed_loop,
    closed_wrenches,
    cut_joints,
    loop_closure,
    parallel,
)
from ..algorithms.velocity_rows import is_rolling
from ..errors import ModelError
from ..mechanism import Mechanism
from ..plan import planned
from .shapes import Options, Shape, bodies_six, joints

Algorithm = Callable[..., Any]

# outputs that every planned quantity has after its own
CHECKS: tuple[tuple[str, Shape], ...] = (
    ("residual", lambda m, options: (loop_closure.equation_count(m),)),
    ("pivot", lambda m, options: (1,)),
    ("certificate", lambda m, options: (1,)),
)


def is_closed(m: Mechanism) -> bool:
    """Return whether models are those of a machine that loops, couplings or wheels hold."""
    return bool(m.loops or m.couplings) or is_rolling(m)


def motor_count(m: Mechanism) -> int:
    """Return how many forces the motors of a closed mechanism exert."""
    return len(planned(m).motors)


def _q(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (m.nq,)


def _rows_v(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (loop_closure.equation_count(m), m.nv)


def _rows(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (loop_closure.equation_count(m),)


def _cut(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (cut_joints.cut_count(m),)


def _loops6(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (len(m.loops), 6)


def _plan(m: Mechanism, options: Options) -> Any:
    return options.get("plan") or planned(m)


def _motors(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (len(_plan(m, options).motors),)


def _independent(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (_plan(m, options).mobility,)


def _square(m: Mechanism, options: Options) -> tuple[int, ...]:
    n = _plan(m, options).mobility
    return (n, n)


def _map(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (m.nv, _plan(m, options).mobility)


def _motors_map(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (*_motors(m, options), _plan(m, options).mobility)


def _v_motors(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (m.nv, *_motors(m, options))


STEPS: dict[str, Any] = {"steps": 0}
MODEL = {**STEPS, "drives": "inertia"}
SHARED = {**MODEL, "weights": None}


def _by(algorithm: Algorithm, inverse: Mapping[str, Algorithm]) -> dict[str, Algorithm]:
    return {name: partial(algorithm, inverse=one) for name, one in inverse.items()}


def _row(
    name: str, inputs: str, outputs: Any, methods: Any, unit: str, summary: str, options: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "inputs": tuple(inputs.split()),
        "outputs": outputs,
        "methods": methods,
        "unit": unit,
        "summary": summary,
        "frame_free": False,
        "options": options,
        "planned": True,
    }


def loop_rows(inverse: Mapping[str, Algorithm]) -> list[dict[str, Any]]:
    """Return the arguments of one Quantity per loop quantity."""
    kinematic, dynamic = closed_kinematics, closed_loop
    rows = [
        _row("assembly", "q", (("q", _q),), {"newton": kinematic.assembly}, "m, rad",
             "pose in which the loops close, dependent joints found from the others",
             {"steps": 8}),
        _row("active_map", "q", (("G", _map),), {"closure": kinematic.active_map}, "mixed",
             "G: rates of all joints from those of the active ones", STEPS),
        _row("tree_motion", "q qd qdd", (("qd", joints), ("qdd", joints)),
             {"closure": kinematic.tree_motion}, "m/s, rad/s; m/s2, rad/s2",
             "rates and accelerations of all joints from those of the active ones", STEPS),
        _row("tree_torques", "q qd qdd", (("tau", joints),), _by(dynamic.tree_torques, inverse),
             "N, N m", "joint forces of the cut tree in the closed motion", MODEL),
        _row("active_torques", "q qd qdd", (("tau", _motors),),
             _by(dynamic.active_torques, inverse), "N, N m",
             "motor forces of a closed mechanism", SHARED),
        _row("active_mass_matrix", "q", (("A_c", _square),),
             {"composite": dynamic.active_mass_matrix}, "kg, kg m2",
             "mass matrix A_c of a closed mechanism in its active joints", MODEL),
        _row("active_bias", "q qd", (("H_c", _independent),), _by(dynamic.active_bias, inverse),
             "N, N m", "H_c: motor forces at zero acceleration of the active joints", MODEL),
        _row("loop_reactions", "q qd qdd", (("f", _loops6),),
             _by(closed_wrenches.loop_reactions, inverse), "N, N m",
             "wrench of body_i on body_j of each loop at point_j, base axes", SHARED),
    ]  # fmt: skip
    plain = {"frame_free": False, "options": {}, "planned": False}
    rows.append(
        _row("closure", "q", (("residual", _rows),), {"closure": loop_closure.closure},
             "m, 1", "residual of every closure equation", {}) | plain
    )  # fmt: skip
    rows.append(
        _row("loop_jacobian", "q", (("J", _rows_v),), {"closure": loop_closure.loop_jacobian},
             "mixed", "J of the closure equations: J qd = 0", {}) | plain
    )  # fmt: skip
    rows.append(
        _row("cut_coordinates", "q", (("q_c", _cut),), {"poses": cut_joints.cut_coordinates},
             "rad, m", "variables of the cut joints, loop by loop", {}) | plain
    )  # fmt: skip
    return rows


def closed_rows(inverse: Mapping[str, Algorithm]) -> list[dict[str, Any]]:
    """Return the rows that hold instead where loops close the tree."""
    first = next(iter(inverse.values()))
    direct = {
        "projection": partial(closed_loop.closed_forward, inverse=first),
        "multipliers": partial(closed_loop.closed_forward_multipliers, inverse=first),
    }
    return [
        _row("inverse_dynamics", "q qd qdd", (("tau", _motors),),
             _by(closed_loop.active_torques, inverse), "N, N m",
             "motor forces that give the accelerations qdd", SHARED),
        _row("forward_dynamics", "q qd tau_active", (("qdd", joints),), direct, "m/s2, rad/s2",
             "accelerations of all joints that the motor forces give", MODEL),
        _row("hybrid_dynamics", "q qd x", (("qdd", joints), ("tau", _motors)),
             {"projection": partial(closed_loop.closed_hybrid, inverse=first)},
             "m/s2, rad/s2; N, N m",
             "qdd of all joints and motor forces from x: qdd of the motors in `given`, tau of "
             "the others", {"given": (), **MODEL}),
        _row("inverse_dynamics_derivatives", "q qd qdd",
             (("dtau_dq", _motors_map), ("dtau_dqd", _motors_map), ("M", _motors_map)),
             {"graph": partial(closed_derivatives.closed_inverse_derivatives, inverse=first)},
             "N/m, N m/rad; N s; kg",
             "slopes of motor forces by q, qd and qdd of the independent joints", MODEL),
        _row("forward_dynamics_derivatives", "q qd tau_active",
             (("dqdd_dq", _map), ("dqdd_dqd", _map), ("Minv", _v_motors)),
             {"graph": partial(closed_derivatives.closed_forward_derivatives, inverse=first)},
             "1/s2; 1/s; 1/kg",
             "slopes of all accelerations by q and qd of the independent joints, by motor forces",
             MODEL),
        _row("link_wrenches", "q qd qdd", (("f", bodies_six),),
             {"newton_euler": closed_wrenches.closed_link_wrenches}, "N, N m",
             "wrench of each parent on its link, at the link's origin, link axes", STEPS),
    ]  # fmt: skip


def in_closed_motion(row: Any) -> Any:
    """Return the row of a tree's quantity for machines whose loops decide most of the rates."""
    methods = {
        name: partial(closed_kinematics.in_closed_motion, run=run)
        for name, run in row.methods.items()
    }
    return replace(row, methods=methods, options={**STEPS, **row.options}, planned=True)


# -- parallel robots ---------------------------------------------------------------------------


def _legs(m: Mechanism, options: Options) -> tuple[int, ...]:
    sizes = {leg.tree.nv for leg in parallel.platform_of(m).legs}
    if len(sizes) != 1:
        raise ModelError("the legs have different numbers of joints", hint="use the closed loops")
    return (len(m.loops), *sizes)


def _gaps(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (len(m.loops), 3)


def _six(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (6,)


def _six_six(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (6, 6)


def _active(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (len(m.active),)


def _six_active(m: Mechanism, options: Options) -> tuple[int, ...]:
    return (6, len(m.active))


# sizes of the inputs that only these quantities have
INPUTS: Mapping[str, Callable[[Mechanism], Any]] = {
    "tau_active": motor_count,
    "pose": lambda m: (4, 4),
    "twist": lambda m: 6,
    "twist_rate": lambda m: 6,
    "forces": lambda m: len(m.active),
}


def parallel_rows() -> list[dict[str, Any]]:
    """Return the rows of platform and legs, eqs (59)-(66) of Khalil (2010)."""
    motion, branch = "pose twist twist_rate", {"branch": 1}
    model = {**branch, "drives": "inertia"}
    rows = [
        _row("leg_states", motion, (("q", _legs), ("qd", _legs), ("qdd", _legs), ("gap", _gaps)),
             {"closed_form": parallel.leg_states}, "m, rad; m/s; m/s2; m",
             "joints of every leg from the motion of the platform", branch),
        _row("leg_torques", motion, (("tau", _legs),), {"newton_euler": parallel.leg_torques},
             "N, N m", "joint forces of every leg alone", model),
        _row("platform_wrench", motion, (("f", _six),), {"newton_euler": parallel.platform_wrench},
             "N, N m", "wrench that moves the platform alone, base axes, at its origin", {}),
        _row("platform_jacobian", "pose", (("J_p", _six_active),),
             {"inverse": parallel.platform_jacobian}, "mixed",
             "J_p: velocity of the platform from those of the motors", branch),
        _row("actuator_forces", motion, (("tau", _active),),
             {"newton_euler": parallel.actuator_forces}, "N, N m",
             "motor forces from the motion of the platform", model),
        _row("cartesian_model", "pose twist", (("A", _six_six), ("H", _six)),
             {"composite": parallel.cartesian_model}, "kg, kg m2; N, N m",
             "A and H of the model in the platform's motion: A V' + H", model),
        _row("platform_acceleration", "pose twist forces", (("a", _six),),
             {"composite": parallel.platform_acceleration}, "m/s2, rad/s2",
             "acceleration of the platform that the motor forces give", model),
    ]  # fmt: skip
    return [row | {"planned": False} for row in rows]
