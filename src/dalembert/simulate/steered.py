"""Steering as a state: rates of prescribed coordinates that laws feed back, δ̇ = F_s(t, q, q̇).

DeSantis (1996), section 8: the angle joins the coordinates, its rate is an input. Every coordinate
that a law moves is a joint of a massless body, so that results hold it beside the others; nothing
acts back on it. A path that is followed adds its parameter in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Protocol

import numpy as np

from ..algebra import Vec3
from ..algorithms.velocity_constraints import Constraints
from ..errors import UsageError
from ..expr import Scalar
from ..frozen import dataclass
from ..joint import Prismatic, Revolute, Vector
from ..mechanism import Body, Mechanism, joint_name
from ..runtime.signal import Signal
from .rolling import Rolling
from .systems import Moving
from .wrenches import positional

Array = np.ndarray


class RateLaw(Protocol):
    """A law that gives the rates of coordinates: of the steering it is given for, then its own."""

    @property
    def own(self) -> tuple[str, ...]:
        """Names of coordinates that it adds, beside that of the steering."""

    @property
    def key(self) -> tuple[Any, ...] | None:
        """What decides the compiled code; None where it cannot be named."""

    def prepared(self, m: Mechanism, name: str) -> RateLaw:
        """Return the law made ready for a machine and the steering that it moves."""

    def start(self, q: Array) -> Sequence[float]:
        """Return where steering and own coordinates begin."""

    def rates(self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, x: Vector) -> Sequence[Scalar]:
        """Return the rates of steering and own coordinates, whose values are x."""


@dataclass(frozen=True)
class RateFunction:
    """A function f(t, q, qd) of everybody's own; q holds the steering angle too, last."""

    function: Callable[..., Any]
    own: tuple[str, ...] = ()
    key: None = None

    def prepared(self, m: Mechanism, name: str) -> RateFunction:
        """Return the law itself."""
        return self

    def start(self, q: Array) -> Sequence[float]:
        """Return a straight start."""
        return (0.0,)

    def rates(self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, x: Vector) -> Sequence[Scalar]:
        """Return the rate that the function gives."""
        try:
            return (self.function(t, q, qd),)
        except TypeError as error:
            raise UsageError(
                f"the function of a motion is traced once and cannot be: {error}",
                hint="use numpy.sin or dalembert.expr.sin, not math.sin; where(mask, yes, no)",
            ) from error


@dataclass(frozen=True)
class Steered(Rolling):
    """A machine on wheels some of whose prescribed joints move at rates that laws give.

    Signals are those of the other prescribed motions, then time and its rate.
    """

    laws: tuple[tuple[tuple[int, ...], RateLaw], ...] = field(default=())  # bodies of coordinates

    timed = True  # type: ignore[assignment]

    @property
    def key(self) -> tuple[Any, ...]:
        return ("steered", self.plan, self.drives, tuple((j, law.key) for j, law in self.laws))

    @property
    def functions(self) -> bool:  # type: ignore[override]
        return any(law.key is None for _, law in self.laws)

    @property
    def count(self) -> int:
        """How many coordinates move at the rates of laws."""
        return sum(len(j) for j, _ in self.laws)

    @property
    def signals(self) -> int:
        return super().signals - 3 * self.count

    @property
    def _plain(self) -> Rolling:
        return Rolling(self.m, self.drives, self.plan, self.tree)

    def prescribed(self, u: Vector) -> tuple[list[Scalar], list[Scalar]]:
        return self._plain.prescribed(self._beside(u, {}))

    def by_laws(self, q: Vector, v: Vector, u: Vector) -> tuple[Moving, Vector, Vector]:
        parts, out, moved = self.m.split_q(q), list(v), dict[int, tuple[Scalar, Scalar]]()
        for bodies, law in self.laws:
            own = [parts[j][0] for j in bodies]
            rates = law.rates(self.m, u[-2], q, v, own)
            moved |= dict(zip(bodies, zip(own, rates, strict=True), strict=True))
        for j, (_, rate) in moved.items():
            out[self.m.velocity_index[j]] = rate
        return self._plain, out, self._beside(u, moved)

    def _beside(self, u: Vector, moved: Mapping[int, tuple[Scalar, Scalar]]) -> list[Scalar]:
        """Return the signals with those of the laws' coordinates, which are the last joints."""
        *first, t, flow = u
        for j in (j for bodies, _ in self.laws for j in bodies):
            first += [*moved.get(j, (0, 0)), 0]
        return [*first, t, flow] if Constraints.of(self.m).is_timed else first


