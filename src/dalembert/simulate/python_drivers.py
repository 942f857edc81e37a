"""The slower ways: SciPy's methods, and fixed steps where no code can be generated."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ComputationError, UsageError
from ..runtime.methods import RK4, STIFF
from .friction import Through, crossing
from .job import Case
from .kernels import MAPS
from .result import Event, Samples, SimulationStopped

Array = np.ndarray
# the others where no code can be generated
SCIPY = {**STIFF, "dop853": "DOP853", "dopri5": "RK45", "rosenbrock": "Radau"}
QUARTERS = (0.25, 0.5, 0.75, 1.0)


def run_scipy(run: Any) -> Samples:
    """Return the samples of each state by one of SciPy's methods."""
    try:
        import scipy.integrate as solvers
    except ImportError:
        raise UsageError(f"method {run.method!r} needs SciPy", hint="pip install scipy") from None
    whole, solver = run.case(), getattr(solvers, SCIPY[run.method])
    out, events, steps, evaluations = [], list[Event](), 0, 0
    for row, x in enumerate(run.states):
        one = _Scipy(run, solver, whole.of(row), row)
        out.append(one.through(x.copy()))
        events += one.events
        steps, evaluations = steps + one.steps, evaluations + one.evaluations
    return Samples(np.stack(out), events, steps, evaluations)


class _Scipy:
    """One state, step by step, so that steps are counted and friction is seen."""

    def __init__(self, run: Any, solver: Any, case: Case, row: int) -> None:
        self.run, self.solver, self.case, self.row = run, solver, case, row
        self.rhs, self.guards = run.job.kernels.rhs(), run.job.kernels.guards()
        self.steps = self.evaluations = 0
        self.events: list[Event] = []

    def rate(self, t: float, x: Array) -> Array:
        """Return dx/dt."""
        self.evaluations += 1
        report, times, done = self.run.progress, self.run.times, self.row / len(self.run.states)
        if report is not None and self.evaluations % 256 == 0:
            span = float(times[-1] - times[0]) or 1.0
            report(done + (t - float(times[0])) / span * (1 - done))
        return np.asarray(self.case.ask(self.rhs, x, t))

    def through(self, x: Array) -> Array:
        """Return the samples from one state on."""
        times = self.run.times
        out = np.full((len(times), len(x)), np.nan)
        t = float(times[0])
        self.run.modes.begin(self.case, x[None], t, self.row)
        out[0] = x
        for stop in self.run.stops:
            while t < stop[0]:
                t, x = self._smooth(t, x, stop, out)
        return out

    def _smooth(
        self, t: float, x: Array, stop: tuple[float, float], out: Array
    ) -> tuple[float, Array]:
        """Return time and state at the end, or where a joint sticks or slips."""
        run, times, (end, longest) = self.run, self.run.times, stop
        own = {"rtol": run.rtol, "atol": run.atol, "max_step": longest}
        solver = self.solver(self.rate, t, x, end, **own)
        while solver.status == "running":
            message = solver.step()
            self.steps += 1
            if solver.status == "failed":
                raise ComputationError(f"{run.method}: {message}")
            if self.steps > run.most:
                nq = run.job.m.nq
                raise SimulationStopped(
                    f"more than {run.most} steps, t = {solver.t:.9g} s is reached",
                    "allow more (max_steps=), or a larger rtol", "",
                    float(solver.t), solver.y[:nq].copy(), solver.y[nq:].copy(),
                )  # fmt: skip
            before, after, dense = float(solver.t_old), float(solver.t), solver.dense_output()
            turn = self._turn(dense, before, after)
            last = after if turn is None else turn
            for k in np.flatnonzero((times > before) & (times <= last)):
                out[k] = self.case.closed(dense(times[k]), float(times[k]))
            if turn is not None:
                x, where = self.case.closed(dense(turn), turn), run.place(self.row)
                self.events += run.modes.turned(self.case, x, turn, self.row, where)
                return turn, x
        return end, self.case.closed(solver.y, end)

    def _turn(self, dense: Any, before: float, after: float) -> float | None:
        """Return when friction first holds or lets go a joint within a step."""
        if self.guards is None:
            return None

        def guards(t: float) -> Array:
            return np.asarray(self.case.ask(self.guards, self.case.closed(dense(t), t), t))

        for part in QUARTERS:
            time = before + part * (after - before)
            if (guards(time) < 0).any():
                found = crossing(guards, self.case.p[-self.run.modes.count :] != 0, before, time)
                self.run.modes.look(self.row, found, dense(found), self.run.job.m.nq)
                return found
        return None


def run_numpy(run: Any) -> Samples:
    """Return the samples of all states by a fixed step in NumPy, where no code can be generated."""
    method, modes, case = run.method, run.modes, run.case()
    x, count = np.array(run.states), 0
    modes.begin(case, x, float(run.times[0]))
    out, events = [x.copy()], list[Event]()
    for before, after in pairwise(run.times):
        parts = max(1, int(np.ceil((after - before) / run.step - 1e-9)))
        h = (after - before) / parts
        for k in range(parts):
            t, start = before + k * h, x
            x = case.stepped(method, x, t, h)
            if modes.count:
                guards = case.ask(run.job.kernels.guards(), x, t + h)
                for row in map(int, np.flatnonzero((guards < 0).any(axis=1))):
                    way = Through(case.of(row), method, modes, row, run.place(row))
                    x[row] = way.step(start[row].copy(), t, h)
                    events += way.events
        count += parts * len(x)
        out.append(x)
    stages = 1 if method in MAPS else RK4.stages
    return Samples(np.stack(out, axis=1), events, count, count * stages)
