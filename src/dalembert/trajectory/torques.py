"""Forces along a trajectory, part by part, beside what the joints can give.

The design question of the 1980 report, section 1.1: is the task executable, and if not, what must
change? `torques_along` answers with peaks, RMS values, powers, and the limits that are exceeded.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..catalog.loops import is_closed
from ..compute import evaluate
from ..errors import ParameterError, UsageError, shown
from ..expr.exact import to_float
from ..mechanism import Mechanism, joint_name, require_mechanism
from ..plan import planned
from ..simulate.plot import figure, lines, save
from ..simulate.result import column_names
from .joint import Trajectory
from .paths import joint_limits

Array = np.ndarray
PARTS = ("static", "inertial", "coriolis", "centrifugal", "friction", "wrench")


@dataclass(frozen=True)
class Excess:
    """A limit that the motion passes: the largest value, when, and the limit."""

    joint: str
    what: str  # "force", "speed", "lower position", "upper position"
    value: float
    limit: float
    time: float

    @property
    def by(self) -> float:
        """How far beyond the limit, in its unit."""
        beyond = self.value - self.limit
        return abs(beyond) if "position" in self.what else abs(self.value) - abs(self.limit)

    def __str__(self) -> str:
        share = f" ({100 * self.by / abs(self.limit):.0f} %)" if self.limit else ""
        return (
            f"{self.joint}: {self.what} {self.value:.6g} passes {self.limit:.6g} "
            f"by {self.by:.4g}{share} at t = {self.time:.4g} s"
        )


@dataclass(frozen=True)
class Torques:
    """Forces of the joints (of the motors, with closed loops) along a motion; rows are times."""

    m: Mechanism = field(repr=False)
    names: tuple[str, ...]
    t: Array = field(repr=False)
    q: Array = field(repr=False)
    qd: Array = field(repr=False)
    qdd: Array = field(repr=False)
    tau: Array = field(repr=False)
    parts: dict[str, Array] = field(repr=False)  # PARTS, whose sum is tau
    speed: Array = field(repr=False)  # of the joints that `names` lists
    exceeded: tuple[Excess, ...] = ()
    effort: Array | None = field(default=None, repr=False)  # limits of the forces, infinite if open
    fastest: Array | None = field(default=None, repr=False)  # limits of the speeds, the same

    @property
    def slower(self) -> float:
        """How many times longer the same path must take to keep the limits of force and speed.

        1 where they are kept, infinite where rest alone passes a limit. Friction is held at what it
        is at full speed.
        """
        moving = sum(
            (self.parts[n] for n in ("inertial", "coriolis", "centrifugal")), 0.0 * self.tau
        )
        rest, room = self.tau - moving, 1.0
        if self.effort is not None and len(self.t):
            with np.errstate(divide="ignore", invalid="ignore"):
                # rest + x moving lies within the limits, x the square of the new speed over the old
                x = np.where(moving > 0, self.effort - rest, -self.effort - rest) / moving
            x = np.where(moving == 0, np.where(np.abs(rest) > self.effort, 0.0, np.inf), x)
            room = max(0.0, min(room, float(x.min(initial=1.0))))
        times = float(1 / np.sqrt(room)) if room > 0 else np.inf
        if self.fastest is not None:
            times = max(times, float((np.abs(self.qd) / self.fastest).max(initial=1.0)))
        return times

    @property
    def executable(self) -> bool:
        """Whether no limit is passed."""
        return not self.exceeded

    @property
    def peak(self) -> Array:
        """Largest force of each joint, N or N m."""
        return np.abs(self.tau).max(axis=0)

    @property
    def rms(self) -> Array:
        """The root mean square of each force over the motion."""
        return _rms(self.t, self.tau)

    @property
    def power(self) -> Array:
        """Mechanical power of each joint at each time, W."""
        return self.tau * self.speed

    @property
    def peak_power(self) -> Array:
        """The largest power of each force, whatever its sign (W)."""
        return np.abs(self.power).max(axis=0)

    @property
    def energy(self) -> Array:
        """Work of each joint up to each time, J."""
        p, h = self.power, np.diff(self.t)[:, None]
        return np.concatenate([np.zeros((1, p.shape[1])), np.cumsum((p[1:] + p[:-1]) / 2 * h, 0)])

    def share(self, *names: str) -> Array:
        """Return the RMS of some parts over the RMS of the whole force, per joint."""
        some = sum((self.parts[n] for n in names), np.zeros_like(self.tau))
        return _rms(self.t, some) / np.maximum(self.rms, 1e-300)

    def summary(self) -> str:
        """Return a table, and what is exceeded."""
        w = max(16, *(len(n) + 2 for n in self.names))
        rows = [f"{'joint':<{w}}{'peak':>12}{'rms':>12}{'peak power':>12}"]
        columns = zip(self.names, self.peak, self.rms, self.peak_power, strict=True)
        rows += [f"{n:<{w}}{p:>12.4g}{r:>12.4g}{x:>12.4g}" for n, p, r, x in columns]
        rows += [str(e) for e in self.exceeded] or ["no limit is passed"]
        if any("position" not in e.what for e in self.exceeded):
            times = self.slower
            rows.append(
                f"{times:.4g} times slower, the motion keeps the limits of force and speed"
                if np.isfinite(times)
                else "no slower motion keeps the limits: they are passed at rest"
            )
        return "\n".join(rows)

    def to_csv(self, path: str | Path) -> None:
        """Write t, q, qd, qdd and every part of the force with a header line."""
        names = ["t", *(n for k in ("q", "qd", "qdd") for n in column_names(self.m, k))]
        table = [self.t[:, None], self.q, self.qd, self.qdd]
        for kind, values in {"tau": self.tau, **self.parts}.items():
            names += [f"{kind}.{n}" for n in self.names]
            table.append(values)
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows([[repr(float(x)) for x in r] for r in np.concatenate(table, axis=1)])

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure with a panel per joint: the force and its parts."""
        acting = [p for p in PARTS if np.abs(self.parts[p]).max(initial=0.0) > 0]
        made, panels = figure(len(self.names), f"{self.m.name}: forces along the motion")
        for k, (name, panel) in enumerate(zip(self.names, panels, strict=True)):
            columns = np.stack([self.tau[:, k], *(self.parts[p][:, k] for p in acting)], axis=1)
            lines(panel, self.t, columns, ["tau", *acting], f"{name}  [N m, N]")
        return save(made, path)


