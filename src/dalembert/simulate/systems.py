"""The state models that are integrated: what a state is, its rate, and where it must lie.

A state x is (q, v): v is q̇ for trees and loops, the independent speeds α for wheels and other
velocity constraints. Every system answers the same questions, over any scalar:

- `velocity(q, v, u)`: the velocity variables q̇;
- `acceleration(q, v, tau, u)`: the rate of v;
- `outcome(q, v, tau, u, direction)`: the same with dry friction that holds or slides, and forces;
- `project(q, v, u)`: (q, v) brought back to where they must lie, and a measure of how well planned.

`u` are the signals of prescribed motions; then, where a constraint depends on it, time and 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..algorithms import kane
from ..algorithms.closed_kinematics import closed_at
from ..algorithms.closed_loop import ClosedModel, closed_forward
from ..algorithms.drives import dry_drives
from ..algorithms.dry_friction import (
    Outcome,
    Push,
    folded_outcome,
    kane_outcome,
    loop_outcome,
    tree_outcome,
)
from ..algorithms.joint_forces import JointForces
from ..algorithms.velocity_constraints import Constraints
from ..catalog import algorithm, quantity
from ..catalog.loops import is_closed
from ..errors import SingularPose
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism, joint_name
from ..plan import LoopPlan, plan, planned
from ..plan.kane import with_speeds
from ..reframe import simplify

Directions = Mapping[int, Scalar]
NOWHERE: Directions = {}


@dataclass(frozen=True)
class Tree:
    """A tree of joints, some of which may follow prescribed motions."""

    m: Mechanism
    given: tuple[int, ...] = ()  # bodies whose joints follow signals: q, qd, qdd of each
    drives: Any = "inertia"
    framed: bool = False  # whether forces act on named frames, which stay where they are then
    whole: Mechanism | None = None  # the tree of all joints, where some follow others

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the compiled code."""
        return ("tree", self.given, self.drives, self.framed)

    @property
    def speeds(self) -> int:
        """The number of speeds."""
        return self.m.nv

    @property
    def forces(self) -> int:
        """The number of forces."""
        return self.m.nv

    @property
    def signals(self) -> int:
        """The number of signals: q, qd and qdd of prescribed joints."""
        return 3 * len(self.given)

    timed = False

    @property
    def projected(self) -> bool:
        """Whether states are brought back after each step."""
        return bool(self.given) or self.m.nq != self.m.nv

    def bound(self, m: Mechanism) -> Tree:
        """Return the system over the scalars of a bound mechanism, in frames chosen for it."""
        kept = m.springs or self.given or self.framed or m.form
        if m.followers:
            tree = m.unfolded if m.springs or self.framed else simplify(m.unfolded)
            return replace(self, m=m, whole=tree)
        return replace(self, m=m if kept else simplify(m))

    def told(self, u: Vector, q: Vector | None = None, v: Vector | None = None) -> Mechanism:
        """Return the mechanism that a law is asked with."""
        return self.m

    def velocity(self, q: Vector, v: Vector, u: Vector) -> Vector:
        """Return the joint rates."""
        return v

    def acceleration(self, q: Vector, v: Vector, tau: Vector, u: Vector) -> list[Scalar]:
        """Return the rates of the speeds."""
        if not self.given:
            _, run = algorithm(quantity("forward_dynamics", self.m), None)
            return list(run(self.whole or self.m, q, v, tau, drives=self.drives))
        return self.outcome(q, v, self.placed(tau), u).qdd

    def placed(self, tau: Vector) -> list[Scalar]:
        """Return the joint forces; given joints need none."""
        led = {self.m.velocity_index[j] for j in self.given}
        return [0 if k in led else x for k, x in enumerate(tau)]

    def outcome(
        self, q: Vector, v: Vector, tau: Vector, u: Vector, direction: Directions = NOWHERE
    ) -> Outcome:
        """Return accelerations and forces, with joints that slide in given directions."""
        given = {j: u[3 * k + 2] for k, j in enumerate(self.given)}
        push = Push(tau, given, direction)
        if self.whole is not None:
            return folded_outcome(self.m, self.whole, q, v, push, self.drives)
        return tree_outcome(self.m, q, v, push, self.drives)

    def project(self, q: Vector, v: Vector, u: Vector) -> tuple[Vector, Vector, Scalar]:
        """Return the state on its manifold: unit quaternions, prescribed joints in place."""
        m = self.m
        q, v = m.normalised(q), list(v)
        for k, j in enumerate(self.given):
            q[m.coordinate_index[j]], v[m.velocity_index[j]] = u[3 * k], u[3 * k + 1]
        return q, v, 1


