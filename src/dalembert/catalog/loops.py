"""The rows of the catalog for closed loops: their algorithms take a plan after the mechanism.

Each returns, after its own outputs, the residual of every closure equation, the smallest pivot
ratio (a rank planned too high) and the certificate (a rank planned too low). `CLOSED` are the
models that change their meaning when loops close the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from ..errors import UsageError
from ..joint import Vector
from ..mechanism import Mechanism
from .axes import gives
from .later import (
    closed_derivatives,
    closed_kinematics,
    closed_loop,
    closed_wrenches,
    cut_joints,
    loop_closure,
    parallel,
    platform,
)
from .models import DRIVEN
from .quantity import Quantity, row

Algorithm = Callable[..., Any]

# outputs that every planned quantity has after its own
CHECKS = gives(residual="closure", pivot="1", certificate="1")


STEPS: dict[str, Any] = {"steps": 0}
MODEL = {**STEPS, "drives": "inertia"}
SHARED = {**MODEL, "weights": None}


def _checked(algorithm: Algorithm, model: Any, inputs: Any, options: Any) -> list[Any]:
    """Return the outputs of an algorithm, then the checks of the closure."""
    found = algorithm(model, *inputs, **options)
    several = found if isinstance(found, tuple) else (found,)
    return [*several, *getattr(model, "closed", model).checks()]


def of_closed(algorithm: Algorithm, inverse: Algorithm = DRIVEN["newton_euler"]) -> Algorithm:
    """Return a quantity of a ClosedModel as the catalog calls it."""

    def quantity(
        m: Mechanism, plan: Any, q: Vector, *inputs: Vector, tree: Mechanism | None = None,
        drives: Any = "inertia", steps: int = 0, wrenches: Any = None, **options: Any,
    ) -> list[Any]:  # fmt: skip
        from ..algorithms.closed_loop import ClosedModel

        model = ClosedModel.at(m, plan, q, tree, drives, steps)
        model = replace(model, inverse=inverse, wrenches=wrenches)
        return _checked(algorithm, model, inputs, options)

    return quantity


def _closed(algorithm: Algorithm) -> Algorithm:
    """Return a quantity of the closure alone as the catalog calls it."""

    def quantity(m: Mechanism, plan: Any, q: Vector, *inputs: Vector, steps: int = 0) -> list[Any]:
        closed = closed_kinematics.closed_at(m, plan, q, steps)
        return _checked(algorithm, closed, inputs, {})

    return quantity


def _in_motion(run: Algorithm, frame_free: bool) -> Algorithm:
    """Return a quantity of trees, run(m, q, qd, ...), in the motion of the independent joints.

    Only what lives in joint space may be that of a tree with other frames.
    """

    def quantity(
        m: Mechanism, plan: Any, q: Vector, qd: Vector, *qdd: Vector,
        tree: Mechanism | None = None, steps: int = 0, **options: Any,
    ) -> list[Any]:  # fmt: skip
        if options.get("columns", "standard") != "standard":
            raise UsageError(
                "base columns would be those of the cut tree: closed motions group them further",
                hint='columns="standard", or m.tree with base_parameters(m.tree)',
                command="write --columns standard",
            )
        closed = closed_kinematics.closed_at(m, plan, q, steps)
        full = closed.velocity(qd)
        more = [closed.acceleration(full, [x[k] for k in plan.independent]) for x in qdd]
        own = tree if tree is not None and frame_free else m
        return [run(own, closed.q, full, *more, **options), *closed.checks()]

    return quantity


def _by(algorithm: Algorithm) -> dict[str, Algorithm]:
    return {name: of_closed(algorithm, inverse) for name, inverse in DRIVEN.items()}


_row = partial(row, planned=True, example="fivebar()")
LOOPS = (
    _row("assembly", "q", gives(q="coordinate"), {"newton": _closed(closed_kinematics.assembly)},
         "pose in which the loops close, dependent joints found from the others",
         {"steps": 8}, closes=True),
    _row("active_map", "q", gives(G="joint / independent"),
         {"closure": _closed(closed_kinematics.active_map)},
         "G: rates of all joints from those of the active ones", STEPS),
    _row("tree_motion", "q qd qdd", gives(qd="joint / s", qdd="joint / s2"),
         {"closure": _closed(closed_kinematics.tree_motion)},
         "rates and accelerations of all joints from those of the active ones", STEPS),
    _row("tree_torques", "q qd qdd", gives(tau="J / joint"), _by(closed_loop.tree_torques),
         "joint forces of the cut tree in the closed motion", MODEL, wrenches=True,
         motors="share"),
    _row("active_torques", "q qd qdd", gives(tau="J / motor"), _by(closed_loop.active_torques),
         "motor forces of a closed mechanism", SHARED, wrenches=True, lighten=True,
         motors="make", named_motors=True),
    _row("active_mass_matrix", "q", gives(A_c="kg m2 / independent independent"),
         {"composite": of_closed(closed_loop.active_mass_matrix)},
         "mass matrix A_c of a closed mechanism in its active joints", MODEL, counted="closed"),
    _row("active_bias", "q qd", gives(H_c="J / independent"), _by(closed_loop.active_bias),
         "H_c: motor forces at zero acceleration of the active joints", MODEL, wrenches=True,
         counted="closed"),
    _row("loop_reactions", "q qd qdd", gives(f="J / loop six"),
         _by(closed_wrenches.loop_reactions),
         "wrench of body_i on body_j of each loop at point_j, base axes", SHARED,
         wrenches=True, motors="share", named_motors=True),
    _row("closure", "q", gives(residual="closure"), {"closure": loop_closure.turned_closure},
         "residual of every closure equation", {}, planned=False, opens=True),
    _row("loop_jacobian", "q", gives(J="closure / joint"),
         {"closure": loop_closure.loop_jacobian},
         "J of the closure equations: J qd = 0", {}, planned=False, opens=True),
    _row("cut_coordinates", "q", gives(q_c="cut"), {"poses": cut_joints.cut_coordinates},
         "variables of the cut joints, loop by loop", {}, planned=False),
)  # fmt: skip

# the rows that hold instead where loops close the tree
CLOSED = (
    _row("inverse_dynamics", "q qd qdd", gives(tau="J / motor"), _by(closed_loop.active_torques),
         "motor forces that give the accelerations qdd", SHARED, wrenches=True, lighten=True,
         motors="make"),
    _row("forward_dynamics", "q qd tau_active", gives(qdd="joint / s2"),
         {"projection": of_closed(closed_loop.closed_forward),
          "multipliers": of_closed(closed_loop.closed_forward_multipliers)},
         "accelerations of all joints that the motor forces give", MODEL, wrenches=True,
         motors="rest"),
    _row("hybrid_dynamics", "q qd x", gives(qdd="joint / s2", tau="J / motor"),
         {"projection": of_closed(closed_loop.closed_hybrid)},
         "qdd of all joints and motor forces from x: qdd of the motors in `given`, tau of "
         "the others", {"given": (), **MODEL}, wrenches=True, motors="hold"),
    _row("inverse_dynamics_derivatives", "q qd qdd",
         gives(dtau_dq="J / motor independent", dtau_dqd="kg m2 / s motor independent",
               M="kg m2 / motor independent"),
         {"graph": of_closed(closed_derivatives.closed_inverse_derivatives)},
         "slopes of motor forces by q, qd and qdd of the independent joints", MODEL,
         wrenches=True),
    _row("forward_dynamics_derivatives", "q qd tau_active",
         gives(dqdd_dq="joint / s2 independent", dqdd_dqd="joint / s independent",
               Minv="joint motor / kg m2"),
         {"graph": of_closed(closed_derivatives.closed_forward_derivatives)},
         "slopes of all accelerations by q and qd of the independent joints, by motor forces",
         MODEL, wrenches=True),
    _row("link_wrenches", "q qd qdd", gives(f="J / body six"),
         {"newton_euler": of_closed(closed_wrenches.closed_link_wrenches)},
         "wrench of each parent on its link, at the link's origin, link axes", STEPS,
         wrenches=True, motors="share"),
)  # fmt: skip


def in_closed_motion(of: Quantity) -> Quantity:
    """Return the row of a tree's quantity for machines whose loops decide most of the rates."""
    methods = {name: _in_motion(run, of.frame_free) for name, run in of.methods.items()}
    options = {**STEPS, **of.options}
    return replace(of, methods=methods, options=options, planned=True, motors="rest")