def _rms(t: Array, x: Array) -> Array:
    if len(t) < 2:
        return np.abs(x[0])
    h = np.diff(t)[:, None]
    return np.sqrt(((x[1:] ** 2 + x[:-1] ** 2) / 2 * h).sum(axis=0) / (t[-1] - t[0]))


def torques_along(
    m: Mechanism,
    trajectory: Any,
    t: Any = None,
    *,
    wrench_on_environment: Any = None,
    drives: Any = "all",
    start: Any = None,
) -> Torques:
    """Return the forces that a motion needs, in parts, and the limits it passes.

    `trajectory` is a `Trajectory`, or (t, q), (t, q, qd, qdd) as arrays; with closed loops it moves
    the motors, from the branch of the assembled pose `start`. `wrench_on_environment` holds a
    wrench per body, once or for every time. Friction holds damped springs too.

    >>> import dalembert as da
    >>> m = da.load("RZ(), TXK(1); gravity = (0, -9.81, 0); body 1: M = 2, D = (1, 0, 0);")
    >>> f = da.torques_along(m, da.trajectory.quintic([0.0], [1.0], 1.0))
    >>> round(float(f.peak[0]), 3), f.executable
    (31.124, True)
    """
    require_mechanism(m, "torques_along")
    if m.wheels or m.velocity_constraints:
        raise UsageError(
            "forces along a motion under velocity constraints depend on which of them drive",
            hint="use dalembert.kane_tau, or control.resolved_acceleration",
        )
    t, q, qd, qdd = _motion(m, trajectory, t, start)
    # a speed that is rounding of rest has no friction
    qd = np.where(np.abs(qd) < 1e-12 * np.abs(qd).max(initial=0.0), 0.0, qd)
    names, index = _forces(m)
    parts = _parts(m, index, (q, qd, qdd), wrench_on_environment, drives)
    static = parts["static"]
    tau = sum(parts.values(), np.zeros_like(static))
    found = _exceeded(m, names, index, t, q, qd, tau)
    effort, fastest = _limits(m, "effort_limit"), _limits(m, "velocity_limit")
    return Torques(m, names, t, q, qd, qdd, tau, parts, qd[:, index], found, effort[index], fastest)


