"""What is measured of a design: one row per measure, name -> columns of numbers.

`peak`, `rms`, `power` have a column for each motor and one for the largest; any quantity of the
catalog may be asked with a reduction over the task: `kinetic_energy:max`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..catalog import QUANTITIES, quantity
from ..compute import arrays_of, evaluate
from ..compute.bounds import most as most_of
from ..compute.certified import certified
from ..compute.slower import largest_share
from ..errors import DalembertError, Place, UsageError, closest, shown
from ..measure.motion import NO_FORCE
from ..mechanism import Mechanism, is_closed
from ..mechanism.motors import tree_motors
from .follow import drives
from .task import TaskMotion

Array = np.ndarray
REDUCTIONS: Mapping[str, Callable[[Array], Array]] = {
    "max": lambda x: np.max(x, axis=1),
    "min": lambda x: np.min(x, axis=1),
    "mean": lambda x: np.mean(x, axis=1),
    "rms": lambda x: np.sqrt(np.mean(x**2, axis=1)),
    "norm": lambda x: np.sqrt(np.sum(x**2, axis=1)),
    "peak": lambda x: np.max(np.abs(x), axis=1),
    "last": lambda x: x[:, -1],
}


@dataclass
class Room:
    """Memory for one trial after the other: asking the system for it each time costs as much."""

    arrays: dict[str, Array] = field(default_factory=dict)

    def get(self, name: str, shape: tuple[int, ...]) -> Array:
        """Return an array to write to."""
        old = self.arrays.get(name)
        if old is None or old.shape[1:] != shape[1:] or len(old) < shape[0]:
            old = self.arrays[name] = np.empty(shape)
        return old[: shape[0]]


@dataclass
class Trial:
    """Some designs doing the task: forces are computed when first asked for."""

    m: Mechanism
    designs: dict[str, Array]
    motion: TaskMotion
    room: Room = field(default_factory=Room)
    share: float = NO_FORCE  # of the largest term: what a joint without a motor may seem to need

    def __post_init__(self) -> None:
        self._tau: Array | None = None
        self.lost = np.zeros(len(self.motion.reason), dtype=bool)
        self.helpless = self.lost.copy()  # a joint without a motor would need a force

    @property
    def wide(self) -> dict[str, Array]:
        """The parameters, with a dimension for the samples."""
        return {n: x[:, None] for n, x in self.designs.items()}

    @property
    def forces(self) -> tuple[str, ...]:
        """The names of the forces."""
        if is_closed(self.m):
            return self.m.active
        return tuple(self.m.rate_names[k] for k in self.powered)

    @cached_property
    def powered(self) -> list[int]:
        """The rates of which forces count: of the motors, where some are named, or of all."""
        if is_closed(self.m) or not self.m.active:
            return drives(self.m)
        return [k for j in tree_motors(self.m) for k in self.m.rates_of(j)]

    @property
    def tau(self) -> Array:
        """Forces of the motors, (designs, samples, motors), friction counted."""
        if self._tau is None:
            x = self.motion
            if is_closed(self.m):
                self._tau = self.sure("inverse_dynamics", x.q, x.qd, x.qdd, drives="all")
            else:
                out = self.room.get("tau", (len(x.reason), *x.qd.shape[1:]))
                made = evaluate(self.m, "inverse_dynamics", x.q, x.qd, x.qdd, drives="all",
                                parameters=self.wide, check=False, out=out)  # fmt: skip
                self._tau = made if len(self.powered) == self.m.nv else self._of_motors(made)
        return self._tau

    def look(self) -> None:
        """See whether joints without a motor need a force, whatever is measured."""
        if not is_closed(self.m) and len(self.powered) < self.m.nv:
            _ = self.tau

    def _of_motors(self, tau: Array) -> Array:
        """Return the forces of the motors of a tree; other joints must need none."""
        sizes, joints = np.abs(tau).max(axis=1), self.m.rate_joints
        others = [k for k, n in enumerate(joints)
                  if k not in self.powered and n not in self.m.prescribed]  # fmt: skip
        found = (sizes[:, others] > self.share * sizes.max(axis=1, keepdims=True)).any(axis=1)
        if found.any():  # where all forces are rounding, the terms of their sum are not
            x = self.motion
            terms = largest_terms(self.m, x.q, x.qd, tau, parameters=self.wide, check=False)
            found = (sizes[:, others] > self.share * terms[:, None]).any(axis=1)
        self.helpless |= found
        return tau[..., self.powered]

    def sure(self, name: str, *inputs: Array, **options: Any) -> Array:
        """Return a quantity along the task; designs without a certain answer are `lost`."""
        made, lost = certified(self.m, name, *inputs, designs=self.designs, **options)
        self.lost |= lost
        return np.asarray(arrays_of(made)[0])

    def sizes(self, other: Array | None = None) -> Array:
        """Return |tau|, or |tau times something|; it lasts until it is asked for again."""
        room = self.room.get("sizes", self.tau.shape)
        if other is None:
            return np.abs(self.tau, out=room)
        return np.abs(np.multiply(self.tau, other, out=room), out=room)

    def mean(self, x: Array) -> Array:
        """Return means over time, by the trapezoidal rule, of (designs, samples, motors)."""
        h = np.diff(self.motion.t)
        weight = (np.append(h, 0.0) + np.append(0.0, h)) / (2 * h.sum())
        return np.asarray(np.einsum("k,dkm->dm", weight, x))

    @property
    def speed(self) -> Array:
        """Speeds of the motors."""
        rates = self.motion.qd
        return rates if len(self.powered) == self.m.nv else rates[..., self.powered]


def largest_terms(m: Mechanism, q: Array, qd: Array, tau: Array, **given: Any) -> Array:
    """Return the largest of the forces, of those at rest and of those at constant rates.

    The last two dimensions are samples and joints. It is the scale of what is rounding in `tau`.
    """
    still = np.zeros_like(qd)
    made = [
        evaluate(m, "inverse_dynamics", q, v, still, drives="all", **given) for v in (still, qd)
    ]
    parts = [np.abs(np.asarray(x)).max(axis=(-2, -1)) for x in (tau, *made)]
    return np.asarray(np.maximum(parts[0], np.maximum(*parts[1:])))


def _each(name: str, trial: Trial, values: Array) -> dict[str, Array]:
    """Return one column per motor, and the largest."""
    out = {f"{name}.{n}": values[:, k] for k, n in enumerate(trial.forces)}
    return {**out, name: values.max(axis=1)}


def _largest(x: Array) -> Array:
    """Return the largest of the samples, (designs, motors); x is overwritten.

    One half over the other, again and again: its runs are longer than those of `max(axis=1)`.
    """
    count = x.shape[1]
    while count > 1:
        half = (count + 1) // 2
        np.maximum(x[:, : count - half], x[:, half:count], out=x[:, : count - half])
        count = half
    return x[:, 0].copy()


def _peak(trial: Trial) -> dict[str, Array]:
    return _each("peak", trial, _largest(trial.sizes()))


def _rms(trial: Trial) -> dict[str, Array]:
    return _each("rms", trial, np.sqrt(trial.mean(trial.sizes(trial.tau))))


def _power(trial: Trial) -> dict[str, Array]:
    return _each("power", trial, _largest(trial.sizes(trial.speed)))


def _energy(trial: Trial) -> dict[str, Array]:
    """Return the work that motors give and take, without feeding back: ∫ Σ |τ q̇| dt."""
    t = trial.motion.t
    return {"energy": trial.mean(trial.sizes(trial.speed)).sum(axis=1) * (t[-1] - t[0])}


def _slower(trial: Trial) -> dict[str, Array]:
    """Return how many times slower the task must be to keep the limits of force and speed."""
    x, at = trial.motion, trial.powered
    effort = most_of(trial.m, "effort_limit", trial.designs)[:, None, at]
    fastest = most_of(trial.m, "velocity_limit", trial.designs)[:, None, :]
    with np.errstate(all="ignore"):  # at rest no speed is too fast, not even for a limit of zero
        fast = np.fmax.reduce(np.abs(x.qd) / fastest, axis=(1, 2), initial=1.0)
    most = np.broadcast_to(1 / fast, x.reason.shape)
    # designs that keep their limits need nothing else
    slow = (trial.sizes() > effort).any(axis=(1, 2)) | (most < 1)
    share = np.ones(len(most))
    if slow.any():
        some = {n: v[slow] for n, v in trial.designs.items()}
        own = [v[slow] if len(v) > 1 else v for v in (x.q, x.qd, x.qdd)]

        def force(s: Array) -> Array:
            k = s[:, None, None]
            q = np.broadcast_to(own[0], (len(s), *own[0].shape[1:]))
            made, _ = certified(trial.m, "inverse_dynamics", q, k * own[1], k * k * own[2],
                                designs=some, drives="all")  # fmt: skip
            return np.asarray(made) if is_closed(trial.m) else np.asarray(made)[..., at]

        own_effort = effort[slow] if len(effort) > 1 else effort
        share[slow] = largest_share(force, own_effort, most[slow])
    with np.errstate(divide="ignore"):
        return {"slower": 1 / share}


def _reach(trial: Trial) -> dict[str, Array]:
    """Return the largest distance of the last frame from the base along the task."""
    frame = trial.m.end_frame
    p = trial.sure("pose", trial.motion.q, frame=frame)
    return {"reach": np.linalg.norm(p[..., :3, 3], axis=-1).max(axis=1)}


def _mass(trial: Trial) -> dict[str, Array]:
    from .study import evaluated_number

    count = len(next(iter(trial.designs.values())))
    total = np.zeros(count)
    for body in trial.m.bodies:
        total = total + evaluated_number(body.m, trial.m, trial.designs)
    return {"mass": total}


def _frequency(trial: Trial) -> dict[str, Array]:
    """Return the lowest natural frequency at the first pose, Hz; NaN without springs."""
    from .modes import lowest_frequency

    return {"frequency": lowest_frequency(trial.m, trial.designs, trial.motion.q[:, 0])}


MEASURES: Mapping[str, Callable[[Trial], dict[str, Array]]] = {
    "peak": _peak,
    "rms": _rms,
    "energy": _energy,
    "power": _power,
    "slower": _slower,
    "reach": _reach,
    "mass": _mass,
    "frequency": _frequency,
}


def checked_measures(m: Mechanism, given: Any, where: Place | None) -> list[str]:
    """Return the measures, each known; a quantity is asked with a reduction."""
    names = [given] if isinstance(given, str) else list(given or ())
    if not names or not all(isinstance(n, str) for n in names):
        raise UsageError("measures are names", where, hint=", ".join(MEASURES))
    for name in names:
        if name in MEASURES:
            if (
                is_closed(m)
                and not m.active
                and name in ("peak", "rms", "energy", "power", "slower")
            ):
                raise UsageError(
                    f"{name} needs motors, and none is named", where, hint='active = ["crank"]'
                )
            continue
        what, colon, how = name.partition(":")
        if not colon:
            raise UsageError(
                f"measure {shown(name)!r} is not known", where,
                hint=closest(name, MEASURES) if name not in QUANTITIES else
                f"a quantity needs a reduction: {name}:max",
            )  # fmt: skip
        if how not in REDUCTIONS:
            raise UsageError(
                f"reduction {shown(how)!r} is not known", where, hint=closest(how, REDUCTIONS)
            )
        try:
            row = quantity(what, m)
        except DalembertError as error:
            raise UsageError(error.message, where, hint=error.hint) from None
        if not set(row.inputs) <= {"q", "qd", "qdd"}:
            raise UsageError(f"{what} is not a quantity of q, qd and qdd", where)
    return names


def measured(name: str, trial: Trial) -> dict[str, Array]:
    """Return the columns of one measure."""
    if name in MEASURES:
        return MEASURES[name](trial)
    what, _, how = name.partition(":")
    row = quantity(what, trial.m)
    x = trial.motion
    inputs = [{"q": x.q, "qd": x.qd, "qdd": x.qdd}[n] for n in row.inputs]
    options = {"frame": trial.m.end_frame} if "frame" in row.options else {}
    made = trial.sure(what, *inputs, **options)
    flat = made.reshape(*made.shape[:2], -1)
    reduced = REDUCTIONS[how](np.broadcast_to(flat, (len(trial.motion.reason), *flat.shape[1:])))
    if reduced.shape[1] == 1:
        return {name: reduced[:, 0]}
    return {f"{name}.{k + 1}": reduced[:, k] for k in range(reduced.shape[1])}
