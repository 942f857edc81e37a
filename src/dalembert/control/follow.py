"""Laws that steer vehicles along paths, compiled with the model: δ̇ and the progress along the path.

The guide is a wheel or axle that is not steered; its place beside the path is (d, e), distance and
angle (Samson's Frenet form). `FollowPath` feeds back d, e, the articulation angles and the steering
angle about the motion that the path asks for, with gains of a linear quadratic regulator per metre:
forwards or backwards, with trailers. `PurePursuit` aims at a point ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..algebra import Vec3
from ..algorithms.kinematics import target_pose
from ..algorithms.velocity_rows import forward_row, heading, steering_of
from ..errors import UsageError, shown
from ..expr import Scalar, absolute, atan2, maximum, minimum, sqrt
from ..joint import Vector
from ..linalg import dot
from ..mechanism import Mechanism, Wheel, joint_name
from .plane_paths import bends, check_law, curvature, nearest
from .vehicle import TURNED, Vehicle, guide_of, vehicle

Array = np.ndarray
Alarm = tuple[str, Callable[..., Scalar], str]  # what is said, f(t, q, qd) < 0, what to write
SHARPEST = tuple(0.25 * 0.8**k for k in range(12))  # curvatures that are tried, per metre
STEEPEST = 0.8  # rad, between vehicle and path, at which the distance is made smaller


@dataclass(frozen=True)
class _Follower:
    """What path laws share: path, guide, direction, and the vehicle they were prepared for."""

    path: Any
    guide: str | None = None  # a wheel that is not steered; the first of them if None
    backwards: bool = False
    articulation: float = field(default=TURNED, kw_only=True)  # beyond it a joint is said to fold
    own = ("progress",)
    vehicle: Vehicle | None = field(default=None, repr=False, compare=False)

    def _ready(self, m: Mechanism, name: str, bend: float) -> Any:
        way = -1 if self.backwards else 1
        made = vehicle(m, guide_of(m, self.guide), name, way, bend)
        self._check_folding(made)
        return replace(self, vehicle=made)

    def _check_folding(self, made: Vehicle) -> None:
        """Raise UsageError where the path itself asks for more than the articulation allowed."""
        asked = made.held(self.path.sharpest)[2:-1]
        for j, angle in zip(made.joints, asked, strict=True):
            if abs(float(angle)) > self.articulation:
                name = shown(joint_name(made.numbers.bodies[j]))
                raise UsageError(
                    f"the path folds {name!r} by {abs(float(angle)):.3g} rad, beyond articulation "
                    f"= {self.articulation:.3g}",
                    hint="take a wider path, or a larger articulation=",
                )

    def alarms(self, q: Sequence[int]) -> Iterator[Alarm]:
        """Yield what tells that a motion is not the one the law is for: negative where it is so.

        `q` says which coordinates are the steering angle and the place on the path.
        """
        made = self._made
        m, (angle, s), guide = made.numbers, q, shown(made.wheel.name)
        way, other = ("backwards", False) if self.backwards else ("forwards", True)

        def heads(t: Scalar, q: Vector, qd: Vector) -> Scalar:
            return self._beside(m, q[: m.nq], q[s]).cosine

        def turned(k: int, most: float) -> Callable[..., Scalar]:
            return lambda t, q, qd: most - absolute(q[k])

        yield (
            f"{guide} moves against its law",
            lambda t, q, qd: self._speed(m, q[: m.nq], qd[: m.nv]),
            f"the law drives {way}: write backwards={other}, or a speed of the other sign",
        )
        yield f"{guide} heads against its path", heads, "start it along the path, or turn the path"
        for j in made.joints:
            name, k = shown(joint_name(m.bodies[j])), m.coordinate_index[j]
            most = self.articulation
            yield f"{name} folds beyond {most:.4g} rad", turned(k, most), "start nearer to the path"
        yield (
            f"{shown(made.steering)} turns beyond {TURNED:.4g} rad",
            turned(angle, TURNED),
            "start nearer to the path, or follow it within a longer length=",
        )

    def start(self, q: Array) -> Sequence[float]:
        """Return straight wheels, and the point of the path nearest to the guide."""
        made = self._made
        place = target_pose(made.numbers, made.target, [float(x) for x in q]).p
        return 0.0, nearest(self.path, float(place.x), float(place.y))

    @property
    def _shared(self) -> tuple[Any, ...]:
        return self.path, self.guide, self.backwards, self.articulation

    @property
    def _made(self) -> Vehicle:
        if self.vehicle is None:
            raise UsageError("the law has not met its vehicle", hint="simulate(..., motion={...})")
        return self.vehicle

    def _beside(self, m: Mechanism, q: Vector, s: Scalar) -> Beside:
        """Return where the guide stands beside its path."""
        made = self._made
        T = target_pose(m, made.target, q)
        ahead = T.R @ heading(made.wheel, 0)[1] * made.way
        (x, y), (x1, y1), _ = self.path.curve(s)
        g = sqrt(x1 * x1 + y1 * y1)
        tx, ty = x1 / g, y1 / g
        dx, dy = T.p.x - x, T.p.y - y
        return Beside(
            T.p, ahead, tx * dy - ty * dx, tx * ahead.x + ty * ahead.y,
            tx * ahead.y - ty * ahead.x, curvature(self.path, s), g,
        )  # fmt: skip

    def _speed(self, m: Mechanism, q: Vector, qd: Vector) -> Scalar:
        made = self._made
        row = forward_row(m, made.wheel, q, [0] * m.nv, {})
        return made.way * dot(row.H, qd)


@dataclass(frozen=True)
class Beside:
    """A guide beside its path: place, way it goes, distance to the left, angle, curvature."""

    place: Vec3
    ahead: Vec3
    distance: Scalar
    cosine: Scalar
    sine: Scalar
    curvature: Scalar
    scale: Scalar

    @property
    def angle(self) -> Scalar:
        """The angle between the way it goes and the path."""
        return atan2(self.sine, self.cosine)

    def progress(self, speed: Scalar) -> Scalar:
        """Return the rate of the path's parameter."""
        return speed * self.cosine / (self.scale * (1 - self.curvature * self.distance))


