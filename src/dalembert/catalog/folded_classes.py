"""Elastic joints and moving bases of trees in which joints follow others.

They are read off the projected model R' M R, R' h: which accelerations are known and which are
sought differs, the equations do not. The speeds of Kane's method are the rates that are left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..algorithms import kane
from ..joint import Vector
from ..linalg import Matrix
from ..mechanism import Mechanism
from .folded import partitioned
from .kane import ALPHA_DOT
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


def _J_h(whole: Mechanism, q: Vector) -> Any:
    return whole.fold.columns(kane.J_h(whole, whole.fold.coordinates(q)))


def _motion(whole: Mechanism, q: Vector, alpha: Vector, *rest: Vector, **options: Any) -> Any:
    return list(alpha), ALPHA_DOT(whole, q, alpha, *rest, **options)


CLASSES: Mapping[str, Algorithm] = {
    "elastic_inverse": inverse_by(partitioned, soft=True),
    "moving_base_inverse": inverse_by(partitioned, base=True),
    "moving_base_direct": direct_by(partitioned),
    "base_acceleration": alone(inverse_by(partitioned, base=True)),
    "prescribed_base_inverse": prescribed(_inverse),
    "elastic_base_inverse": inverse_by(partitioned, base=True, soft=True),
    "kane_J_h": _J_h,
    "kane_J_nh": lambda whole, q, steer: Matrix.unit(whole.fold.count),
    "kane_motion": _motion,
}
