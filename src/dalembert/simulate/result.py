"""What a simulation gives back: the motion on the requested times, and what happened on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from ..algorithms.drives import Drives
from ..catalog.table import MOTION
from ..compute import evaluate
from ..display import lines_html, table_html
from ..door import doors
from ..errors import ComputationError, UsageError, shown
from ..files import write_file
from ..measure.table import npz_bytes, write_table
from ..mechanism import Mechanism, is_closed
from ..plan.assembly import Closure
from .passed import Notes

Array = np.ndarray
Outputs = tuple[Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Event:
    """A sign change of an event function, or a joint limit passed."""

    name: str
    time: float
    q: Array = field(repr=False)
    qd: Array = field(repr=False)
    state: tuple[int, ...] = ()  # which one of a batch
    slopes: Mapping[str, float] = field(default_factory=dict)  # of its time, by sensitivities

    def __repr__(self) -> str:
        return f"t = {self.time:.9g}: {self.name}" + (f", state {self.state}" * bool(self.state))


class SimulationStopped(ComputationError):
    """The state is no longer finite, or the step became too small; holds the last good state."""

    def __init__(
        self, message: str, hint: str, joint: str, time: float, q: Array, qd: Array
    ) -> None:
        super().__init__(message, hint=hint)
        self.joint, self.time, self.q, self.qd = joint, time, q, qd


def at_all_times(parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return parameters, one for each state where they differ, for samples (..., times, n)."""
    return {k: np.asarray(v)[..., None] if np.ndim(v) else v for k, v in parameters.items()} or None


def column_names(m: Mechanism, prefix: str) -> list[str]:
    """Return one head per entry of q ("q"), or of q̇, q̈ and forces ("qd", "qdd", "tau")."""
    return [f"{prefix}.{n}" for n in (m.coordinate_names if prefix == "q" else m.rate_names)]


@dataclass
class Samples:
    """The states at the times asked, and what happened between them."""

    states: Array
    events: list[Event]
    steps: int
    evaluations: int
    stopped: str = ""  # the event that ended the simulation


