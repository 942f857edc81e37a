"""Direct dynamics of closed loops of which some joints follow a given motion.

The first independent coordinates of the plan are given with their accelerations; the others answer
the forces: (58) of Khalil (2010) split as the hybrid model of a tree is. All of them given, no
equation is left.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism
from .closed_kinematics import Plan, closed_at, dot
from .composite import composite
from .drives import Drives
from .elastic import joint_springs
from .newton_euler import newton_euler
from .springs import spring_forces, without_springs


def closed_hybrid(
    m: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    tau: Vector,
    given: Sequence[Scalar],
    tree: Mechanism | None = None,
    drives: Drives = "inertia",
) -> list[Scalar]:
    """Return q̈ of the whole tree for motor forces tau and accelerations of the first coordinates.

    The force that a given motion needs is that of its joint; tau there has no effect.
    """
    closed = closed_at(m, plan, q, 0)
    light, first = tree or m, len(given)
    qd = closed.velocity(qd)
    left = len(plan.independent) - first
    qdd = closed.acceleration(qd, [*given, *([0] * left)])
    if not left:
        return qdd
    load = [-x for x in newton_euler(without_springs(light), closed.q, qd, qdd, drives=drives)]
    load = [a + b for a, b in zip(load, spring_forces(m, closed.q, qd), strict=True)]
    for k, force in joint_springs(m, closed.q, qd).items():
        load[k] = load[k] + force
    for k, u in zip(plan.motors, tau, strict=True):
        load[k] = load[k] + u
    columns = [[row[first + c] for row in closed.G] for c in range(left)]
    M = composite(light, closed.q, drives="none" if drives == "none" else "inertia")
    along = [[dot(row, g) for row in M] for g in columns]
    A = [[dot(g, x) for x in along] for g in columns]
    found = solve(A, [dot(g, load) for g in columns])
    for g, a in zip(columns, found, strict=True):
        qdd = [x + a * y for x, y in zip(qdd, g, strict=True)]
    return qdd
