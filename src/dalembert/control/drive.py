"""Forces of motors that drive a vehicle of several speeds along a path, without a steering angle.

A point runs along the path at the given speed. The guide, an axle that is not steered, follows it:
v* = V cos e + V x / L, ω* = κ V + V (y / L² + 2 sin e / L), where (x, y, e) is the point as the
guide sees it. Kanayama, Kimura, Miyazaki and Noguchi, A stable tracking control method for an
autonomous mobile robot (ICRA 1990), (7). The rates of v*, ω* are exact (dual numbers); motors give
the accelerations v̇* + k (v* - v), ω̇* + k (ω* - ω) by inverse dynamics, least forces where motors
are spare, and hold the joints that the guide leaves free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..algebra import Rotation, Transform
from ..algorithms.closed_kinematics import closed_at
from ..algorithms.constraint_row import with_rate
from ..algorithms.drives import Drives
from ..algorithms.dual import Dual, parts
from ..algorithms.kinematics import target_jacobian, target_pose
from ..algorithms.velocity_rows import forward_row, heading
from ..errors import UsageError, shown
from ..expr import Scalar, solve, sqrt
from ..joint import Vector
from ..linalg import dot
from ..mechanism import Mechanism, Wheel, joint_name
from ..plan import LoopPlan
from ..plan.generic import general_pose
from ..runtime.methods import RK4
from ..runtime.signal import Signal, cubic
from .laws import require_motors
from .model import Model, spread
from .plane_paths import check_law, curvature
from .vehicle import guide_of

Array = np.ndarray
PIECES = 40  # of the motion along a path, in a second


@dataclass(frozen=True)
class DrivePath:
    """Forces of the motors that lead the guide of a vehicle along a path.

    `speed` is negative for a vehicle that backs, `length` the distance within which errors decay,
    `gain` in 1/s that of the speeds. `hold` has the angles of joints that stay, for machines of
    more than two speeds. The point starts at the parameter `start` and runs for `time` seconds.
    """

    path: Any
    speed: float
    guide: str | None = None  # a wheel that is not steered; the first of them if None
    length: float = 1.0
    gain: float = 5.0
    hold: Mapping[str, float] = field(default_factory=dict)
    start: float = 0.0
    time: float = 120.0
    plan: LoopPlan | None = field(default=None, repr=False, kw_only=True)
    drives: Drives = field(default="all", repr=False, kw_only=True)

    asks = True  # its model for forces

    def ended(self, t: float) -> str:
        """Return a note for a motion that goes on after the point has come to its end, else ""."""
        if t <= self.time:
            return ""
        return f"the point on the path stands still from t = {self.time:g} s on: give time={t:g}"

    def __post_init__(self) -> None:
        check_law(self.path, length=self.length, gain=self.gain, time=self.time)
        if self.speed == 0:
            raise UsageError("a path is not followed at rest", hint="speed = 1.0; -1.0 backs")

    @property
    def signal(self) -> Signal:
        """The parameter of the point by time, as cubic pieces."""
        t = np.linspace(0.0, self.time, max(2, int(PIECES * self.time)))
        h, V = t[1] - t[0], abs(self.speed)

        def rate(s: float) -> float:
            return V / float(np.hypot(*self.path.curve(s)[1]))

        s = [self.start]
        for time in t[1:]:
            s.append(RK4.step(lambda x, _: rate(x), s[-1], time - h, h))
        return cubic(t, np.array(s)[:, None], np.array([rate(x) for x in s])[:, None])

    @property
    def settings(self) -> Array:
        return np.array([abs(self.speed), self.length, self.gain, *self.hold.values()], dtype=float)

    @property
    def key(self) -> tuple[Any, ...]:
        own = (self.path, self.guide, self.speed > 0, tuple(self.hold), self.plan, self.drives)
        return ("drive path", *own)

    def notes(self, m: Mechanism, q: Any) -> tuple[str, ...]:
        """Return what the law says of itself."""
        return ()

    def placed(
        self, m: Mechanism, plan: LoopPlan | None = None, drives: Drives = "all"
    ) -> DrivePath:
        """Return the law for a machine; one whose guide the motors cannot lead is refused."""
        require_motors(m)
        if plan is None:
            raise UsageError("a path is followed on wheels", hint='wheels = [...], "wheels.md"')
        made = replace(self, plan=plan, drives=drives)
        count, asked = len(plan.independent), 2 + len(self.hold)
        free = [m.rate_names[k] for k in plan.independent]
        unknown = next((n for n in self.hold if n not in m.rate_names), None)
        if unknown is not None or asked != count:
            said = f"no joint {shown(str(unknown))!r}" if unknown is not None else (
                f"{count} speeds, and {asked} are asked for")  # fmt: skip
            raise UsageError(
                f"a path gives the speed and the turning of the guide: {said}",
                hint="hold={joint: angle} for what else moves; speeds: " + ", ".join(free[:8]),
            )
        b = m.bound()
        _, pose = general_pose(m)
        q, rest = [float(x) for x in pose], [0.0] * m.nv
        rows, _ = made._rows(b, guide_of(b, self.guide), q, rest)
        G = np.array(closed_at(b, plan, q, 0).G, dtype=float)
        led = np.array([[float(x) for x in row] for row in rows]) @ G
        if np.linalg.cond(led) > 1e10:
            raise UsageError(
                "the motors do not turn the guide by themselves",
                hint="a vehicle that is steered by an angle: control.FollowPath",
            )
        made._check_folding(b)
        return made

    def _check_folding(self, b: Mechanism) -> None:
        """Raise UsageError where a hinge folds while the guide goes straight: it leads nothing."""
        assert self.plan is not None
        wheel, pose, plan = guide_of(b, self.guide), np.array(b.neutral), self.plan
        hinges = [j for j, body in b.outward() if body.joint.kind == "revolute"]

        def rates(q: Array) -> Array:
            pose, rest = [float(x) for x in q], [0.0] * b.nv
            G = np.array(closed_at(b, plan, pose, 0).G, dtype=float)
            rows = np.array(self._rows(b, wheel, pose, rest)[0], dtype=float)
            found: Array = G @ np.linalg.solve(rows @ G, np.eye(len(rows))[0])
            return found[[b.velocity_index[j] for j in hinges]]

        slope = []
        for j in hinges:
            step = np.zeros(b.nq)
            step[b.coordinate_index[j]] = 1e-6
            slope.append((rates(pose + step) - rates(pose - step)) / 2e-6)
        values, vectors = np.linalg.eig(np.array(slope).T)
        k = int(values.real.argmax())
        if values[k].real > 1e-6:
            name = joint_name(b.bodies[hinges[int(np.abs(vectors[:, k]).argmax())]])
            raise UsageError(
                f"{shown(name)!r} folds while the guide goes straight, {values[k].real:.3g} per "
                "metre", hint="guide the axle that leads: guide=...; or hold={joint: angle}",
            )  # fmt: skip

    def torque(
        self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, u: Vector, p: Vector
    ) -> Sequence[Scalar]:
        """Return the forces of the motors, which are zero elsewhere; no wheel is pushed."""
        assert self.plan is not None
        plan, (V, length, gain, *angles) = self.plan, p
        wheel = guide_of(m, self.guide)
        rows, rates = self._rows(m, wheel, q, qd)
        now = [dot(row, qd) for row in rows]
        wanted, ahead = self._wanted(m, wheel, q, qd, u[0], V, length)
        asked = [a + gain * (w - x) for a, w, x in zip(ahead, wanted, now, strict=False)]
        for name, angle in zip(self.hold, angles, strict=True):
            k = m.rate_names.index(name)
            at = m.coordinate_names.index(name)
            asked.append(gain * gain * (angle - q[at]) - 2 * gain * qd[k])
        # accelerations of all joints that give them
        closed = closed_at(m, plan, q, 0)
        full = closed.velocity(qd)
        still = closed.acceleration(full, [0] * len(plan.independent))
        G = closed.G
        right = [
            a - dot(row, still) - dot(rate, full)
            for a, row, rate in zip(asked, rows, rates, strict=True)
        ]
        left = [[dot(row, [g[c] for g in G]) for c in range(len(asked))] for row in rows]
        qdd = closed.acceleration(full, solve(left, right, "general"))
        forces = Model(m, plan, None, self.drives).smooth.inverse(
            q, full, [qdd[k] for k in plan.motors]
        )
        return [*spread(m, plan, forces), *([0] * len(m.wheels))]

    def _rows(self, m: Mechanism, wheel: Wheel, q: Vector, qd: Vector) -> tuple[Any, Any]:
        """Return the rows of the guide's speed, of its turning and of held joints; their rates."""
        target, way = (wheel.body, Transform(Rotation(), wheel.point)), 1 if self.speed > 0 else -1
        first = forward_row(m, wheel, q, qd, {})
        (turn,), (rate,) = with_rate(
            m, lambda x: [list(target_jacobian(m, target, x, "base")[5])], q, qd
        )
        held = [[int(n == name) for n in m.rate_names] for name in self.hold]
        rows = [[way * x for x in first.H], list(turn), *held]
        return rows, [[way * x for x in first.Hd], list(rate), *([0] * m.nv for _ in held)]

    def _wanted(
        self, m: Mechanism, wheel: Wheel, q: Vector, qd: Vector, s: Scalar, V: Scalar, L: Scalar
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Return (v*, ω*) and their rates along the motion."""
        _, (x1, y1), _ = self.path.curve(s)
        s = Dual(s, V / sqrt(x1 * x1 + y1 * y1))

        def speeds(x: Vector) -> Any:
            T = target_pose(m, (wheel.body, Transform(Rotation(), wheel.point)), x)
            way = T.R @ heading(wheel, 0)[1] * (1 if self.speed > 0 else -1)
            (px, py), (tx, ty), _ = self.path.curve(s)
            g = sqrt(tx * tx + ty * ty)
            dx, dy = px - T.p.x, py - T.p.y
            along, aside = way.x * dx + way.y * dy, way.x * dy - way.y * dx
            cosine, sine = (way.x * tx + way.y * ty) / g, (way.x * ty - way.y * tx) / g
            ahead = V * cosine + V / L * along
            return [ahead, V * (curvature(self.path, s) + aside / (L * L) + 2 * sine / L)]

        rates = m.coordinate_rates(q, qd)
        found = [parts(x) for x in speeds([Dual(a, b) for a, b in zip(q, rates, strict=True)])]
        return [x for x, _ in found], [rate for _, rate in found]
