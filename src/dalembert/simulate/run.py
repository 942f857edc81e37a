"""One simulation at work: drivers run, events gathered, failures named."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import SingularPose
from ..mechanism import Mechanism, joint_name
from ..runtime import integrate as drivers
from ..runtime.signal import Signal
from .between import sampled_events
from .events import EventTable, located
from .kernels import MAPS, Kernels
from .laws import Called
from .result import Event, Simulation, SimulationStopped
from .systems import Closed, Reduced, System
from .threads import Progress, side_by_side
from .tools import callback

Array = np.ndarray
Found = tuple[Array, list[Event], int, int, str]  # samples, events, steps, evaluations, stopped by
FADING = 0.05  # pivots below this part of the largest make a new plan
SINGULAR = 1e-8


@dataclass(frozen=True)
class Job:
    """A system under a law, and the data its kernels read."""

    kernels: Kernels
    signal: Signal | None
    settings: Array
    parameters: dict[str, Any]
    limit: float = 0.0  # pivots below this part of the largest make a new plan

    @property
    def m(self) -> Mechanism:
        """The mechanism."""
        return self.kernels.system.m

    @property
    def force_names(self) -> tuple[str, ...]:
        """The names of the forces."""
        return force_names(self.kernels.system)

    def planned_at(self, q: Array) -> Job:
        """Return the job with the loops planned anew at a pose."""
        own = self.kernels.system
        if not isinstance(own, Closed):
            return self
        law: Any = self.kernels.law
        if hasattr(law, "placed"):
            law = law.placed(own.m, own.driven_at(q))
        return replace(self, kernels=replace(self.kernels, system=own.planned_at(q), law=law))

    def renewed(self, rows: Array, t: float, parameters: Any) -> Job:
        """Return the job planned anew where pivots fade; its limit lies below what it has there."""
        made = self.planned_at(rows[0][: self.m.nq])
        size = made.kernels.rhs().inputs[2].size
        u = self.signal(t) if self.signal is not None else np.zeros(size)
        p = np.zeros(made.kernels.rhs().inputs[3].size)
        measure = float(made.kernels.project()(rows, [t], u, p, parameters=parameters)[1].min())
        if not measure > SINGULAR:
            raise SingularPose(
                f"the loops lose rank at t = {t:.9g} s: pivot ratio {measure:.1e}",
                hint="the mechanism meets a singular pose, where its motion is not determined",
            )
        return replace(made, limit=min(FADING, 0.2 * measure))

    def model(self, method: str, table: EventTable | None = None) -> drivers.Model:
        """Return the compiled model that a method integrates."""
        k = self.kernels
        rhs = k.map(method) if method in MAPS else k.rhs()
        if isinstance(k.law, Called):
            rhs = callback(rhs, k.law, self.m.nq, k)
        events = k.events(table.functions, table.key) if table is not None else None
        return drivers.Model(rhs, k.project(), events, method in MAPS, self.signal, self.limit)


def force_names(own: System) -> tuple[str, ...]:
    """Return the names of the forces that `torque` holds."""
    m = own.m
    names = list(m.rate_names)
    if isinstance(own, Closed):
        return tuple(names[k] for k in own.plan.motors)
    if isinstance(own, Reduced):
        names += [f"{w.name}.traction" for w in m.wheels]
    return tuple(names)


def place(row: int, lead: tuple[int, ...]) -> tuple[int, ...]:
    """Return where a state stands in the leading dimensions."""
    return tuple(int(k) for k in np.unravel_index(row, lead)) if lead else ()


@dataclass
class Run:
    """One call of simulate: what to integrate, how, and what was found."""

    job: Job
    times: Array
    method: str
    step: float
    rtol: float
    atol: float
    table: EventTable
    most: int = 1_000_000

    def rows(self, values: Array, lead: tuple[int, ...]) -> Array:
        """Return settings or parameters with one row per state, or one row for all."""
        if values.ndim < 2:
            return values
        whole = np.broadcast_to(values, (*lead, values.shape[-1]))
        return np.ascontiguousarray(whole.reshape(-1, values.shape[-1]))

    def parameters(self, lead: tuple[int, ...]) -> dict[str, Any] | None:
        """Return the parameters, one row per state where they differ."""
        given = self.job.parameters
        if any(np.ndim(v) for v in given.values()):
            return {k: np.broadcast_to(v, lead).ravel() for k, v in given.items()}
        return given or None

    def fixed(self, states: Array, lead: tuple[int, ...], threads: int, progress: Any) -> Found:
        """Return the samples of all states, their tiles shared among threads."""
        size = -(-len(states) // (drivers.TILE * threads)) * drivers.TILE
        parts = [slice(a, a + size) for a in range(0, len(states), size)]
        settings, given = self.rows(self.job.settings, lead), self.parameters(lead)

        def work(part: slice, report: Progress) -> Array:
            own = settings[part] if settings.ndim > 1 else settings
            mine = {k: (v[part] if np.ndim(v) else v) for k, v in (given or {}).items()}
            return self._part(states[part], (own, mine or None), part.start, lead, report)

        out = np.concatenate(side_by_side(work, parts, threads, progress))
        found = sampled_events(self, out, lead) if self.table.functions else []
        stopped = self.cut(out, found, lead)
        spans = np.maximum(1, np.ceil(np.diff(self.times) / self.step - 1e-9)).sum()
        steps = int(spans) * len(states)
        return out, found, steps, steps * (4 if self.method == "rk4" else 1), stopped

    def watched(self, found: Found, lead: tuple[int, ...]) -> Found:
        """Return samples found by other means with the events that they show."""
        out, _, steps, evaluations, _ = found
        events = sampled_events(self, out, lead, fine=False) if self.table.functions else []
        return out, events, steps, evaluations, self.cut(out, events, lead)

    def cut(self, out: Array, found: list[Event], lead: tuple[int, ...]) -> str:
        """Drop what comes after the first event that stops a state; return that event's name."""
        ends: dict[tuple[int, ...], Event] = {}
        for event in found:
            if event.name in self.table.stop:
                ends.setdefault(event.state, event)
        for place, event in ends.items():
            row = int(np.ravel_multi_index(place, lead)) if lead else 0
            out[row, self.times > event.time] = np.nan
        found[:] = [e for e in found if e.state not in ends or e.time <= ends[e.state].time]
        return next(iter(ends.values())).name if ends else ""

    def _part(
        self,
        states: Array,
        own: tuple[Array, Any],
        start: int,
        lead: tuple[int, ...],
        progress: Any,
    ) -> Array:
        job, model = self.job, self.job.model(self.method)
        settings, given = own
        driver = drivers.Fixed(model, states, self.times, self.step, settings, given)
        while (status := driver.run(progress)) != drivers.DONE:
            _raise_callback(model)
            first, t, before, after = driver.where
            if status == drivers.BAD:
                row = int(np.argmax(~np.isfinite(after).all(axis=1)))
                self.fail(before[row], after[row], t, place(start + first + row, lead))
            job = job.renewed(before, t, given)
            model = job.model(self.method)
            driver.use(model)
        _raise_callback(model)
        return driver.out

    def adaptive(self, states: Array, lead: tuple[int, ...], threads: int, progress: Any) -> Found:
        """Return the samples of all states, each with steps of its own."""
        model = self.job.model(self.method, self.table)
        settings, given = self.rows(self.job.settings, lead), self.parameters(lead)

        def work(row: int, report: Progress) -> Any:
            own = settings[row] if settings.ndim > 1 else settings
            mine = {k: (v[row] if np.ndim(v) else v) for k, v in (given or {}).items()} or None
            driver = drivers.Adaptive(
                model, states[row], self.times, self.rtol, self.atol, own, mine,
                longest=self._longest(), most=self.most,
            )  # fmt: skip
            found: list[Event] = []
            stopped = self._one(driver, place(row, lead), found, report)
            return driver.out, found, driver.task["steps"], driver.task["evaluations"], stopped

        if isinstance(self.job.kernels.law, Called):
            threads = 1
        done = side_by_side(work, range(len(states)), threads, progress)
        out = np.stack([one[0] for one in done])
        found = [event for one in done for event in one[1]]
        steps, evaluations = (sum(int(one[k]) for one in done) for k in (2, 3))
        return out, found, steps, evaluations, next((one[4] for one in done if one[4]), "")

    def _longest(self) -> float:
        return float(self.times[-1] - self.times[0]) or 1.0

    def _one(self, driver: Any, place: tuple[int, ...], found: list[Event], progress: Any) -> str:
        """Run one state to the end, from one jump of a held signal to the next."""
        job = self.job
        for end in self._ends():
            while (status := driver.run(end, progress)) != drivers.DONE:
                _raise_callback(driver.model)
                if status == drivers.EVENT:
                    for event in located(self, driver, place):
                        found.append(event)
                        if event.name in self.table.stop:
                            driver.out[self.times > event.time] = np.nan
                            return event.name
                elif status == drivers.ALARM:
                    job = job.renewed(driver.x[None], driver.t, driver.parameters)
                    driver.use(job.model(self.method, self.table))
                elif status == drivers.LIMIT:
                    raise SimulationStopped(
                        f"more than {driver.most} steps, t = {driver.t:.9g} s is reached",
                        "joints that stick by Coulomb friction, or stiff springs, ask for a fixed "
                        'step (method="rk4"), for method="radau", or for more (max_steps=)',
                        "", driver.t, driver.x[: job.m.nq].copy(), driver.x[job.m.nq :].copy(),
                    )  # fmt: skip
                else:
                    self.fail_adaptive(driver, place)
            _raise_callback(driver.model)
        if len(self.times) == 1:
            driver.out[0] = driver.x
        return ""

    def _ends(self) -> list[float]:
        """Return the times where the right-hand side may jump, and the last time."""
        signal, last = self.job.signal, float(self.times[-1])
        if signal is None or signal.coefficients.shape[2] > 2:
            return [last]
        inner = signal.breaks[(signal.breaks > self.times[0]) & (signal.breaks < last)]
        return [*map(float, inner), last]

    def fail_adaptive(self, driver: Any, place: tuple[int, ...]) -> None:
        """Raise ComputationError where steps became too small, naming the joint."""
        n = len(driver.state)
        K = driver.task.kept["K"].reshape(-1, int(driver.task["wide"]))[:13, :n]
        bad = ~np.isfinite(K).all(axis=0)
        after = np.where(bad, np.nan, driver.x)
        self.fail(driver.x, after, driver.t, place)

    def fail(self, before: Array, after: Array, t: float, place: tuple[int, ...]) -> None:
        """Raise the error that names the joint, the time and the last good state."""
        m, own = self.job.m, self.job.kernels.system
        names = [joint_name(b) for b in m.bodies for _ in range(b.joint.nq)]
        speeds = [joint_name(b) for b in m.bodies for _ in range(b.joint.nv)]
        names += speeds if own.speeds == m.nv else [f"speed {k + 1}" for k in range(own.speeds)]
        bad = np.flatnonzero(~np.isfinite(after))
        # speeds first: they are what a bad acceleration spoils
        first = next((k for k in bad if k >= m.nq), bad[0] if len(bad) else 0)
        joint = names[int(first)]
        which = f", state {place[0] if len(place) == 1 else place}" if place else ""
        what = "is not finite" if len(bad) else "changes too fast for any step"
        raise SimulationStopped(
            f"the motion of joint {joint!r} {what} after t = {t:.9g} s{which}",
            "the last good state is in .q and .qd of this error; a smaller step or tolerance, "
            "stops or damping may help",
            joint, t, before[: m.nq].copy(), before[m.nq :].copy(),
        )  # fmt: skip

    def result(self, found: Found, lead: tuple[int, ...]) -> Simulation:
        """Return what was found as one object."""
        out, events, steps, evaluations, stopped = found
        m, job = self.job.m, self.job
        out = out.reshape(*lead, len(self.times), out.shape[-1])
        times = self.times
        if stopped and not lead:
            kept = np.isfinite(out).all(axis=-1)
            out, times = out[kept], times[kept]

        def observe(r: Simulation) -> Any:
            return self.outputs(out, times, lead)

        return Simulation(
            m, times, out[..., : m.nq], out[..., m.nq :], tuple(events), self.method, steps,
            evaluations, stopped, observe, job.force_names, job.parameters,
        )  # fmt: skip

    def outputs(self, out: Array, times: Array, lead: tuple[int, ...]) -> Any:
        """Return (qd, rate of the speeds, forces) at every sample."""
        job = self.job
        nu = max(1, job.kernels.inputs)
        u = job.signal(times) if job.signal is not None else np.zeros((len(times), nu))
        p = np.asarray(job.settings, dtype=float)
        law = job.kernels.law
        if isinstance(law, Called):
            qd = out[..., job.m.nq :]
            if isinstance(job.kernels.system, Reduced):
                held = np.zeros((*out.shape[:-1], law.forces))
                qd = job.kernels.outputs()(out, times[:, None], u, held)[0]
            flat = zip(
                np.broadcast_to(times, out.shape[:-1]).ravel(),
                out[..., : job.m.nq].reshape(-1, job.m.nq),
                qd.reshape(-1, job.m.nv),
                strict=True,
            )
            forces = [np.asarray(law.function(float(a), b, c), dtype=float) for a, b, c in flat]
            p = np.stack(forces).reshape(*out.shape[:-1], law.forces)
        else:
            p = p[..., None, :] if p.ndim > 1 else p
        given = {
            k: np.asarray(v)[..., None] if np.ndim(v) else v for k, v in job.parameters.items()
        }
        return job.kernels.outputs()(out, times[:, None], u, p, parameters=given or None)


def _raise_callback(model: drivers.Model) -> None:
    error = getattr(model.rhs, "error", None)
    if error is not None:
        raise error
