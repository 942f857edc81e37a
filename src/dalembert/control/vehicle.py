"""A vehicle as path laws see it: motions along circles, errors per metre, gains.

With one speed, all rates per metre of the guide's way follow from the articulation angles φ and the
steering angle δ. On a circle of curvature κ they stand still at φ*(κ), δ*(κ), found by Newton's
steps and kept as odd polynomials. Errors z = (d, e, φ, δ) obey z' = A z + B w about the straight
line, w = dδ/ds; the gains are those of a linear quadratic regulator.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algebra import Rotation, Transform
from ..algorithms import kane
from ..algorithms.kinematics import target_jacobian
from ..algorithms.velocity_constraints import Constraints
from ..algorithms.velocity_rows import forward_row
from ..errors import ModelError, UsageError, shown
from ..expr import Scalar, trace
from ..expr.straight import Straight
from ..joint import Vector
from ..linalg import dot
from ..mechanism import Mechanism, Wheel
from ..plan.kane import with_speeds

Array = np.ndarray
POWERS = (1, 3, 5, 7)
TURNED = 1.5  # rad; beyond it a steered wheel stands across, and a trailer is folded


@dataclass(frozen=True)
class Vehicle:
    """A machine of one speed, the wheel that is guided, and the steering that guides it."""

    numbers: Mechanism = field(repr=False)
    wheel: Wheel
    steering: str
    way: int  # 1 forwards, -1 backwards
    joints: tuple[int, ...]  # bodies of articulations
    bend: float  # the largest curvature that is asked for
    shape: Array = field(repr=False)  # coefficients of φ*, δ* by powers of κ
    lead: Array = field(repr=False)  # of what they gain per κ', by even powers of κ

    @property
    def target(self) -> tuple[int, Transform]:
        """The frame of the guide."""
        return self.wheel.body, Transform(Rotation(), self.wheel.point)

    def held(self, bend: Scalar) -> list[Scalar]:
        """Return the errors at rest on a circle: d = e = 0, φ*, δ*."""
        found: list[Scalar] = [0, 0]
        return found + [_even(row, bend) * bend for row in self.shape]

    def steering_slope(self, bend: Scalar) -> Scalar:
        """Return dδ*/dκ."""
        return _even([p * c for p, c in zip(POWERS, self.shape[-1], strict=True)], bend)

    def ahead(self, bend: Scalar) -> list[Scalar]:
        """Return how φ and δ stand beside φ*, δ* per unit of κ', the change of curvature."""
        return [_even(row, bend) for row in self.lead]

    def ahead_slope(self, bend: Scalar) -> Scalar:
        """Return the derivative by κ of the last of these, that of δ."""
        row = [2 * k * float(c) for k, c in enumerate(self.lead[-1])][1:]
        return bend * _even(row, bend)

    def further(self) -> Array:
        """Return how φ and δ stand beside them per unit of κ'', about the straight line.

        There G (φ, δ) = (κ, φ'), so that Y0 = G⁻¹ (1, 0), Y1 = G⁻¹ (0, Y0), Y2 = G⁻¹ (0, Y1).
        """
        G, y = self.slope[1 : len(self.joints) + 2, 2:], self.lead[:, 0]
        found: Array = np.linalg.solve(G, np.concatenate([[0.0], y[:-1]]))
        return found

    def per_metre(self, angles: Array, delta: float) -> tuple[float, Array]:
        """Return the turning of the guide and of each articulation per metre of its way."""
        yaw, *bends = self._turning([*map(float, angles), float(delta)])
        return yaw, np.array(bends)

    @cached_property
    def _turning(self) -> Straight:
        """The turnings per metre as a function of (φ, δ), traced once."""
        b = self.numbers

        def record(x: Vector) -> list[Scalar]:
            q: list[Scalar] = [float(c) for c in b.neutral]
            for j, angle in zip(self.joints, x, strict=False):
                q[b.coordinate_index[j]] = angle
            r = kane.reduction(b, q, [1.0], *_steer(b, self.steering, x[-1]))
            rates = [row[0] for row in r.J_nh]
            ahead = forward_row(b, self.wheel, q, [0.0] * b.nv, {}).H
            over = 1 / (self.way * dot(ahead, rates))
            yaw = dot(target_jacobian(b, self.target, q, "base")[5], rates)
            return [yaw * over, *(rates[b.velocity_index[j]] * over for j in self.joints)]

        return Straight(trace(record, [("x", len(self.joints) + 1)]))

    @cached_property
    def slope(self) -> Array:
        """A of z' = A z + B w about a straight line."""
        n = len(self.joints)
        A, h = np.zeros((n + 3, n + 3)), 1e-6
        A[0, 1] = 1.0
        for k in range(n + 1):
            ends = []
            for s in (h, -h):
                x = np.zeros(n + 1)
                x[k] = s
                yaw, bends = self.per_metre(x[:n], x[n])
                ends.append(np.array([yaw, *bends]))
            A[1 : n + 2, 2 + k] = (ends[0] - ends[1]) / (2 * h)
        return A

    def gains(self, length: float) -> tuple[float, ...]:
        """Return the gains of a linear quadratic regulator whose errors decay within a length."""
        return _gains(self.slope, length)


def guide_of(m: Mechanism, name: str | None) -> Wheel:
    """Return the wheel that is guided: one that is not steered, the first of them if None."""
    free = [w for w in m.wheels if w.steer is None]
    for w in free:
        if name in (None, w.name):
            return w
    raise UsageError(
        f"no wheel {shown(str(name))!r} that is not steered",
        hint="guide: " + (", ".join(shown(w.name) for w in free) or "none"),
    )


