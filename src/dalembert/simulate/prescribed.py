"""Motions prescribed to joints and steering angles, as the signals that kernels read.

A function of time becomes polynomials piece by piece, which compiled code reads with exact rates. A
piece interpolates at Chebyshev's nodes (Trefethen, Approximation Theory and Approximation Practice,
chapter 2) and is halved where it is not its function to rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from ..errors import UsageError, shown
from ..mechanism import Mechanism, joint_name
from ..runtime.signal import Signal, held, linear, smooth
from .systems import Reduced, System

Array = np.ndarray
DEGREE = 9
CLOSE = 1e-12  # of the largest value: a piece equals its function
SHORTEST = 2.0**-12  # of the time: a shorter piece would hold rounding in its second derivative
ROUGH = 1e-6  # of the largest value: what a shortest piece may miss, at most KINKS times
KINKS = 64

_ANGLES = np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1)
_NODES = 0.5 - 0.5 * np.cos(_ANGLES)  # on [0, 1]
_BETWEEN = np.linspace(0.05, 0.95, 7)
_TO_SERIES = 2 / (DEGREE + 1) * np.cos(np.outer(np.arange(DEGREE + 1), np.pi - _ANGLES))
_TO_SERIES[0] /= 2


def as_signal(value: Any, accelerated: bool = False, name: str = "") -> Signal:
    """Return a signal of one column from a signal, a (times, values) pair or a number.

    A table is read linearly; where its accelerations count, by a spline. `name` is for an error.
    """
    if isinstance(value, Signal):
        return value
    if hasattr(value, "signal"):
        return value.signal  # type: ignore[no-any-return]
    try:
        if isinstance(value, tuple) and len(value) == 2:
            rows = np.asarray(value[1], dtype=float)
            return (smooth if accelerated else linear)(value[0], rows.reshape(len(rows), -1))
        return held([0.0], [[float(value)]])
    except (TypeError, ValueError):
        raise UsageError(
            f"motion {shown(name)!r} is {shown(repr(value), 60)}, which holds no numbers",
            hint="a number (radians, metres), (times, values), f(t), or a law",
        ) from None


def straight(own: System, motion: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a note for each steering angle of which no motion is given."""
    names = [shown(name) for name in own.steering if name not in motion]
    return tuple(f"steering {n} is not given and stays 0: give motion={{{n!r}: ...}}, or "
                 f"--steer {n}=ANGLE" for n in names)  # fmt: skip


def prescribed_signal(own: System, motion: Mapping[str, Any]) -> Signal | None:
    """Return the signals of prescribed joints (q, q̇, q̈) or steering angles (angle, rate)."""
    m, joints = own.m, own.given
    if isinstance(own, Reduced):
        joints = joints[: len(joints) - getattr(own, "count", 0)]  # the others follow laws
    else:
        named = {m.joint_index(n) for n in m.prescribed if n in m.joint_names}
        joints = tuple(sorted({*joints, *named}))
    order = dict.fromkeys(own.steering, 2) | {joint_name(m.bodies[j]): 3 for j in joints}
    for name in motion:
        if name not in order:
            raise UsageError(
                f"motion: {name!r} is neither a joint of one degree of freedom nor prescribed",
                hint="names: " + ", ".join([*m.joint_names[:8], *own.steering]),
            )
    parts = []
    for name, count in order.items():
        if count == 3 and name not in motion:
            raise UsageError(
                f"joint {name!r} is prescribed and its motion is not given",
                hint=f"motion={{{name!r}: (times, values)}}, a signal or a number",
                command=f"write --steer {name}=ANGLE",
            )
        one = as_signal(motion.get(name, 0.0), count == 3)
        parts.append(one)
        for _ in range(count - 1):
            one = one.derivative()
            parts.append(one)
    return parts[0].beside(*parts[1:]) if parts else None


# -- functions of time -------------------------------------------------------------------------


def _powers_of_series() -> Array:
    """Return the matrix from Chebyshev's series to powers of x on [0, 1], the highest first."""
    out = np.zeros((DEGREE + 1, DEGREE + 1))
    for k in range(DEGREE + 1):
        own = Chebyshev.basis(k, domain=[0, 1]).convert(kind=Polynomial).coef
        out[DEGREE + 1 - len(own) :, k] = own[::-1]
    return out


_TO_POWERS = _powers_of_series()


def timed_motion(
    m: Mechanism, motion: Mapping[str, Any], times: Array
) -> tuple[dict[str, Signal], list[str]]:
    """Return motions as signals over all times, and notes on those that are held beyond their end.

    Functions of time become polynomials, piece by piece.
    """
    made, notes = dict[str, Signal](), list[str]()
    start, end = float(times[0]), float(times[-1])
    for name, value in motion.items():
        if callable(value) and not isinstance(value, Signal) and not hasattr(value, "signal"):
            made[name] = polynomials(name, value, times)
            continue
        one = as_signal(value, name in m.joint_names, name)
        if name in m.joint_names:
            _require_continuous(name, one, start, end)
        if not one.held and (start < one.breaks[0] or end > one.breaks[-1]):
            notes.append(_held(f"motion of {shown(name)}", one.breaks, start, end))
            one = one.spanning(start, end)
        made[name] = one
        notes += _swings(name, one, value)
    return made, notes


