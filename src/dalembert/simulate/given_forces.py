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
class Given:
    """Joint forces that no law gives: settings, one row per state if they differ, or a signal."""

    settings: Array = field(default_factory=lambda: np.zeros(0), repr=False)
    signal: Signal | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        return ("constant",) if self.signal is None else ("table",)

    def torque(
        self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, u: Vector, p: Vector
    ) -> Sequence[Scalar]:
        """Return the forces: the settings, or the signal."""
        return p if self.signal is None else u


@dataclass(frozen=True, eq=False)
class Called(Given):
    """Joint forces from a Python function f(t, q, qd), the slower path: settings at each call."""

    function: Callable[[float, Array, Array], Any] = field(kw_only=True)
    motors: tuple[int, ...] = ()  # see `law_of`

    @property
    def forces(self) -> int:
        """How many forces the function gives."""
        return len(self.settings)

    def asked(self, t: float, q: Array, qd: Array) -> Array:
        """Return the forces that the function gives at a state."""
        tau = np.asarray(self.function(t, q, qd), dtype=float)
        tau = spread(tau, self.forces, self.motors)
        if tau.shape != (self.forces,):
            raise UsageError(f"the torque function gave shape {tau.shape}, not ({self.forces},)")
        return tau


def law_of(
    torque: Any, names: Sequence[str], hold: bool = False, motors: tuple[int, ...] = ()
) -> Law:
    """Return the law of what was given for `torque`; `names` are those of the forces.

    Where `motors` says which of them motors give, rows may hold these alone, in this order.
    """
    size = len(names)
    if torque is None:
        return Given(np.zeros(size))
    if hasattr(torque, "torque") and hasattr(type(torque), "key"):  # its gains are not yet placed
        return torque  # type: ignore[no-any-return]
    if isinstance(torque, Signal):
        return Given(signal=_sized(torque, size, motors))
    if _recorded(torque):
        return law_of(_columns(torque, names), names, hold)
    if isinstance(torque, Mapping):
        row = np.zeros(size)
        for name, value in torque.items():
            row[_place(names, name)] = value
        return Given(row)
    if callable(torque):
        return Called(np.zeros(size), function=torque, motors=motors)
    if isinstance(torque, tuple) and len(torque) == 2 and np.ndim(torque[1]) == 2:
        make = held if hold else linear
        return Given(signal=_sized(make(*torque), size, motors))
    ways = "numbers, {joint: number}, (times, table), a run, a control law, or f(t, q, qd)"
    try:
        values = np.asarray(torque, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"torque does not hold numbers: {torque!r}"[:200], hint=ways) from None
    values = spread(values, size, motors)
    if values.ndim == 0 or values.shape[-1] != size:
        listed = ", ".join(map(shown, names[:12])) + (", ..." if size > 12 else "")
        raise UsageError(
            f"torque has shape {values.shape}, expected (..., {size})",
            hint=f"forces: {listed}; {ways}" if size else ways,
        )
    return Given(values)


def order_notes(torque: Any, names: Sequence[str], motors: tuple[int, ...]) -> tuple[str, ...]:
    """Return a note where rows of motor forces could be read in the order of the joints as well."""
    named = torque is None or isinstance(torque, Mapping) or hasattr(torque, "torque")
    named |= _recorded(torque)
    if named or len(motors) != len(names) or motors == tuple(range(len(names))):
        return ()
    order = ", ".join(shown(names[k]) for k in motors[:12])
    told = f"torque has the order of active, not that of the joints: {order}"
    return (f"{told}; torque=r takes the forces of a run r by their names",)


def _recorded(torque: Any) -> bool:
    """Return whether these are the forces of a run or of a motion: times, rows and their names."""
    return hasattr(torque, "tau") and hasattr(torque, "t") and hasattr(torque, "m")


def _columns(torque: Any, names: Sequence[str]) -> tuple[Array, Array]:
    """Return the times of recorded forces, and rows in which each has its place by its name."""
    if not hasattr(torque, "forces") and not hasattr(torque, "names"):
        raise UsageError(
            "torque: a measured motion is no table of forces", hint="(times, table): (d.t, d.tau)"
        )
    tau = np.asarray(torque.tau, dtype=float)
    heads = torque.forces if hasattr(torque, "forces") else torque.names
    if tau.ndim != 2 or tau.shape[-1] != len(heads):
        raise UsageError("torque: forces of one run are taken", hint="one state of it: r.state(0)")
    rows = np.zeros((len(tau), len(names)))
    for k, name in enumerate(heads):
        if name in names or np.any(tau[:, k]):  # joints that give none may be missing
            rows[:, _place(names, name)] = tau[:, k]
    return np.asarray(torque.t, dtype=float), rows


def spread(values: Array, size: int, motors: tuple[int, ...], axis: int = -1) -> Array:
    """Return forces in which those of motors alone, if that is what is given, have their places."""
    if not motors or values.ndim == 0 or values.shape[axis] != len(motors):
        return values
    shape = list(values.shape)
    shape[axis] = size
    full = np.zeros(shape)
    np.moveaxis(full, axis, 0)[list(motors)] = np.moveaxis(values, axis, 0)
    return full


def _sized(signal: Signal, size: int, motors: tuple[int, ...]) -> Signal:
    if signal.size == len(motors):
        c, noise = spread(signal.coefficients, size, motors, 1), spread(signal.noise, size, motors)
        signal = Signal(signal.breaks, c, noise)
    if signal.size != size:
        raise UsageError(f"the torque table has {signal.size} columns, expected {size}")
    return signal


def _place(names: Sequence[str], name: str) -> int:
    if name not in names:
        raise UsageError(f"no force {name!r}", hint="forces: " + ", ".join(names[:12]))
    return list(names).index(name)