# -- parallel robots ---------------------------------------------------------------------------


POSED = "pose twist twist_rate"
BRANCH = {"branch": 1}
ON_LEGS = {**BRANCH, "drives": "inertia"}


def _posed(algorithm: Algorithm, motion: int = 2) -> Algorithm:
    """Return a quantity of a ParallelModel; its motion is the first inputs after the pose."""

    def quantity(m: Mechanism, pose: Vector, *inputs: Vector, **options: Any) -> Any:
        robot = platform.platform_of(m)
        platform.require_own_frame(m)
        model = parallel.ParallelModel(robot, pose, *inputs[:motion], **options)
        return algorithm(model, *inputs[motion:])

    return quantity


# platform and legs, eqs (59)-(66) of Khalil (2010)
_leg_row = partial(row, example="stewart()")
PARALLEL = (
    _leg_row("leg_states", POSED,
             gives(q="loop leg_joint", qd="loop leg_joint / s", qdd="loop leg_joint / s2",
                   gap="loop xyz"),
             {"closed_form": _posed(parallel.leg_states)},
             "joints of every leg from the motion of the platform", BRANCH),
    _leg_row("leg_torques", POSED, gives(tau="J / loop leg_joint"),
             {"newton_euler": _posed(parallel.leg_torques)},
             "joint forces of every leg alone", ON_LEGS),
    _leg_row("platform_wrench", POSED, gives(f="J / six"),
             {"newton_euler": parallel.platform_wrench},
             "wrench that moves the platform alone, base axes, at its origin"),
    _leg_row("platform_jacobian", "pose", gives(J_p="six / active"),
             {"inverse": _posed(parallel.platform_jacobian)},
             "J_p: velocity of the platform from those of the motors", BRANCH),
    _leg_row("actuator_forces", POSED, gives(tau="J / active"),
             {"newton_euler": _posed(parallel.actuator_forces)},
             "motor forces from the motion of the platform", ON_LEGS),
    _leg_row("cartesian_model", "pose twist", gives(A="kg m2 / six six", H="J / six"),
             {"composite": _posed(parallel.cartesian_model)},
             "A and H of the model in the platform's motion: A V' + H", ON_LEGS),
    _leg_row("platform_acceleration", "pose twist forces", gives(a="six / s2"),
             {"composite": _posed(parallel.platform_acceleration, 1)},
             "acceleration of the platform that the motor forces give", ON_LEGS),
)  # fmt: skip
