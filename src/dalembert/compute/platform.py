"""Platforms on legs of any kind: the machine is followed from a closed pose to the one asked.

Khalil (2010), section 5, where no closed form of a leg is known: all joints are found by Newton's
method with the exact Jacobian of the closure and of the platform's pose, in steps short enough to
stay on the branch of the start. Legs of reduced mobility that have a closed form need no way
(`Placed`). The quantities of the platform are then those of the closed loops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..algebra import Mat3, Rotation, Transform, Vec3
from ..algorithms.kinematics import jacobian, target_pose
from ..algorithms.platform import platform_body, platform_frame, platform_of
from ..algorithms.reduced_legs import joints_at
from ..algorithms.task import ROWS
from ..errors import ComputationError, SingularPose, UsageError, shown, state_text
from ..expr import trace
from ..joint import quaternion_matrix, quaternion_step
from ..mechanism import Mechanism
from ..plan import plan, planned
from ..plan.assembly import Closure, close
from ..plan.elimination import null_space
from .evaluate import evaluate
from .legs import LegBranches
from .task import task_model
from .turns import rotation_by, turn_of

Array = np.ndarray


FOUND = 1e-11  # residual of a solution, lengths in parts of the size
FAR = 0.35  # the longest step of a joint between two poses, radians or parts of the size
THIN = 1e-7  # singular values below this part of the largest are none
SHORTEST = 1 / 4096  # part of the way
BESIDE = 1e-2  # how far to look for closed poses beside a start
REACHED = 1e-8  # how far loops may be open, in parts of the size


class PlatformTracker:
    """A closed machine whose platform is moved from pose to pose."""

    def __init__(self, m: Mechanism, start: Sequence[float]):
        self.m, self.c = m, Closure(m)
        self.name, _ = platform_frame(m, platform_body(m))
        self.start = np.array(start, dtype=float)
        self.rank = int(np.linalg.matrix_rank(self._slope(self.start), tol=THIN))

    def require_apart(self, what: str) -> None:
        """Raise SingularPose where the pose of the platform does not say how a leg bends.

        Closed poses beside the start then have a higher rank.
        """
        plan(self.m, self.start)  # the loops themselves lose no rank
        rng, N = np.random.default_rng(3), null_space(self.c.jacobian(self.start))
        for _ in range(3 if N.shape[1] else 0):
            step = BESIDE * N @ rng.uniform(-1, 1, N.shape[1])
            q, worst = close(self.c, self.c.moved(self.start, step))
            if worst > FOUND:
                continue
            if int(np.linalg.matrix_rank(self._slope(q), tol=THIN)) > self.rank:
                raise SingularPose(
                    f"{what}: branches of a leg meet at this pose: it is stretched or folded",
                    hint="give a pose beside it on the branch you mean: "
                    "dalembert.regular_pose(m, q)",
                )

    @cached_property
    def _pose(self) -> Any:
        def pose(q: Any) -> list[Any]:
            T: Transform = target_pose(self.c.m, self.c.m.frame(self.name), q)
            return [*T.p, *(x for row in T.R.matrix().rows for x in row)]

        return trace(pose, [("q", self.m.nq)])

    @cached_property
    def _jacobian(self) -> Any:
        return trace(
            lambda q: jacobian(self.c.m, self.name, q), [("q", self.m.nq)],
            outputs=[("J", (6, self.m.nv))],
        )  # fmt: skip

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return (p, R) of the platform."""
        x = np.array(self._pose(q.tolist()), dtype=float)
        return x[:3], x[3:].reshape(3, 3)

    def _slope(self, q: Array) -> Array:
        J = np.array(self._jacobian(q.tolist()), dtype=float).reshape(6, self.m.nv)
        J = J * self.c.column_size
        J[:3] /= self.c.size
        return np.vstack([self.c.jacobian(q), J])

    def _gap(self, q: Array, p: Array, R: Array) -> Array:
        p0, R0 = self.pose(q)
        return np.concatenate([self.c.residual(q), (p0 - p) / self.c.size, turn_of(R0 @ R.T)])

    def _near(self, q: Array, p: Array, R: Array) -> tuple[Array | None, float]:
        """Return a pose with the platform at (p, R) near q, or None; and by how much it misses."""
        start, worst = q, np.inf
        for _ in range(12):
            gap = self._gap(q, p, R)
            worst = float(np.abs(gap).max())
            if worst < FOUND:
                return q, worst
            step = -np.linalg.lstsq(self._slope(q), gap, rcond=THIN)[0]
            q = self.c.moved(q, step)
            if np.abs(step).max() > FAR or np.abs(q - start).max() > 3 * FAR * max(1, self.c.size):
                return None, worst
        return None, worst

    def at(self, T: Array, where: str = "") -> Array:
        """Return all coordinates with the platform at a pose, on the branch of the start."""
        q = self.start
        (p0, R0), (p, R) = self.pose(q), (T[:3, 3], T[:3, :3])
        turn, done, part = turn_of(R @ R0.T), 0.0, 1.0
        worst = 0.0
        while done < 1:
            part = min(part, 1 - done)
            to = done + part
            found, worst = self._near(q, p0 + to * (p - p0), rotation_by(to * turn) @ R0)
            if found is None:
                part /= 2
                if part < SHORTEST:
                    raise ComputationError(
                        f"the platform cannot go to this pose{where} on the branch it is on: after "
                        f"{done:.0%} of the way it misses by {worst:.2g}",
                        hint="a leg is at its end, the pose asks for a motion the platform does "
                        "not have, or another branch is meant: leg_branches(m, q)",
                        command="a leg is at its end, or the platform has no such motion",
                    )
                continue
            q, done, part = found, to, 2 * part
            if int(np.linalg.matrix_rank(self._slope(q), tol=THIN)) < self.rank:
                raise SingularPose(
                    f"a leg is singular on the way to this pose{where}: branches meet there",
                    hint="give leg_branches at a pose nearer to the one asked",
                )
        return q


