"""The mechanism that a control law believes in: forces for accelerations, forces at rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..algorithms.closed_kinematics import closed_at
from ..algorithms.closed_loop import ClosedModel, holding_forces
from ..algorithms.drives import Drives, rounded
from ..catalog import algorithm, quantity
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from ..plan import LoopPlan
from ..plan.loops import motor_coordinates
from ..reframe import simplify
from .goal import Aim

NEWTON = 5  # steps to close the loops at a goal, from the state


@dataclass(frozen=True)
class Model:
    """The mechanism a law believes in, with how its loops are solved if there are any."""

    m: Mechanism
    plan: LoopPlan | None = None
    motors: tuple[str, ...] | None = None  # of a tree where some joints have none
    drives: Drives = "inertia"

    @property
    def smooth(self) -> Model:
        """The model for measured speeds: dry friction passes through zero without a jump."""
        return replace(self, m=rounded(self.m)) if self.drives == "all" else self

    def inverse(self, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
        """Return the forces for accelerations: of all joints, or of the motors of closed loops.

        Partial feedback: what has no motor moves without force.
        """
        if self.motors is not None:
            _, hybrid = algorithm(quantity("hybrid_dynamics", self.m), None)
            made: list[Scalar] = hybrid(
                self._whole, q, qd, qdd, given=self.motors, drives=self.drives
            )[1]
            return made
        _, run = algorithm(quantity("inverse_dynamics", self.m), None)
        if self.plan is None:
            forces: list[Scalar] = run(self._whole, q, qd, qdd, drives=self.drives)
            return forces
        whole = spread(self.m, self.plan, qdd)
        known = {"tree": self._tree, "drives": self.drives}
        found: list[Scalar] = run(self.m, self.plan, q, qd, whole, **known)[0]
        return found

    @cached_property
    def _whole(self) -> Mechanism:
        return self.m.unfolded

    @cached_property
    def _tree(self) -> Mechanism:
        return simplify(self.m.bare_tree)

    def led(self, qdd: Vector) -> list[Scalar]:
        """Return accelerations of joints with a motor; the others have the force zero there."""
        return at_motors(self.m, self.motors, qdd)

    def filled(self, forces: list[Scalar], pull: Vector) -> list[Scalar]:
        """Return the forces, the pull alone at joints that the model does not know."""
        return forces

    def gravity(self, q: Vector) -> list[Scalar]:
        """Return what holds gravity and springs at rest, of least squares where motors are few."""
        if self.plan is not None:
            model = ClosedModel.at(self.m, self.plan, q, self._tree, "none")
            return holding_forces(model)
        rest = [0] * self.m.nv
        return Model(self.m).inverse(q, rest, rest)

    def along(self, q: Vector, goal: Aim) -> list[Scalar]:
        """Return the forces of the goal's own motion; closed loops follow their motors from q."""
        if self.plan is None:
            return self.inverse(goal.q, goal.qd, self.led(goal.qdd))
        start = list(q)
        for k, x in zip(motor_coordinates(self.m, self.plan), goal.q, strict=True):
            start[k] = x
        closed = closed_at(self.m, self.plan, start, NEWTON)
        qd = closed.velocity(spread(self.m, self.plan, goal.qd))
        return self.inverse(closed.q, qd, goal.qdd)


def at_motors(m: Mechanism, motors: Sequence[str] | None, values: Vector) -> list[Scalar]:
    """Return forces or accelerations of joints that have a motor, zero for the others."""
    if motors is None:
        return list(values)
    return [x if n in motors else 0 for x, n in zip(values, m.rate_joints, strict=True)]


def spread(m: Mechanism, plan: LoopPlan, values: Vector) -> list[Scalar]:
    """Return a vector of the whole tree that holds those of the motors."""
    out: list[Scalar] = [0] * m.nv
    for k, x in zip(plan.motors, values, strict=True):
        out[k] = x
    return out


def unheld(
    m: Mechanism, plan: LoopPlan | None, motors: tuple[str, ...] | None, q: Any
) -> tuple[str, ...]:
    """Return the joints on which gravity or springs act at a pose and that no motor moves."""
    if m.open_parameters:
        return ()
    b, pose, rest = m.bound(), [float(x) for x in q], [0] * m.nv
    names = m.rate_joints
    if plan is not None:
        model = ClosedModel.at(b, plan, pose, b.bare_tree, "none")
        try:
            load = model.closed.projected(model.gamma(rest, rest))
        except ZeroDivisionError:
            return ()
        first = len(plan.independent) - plan.free
        bare = [(names[k], x) for k, x in zip(plan.independent[first:], load[first:], strict=True)]
    elif motors is not None:
        load = Model(b).inverse(pose, rest, rest)
        bare = [(n, x) for n, x in zip(names, load, strict=True) if n not in motors]
    else:
        return ()
    size = max((abs(x) for x in load), default=0)
    return tuple(dict.fromkeys(n for n, x in bare if abs(x) > 1e-9 * (1 + size)))
