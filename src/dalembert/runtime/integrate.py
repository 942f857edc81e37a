"""Integration drivers at work: records filled, driver code loaded, results handed back.

The drivers run a bounded number of steps per call, so that Python looks at interrupts and progress
at least every 50 ms.
"""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import adaptive as adaptive_code
from . import arguments, cache
from . import fixed as fixed_code
from .adaptive import EVENT, SMALL
from .ahead import MAKING, Ahead
from .code import LANES
from .explicit import Explicit
from .fixed import ALARM, BAD, DONE, GUARD, MORE, TILE
from .implicit import Implicit
from .kernel import Kernel
from .library import declarations, library, parts_of
from .llvm import Engine, generate, table
from .methods import ADAPTIVE, METHODS, RK4, Rosenbrock
from .refused import unwanted
from .signal import Signal
from .task import Task

__all__ = [
    "ALARM",
    "BAD",
    "DONE",
    "EVENT",
    "GUARD",
    "LIMIT",
    "MORE",
    "SMALL",
    "VariableStep",
    "FixedStep",
    "Model",
]

LIMIT = 6  # the status of a driver that was given up
PAUSE = 0.02  # seconds of work between two looks at Python
_DRIVER = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
_asked: set[str] = set()  # drivers that were begun


def _text(name: str) -> str:
    """Return the code of the driver of fixed steps, or of an adaptive method."""
    if name == "fixed":
        return fixed_code.text()
    method = ADAPTIVE[name]
    own = Implicit if isinstance(method, Rosenbrock) else Explicit
    return adaptive_code.text(own, method)


@functools.cache
def _engine(name: str) -> Engine:
    kept = cache.read(f"driver {name}")
    if kept is not None:
        code = kept[1]
    else:
        code = generate("".join([table(1), declarations(), _text(name)]), 2)
        cache.write(f"driver {name}", {}, code)
    return Engine(code, (ctypes.c_void_p * 1)())


def _driver(name: str) -> Callable[[int], int]:
    with MAKING:
        return _DRIVER(_engine(name).address("fixed" if name == "fixed" else "adaptive"))


def beforehand(method: str) -> None:
    """Begin to make what every motion by a method asks for, beside Python, if it is not there."""
    name = method if method in ADAPTIVE else "fixed"
    if method not in METHODS or name in _asked or unwanted():
        return
    _asked.add(name)

    def work() -> None:
        with suppress(Exception):  # who needs it will meet the error again
            library(parts_of("float64", name in ADAPTIVE))
            _driver(name)

    Ahead(work)


@dataclass(frozen=True)
class Model:
    """The kernels of a simulation. Inputs are x, t, u, p (and h for a one-step map).

    `rhs` gives the rate of x, or with `mapped` the next x; `project` gives x brought back to its
    place and a number that raises an alarm when small; `events` gives functions of the state;
    `guards` gives functions that must not become negative; `jacobian` gives the derivatives of
    `rhs` with respect to x, column by column.
    """

    rhs: Kernel
    project: Kernel | None = None
    events: Kernel | None = None
    mapped: bool = False
    signal: Signal | None = None
    alarm_limit: float = 0.0
    guards: Kernel | None = None
    jacobian: Kernel | None = None


def guard_count(model: Model) -> int:
    """Return how many guards a model has."""
    return model.guards.card.outputs[0].size if model.guards is not None else 0


