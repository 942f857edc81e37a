"""Direct dynamics with joints that dry friction holds at rest.

A joint at rest stays there while the force that this takes lies within the static friction; the
joints that are held are known (`sliding` is 0 for them, 1 for the others). A tree holds them in the
recursion itself; where coordinates depend on each other the forces come from a small system:
q̈_k = a_k + Σ W_kl f_l = 0 over the held joints, W = G A⁻¹ Gᵀ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..expr import Scalar, solve, where
from ..joint import Vector
from ..mechanism import Mechanism, joint_name
from . import kane
from .articulated_body import hybrid_dynamics
from .closed_kinematics import Closed, Plan, closed_at, dot
from .composite import composite
from .drives import Drives, dry_drives, friction, sliding_friction, viscous_friction
from .elastic import joint_springs
from .kane import rotors
from .newton_euler import newton_euler
from .springs import spring_forces, without_springs
from .velocity_constraints import prescribed_joints
from .velocity_rows import is_rolling

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
    """Rates of the speeds, all q̈, friction of held joints, forces of joints of given motion.

    The last two by velocity index; friction as the actuator must overcome it.
    """

    rate: list[Scalar]
    qdd: list[Scalar]
    friction: dict[int, Scalar]
    force: dict[int, Scalar]


def tree_outcome(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    given: Mapping[int, Scalar],
    direction: Mapping[int, Scalar],
    drives: Drives = "all",
) -> Outcome:
    """Return the motion of a tree under joint forces; `given` are accelerations by body.

    `tau` holds all that acts beside friction and the springs of the mechanism; the force of a
    given motion is what it needs beside that.
    """
    found = resistance(m, qd, direction, drives)
    passive = spring_forces(m, q, qd)
    for k, force in joint_springs(m, q, qd).items():
        passive[k] = passive[k] + force
    for k, force in found.force.items():
        passive[k] = passive[k] - force
    x = [a + b for a, b in zip(tau, passive, strict=True)]
    for j, acceleration in given.items():
        x[m.velocity_index[j]] = acceleration
    sliding = found.sliding
    qdd, carried, _ = hybrid_dynamics(m, q, qd, x, set(given), None, drives, sliding)
    own = [m.velocity_index[j] for j in given]
    forces = {k: carried[k] - passive[k] - tau[k] for k in own}
    return Outcome(qdd, qdd, {k: x[k] - carried[k] for k in direction}, forces)


def folded_outcome(
    m: Mechanism,
    whole: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    given: Mapping[int, Scalar],
    direction: Mapping[int, Scalar],
    drives: Drives = "all",
) -> Outcome:
    """Return the motion of a tree in which joints follow others, by the whole tree projected.

    A leader and its followers come to rest together: their friction is one force on the leader.
    """
    fold, tree = whole.fold, replace(whole, fold=None, checked=True)
    x, xd = fold.coordinates(q), fold.rates(qd)
    rest: list[Scalar] = [0] * m.nv
    for j, acceleration in given.items():
        rest[m.velocity_index[j]] = acceleration
    light = without_springs(tree)
    inertial = newton_euler(light, x, xd, fold.rates(rest), drives=rotors(drives))
    pull = spring_forces(tree, x, xd)
    for k, force in joint_springs(tree, x, xd).items():
        pull[k] = pull[k] + force
    found = resistance(m, qd, direction, drives)
    load = [a + b for a, b in zip(tau, fold.forces(pull), strict=True)]
    load = [a - b for a, b in zip(load, fold.forces(inertial), strict=True)]
    for k, force in found.force.items():
        load[k] = load[k] - force
    A = fold.square(composite(light, x, drives=rotors(drives)))
    led = [m.velocity_index[j] for j in given]
    free = [k for k in range(m.nv) if k not in led]
    G = [[1 if k == c else 0 for c in free] for k in range(m.nv)]
    own = [[A[k][c] for c in free] for k in free]
    z, held = held_system(own, [load[k] for k in free], G, rest, found.sliding)
    qdd = list(rest)
    for k, value in zip(free, z, strict=True):
        qdd[k] = value * found.sliding.get(k, 1)
    forces = {k: dot([A[k][c] for c in free], z) - load[k] for k in led}
    return Outcome(qdd, qdd, {k: -f for k, f in held.items()}, forces)


def loop_outcome(
    m: Mechanism,
    tree: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    tau: Vector,
    given: Sequence[Scalar],
    direction: Mapping[int, Scalar],
    drives: Drives = "all",
) -> Outcome:
    """Return the motion of closed loops; `given` are accelerations of the first coordinates.

    `tau` holds all joint forces beside friction and springs. The direct model (58) of Khalil (2010)
    with the forces of held joints added.
    """
    closed, first = closed_at(m, plan, q, 0), len(given)
    q, qd = closed.q, closed.velocity(qd)
    found = resistance(m, qd, direction, drives)
    left = len(plan.independent) - first
    rest = closed.acceleration(qd, [*given, *([0] * left)])
    inertial = newton_euler(without_springs(tree), q, qd, rest, drives=rotors(drives))
    load = [a - b for a, b in zip(tau, inertial, strict=True)]
    load = [a + b for a, b in zip(load, spring_forces(m, q, qd), strict=True)]
    for k, force in joint_springs(m, q, qd).items():
        load[k] = load[k] + force
    for k, force in found.force.items():
        load[k] = load[k] - force
    columns = [list(c) for c in zip(*closed.G, strict=True)]
    M = composite(tree, q, drives=rotors(drives))
    free = columns[first:]
    along = [[dot(row, g) for row in M] for g in free]
    A = [[dot(g, x) for x in along] for g in free]
    G = [row[first:] for row in closed.G]
    right = [dot(g, load) for g in free]
    z, held = held_system(A, right, G, rest, found.sliding)
    qdd = [a + dot(row, z) for a, row in zip(rest, G, strict=True)]
    for k, s in found.sliding.items():
        qdd[k] = qdd[k] * s
    # what is left for the joints whose motion is given
    gap = [-x for x in load]
    for a, x in zip(z, along, strict=True):
        gap = [y + a * k for y, k in zip(gap, x, strict=True)]
    for k, f in held.items():
        gap[k] = gap[k] - f
    forces = {k: dot(columns[c], gap) for c, k in enumerate(plan.independent[:first])}
    forces |= _prescribed(closed, gap)
    return Outcome(qdd, qdd, {k: -f for k, f in held.items()}, forces)


def _prescribed(closed: Closed, gap: Vector) -> dict[int, Scalar]:
    """Return the forces of joints whose given motion is a row beside wheels and equations."""
    m, plan = closed.m, closed.plan
    joints = prescribed_joints(m) if is_rolling(m) else ()
    if not joints:
        return {}
    lam = dict(zip(plan.rows, closed.multipliers(gap), strict=True))
    first = plan.equations - len(joints)  # they are the last rows
    return {m.velocity_index[j]: lam.get(first + a, 0) for a, j in enumerate(joints)}


def kane_outcome(
    m: Mechanism,
    q: Vector,
    alpha: Vector,
    angles: Vector,
    rates: Vector,
    tau: Vector,
    forces: Vector,
    direction: Mapping[int, Scalar],
    drives: Drives = "all",
) -> Outcome:
    """Return the motion under velocity constraints: D α̇ = -C α + τ (4.9) with held joints.

    The force of a prescribed joint is that beside tau which makes it follow its motion.
    """
    r = kane.reduction(m, q, alpha, angles, rates)
    found = resistance(m, r.qd, direction, drives)
    D, _ = kane.D_and_C(m, q, r, drives)
    steer = kane.steering(m, angles, rates)
    load = kane.active_forces(m, q, r.qd, tau, forces, steer, rotors(drives))
    for k, force in found.force.items():
        load[k] = load[k] - force
    load = [a - b for a, b in zip(load, kane.inertia_forces(m, q, r, drives), strict=True)]
    right = [dot(c, load) for c in zip(*r.J_nh, strict=True)]
    rate, held = held_system(D, right, r.J_nh, r.drift, found.sliding)
    qdd = [a + dot(row, rate) for a, row in zip(r.drift, r.J_nh, strict=True)]
    # what is left over is carried by the constraints, prescribed joints among them
    change = [a - b for a, b in zip(qdd, r.drift, strict=True)]
    M = composite(m, q, drives=rotors(drives))
    gap = [dot(row, change) - x for row, x in zip(M, load, strict=True)]
    for k, f in held.items():
        gap[k] = gap[k] - f
    H = [row.H for row in r.constraints]
    carried = solve([[dot(a, b) for b in H] for a in H], [dot(a, gap) for a in H]) if H else []
    given = {row.name: x for row, x in zip(r.constraints, carried, strict=True)}
    own = {m.velocity_index[j]: given[joint_name(m.bodies[j])] for j in prescribed_joints(m)}
    return Outcome(rate, qdd, {k: -f for k, f in held.items()}, own)


def held_system(
    A: Sequence[Sequence[Scalar]],
    right: Sequence[Scalar],
    G: Sequence[Sequence[Scalar]],
    rest: Sequence[Scalar],
    sliding: Mapping[int, Scalar],
    kind: str = "spd",
) -> tuple[list[Scalar], dict[int, Scalar]]:
    """Return (z̈, forces of the held joints) of A z̈ = right + Gᵀ f, q̈ = G z̈ + rest."""
    if not right:
        return [], dict.fromkeys(sliding, 0)
    free = solve(A, list(right), kind)
    joints = list(sliding)
    columns = [solve(A, list(G[k]), kind) for k in joints]
    held = [1 - sliding[k] for k in joints]
    W = [[dot(G[k], x) for x in columns] for k in joints]
    B: list[list[Scalar]] = []
    for a, row in enumerate(W):
        B.append([x * held[a] * held[b] for b, x in enumerate(row)])
        # no force holds a joint at its dead point: the one found is beyond all bounds
        B[a][a] = where(held[a] > 0, row[a] * (1 + SHARE) + TINY, 1)
    now = [dot(G[k], free) + rest[k] for k in joints]
    force = solve(B, [-h * x for h, x in zip(held, now, strict=True)])
    # once more with what is left: the share above does not show in the motion
    left = [x + dot(row, force) for x, row in zip(now, W, strict=True)]
    more = solve(B, [-h * x for h, x in zip(held, left, strict=True)])
    force = [(a + b) * h for a, b, h in zip(force, more, held, strict=True)]
    for column, f in zip(columns, force, strict=True):
        free = [x + f * y for x, y in zip(free, column, strict=True)]
    return free, dict(zip(joints, force, strict=True))
