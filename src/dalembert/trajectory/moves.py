"""Motions of the joints as functions of time: moves and splines; `paths.py` follows frames.

A `Trajectory` is a piecewise polynomial, so compiled simulations and control laws read it directly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..door import doors
from ..errors import UsageError
from ..runtime.arguments import numbers
from ..runtime.signal import Signal, cubic, spline_slopes

Array = np.ndarray
BESIDE = 1e-6  # of a step: as near before a corner the motion is that of the piece before it


@doors("__init__", "__call__", "qd", "qdd", "times", "then")
@dataclass(frozen=True)
class Trajectory:
    """Joint coordinates over time: called with times it gives q; `qd` and `qdd` are exact rates.

    >>> move = quintic([0.0], [1.0], duration=1.0)
    >>> move([0.0, 0.5, 1.0]).round(6).tolist(), move.qd(0.5).round(6).tolist()
    ([[0.0], [0.5], [1.0]], [1.875])
    """

    signal: Signal
    names: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        count = np.atleast_1d(self(self.start)).shape[-1]
        return f"<Trajectory of {count} coordinates, t = {self.start:g} .. {self.end:g} s>"

    @property
    def start(self) -> float:
        """The time of the first moment."""
        return float(self.signal.breaks[0])

    @property
    def end(self) -> float:
        """The time of the last moment."""
        return float(self.signal.breaks[-1])

    def __call__(self, t: Any) -> Array:
        return self.signal(t)

    def qd(self, t: Any) -> Array:
        """Return the rates at times; zero before the start and after the end."""
        return self._rate(self.signal.derivative(), t)

    def qdd(self, t: Any) -> Array:
        """Return the accelerations at times; zero before the start and after the end."""
        return self._rate(self.signal.derivative().derivative(), t)

    def _rate(self, rate: Signal, t: Any) -> Array:
        t = np.asarray(t, dtype=float)
        outside = (t < self.start) | (t > self.end)
        return np.where(outside[..., None], 0.0, rate(t))

    def times(self, count: int = 201) -> Array:
        """Return equally spaced times from start to end; those next to a corner are moved to it.

        At a corner the acceleration jumps, and the largest force may be on either side of it.

        >>> quintic([0.0], [1.0], duration=2.0).times(5).tolist()
        [0.0, 0.5, 1.0, 1.5, 2.0]
        >>> constant_acceleration([0.0], [1.0], duration=1.0, brake=True).times(8).round(3).tolist()
        [0.0, 0.143, 0.286, 0.5, 0.5, 0.714, 0.857, 1.0]
        """
        t = np.linspace(self.start, self.end, count)
        corners = self._corners()
        if not 0 < 4 * len(corners) <= count:
            return t
        step = (self.end - self.start) / (count - 1)
        for corner in corners:
            k = min(max(int((corner - self.start) / step), 1), count - 3)
            t[k : k + 2] = corner - BESIDE * step, corner
        return t if (np.diff(t) > 0).all() else np.linspace(self.start, self.end, count)

    def _corners(self) -> Array:
        """Return the times between start and end at which the acceleration jumps."""
        inside = self.signal.breaks[1:-1]
        jump = np.abs(self.qdd(inside) - self.qdd(inside - 1e-9 * np.diff(self.signal.breaks)[:-1]))
        most = np.abs(self.qdd(self.signal.breaks)).max(initial=0.0)
        return np.asarray(inside[(jump > 1e-6 * most).any(axis=-1)])

    def blows(self) -> tuple[str, ...]:
        """Return a note where speeds jump: the force of a blow is in no list of forces."""
        at = self.signal.breaks[1:-1][self.signal.jumps | self.signal.derivative().jumps]
        if not len(at):
            return ()
        told = ", ".join(f"{t:.4g}" for t in at[:6]) + ", ..." * (len(at) > 6)
        return (f"the speed of the motion jumps at t = {told} s: no force does that",)

    def then(self, other: Trajectory) -> Trajectory:
        """Return this motion followed by another, which begins where this one ends.

        >>> there = quintic([0.0], [1.0], duration=1.0)
        >>> there.then(quintic([1.0], [0.0], duration=2.0)).end
        3.0
        """
        a, b = self.signal, other.signal
        if a.size != b.size:
            raise UsageError(
                f"motions of {a.size} and {b.size} joints do not follow each other",
                hint="both are motions of the same joints",
            )
        gap = np.abs(self(self.end) - other(other.start)).max()
        if gap > 1e-9:
            raise UsageError(
                f"the second motion begins {gap:.3g} away from where the first ends",
                hint="begin it at first(first.end)",
            )
        terms = max(a.coefficients.shape[2], b.coefficients.shape[2])
        rows = [np.pad(s.coefficients, ((0, 0), (0, 0), (terms - s.coefficients.shape[2], 0)))
                for s in (a, b)]  # fmt: skip
        breaks = np.concatenate([a.breaks, b.breaks[1:] - b.breaks[0] + a.breaks[-1]])
        return Trajectory(Signal(breaks, np.concatenate(rows)), self.names)


# -- moves of the joints -----------------------------------------------------------------------


def quintic(
    q0: Any,
    q1: Any,
    duration: float,
    qd0: Any = 0.0,
    qd1: Any = 0.0,
    qdd0: Any = 0.0,
    qdd1: Any = 0.0,
    start: float = 0.0,
) -> Trajectory:
    """Return the polynomial of degree 5 with given position, speed and acceleration at both ends.

    >>> round(float(quintic([0.0], [2.0], 4.0)(2.0)[0]), 9)
    1.0
    """
    _positive(duration)
    a, b = _ends(q0, q1)
    given = {"qd0": qd0, "qdd0": qdd0, "qd1": qd1, "qdd1": qdd1}
    ends = [_like(a, x, name) for name, x in given.items()]
    v0, w0, v1, w1 = ends
    times = np.array([start, start + float(duration)])
    return hermite(times, np.array([[a, v0, w0], [b, v1, w1]]))


def hermite(times: Array, states: Array) -> Trajectory:
    """Return pieces of degree 5 through q, q̇, q̈, given as (samples, 3, joints)."""
    h = np.diff(times)[:, None]
    (p0, v0, a0), (p1, v1, a1) = (np.moveaxis(x, 1, 0) for x in (states[:-1], states[1:]))
    d = p1 - p0 - v0 * h - a0 * h**2 / 2
    dv = (v1 - v0 - a0 * h) * h
    da = (a1 - a0) * h**2
    c3 = (10 * d - 4 * dv + da / 2) / h**3
    c4 = (-15 * d + 7 * dv - da) / h**4
    c5 = (6 * d - 3 * dv + da / 2) / h**5
    return Trajectory(Signal(times, np.stack([c5, c4, c3, a0 / 2, v0, p0], axis=-1)))


def trapezoidal(q0: Any, q1: Any, speed: Any, acceleration: Any, start: float = 0.0) -> Trajectory:
    """Return the move with trapezoidal speed, all joints in time with the slowest.

    No joint passes its `speed` or `acceleration`; the fastest profile is a triangle where the way
    is too short for full speed.

    >>> trapezoidal([0.0], [1.0], speed=1.0, acceleration=2.0).end
    1.5
    """
    a, b = _ends(q0, q1)
    way = np.abs(b - a)
    v, w = _like(a, speed, "speed"), _like(a, acceleration, "acceleration")
    if not ((v > 0).all() and (w > 0).all()):
        raise UsageError(
            "speed and acceleration must be positive",
            hint="give one number for all joints, or one for each, above 0",
        )
    if not way.any():
        raise UsageError("a move needs two different poses", hint="q0 and q1 are equal")
    # ramp and cruise of the unit move s = 0..1 under the tightest joint limits
    with np.errstate(divide="ignore"):
        top = np.min(np.where(way > 0, v / way, np.inf))
        rise = np.min(np.where(way > 0, w / way, np.inf))
    top = min(top, np.sqrt(rise))
    ramp = top / rise
    cruise = 1 / top - ramp
    level = [(cruise, 0.0)] if cruise > 1e-12 * ramp else []
    return _ramped(a, b, [(ramp, rise), *level, (ramp, -rise)], start)


def constant_acceleration(
    q0: Any, q1: Any, duration: float, start: float = 0.0, *, brake: bool = False
) -> Trajectory:
    """Return the move from rest with one acceleration all the way; it ends at its full speed.

    So moves the arm in the example of Vukobratović and Potkonjak (1979). With `brake` it
    accelerates evenly over its first half and brakes over the second, to rest.

    >>> constant_acceleration([0.0], [1.0], duration=2.0).qd(2.0).tolist()
    [1.0]
    >>> constant_acceleration([0.0], [1.0], duration=2.0, brake=True).qd([1.0, 2.0]).tolist()
    [[1.0], [0.0]]
    """
    _positive(duration)
    a, b = (np.atleast_1d(np.asarray(x, dtype=float)) for x in (q0, q1))
    half = duration / 2
    steps = [(half, 1 / half**2), (half, -1 / half**2)] if brake else [(duration, 0.5 / half**2)]
    return _ramped(a, b, steps, start)


def _ramped(a: Array, b: Array, steps: list[tuple[float, float]], start: float) -> Trajectory:
    """Return a + (b - a) s(t), s from rest through `steps` of (duration, acceleration)."""
    s = v = 0.0
    rows, breaks = [], [start]
    for span, own in steps:
        rows.append([own / 2, v, s])
        s, v = s + v * span + own / 2 * span**2, v + own * span
        breaks.append(breaks[-1] + span)
    c = np.asarray(rows)[:, None, :] * (b - a)[None, :, None]
    c[..., -1] += a
    return Trajectory(Signal(np.array(breaks), c))


def _ends(q0: Any, q1: Any) -> tuple[Array, Array]:
    """Return both ends of a move, as many numbers in each."""
    a, b = (np.atleast_1d(numbers(x, name)) for x, name in ((q0, "q0"), (q1, "q1")))
    if a.shape != b.shape or a.ndim != 1:
        raise UsageError(
            f"q0 has shape {a.shape}, q1 has shape {b.shape}",
            hint="give as many in both, one for each coordinate",
        )
    return a, b


def _like(a: Array, value: Any, name: str) -> Array:
    """Return one number for each coordinate of a."""
    x = numbers(value, name)
    if x.shape not in ((), a.shape):
        raise UsageError(
            f"{name} has shape {x.shape}, expected {a.shape}",
            hint="give one number for all joints, or one for each",
        )
    return np.broadcast_to(x, a.shape)


def _positive(duration: float) -> None:
    if not (np.isfinite(numbers(duration, "duration")).all() and duration > 0):
        raise UsageError(
            f"duration {duration!r} is not a positive time", hint="give seconds, as 1.5"
        )


# -- splines -----------------------------------------------------------------------------------


def spline(times: Any, points: Any, ends: str = "clamped") -> Trajectory:
    """Return the cubic spline through points: at rest at its ends, or `natural`.

    Acceleration is continuous.

    >>> spline([0, 1, 2], [[0.0], [1.0], [0.0]])([0.5, 1.0]).tolist()
    [[0.5], [1.0]]
    """
    t, y = np.atleast_1d(numbers(times, "times")), np.atleast_1d(numbers(points, "points"))
    if len(y) != len(t):
        raise UsageError(
            f"a spline through {len(y)} points at {len(t)} times",
            hint="give a row of coordinates for each time",
        )
    y = y.reshape(len(t), -1)
    if len(t) < 2 or not (np.diff(t) > 0).all():
        raise UsageError(
            "a spline needs at least two increasing times", hint="write [0, 1, 2], a row for each"
        )
    if ends not in ("clamped", "natural"):
        raise UsageError(f"unknown ends {ends!r}", hint='"clamped" or "natural"')
    return cubics(t, y, spline_slopes(t, y, ends))


def cubics(t: Array, y: Array, slopes: Array) -> Trajectory:
    """Return the cubics through points with given slopes."""
    return Trajectory(cubic(t, y, slopes))


def through(points: Any, speed: Any, acceleration: Any) -> Trajectory:
    """Return a spline through points, its times such that straight moves would keep the limits.

    >>> move = through([[0.0], [1.0], [2.0]], speed=1.0, acceleration=2.0)
    >>> move.end, move([0.0, 1.5, 3.0]).tolist()
    (3.0, [[0.0], [1.0], [2.0]])
    """
    y = np.asarray(points, dtype=float)
    v, w = np.asarray(speed, dtype=float), np.asarray(acceleration, dtype=float)
    spans = [
        max(float(np.max(d / v)), float(np.sqrt(np.max(d / w))), 1e-9) * 1.5
        for d in np.abs(np.diff(y, axis=0))
    ]
    return spline(np.concatenate([[0.0], np.cumsum(spans)]), y)


def sampled(function: Any, times: Any, ends: str = "natural") -> Trajectory:
    """Return the spline through f(times), rows of joints; f takes an array of times.

    >>> move = sampled(lambda t: np.sin(t)[:, None], np.linspace(0, 1, 11))
    >>> bool(abs(move(0.55)[0] - np.sin(0.55)) < 1e-4)
    True
    """
    t = np.asarray(times, dtype=float)
    return spline(t, np.asarray(function(t), dtype=float), ends)
