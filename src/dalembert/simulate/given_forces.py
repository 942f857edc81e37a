"""Joint forces as they may be given to `simulate`: numbers, tables, signals, laws, functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import UsageError, shown
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from ..runtime.signal import Signal, held, linear
from .kernels import Law

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Constant:
    """The same joint forces at all times; one row per state where there are several."""

    settings: Array = field(repr=False)
    signal: None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the compiled code."""
        return ("constant",)

    def torque(
        self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, u: Vector, p: Vector
    ) -> Sequence[Scalar]:
        """Return the forces, which are the settings."""
        return p


@dataclass(frozen=True, eq=False)
class Table:
    """Joint forces as a function of time."""

    signal: Signal
    settings: Array = field(default_factory=lambda: np.zeros(0), repr=False)

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the compiled code."""
        return ("table",)

    def torque(
        self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, u: Vector, p: Vector
    ) -> Sequence[Scalar]:
        """Return the forces, which are the signal."""
        return u


@dataclass(frozen=True)
class Called:
    """Joint forces from a Python function f(t, q, qd): the slower path."""

    function: Callable[[float, Array, Array], Any]
    forces: int
    signal: None = None

    @property
    def settings(self) -> Array:
        """Forces before the first call."""
        return np.zeros(self.forces)

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the compiled code."""
        return ("constant",)  # what is compiled takes the forces as settings

    def torque(
        self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, u: Vector, p: Vector
    ) -> Sequence[Scalar]:
        """Return the forces that the last call gave."""
        return p


def law_of(torque: Any, names: Sequence[str], hold: bool = False) -> Law:
    """Return the law of what was given for `torque`; `names` are those of the forces."""
    size = len(names)
    if torque is None:
        return Constant(np.zeros(size))
    if hasattr(torque, "torque") and hasattr(type(torque), "key"):  # its gains are not yet placed
        return torque  # type: ignore[no-any-return]
    if isinstance(torque, Signal):
        return Table(_sized(torque, size))
    if isinstance(torque, Mapping):
        row = np.zeros(size)
        for name, value in torque.items():
            row[_place(names, name)] = value
        return Constant(row)
    if callable(torque):
        return Called(torque, size)
    if isinstance(torque, tuple) and len(torque) == 2 and np.ndim(torque[1]) == 2:
        make = held if hold else linear
        return Table(_sized(make(*torque), size))
    ways = "numbers, {joint: number}, (times, table), a control law, or f(t, q, qd)"
    try:
        values = np.asarray(torque, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"torque does not hold numbers: {torque!r}"[:200], hint=ways) from None
    if values.ndim == 0 or values.shape[-1] != size:
        listed = ", ".join(map(shown, names[:12])) + (", ..." if size > 12 else "")
        raise UsageError(
            f"torque has shape {values.shape}, expected (..., {size})",
            hint=f"forces: {listed}; {ways}" if size else ways,
        )
    return Constant(values)


def _sized(signal: Signal, size: int) -> Signal:
    if signal.size != size:
        raise UsageError(f"the torque table has {signal.size} columns, expected {size}")
    return signal


def _place(names: Sequence[str], name: str) -> int:
    if name not in names:
        raise UsageError(f"no force {name!r}", hint="forces: " + ", ".join(names[:12]))
    return list(names).index(name)
