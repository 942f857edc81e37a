"""The kernels of a simulation: right-hand side, one-step maps, projection, events, outputs.

All take x = (q, v), t, u (signals: first those of the control law, then prescribed motions) and p
(settings of the law, then the direction in which each joint with dry friction slides, 0 where it is
held), so that one compiled kernel serves every gain, goal, table and mode of friction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import zip_longest
from typing import Any, Protocol

from ..algorithms.drives import dry_drives, holding_friction
from ..algorithms.held_joints import Outcome, Push
from ..compute import run_time_parameters
from ..compute.recorded import recorded
from ..errors import UsageError
from ..expr import (
    Function,
    Graph,
    Program,
    Scalar,
    absolute,
    jacobian,
    minimum,
    program,
    where,
)
from ..frozen import dataclass
from ..joint import Vector
from ..kept import Kept
from ..mechanism import Mechanism
from .adjoint import pulled
from .sensitive import Way, tangent, widened
from .systems import Closed, Moving, Reduced, dry_joints
from .wrenches import Wrenches

MAPS = frozenset({"euler", "constant_acceleration"})
DRIVEN = frozenset({"simulate", "project"})  # kernels that an integration driver calls
SLIVER = 1e-10  # of the friction that holds a joint
RESTING = 1e-11  # speed against its direction at which a joint has come to rest


class Law(Protocol):
    """A control law that is traced into the right-hand side."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the compiled code."""

    @property
    def signal(self) -> Any:
        """The functions of time that compiled code reads as u, or None."""

    @property
    def settings(self) -> Any:
        """The numbers that compiled code reads as p."""

    def torque(
        self, m: Mechanism, t: Scalar, q: Vector, qd: Vector, u: Vector, p: Vector
    ) -> Sequence[Scalar]:
        """Return the forces at a state."""


_KERNELS: Kept[Any] = Kept(128)

EventFunction = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True)
class Moment:
    """What kernels are traced with: a bound system, its state, time, signals and settings."""

    s: Moving
    q: Vector
    v: Vector
    t: Scalar
    of_law: Vector  # signals that the control law reads
    led: Vector  # those of prescribed motions; then time and 1 if a constraint needs it
    outside: Vector  # those of wrenches
    p: Vector

    @cached_property
    def qd(self) -> Vector:
        """The rates of all joints."""
        return self.s.velocity(self.q, self.v, self.led)


def _asked(name: str, function: EventFunction, t: Scalar, q: Vector, qd: Vector) -> Scalar:
    """Return an event function over the scalars of a trace."""
    try:
        return function(t, q, qd)
    except TypeError as error:
        raise UsageError(
            f"event {name!r} is traced once and cannot be: {error}",
            hint="use numpy.sin or dalembert.expr.sin, not math.sin; where(mask, yes, no), not if",
        ) from error


def _reported(s: Moving, tau: Vector, needed: Mapping[int, Scalar]) -> list[Scalar]:
    """Return the forces, those of imposed joints being what their motion needs."""
    if isinstance(s, Reduced):
        return [x + needed.get(k, 0) for k, x in enumerate(tau)]
    return [needed.get(k, x) for k, x in zip(s.pushed, tau, strict=True)]


def _columns(flow: Function) -> Function:
    """Return the Function of the derivatives of dx/dt with respect to x, column by column."""
    rows = jacobian(flow, "x")
    n = len(flow.results)
    columns = tuple(rows.results[r * n + k] for k in range(n) for r in range(n))
    return replace(rows, results=columns)


