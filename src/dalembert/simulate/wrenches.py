"""Forces from outside: wrenches on named frames as `simulate` takes them.

Six numbers, a table, a signal, or a function f(t, q, qd) or f(t, q, qd, at) of six numbers: force
and couple at the origin of the frame, in its axes. `at` is where the frame is and how it moves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..algebra import Vec3
from ..algorithms.springs import added, body_states, wrench_forces
from ..errors import UsageError, shown
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Mechanism
from ..runtime.signal import Signal, held, linear

Array = np.ndarray
WAYS = "six numbers, (times, rows), a signal, or f(t, q, qd) that gives six numbers"


@dataclass(frozen=True)
class At:
    """A frame in base axes: origin p, rotation R (rows), velocity v of the origin, rate w."""

    p: tuple[Scalar, ...]
    R: tuple[tuple[Scalar, ...], ...]
    v: tuple[Scalar, ...]
    w: tuple[Scalar, ...]

    def local(self, vector: Sequence[Scalar]) -> list[Scalar]:
        """Return a vector of base axes in the axes of the frame."""
        return [sum((self.R[r][c] * vector[r] for r in range(3)), 0) for c in range(3)]


@dataclass(frozen=True)
class Wrenches:
    """Wrenches on frames: constants and tables are signals, functions are traced."""

    frames: tuple[str, ...] = ()
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    signal: Signal | None = None  # six columns for each frame without a function, in order
    sign: float = 1.0  # -1: given as exerted on the environment

    @property
    def key(self) -> Any:
        """What decides the compiled code."""
        ways = [(name, id(self.functions.get(name))) for name in self.frames]
        return (ways, self.sign) if self.frames else ()

    @property
    def size(self) -> int:
        """The number of signals."""
        return self.signal.size if self.signal is not None else 0

    def forces(self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, u: Vector) -> list[Scalar]:
        """Return the generalized forces on the joints."""
        acting: dict[int, tuple[Vec3, Vec3]] = {}
        fold = m.unfolded.fold
        tree = replace(m.unfolded, fold=None, checked=True) if fold is not None else m
        x, xd = (q, qd) if fold is None else (fold.coordinates(q), fold.rates(qd))
        states = body_states(tree, x, xd) if self.functions else {}
        first = 0
        for name in self.frames:
            body, place = m.frame(name)
            if name in self.functions:
                six = _six(name, self.functions[name], t, q, qd, states.get(body), place)
            else:
                six, first = u[first : first + 6], first + 6
            f, n = (place.R @ Vec3(*part) * self.sign for part in (six[:3], six[3:]))
            acting = added(acting, {body: (f, n + place.p.cross(f))})
        found = wrench_forces(tree, x, acting)
        return found if fold is None else fold.forces(found)


def _six(
    name: str, function: Any, t: Scalar, q: Vector, qd: Vector, state: Any, place: Any
) -> Sequence[Scalar]:
    R, p, v, w = state
    arm = R @ place.p
    at = At(
        tuple(p + arm), tuple(map(tuple, (R @ place.R).matrix().rows)),
        tuple(v + w.cross(arm)), tuple(w),
    )  # fmt: skip
    try:
        six = list(function(t, q, qd, at) if _takes_frame(function) else function(t, q, qd))
    except TypeError as error:
        raise UsageError(
            f"the wrench on {shown(name)!r} is traced once and cannot be: {error}",
            hint="use numpy.sin or dalembert.expr.sin, not math.sin; where(mask, yes, no), not if",
        ) from error
    if len(six) != 6:
        raise UsageError(f"the wrench on {shown(name)!r} has {len(six)} numbers, not six")
    return six


def _takes_frame(function: Any) -> bool:
    try:
        kinds = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in plain for p in kinds) >= 4


def wrenches_of(m: Mechanism, on_body: Any, on_environment: Any, hold: bool) -> Wrenches:
    """Return the wrenches that were given, checked."""
    if on_body is not None and on_environment is not None:
        raise UsageError(
            "both wrench_on_environment and wrench_on_body are given",
            hint="they are negatives of each other: give one",
        )
    given = on_environment if on_body is None else on_body
    if given is None:
        return Wrenches()
    if not isinstance(given, Mapping):
        raise UsageError("a wrench needs the name of its frame", hint=f"{{frame: {WAYS}}}")
    functions, parts, frames = {}, [], []
    for name, value in given.items():
        body, _ = m.frame(name)
        if body < 0:
            raise UsageError(
                f"a wrench on frame {shown(name)!r}, which does not move",
                hint="frames: " + ", ".join(map(shown, m.frames[:12])),
            )
        frames.append(name)
        if callable(value) and not isinstance(value, Signal):
            functions[name] = value
        else:
            parts.append(_signal(name, value, hold))
    signal = parts[0].beside(*parts[1:]) if parts else None
    return Wrenches(tuple(frames), functions, signal, 1.0 if on_environment is None else -1.0)


def _signal(name: str, value: Any, hold: bool) -> Signal:
    """Return six columns of a constant, a table or a signal."""
    try:
        if isinstance(value, Signal):
            made = value
        elif isinstance(value, tuple) and len(value) == 2:
            made = (held if hold else linear)(*value)
        else:
            row = np.asarray(value, dtype=float)
            if row.shape != (6,) or not np.isfinite(row).all():
                raise ValueError(f"shape {row.shape}")
            made = held([0.0], row[None])
    except (TypeError, ValueError, IndexError) as error:
        raise UsageError(f"the wrench on {shown(name)!r}: {error}", hint=WAYS) from None
    if made.size != 6:
        raise UsageError(f"the wrench on {shown(name)!r} has {made.size} columns, not six")
    return made
