"""Dry friction in time: when joints begin to slide and when they come to rest.

Which joints are held, and in which direction the others slide, stays the same from one event to the
next, so that the motion between events is smooth. At an event the joints at rest settle: a held
joint whose friction would exceed its bounds is let go, one that would move against its direction
is held. That is a linear complementarity problem with bounds; it is solved by principal pivots,
several at a time first and then the one of least index (Júdice and Pires 1992).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import shown
from .job import Case
from .kernels import RESTING
from .result import Event, SimulationStopped
from .systems import Tree

Array = np.ndarray
REST = 10 * RESTING  # joints as slow as this are at rest when another one comes to rest
AT_ONCE = 3  # rounds in which all pivots are exchanged together


@dataclass
class Modes:
    """The directions of sliding of every state of a simulation, from event to event."""

    job: Any
    record: bool = True
    times: dict[int, list[float]] = field(default_factory=dict)
    found: dict[int, list[Array]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of joints with dry friction."""
        return len(self.job.kernels.dry_joints)

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [self.job.m.rate_joints[k] for k in self.job.kernels.dry_joints]

    def begin(self, case: Case, x: Array, t: float, first: int = 0) -> None:
        """Write the directions in which states (rows, n) start; resting speeds become zero."""
        n, p = self.count, np.atleast_2d(case.p)
        if not n or not len(x):
            return
        p[:, -n:] = 1.0
        case = replace(case, p=p)
        speed = self._asked(case, x, t)[0]
        p[:, -n:] = np.where(np.abs(speed) <= REST, 0.0, np.sign(speed))
        self.settle(case, x, t)
        for row in range(len(x)):
            self._keep(first + row, t, p[row, -n:])

    def at(self, rows: Array, t: Array) -> Array:
        """Return the directions of states `rows` (...) at times t (...)."""
        out = np.zeros((rows.size, self.count))
        for k, (row, time) in enumerate(zip(rows.ravel(), t.ravel(), strict=True)):
            since = int(np.searchsorted(self.times[int(row)], time, side="right")) - 1
            out[k] = self.found[int(row)][max(0, since)]
        return out.reshape(*rows.shape, self.count)

    def directed(self, case: Case, rows: Array, t: Array) -> Case:
        """Return the case of states `rows` at times t with the directions in which joints slide."""
        if not self.count:
            return case
        p, dry = case.p, self.at(rows, np.broadcast_to(t, rows.shape))
        p = np.broadcast_to(p, (*rows.shape, p.shape[-1]))
        return replace(case, p=np.concatenate([p, dry], axis=-1))

    def settle(self, case: Case, x: Array, t: float) -> None:
        """Change directions of joints at rest, a row for each state, until they fit the motion."""
        n = self.count
        own, index = case.p[:, -n:], np.arange(n)
        speed = self._asked(case, x, t)[0]
        rest = (np.abs(speed) <= REST) | (own == 0)
        self._halt(case, x, t, rest, speed)
        own[rest & (np.abs(speed) <= REST)] = 0.0
        for turn in range(AT_ONCE + 2 ** min(n, 8) + 8 * n):
            _, rate, force, upper, lower = self._asked(case, x, t)
            span = 1e-12 * (upper - lower)
            wanted = np.where(force > upper + span, 1.0, np.where(force < lower - span, -1.0, 0.0))
            against = rate * own < -1e-10 * (1 + np.abs(rate).max(axis=-1, keepdims=True))
            wrong = rest & np.where(own == 0, wanted != 0, against)
            if not wrong.any():
                return
            if turn >= AT_ONCE:
                wrong &= index == np.argmax(wrong, axis=-1)[:, None]
            own[...] = np.where(wrong, np.where(own == 0, wanted, 0.0), own)

    def _halt(self, case: Case, x: Array, t: float, rest: Array, speed: Array) -> None:
        """Make the speeds of joints at rest exactly zero."""
        m, own = case.job.m, case.job.kernels.system
        nq, count = m.nq, own.speeds
        for row in np.flatnonzero((rest & (speed != 0)).any(axis=1)):
            if isinstance(own, Tree):
                break
            # rates are affine in the speeds: their slopes are differences
            beside = np.repeat(x[row : row + 1], count + 1, axis=0)
            beside[1:, nq : nq + count] += np.eye(count)
            near = case.of(np.full(count + 1, row))
            rates = self._asked(near, near.closed(beside, t), t)[0]
            slopes = (rates[1:] - rates[0]).T
            # a joint at its dead point stands still whatever the others do
            still = rest[row] & (np.abs(slopes).max(axis=1) > 1e-6)
            step = np.linalg.lstsq(slopes[still], rates[0][still], rcond=1e-9)[0]
            x[row, nq : nq + count] -= step
            x[row] = case.of(row).closed(x[row], t)
        if count == m.nv:
            at = nq + np.array(case.job.kernels.dry_joints)
            x[:, at] = np.where(rest, 0.0, x[:, at])

    def turned(
        self, case: Case, x: Array, t: float, row: int, place: tuple[int, ...]
    ) -> list[Event]:
        """Settle one state at an event and return what happened to its joints."""
        before = case.p[-self.count :].copy()
        self.settle(replace(case, p=case.p[None]), x[None], t)
        after, kernels = case.p[-self.count :], case.job.kernels
        self._keep(row, t, after)
        found, nq = [], case.job.m.nq
        for name, old, new in zip(self.names, before, after, strict=True):
            if (old == 0) != (new == 0):
                what = f"{name} {'sticks' if new == 0 else 'slips'}"
                qd = x[nq : kernels.size].copy()
                found.append(Event(what, float(t), x[:nq].copy(), qd, place))
        return found

    def look(self, row: int, t: float, x: Array, nq: int) -> None:
        """Raise SimulationStopped where joints stick and slip without end at one time."""
        last = self.times.get(row, [])[-(8 * self.count + 40) :]
        if len(last) == 8 * self.count + 40 and t - last[0] <= 1e-13 * max(1.0, abs(t)):
            names = ", ".join(map(shown, self.names[:8]))
            raise SimulationStopped(
                f"joints stick and slip without end at t = {t:.9g} s",
                f"look at the friction of {names}: a static level far above that of motion, "
                "or a law that answers by jumps",
                self.names[0], t, x[:nq].copy(), x[nq:].copy(),
            )  # fmt: skip

    def _keep(self, row: int, t: float, directions: Array) -> None:
        if self.record:
            self.times.setdefault(row, []).append(float(t))
            self.found.setdefault(row, []).append(directions.copy())

    def _asked(self, case: Case, x: Array, t: float) -> Any:
        return case.ask(case.job.kernels.friction(), x, t)


