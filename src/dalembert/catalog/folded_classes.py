"""Elastic joints, moving bases and Kane's quantities of trees in which joints follow others.

They are read off the projected model R' M R, R' h: which accelerations are known and which are
sought differs, the equations do not. The speeds of Kane's method are the rates that are left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..algorithms import elastic, kane, moving_base
from ..algorithms.joint_forces import JointForces
from ..joint import Vector
from ..linalg import Matrix, each_column, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .folded import partitioned
from .models import INVERSE, Algorithm
from .moving import from_rates, to_rates


def _soft(whole: Mechanism) -> list[int]:
    """Return the velocity variables of elastic and passive joints, in those that are left."""
    fold = whole.fold
    soft = elastic.velocity_indices(whole, elastic.on_base(whole))
    return sorted({fold.v[k][0] for k in soft if k not in fold.following})


def _elastic_inverse(
    whole: Mechanism, q: Vector, qd: Vector, qdd: Vector, drives: Any = "inertia", **acting: Any
) -> Any:
    elastic.elastic_mechanism(whole)
    soft = _soft(whole)
    known = {k for k in range(whole.fold.count) if k not in soft}
    x = [0 if k in soft else a for k, a in enumerate(qdd)]
    found, tau = partitioned(whole, q, qd, x, known, drives, acting)
    return [found[k] for k in soft], [tau[k] for k in sorted(known)]


def _on_base(
    whole: Mechanism, q: Vector, qd: Vector, x: Vector, known: set[int], drives: Any,
    convention: str, acting: Any,
) -> Any:  # fmt: skip
    """Return (base acceleration, qdd, tau) of all variables, no force on the base."""
    m, k = moving_base.moving_base(whole), moving_base.base_size(whole)
    qdd, tau = partitioned(m, q, qd, [*([0] * k), *x], known, drives, acting)
    return from_rates(m, qd, qdd[:k], convention), qdd, tau


def _moving_base_inverse(
    whole: Mechanism, q: Vector, qd: Vector, qdd_joints: Vector, drives: Any = "inertia",
    convention: str = "classical", **acting: Any,
) -> Any:  # fmt: skip
    k = moving_base.base_size(whole)
    known = set(range(k, whole.fold.count))
    base, _, tau = _on_base(whole, q, qd, qdd_joints, known, drives, convention, acting)
    return base, tau[k:]


def _moving_base_direct(
    whole: Mechanism, q: Vector, qd: Vector, tau_joints: Vector, drives: Any = "inertia",
    convention: str = "classical", **acting: Any,
) -> Any:  # fmt: skip
    k = moving_base.base_size(whole)
    base, qdd, _ = _on_base(whole, q, qd, tau_joints, set(), drives, convention, acting)
    return base, qdd[k:]


def _base_acceleration(
    whole: Mechanism, q: Vector, qd: Vector, qdd_joints: Vector, convention: str = "classical",
    **acting: Any,
) -> Any:  # fmt: skip
    return _moving_base_inverse(whole, q, qd, qdd_joints, "none", convention, **acting)[0]


def _prescribed_base_inverse(
    whole: Mechanism, q: Vector, qd: Vector, base_acceleration: Vector, qdd_joints: Vector,
    drives: Any = "inertia", convention: str = "classical", **acting: Any,
) -> Any:  # fmt: skip
    m, k, fold = moving_base.moving_base(whole), moving_base.base_size(whole), whole.fold
    rates = to_rates(m, qd, base_acceleration, convention)
    tree, qdd = replace(m, fold=None, checked=True), fold.rates([*rates, *qdd_joints])
    run = INVERSE["newton_euler"]
    forces = run(tree, fold.coordinates(q), fold.rates(qd), qdd, drives=drives, **acting)
    tau = fold.forces(forces)
    return tau[:k], tau[k:]


def _elastic_base_inverse(
    whole: Mechanism, q: Vector, qd: Vector, qdd_joints: Vector, drives: Any = "inertia",
    convention: str = "classical", **acting: Any,
) -> Any:  # fmt: skip
    elastic.elastic_mechanism(moving_base.moving_base(whole))
    soft, k = _soft(whole), moving_base.base_size(whole)
    known = {c for c in range(k, whole.fold.count) if c not in soft}
    x = [a if c in known else 0 for c, a in enumerate(qdd_joints, k)]
    base, qdd, tau = _on_base(whole, q, qd, x, known, drives, convention, acting)
    return base, [qdd[c] for c in soft], [tau[c] for c in sorted(known)]


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
    "elastic_inverse": _elastic_inverse,
    "moving_base_inverse": _moving_base_inverse,
    "moving_base_direct": _moving_base_direct,
    "base_acceleration": _base_acceleration,
    "prescribed_base_inverse": _prescribed_base_inverse,
    "elastic_base_inverse": _elastic_base_inverse,
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