@doors("quantity", "gradient", "state", "to_csv", "to_npz", "save_html", "save_film", "plot")
@dataclass(frozen=True, eq=False)
class Simulation:
    """The motion q, qd on the times t: shapes (..., times, nq) and (..., times, nv).

    `speeds` are the independent speeds α of a machine under velocity constraints, else q̇.
    """

    m: Mechanism = field(repr=False)
    t: Array = field(repr=False)
    q: Array = field(repr=False)
    speeds: Array = field(repr=False)
    events: tuple[Event, ...] = ()
    method: str = ""
    steps: int = 0  # taken by all states together
    evaluations: int = 0
    stopped: str = ""  # the event that ended the simulation
    observe: Callable[[], Outputs] | None = field(default=None, repr=False)
    forces: tuple[str, ...] = field(default=(), repr=False)
    parameters: dict[str, Any] = field(default_factory=dict, repr=False)
    # what was counted, what the motion met, and the limits it passed
    notes: tuple[str, ...] = cast(Any, Notes())
    dq: dict[str, Array] = field(default_factory=dict, repr=False)  # ∂q/∂name: sensitivities
    dqd: dict[str, Array] = field(default_factory=dict, repr=False)  # ∂qd/∂name
    pull: Callable[[Array], dict[str, Array]] | None = field(default=None, repr=False)
    goal: Array | None = field(default=None, repr=False)  # of q, where a law aims at one
    drives: Drives = field(default="inertia", repr=False)  # what of them moved with the joints

    def __repr__(self) -> str:
        lead = f"{self.q.shape[:-2]} states, " if self.q.ndim > 2 else ""
        span = f"t = {self.t[0]:g} .. {self.t[-1]:g}" if len(self.t) else "empty"
        events = f"{len(self.events)} event" + "s" * (len(self.events) != 1)
        return (
            f"<Simulation of {self.m.name}: {lead}{span}, {len(self.t)} samples, {self.steps} "
            f"steps of {self.method}, {events}>"
        )

    def _repr_html_(self) -> str:
        if self.q.ndim != 2 or not len(self.t):
            return lines_html(repr(self))
        rows = [
            (shown(n, 40), *(f"{x:.5g}" for x in (y[0], y[-1], y.min(), y.max())))
            for n, y in zip(self.m.coordinate_names, self.q.T, strict=True)
        ]
        told = [*map(str, self.events[:20]), *([f"stopped: {self.stopped}"] * bool(self.stopped))]
        head = ("coordinate", "at the start", "at the end", "least", "largest")
        return table_html(head, rows, repr(self)[1:-1], told)

    @cached_property
    def _outputs(self) -> Outputs:
        if self.observe is None:
            raise ComputationError("this result knows no forces")
        return self.observe()

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickle keeps: arrays, and not the law or kernels that made them."""
        seen = None if self.observe is None else partial(tuple, self._outputs)
        return {**self.__dict__, "observe": seen, "pull": None}

    @property
    def qd(self) -> Array:
        """Velocity variables of all joints."""
        return self.speeds if self.speeds.shape[-1] == self.m.nv else self._outputs[0]

    @property
    def accelerations(self) -> Array:
        """The rate of the speeds: q̈, or α̇ under velocity constraints."""
        return self._outputs[1]

    @property
    def tau(self) -> Array:
        """The forces that the torque or control law gave."""
        return self._outputs[2]

    def gradient(self, dq: Any = None, dqd: Any = None) -> dict[str, Array]:
        """Return the gradient of a number that depends on the samples, by the adjoint.

        `dq` and `dqd` are its derivatives by `r.q` and `r.qd`, of their shapes. The gradient is by
        the start ("q0", "qd0"), the settings of the law and each parameter that was given in
        `parameters`, all at once, of the steps that rk4 took.

        >>> import dalembert as da
        >>> m = da.load("RX(), TZK(L); body 1: M = 1, D = (0, 0, L);")
        >>> r = da.simulate(m, [0.5], t=1.0, method="rk4", parameters={"L": -1.0})
        >>> sorted(r.gradient(dq=2 * r.q))  # of the sum of the squares of all samples
        ['L', 'q0', 'qd0', 'settings']
        """
        if self.pull is None:
            raise UsageError(
                "no gradient here: that needs a tree without wheels, and a run to its end",
                hint='simulate(..., method="rk4"); with loops or a stop: sensitivities=[...]',
            )
        bars = [
            np.zeros_like(own) if x is None else np.broadcast_to(np.asarray(x, float), own.shape)
            for x, own in ((dq, self.q), (dqd, self.speeds))
        ]
        return self.pull(np.concatenate(bars, axis=-1))

    # -- histories -----------------------------------------------------------------------------

    def quantity(self, name: str, **options: Any) -> Array:
        """Return a quantity of the catalog in q, qd and qdd along the motion.

        >>> import dalembert as da
        >>> m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
        >>> r = da.simulate(m, [0.5], torque=[0.3], t=[0.0, 1.0])
        >>> r.quantity("inverse_dynamics").round(6).tolist()
        [[0.3], [0.3]]
        """
        from ..catalog import quantity

        # the rates of all joints are known: none has to follow from others
        m = self.m.tree if is_closed(self.m) and name in MOTION else self.m
        row = quantity(name, m)
        known = {"q": lambda: self.q, "qd": lambda: self.qd, "qdd": self._qdd}
        for n in row.inputs:
            if n not in known:
                raise UsageError(f"{name} needs {n!r}, which a motion does not hold")
        inputs = [known[n]() for n in row.inputs]
        return evaluate(m, name, *inputs, parameters=at_all_times(self.parameters), **options)

    def _qdd(self) -> Array:
        if self.speeds.shape[-1] != self.m.nv:
            raise UsageError("under velocity constraints a motion holds α̇ and not q̈")
        return self.accelerations

    @cached_property
    def kinetic_energy(self) -> Array:
        """The kinetic energy at each time (J); rotors count as they did in the motion."""
        return self.quantity("kinetic_energy", drives=self.drives)

    @cached_property
    def potential_energy(self) -> Array:
        """The energy of gravity and springs at each time (J)."""
        return self.quantity("potential_energy")

    @property
    def energy(self) -> Array:
        """Kinetic energy (rotors as in the motion) and potential energy (springs included), J."""
        return self.kinetic_energy + self.potential_energy

    @cached_property
    def residual(self) -> Array:
        """The worst residual of the closure equations at each time, in parts of the size."""
        if not is_closed(self.m):
            return np.zeros(self.q.shape[:-1])
        rows = np.abs(self.quantity("closure")) / Closure(self.m).row_size
        return np.asarray(rows.max(axis=-1, initial=0.0))

    # -- files and figures ---------------------------------------------------------------------

    def columns(self) -> tuple[list[str], Array]:
        """Return names and columns of a table: t, q, qd, tau, energy (one state only)."""
        if self.q.ndim != 2:
            raise ComputationError("a table holds one state", hint="choose one: result.state(k)")
        names = ["t", *column_names(self.m, "q"), *column_names(self.m, "qd")]
        parts = [self.t[:, None], self.q, self.qd]
        if self.observe is not None:
            names += [f"tau.{n}" for n in self.forces]
            parts.append(self.tau)
        parts.append(self.energy[:, None])
        return [*names, "energy"], np.concatenate(parts, axis=1)

    def state(self, *index: int) -> Simulation:
        """Return one state of a batch."""
        events = tuple(e for e in self.events if e.state == tuple(index))
        seen = self.observe is not None
        one = (lambda: tuple(a[index] for a in self._outputs)) if seen else None
        dq, dqd = ({n: x[index] for n, x in own.items()} for own in (self.dq, self.dqd))
        goal = self.goal[index] if self.goal is not None and self.goal.ndim > 2 else self.goal
        notes = self.__dict__["_notes"]  # found anew where they depend on the motion
        many = self.q.shape[:-2]
        own = {n: np.broadcast_to(x, many)[index] if np.ndim(x) else x
               for n, x in self.parameters.items()}  # fmt: skip
        return replace(
            self, q=self.q[index], speeds=self.speeds[index], events=events, observe=one,
            dq=dq, dqd=dqd, pull=None, goal=goal, notes=notes, parameters=own,
        )  # fmt: skip

    def to_csv(self, path: str | Path) -> None:
        """Write a table with a header line."""
        names, table = self.columns()
        write_table(path, names, table)

    def to_npz(self, path: str | Path) -> None:
        """Write arrays t, q, qd, tau, energy and event times."""
        given: dict[str, Any] = {"t": self.t, "q": self.q, "qd": self.qd, "energy": self.energy}
        if self.observe is not None:
            given["tau"] = self.tau
        given["event_times"] = np.array([e.time for e in self.events])
        given["event_names"] = np.array([e.name for e in self.events], dtype=str)
        file = Path(path)
        named = file if file.suffix == ".npz" else file.with_name(file.name + ".npz")
        write_file(named, npz_bytes(given))

    def show(self) -> Any:
        """Return a view of the motion: in a notebook, else in a browser, else its path."""
        from ..view import show
        from ..view.motion import of_simulation

        return show(self.m, motion=of_simulation(self))

    def save_html(self, path: str | Path) -> Path:
        """Write the motion as one page that needs no network."""
        from ..view import save_html
        from ..view.motion import of_simulation

        return save_html(self.m, path, motion=of_simulation(self))

    def save_film(self, path: str | Path) -> Path:
        """Write the motion as a film: `run.gif`, or `run.mp4` where ffmpeg is."""
        from ..view import save_film

        return save_film(self.m, path, self.t, self.q)

    def plot(
        self,
        path: str | Path | None = None,
        joints: Sequence[str] | None = None,
        kind: str = "time",
        theme: str = "light",
    ) -> Any:
        """Return a figure, written to `path` if given; a notebook shows it by itself.

        `kind` is "time" (coordinates, rates, forces and energy, each unit in its own panel),
        "phase" or "path" (seen from above); `theme` is "light" or "dark".
        """
        from .plot import plot

        return plot(self, path, joints, kind, theme)
