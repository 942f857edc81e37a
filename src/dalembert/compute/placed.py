"""A platform of reduced mobility put at a pose: the joints of every leg in closed form."""

from __future__ import annotations

import math

import numpy as np

from ..algebra import Mat3, Rotation, Vec3
from ..algorithms.leg_kinematics import plain
from ..algorithms.platform import platform_of
from ..algorithms.reduced_legs import coordinates
from ..errors import ComputationError
from ..joint import quaternion_matrix, quaternion_step
from ..mechanism import Mechanism
from ..plan.assembly import Closure
from .legs import LegBranches
from .turns import turn_of

Array = np.ndarray


REACHED = 1e-8  # how far loops may be open, in parts of the size


class Placed:
    """A machine whose platform has a free joint and whose legs have signs."""

    def __init__(self, m: Mechanism, branch: LegBranches):
        self.c, self.branch = Closure(m), branch
        b = self.c.m
        self.robot = platform_of(b)
        self.name = self.robot.m.bodies[self.robot.body].name
        names = (body.name for body in b.bodies)
        self.starts = dict(zip(names, b.coordinate_index, strict=True))

    def at(self, T: Array, where: str = "") -> Array:
        """Return all coordinates with the platform at a pose; the signs of its legs say where."""
        q = np.array(self.branch.q)
        rows = T[:3, :3].tolist()
        R, p = Rotation.of(Mat3(*map(tuple, rows))), Vec3(*T[:3, 3].tolist())
        for k, (leg, signs) in enumerate(zip(self.robot.legs, self.branch, strict=True), 1):
            try:
                made = coordinates(leg, R, p + R @ leg.hold, signs)
            except (ValueError, ZeroDivisionError):
                raise self._refused(where, f"leg {k} does not reach it") from None
            for body, x in zip(leg.tree.bodies, map(plain, made), strict=True):
                at = self.starts[body.name]
                full = math.tau if body.joint.kind == "revolute" else math.inf
                turns = round((float(q[at]) - float(x)) / full) if full < math.inf else 0
                q[at] = float(x) + (full * turns if turns else 0.0)
        self._put(q, T)
        if self.c.worst(q) > REACHED:
            raise self._refused(where, self.c.gap(q))
        return q

    def _put(self, q: Array, T: Array) -> None:
        """Write the coordinates of the platform itself, its quaternion near that of the start."""
        body = self.robot.m.bodies[self.robot.body]
        R0 = np.array([[float(x) for x in row] for row in body.placement.R.matrix().rows])
        p0 = np.array([float(x) for x in body.placement.p])
        at = self.starts[body.name]
        p, R = R0.T @ (T[:3, 3] - p0), R0.T @ T[:3, :3]
        before = q[at + 3 : at + 7]
        rows = np.array(quaternion_matrix(*before.tolist()).rows, dtype=float)
        q[at : at + 3] = p
        q[at + 3 : at + 7] = quaternion_step(before.tolist(), turn_of(rows.T @ R).tolist())

    def _refused(self, where: str, why: str) -> ComputationError:
        return ComputationError(
            f"the platform cannot go to this pose{where} on the branch it is on: {why}",
            hint="a leg is at its end, or the pose asks for a motion the platform does not have",
        )
