"""Elastic joints, moving bases and Kane's quantities of trees in which joints follow others.

They are read off the projected model R' M R, R' h: which accelerations are known and which are
sought differs, the equations do not. The speeds of Kane's method are the rates that are left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..algorithms import kane
from ..algorithms.joint_forces import JointForces
from ..joint import Vector
from ..linalg import Matrix, each_column, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .folded import partitioned
from .models import INVERSE, Algorithm
from .moving import alone, direct_by, inverse_by, prescribed


def _inverse(
    whole: Mechanism, q: Vector, qd: Vector, base_rates: Vector, qdd_joints: Vector, **options: Any
) -> Any:
    """Return (wrench on the base, torques) of a base that moves as prescribed."""
    fold, k = whole.fold, len(base_rates)
    tree, qdd = replace(whole, fold=None, checked=True), fold.rates([*base_rates, *qdd_joints])
    run = INVERSE["newton_euler"]
    tau = fold.forces(run(tree, fold.coordinates(q), fold.rates(qd), qdd, **options))
    return tau[:k], tau[k:]


# -- Kane's method, no constraint beside the ratios -----------------------------------------------


class _Kane:
    """The steps of Kane's method at a state: whole tree, and projected by R."""

    def __init__(self, whole: Mechanism, q: Vector, alpha: Vector | None = None):
        self.fold, self.tree = whole.fold, replace(whole, fold=None, speeds=(), checked=True)
        self.q = self.fold.coordinates(q)
        self.qd = self.fold.rates(alpha if alpha is not None else [0] * self.fold.count)
        self.reduction = kane.reduction(self.tree, self.q, self.qd)

    def D(self, drives: Any) -> Matrix:
        """Return D of the speeds that are left."""
        forces = JointForces(self.tree, drives)
        return Matrix(self.fold.square(kane.D(self.tree, self.reduction, forces)))

    def C(self, drives: Any) -> Matrix:
        """Return C of the speeds that are left."""
        forces = JointForces(self.tree, drives)
        return Matrix(self.fold.square(kane.C(self.tree, self.reduction, forces)))

    def needed(self, drives: Any) -> Values:
        """Return what the motion needs at α̇ = 0."""
        forces = JointForces(self.tree, drives)
        return Values(self.fold.forces(kane.inertia_forces(self.tree, self.reduction, forces)))

    def acting(self, tau: Vector, drives: Any, wrenches: Any = None) -> Values:
        """Return the active forces on the speeds."""
        none, forces = [0] * self.tree.nv, JointForces(self.tree, drives)
        acting = kane.Acting(none, (), forces, wrenches or {})
        found = kane.active_forces(self.tree, self.reduction, acting)
        return Values(self.fold.forces(found)) + tau


def _at_rest(pick: Any) -> Algorithm:
    return lambda whole, q, steer=(), **options: pick(_Kane(whole, q), **options)


def _moving(pick: Any) -> Algorithm:
    def quantity(
        whole: Mechanism, q: Vector, alpha: Vector, steer: Vector = (), rate: Vector = (),
        **options: Any,
    ) -> Any:  # fmt: skip
        return pick(_Kane(whole, q, alpha), **options)

    return quantity


def _g0(k: _Kane, drives: Any = "inertia") -> Values:
    return spd(k.D(drives), -k.needed(drives))


def _gw(k: _Kane, drives: Any = "inertia") -> Matrix:
    return each_column(spd, k.D(drives), Matrix.unit(k.fold.count))


def _tau(
    whole: Mechanism, q: Vector, alpha: Vector, steer: Vector, rate: Vector, tau: Vector,
    traction: Vector = (), drives: Any = "inertia", **given: Any,
) -> Values:  # fmt: skip
    return _Kane(whole, q, alpha).acting(tau, drives, **given)


def _alpha_dot(
    whole: Mechanism, q: Vector, alpha: Vector, steer: Vector, rate: Vector, tau: Vector,
    traction: Vector = (), drives: Any = "inertia", **given: Any,
) -> Values:  # fmt: skip
    k = _Kane(whole, q, alpha)
    return spd(k.D(drives), k.acting(tau, drives, **given) - k.needed(drives))


def _motion(whole: Mechanism, q: Vector, alpha: Vector, *rest: Vector, **options: Any) -> Any:
    return list(alpha), _alpha_dot(whole, q, alpha, *rest, **options)


CLASSES: Mapping[str, Algorithm] = {
    "elastic_inverse": inverse_by(partitioned, soft=True),
    "moving_base_inverse": inverse_by(partitioned, base=True),
    "moving_base_direct": direct_by(partitioned),
    "base_acceleration": alone(inverse_by(partitioned, base=True)),
    "prescribed_base_inverse": prescribed(_inverse),
    "elastic_base_inverse": inverse_by(partitioned, base=True, soft=True),
    "kane_J_h": _at_rest(lambda k: k.fold.columns(kane.J_h(k.tree, k.q))),
    "kane_J_nh": _at_rest(lambda k: Matrix.unit(k.fold.count)),
    "kane_J": _at_rest(lambda k: k.fold.columns(kane.J_h(k.tree, k.q))),
    "kane_Jdot": _moving(lambda k: k.fold.columns(kane.J_h_dot(k.tree, k.q, k.qd))),
    "kane_D": _at_rest(lambda k, drives="inertia": k.D(drives)),
    "kane_C": _moving(lambda k, drives="inertia": k.C(drives)),
    "kane_g0": _moving(_g0),
    "kane_gw": _at_rest(_gw),
    "kane_tau": _tau,
    "alpha_dot": _alpha_dot,
    "kane_motion": _motion,
}
