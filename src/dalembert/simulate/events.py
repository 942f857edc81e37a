"""Events: sign changes of functions of the state, joint limits first among them.

Adaptive steps find them on their own interpolant (`located`). Between samples of fixed steps
(`sampled_events`) the steps around a sign change are taken again and seen as cubics: a cubic of
Hermite through both ends of a step and their rates is right to the fourth power of the step, as rk4
is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UsageError, shown
from ..frozen import dataclass
from ..mechanism import Mechanism, joint_name
from ..mechanism.limits import coordinate_limits
from ..runtime.adaptive import SOUNDINGS
from .result import Event

if TYPE_CHECKING:
    from .job import Case

Array = np.ndarray
HALVINGS = 52
PLACES = np.linspace(0, 1, 17)[1:-1]
COARSE = 8  # steps between two samples from which on rates are looked at
CHUNK = 256  # states looked at together
Function = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True)
class EventTable:
    """Event functions f(t, q, qd) by name; `key` is what their kernel is kept under, if at all."""

    functions: Mapping[str, Function]
    key: Any
    stop: frozenset[str]
    friction: bool = True  # whether joints that stick or slip are told


def event_table(
    m: Mechanism,
    events: Any,
    stop: Any,
    dry_joints: Sequence[str] = (),
    alarms: Mapping[str, Function] | None = None,
) -> EventTable:
    """Return the event functions of what was given: "limits", none, or {name: function}.

    Joints with dry friction, named in `dry_joints`, stick and slip beside them; `alarms` are those
    of laws, whose keys are those of the system.
    """
    functions: dict[str, Function] = {}
    key: Any = None
    if isinstance(events, str):
        if events not in ("limits", "none"):
            raise UsageError(f"unknown events {events!r}", hint='"limits", "none" or a dict')
        if events == "limits":
            found = dict(limit_functions(m))
            functions = {name: f for name, (f, _) in found.items()}
            key = [(name, value) for name, (_, value) in found.items()]
    elif events:
        if not isinstance(events, Mapping):
            raise UsageError(
                f"events = {shown(repr(events), 60)}", hint='"limits", "none" or {name: function}'
            )
        functions = dict(events)
    if alarms and not (isinstance(events, str) and events == "none"):
        functions |= {name: f for name, f in alarms.items() if name not in functions}
        key = None if key is None else [*key, *alarms]
    asked = [stop] if isinstance(stop, str) else list(stop)
    told = not (isinstance(events, str) and events == "none")
    turns = [f"{name} {what}" for name in dry_joints if told for what in ("sticks", "slips")]
    known = [n for s in asked for n in functions if s in (n, "all") or n.startswith(f"{s} ")]
    known += [n for n in turns if n in asked]
    for s in asked:
        if s not in ("all", *turns) and not any(n == s or n.startswith(f"{s} ") for n in functions):
            hint = "no joint has a limit that is a number: there is no event to stop at"
            if functions or turns:
                hint = 'events: "all", ' + ", ".join(map(shown, [*functions, *turns]))
            raise UsageError(f"no event {shown(str(s))!r}", hint=hint)
    return EventTable(functions, key, frozenset(known), told)


def limit_functions(
    m: Mechanism,
) -> Iterable[tuple[str, tuple[Function, tuple[int, float, float]]]]:
    """Yield an event per joint limit that is a number: positive inside, zero at the limit."""
    limits = coordinate_limits(m)
    for body, at in zip(m.bodies, m.coordinate_index, strict=True):
        for k in range(at, at + body.joint.nq):
            for side, limit, sign in zip(("lower", "upper"), limits[k], (1.0, -1.0), strict=True):
                if np.isfinite(limit):
                    tail = f" {k - at + 1}" if body.joint.nq > 1 else ""
                    name = f"{joint_name(body)} {side} limit{tail}"
                    yield name, (_beyond(k, limit, sign), (k, limit, sign))


def _beyond(k: int, limit: float, sign: float) -> Function:
    return lambda t, q, qd: (q[k] - limit) * sign


def located(run: Any, driver: Any, place: tuple[int, ...]) -> list[Event]:
    """Return the events within the step that the driver has just found, in order of time."""
    names = list(run.table.functions)
    if not names:
        return []
    low, high = driver.t, float(driver.task["t_new"])
    grid = np.linspace(low, high, SOUNDINGS + 1)
    ends = (driver.task.kept[n][: len(names)] for n in ("g", "g_new"))
    inner = [driver.event_values(driver.interpolated(t), t) for t in grid[1:-1]]
    g = np.array([next(ends), *inner, next(ends)])
    found = []
    for i, k in np.argwhere(changes(g)):
        a, b, before = grid[i], grid[i + 1], g[i, k]
        # bisection down to neighbouring numbers: the interpolant is cheap and rarely asked
        while (middle := a + (b - a) / 2) not in (a, b):
            value = driver.event_values(driver.interpolated(middle), middle)[k]
            if (value < 0) == (before < 0) and value != 0:
                a = middle
            else:
                b = middle
        x = driver.interpolated(b)
        event = event_at(run, names[k], b, x, place)
        found.append(replace(event, slopes=run.event_slopes(int(k), driver, x, b)))
    return sorted(found, key=lambda e: e.time)


def event_at(run: Any, name: str, time: float, x: Array, place: tuple[int, ...]) -> Event:
    """Return the event of a name at a time and state."""
    nq, n = run.job.m.nq, run.job.kernels.size
    return Event(name, float(time), x[:nq].copy(), x[nq:n].copy(), place)


# -- between samples ---------------------------------------------------------------------------


class Sampled:
    """States on a grid of times, with what the kernels need to be asked about them."""

    def __init__(self, run: Any):
        self.run, self.job, self.whole = run, run.job, run.bare
        self.events = self.job.kernels.events(run.table.functions, run.table.key)

    def case(self, t: Array, rows: Array) -> Case:
        """Return the case of states `rows` (...) at times t (...)."""
        found: Case = self.run.modes.directed(self.whole.of(rows), rows, t)
        return found

    def values(self, x: Array, t: Array, rows: Array) -> Array:
        """Return the event functions at states x (..., n)."""
        return np.asarray(self.case(t, rows).ask(self.events, x, t))

    def rates(self, x: Array, t: Array, rows: Array) -> Array:
        """Return dx/dt."""
        return np.asarray(self.case(t, rows).ask(self.job.kernels.rhs(), x, t))

    def again(self, states: Array, rows: Array, grid: Array) -> Array:
        """Return states taken from sample to sample once more, every step kept."""
        return np.asarray(self.run.again(states, grid, self.case(grid[:1], rows), rows))


def changes(g: Array) -> Array:
    """Return where functions (..., times, functions) change sign from one time to the next."""
    a, b = g[..., :-1, :], g[..., 1:, :]
    return ((a < 0) & (b >= 0)) | ((a > 0) & (b <= 0))


def cubic(s: Array, h: Array, ends: tuple[Array, Array], rates: tuple[Array, Array]) -> Array:
    """Return the cubic of Hermite at parts s of a step h."""
    (a, b), (da, db) = ends, rates
    rest = 1 - s
    blend = rest * rest * (a * (1 + 2 * s) + h * s * da)
    return np.asarray(blend + s * s * (b * (3 - 2 * s) - h * rest * db))


def sampled_events(run: Any, out: Array, fine: bool) -> list[Event]:
    """Return sign changes along samples (states, times, n), in order of state and time.

    With `fine`, intervals in which a function changes sign, or seems to touch zero, are run again
    with every step a sample.
    """
    if len(run.times) < 2 or not len(out):
        return []
    own = Sampled(run)
    found: list[Event] = []
    for first in range(0, len(out), CHUNK):
        part = out[first : first + CHUNK]
        for rows, times, x in _brackets(own, part, np.arange(first, first + len(part)), fine):
            found += _in_steps(own, rows, times, x)
    return sorted(found, key=lambda e: (e.state, e.time))


def _brackets(own: Sampled, out: Array, numbers: Array, fine: bool) -> Any:
    """Yield (rows, times, states) of the intervals worth looking at."""
    times = own.run.times
    if not fine:
        yield numbers, times, out
        return
    rows = np.broadcast_to(numbers[:, None], out.shape[:2])
    t = np.broadcast_to(times, out.shape[:2])
    g = own.values(out, t, rows)
    # where samples are as dense as steps their rates would cost more than they tell
    coarse = len(times) < 3 or np.diff(times).max() > COARSE * own.run.step
    touched = _touched(own, out, t, rows, g) if coarse else _near(g)
    asked = (changes(g) | touched).any(axis=-1)
    for k in np.flatnonzero(asked.any(axis=0)):
        chosen = np.flatnonzero(asked[:, k])
        parts = max(1, int(np.ceil((times[k + 1] - times[k]) / own.run.step - 1e-9)))
        grid = np.linspace(times[k], times[k + 1], parts + 1)
        if parts == 1:
            yield numbers[chosen], grid, out[chosen, k : k + 2]
        else:
            yield numbers[chosen], grid, own.again(out[chosen, k], numbers[chosen], grid)


def _near(g: Array) -> Array:
    """Return where functions are so bent that they may reach zero between two samples."""
    bend = np.abs(np.diff(g, 2, axis=1))
    bend = np.concatenate([bend[:, :1], bend, bend[:, -1:]], axis=1)
    size = np.abs(g)
    # a parabola leaves its chord by an eighth of the second difference
    return np.asarray(
        np.minimum(size[:, :-1], size[:, 1:]) <= 0.5 * np.maximum(bend[:, :-1], bend[:, 1:])
    )


def _touched(own: Sampled, out: Array, t: Array, rows: Array, g: Array) -> Array:
    """Return where a cubic through a function and its rate comes near zero."""
    rate = own.rates(out, t, rows)
    tiny = 1e-7 * np.diff(own.run.times).min()
    slope = (own.values(out + tiny * rate, t + tiny, rows) - g) / tiny
    h = np.diff(own.run.times)[:, None]
    ends, slopes = (g[:, :-1], g[:, 1:]), (slope[:, :-1], slope[:, 1:])
    near = 0.1 * np.minimum(np.abs(ends[0]), np.abs(ends[1]))
    sign, seen = np.sign(ends[0]), np.zeros(ends[0].shape, dtype=bool)
    for s in PLACES:
        seen |= cubic(s, h, ends, slopes) * sign <= near
    return seen


def _in_steps(own: Sampled, rows: Array, times: Array, x: Array) -> list[Event]:
    """Return the events in steps of which the ends are known."""
    every = np.broadcast_to(rows[:, None], x.shape[:2])
    g = own.values(x, np.broadcast_to(times, x.shape[:2]), every)
    where = np.argwhere(changes(g))
    if not len(where):
        return []
    i, k, which = where.T
    which, row, pick = which[:, None], rows[i], np.arange(len(where))
    before, h = g[i, k, which[:, 0]], (times[k + 1] - times[k])[:, None]
    ends = (x[i, k], x[i, k + 1])
    rates = (own.rates(ends[0], times[k], row), own.rates(ends[1], times[k + 1], row))
    low, high = np.zeros(len(where)), np.ones(len(where))

    def at(s: Array) -> tuple[Array, Array]:
        return cubic(s[:, None], h, ends, rates), times[k] + s * h[:, 0]

    for _ in range(HALVINGS):
        middle = (low + high) / 2
        state, time = at(middle)
        value = own.values(state, time, row)[pick, which[:, 0]]
        left = ((value < 0) == (before < 0)) & (value != 0)
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    state, time = at(high)
    state = own.case(time, row).closed(state, time)
    names = list(own.run.table.functions)
    made = zip(which[:, 0], time, state, map(own.run.place, row), strict=True)
    return [event_at(own.run, names[n], a, b, place) for n, a, b, place in made]