@dataclass
class FixedStep:
    """States (count, n) taken through `times` with steps no longer than `step`."""

    model: Model
    states: np.ndarray
    times: np.ndarray
    step: float
    settings: np.ndarray  # (size,) or (count, size)
    parameters: Mapping[str, Any] | None = None
    out: np.ndarray = field(init=False)
    task: Task = field(init=False)

    def __post_init__(self) -> None:
        self.states = np.array(self.states, dtype=float, order="C")
        count, n = self.states.shape
        self.out = np.full((count, len(self.times), n), np.nan)
        self.task = task = Task(fixed_code.RECORD)
        settings = np.ascontiguousarray(self.settings, dtype=float)
        card = self.model.rhs.card
        task["n"], task["count"], task["states"] = n, count, self.states
        task["out"], task["times"] = self.out, np.ascontiguousarray(self.times, dtype=float)
        task["samples"], task["step"] = len(self.times), self.step
        for name, tiles in (("x", 1), ("y", 1), ("k", RK4.stages)):
            task.buffer(name, tiles * TILE * n)
        task.buffer("alarm", TILE)
        task["guard_count"] = guard_count(self.model)
        task.buffer("g", TILE * guard_count(self.model))
        task["settings"] = settings
        task.entry("strides", 0, 8 * n)
        task.entry("strides", 3, 8 * settings.shape[-1] if settings.ndim > 1 else 0)
        task.entry("ins", 1, task.where("value"))
        task.entry("ins", 4, task.where("h"))
        params, lead = arguments.parameters(card, self.parameters)
        if params is not None:
            task["params"] = params
            task["param_stride"] = 8 * len(card.parameters) if lead else 0
        task.signal(self.model.signal, card.inputs[2].size)
        self.use(self.model)

    def use(self, model: Model) -> None:
        """Take the kernels of another model of the same state (a renewed plan)."""
        task = self.task
        for name in ("rhs", "project", "guards"):
            task.kernel(name, getattr(model, name), "batch")
        task["mapped"], task["alarm_limit"] = int(model.mapped), model.alarm_limit
        self.model = model

    @property
    def where(self) -> tuple[int, float, np.ndarray, np.ndarray]:
        """First state of the tile in hand, its time, its rows before and after the step."""
        n = self.states.shape[1]
        rows = min(TILE, len(self.states) - int(self.task["first"]))
        x, y = (self.task.kept[b][: rows * n].reshape(rows, n) for b in ("x", "y"))
        return int(self.task["first"]), float(self.task["t"]), x, y

    @property
    def guards(self) -> np.ndarray:
        """The guards at the end of the step in hand, a row per state."""
        rows, count = len(self.where[3]), guard_count(self.model)
        return self.task.kept["g"][: rows * count].reshape(rows, count)

    def progress(self) -> float:
        """Return the part of the work that is done, 0 to 1."""
        done = int(self.task["first"]) * len(self.times) + TILE * int(self.task["sample"])
        return min(1.0, done / max(1, len(self.states) * len(self.times)))

    def run(self, report: Callable[[float], None] | None = None) -> int:
        """Return the status when the driver ends: DONE, BAD, ALARM or GUARD."""
        return _run(_driver("fixed"), self.task, self.progress, report)


