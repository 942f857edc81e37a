"""Control laws that are compiled with the model: `simulate(m, ..., torque=law)`.

PD with gravity compensation (DeSantis 1996, 6.11-6.18), computed torque (resolved acceleration) and
feed-forward of the model along a trajectory, independent joint control. Gains, goals and
trajectories are data of the kernel: changing them compiles nothing.

The goal holds the coordinates of all joints, with closed loops and wheels those of the motors.
Gains are per velocity variable, or by joint name, as the goal may be; orientations are compared on
their group (`goal.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algorithms.drives import Drives, check_drives
from ..compute import neutral
from ..compute.counted import counted
from ..compute.model import model_of
from ..door import doors
from ..errors import UsageError, shown
from ..expr import Scalar, maximum, minimum
from ..joint import Vector
from ..mechanism import Mechanism, is_closed, is_rolling, joint_name
from ..mechanism.motors import tree_motors
from ..plan import LoopPlan
from ..plan.loops import motor_coordinates, no_motor
from ..reframe import simplify
from ..runtime.signal import Signal
from .gains import by_name, gain_of, limit_of, times
from .goal import Aim, aim
from .model import Model, at_motors, spread, unheld
from .stated import Stated, check_model

Array = np.ndarray


def require_motors(m: Mechanism) -> None:
    """Raise UsageError where loops, wheels or constraints leave no motor that was not named."""
    if not m.active and (m.loops or is_rolling(m)):
        raise no_motor(m, "", "with loops or wheels")


def _some_motors(m: Mechanism) -> tuple[str, ...] | None:
    """Return the joints of a tree that have a motor; None where all have."""
    own = tree_motors(m)
    if not own and m.nv:
        raise UsageError(
            "no joint has a motor: the law has nothing to push",
            hint='active = ["..."] names the motors',
        )
    moving = sum(1 for b in m.bodies if b.joint.nv)
    return None if len(own) == moving else tuple(joint_name(m.bodies[j]) for j in own)


@dataclass(frozen=True)
class Feedback(ABC):
    """What the laws share: a goal or a trajectory, gains, the model they believe in, saturation.

    `model` is the mechanism of the law, by default the one that is simulated; or equations, whose
    joints are found by name; a joint that is frozen in them is pulled to its goal all the same.
    `drives` says what the model counts, as in the quantities: what the simulation counts, if it is
    not given, thus friction too. A law that reads measured speeds rounds dry friction off near zero
    speed (T_c q̇ / sqrt(q̇² + v²), v = 1e-3 rad/s or m/s): a jump there would never settle.
    """

    goal: Any = None  # coordinates; or a trajectory with .signal
    kp: Any = 0.0
    kd: Any = 0.0
    model: Any = field(default=None, repr=False)
    limit: Any = None  # largest force of each joint
    size: int = field(default=-1, repr=False, kw_only=True)  # number of forces; -1: one per column
    plan: LoopPlan | None = field(default=None, repr=False, kw_only=True)
    motors: tuple[str, ...] | None = field(default=None, repr=False, kw_only=True)
    drives: Drives | None = field(default=None, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        law = type(self).__name__
        for name in ("goal", "kp", "kd"):
            given = getattr(self, name)
            if isinstance(given, Mechanism) or (name != "goal" and hasattr(given, "times")):
                raise UsageError(
                    f"{law}: {name} is a {type(given).__name__}",
                    hint=f"{law}(goal=move, kp=100, kd=20, model=m); simulate(m, torque=law)",
                )
        if self.model is not None:
            object.__setattr__(self, "model", model_of(self.model, type(self).__name__))
        if self.drives is not None:
            check_drives(self.drives)

    def __repr__(self) -> str:
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.repr}
        own = ", ".join(f"{name} {x}" for name, x in given.items() if x is not None)
        return f"<{type(self).__name__}: {own}>"

    def placed(
        self, m: Mechanism, plan: LoopPlan | None = None, drives: Drives = "all"
    ) -> Feedback:
        """Return the law for a mechanism; `plan` says how its loops are solved.

        `drives` is what the simulation counts: the law does too, unless it was told otherwise.
        """
        require_motors(m)
        if self.model is not None:
            check_model(self.model, m)
        if is_closed(m):
            if plan is None:
                raise UsageError("a law of closed loops needs their plan")
            motor_coordinates(m, plan)
            names = [m.rate_names[k] for k in plan.motors]
            wanted, size, what, motors = len(names), len(names), "motors", None
        else:
            names, motors = list(m.rate_names), _some_motors(m)
            wanted, size, what = m.nq, m.nv, "coordinates"
        given = self._by_number(m, names)
        if given.n != wanted:
            raise UsageError(
                f"the law is for {given.n} {what}, the mechanism has {wanted}",
                hint=f"the goal holds {wanted} numbers per moment, or is {{joint: number}}",
            )
        own: dict[str, Any] = {"motors": motors, "drives": self.drives or drives}
        return replace(given, size=size, plan=plan if is_closed(m) else None, **own)

    def _by_number(self, m: Mechanism, names: Sequence[str]) -> Feedback:
        """Return the law with goal, gains and limits that were given by joint name as rows."""
        made: dict[str, Any] = {}
        for what in ("kp", "kd", "limit"):
            value = getattr(self, what)
            if isinstance(value, Mapping):
                other = np.inf if what == "limit" else 0.0
                made[what] = by_name(value, names, what, dict.fromkeys(names, other))
        if isinstance(self.goal, Mapping):
            own = names if is_closed(m) else m.coordinate_names
            led = {joint_name(m.bodies[j]) for j in tree_motors(m)}
            owners = [joint_name(b) for b in m.bodies for _ in range(b.joint.nq)]
            parts = zip(m.coordinate_names, owners, neutral(m), strict=True)
            rest = {n: float(x) for n, owner, x in parts if owner not in led}
            made["goal"] = by_name(self.goal, own, "goal", {} if is_closed(m) else rest)
        return replace(self, **made) if made else self

    def notes(self, m: Mechanism, q: Any) -> tuple[str, ...]:
        """Return what the law says of itself at the pose where it begins."""
        known = m if self.model is None else self.model
        told = (*counted(known, self.drives), *self._blind())
        return tuple(f"{type(self).__name__} law: {n}" for n in told)

    def _blind(self) -> tuple[str, ...]:
        """Return a note on a law whose gains are all zero, as they are where none were given."""
        return () if any(map(np.any, self.gains)) else ("kp and kd are 0: no error is corrected",)

    @cached_property
    def moving(self) -> Signal | None:
        """The trajectory's q, q̇, q̈ as one signal; None for a fixed goal."""
        own = getattr(self.goal, "signal", self.goal)
        if not isinstance(own, Signal):
            return None
        first, last = own.breaks[[0, -1]]
        if np.any(own.derivative()([first, last])):  # it ends in motion, and is held from there on
            own = own.spanning(first - 1.0, last + 1.0)
        rate = own.derivative()
        return own.beside(rate, rate.derivative())

    def wanted(self, m: Mechanism, t: Array) -> Array:
        """Return the coordinates that the law aims at, NaN where it aims at none: (..., times, nq).

        `t` are times; the law must be placed on the mechanism.
        """
        if self.moving is not None:
            goal = np.asarray(self.moving(t))[..., : self.n]
        else:
            fixed = np.asarray(self.goal, dtype=float)[..., None, :]
            goal = np.broadcast_to(fixed, (*fixed.shape[:-2], len(t), self.n))
        out = np.full((*goal.shape[:-1], m.nq), np.nan)
        out[..., list(range(m.nq)) if self.plan is None else motor_coordinates(m, self.plan)] = goal
        if self.motors is not None:
            owners = [joint_name(b) for b in m.bodies for _ in range(b.joint.nq)]
            out[..., [n not in self.motors for n in owners]] = np.nan
        return out

    @cached_property
    def n(self) -> int:
        """The number of coordinates of the goal."""
        if self.moving is not None:
            return self.moving.size // 3
        if self.goal is None:
            raise UsageError("a control law needs a goal", hint="goal=[...] or a trajectory")
        return int(np.shape(self.goal)[-1])

    @property
    def asks(self) -> bool:
        """Whether the law asks its model for forces."""
        return True

    @property
    def forces(self) -> int:
        """The number of forces."""
        return self.n if self.size < 0 else self.size

    @cached_property
    def gains(self) -> tuple[Array, Array]:
        """Kp and Kd as vectors or matrices."""
        return gain_of(self.kp, self.forces, "kp"), gain_of(self.kd, self.forces, "kd")

    @property
    def signal(self) -> Signal | None:
        """The signal that the compiled law reads; None for a fixed goal."""
        return self.moving

    @cached_property
    def settings(self) -> Array:
        """Gains, limits and a fixed goal: the data of the compiled law."""
        parts = [g.ravel() for g in self.gains]
        if self.limit is not None:
            parts.append(limit_of(self.limit, self.forces))
        gains = np.concatenate(parts)
        if self.moving is not None:
            return gains
        goal = np.asarray(self.goal, dtype=float)
        if not np.isfinite(goal).all():
            raise UsageError("goal holds a number that is not finite", hint="look for nan, inf")
        return np.concatenate(
            [np.broadcast_to(gains, (*goal.shape[:-1], len(gains))), goal], axis=-1
        )

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the compiled code of the law; gains and goals do not."""
        forms = tuple(np.ndim(g) for g in self.gains)
        model = None if self.model is None else (self.model.digest, repr(self.model.values))
        moving, bounded = self.moving is not None, self.limit is not None
        placed = (self.size, self.plan, self.motors, self.drives)
        return (type(self).__name__, self.n, forms, moving, bounded, model, *placed)

    def torque(
        self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, u: Vector, p: Vector
    ) -> Sequence[Scalar]:
        """Return the forces at a state, over any scalar."""
        n, size = self.n, self.forces
        full = [np.ndim(g) == 2 for g in self.gains]
        sizes = [size * size if f else size for f in full]
        kp, kd = p[: sizes[0]], p[sizes[0] : sum(sizes)]
        if self.moving is not None:
            goal = self._aim(m, q, qd, u[:n], u[n : 2 * n], u[2 * n : 3 * n])
        else:
            goal = self._aim(m, q, qd, p[-n:], [0] * n, [0] * n)
        parts = zip(times(kp, full[0], goal.e), times(kd, full[1], goal.ed), strict=True)
        pull = at_motors(m, self.motors, [a + b for a, b in parts])
        tau = at_motors(m, self.motors, self.law(self._model(m), q, qd, goal, pull))
        if self.limit is not None:
            bound = p[sum(sizes) : sum(sizes) + size]
            tau = [minimum(maximum(x, -b), b) for x, b in zip(tau, bound, strict=True)]
        if self.plan is not None and is_rolling(m):
            return [*spread(m, self.plan, tau), *([0] * len(m.wheels))]
        return tau

    def _aim(self, m: Mechanism, q: Vector, qd: Vector, *goal: Vector) -> Aim:
        if self.plan is None:
            return aim(m, q, qd, *goal)
        e = [a - q[k] for a, k in zip(goal[0], motor_coordinates(m, self.plan), strict=True)]
        ed = [a - qd[k] for a, k in zip(goal[1], self.plan.motors, strict=True)]
        return Aim(e, ed, list(goal[2]), *(list(x) for x in goal))

    def _model(self, m: Mechanism) -> Model:
        counts: Drives = self.drives or "all"
        if self.model is None:
            return Model(m, self.plan, self.motors, counts)
        own = replace(self.model.bound(), told=m.told, checked=True)
        if own.form is not None:
            return Stated(own, self.plan, self.motors, counts, m.joint_names)
        whole = own.springs or own.followers or self.plan
        return Model(own if whole else simplify(own), self.plan, self.motors, counts)

    @abstractmethod
    def law(self, model: Model, q: Vector, qd: Vector, goal: Aim, pull: Vector) -> list[Scalar]:
        """Return the torques of the law from the state, the goal and the pull towards it."""


@doors("__init__", "lyapunov", "lyapunov_rate")
@dataclass(frozen=True, repr=False)
class PD(Feedback):
    """tau = Kp (q_d - q) + Kd (q̇_d - q̇) + g(q): PD with gravity compensation.

    >>> import dalembert as da
    >>> m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    >>> law = da.control.PD(goal=[0.5], kp=100, kd=20)
    >>> da.simulate(m, [0.0], t=[0.0, 2.0], torque=law).q[-1].round(6).tolist()
    [0.5]
    """

    gravity: bool = True

    @property
    def asks(self) -> bool:
        """Whether the law asks its model for forces: those of gravity."""
        return self.gravity

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the compiled code of the law."""
        return (*Feedback.key.fget(self), self.gravity)  # type: ignore[attr-defined]

    def law(self, model: Model, q: Vector, qd: Vector, goal: Aim, pull: Vector) -> list[Scalar]:
        """Return the pull, with what holds the machine against gravity."""
        if not self.gravity:
            return list(pull)
        return [a + b for a, b in zip(pull, model.gravity(q), strict=True)]

    def notes(self, m: Mechanism, q: Any) -> tuple[str, ...]:
        """Return which joints gravity compensation does not hold: those that no motor moves."""
        told = tuple(f"PD law: {n}" for n in self._blind())
        left = unheld(m, self.plan, self.motors, q) if self.gravity else ()
        if not left:
            return told
        names = ", ".join(map(shown, left[:8]))
        return (*told, f"gravity compensation does not hold {names}: no motor")

    def lyapunov(self, m: Mechanism, q: Any, qd: Any) -> Array:
        """Return V = ½ eᵀ Kp e + ½ q̇ᵀ M q̇, which never increases (6.17), (6.18).

        >>> import dalembert as da
        >>> m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
        >>> float(da.control.PD(goal=[0.5], kp=100, kd=20).lyapunov(m, [0.0], [0.0]))
        12.5
        """
        from ..compute import evaluate

        if is_closed(m) or m.nq != m.nv:
            raise UsageError("this V is that of trees whose joints have no quaternions")
        e = np.asarray(self.goal, dtype=float) - np.asarray(q, dtype=float)
        kp = self.gains[0]
        kp = np.diag(kp) if kp.ndim == 1 else kp
        kinetic: Array = evaluate(m, "kinetic_energy", q, qd, drives="inertia")
        return 0.5 * np.einsum("...i,ij,...j->...", e, kp, e) + kinetic

    def lyapunov_rate(self, m: Mechanism, q: Any, qd: Any) -> Array:
        """Return V̇ = -q̇ᵀ Kd q̇ (6.16) of the machine under this law, goal at rest.

        >>> import dalembert as da
        >>> m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
        >>> float(da.control.PD(goal=[0.5], kp=100, kd=20).lyapunov_rate(m, [0.0], [1.0]))
        -20.0
        """
        kd = self.gains[1]
        kd = np.diag(kd) if kd.ndim == 1 else kd
        rate = np.asarray(qd, dtype=float)
        return -np.einsum("...i,ij,...j->...", rate, kd, rate)


