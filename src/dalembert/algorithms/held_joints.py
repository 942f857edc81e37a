"""Direct dynamics with joints that dry friction holds at rest.

A joint at rest stays there while the force that this takes lies within the static friction; the
joints that are held are known (`sliding` is 0 for them, 1 for the others). A tree holds them in the
recursion itself; where coordinates depend on each other the forces come from a small system:
q̈_k = a_k + Σ W_kl f_l = 0 over the held joints, W = G A⁻¹ Gᵀ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from ..expr import Scalar, where
from ..frozen import dataclass
from ..joint import Vector
from ..linalg import Matrix, dot, general, projected, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism, is_rolling
from .articulated_body import Known, hybrid_dynamics
from .closed_kinematics import Closed
from .closed_loop import ClosedModel
from .composite import composite
from .drives import Drives, dry_drives, friction, sliding_friction, viscous_friction
from .joint_forces import JointForces
from .newton_euler import newton_euler
from .velocity_constraints import Constraints

# joints of one loop may be held by more friction than it takes: they then share the force evenly
SHARE = 1e-10
TINY = 1e-20


@dataclass(frozen=True)
class Resistance:
    """Friction of the joints, each sliding in a given direction: 1, -1, or 0 where it is held."""

    direction: Mapping[int, Scalar]
    force: Mapping[int, Scalar]  # by velocity index, viscous friction included

    @property
    def sliding(self) -> dict[int, Scalar]:
        """1 for joints that slide, 0 for those that are held."""
        return {k: s * s for k, s in self.direction.items()}


def resistance(
    m: Mechanism, qd: Vector, direction: Mapping[int, Scalar], drives: Drives = "all"
) -> Resistance:
    """Return the friction forces for directions of sliding by velocity index.

    Joints without a direction slide as their speed says, sign(0) being 0.
    """
    force, slow, dry = friction(m, qd, drives), viscous_friction(m, qd, drives), dry_drives(m)
    for k, s in direction.items():
        force[k] = slow.get(k, 0) + sliding_friction(dry[k], qd[k], s)
    return Resistance(direction, force)


@dataclass(frozen=True)
class Outcome:
    """All q̈, friction of held joints, forces of joints of given motion.

    The last two by velocity index; friction as the actuator must overcome it.
    """

    qdd: list[Scalar]
    friction: dict[int, Scalar]
    force: dict[int, Scalar]


@dataclass(frozen=True)
class Push:
    """What moves a machine beside its own friction and springs.

    `tau`: forces of all joints. `given`: accelerations of bodies that follow a given motion.
    `direction`: in which joints slide, by velocity index.
    """

    tau: Vector
    given: Mapping[int, Scalar] = field(default_factory=dict)
    direction: Mapping[int, Scalar] = field(default_factory=dict)


def tree_outcome(
    m: Mechanism, q: Vector, qd: Vector, push: Push, drives: Drives = "all"
) -> Outcome:
    """Return the motion of a tree under joint forces.

    The force of a given motion is what it needs beside `push.tau`.
    """
    forces = JointForces(m, drives)
    found = resistance(m, qd, push.direction, drives)
    passive = forces.springs(q, qd).less(found.force)
    x = list(passive + push.tau)
    for j, acceleration in push.given.items():
        x[m.velocity_index[j]] = acceleration
    known = Known(set(push.given), forces.rotor, found.sliding)
    qdd, carried, _ = hybrid_dynamics(m, q, qd, x, known)
    own = [m.velocity_index[j] for j in push.given]
    extra = {k: carried[k] - passive[k] - push.tau[k] for k in own}
    return Outcome(qdd, {k: x[k] - carried[k] for k in push.direction}, extra)


def folded_outcome(
    m: Mechanism, whole: Mechanism, q: Vector, qd: Vector, push: Push, drives: Drives = "all"
) -> Outcome:
    """Return the motion of a tree in which joints follow others, by the whole tree projected.

    A leader and its followers come to rest together: their friction is one force on the leader.
    """
    fold, tree = whole.fold, replace(whole, fold=None, checked=True)
    x, xd, forces = fold.coordinates(q), fold.rates(qd), JointForces(tree, drives)
    rest: list[Scalar] = [0] * m.nv
    for j, acceleration in push.given.items():
        rest[m.velocity_index[j]] = acceleration
    there = fold.rates(rest)
    inertial = Values(newton_euler(tree, x, xd, there)).plus(forces.inertial(there))
    found = resistance(m, qd, push.direction, drives)
    load = Values(fold.forces(forces.springs(x, xd) - inertial)) + push.tau
    load = load.less(found.force)
    A = Matrix(fold.square(forces.mass(composite(tree, x))))
    led = [m.velocity_index[j] for j in push.given]
    free = [k for k in range(m.nv) if k not in led]
    G = Matrix([[1 if k == c else 0 for c in free] for k in range(m.nv)], len(free))
    z, held = held_system(A.pick(free, free), load.pick(free), G, rest, found.sliding)
    qdd = list(rest)
    for k, value in zip(free, z, strict=True):
        qdd[k] = value * found.sliding.get(k, 1)
    extra = {k: A[k].pick(free) @ z - load[k] for k in led}
    return Outcome(qdd, {k: -f for k, f in held.items()}, extra)


def loop_outcome(model: ClosedModel, qd: Vector, push: Push) -> Outcome:
    """Return the motion of closed loops; given motions are those of the first coordinates.

    The direct model (58) of Khalil (2010) with the forces of held joints added.
    """
    closed, plan, first = model.closed, model.plan, len(push.given)
    m, q, qd = closed.m, closed.q, closed.velocity(qd)
    found = resistance(m, qd, push.direction, model.forces.drives)
    left = len(plan.independent) - first
    rest = closed.acceleration(qd, [*push.given.values(), *([0] * left)])
    inertial = Values(newton_euler(model.tree, q, qd, rest)).plus(model.forces.inertial(rest))
    load = (model.forces.springs(q, qd) + push.tau - inertial).less(found.force)
    G = model.G.pick(range(m.nv), range(first, first + left))
    right = G.T @ load
    z, held = held_system(projected(model.M, G), right, G, rest, found.sliding)
    qdd = list(rest + G @ z)
    for k, s in found.sliding.items():
        qdd[k] = qdd[k] * s
    # what is left for the joints whose motion is given
    gap = (model.M @ G @ z - load).less(held)
    columns = model.G.T
    extra = {k: columns[c] @ gap for c, k in enumerate(plan.independent[:first])}
    extra |= _prescribed(closed, gap)
    return Outcome(qdd, {k: -f for k, f in held.items()}, extra)


def _prescribed(closed: Closed, gap: Vector) -> dict[int, Scalar]:
    """Return the forces of joints whose given motion is a row beside wheels and equations."""
    m, plan = closed.m, closed.plan
    joints = Constraints.of(m).prescribed if is_rolling(m) else ()
    if not joints:
        return {}
    lam = dict(zip(plan.rows, closed.multipliers(gap), strict=True))
    first = plan.equations - len(joints)  # they are the last rows
    return {m.velocity_index[j]: lam.get(first + a, 0) for a, j in enumerate(joints)}


def held_system(
    A: Matrix,
    right: Sequence[Scalar],
    G: Matrix,
    rest: Sequence[Scalar],
    sliding: Mapping[int, Scalar],
    definite: bool = True,
) -> tuple[Values, dict[int, Scalar]]:
    """Return (z̈, forces of the held joints) of A z̈ = right + Gᵀ f, q̈ = G z̈ + rest."""
    if not len(right):
        return Values(()), dict.fromkeys(sliding, 0)
    solver, joints = spd if definite else general, list(sliding)
    free = solver(A, right)
    columns = [solver(A, G[k]) for k in joints]
    held = [1 - sliding[k] for k in joints]
    W = Matrix([[dot(G[k], x) for x in columns] for k in joints])
    B: list[list[Scalar]] = []
    for a, row in enumerate(W):
        B.append([x * held[a] * held[b] for b, x in enumerate(row)])
        # no force holds a joint at its dead point: the one found is beyond all bounds
        B[a][a] = where(held[a] > 0, row[a] * (1 + SHARE) + TINY, 1)
    now = Values(dot(G[k], free) + rest[k] for k in joints)
    force = spd(B, [-h * x for h, x in zip(held, now, strict=True)])
    # once more with what is left: the share above does not show in the motion
    left = now + W @ force
    more = spd(B, [-h * x for h, x in zip(held, left, strict=True)])
    force = Values((a + b) * h for a, b, h in zip(force, more, held, strict=True))
    for column, f in zip(columns, force, strict=True):
        free = free + column * f
    return free, dict(zip(joints, force, strict=True))