# -- motions as they may be given ------------------------------------------------------------------


def steered(
    m: Mechanism, q0: Any, motion: Mapping[str, Any] | None
) -> tuple[Mechanism, Any, dict[str, Any], dict[str, RateLaw]]:
    """Return the machine with the coordinates that laws move, where it starts, and the laws.

    What is left of `motion` are signals and tables.
    """
    rest = dict(motion or {})
    laws: dict[str, RateLaw] = {}
    for name, value in list(rest.items()):
        law = _rate_law(value)
        if law is not None:
            if name not in m.prescribed or name in m.joint_names:
                raise UsageError(
                    f"motion: a law moves steering angles, {name!r} is none of them",
                    hint="prescribed angles that are no joints: "
                    + (", ".join(n for n in m.prescribed if n not in m.joint_names) or "none"),
                )
            laws[name] = law.prepared(m, name)
            del rest[name]
    if not laws:
        return m, q0, rest, laws
    names = [n for name, law in laws.items() for n in (name, *_own_names(name, law))]
    taken = next((n for n in names if n in (*m.frames, *m.joint_names)), None)
    if taken is not None:
        raise UsageError(f"motion: {taken!r} is the name of a body or joint", hint="rename it")
    kinds = {name: Revolute(Vec3(0, 0, 1)) for name in laws}
    bodies = tuple(Body(n, -1, joint=kinds.get(n, Prismatic(Vec3(1, 0, 0)))) for n in names)
    others = tuple(n for n in m.prescribed if n not in laws)
    made = replace(m, bodies=(*m.bodies, *bodies), prescribed=(*others, *names), checked=True)
    return made, _starts(m, q0, laws), rest, laws


def _own_names(name: str, law: RateLaw) -> list[str]:
    return [f"{name}.{n}" for n in law.own]


def _starts(m: Mechanism, q0: Any, laws: Mapping[str, RateLaw]) -> Any:
    """Return the first pose with the coordinates of the laws."""
    q = np.zeros(m.nq) if q0 is None else np.asarray(q0, dtype=float)
    if q.ndim == 0 or q.shape[-1] != m.nq:
        return q0  # said to be wrong further on
    rows = [[x for law in laws.values() for x in law.start(row)] for row in q.reshape(-1, m.nq)]
    return np.concatenate([q, np.array(rows).reshape(*q.shape[:-1], -1)], axis=-1)


def steered_system(own: Rolling, laws: Mapping[str, RateLaw]) -> Rolling:
    """Return the system whose steering the laws move."""
    m, found = own.m, []
    joints = {joint_name(m.bodies[j]): j for j in Constraints.of(m).prescribed}
    for name, law in laws.items():
        found.append((tuple(joints[n] for n in (name, *_own_names(name, law))), law))
    return Steered(m, own.drives, own.plan, own.tree, tuple(found))


def _rate_law(value: Any) -> RateLaw | None:
    """Return the law of a motion that is fed back; None for what depends on time alone."""
    if hasattr(value, "rates") and hasattr(value, "prepared"):
        return value  # type: ignore[no-any-return]
    if not callable(value) or isinstance(value, Signal):
        return None
    needed = [p for p in positional(value) if p.default is p.empty]
    return RateFunction(value) if len(needed) == 3 else None
