"""Which kernels have code of constant size: those of large trees.

Beyond a size straight-line code no longer fits the caches, and takes long to generate. Then the
lines of one link are written once and run in a loop over links (`expr/rolled.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import DalembertError
from ..expr.exact import to_float
from ..frozen import dataclass
from ..mechanism import Mechanism
from .ways import Asked

if TYPE_CHECKING:
    from ..expr import Program
    from ..expr.rolled import Rolled

ONE = {"revolute", "prismatic", "screw"}
ANY = ONE | {"free", "spherical"}


@dataclass(frozen=True, slots=True)
class Rule:
    """From which size on a quantity is rolled, and for which methods and joints."""

    method: str
    bodies: int = 0
    pairs: int = 0  # of joints, one of which carries the other
    joints: frozenset[str] = frozenset(ONE)
    packs: bool = False  # whether it has a packed form
    alone: int = 0  # bodies from which on kernels of single states are rolled too, if fewer


RULES = {
    "inverse_dynamics": Rule("newton_euler", bodies=120, joints=frozenset(ANY), alone=64),
    "forward_dynamics": Rule("articulated_body", bodies=48, joints=frozenset(ANY), alone=64),
    "mass_matrix": Rule("base_axes", pairs=1000, packs=True),
    "inverse_dynamics_derivatives": Rule("base_axes", pairs=200, packs=True),
    "forward_dynamics_derivatives": Rule("base_axes", pairs=200),
}
LEGGED = 100  # bodies from which on a driven tree on a free body is rolled: its links differ more
# parts of a mechanism that loops over links know nothing of
OTHERS = ("elastic", "springs", "loops", "couplings", "wheels", "rolling", "velocity_constraints")


def is_rolled(asked: Asked) -> bool:
    """Return whether a kernel is made of loops over links."""
    m, rule = asked.m, RULES.get(asked.row.name)
    if rule is None or asked.row.planned or asked.method not in (None, rule.method):
        return False
    if asked.names or asked.parameters or asked.wrench or asked.wrt or asked.plan:
        return False
    if any(getattr(m, name) for name in OTHERS) or m.followers or m.form is not None:
        return False
    if (m.drives and asked.options.get("drives") == "all") or (asked.packed and not rule.packs):
        return False
    kinds = {b.joint.kind for b in m.bodies} - {"fixed"}
    if not kinds <= rule.joints or any(m.bodies[d.joint].joint.kind not in ONE for d in m.drives):
        return False
    least = rule.bodies if kinds <= ONE or not m.drives else max(rule.bodies, LEGGED)
    if asked.single and rule.alone:  # a plain call: its first answer shall come soon
        least = min(least, rule.alone)
    return len(m.bodies) >= least and (not rule.pairs or _pairs(m) >= rule.pairs)


def _pairs(m: Mechanism) -> int:
    before: list[int] = []
    for body in m.bodies:
        before.append(before[body.parent] + 1 if body.parent >= 0 else 0)
    return sum(before)


def rolled(asked: Asked, make: Callable[[], Program]) -> Rolled | Program:
    """Return the rolled program of a quantity, or what `make` makes if there is none."""
    from ..algorithms import rolled_dynamics, rolled_matrices, rolled_slopes
    from ..algorithms.drives import rotor_inertia
    from ..reframe import simplify
    from .singular import require_inertia

    makers: dict[str, Callable[..., Rolled]] = {
        "inverse_dynamics": rolled_dynamics.rolled_newton_euler,
        "forward_dynamics": rolled_dynamics.rolled_articulated_body,
        "mass_matrix": rolled_matrices.rolled_mass_matrix,
        "inverse_dynamics_derivatives": rolled_matrices.rolled_inverse_derivatives,
        "forward_dynamics_derivatives": rolled_slopes.rolled_forward_derivatives,
    }
    m, name, drives = asked.m, asked.row.name, asked.options.get("drives", "inertia")
    bound = m.bound(m.values)
    tree = simplify(bound, levers="axial")
    by_rate = {k: j for j, k in enumerate(tree.velocity_index)}
    rotor = {by_rate[k]: to_float(x) for k, x in rotor_inertia(bound, drives).items()}
    form = {"packed": True} if asked.packed else {}
    require_inertia(m, name, {"drives": drives})
    try:
        return makers[name](tree, rotor, **form)
    except (DalembertError, ZeroDivisionError):  # it has no such model: the usual way says why
        return make()
