"""Forces from outside: wrenches on named frames as `simulate` takes them.

Six numbers, a table, a signal, or a function f(t, q, qd) or f(t, q, qd, at) of six numbers: force
and couple at the origin of the frame, in its axes. `at` is where the frame is and how it moves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from ..algebra import Vec3
from ..algorithms.link_motion import State, states
from ..algorithms.springs import added, wrench_forces
from ..compute.designs import with_numbers
from ..compute.wrenches import given_wrench, moving_frame
from ..errors import DalembertError, UsageError, shown
from ..expr import Graph, Scalar, trace
from ..frozen import dataclass
from ..joint import Vector
from ..mechanism import Mechanism
from ..mechanism.followers import in_all_joints
from ..runtime.signal import Signal, held, linear
from ..spatial import Wrench

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
    called: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # not to be traced

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said of functions that could not be compiled."""
        if not self.called:
            return ()
        names = ", ".join(map(shown, self.called))
        return (f"the wrench on {names} is asked of Python at every evaluation, which is slower",)

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
        acting: dict[int, Wrench] = {}
        tree, x, xd = in_all_joints(m, q, qd)
        state = states(tree, x, xd) if self.functions else {}
        first = 0
        for name in self.frames:
            body, place = m.frame(name)
            if name in self.functions:
                six = six_of(name, self.functions[name], t, q, qd, state[body].frame(place))
            else:
                six, first = u[first : first + 6], first + 6
            f, n = (place.R @ Vec3(*part) * self.sign for part in (six[:3], six[3:]))
            acting = added(acting, {body: Wrench(f, n + place.p.cross(f))})
        found = wrench_forces(tree, x, acting)
        return found if tree is m else m.unfolded.fold.forces(found)


def six_of(name: str, function: Any, t: Scalar, q: Any, qd: Any, frame: State) -> Sequence[Scalar]:
    """Return the six numbers that the function of a wrench gives at a state."""
    R = tuple(map(tuple, frame.R.matrix().rows))
    at = At(tuple(frame.p), R, tuple(frame.v), tuple(frame.w))
    try:
        six = list(function(t, q, qd, at) if len(positional(function)) >= 4 else function(t, q, qd))
    except TypeError as error:
        raise UsageError(
            f"the wrench on {shown(name)!r} cannot be computed: {error}",
            hint="f(t, q, qd) or f(t, q, qd, at) gives six numbers: force and couple in frame axes",
        ) from error
    if len(six) != 6:
        raise UsageError(f"the wrench on {shown(name)!r} has {len(six)} numbers, not six")
    return six


def positional(function: Any) -> list[inspect.Parameter]:
    """Return the positional parameters of a function; none where it does not say."""
    try:
        every = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p for p in every if p.kind in plain]


def wrenches_of(m: Mechanism, on_body: Any, on_environment: Any, hold: bool) -> Wrenches:
    """Return the wrenches that were given, checked."""
    given, sign = given_wrench(on_environment, on_body)
    if given is None:
        return Wrenches()
    if not isinstance(given, Mapping):
        raise UsageError("a wrench needs the name of its frame", hint=f"{{frame: {WAYS}}}")
    functions, called, parts, frames = {}, {}, [], []
    for name, value in given.items():
        moving_frame(m, name)
        frames.append(name)
        if callable(value) and not isinstance(value, Signal):
            if is_traceable(m, name, value):
                functions[name] = value
                continue
            called[name] = value
            parts.append(held([0.0], np.zeros((1, 6))))
        else:
            parts.append(_signal(name, value, hold))
    signal = parts[0].beside(*parts[1:]) if parts else None
    return Wrenches(tuple(frames), functions, signal, -sign, called)


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


# -- functions that only Python can compute: asked at every evaluation, state by state -----------


def is_traceable(m: Mechanism, name: str, function: Callable[..., Any]) -> bool:
    """Return whether a function of a wrench can be compiled: it is tried once with symbols."""

    def record(t: Any, q: Any, qd: Any) -> Any:
        graph = q[0].graph if q else Graph()
        bound = m.bound({k: v for k, v in m.values.items()}, graph)
        return list(Wrenches((name,), {name: function}).forces(bound, t[0], q, qd, []))

    try:
        trace(record, [("t", 1), ("q", m.nq), ("qd", m.nv)], name="wrench", outputs=None)
    except (DalembertError, TypeError, ValueError, AttributeError, IndexError):
        return False
    return True


@dataclass(frozen=True)
class Pushes:
    """The wrenches of a machine in numbers that Python functions give."""

    m: Mechanism  # bound
    wrenches: Wrenches
    first: int  # where their columns begin among the signals

    @staticmethod
    def of(kernels: Any, parameters: Any) -> Pushes | None:
        """Return the wrenches that Python must compute at every evaluation, or None."""
        if not kernels.wrenches.called:
            return None
        m = with_numbers(kernels.system.m, parameters)
        return Pushes(m.bound(), kernels.wrenches, kernels.prescribed.stop)

    def filled(self, u: Array, t: float, q: Array, qd: Array) -> Array:
        """Return the signals with the wrenches of one state."""
        out, w, at = np.array(u, dtype=float), self.wrenches, self.first
        state = states(*in_all_joints(self.m, q.tolist(), qd.tolist()))
        for name in w.frames:
            if name in w.functions:
                continue
            if name in w.called:
                body, place = self.m.frame(name)
                frame = state[body].frame(place)
                six = six_of(name, w.called[name], t, q.copy(), qd.copy(), frame)
                out[at : at + 6] = _numbers(name, six)
            at += 6
        return out


def _numbers(name: str, six: Any) -> Array:
    try:
        found = np.asarray(six, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (6,):
        raise UsageError(
            f"the wrench on {shown(name)!r} does not give six numbers: {six!r}"[:200],
            hint="return [fx, fy, fz, mx, my, mz]",
        )
    return found
