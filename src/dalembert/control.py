"""Control laws that are compiled with the model: `simulate(m, ..., torque=law)`.

PD with gravity compensation (DeSantis 1996, 6.11-6.18), computed torque (resolved acceleration) and
feed-forward of the model along a trajectory, independent joint control. Gains, goals and
trajectories are data of the kernel: changing them compiles nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .catalog import INVERSE
from .errors import UsageError
from .expr import Scalar, maximum, minimum
from .joint import Vector
from .mechanism import Mechanism
from .plan.kane import cartesian_jacobian, check_cartesian
from .reframe import simplify
from .runtime.signal import Signal

Array = np.ndarray


def _gain(values: Any, n: int, name: str) -> Array:
    """Return a gain as one number per joint, or as a full matrix."""
    gain = np.asarray(values, dtype=float)
    if gain.ndim == 0:
        gain = np.full(n, float(gain))
    if gain.shape not in ((n,), (n, n)):
        raise UsageError(f"{name} has shape {gain.shape}, expected a number, ({n},) or ({n}, {n})")
    return gain


def _times(gain: Vector, full: bool, x: Vector) -> list[Scalar]:
    n = len(x)
    if not full:
        return [g * e for g, e in zip(gain, x, strict=True)]
    return [sum((gain[r * n + c] * x[c] for c in range(n)), 0) for r in range(n)]


@dataclass(frozen=True)
class Feedback(ABC):
    """What the laws share: a goal or a trajectory, gains, the model they believe in, saturation.

    `model` is the mechanism of the law, by default the one that is simulated.
    """

    goal: Any = None  # coordinates; or a trajectory with .signal
    kp: Any = 0.0
    kd: Any = 0.0
    model: Mechanism | None = field(default=None, repr=False)
    limit: Any = None  # largest force of each joint

    @cached_property
    def moving(self) -> Signal | None:
        """The trajectory's q, q̇, q̈ as one signal; None for a fixed goal."""
        own = getattr(self.goal, "signal", self.goal)
        if not isinstance(own, Signal):
            return None
        rate = own.derivative()
        return own.beside(rate, rate.derivative())

    @cached_property
    def n(self) -> int:
        if self.moving is not None:
            return self.moving.size // 3
        if self.goal is None:
            raise UsageError("a control law needs a goal", hint="goal=[...] or a trajectory")
        return int(np.shape(self.goal)[-1])

    @cached_property
    def gains(self) -> tuple[Array, Array]:
        return _gain(self.kp, self.n, "kp"), _gain(self.kd, self.n, "kd")

    @property
    def signal(self) -> Signal | None:
        return self.moving

    @cached_property
    def settings(self) -> Array:
        parts = [g.ravel() for g in self.gains]
        if self.limit is not None:
            parts.append(np.broadcast_to(np.asarray(self.limit, dtype=float), (self.n,)))
        gains = np.concatenate(parts)
        if self.moving is not None:
            return gains
        goal = np.asarray(self.goal, dtype=float)
        return np.concatenate(
            [np.broadcast_to(gains, (*goal.shape[:-1], len(gains))), goal], axis=-1
        )

    @property
    def key(self) -> tuple[Any, ...]:
        forms = tuple(np.ndim(g) for g in self.gains)
        model = None if self.model is None else (self.model.digest, repr(self.model.values))
        moving = self.moving is not None
        return (type(self).__name__, self.n, forms, moving, self.limit is not None, model)

    def torque(
        self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, u: Vector, p: Vector
    ) -> Sequence[Scalar]:
        """Return the forces at a state, over any scalar."""
        n = self.n
        if not (m.nq == m.nv == n):
            raise UsageError(
                f"the law is for {n} joints of one freedom each, the mechanism has {m.nv} "
                "velocities", hint="mechanisms with quaternions need a law of their own",
            )  # fmt: skip
        full = [np.ndim(g) == 2 for g in self.gains]
        sizes = [n * n if f else n for f in full]
        kp, kd = p[: sizes[0]], p[sizes[0] : sum(sizes)]
        if self.moving is not None:
            wanted, rate, acceleration = u[:n], u[n : 2 * n], u[2 * n : 3 * n]
        else:
            wanted, rate, acceleration = p[-n:], [0] * n, [0] * n
        e = [a - b for a, b in zip(wanted, q, strict=True)]
        ed = [a - b for a, b in zip(rate, qd, strict=True)]
        pull = [a + b for a, b in zip(_times(kp, full[0], e), _times(kd, full[1], ed), strict=True)]
        model = m if self.model is None else simplify(self.model.bound())
        tau = self.law(model, q, qd, (wanted, rate, acceleration), pull)
        if self.limit is None:
            return tau
        bound = p[sum(sizes) : sum(sizes) + n]
        return [minimum(maximum(x, -b), b) for x, b in zip(tau, bound, strict=True)]

    @abstractmethod
    def law(
        self, m: Mechanism, q: Vector, qd: Vector, goal: tuple[Vector, ...], pull: Vector
    ) -> list[Scalar]:
        """Return the torques of the law from the state, the goal and the pull towards it."""