@doors("__init__")
@dataclass(frozen=True, repr=False)
class ComputedTorque(Feedback):
    """tau = M(q) (q̈_d + Kd ė + Kp e) + h(q, q̇): resolved acceleration, the error linear.

    >>> import dalembert as da
    >>> m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    >>> law = da.control.ComputedTorque(goal=[0.5], kp=100, kd=20)
    >>> da.simulate(m, [0.0], t=[0.0, 2.0], torque=law).q[-1].round(6).tolist()
    [0.5]
    """

    def law(self, model: Model, q: Vector, qd: Vector, goal: Aim, pull: Vector) -> list[Scalar]:
        """Return the forces of the model for the acceleration asked."""
        asked = [a + b for a, b in zip(goal.ahead, pull, strict=True)]
        return model.filled(model.smooth.inverse(q, qd, model.led(asked)), pull)


@doors("__init__")
@dataclass(frozen=True, repr=False)
class FeedForward(Feedback):
    """tau = model(q_d, q̇_d, q̈_d) + Kp e + Kd ė: the model runs along the trajectory.

    >>> import dalembert as da
    >>> m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    >>> move = da.trajectory.quintic([0.0], [0.5], 1.0)
    >>> law = da.control.FeedForward(goal=move, kp=100, kd=20)
    >>> da.simulate(m, [0.0], t=[0.0, 2.0], torque=law).q[-1].round(6).tolist()
    [0.5]
    """

    def law(self, model: Model, q: Vector, qd: Vector, goal: Aim, pull: Vector) -> list[Scalar]:
        """Return the forces of the goal's own motion, and the pull towards it."""
        return [a + b for a, b in zip(model.along(q, goal), pull, strict=True)]