def _parts(
    m: Mechanism, index: list[int], motion: tuple[Array, ...], wrench: Any, drives: Any
) -> dict[str, Array]:
    """Return the parts of the force along a motion (q, qd, qdd)."""
    q, qd, qdd = motion
    still = m.with_gravity((0, 0, 0))
    zero = np.zeros_like(qd)

    def inverse(of: Mechanism, a: Array, b: Array, kind: Any = "inertia", **given: Any) -> Array:
        return evaluate(of, "inverse_dynamics", q, a, b, drives=kind, **given)

    held = "none" if drives == "none" else "inertia"
    static = inverse(m, zero, zero, held)
    springs = inverse(still, zero, zero, held)
    inertial = inverse(still, zero, qdd, held) - springs

    def squares(rates: Array) -> Array:
        """Return what is quadratic in the rates: damping is odd in them."""
        return (
            inverse(still, rates, zero, held) + inverse(still, -rates, zero, held)
        ) / 2 - springs

    velocity = squares(qd)
    centrifugal = np.zeros_like(velocity)
    for k in index:
        alone = np.zeros_like(qd)
        alone[:, k] = qd[:, k]
        centrifugal += squares(alone)
    parts = {
        "static": static,
        "inertial": inertial,
        "coriolis": velocity - centrifugal,
        "centrifugal": centrifugal,
        "friction": inverse(still, qd, zero, held) - springs - velocity,
    }
    if not (m.elastic or m.springs):
        parts["friction"] = np.zeros_like(static)
    if drives == "all":
        parts["friction"] = parts["friction"] + inverse(m, qd, zero, "all") - inverse(m, qd, zero)
    parts["wrench"] = np.zeros_like(static)
    if wrench is not None:
        w = np.asarray(wrench, dtype=float)
        loaded = inverse(m, zero, zero, held, wrench_on_environment=w)
        parts["wrench"] = loaded - static
    return parts


def _limits(m: Mechanism, name: str) -> Array:
    """Return a limit of every velocity variable, infinite where there is none."""
    values = {k: to_float(v) for k, v in m.values.items()}
    out = np.full(m.nv, np.inf)
    for j, body in enumerate(m.bodies):
        try:
            number = abs(float(to_float(getattr(body, name), values)))
        except (ParameterError, TypeError, ValueError):
            continue
        if np.isfinite(number):
            out[m.velocity_index[j] : m.velocity_index[j] + body.joint.nv] = number
    return out


def _motion(m: Mechanism, trajectory: Any, t: Any, start: Any) -> tuple[Array, Array, Array, Array]:
    """Return times, q, qd, qdd of the whole tree."""
    full = isinstance(trajectory, tuple) and len(trajectory) == 4
    if full:
        made = [np.asarray(x, dtype=float) for x in trajectory]
        t, q, qd, qdd = made
    else:
        if isinstance(trajectory, tuple):
            from .joint import spline

            if len(trajectory) != 2:
                raise UsageError(
                    f"a motion of {len(trajectory)} arrays", hint="give (t, q) or (t, q, qd, qdd)"
                )
            times, points = trajectory
            trajectory = spline(times, points, "natural")
        if not isinstance(trajectory, Trajectory):
            raise UsageError(
                "a trajectory is needed", hint="dalembert.trajectory, (t, q) or (t, q, qd, qdd)"
            )
        t = trajectory.times() if t is None else np.asarray(t, dtype=float)
        q, qd, qdd = trajectory(t), trajectory.qd(t), trajectory.qdd(t)
    if is_closed(m):
        return (t, *_closed_motion(m, q, qd, qdd, start))
    if q.shape[-1] != m.nq or (m.nq != m.nv and not full):
        hint = "quaternion joints need (t, q, qd, qdd)"
        if q.shape[-1] != m.nq:
            hint = "one for each of " + ", ".join(map(shown, column_names(m, "q")[:20]))
        raise UsageError(
            f"the motion has {q.shape[-1]} columns, the mechanism {m.nq} coordinates", hint=hint
        )
    return t, q, qd, qdd


