"""Functions of time as piecewise polynomials, which compiled code reads with exact rates.

A piece interpolates at Chebyshev's nodes (Trefethen, Approximation Theory and Approximation
Practice, chapter 2) and is halved where it is not its function to rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from ..errors import UsageError, shown
from ..runtime.signal import Signal

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


def _powers_of_series() -> Array:
    """Return the matrix from Chebyshev's series to powers of x on [0, 1], the highest first."""
    out = np.zeros((DEGREE + 1, DEGREE + 1))
    for k in range(DEGREE + 1):
        own = Chebyshev.basis(k, domain=[0, 1]).convert(kind=Polynomial).coef
        out[DEGREE + 1 - len(own) :, k] = own[::-1]
    return out


_TO_POWERS = _powers_of_series()


def timed_motion(motion: Mapping[str, Any], times: Array) -> dict[str, Any]:
    """Return motions whose functions of time are polynomials, piece by piece."""
    return {
        name: polynomials(name, value, times)
        if callable(value) and not isinstance(value, Signal) and not hasattr(value, "signal")
        else value
        for name, value in motion.items()
    }


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