@dataclass(frozen=True)
class Kernels:
    """Makes the kernels of a system under a law; each is compiled when it is first asked for."""

    system: Moving
    law: Law
    signals: int  # of the law; those of prescribed motions come after
    settings: int
    parameters: tuple[str, ...] = ()
    wrenches: Wrenches = Wrenches()
    ways: tuple[Way, ...] = ()  # columns of sensitivities that follow the state
    single: bool = False  # whether a method asks for one state at a time
    own: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)  # of functions
    begun: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    ahead: bool = field(default=False, compare=False, repr=False)  # whether kernels are only begun

    def _program(self, name: str, body: Callable[..., Any], outputs: Any) -> Program:
        m, names = self.system.m, self.parameters_at_run_time
        sizes = [("x", self.size), ("t", 1), ("u", max(1, self.inputs)), ("p", self.data)]
        if name in MAPS:
            sizes.append(("h", 1))

        def make(of: Mechanism, graph: Graph) -> Callable[..., Any]:
            bound: Any = self.system.bound(of)

            def record(x: Vector, t: Vector, u: Vector, p: Vector, *h: Vector) -> Any:
                q, clock = x[: m.nq], [t[0], 1] if bound.timed else []
                s, v, led = bound.by_laws(q, x[m.nq :], [*u[self.prescribed], *clock])
                outside = u[self.prescribed.stop : self.inputs]
                return body(Moment(s, q, v, t[0], u[: self.signals], led, outside, p), *h)

            return record

        found = recorded(m, name, sizes, outputs, make, self.parameters or None)
        if self.ways:
            found = widened(found, self.ways, name)
        if name.startswith("tangent"):
            found = tangent(found, names)
        if name.startswith("reverse"):
            found = pulled(found, names)
        return program(_columns(found) if name == "jacobian" else found, names)

    def _kernel(self, name: str, body: Callable[..., Any], outputs: Any, extra: Any = "") -> Any:
        from ..runtime.build import begin_program, compile_program
        from ..runtime.refused import refusal

        m = self.system.m
        named = extra is not None and not (self.wrenches.functions or self.system.functions)
        if self.ahead and not named:
            return None
        if extra is None:  # what is traced has no name that says what it computes
            return compile_program(self._program(name, body, outputs), single=self.single)
        if not named:
            mine = name, repr((self.system.key, self.law.key, self.ways, extra))
            if mine not in self.own:
                made = self._program(name, body, outputs)
                self.own[mine] = compile_program(made, single=self.single)
            return self.own[mine]
        key = repr((
            "simulate", refusal(), name, m.digest, m.values, self.system.key, self.law.key,
            self.signals, self.settings, self.parameters, self.wrenches.key, self.ways, extra,
            self.single,
        ))  # fmt: skip
        make = partial(self._program, name, body, outputs)
        own: dict[str, Any] = {"single": self.single, "driven": name in DRIVEN}
        begun = self.begun.get(key) if self.ahead else self.begun.pop(key, None)
        if self.ahead:
            if key not in _KERNELS and begun is None:
                self.begun[key] = begin_program(make, key=key, **own)
            return None
        return _KERNELS.get(key, begun or (lambda: compile_program(make, key=key, **own)))

    def begin(self, method: str) -> None:
        """Begin with the kernels of every step: while code of one is made the next is traced."""
        own = replace(self, ahead=True)
        own.project()
        _ = own.map(method) if method in MAPS else own.rhs()

    def _forces(self, at: Moment) -> list[Scalar]:
        """Return the forces of the control law."""
        told = at.s.told(at.led)
        return list(self.law.torque(told, at.t, at.q, at.qd, at.of_law, at.p[: self.settings]))

    def _outcome(self, at: Moment, tau: Vector) -> Outcome:
        """Return accelerations and forces; directions in p say which joints slide and how."""
        direction = {k: at.p[self.settings + a] for a, k in enumerate(self.dry_joints)}
        forces = self._with_wrenches(at, at.s.placed(tau))
        return at.s.outcome(at.q, at.v, at.led, Push(forces, direction=direction))

    def _with_wrenches(self, at: Moment, forces: list[Scalar]) -> list[Scalar]:
        """Return joint forces with those of the wrenches from outside; wheels come after."""
        if not self.wrenches.frames:
            return forces
        outside = self.wrenches.forces(at.s.m, at.t, at.q, at.qd, at.outside)
        return [a + b for a, b in zip_longest(forces, outside, fillvalue=0)]

    def _rate(self, at: Moment, tau: Vector) -> Vector:
        """Return the rate of the speeds."""
        if self.dry_joints or (isinstance(at.s, Closed) and self.wrenches.frames):
            return self._outcome(at, tau).qdd
        return at.s.acceleration(at.q, at.v, self._with_wrenches(at, list(tau)), at.led)

    @property
    def parameters_at_run_time(self) -> tuple[str, ...]:
        """The parameters that the kernels take, in their order."""
        return run_time_parameters(self.system.m, self.parameters or None)

    @property
    def dry_joints(self) -> tuple[int, ...]:
        """The velocity variables of joints with dry friction."""
        return dry_joints(self.system)

    @property
    def inputs(self) -> int:
        """How many signals a kernel takes: of the law, of prescribed motions, of wrenches."""
        own = self.system.signals - (2 if self.system.timed else 0)
        return self.signals + own + self.wrenches.size

    @property
    def data(self) -> int:
        """How many numbers p holds: settings of the law, directions of dry friction."""
        return max(1, self.settings + len(self.dry_joints))

    @property
    def prescribed(self) -> slice:
        """Where the signals of prescribed motions stand."""
        return slice(self.signals, self.inputs - self.wrenches.size)

    @property
    def size(self) -> int:
        """The number of entries of a state: coordinates, then speeds."""
        return self.system.m.nq + self.system.speeds

    def rhs(self) -> Any:
        """Return the kernel of dx/dt."""
        return self._kernel("simulate", self._flow, [("xd", (self.size,))])

    def reverse(self, name: str) -> Any:
        """Return the reverse of `simulate` or `project`: bars of its result -> of what it takes."""
        body = self._flow if name == "simulate" else self._projected
        ends = [("xd", (self.size,))] if name == "simulate" else self._places
        return self._kernel(f"reverse {name}", body, ends)

    def jacobian(self) -> Any:
        """Return the kernel of the derivatives of dx/dt with respect to x, column by column."""
        return self._kernel("jacobian", self._flow, [("xd", (self.size,))])

    def _flow(self, at: Moment) -> Any:
        return [*at.s.m.coordinate_rates(at.q, at.qd), *self._rate(at, self._forces(at))]

    def map(self, method: str) -> Any:
        """Return the kernel of one step of a method with a single evaluation.

        `euler` is semi-implicit: new speeds move the coordinates. `constant_acceleration` holds the
        acceleration over the step (Vukobratović and Potkonjak 1979, section 2).
        """

        def body(at: Moment, h: Vector) -> Any:
            step, a = h[0], self._rate(at, self._forces(at))
            new = [x + step * y for x, y in zip(at.v, a, strict=True)]
            if method == "euler":
                mean = new
            else:
                mean = [x + step * 0.5 * y for x, y in zip(at.v, a, strict=True)]
            qd = at.s.velocity(at.q, mean, at.led)
            return [*at.s.m.moved(at.q, [step * x for x in qd]), *new]

        return self._kernel(method, body, [("x", (self.size,))])

    def project(self) -> Any:
        """Return the kernel that brings a state back to its place, or None."""
        if not self.system.projected:
            return None
        return self._kernel("project", self._projected, self._places)

    @property
    def _places(self) -> Any:
        return [("x", (self.size,)), ("measure", (1,))]

    def _projected(self, at: Moment) -> Any:
        q, v, measure = at.s.project(at.q, at.v, at.led)
        return [[*q, *v], [measure]]

    def outputs(self) -> Any:
        """Return the kernel of (q̇, v̇, tau) along a motion.

        The force of a joint that follows a signal is what its motion needs.
        """
        m, s0 = self.system.m, self.system

        def body(at: Moment) -> Any:
            tau = self._forces(at)
            if at.s.given:
                found = self._outcome(at, tau)
                return [list(at.qd), found.qdd, _reported(at.s, tau, found.force)]
            return [list(at.qd), self._rate(at, tau), tau]

        ends = [("qd", (m.nv,)), ("vd", (s0.speeds,)), ("tau", (s0.forces,))]
        return self._kernel("outputs", body, ends)

    def events(self, functions: Mapping[str, EventFunction], key: Any, name: str = "events") -> Any:
        """Return the kernel of event functions f(t, q, qd), or None if there are none.

        With a `key` of None it is compiled again. The name "tangent events" asks for their rates.
        """
        if not functions:
            return None

        def body(at: Moment) -> Any:
            qd = at.qd
            return [_asked(n, f, at.t, at.q, qd) for n, f in functions.items()]

        return self._kernel(name, body, [("g", (len(functions),))], key)

    def friction(self) -> Any:
        """Return the kernel of speed, acceleration, friction and its bounds, joint by joint.

        Friction is that of held joints, and zero for the others.
        """
        names, n = ("speed", "acceleration", "friction", "upper", "lower"), len(self.dry_joints)
        return self._kernel("friction", self._friction, [(name, (n,)) for name in names])

    def _friction(self, at: Moment) -> Any:
        qd, found = at.qd, self._outcome(at, self._forces(at))
        bounds = [holding_friction(dry_drives(at.s.m)[k]) for k in self.dry_joints]
        return [
            [qd[k] for k in self.dry_joints],
            [found.qdd[k] for k in self.dry_joints],
            [found.friction[k] for k in self.dry_joints],
            [x for x, _ in bounds],
            [x for _, x in bounds],
        ]

    def guards(self, name: str = "guards") -> Any:
        """Return the kernel of what must not be negative while no joint begins or ends to slide.

        That is the speed along its direction, or what friction may still grow by; None without dry
        friction. A sliver is left on both sides, so that rounding makes no event.
        """
        if not self.dry_joints:
            return None

        def body(at: Moment) -> Any:
            made = []
            rows = zip(*self._friction(at), strict=True)
            for k, (speed, _, force, upper, lower) in enumerate(rows):
                direction = at.p[self.settings + k]
                room = minimum(upper - force, force - lower) + SLIVER * (upper - lower)
                made.append(where(absolute(direction) > 0, direction * speed + RESTING, room))
            return made

        return self._kernel(name, body, [("g", (len(self.dry_joints),))])