def _even(row: Any, bend: Scalar) -> Scalar:
    """Return the sum of c κ²ᵏ."""
    value: Scalar = 0
    for c in reversed(row):
        value = value * bend * bend + float(c)
    return value


def _gains(A: Array, length: float) -> tuple[float, ...]:
    n = len(A)
    B = np.zeros((n, 1))
    B[-1] = 1.0
    Q = np.diag([1 / length**2, 1.0, *[0.3] * (n - 3), 0.1])
    R = length**2
    H = np.block([[A, -B @ B.T / R], [-Q, -A.T]])
    values, vectors = np.linalg.eig(H)
    kept = vectors[:, values.real < 0]
    if kept.shape[1] != n:
        raise UsageError("this vehicle cannot be steered along a path", hint="is it steered?")
    P = np.real(kept[n:] @ np.linalg.inv(kept[:n]))
    return tuple(float(x) for x in (B.T @ P / R)[0])


def _steer(m: Mechanism, name: str, delta: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    names = Constraints.of(m).inputs
    return [delta if n == name else 0.0 for n in names], [0.0] * len(names)


def vehicle(m: Mechanism, wheel: Wheel, steering: str, way: int, bend: float) -> Vehicle:
    """Return a machine as a path law sees it; it has one speed and stands on a plane."""
    m = with_speeds(m)
    if len(kane.speed_names(m)) != 1 or m.open_parameters:
        what = "numbers for all parameters" if m.open_parameters else "exactly one speed"
        slips = any(w.tyre is not None for w in m.wheels)
        raise ModelError(
            f"{shown(m.name)!r}: a vehicle that follows a path needs {what}",
            hint="on tyres it slips: leave `tyre` away, or steer by a function f(t, q, qd)"
            if slips
            else "one steered axle and one that is not, trailers behind them",
        )
    b = m.bound()
    own = next(w for w in b.wheels if w.name == wheel.name)
    some = [j for j, body in b.outward() if body.joint.kind == "revolute"]
    none = np.zeros((1, len(POWERS)))
    every = Vehicle(b, own, steering, way, tuple(some), bend, none, none)
    kept = tuple(j for k, j in enumerate(some) if _matters(every, k))
    found = replace(every, joints=kept)
    shape = _shape(found)
    return replace(found, shape=shape, lead=_lead(found, shape))


def _matters(v: Vehicle, k: int) -> bool:
    """Return whether an angle changes how the vehicle turns: headings and spins do not."""
    x = 0.05 * np.arange(1, len(v.joints) + 1) / len(v.joints)
    near = x.copy()
    near[k] += 0.1
    here, there = v.per_metre(x, 0.1), v.per_metre(near, 0.1)
    gap = abs(here[0] - there[0]) + np.abs(here[1] - there[1]).sum()
    return bool(gap > 1e-9)


def _shape(v: Vehicle) -> Array:
    """Return the coefficients of φ*(κ) and δ*(κ), by powers of κ."""
    n, bends = len(v.joints), _samples(v)
    rows: list[Any] = []
    x = np.zeros(n + 1)
    for bend in bends:
        for _ in range(30):
            gap = _circling(v, x, bend)
            J = np.column_stack(
                [(_circling(v, x + e, bend) - gap) / 1e-7 for e in 1e-7 * np.eye(n + 1)]
            )
            step = np.linalg.lstsq(J, -gap, rcond=None)[0]
            x = x + step * min(1.0, 0.3 / max(np.abs(step).max(), 1e-300))
            if np.abs(step).max() < 1e-13:
                break
        if not np.abs(_circling(v, x, bend)).max() < 1e-8 or np.abs(x).max() > TURNED:
            raise UsageError(
                f"the vehicle cannot follow a curvature of {bend:.3g} per metre",
                hint="take a wider path; of PurePursuit, a smaller sharpest=",
            )
        rows.append(x)
    powers = np.array([[bend**p for p in POWERS] for bend in bends])
    return np.linalg.lstsq(powers, np.array(rows), rcond=None)[0].T


def _lead(v: Vehicle, shape: Array) -> Array:
    """Return Y of (φ, δ) = (φ*, δ*) + Y(κ) κ' by even powers: G(κ) Y = (0, dφ*/dκ)."""
    bends, rows = _samples(v), []
    for bend in bends:
        x = np.array([_even(row, bend) * bend for row in shape])
        grown = [_even([p * c for p, c in zip(POWERS, row, strict=True)], bend) for row in shape]
        steps = 1e-6 * np.eye(len(x))
        G = np.column_stack(
            [(_circling(v, x + e, bend) - _circling(v, x - e, bend)) / 2e-6 for e in steps]
        )
        rows.append(np.linalg.solve(G, [0.0, *grown[:-1]]))
    powers = np.array([[bend ** (p - 1) for p in POWERS] for bend in bends])
    return np.linalg.lstsq(powers, np.array(rows), rcond=None)[0].T


def _samples(v: Vehicle) -> Array:
    """Return curvatures up to the largest that is asked for."""
    found: Array = max(v.bend, 1e-3) * np.cos(np.pi * (np.arange(8) + 0.5) / 16)[::-1]
    return found


def _circling(v: Vehicle, x: Array, bend: float) -> Array:
    """Return what misses to a circle: curvature of the guide's way and rates of articulations."""
    yaw, bends = v.per_metre(x[:-1], float(x[-1]))
    return np.array([yaw - bend, *bends])