@dataclass(frozen=True)
class FollowPath(_Follower):
    """The rate of steering that brings a vehicle to its path and keeps it there.

    `length` is the distance in metres within which errors decay: about the length of the vehicle.
    """

    length: float = 5.0

    def __post_init__(self) -> None:
        check_law(self.path, length=self.length, articulation=self.articulation)

    @property
    def key(self) -> tuple[Any, ...]:
        return ("follow path", *self._shared, self.length)

    def prepared(self, m: Mechanism, name: str) -> FollowPath:
        """Return the law with its gains for a machine."""
        found: FollowPath = self._ready(m, name, 1.5 * self.path.sharpest)
        return found

    def rates(self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, x: Vector) -> Sequence[Scalar]:
        """Return δ̇ and the rate of the path's parameter."""
        made, (angle, s) = self._made, x
        at, speed = self._beside(m, q, s), self._speed(m, q, qd)
        bend = at.curvature
        # what the path asks for, where its curvature changes per metre, and per metre again
        first, second, third = bends(self.path, s)
        ahead, more = made.ahead(bend), made.further()
        held = made.held(bend)
        held[2:] = [
            x + a * first + float(b) * second for x, a, b in zip(held[2:], ahead, more, strict=True)
        ]
        joints = m.split_q(q)
        gains = made.gains(self.length)
        # from far away it comes at an angle, and does not turn towards the nearest point
        far = STEEPEST * abs(gains[1] / gains[0])
        distance = maximum(minimum(at.distance, far), -far)
        now = [distance, at.angle, *(joints[j][0] for j in made.joints), angle]
        turn = sum((-k * (a - b) for k, a, b in zip(gains, now, held, strict=True)), 0)
        turn = turn + made.steering_slope(bend) * first
        turn = turn + made.ahead_slope(bend) * first * first
        turn = turn + ahead[-1] * second + float(more[-1]) * third
        return speed * turn, at.progress(speed)


@dataclass(frozen=True)
class PurePursuit(_Follower):
    """The rate of steering that aims the guide at the point of the path `ahead` metres on.

    The steering angle follows that of the circle through this point within a tenth of the distance.
    """

    ahead: float = 6.0
    sharpest: float | None = None  # curvature not gone beyond; None: what the vehicle can hold

    def __post_init__(self) -> None:
        check_law(
            self.path, ahead=self.ahead, sharpest=self.sharpest, articulation=self.articulation
        )

    @property
    def key(self) -> tuple[Any, ...]:
        return ("pure pursuit", *self._shared, self.ahead, self.sharpest)

    def prepared(self, m: Mechanism, name: str) -> PurePursuit:
        """Return the law made ready for a machine."""
        if self.sharpest is not None:
            found: PurePursuit = self._ready(m, name, self.sharpest)
            return found
        for sharpest in SHARPEST[:-1]:
            with suppress(UsageError):
                return replace(self, sharpest=sharpest).prepared(m, name)
        return replace(self, sharpest=SHARPEST[-1]).prepared(m, name)

    def rates(self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, x: Vector) -> Sequence[Scalar]:
        """Return δ̇ and the rate of the path's parameter."""
        made, (angle, s) = self._made, x
        at, speed = self._beside(m, q, s), self._speed(m, q, qd)
        (x, y), _, _ = self.path.curve(s + self.ahead / at.scale)
        dx, dy = x - at.place.x, y - at.place.y
        bend = 2 * (at.ahead.x * dy - at.ahead.y * dx) / (dx * dx + dy * dy)
        sharpest = self.sharpest if self.sharpest is not None else SHARPEST[0]
        bend = maximum(minimum(bend, sharpest), -sharpest)
        wanted = made.held(bend)[-1]
        return 10 * speed / self.ahead * (wanted - angle), at.progress(speed)


@dataclass(frozen=True)
class Cruise:
    """Traction of a wheel that keeps its forward speed: gain (speed - v), in newtons."""

    speed: float
    gain: float
    wheel: str | None = None  # the first that is not steered if None
    signal: None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.speed) and np.isfinite(self.gain) and self.gain > 0):
            raise UsageError(
                f"a cruise at {self.speed:g} m/s with gain {self.gain:g} does not hold",
                hint="write Cruise(5.0, 2e4): a speed, and a gain above zero in N s/m",
            )

    @property
    def settings(self) -> Array:
        return np.array([self.speed, self.gain], dtype=float)

    @property
    def key(self) -> tuple[Any, ...]:
        return ("cruise", self.wheel)

    def torque(
        self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, u: Vector, p: Vector
    ) -> Sequence[Scalar]:
        """Return joint forces, which are zero, and the traction of each wheel."""
        chosen = _driven(m, self.wheel)
        row = forward_row(m, chosen, q, [0] * m.nv, steering_of(m))
        push = p[1] * (p[0] - dot(row.H, qd))
        return [*([0] * m.nv), *(push if w is chosen else 0 for w in m.wheels)]


def _driven(m: Mechanism, name: str | None) -> Wheel:
    for w in m.wheels:
        if w.name == name or (name is None and w.steer is None):
            return w
    raise UsageError(
        f"there is no wheel {shown(str(name))!r}",
        hint="wheels: " + (", ".join(shown(w.name) for w in m.wheels) or "none"),
    )
