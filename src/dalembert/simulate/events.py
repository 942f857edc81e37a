"""Events: sign changes of functions of the state, joint limits first among them.

Adaptive steps find them on their own interpolant (`located`), fixed steps in `fixed_step_events`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import UsageError, shown
from ..mechanism import Mechanism, joint_name
from ..mechanism.limits import coordinate_limits
from .result import Event

Array = np.ndarray
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
    before = np.array(driver.task.kept["g"][: len(names)])
    after = np.array(driver.task.kept["g_new"][: len(names)])
    low, high = driver.t, float(driver.task["t_new"])
    found = []
    for k, name in enumerate(names):
        up, down = before[k] < 0 <= after[k], before[k] > 0 >= after[k]
        if not (up or down):
            continue
        a, b = low, high
        # bisection down to neighbouring numbers: the interpolant is cheap and rarely asked
        while (middle := a + (b - a) / 2) not in (a, b):
            value = driver.event_values(driver.interpolated(middle), middle)[k]
            if (value < 0) == (before[k] < 0) and value != 0:
                a = middle
            else:
                b = middle
        x = driver.interpolated(b)
        event = event_at(run, name, b, x, place)
        found.append(replace(event, slopes=run.event_slopes(k, driver, x, b)))
    return sorted(found, key=lambda e: e.time)


def event_at(run: Any, name: str, time: float, x: Array, place: tuple[int, ...]) -> Event:
    """Return the event of a name at a time and state."""
    nq, n = run.job.m.nq, run.job.kernels.size
    return Event(name, float(time), x[:nq].copy(), x[nq:n].copy(), place)