# -- legs in closed form -------------------------------------------------------------------------


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
        there = Transform(Rotation.of(Mat3(*map(tuple, rows))), Vec3(*T[:3, 3].tolist()))
        for k, (leg, signs) in enumerate(zip(self.robot.legs, self.branch, strict=True), 1):
            try:
                made = joints_at(leg, there, signs).values()
            except (ValueError, ZeroDivisionError):
                raise self._refused(where, f"leg {k} does not reach it") from None
            for body, x in zip(leg.tree.bodies, made, strict=True):
                at, turns = self.starts[body.name], 0
                if body.joint.kind == "revolute":  # as many whole turns as before
                    turns = round((float(q[at]) - float(x)) / math.tau)
                q[at] = float(x) + math.tau * turns
        self._put(q, T)
        if self.c.worst(q) > REACHED:
            raise self._refused(where, self.c.gap(q))
        return q

    def _put(self, q: Array, T: Array) -> None:
        """Write the coordinates of the platform itself, its quaternion near that of the start."""
        body = self.robot.m.bodies[self.robot.body]
        R0 = np.array(body.placement.R.matrix().rows, dtype=float)
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


# -- the quantities ----------------------------------------------------------------------------


def followed(m: Mechanism, name: str, inputs: Sequence[Any], branch: LegBranches,
             drives: str = "inertia") -> Any:  # fmt: skip
    """Return a quantity of the platform, all joints found from its pose.

    Each pose is reached from that of the branch: the others of a batch have no say.
    """
    if name == "leg_torques":
        raise UsageError(
            f"{name}: these legs have no model of their own: they are not chains to one point",
            hint="tree_torques(m, q, qd, qdd) with q, qd, qdd of leg_states",
            command="ask for tree_torques at the joints of leg_states",
        )
    given = [np.asarray(x, dtype=float) for x in inputs]
    sizes = [2] + [1] * (len(given) - 1)
    lead = np.broadcast_shapes(*(x.shape[: x.ndim - k] for x, k in zip(given, sizes, strict=True)))
    pose, *rates = (
        np.broadcast_to(x, (*lead, *x.shape[x.ndim - k :]))
        for x, k in zip(given, sizes, strict=True)
    )
    if pose.shape[len(lead) :] != (4, 4):
        raise UsageError(f"{name}: a pose is 4 x 4", hint=f"{name}(m, pose, twist, ...)")
    q = np.empty((*lead, m.nq))
    way = Placed(m, branch) if branch.closed_form else PlatformTracker(m, branch.q)
    for where in np.ndindex(*lead):
        q[where] = way.at(pose[where], state_text(where))
    return getattr(PlatformState(m, way.name, q, drives), name)(*rates)