def _closed_motion(
    m: Mechanism, q: Array, qd: Array, qdd: Array, start: Any
) -> tuple[Array, Array, Array]:
    """Return the motion of the tree from that of the motors, each pose from the one before."""
    from ..compute.loops import assembly_along
    from ..plan.assembly import assemble

    motors = list(planned(m).motors)
    if q.shape[-1] == m.nq and len(motors) != m.nq:
        places = [_place(m, k) for k in motors]  # a motion of the whole tree is read at the motors
        start = q[0] if start is None else start
        q, qd, qdd = q[:, places], qd[:, motors], qdd[:, motors]
    if q.shape[-1] != len(motors):
        raise UsageError(f"the motion has {q.shape[-1]} columns, there are {len(motors)} motors")
    pose = np.array(assemble(m) if start is None else evaluate(m, "assembly", start), dtype=float)
    tree = assembly_along(m, pose, q)
    rates, accelerations = np.zeros((len(q), m.nv)), np.zeros((len(q), m.nv))
    rates[:, motors], accelerations[:, motors] = qd, qdd
    made = evaluate(m, "tree_motion", tree, rates, accelerations)
    return tree, made[0], made[1]


def _place(m: Mechanism, k: int) -> int:
    """Return where the coordinate of velocity variable k stands in q."""
    at = 0
    for body, first in zip(m.bodies, m.velocity_index, strict=True):
        if first == k and body.joint.nv == 1:
            return at
        at += body.joint.nq
    raise UsageError("the motors of closed loops must have one freedom each")


def _forces(m: Mechanism) -> tuple[tuple[str, ...], list[int]]:
    names = [joint_name(b) for b in m.bodies for _ in range(b.joint.nv)]
    index = list(planned(m).motors) if is_closed(m) else list(range(m.nv))
    return tuple(names[k] for k in index), index


def _exceeded(
    m: Mechanism, names: Any, index: list[int], t: Array, q: Array, qd: Array, tau: Array
) -> tuple[Excess, ...]:
    values = {k: to_float(v) for k, v in m.values.items()}
    owner = [b for b in m.bodies for _ in range(b.joint.nv)]
    bounds = joint_limits(m)
    found = []

    def look(name: str, what: str, column: Array, limit: Any, sign: float = 0.0) -> None:
        try:
            number = float(to_float(limit, values))
        except (ParameterError, TypeError, ValueError):
            return
        sized = np.abs(column) if sign == 0 else sign * column
        k = int(np.argmax(sized))
        if np.isfinite(number) and sized[k] > (abs(number) if sign == 0 else sign * number):
            found.append(Excess(name, what, float(column[k]), number, float(t[k])))

    for c, (name, k) in enumerate(zip(names, index, strict=True)):
        if owner[k].effort_limit is not None:
            look(name, "force", tau[:, c], owner[k].effort_limit)
    for k, body in enumerate(owner):
        if body.velocity_limit is not None:
            look(joint_name(body), "speed", qd[:, k], body.velocity_limit)
        if m.nq == m.nv:
            look(joint_name(body), "lower position", q[:, k], bounds[k, 0], -1.0)
            look(joint_name(body), "upper position", q[:, k], bounds[k, 1], 1.0)
    return tuple(found)
