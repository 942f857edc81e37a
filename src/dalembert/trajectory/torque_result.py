"""What `torques_along` gives back: forces, their parts, powers, and the limits they pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..compute import evaluate
from ..compute.slower import largest_share
from ..display import lines_html, table_html
from ..door import doors
from ..errors import UsageError, shown
from ..measure.table import write_table
from ..mechanism import Mechanism, is_closed
from ..mechanism.units import force_and_speed
from ..plan import planned
from ..simulate.result import column_names

Array = np.ndarray
ARRAYS = ("q", "qd", "qdd", "tau", "speed", "effort", "fastest")  # each machine has its own
PARTS = ("static", "inertial", "coriolis", "centrifugal", "friction", "wrench")


def driven(m: Mechanism) -> list[int]:
    """Return the velocity variables whose forces are asked for."""
    return list(planned(m).motors) if is_closed(m) else list(range(m.nv))


@dataclass(frozen=True)
class Excess:
    """A limit that the motion passes: the largest value, when, and the limit."""

    joint: str
    what: str  # "force", "speed", "lower position", "upper position"
    value: float
    limit: float
    time: float
    unit: str = ""

    @property
    def by(self) -> float:
        """How far beyond the limit, in its unit."""
        beyond = self.value - self.limit
        return abs(beyond) if "position" in self.what else abs(self.value) - abs(self.limit)

    def __repr__(self) -> str:
        share = f" ({100 * self.by / abs(self.limit):.0f} %)" if self.limit else ""
        return (
            f"{self.joint}: {self.what} {self.value:.6g}{self.unit and ' '}{self.unit} "
            f"exceeds {self.limit:.6g} by {self.by:.4g}{share} at t = {self.time:.4g} s"
        )


@dataclass(frozen=True)
class Tally:
    """What a long motion adds up to: its windows give one each, and their sum is that of all."""

    peak: Array
    squares: Array  # of the forces, over time
    span: Array  # seconds that count
    power: Array
    exceeded: tuple[Excess, ...]

    @staticmethod
    def of(f: Torques) -> Tally:
        """Return the tally of one window."""
        span = _span(f.t, f.tau)
        return Tally(f.peak, span * f.rms**2, span, f.peak_power, f.exceeded)

    def __add__(self, other: Tally) -> Tally:
        worst: dict[tuple[str, str], Excess] = {}
        for e in (*self.exceeded, *other.exceeded):
            old = worst.get((e.joint, e.what))
            worst[e.joint, e.what] = e if old is None or e.by > old.by else old
        return Tally(np.fmax(self.peak, other.peak), self.squares + other.squares,
                     self.span + other.span, np.fmax(self.power, other.power),
                     tuple(worst.values()))  # fmt: skip


@doors("share", "to_csv", "save_html", "save_film", "plot")
@dataclass(frozen=True, eq=False)
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
    band: Array | None = field(default=None, repr=False)  # standard deviation of tau, if measured
    measured: Array | None = field(default=None, repr=False)  # forces of the table, if it has them
    notes: tuple[str, ...] = ()
    drives: Any = field(default="all", repr=False)  # what was counted
    fits: Array | None = field(default=None, repr=False)  # of many machines: limits kept
    tally: Tally | None = field(default=None, repr=False)  # of a log of which these are some rows

    @property
    def redesign(self) -> str:
        """What would make the task fit: slower, a length or mass, a gear; "" where it fits.

        The changes are of one number each, found with all joints moving as they do.
        """
        from .redesign import sentence

        return sentence(self)

    @property
    def slower(self) -> float:
        """How many times longer the same path must take to keep the limits of force and speed.

        1 where they are kept, infinite where rest alone passes a limit. Measured or given wrenches
        stay as they are.
        """
        self._alone("the slower motion")
        whole = np.isfinite(self.tau).all(axis=1)
        fastest = np.inf if self.fastest is None else self.fastest
        with np.errstate(all="ignore"):  # at rest no speed is too fast, even for a limit of zero
            times = np.fmax.reduce(np.abs(self.qd) / fastest, axis=None, initial=1.0)
        if self.effort is None or not whole.any() or np.isinf(times):
            return float(times)
        most = 1 / times
        share = largest_share(self._forces_at(whole), self.effort, np.array([most]))
        return float(1 / share[0]) if share[0] > 0 else np.inf

    def _forces_at(self, rows: Array) -> Callable[[Array], Array]:
        """Return the forces at some samples as a function of the share of the speed, (1, n, k)."""
        columns = [c for c, k in enumerate(driven(self.m))
                   if self.m.rate_names[k] in self.names]  # fmt: skip
        q, qd, qdd = self.q[rows], self.qd[rows], self.qdd[rows]

        def forces(share: Array) -> Array:
            s = float(share[0])
            made = evaluate(self.m, "inverse_dynamics", q, s * qd, s * s * qdd, drives=self.drives)
            return np.asarray((np.asarray(made)[:, columns] + self.parts["wrench"][rows])[None])

        return forces

    @property
    def executable(self) -> bool:
        """Whether no limit is passed; of many machines, an entry for each."""
        return not self.exceeded if self.fits is None else self.fits  # type: ignore[return-value]

    def __getitem__(self, index: Any) -> Torques:
        """Return the forces of one of many machines (`parameters` with arrays)."""
        if self.tau.ndim == 2:
            raise UsageError("these are the forces of one machine", hint="f.tau, f.peak")
        own = {n: getattr(self, n)[index] for n in ARRAYS}
        fits = self.fits[index] if self.fits is not None and self.tau.ndim > 3 else None
        return replace(self, parts={n: x[index] for n, x in self.parts.items()}, fits=fits, **own)

    @property
    def peak(self) -> Array:
        """Largest force of each joint, N or N m."""
        if self.tally is not None:
            return self.tally.peak
        return np.nanmax(np.abs(self.tau), axis=-2)

    @property
    def rms(self) -> Array:
        """The root mean square of each force over the motion."""
        if self.tally is not None:
            return np.sqrt(self.tally.squares / np.maximum(self.tally.span, 1e-300))
        return _rms(self.t, self.tau)

    @property
    def power(self) -> Array:
        """Mechanical power of each joint at each time, W."""
        return self.tau * self.speed

    @property
    def peak_power(self) -> Array:
        """The largest power of each force, whatever its sign (W)."""
        if self.tally is not None:
            return self.tally.power
        return np.nanmax(np.abs(self.power), axis=-2)

    @property
    def energy(self) -> Array:
        """Work of each joint up to each time, J."""
        p, h = self.power, np.diff(self.t)[:, None]
        work = np.nan_to_num((p[..., 1:, :] + p[..., :-1, :]) / 2 * h)  # none in a gap
        return np.concatenate([np.zeros_like(p[..., :1, :]), np.cumsum(work, -2)], axis=-2)

    @property
    def residual(self) -> tuple[Array, Array] | None:
        """Force and moment that a free base would need, which nothing gives; None without one.

        They are zero for a perfect model and perfect measurements.
        """
        first = self.m.bodies[0].joint.kind if self.m.bodies else ""
        if first != "free" or len(self.names) != self.m.nv:
            return None
        return self.tau[:, :3], self.tau[:, 3:6]

    def share(self, *names: str) -> Array:
        """Return the RMS of some parts over the RMS of the whole force, per joint."""
        some = sum((self.parts[n] for n in names), np.zeros_like(self.tau))
        return _rms(self.t, some) / np.maximum(self.rms, 1e-300)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} .. {self.t[-1]:g} s" if len(self.t) else "no times"
        if self.tau.ndim != 2:
            return f"<Torques of {shown(self.m.name)}: {self.tau.shape[:-2]} machines, {span}>"
        count = len(self.exceeded)
        passed = f"{count} limit{'s' * (count > 1)} passed" if count else "no limit is passed"
        joints = f"{len(self.names)} joint" + "s" * (len(self.names) != 1)
        return f"<Torques of {shown(self.m.name)}: {joints}, {span}, {passed}>"

    def _repr_html_(self) -> str:
        if self.tau.ndim != 2:
            return lines_html(repr(self))
        cells = zip(self.names, self.peak, self.rms, self.peak_power, strict=True)
        rows = [(shown(n, 40), *(f"{x:.4g}" for x in row)) for n, *row in cells]
        head = ("joint", "peak, N m or N", "rms", "peak power, W")
        told = [*map(str, self.exceeded), *self.notes]
        return table_html(head, rows, repr(self)[1:-1], told)

    def _alone(self, what: str) -> None:
        if self.tau.ndim != 2:
            raise UsageError(f"{what} is that of one machine", hint="f[0] takes one of many")

    def units(self, k: int) -> tuple[str, str]:
        """Return the units of force and speed of entry k of `names`."""
        return force_and_speed(self.m, self.names[k])

    def summary(self) -> str:
        """Return a table, and what is exceeded."""
        self._alone("the summary")
        w = max(16, *(len(n) + 2 for n in self.names))
        rows = [f"{'joint':<{w}}{'peak':>12}{'rms':>12}  {'unit':<5}{'peak power (W)':>15}"]
        units = [self.units(k)[0] for k in range(len(self.names))]
        columns = zip(self.names, self.peak, self.rms, units, self.peak_power, strict=True)
        rows += [f"{n:<{w}}{p:>12.4g}{r:>12.4g}  {u:<5}{x:>15.4g}" for n, p, r, u, x in columns]
        if (base := self.residual) is not None:
            force, couple = (float(np.sqrt(np.nanmean((x**2).sum(axis=1)))) for x in base)
            rows.append(f"residual of the base: force {force:.4g} N, moment {couple:.4g} N m (RMS)")
        rows += [str(e) for e in self.exceeded] or ["no limit is passed"]
        if any(e.what in ("force", "speed") for e in self.exceeded):
            times = self.slower
            rows.append(
                f"{times:.4g} times slower, the motion stays within the limits of force and speed"
                if np.isfinite(times)
                else "no slower motion stays within the limits: they are exceeded at rest"
            )
            rows += [self.redesign] * any(e.what == "force" for e in self.exceeded)
        return "\n".join(rows)

    def to_csv(self, path: str | Path) -> None:
        """Write t, q, qd, qdd and every part of the force with a header line."""
        write_table(path, *self.table())

    def table(self) -> tuple[list[str], Array]:
        """Return the heads and rows of t, q, qd, qdd and every part of the force."""
        self._alone("a table")
        names = ["t", *(n for k in ("q", "qd", "qdd") for n in column_names(self.m, k))]
        table = [self.t[:, None], self.q, self.qd, self.qdd]
        own = {"tau": self.tau, **self.parts}
        if self.band is not None:
            own["band"] = self.band
        for kind, values in own.items():
            names += [f"{kind}.{n}" for n in self.names]
            table.append(values)
        return names, np.concatenate(table, axis=1)

    def show(self) -> Any:
        """Return a view of the motion: in a notebook, else in a browser, else its path."""
        from ..view import show
        from ..view.motion import of_torques

        return show(self.m, motion=of_torques(self))

    def save_html(self, path: str | Path) -> Path:
        """Write the motion as one page that needs no network."""
        from ..view import save_html
        from ..view.motion import of_torques

        return save_html(self.m, path, motion=of_torques(self))

    def save_film(self, path: str | Path) -> Path:
        """Write the motion as a film: `move.gif`, or `move.mp4` if ffmpeg is installed."""
        from ..view import save_film

        return save_film(self.m, path, self.t, self.q)

    def plot(self, path: str | Path | None = None, kind: str = "time", theme: str = "light") -> Any:
        """Return a figure with a panel per joint: the force and its parts; notebooks show it.

        `kind="speed"` draws each force over its speed beside what the joint can give; `theme` is
        "light" or "dark".
        """
        from .torque_plot import plot

        self._alone("a plot")
        return plot(self, path, kind, theme)


def _rms(t: Array, x: Array) -> Array:
    if len(t) < 2:
        return np.abs(x[..., 0, :])
    squares = (x[..., 1:, :] ** 2 + x[..., :-1, :] ** 2) / 2
    return np.sqrt(np.nansum(squares * np.diff(t)[:, None], axis=-2) / _span(t, x))


def _span(t: Array, x: Array) -> Array:
    """Return the seconds in which each column has values; gaps do not count."""
    both = np.isfinite(x[..., 1:, :]) & np.isfinite(x[..., :-1, :])
    return np.maximum(np.where(both, np.diff(t)[:, None], 0.0).sum(axis=-2), 1e-300)
