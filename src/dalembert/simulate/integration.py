"""One simulation at work: drivers run, events gathered, failures named."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..errors import UsageError, state_text
from ..mechanism import joint_name
from ..runtime import integrate as drivers
from ..runtime.methods import ADAPTIVE, RK4, STIFF
from ..runtime.refused import refusal
from ..runtime.stops import stops
from . import dead_points
from .adjoint import gradient_of
from .events import EventTable, located, sampled_events
from .friction import Modes, Through, crossing
from .job import Case, Job, raise_callback
from .passed import with_passed
from .python_drivers import SCIPY, run_numpy, run_scipy
from .result import Event, Samples, Simulation, SimulationStopped, at_all_times
from .rolling import Rolling
from .run_notes import run_notes
from .run_sensitive import event_times, through_jump
from .sensitive import parted
from .systems import Tree
from .threads import Progress, side_by_side

Array = np.ndarray
_SLOWER = dict.fromkeys(
    ("dop853", "dopri5"), 'stiff springs ask for method="rosenbrock"; or allow more (max_steps=)'
) | {"rosenbrock": "allow more (max_steps=), or a larger rtol"}


@dataclass
class Run:
    """One call of simulate: what to integrate, how, and what was found."""

    job: Job
    states: Array  # a row for each
    lead: tuple[int, ...]  # the leading dimensions they stand for
    times: Array
    method: str
    step: float
    rtol: float
    atol: float
    table: EventTable
    most: int = 1_000_000
    threads: int = 1
    progress: Any = None
    modes: Modes = field(init=False)
    passed: list[float] = field(default_factory=list, init=False)  # times near singular poses

    def __post_init__(self) -> None:
        self.modes = Modes(self.job)
        if self.method == "rosenbrock" and self.job.asked:
            raise UsageError(
                "rosenbrock needs derivatives of the forces, and a Python function has none",
                hint='give a law of dalembert.control, or use method="radau"',
                command="write --method radau",
            )

    @property
    def bare(self) -> Case:
        """What kernels are given but for directions of sliding, a row per state if they differ."""
        p = self.job.settings
        if p.ndim > 1:
            p = np.broadcast_to(p, (*self.lead, p.shape[-1])).reshape(-1, p.shape[-1]).copy()
        return Case(self.job, p, self.job.parameter_rows(self.lead))

    def case(self) -> Case:
        """Return the case of all states, with room for the directions of sliding."""
        own, dry = self.bare, self.modes.count
        if not dry:
            return own
        p = np.zeros((len(self.states), own.p.shape[-1] + dry))
        p[:, :-dry] = own.p
        return replace(own, p=p)

    def place(self, row: int) -> tuple[int, ...]:
        """Return where a state stands in the leading dimensions."""
        return tuple(map(int, np.unravel_index(row, self.lead))) if self.lead else ()

    def samples(self) -> Samples:
        """Return the samples of all states by the method that is asked for."""
        slow = refusal() is not None
        if not len(self.states):
            return Samples(np.zeros((0, len(self.times), self.states.shape[1])), [], 0, 0)
        if self.method in STIFF or (slow and self.method in SCIPY):
            return self.with_events(run_scipy(self))
        if slow:
            return self.with_events(run_numpy(self))
        return self.adaptive() if self.method in ADAPTIVE else self.fixed()

    def fixed(self) -> Samples:
        """Return the samples of all states, their tiles shared among threads."""
        states = self.states
        size = -(-len(states) // (drivers.TILE * self.threads)) * drivers.TILE
        parts = [slice(a, a + size) for a in range(0, len(states), size)]
        whole = self.case()
        turned: list[Event] = []

        def work(part: slice, report: Progress) -> Array:
            x, case = states[part].copy(), whole.of(part)
            self.modes.begin(case, x, float(self.times[0]), part.start)
            numbers = np.arange(part.start, part.start + len(x))
            return self.part(x, self.times, case, numbers, turned, report)

        out = np.concatenate(side_by_side(work, parts, self.threads, self.progress))
        spans = np.maximum(1, np.ceil(np.diff(self.times) / self.step - 1e-9)).sum()
        steps = int(spans) * len(states)
        evaluations = steps * (RK4.stages if self.method == "rk4" else 1)
        return self.with_events(Samples(out, turned, steps, evaluations), fine=True)

    def with_events(self, found: Samples, fine: bool = False) -> Samples:
        """Return samples with the events that they show, those of friction beside them."""
        out = found.states
        events = sampled_events(self, out, fine) if self.table.functions else []
        events = sorted([*events, *self.wanted(found.events)], key=lambda e: (e.state, e.time))
        return replace(found, events=events, stopped=self.cut(out, events))

    def cut(self, out: Array, found: list[Event]) -> str:
        """Drop what comes after the first event that stops a state; return that event's name."""
        ends: dict[tuple[int, ...], Event] = {}
        for event in found:
            if event.name in self.table.stop:
                ends.setdefault(event.state, event)
        for where, event in ends.items():
            row = int(np.ravel_multi_index(where, self.lead)) if where else 0
            out[row, self.times > event.time] = np.nan
        found[:] = [e for e in found if e.state not in ends or e.time <= ends[e.state].time]
        return next(iter(ends.values())).name if ends else ""

    def wanted(self, turned: list[Event]) -> list[Event]:
        """Return the events of friction that are asked for."""
        return turned if self.table.friction else []

    def part(
        self, states: Array, times: Array, case: Case, numbers: Array, turned: list[Event],
        progress: Any = None, step: float | None = None,
    ) -> Array:  # fmt: skip
        """Return the samples of states by fixed steps; `numbers` are theirs in the simulation."""
        job, model, given = self.job, self.job.model(self.method), case.parameters
        driver = drivers.FixedStep(model, states, times, step or self.step, case.p, given)
        planned: tuple[int, float] | None = None
        while (status := driver.run(progress)) != drivers.DONE:
            raise_callback(model)
            first, t, before, after = driver.where
            if status == drivers.BAD:
                row = int(np.argmax(~np.isfinite(after).all(axis=1)))
                self.fail(before[row], after[row], t, self.place(int(numbers[first + row])))
            if status == drivers.GUARD:
                self._step_through_friction(job, driver, numbers, turned)
                continue
            ahead = float(driver.task.kept["alarm"][: len(after)].min())
            job = job.renewed(before, t, given, self.method, ahead)
            if job.leap:
                self.passed.append(float(t))
            if planned == (first, t):  # with the best plan there is the step ends where it fades
                job = job.fading(ahead, t)
            planned, model = (first, t), job.model(self.method)
            driver.use(model)
        raise_callback(model)
        return driver.out

    def again(self, states: Array, grid: Array, case: Case, numbers: Array) -> Array:
        """Return states taken once more through a grid of times, every step a sample."""
        self.modes.record = False
        try:
            return self.part(states, grid, case, numbers, [], step=self.step * (1 + 1e-6))
        finally:
            self.modes.record = True

    def _step_through_friction(
        self, job: Job, driver: drivers.FixedStep, numbers: Array, turned: list[Event]
    ) -> None:
        """Take the step in hand again, in parts, for states in which a joint sticks or slips."""
        first, t, before, after = driver.where
        whole = Case(job, driver.task.kept["settings"], driver.parameters)
        for r in np.flatnonzero((driver.guards < 0).any(axis=1)):
            case, row = whole.of(first + int(r)), int(numbers[first + r])
            way = Through(case, self.method, self.modes, row, self.place(row))
            after[r] = way.step(before[r].copy(), t, float(driver.task["h"]))
            turned += way.events

    def adaptive(self) -> Samples:
        """Return the samples of all states, each with steps of its own."""
        model, states, whole = self.job.model(self.method, self.table), self.states, self.case()

        def work(row: int, report: Progress) -> Samples:
            x, case = states[row].copy(), whole.of(row)
            self.modes.begin(case, x[None], float(self.times[0]), row)
            driver = drivers.VariableStep(
                model, x, self.times, self.rtol, self.atol, case.p, case.parameters,
                most=self.most, method=self.method,
            )  # fmt: skip
            driver.task["sounded"] = int(self.table.key is None)  # limits are straight in q
            found: list[Event] = []
            stopped = self._one(driver, row, found, report)
            steps, evaluations = int(driver.task["steps"]), int(driver.task["evaluations"])
            return Samples(driver.out, found, steps, evaluations, stopped)

        threads = 1 if self.job.asked else self.threads
        done = side_by_side(work, range(len(states)), threads, self.progress)
        return Samples(
            np.stack([one.states for one in done]),
            [event for one in done for event in one.events],
            sum(one.steps for one in done),
            sum(one.evaluations for one in done),
            next((one.stopped for one in done if one.stopped), ""),
        )

    def _one(self, driver: Any, row: int, found: list[Event], progress: Any) -> str:
        """Run one state to the end, from one jump of a held signal to the next."""
        job, planned, where = self.job, -np.inf, self.place(row)
        for end, longest in self.stops:
            driver.task["longest"] = longest
            driver.read_again()  # a signal may have jumped
            while (status := driver.run(end, progress)) != drivers.DONE:
                raise_callback(driver.model)
                if status in (drivers.EVENT, drivers.GUARD):
                    slid = status == drivers.GUARD
                    turned = self._settle_friction(job, driver, row) if slid else []
                    for event in [*located(self, driver, where), *self.wanted(turned)]:
                        found.append(event)
                        if event.name in self.table.stop:
                            driver.out[self.times > event.time] = np.nan
                            return event.name
                    if slid:
                        driver.restart(*driver.turn)
                elif status == drivers.ALARM:
                    ahead = float(driver.task.kept["alarm"][0])
                    at = driver.x[None], driver.t, driver.parameters
                    job = job.renewed(*at, self.method, ahead)
                    driver.use(job.model(self.method, self.table))
                    if job.leap:
                        self.passed.append(driver.t)
                        again = job.leap if planned != driver.t else 1.0
                        driver.task["h"] = again * driver.task["step"]
                    planned = driver.t
                elif status == drivers.LIMIT:
                    raise SimulationStopped(
                        f"more than {driver.most} steps, t = {driver.t:.9g} s is reached",
                        _SLOWER[driver.method],
                        "", driver.t, driver.x[: job.m.nq].copy(), driver.x[job.m.nq :].copy(),
                    )  # fmt: skip
                else:
                    self.fail_adaptive(driver, where)
            raise_callback(driver.model)
        if len(self.times) == 1:
            driver.out[0] = driver.x
        return ""

    def _settle_friction(self, job: Job, driver: Any, row: int) -> list[Event]:
        """Settle the joints where friction lets one go or holds it, within the driver's step."""
        p, low, high = driver.task.kept["ins3"], driver.t, float(driver.task["t_new"])

        def state(t: float) -> Array:
            x, project = driver.interpolated(t), driver.model.project
            if project is not None:
                x = np.array(project(*driver.inputs(x, t), parameters=driver.parameters)[0])
            return np.asarray(x)

        def guards(t: float) -> Array:
            return np.asarray(driver.guard_values(state(t), t))

        t = crossing(guards, p[-self.modes.count :] != 0, low, high)
        self.modes.look(row, t, driver.x, job.m.nq)
        x = state(t)
        driver.write_samples(t)
        # other events up to this time are looked for as in any step
        driver.task["t_new"] = t
        values = driver.event_values(x, t)
        driver.task.kept["g_new"][: len(values)] = values
        before, wide = p.copy(), x.copy()
        case, where = Case(job, p, driver.parameters), self.place(row)
        turned = self.modes.turned(case, x, t, row, where)
        if job.kernels.ways:
            x = through_jump(job, driver, wide, x, t, (before, p))
        driver.turn = t, x
        return turned

    def event_slopes(self, which: int, driver: Any, x: Array, t: float) -> dict[str, float]:
        """Return how the time of an event moves with each sensitivity."""
        return event_times(self.job, self.table, which, driver, x, t)

    @cached_property
    def stops(self) -> list[tuple[float, float]]:
        """Where steps must end, the last time among them, and how long they may be before."""
        return stops(self.job.signal, float(self.times[0]), float(self.times[-1]))

    def fail_adaptive(self, driver: Any, where: tuple[int, ...]) -> None:
        """Raise ComputationError where steps became too small, naming the joint."""
        n = len(driver.state)
        K = driver.task.kept["K"].reshape(-1, int(driver.task["wide"]))[:, :n]
        bad = ~np.isfinite(K).all(axis=0)
        after = np.where(bad, np.nan, driver.x)
        self.fail(driver.x, after, driver.t, where)

    def fail(self, before: Array, after: Array, t: float, where: tuple[int, ...]) -> None:
        """Raise the error that names the joint, the time and the last good state."""
        m, own = self.job.m, self.job.kernels.system
        names = [joint_name(b) for b in m.bodies for _ in range(b.joint.nq)]
        speeds = m.rate_joints
        names += speeds if own.speeds == m.nv else [f"speed {k + 1}" for k in range(own.speeds)]
        bad = np.flatnonzero(~np.isfinite(after))
        # speeds first: they are what a bad acceleration spoils
        first = next((k for k in bad if k >= m.nq), bad[0] if len(bad) else 0)
        joint = names[int(first) % len(names)]
        if dead_points.share(self.job, before[: m.nq]) < dead_points.NEAR:
            raise dead_points.refused(self.job, t)
        what = "is not finite" if len(bad) else "changes too fast for any step"
        raise SimulationStopped(
            f"the motion of joint {joint!r} {what} after t = {t:.9g} s{state_text(where)}",
            "the last good state is in .q and .qd of this error; a smaller step or tolerance, "
            f"stops or damping may help{dead_points.hint(self.job)}",
            joint, t, before[: m.nq].copy(), before[m.nq : len(names)].copy(),
        )  # fmt: skip

    def result(self) -> Simulation:
        """Return the whole simulation: samples, events, forces and notes."""
        found, m, job, lead = self.samples(), self.job.m, self.job, self.lead
        stopped = found.stopped
        n, ways = job.kernels.size, job.kernels.ways
        events = dead_points.passed(job, found.events, self.table.friction)
        out = found.states.reshape(*lead, len(self.times), found.states.shape[-1])
        times = self.times
        if stopped and not lead:
            kept = np.isfinite(out).all(axis=-1)
            out, times = out[kept], times[kept]

        state, slopes = parted(out, n, ways)
        smooth = isinstance(job.kernels.system, Tree) and not ways and not stopped
        speeds = self._speeds(state, times)
        notes = run_notes(job, times, out, self.passed, events, self.table)
        law: Any = job.kernels.law
        told: Any = partial(with_passed, notes, hasattr(law, "limit"))  # found when first read
        return Simulation(
            m, times, out[..., : m.nq], speeds, tuple(events), self.method, found.steps,
            found.evaluations, stopped, partial(self.outputs, out, times),
            job.kernels.system.force_names,
            job.parameters, told,
            dq={k: x[..., : m.nq] for k, x in slopes.items()},
            dqd={k: x[..., m.nq :] for k, x in slopes.items()},
            pull=partial(gradient_of, self, out) if smooth else None,
            goal=law.wanted(m, times) if hasattr(law, "wanted") else None,
            drives=job.kernels.system.drives,
        )  # fmt: skip

    def _speeds(self, out: Array, times: Array) -> Array:
        """Return the speeds of the samples: rates of all joints, or α where a machine rolls."""
        own, nq = self.job.kernels.system, self.job.m.nq
        if not isinstance(own, Rolling) or not out.size:
            return out[..., nq:]
        return own.alpha(out[..., :nq], out[..., nq:], self.job.led(times))

    def outputs(self, out: Array, times: Array) -> Any:
        """Return (qd, rate of the speeds, forces) at every sample."""
        job = self.job
        p = np.asarray(job.settings, dtype=float)
        p = p[..., None, :] if p.ndim > 1 else p
        case, shape = Case(job, p, at_all_times(job.parameters)), out.shape[:-1]
        rows = np.arange(int(np.prod(shape[:-1], dtype=int))).reshape(*shape[:-1], 1)
        case = self.modes.directed(case, np.broadcast_to(rows, shape), times)
        return case.ask(job.kernels.outputs(), out, times)
