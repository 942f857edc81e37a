"""Equations that a control law believes in: their joints are found by name."""

from __future__ import annotations

from dataclasses import dataclass

from ..catalog import algorithm, quantity
from ..catalog.loops import is_closed
from ..compute.model import check_joints
from ..errors import UsageError
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from ..mechanism.motors import tree_motors
from .model import Model


@dataclass(frozen=True)
class Stated(Model):
    """Closed forms as the model of a law; joints that are frozen in them need no force."""

    joints: tuple[str, ...] = ()  # of the mechanism that is moved

    def inverse(self, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
        """Return the forces of the equations, zero for joints that are frozen in them."""
        _, run = algorithm(quantity("inverse_dynamics", self.m), None)
        at = [self.joints.index(name) for name in self.m.joint_names]
        found = run(self.m, *([x[k] for k in at] for x in (q, qd, qdd)))
        forces: list[Scalar] = [0] * len(self.joints)
        for k, x in zip(at, found, strict=True):
            forces[k] = x
        return forces

    def filled(self, forces: list[Scalar], pull: Vector) -> list[Scalar]:
        """Return the forces, the pull alone at joints that are frozen in the equations."""
        known = self.m.joint_names
        return [x if n in known else y for n, x, y in zip(self.joints, forces, pull, strict=True)]

    def gravity(self, q: Vector) -> list[Scalar]:
        """Return the load of gravity in the equations."""
        rest = [0] * len(self.joints)
        return self.inverse(q, rest, rest)


def check_stated(model: Mechanism, m: Mechanism) -> None:
    """Raise UsageError where equations do not speak of the joints of a mechanism."""
    if is_closed(m) or len(tree_motors(m)) < sum(1 for b in m.bodies if b.joint.nv):
        what = "closed loops" if is_closed(m) else "joints without a motor"
        raise UsageError(
            f"equations as the model of a law are those of a tree that is driven throughout: "
            f"this machine has {what}",
            hint="model= takes the mechanism itself",
        )
    check_joints(model, m)