def _require_continuous(name: str, one: Signal, start: float, end: float) -> None:
    """Raise UsageError where a joint is told to jump, in place or speed: no force can do that."""
    for what, own in (("place", one), ("speed", one.derivative())):
        at = one.breaks[1:-1][own.jumps]
        at = at[(at > start) & (at < end)]
        if len(at):
            raise UsageError(
                f"motion {shown(name)!r}: its {what} jumps at t = {at[0]:g} s, which is a blow",
                hint="end a motion at rest before the next begins, or at the speed of the next; "
                "(times, values) is read as a smooth curve",
            )


def _swings(name: str, one: Signal, table: Any) -> list[str]:
    """Return a note where the spline through a table leaves its values by more than their span."""
    if not (isinstance(table, tuple) and len(table) == 2):
        return []
    between = one.breaks[:-1, None] + np.diff(one.breaks)[:, None] * _BETWEEN
    x, values = one(between.ravel())[:, 0], np.asarray(table[1], dtype=float)
    low, high = values.min(), values.max()
    if max(x.max() - high, low - x.min()) <= high - low:
        return []
    far = x.max() if x.max() - high > low - x.min() else x.min()
    return [f"motion of {shown(name)}: the spline through its table swings to {far:.4g}, far "
            f"beyond its values, {low:.4g} to {high:.4g}: give more samples"]  # fmt: skip


def table_notes(torque: Any, wrenches: Any, times: Array, hold: bool) -> list[str]:
    """Return notes on tables of forces that are held beyond their times; steps may end early."""
    tables = {"torque": torque}
    if isinstance(wrenches, Mapping):
        tables |= {f"wrench on {shown(str(frame))}": x for frame, x in wrenches.items()}
    notes = []
    if hold and (callable(torque) or hasattr(torque, "torque")):
        notes.append("hold reads tables in steps: the law of the torque acts at every moment")
    for what, table in tables.items():
        if isinstance(table, Signal) and not table.held:
            own = table.breaks
        elif isinstance(table, tuple) and len(table) == 2 and np.ndim(table[0]) == 1:
            own = np.asarray(table[0], dtype=float)
        else:
            continue
        start, end = float(times[0]), float(own[-1] if hold else times[-1])
        if len(own) > 1 and (start < own[0] or end > own[-1]):
            notes.append(_held(what, own, start, end))
    return notes


def _held(what: str, own: Array, start: float, end: float) -> str:
    """Return the note on what is given at its own times and held in the rest of a run."""
    short = {"before": start < own[0], "after": end > own[-1]}
    sides = " and ".join(side for side, is_short in short.items() if is_short)
    return f"{what} is given from {own[0]:g} to {own[-1]:g} s, and held {sides}"


def polynomials(name: str, function: Any, times: Array) -> Signal:
    """Return a function of time as a signal that equals it to rounding where it is smooth.

    It is looked at between the first and the last of the times, at each of them and more often.
    """
    start, end = float(times[0]), float(times[-1])
    end = end if end > start else start + 1.0
    todo: list[tuple[float, float]] = [(start, end)]
    pieces: list[tuple[float, Array]] = []
    rough = 0
    while todo:
        a, b = todo.pop()
        asked = times[(times >= a) & (times <= b)]
        at = np.concatenate([_NODES, _BETWEEN, (asked - a) / (b - a)])
        values = _values(name, function, a + at * (b - a))
        series = _TO_SERIES @ values[: DEGREE + 1]
        size = np.abs(values).max()
        series[np.abs(series) < 4 * np.finfo(float).eps * size] = 0.0
        gap = np.abs(np.polynomial.chebyshev.chebval(2 * at - 1, series) - values).max()
        if gap > CLOSE * size and b - a > SHORTEST * (end - start):
            todo += [((a + b) / 2, b), (a, (a + b) / 2)]
            continue
        rough += bool(gap > ROUGH * size)
        pieces.append((a, _TO_POWERS @ series / (b - a) ** np.arange(DEGREE, -1, -1)))
    if rough > KINKS:
        raise UsageError(
            f"motion {shown(name)!r}: the function changes too fast to be followed over "
            f"{end - start:g} s",
            hint="simulate a shorter time, or give a signal of dalembert.trajectory",
        )
    breaks = np.array([*(a for a, _ in pieces), end])
    return Signal(breaks, np.array([c for _, c in pieces])[:, None])


def _values(name: str, function: Any, at: Array) -> Array:
    try:
        return np.array([float(function(float(t))) for t in at])
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"motion {shown(name)!r}: the function of time fails: {error}",
            hint="f(t) takes a number and returns one; f(t, q, qd) is a rate of steering",
        ) from None