@dataclass(frozen=True)
class Closed:
    """A mechanism with closed loops: the whole tree is the state, brought back to the closure.

    Joints that follow signals are the first independent coordinates of the plan.
    """

    m: Mechanism
    plan: LoopPlan
    drives: Any = "inertia"
    tree: Mechanism | None = None
    given: tuple[int, ...] = ()  # bodies whose joints follow signals: q, qd, qdd of each

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the compiled code."""
        return ("closed", self.plan, self.drives, self.given)

    @property
    def speeds(self) -> int:
        """The number of speeds, those of the whole tree."""
        return self.m.nv

    @property
    def forces(self) -> int:
        """The number of motor forces."""
        return len(self.plan.motors)

    @property
    def signals(self) -> int:
        """The number of signals: q, qd and qdd of prescribed joints."""
        return 3 * len(self.given)

    projected = True
    timed = False

    def bound(self, m: Mechanism) -> Closed:
        """Return the system over the scalars of a bound mechanism."""
        return replace(self, m=m, tree=simplify(m.bare_tree))

    @property
    def led(self) -> Mechanism:
        """The mechanism with the joints that follow signals as its only motors."""
        names = tuple(joint_name(self.m.bodies[j]) for j in self.given)
        return replace(self.m, active=names, checked=True)

    def planned_at(self, q: Any) -> Closed:
        """Return the system with the coordinates that are independent best at a pose.

        They need not be those of the motors: a motor may pass a dead point.
        """
        return self.planned_by(plan(self.led, q))

    def planned_by(self, found: LoopPlan) -> Closed:
        """Return the system with another plan, if the given joints are independent in it."""
        wanted = tuple(self.m.velocity_index[j] for j in self.given)
        if found.independent[: len(wanted)] != wanted:
            names = ", ".join(joint_name(self.m.bodies[j]) for j in self.given)
            raise SingularPose(
                f"the prescribed motions of {names} are not independent",
                hint="prescribe fewer joints, or keep away from poses where they jam",
            )
        return replace(self, plan=replace(found, motors=self.plan.motors))

    def driven_at(self, q: Any) -> LoopPlan:
        """Return a plan in which the motors are independent, made at a pose if it can be."""
        usual = planned(self.m)
        try:
            found = plan(self.m, q)
        except SingularPose:
            return usual
        kind = (usual.free, usual.spare_motors)
        return found if (found.free, found.spare_motors) == kind else usual

    def told(self, u: Vector, q: Vector | None = None, v: Vector | None = None) -> Mechanism:
        """Return the mechanism that a law is asked with."""
        return self.m

    def velocity(self, q: Vector, v: Vector, u: Vector) -> Vector:
        """Return the joint rates."""
        return v

    def acceleration(self, q: Vector, v: Vector, tau: Vector, u: Vector) -> list[Scalar]:
        """Return the accelerations of all joints."""
        if self.given:
            return self.outcome(q, v, self.placed(tau), u).qdd
        model = ClosedModel.at(self.m, self.plan, q, self.tree, self.drives)
        return list(closed_forward(model.in_motion, v, tau))

    def placed(self, tau: Vector) -> list[Scalar]:
        """Return motor forces as forces of all joints; given joints need none."""
        full: list[Scalar] = [0] * self.m.nv
        led = {self.m.velocity_index[j] for j in self.given}
        for k, x in zip(self.plan.motors, tau, strict=True):
            full[k] = full[k] if k in led else full[k] + x
        return full

    def outcome(
        self, q: Vector, v: Vector, tau: Vector, u: Vector, direction: Directions = NOWHERE
    ) -> Outcome:
        """Return accelerations and forces; tau has an entry for every joint of the tree."""
        model = ClosedModel.at(self.m, self.plan, q, self.tree, self.drives)
        given = dict(zip(self.given, u[2::3], strict=False))
        return loop_outcome(model.in_motion, v, Push(tau, given, direction))

    def project(self, q: Vector, v: Vector, u: Vector) -> tuple[Vector, Vector, Scalar]:
        """Return the state with its loops closed."""
        m = self.m
        q, v = m.normalised(q), list(v)
        for k, j in enumerate(self.given):
            q[m.coordinate_index[j]], v[m.velocity_index[j]] = u[3 * k], u[3 * k + 1]
        closed = closed_at(m, self.plan, q, 2)
        return closed.q, closed.velocity(v), closed.trusted


@dataclass(frozen=True)
class Reduced:
    """A machine under velocity constraints: q̇ = J_nh α.

    Signals: angle and rate of each steering angle; q, q̇ and q̈ of each prescribed joint.
    """

    m: Mechanism
    drives: Any = "inertia"

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the compiled code."""
        return ("reduced", self.drives)

    @property
    def speeds(self) -> int:
        """The number of independent speeds."""
        return len(kane.speed_names(self.m))

    @property
    def forces(self) -> int:
        """Joint forces, then the traction of each wheel."""
        return self.m.nv + len(self.m.wheels)

    @property
    def signals(self) -> int:
        """The number of signals: steering, prescribed joints, time."""
        clock = 2 if self.timed else 0
        held = Constraints.of(self.m)
        return 2 * len(held.steering) + 3 * len(held.prescribed) + clock

    @property
    def timed(self) -> bool:
        """Whether an equation depends on time."""
        return Constraints.of(self.m).is_timed

    @property
    def projected(self) -> bool:
        """Whether states are brought back after each step."""
        held = Constraints.of(self.m)
        return bool(held.prescribed) or held.is_holonomic or self.m.nq != self.m.nv

    def bound(self, m: Mechanism) -> Reduced:
        """Return the system over the scalars of a bound mechanism."""
        return replace(self, m=m)

    def given(self, u: Vector) -> tuple[list[Scalar], list[Scalar]]:
        """Return what is prescribed and its rates, from the signals and time."""
        held = Constraints.of(self.m)
        first = 2 * len(held.steering)
        last = first + 3 * len(held.prescribed)
        values = [*u[0:first:2], *u[first + 1 : last : 3], *u[last::2]]
        return values, [*u[1:first:2], *u[first + 2 : last : 3], *u[last + 1 :: 2]]

    def told(self, u: Vector, q: Vector | None = None, v: Vector | None = None) -> Mechanism:
        """Return the mechanism that a law is asked with."""
        return self.m

    def velocity(self, q: Vector, v: Vector, u: Vector) -> Vector:
        """Return the joint rates that the speeds give."""
        return kane.reduction(self.m, q, v, *self.given(u)).qd

    def acceleration(self, q: Vector, v: Vector, tau: Vector, u: Vector) -> list[Scalar]:
        """Return the rates of the speeds."""
        r = kane.reduction(self.m, q, v, *self.given(u))
        return list(kane.state_model(self.m, r, self._acting(tau))[0])

    def _acting(self, tau: Vector) -> kane.Acting:
        """Return joint forces and traction with what springs and drives add."""
        nv = self.m.nv
        return kane.Acting(tau[:nv], tau[nv:], JointForces(self.m, self.drives))

    def placed(self, tau: Vector) -> list[Scalar]:
        """Return the forces themselves: joints, then wheels."""
        return list(tau)

    def outcome(
        self, q: Vector, v: Vector, tau: Vector, u: Vector, direction: Directions = NOWHERE
    ) -> Outcome:
        """Return rates of the speeds and forces, with joints that slide in given directions."""
        r = kane.reduction(self.m, q, v, *self.given(u))
        return kane_outcome(self.m, r, self._acting(tau), direction)

    def project(self, q: Vector, v: Vector, u: Vector) -> tuple[Vector, Vector, Scalar]:
        """Return the state on its manifold: unit quaternions, prescribed joints in place."""
        m, held = self.m, Constraints.of(self.m)
        q, end = m.normalised(q), 2 * len(held.steering)
        for k, j in enumerate(held.prescribed):
            q[m.coordinate_index[j]] = u[end + 3 * k]
        if held.is_holonomic:
            q = held.settled(q, kane.steering(m, *self.given(u)))
        return q, v, 1


System = Tree | Closed | Reduced


def dry_joints(own: System) -> tuple[int, ...]:
    """Return the velocity variables of joints with dry friction that move by themselves."""
    if own.drives != "all":
        return ()
    m = own.m
    held = Constraints.of(m).prescribed if isinstance(own, Reduced) else own.given
    led = {m.velocity_index[j] for j in held}
    return tuple(k for k in sorted(dry_drives(m)) if k not in led)


def system(m: Mechanism, drives: Any = "inertia", given: tuple[int, ...] = ()) -> System:
    """Return the state model of a mechanism."""
    reduced = bool(m.wheels or m.rolling or m.velocity_constraints)
    if is_closed(m) and not reduced:
        own = Closed(m, planned(m), drives, given=given)
        return own.planned_by(planned(own.led)) if given else own
    if reduced:
        names = tuple(joint_name(m.bodies[j]) for j in given)
        more = tuple(n for n in names if n not in m.prescribed)
        speeds = tuple(n for n in m.speeds if n not in more)
        m = replace(m, prescribed=(*m.prescribed, *more), speeds=speeds, checked=True)
        return Reduced(with_speeds(m), drives)
    return Tree(m, given, drives)