def _inverse(m: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
    return INVERSE["newton_euler"](m, q, qd, qdd)


def _gravity(m: Mechanism, q: Vector) -> list[Scalar]:
    """Return gravity and joint springs at rest."""
    rest = [0] * m.nv
    return _inverse(m, q, rest, rest)


@dataclass(frozen=True)
class PD(Feedback):
    """tau = Kp (q_d - q) + Kd (q̇_d - q̇) + g(q): PD with gravity compensation."""

    gravity: bool = True

    @property
    def key(self) -> tuple[Any, ...]:
        return (*Feedback.key.fget(self), self.gravity)  # type: ignore[attr-defined]

    def law(
        self, m: Mechanism, q: Vector, qd: Vector, goal: tuple[Vector, ...], pull: Vector
    ) -> list[Scalar]:
        if not self.gravity:
            return list(pull)
        return [a + b for a, b in zip(pull, _gravity(m, q), strict=True)]

    def lyapunov(self, m: Mechanism, q: Any, qd: Any) -> Array:
        """Return V = ½ eᵀ Kp e + ½ q̇ᵀ M q̇, which never increases (6.17), (6.18)."""
        from .compute import evaluate

        e = np.asarray(self.goal, dtype=float) - np.asarray(q, dtype=float)
        kp = self.gains[0]
        kp = np.diag(kp) if kp.ndim == 1 else kp
        kinetic: Array = evaluate(m, "kinetic_energy", q, qd, drives="inertia")
        return 0.5 * np.einsum("...i,ij,...j->...", e, kp, e) + kinetic

    def lyapunov_rate(self, m: Mechanism, q: Any, qd: Any) -> Array:
        """Return V̇ = -q̇ᵀ Kd q̇ (6.16) of the machine under this law, goal at rest."""
        kd = self.gains[1]
        kd = np.diag(kd) if kd.ndim == 1 else kd
        rate = np.asarray(qd, dtype=float)
        return -np.einsum("...i,ij,...j->...", rate, kd, rate)


@dataclass(frozen=True)
class ComputedTorque(Feedback):
    """tau = M(q) (q̈_d + Kd ė + Kp e) + h(q, q̇): resolved acceleration, the error linear."""

    def law(
        self, m: Mechanism, q: Vector, qd: Vector, goal: tuple[Vector, ...], pull: Vector
    ) -> list[Scalar]:
        asked = [a + b for a, b in zip(goal[2], pull, strict=True)]
        return _inverse(m, q, qd, asked)


@dataclass(frozen=True)
class FeedForward(Feedback):
    """tau = model(q_d, q̇_d, q̈_d) + Kp e + Kd ė: the model runs along the trajectory."""

    def law(
        self, m: Mechanism, q: Vector, qd: Vector, goal: tuple[Vector, ...], pull: Vector
    ) -> list[Scalar]:
        return [a + b for a, b in zip(_inverse(m, *goal), pull, strict=True)]


# -- resolved forms: first the motion that is wanted, then the forces for it (remark 4.2) ----------


def resolved_acceleration(
    m: Mechanism, q: Any, alpha: Any, alpha_dot: Any, steer: Any = (), steer_rate: Any = ()
) -> Array:
    """Return the forces on the speeds that make α̇ what is asked: τ = D (α̇ - g0), (4.11)-(4.15).

    Luh, Walker and Paul (1980). Gravity is in g0: τ is what motors and traction add.
    """
    from .compute import evaluate

    D = evaluate(m, "kane_D", q, steer)
    own = evaluate(m, "kane_g0", q, alpha, steer, steer_rate)
    return np.einsum("...ij,...j->...i", D, np.asarray(alpha_dot, dtype=float) - own)


def resolved_velocity(
    m: Mechanism,
    q: Any,
    alpha: Any,
    wanted: Any,
    gain: Any,
    steer: Any = (),
    steer_rate: Any = (),
) -> Array:
    """Return the forces on the speeds that bring α to a wanted value: α̇ = K (α_d - α).

    Whitney (1982): the speeds themselves are the control.
    """
    speeds = np.asarray(alpha, dtype=float)
    K = _gain(gain, speeds.shape[-1], "gain")
    gap = np.asarray(wanted, dtype=float) - speeds
    asked = K * gap if K.ndim == 1 else np.einsum("ij,...j->...i", K, gap)
    return resolved_acceleration(m, q, speeds, asked, steer, steer_rate)


def joint_rates(m: Mechanism, q: Any, v: Any, frame: str | None = None) -> Array:
    """Return q̇ = J_n⁻¹ v of a frame's velocity in its own axes (6.4, E3.7); resolved rates."""
    check_cartesian(m, q, frame)
    J = cartesian_jacobian(m, q, frame=frame)
    return np.linalg.solve(J, np.asarray(v, dtype=float)[..., None])[..., 0]


def joint_accelerations(m: Mechanism, q: Any, qd: Any, vd: Any, frame: str | None = None) -> Array:
    """Return q̈ = J_n⁻¹ (v̇ - J̇_n q̇) of a frame's acceleration in its own axes (6.5)."""
    turned = cartesian_jacobian(m, q, qd, frame=frame) @ np.asarray(qd, dtype=float)[..., None]
    return joint_rates(m, q, np.asarray(vd, dtype=float) - turned[..., 0], frame)


__all__ = [
    "ComputedTorque",
    "FeedForward",
    "Feedback",
    "PD",
    "joint_accelerations",
    "joint_rates",
    "resolved_acceleration",
    "resolved_velocity",
]