@dataclass
class VariableStep:
    """One state taken to the end of `times` with steps as long as the tolerances allow."""

    model: Model
    state: np.ndarray
    times: np.ndarray
    rtol: float
    atol: float
    settings: np.ndarray
    parameters: Mapping[str, Any] | None = None
    first_step: float | None = None
    longest: float = np.inf
    most: int = 1_000_000  # steps, those refused included
    method: str = "dop853"
    out: np.ndarray = field(init=False)
    task: Task = field(init=False)
    turn: tuple[float, np.ndarray] = field(init=False)  # where to restart after a guard

    def __post_init__(self) -> None:
        n = len(self.state)
        self.task = task = Task(adaptive_code.RECORD)
        self.out = np.full((len(self.times), n), np.nan)
        wide = -(-n // LANES) * LANES
        task["n"], task["wide"] = n, wide
        times = np.ascontiguousarray(self.times, dtype=float)
        task["out"], task["times"], task["samples"] = self.out, times, len(times)
        task["rtol"], task["atol"], task["longest"] = self.rtol, self.atol, self.longest
        for name in ("x", "x_new", "y"):
            task.buffer(name, n)
        method = ADAPTIVE[self.method]
        task.buffer("K", wide * (method.rows + 1))
        task.buffer("F", wide * method.interpolant)
        if isinstance(method, Rosenbrock):
            column = wide + LANES
            for name, size in (("J", n * n), ("W", n * column), ("U", n * column), ("b", column)):
                task.buffer(name, size + LANES)
            for name in ("inverse", "order"):
                task.buffer(name, n)
            task["timed"] = 1
        task.buffer("alarm", 1)
        task.kept["x"][:n] = self.state
        task.entry("ins", 1, task.where("time"))
        task.entry("ins", 3, np.ascontiguousarray(self.settings, dtype=float))
        params, _ = arguments.parameters(self.model.rhs.card, self.parameters)
        if params is not None:
            task["params"] = params
        task.signal(self.model.signal, self.model.rhs.card.inputs[2].size)
        task["t"] = task["start"] = times[0]
        self.use(self.model)
        events = self.model.events
        size = events.card.outputs[0].size if events is not None else 0
        task["event_count"] = size
        task.buffer("g", size)[:size] = self.event_values()
        task.buffer("g_new", size)
        task.buffer("g_far", size)
        task["guard_count"] = guard_count(self.model)
        task.buffer("guard", guard_count(self.model))
        task["h"] = self.first_step or self._first_step()

    def use(self, model: Model) -> None:
        """Take the kernels of a model, and compute the rate at the state in hand."""
        self.model = model
        for name in ("rhs", "project", "events", "guards", "jacobian"):
            self.task.kernel(name, getattr(model, name), "one")
        self.task["alarm_limit"] = model.alarm_limit
        self.read_again()

    def read_again(self) -> None:
        """Compute the rate at the state in hand, from where signals have come to."""
        self.task["known"] = 0
        self.task.kept["K"][: len(self.state)] = self.rate(self.x, self.t)

    @property
    def t(self) -> float:
        """The time reached."""
        return float(self.task["t"])

    @property
    def x(self) -> np.ndarray:
        """The state reached."""
        return self.task.kept["x"][: len(self.state)]

    def inputs(self, x: np.ndarray, t: float) -> tuple[Any, ...]:
        """Return what the kernels are given at a state and time."""
        signal = self.model.signal
        u = signal(t) if signal is not None else self.task.kept["u"][: self._nu]
        return x, [t], u, self.task.kept["ins3"]

    @property
    def _nu(self) -> int:
        return self.model.rhs.card.inputs[2].size

    def rate(self, x: np.ndarray, t: float) -> np.ndarray:
        """Return the rates of a state at a time."""
        return self.model.rhs(*self.inputs(x, t), parameters=self.parameters)  # type: ignore[return-value]

    def guard_values(self, x: np.ndarray, t: float) -> np.ndarray:
        """Return the guards at a state and time."""
        assert self.model.guards is not None
        return self.model.guards(*self.inputs(x, t), parameters=self.parameters)  # type: ignore[return-value]

    def restart(self, t: float, x: np.ndarray) -> None:
        """Go on from a state within the step that the driver has just found."""
        self.task["t"], self.task["pending"] = t, 0
        self.x[:] = x
        self.read_again()
        size = int(self.task["event_count"])
        self.task.kept["g"][:size] = self.event_values()
        self.task["h"], self.task["rejected"] = self._first_step(), 0

    def write_samples(self, end: float) -> None:
        """Write the requested times up to a time within the step just found."""
        times = self.task.kept["times"]
        while (k := int(self.task["sample"])) < len(times) and times[k] <= end:
            x = self.interpolated(times[k])
            if self.model.project is not None:
                x = self.model.project(*self.inputs(x, times[k]), parameters=self.parameters)[0]
            self.out[k] = x
            self.task["sample"] = k + 1

    def event_values(self, x: np.ndarray | None = None, t: float | None = None) -> np.ndarray:
        """Return the event functions at a state, by default that in hand."""
        if self.model.events is None:
            return np.zeros(0)
        given = self.inputs(self.x if x is None else x, self.t if t is None else t)
        return self.model.events(*given, parameters=self.parameters)  # type: ignore[return-value]

    def interpolated(self, t: float) -> np.ndarray:
        """Return the state at a time within the step that the driver has just found."""
        n, wide = len(self.state), int(self.task["wide"])
        F = self.task.kept["F"].reshape(-1, wide)[:, :n]
        s = (t - self.t) / float(self.task["step"])
        y = np.zeros(n)
        for k, row in enumerate(F[::-1]):
            y = (y + row) * (s if (len(F) - 1 - k) % 2 == 0 else 1 - s)
        return self.x + y

    def _first_step(self) -> float:
        """Return a first step by Hairer's rule (II.4)."""
        x, t = self.x, self.t
        f0 = self.rate(x, t)
        scale = self.atol + np.abs(x) * self.rtol

        def norm(v: np.ndarray) -> float:
            return float(np.sqrt(np.mean((v / scale) ** 2)))

        with np.errstate(all="ignore"):
            d0, d1 = norm(x), norm(f0)
            h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
            if not 0 < h0 < np.inf:  # the state is too large for squares: the driver will say so
                return 1e-6
            d2 = norm(self.rate(x + h0 * f0, t + h0) - f0) / h0
        worst = max(d1, d2)
        h1 = (
            max(1e-6, h0 * 1e-3)
            if worst <= 1e-15
            else (0.01 / worst) ** (1 / ADAPTIVE[self.method].error_order)
        )
        found = min(100 * h0, h1)
        return found if np.isfinite(found) and found > 0 else 1e-6

    def progress(self) -> float:
        """Return the part of the time that is done, 0 to 1."""
        start, end = float(self.task.kept["times"][0]), float(self.task["end"])
        return (self.t - start) / (end - start) if end > start else 1.0

    def run(self, end: float, report: Callable[[float], None] | None = None) -> int:
        """Return the status at `end`, or when something happens before."""
        self.task["end"] = end

        def enough() -> bool:
            return int(self.task["tries"]) > self.most

        return _run(_driver(self.method), self.task, self.progress, report, enough)


def _run(
    driver: Callable[[int], int],
    task: Task,
    progress: Callable[[], float],
    report: Callable[[float], None] | None,
    enough: Callable[[], bool] | None = None,
) -> int:
    budget = 8
    while True:
        task["budget"] = budget
        begin = time.perf_counter()
        status = driver(task.start)
        spent = time.perf_counter() - begin
        task.ran(spent)
        if report is not None:
            report(progress())
        if status != MORE:
            return status
        if enough is not None and enough():
            return LIMIT
        # as many steps as fit in the pause, never many more than before
        budget = max(1, min(budget * 8, int(budget * PAUSE / max(spent, 1e-7))))
