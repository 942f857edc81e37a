"""The rows of the catalog for Kane's method: reduced machines, wheels, the Cartesian model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..joint import Vector
from ..linalg import Matrix
from ..mechanism import Mechanism
from .axes import gives
from .later import cartesian, joint_forces, kane, multipliers
from .models import acted
from .quantity import Quantity, row

if TYPE_CHECKING:
    from ..algorithms.kane import Reduction

Algorithm = Callable[..., Any]


def _reduced(m: Mechanism, q: Vector, alpha: Vector, *steer: Vector) -> tuple[Mechanism, Reduction]:
    """Return the tree and q̇ = J_nh α; where joints follow others J_nh is the constant R."""
    if m.fold is None:
        return m, kane.reduction(m, q, alpha, *steer)
    tree = replace(m, fold=None, speeds=(), checked=True)
    return tree, kane.follower_reduction(m.fold, q, alpha)


def _kane(pick: Callable[..., Any]) -> Algorithm:
    """Return a quantity of the reduced machine at (q, alpha, steering): pick(m, r, forces)."""

    def quantity(m: Mechanism, *state: Vector, drives: Any = "inertia") -> Any:
        tree, r = _reduced(m, *state)
        return pick(tree, r, joint_forces.JointForces(tree, drives))

    return quantity


def _at_rest(pick: Callable[..., Any]) -> Algorithm:
    """Return a quantity of the reduced machine that depends on the pose and steering alone."""

    def quantity(m: Mechanism, q: Vector, steer: Vector = (), **options: Any) -> Any:
        speeds = len(kane.speed_names(m)) if m.fold is None else m.fold.count
        return _kane(pick)(m, q, [0] * speeds, steer, [0] * len(steer), **options)

    return quantity


def _driven(pick: Callable[..., Any]) -> Algorithm:
    """Return a quantity of the reduced machine under forces: pick(m, r, acting)."""

    def quantity(
        m: Mechanism, q: Vector, alpha: Vector, *inputs: Vector, drives: Any = "inertia",
        wrenches: Any = None,
    ) -> Any:  # fmt: skip
        *steer, tau, traction = inputs
        tree, r = _reduced(m, q, alpha, *steer)
        own = tau if m.fold is None else m.fold.of_leaders(tau)
        forces = joint_forces.JointForces(tree, drives)
        return pick(tree, r, kane.Acting(own, traction, forces, wrenches or {}))

    return quantity


def _part(model: Algorithm, which: Any) -> Algorithm:
    """Return some of what a model of the reduced machine gives."""
    return _driven(lambda *given: model(*given)[which])


ALPHA_DOT = _part(kane.state_model, 0)


# where joints follow others the speeds are the rates that are left
def _folded_J_h(whole: Mechanism, q: Vector) -> Any:
    return whole.fold.columns(kane.J_h(whole, whole.fold.coordinates(q)))


def _folded_motion(whole: Mechanism, q: Vector, alpha: Vector, *rest: Vector, **given: Any) -> Any:
    return list(alpha), ALPHA_DOT(whole, q, alpha, *rest, **given)


STATE = "q alpha steer steer_rate"
DRIVEN = f"{STATE} tau traction"
DRIVES = {"drives": "inertia"}
TASK = "task_model(m, frame) is that of any frame of any machine"

_row = partial(row, example="truck()", followers="kane")
KANE = (
    _row("kane_J_h", "q", gives(J_h="moving / joint"), {"kane": kane.J_h},
         "velocities of the mass centres, body axes: v = J_h qd", folded={"kane": _folded_J_h}),
    _row("kane_J_nh", "q steer", gives(J_nh="joint / speed"),
         {"kane": _at_rest(lambda m, r, forces: r.J_nh)},
         "qd = J_nh alpha under the velocity constraints",
         folded={"kane": lambda whole, q, steer: Matrix.unit(whole.fold.count)}),
    _row("kane_J", "q steer", gives(J="moving / speed"),
         {"kane": _at_rest(lambda m, r, forces: kane.J_and_rate(m, r)[0])}, "J = J_h J_nh"),
    _row("kane_Jdot", STATE, gives(Jdot="moving / s speed"),
         {"kane": _kane(lambda m, r, forces: kane.J_and_rate(m, r)[1])},
         "time derivative of J"),
    _row("kane_D", "q steer", gives(D="kg m2 / speed speed"), {"kane": _at_rest(kane.D)},
         "reduced inertia D = J'MJ, rotors included", options=DRIVES, counted="constrained"),
    _row("kane_C", STATE, gives(C="kg m2 / s speed speed"), {"kane": _kane(kane.C)},
         "Kane's C = J'(MJ' + WMJ), not Christoffel's", options=DRIVES, counted="constrained"),
    _row("kane_g0", STATE, gives(g0="speed / s2"), {"kane": _kane(kane.g0)},
         "g0 of alpha_dot = g0 + gw tau: what inertia does", options=DRIVES),
    _row("kane_gw", "q steer", gives(gw="speed speed / kg m2"), {"kane": _at_rest(kane.gw)},
         "gw of alpha_dot = g0 + gw tau: the inverse of D", options=DRIVES),
    _row("kane_tau", DRIVEN, gives(tau="J / speed"),
         {"kane": _driven(lambda m, r, acting: r.J_nh.T @ kane.active_forces(m, r, acting))},
         "active forces on the speeds, gravity and springs included", options=DRIVES,
         wrenches=True),
    _row("alpha_dot", DRIVEN, gives(alpha_dot="speed / s2"),
         {"kane": ALPHA_DOT, "multipliers": _part(multipliers.multipliers, 0)},
         "rates of the speeds; traction acts along the headings of the wheels", options=DRIVES,
         wrenches=True, counted="constrained"),
    _row("kane_motion", DRIVEN, gives(qd="joint / s", qdd="joint / s2"),
         {"kane": _part(kane.state_model, slice(1, 3)),
          "multipliers": _part(multipliers.multipliers, slice(1, 3))},
         "joint rates and accelerations of the machine under its constraints", options=DRIVES,
         wrenches=True, folded={"kane": _folded_motion}),
    _row("constraint_forces", DRIVEN, gives(**{"lambda": "J / constraint"}),
         {"kane": _driven(kane.constraint_forces),
          "multipliers": _part(multipliers.multipliers, 3)},
         "force of each velocity constraint; of a wheel its lateral force", options=DRIVES,
         wrenches=True, followers=""),
)  # fmt: skip


# the Cartesian model, which the theory derives from Kane's
def _cartesian(name: str, inputs: str, outputs: Any, method: Algorithm, summary: str) -> Quantity:
    return row(name, inputs, outputs, {"kane": method}, summary, {"frame": None}, regular=True,
               followers="known", instead=TASK)  # fmt: skip


CARTESIAN = (
    _cartesian("cartesian_mass", "q", gives(M_x="kg m2 / component component"),
               acted(cartesian.cartesian_mass), "M_x of the Cartesian model"),
    _cartesian("cartesian_bias", "q qd", gives(V_x="J / component"),
               acted(cartesian.cartesian_bias), "V_x of the Cartesian model"),
    _cartesian("cartesian_force", "q tau", gives(F_x="J / component"),
               cartesian.cartesian_force, "F_x: joint forces seen at the frame"),
)  # fmt: skip
