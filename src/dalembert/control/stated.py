"""Equations that a control law believes in: their joints are found by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import mul

from ..algorithms import closed_form
from ..catalog import algorithm, quantity
from ..compute.model import check_joints
from ..errors import UsageError, shown
from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism, is_closed, joint_name
from .model import Model


@dataclass(frozen=True)
class Stated(Model):
    """Closed forms as the model of a law; joints that are frozen in them need no force."""

    joints: tuple[str, ...] = ()  # of the mechanism that is moved

    def inverse(self, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
        """Return the forces of the equations, zero for joints that are frozen in them.

        Partial feedback: what has no motor moves without force.
        """
        at = [self.joints.index(name) for name in self.m.joint_names]
        state = [[x[k] for k in at] for x in (q, qd, qdd)]
        if self.motors is None:
            _, run = algorithm(quantity("inverse_dynamics", self.m), None)
            found = run(self.m, *state, drives=self.drives)
        else:
            found = self._partly(*state)
        forces: list[Scalar] = [0] * len(self.joints)
        for k, x in zip(at, found, strict=True):
            forces[k] = x
        return forces

    def _partly(self, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
        """Return the forces of the motors; M_pp q̈_p = -h_p - M_pm q̈_m for all other joints."""
        M = closed_form.mass_matrix(self.m, q, self.drives)
        h = closed_form.bias(self.m, q, qd, self.drives)
        free = [k for k, name in enumerate(self.m.joint_names) if name not in (self.motors or ())]
        led = [0 if k in free else x for k, x in enumerate(qdd)]

        def force(row: int, rates: Vector) -> Scalar:
            return reduce(lambda a, b: a + b, map(mul, M[row], rates), h[row])

        wanted = [-force(k, led) for k in free]
        kind = "spd" if self.m.form.definite else "general"
        moved = list(led)
        for k, x in zip(free, solve([[M[a][b] for b in free] for a in free], wanted, kind),
                        strict=True):  # fmt: skip
            moved[k] = x
        return [0 if k in free else force(k, moved) for k in range(len(led))]

    def led(self, qdd: Vector) -> list[Scalar]:
        """Return accelerations of joints with a motor, of all joints of the mechanism moved."""
        own = self.joints if self.motors is None else self.motors
        return [x if n in own else 0 for x, n in zip(qdd, self.joints, strict=True)]

    def filled(self, forces: list[Scalar], pull: Vector) -> list[Scalar]:
        """Return the forces, the pull alone at joints that are frozen in the equations."""
        known = self.m.joint_names
        return [x if n in known else y for n, x, y in zip(self.joints, forces, pull, strict=True)]

    def gravity(self, q: Vector) -> list[Scalar]:
        """Return the load of gravity in the equations."""
        rest = [0] * len(self.joints)
        return replace(self, motors=None).inverse(q, rest, rest)


def check_model(model: Mechanism, m: Mechanism) -> None:
    """Raise UsageError where a model does not speak of the joints of the mechanism it moves."""
    if model.form is None:
        _check_layout(model, m)
        return
    if is_closed(m):
        raise UsageError(
            "equations as the model of a law are those of a tree: this machine has closed loops",
            hint="model= takes the mechanism itself",
        )
    check_joints(model, m)


def _check_layout(model: Mechanism, m: Mechanism) -> None:
    """Raise UsageError where a mechanism has other joints, or the same ones in another order."""
    own, other = ([(joint_name(b), b.joint.kind) for b in x.bodies if b.joint.nv]
                  for x in (m, model))  # fmt: skip
    hint = "model= is the machine that is moved, with other numbers: the same joints and loops"
    moved = {name for name, _ in own} & {name for name, _ in other}
    if [kind for _, kind in own] != [kind for _, kind in other] or (
        [n for n, _ in own if n in moved] != [n for n, _ in other if n in moved]
    ):
        words = (", ".join(f"{shown(n)} ({k})" for n, k in x[:8]) for x in (own, other))
        told = "the joints of the mechanism are {}; those of the law's model are {}"
        raise UsageError(told.format(*(w or "none" for w in words)), hint=hint)
    for what in ("loops", "couplings", "wheels", "rolling", "velocity_constraints"):
        counts = len(getattr(m, what)), len(getattr(model, what))
        if counts[0] != counts[1]:
            name = what.replace("_", " ")
            raise UsageError(
                f"the mechanism has {counts[0]} {name}, the law's model {counts[1]}", hint=hint
            )
