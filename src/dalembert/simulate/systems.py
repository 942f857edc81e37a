"""The state models that are integrated: what a state is, its rate, and where it must lie.

A state x is (q, v): v is q̇ for trees and loops, the independent speeds α for wheels and other
velocity constraints. Every system answers the questions of `System`, over any scalar. `u` are the
signals of prescribed motions; then, where a constraint depends on it, time and 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from ..algorithms import kane
from ..algorithms.closed_kinematics import closed_at
from ..algorithms.closed_loop import ClosedModel, closed_forward
from ..algorithms.drives import dry_drives
from ..algorithms.held_joints import Outcome, Push, folded_outcome, loop_outcome, tree_outcome
from ..algorithms.joint_forces import JointForces
from ..algorithms.velocity_constraints import Constraints
from ..catalog import algorithm, quantity
from ..compute.singular import require_inertia_of
from ..errors import SingularPose
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism, is_closed, is_rolling, joint_name
from ..plan import LoopPlan, plan, planned
from ..plan.kane import with_speeds
from ..reframe import simplify


class System(ABC):
    """What a state model answers."""

    m: Mechanism
    drives: Any
    timed: ClassVar[bool] = False  # whether the signals end with time and its rate
    functions: ClassVar[bool] = False  # whether it has parts that no key tells apart
    notes: ClassVar[tuple[str, ...]] = ()  # on its motions

    @property
    @abstractmethod
    def key(self) -> tuple[Any, ...]:
        """What decides the compiled code."""

    @property
    def given(self) -> tuple[int, ...]:
        """The bodies whose joints follow signals."""
        return ()

    @property
    def speeds(self) -> int:
        """The number of speeds v."""
        return self.m.nv

    @property
    def pushed(self) -> Sequence[int]:
        """The velocity variables that joint forces act on, one each."""
        return range(self.m.nv)

    @property
    def force_names(self) -> tuple[str, ...]:
        """The names of the forces."""
        return tuple(self.m.rate_names[k] for k in self.pushed)

    @property
    def forces(self) -> int:
        """The number of forces."""
        return len(self.force_names)

    @property
    def steering(self) -> tuple[str, ...]:
        """The steering angles that signals prescribe: those that are no joints."""
        return ()

    @property
    def signals(self) -> int:
        """The number of signals: q, q̇ and q̈ of each joint that follows them."""
        return 3 * len(self.given)

    @abstractmethod
    def bound(self, m: Mechanism) -> System:
        """Return the system over the scalars of a bound mechanism, in frames chosen for it."""

    def told(self, u: Vector) -> Mechanism:
        """Return the mechanism that a law sees; it knows its steering."""
        return self.m

    def velocity(self, q: Vector, v: Vector, u: Vector) -> Vector:
        """Return the rates of all joints."""
        return v

    @abstractmethod
    def acceleration(self, q: Vector, v: Vector, tau: Vector, u: Vector) -> list[Scalar]:
        """Return the rates of the speeds."""


class Moving(System):
    """What a state model that is integrated in time answers beside."""

    law_plan: ClassVar[LoopPlan | None] = None  # how a control law solves the loops

    @property
    def projected(self) -> bool:
        """Whether states are brought back after each step."""
        return bool(self.given) or self.m.nq != self.m.nv

    def by_laws(self, q: Vector, v: Vector, u: Vector) -> tuple[Moving, Vector, Vector]:
        """Return the system, speeds and signals where laws have moved what they steer."""
        return self, v, u

    def placed(self, tau: Vector) -> list[Scalar]:
        """Return the forces as `outcome` takes them, none at joints that follow signals."""
        return list(tau)

    @abstractmethod
    def outcome(self, q: Vector, v: Vector, u: Vector, push: Push) -> Outcome:
        """Return accelerations and forces, with joints that slide in given directions or stick.

        The accelerations that signals give to joints are added to the push.
        """

    @abstractmethod
    def project(self, q: Vector, v: Vector, u: Vector) -> tuple[Vector, Vector, Scalar]:
        """Return (q, v) where they must lie, and a measure of how well that is planned."""

    def _led_push(self, u: Vector, push: Push) -> Push:
        """Return the push with the accelerations of the joints that follow signals."""
        return replace(push, given=dict(zip(self.given, u[2::3], strict=False)))

    def _led(self, q: Vector, v: Vector, u: Vector) -> tuple[list[Scalar], list[Scalar]]:
        """Return the state with unit quaternions and the joints that follow signals in place."""
        m = self.m
        q, v = m.normalised(q), list(v)
        for k, j in enumerate(self.given):
            q[m.coordinate_index[j]], v[m.velocity_index[j]] = u[3 * k], u[3 * k + 1]
        return q, v


@dataclass(frozen=True)
class Tree(Moving):
    """A tree of joints, some of which may follow prescribed motions."""

    m: Mechanism
    given: tuple[int, ...] = ()
    drives: Any = "inertia"
    framed: bool = False  # whether forces act on named frames, which stay where they are then
    whole: Mechanism | None = None  # the tree of all joints, where some follow others

    def require_inertia(self, use: str) -> None:
        """Raise SingularModel where joints can move together without any inertia."""
        if self.m.form is None:
            led = {self.m.velocity_index[j] for j in self.given}
            free = [k for k in range(self.m.nv) if k not in led]
            require_inertia_of(self.m, use, free, self.drives)

    @property
    def key(self) -> tuple[Any, ...]:
        return ("tree", self.given, self.drives, self.framed)

    def bound(self, m: Mechanism) -> Tree:
        kept = m.springs or self.given or self.framed or m.form
        if m.followers:
            tree = m.unfolded if m.springs or self.framed else simplify(m.unfolded)
            return replace(self, m=m, whole=tree)
        return replace(self, m=m if kept else simplify(m))

    def acceleration(self, q: Vector, v: Vector, tau: Vector, u: Vector) -> list[Scalar]:
        if not self.given:
            _, run = algorithm(quantity("forward_dynamics", self.m), None)
            return list(run(self.whole or self.m, q, v, tau, drives=self.drives))
        return self.outcome(q, v, u, Push(self.placed(tau))).qdd

    def placed(self, tau: Vector) -> list[Scalar]:
        led = {self.m.velocity_index[j] for j in self.given}
        return [0 if k in led else x for k, x in enumerate(tau)]

    def outcome(self, q: Vector, v: Vector, u: Vector, push: Push) -> Outcome:
        push = self._led_push(u, push)
        if self.whole is not None:
            return folded_outcome(self.m, self.whole, q, v, push, self.drives)
        return tree_outcome(self.m, q, v, push, self.drives)

    def project(self, q: Vector, v: Vector, u: Vector) -> tuple[Vector, Vector, Scalar]:
        return *self._led(q, v, u), 1


class Planned(Moving):
    """A machine that loops or wheels hold: all joints are its state, brought back after each step.

    A plan says which coordinates are independent; it is made anew where its pivots fade.
    """

    plan: LoopPlan
    tree: Mechanism | None  # the cut tree in frames of its own
    projected: ClassVar[bool] = True

    @property
    def speeds(self) -> int:
        return self.m.nv

    @property
    def law_plan(self) -> LoopPlan:  # type: ignore[override]
        return self.plan

    @property
    def led(self) -> Mechanism:
        """The mechanism with the joints that lead every plan as its only motors."""
        return replace(self.m, active=(), checked=True)

    def bound(self, m: Mechanism) -> Self:
        return replace(self, m=m, tree=simplify(m.bare_tree))  # type: ignore[type-var]

    def velocity(self, q: Vector, v: Vector, u: Vector) -> Vector:
        return v

    def planned_at(self, q: Any, u: Any = None) -> Self:
        """Return the system with the coordinates that are independent best at a pose.

        They need not be those of the motors: a motor may pass a dead point. `u` is what is
        prescribed there.
        """
        return self.planned_by(self._plan_near(self.led, q, u))

    def planned_by(self, found: LoopPlan) -> Self:
        """Return the system with another plan."""
        return replace(self, plan=found)  # type: ignore[type-var]

    def driven_at(self, q: Any, u: Any = None) -> LoopPlan:
        """Return a plan at a pose in which the motors lead as they usually do, or the usual one."""
        usual = planned(self.m)
        try:
            found = self._plan_near(self.m, q, u)
        except SingularPose:
            return usual
        same = (found.free, found.spare_motors) == (usual.free, usual.spare_motors)
        return found if same else usual

    @abstractmethod
    def _plan_near(self, m: Mechanism, q: Any, u: Any) -> LoopPlan:
        """Return the plan of a machine with these motors near a pose."""

    def _model(self, m: Mechanism, q: Vector) -> ClosedModel:
        """Return the model at a pose; rates are taken as they are."""
        return ClosedModel.at(m, self.plan, q, self.tree, self.drives).in_motion


@dataclass(frozen=True)
class Closed(Planned):
    """A mechanism with closed loops, brought back to the closure.

    Joints that follow signals are the first independent coordinates of the plan; forces are those
    of the motors.
    """

    m: Mechanism
    plan: LoopPlan
    drives: Any = "inertia"
    tree: Mechanism | None = None
    given: tuple[int, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        return ("closed", self.plan, self.drives, self.given)

    @property
    def pushed(self) -> Sequence[int]:
        return self.plan.motors

    @property
    def led(self) -> Mechanism:
        names = tuple(joint_name(self.m.bodies[j]) for j in self.given)
        return replace(self.m, active=names, checked=True)

    def _plan_near(self, m: Mechanism, q: Any, u: Any) -> LoopPlan:
        return plan(m, q)

    def planned_by(self, found: LoopPlan) -> Self:
        """Return the system with another plan, if the given joints are independent in it."""
        wanted = tuple(self.m.velocity_index[j] for j in self.given)
        if found.independent[: len(wanted)] != wanted:
            names = ", ".join(joint_name(self.m.bodies[j]) for j in self.given)
            raise SingularPose(
                f"the prescribed motions of {names} are not independent",
                hint="prescribe fewer joints, or keep away from poses where they jam",
            )
        return replace(self, plan=replace(found, motors=self.plan.motors))

    def acceleration(self, q: Vector, v: Vector, tau: Vector, u: Vector) -> list[Scalar]:
        if self.given:
            return self.outcome(q, v, u, Push(self.placed(tau))).qdd
        return list(closed_forward(self._model(self.m, q), v, tau))

    def placed(self, tau: Vector) -> list[Scalar]:
        full: list[Scalar] = [0] * self.m.nv
        led = {self.m.velocity_index[j] for j in self.given}
        for k, x in zip(self.plan.motors, tau, strict=True):
            full[k] = full[k] if k in led else full[k] + x
        return full

    def outcome(self, q: Vector, v: Vector, u: Vector, push: Push) -> Outcome:
        return loop_outcome(self._model(self.m, q), v, self._led_push(u, push))

    def project(self, q: Vector, v: Vector, u: Vector) -> tuple[Vector, Vector, Scalar]:
        q, v = self._led(q, v, u)
        closed = closed_at(self.m, self.plan, q, 2)
        return closed.q, closed.velocity(v), closed.trusted


@dataclass(frozen=True)
class Reduced(System):
    """A machine under velocity constraints: q̇ = J_nh α.

    Signals: angle and rate of each steering angle; q, q̇ and q̈ of each prescribed joint. Forces are
    those of the joints, then the traction of each wheel.
    """

    m: Mechanism
    drives: Any = "inertia"

    @property
    def key(self) -> tuple[Any, ...]:
        return ("reduced", self.drives)

    @property
    def given(self) -> tuple[int, ...]:
        return Constraints.of(self.m).prescribed

    @property
    def speeds(self) -> int:
        return len(kane.speed_names(self.m))

    @property
    def force_names(self) -> tuple[str, ...]:
        return (*super().force_names, *(f"{w.name}.traction" for w in self.m.wheels))

    @property
    def steering(self) -> tuple[str, ...]:
        return Constraints.of(self.m).steering

    @property
    def signals(self) -> int:
        clock = 2 if self.timed else 0
        return 2 * len(self.steering) + 3 * len(self.given) + clock

    @property
    def timed(self) -> bool:  # type: ignore[override]
        return Constraints.of(self.m).is_timed

    def bound(self, m: Mechanism) -> Reduced:
        return replace(self, m=m)

    def prescribed(self, u: Vector) -> tuple[list[Scalar], list[Scalar]]:
        """Return the prescribed values and their rates, from the signals and time."""
        first = 2 * len(self.steering)
        last = first + 3 * len(self.given)
        values = [*u[0:first:2], *u[first + 1 : last : 3], *u[last::2]]
        return values, [*u[1:first:2], *u[first + 2 : last : 3], *u[last + 1 :: 2]]

    def _reduction(self, q: Vector, v: Vector, u: Vector) -> kane.Reduction:
        return kane.reduction(self.m, q, v, *self.prescribed(u))

    def velocity(self, q: Vector, v: Vector, u: Vector) -> Vector:
        return self._reduction(q, v, u).qd

    def acceleration(self, q: Vector, v: Vector, tau: Vector, u: Vector) -> list[Scalar]:
        r = self._reduction(q, v, u)
        return list(kane.state_model(self.m, r, self._acting(tau))[0])

    def _acting(self, tau: Vector) -> kane.Acting:
        """Return joint forces and traction with what springs and drives add."""
        nv = self.m.nv
        return kane.Acting(tau[:nv], tau[nv:], JointForces(self.m, self.drives))


def dry_joints(own: System) -> tuple[int, ...]:
    """Return the velocity variables of joints with dry friction that move by themselves."""
    if own.drives != "all":
        return ()
    led = {own.m.velocity_index[j] for j in own.given}
    return tuple(k for k in sorted(dry_drives(own.m)) if k not in led)


def system(m: Mechanism, drives: Any = "inertia", given: tuple[int, ...] = ()) -> System:
    """Return the state model of a mechanism."""
    if is_rolling(m):
        return Reduced(with_speeds(led_by(m, given)), drives)
    if is_closed(m):
        own = Closed(m, planned(m), drives, given=given)
        return own.planned_by(planned(own.led)) if given else own
    return Tree(m, given, drives)


def led_by(m: Mechanism, given: tuple[int, ...]) -> Mechanism:
    """Return a machine on wheels with more joints prescribed, which are not speeds then."""
    names = (joint_name(m.bodies[j]) for j in given)
    more = tuple(n for n in names if n not in m.prescribed)
    speeds = tuple(n for n in m.speeds if n not in more)
    return replace(m, prescribed=(*m.prescribed, *more), speeds=speeds, checked=True)