@dataclass(frozen=True)
class PlatformState:
    """A closed machine with its platform, a frame, at given poses; its methods are quantities."""

    m: Mechanism
    frame: str
    q: Array  # coordinates of all joints at these poses
    drives: str

    def leg_states(self, twist: Array, rate: Array) -> Any:
        """Return q, q̇, q̈ of all joints, and how far the loops are open."""
        return self.q, *self._motion(twist, rate), evaluate(self.m, "closure", self.q)

    def platform_jacobian(self) -> Any:
        """Return J_p: velocity of the platform from those of the motors."""
        s, _ = self._rates(np.zeros(6))
        if not self.m.active:
            raise UsageError("platform_jacobian: no motor is named", hint='active = ["joint", ...]')
        return s.J @ np.linalg.pinv(s.motors)

    def actuator_forces(self, twist: Array, rate: Array) -> Any:
        """Return the forces of the motors."""
        qd, qdd = self._motion(twist, rate)
        return evaluate(self.m, "inverse_dynamics", self.q, qd, qdd, drives=self.drives)

    def cartesian_model(self, twist: Array) -> Any:
        """Return A and H of A V' + H."""
        s, _ = self._rates(twist)
        return s.inertia, s.bias

    def platform_acceleration(self, twist: Array, forces: Array) -> Any:
        """Return the acceleration that motor forces give."""
        _, qd = self._rates(twist)
        qdd = evaluate(self.m, "forward_dynamics", self.q, qd, forces, drives=self.drives)
        return evaluate(self.m, "acceleration", self.q, qd, qdd, frame=self.frame)

    def _rates(self, twist: Array) -> tuple[Any, Array]:
        """Return (the model of the platform's six rows, q̇ of all joints)."""
        t = task_model(self.m, frame=self.frame, rows=range(6), drives=self.drives)
        if t.rank < len(t.speeds):
            raise UsageError(
                f"the motion of platform {shown(self.frame)!r} does not decide that of the "
                f"machine: it has {len(t.speeds)} speeds, the platform {t.rank}",
                hint="task_model(m, frame) is the model of a redundant machine",
            )
        u = _solved(t.jacobian(self.q), twist, t.sizes, "velocity")
        still = np.zeros(self.m.nv)
        qd = evaluate(self.m, "tree_motion", self.q, self._spread(u), still)[0]
        return t(self.q, qd), qd

    def _motion(self, twist: Array, rate: Array) -> tuple[Array, Array]:
        """Return q̇ and q̈ of all joints."""
        s, qd = self._rates(twist)
        ud = _solved(s.J, rate - s.drift, s.sizes, "acceleration")
        return qd, evaluate(self.m, "tree_motion", self.q, qd, self._spread(ud))[1]

    def _spread(self, u: Array) -> Array:
        """Return the rates of the independent joints among zeros for all others."""
        out = np.zeros((*self.q.shape[:-1], self.m.nv))
        out[..., list(planned(self.m).independent)] = u
        return out


def _solved(J: Array, x: Array, sizes: Any, what: str) -> Array:
    """Return u of J u = x, or ComputationError where the platform does not move so."""
    S = np.asarray(sizes)
    u = (np.linalg.pinv(J / S[:, None], rcond=1e-9) @ (x / S)[..., None])[..., 0]
    gap = np.abs((J @ u[..., None])[..., 0] - x) / S
    bad = np.argwhere(~(gap <= 1e-7 * (1e-3 + np.abs(x / S).max(axis=-1)[..., None])))
    if len(bad):
        *where, row = bad[0]
        raise ComputationError(
            f"the platform cannot have this {what}{state_text(tuple(where))}: "
            f"{ROWS[row]} follows from the others",
            hint="task_model(m, frame) says which rows can be had",
        )
    return u