def crossing(guards: Callable[[float], Array], slides: Array, low: float, high: float) -> float:
    """Return when the first guard that is negative at `high` has been used up.

    For a joint that slides that is where its speed is zero; one that has just begun to slide may
    come back within the step.
    """
    start, end = guards(low), guards(high)
    offset = np.where(slides & (start > RESTING), RESTING, 0.0)
    start, end = start - offset, end - offset
    times = [high]
    for k in np.flatnonzero(end + offset < 0):
        if start[k] <= 0:
            return low

        def value(t: float, k: int = int(k)) -> float:
            return float(guards(t)[k] - offset[k])

        times.append(_root(value, low, high, float(start[k]), float(end[k])))
    return min(times)


def _root(f: Callable[[float], float], a: float, b: float, fa: float, fb: float) -> float:
    """Return where f falls to zero between a and b, by false position (Illinois)."""
    side = 0
    for _ in range(200):
        c = b - fb * (b - a) / (fb - fa)
        if not a < c < b:
            c = a + (b - a) / 2
            if c in (a, b):
                break
        fc = f(c)
        # an end that stays twice counts half
        if fc <= 0:
            b, fb, fa, side = c, fc, fa / 2 if side < 0 else fa, -1
        else:
            a, fa, fb, side = c, fc, fb / 2 if side > 0 else fb, 1
        if b - a <= 4e-16 * max(abs(a), abs(b)) or fc == 0:
            break
    return b


@dataclass
class Through:
    """A fixed step of one state taken in parts, from one event of friction to the next."""

    case: Case
    method: str
    modes: Modes
    row: int
    place: tuple[int, ...]
    events: list[Event] = field(default_factory=list)

    def step(self, x: Array, t: float, h: float) -> Array:
        """Return the end of the step; the case then holds the directions there."""
        done, same = 0.0, 0
        while True:
            slides, left, start = self.case.p[-self.modes.count :] != 0, h - done, x

            def guards(s: float, start: Array = start, at: float = t + done) -> Array:
                y = self._moved(start, at, s)
                return np.asarray(self.case.ask(self.case.job.kernels.guards(), y, at + s))

            if not left > 0 or (guards(left) >= 0).all():
                return self._moved(x, t + done, left) if left > 0 else x
            part = crossing(guards, slides, 0.0, left)
            x = self._moved(x, t + done, part) if part > 0 else x.copy()
            done, same = done + part, same + 1 if part == 0 else 0
            if same > 4 * self.modes.count + 8:
                return self._moved(x, t + done, left)
            self.events += self.modes.turned(self.case, x, t + done, self.row, self.place)

    def _moved(self, x: Array, t: float, h: float) -> Array:
        return self.case.stepped(self.method, x, t, h) if h else x
