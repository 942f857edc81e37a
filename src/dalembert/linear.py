"""Small motions about a state: `linearize`, `equilibrium`, modes and frequencies, for every class.

The model is traced with a tangent vector added to the state, and differentiated as a graph: exact
derivatives, with springs, loops, velocity constraints and quaternions alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from .algorithms.closed_kinematics import closed_at
from .compute import evaluate, integrate, neutral
from .compute.counted import counted
from .display import table_html
from .door import doors
from .errors import ComputationError, UsageError, shown
from .expr import Function, Graph, jacobian, trace
from .joint import Vector
from .mechanism import Mechanism, joint_name, require_mechanism
from .plan.loops import with_motors
from .simulate.given import asked, held_signals
from .simulate.systems import Closed, Reduced, System, moved, rubbing, system

Array = np.ndarray


@dataclass(frozen=True)
class Mode:
    """One eigenvalue of A: frequency in Hz, damping ratio, and the shape in the coordinates."""

    frequency: float
    damping: float
    eigenvalue: complex
    shape: Array = field(repr=False)

    def __repr__(self) -> str:
        told = f"damping ratio {self.damping + 0.0:.3g}, eigenvalue {self.eigenvalue:.5g}"
        return f"<Mode: {self.frequency:.5g} Hz, {told}>"


@doors("plot")
@dataclass(frozen=True)
class Linear:
    """ż = A z + B δtau + rest about a state; z = (tangent of q, change of the speeds).

    With closed loops both are those of the independent coordinates, named in `coordinates`.
    """

    A: Array = field(repr=False)
    B: Array = field(repr=False)
    rate: Array = field(repr=False)  # of the speeds at the state itself: zero at an equilibrium
    coordinates: tuple[int, ...]
    notes: tuple[str, ...] = ()  # what was counted

    def __repr__(self) -> str:
        n = len(self.coordinates)
        swings = ", ".join(f"{f:.4g}" for f in self.frequencies[:6])
        found = f", {swings} Hz" if swings else ", no oscillation"
        return f"<Linear: {n} freedoms, {'stable' if self.stable else 'unstable'}{found}>"

    def _repr_html_(self) -> str:
        rows = [
            (f"{m.frequency:.5g}", f"{m.damping:.3g}", f"{m.eigenvalue:.5g}") for m in self.modes
        ]
        head = ("frequency, Hz", "damping ratio", "eigenvalue, 1/s")
        return table_html(head, rows, repr(self)[1:-1], self.notes)

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """The modes, slowest first; pairs are given once."""
        values, vectors = np.linalg.eig(self.A)
        half = len(self.coordinates)
        order = np.lexsort((values.imag, np.abs(values)))
        found = []
        for k in order:
            x = values[k]
            if x.imag < -1e-12 * max(1.0, abs(x)):
                continue
            size = abs(x)
            shape = vectors[:half, k]
            top = shape[np.argmax(np.abs(shape))] if len(shape) else 1.0
            shape = shape / top if top != 0 else shape
            damping = float(-x.real / size) if size > 0 else 0.0
            found.append(Mode(float(size / (2 * np.pi)), damping, complex(x), shape))
        return tuple(found)

    def plot(self, path: Any = None, theme: str = "light") -> Any:
        """Return a figure of the eigenvalues and of the shapes of the slowest modes."""
        from .simulate.figure import colors, figure, save, styled

        with styled(theme):
            made, ((left, right),) = figure(1, 2, "small motions", (9.0, 3.6))
            values = np.linalg.eigvals(self.A)
            left.axvline(0, color="#8a94a3", linewidth=0.8)
            left.plot(values.real, values.imag, "x", color="#c24d45", markersize=7)
            left.set_xlabel("real part  [1/s]")
            left.set_ylabel("imaginary part  [1/s]")
            at = np.arange(1, len(self.coordinates) + 1)
            few = self.modes[:6]
            for mode, color in zip(few, colors(len(few)), strict=True):
                label = f"{mode.frequency:.3g} Hz, damping {mode.damping + 0.0:.2g}"
                right.plot(at, mode.shape.real, "o-", color=color, label=label)
            right.set_xticks(at)
            right.set_xlabel("independent coordinate")
            right.set_ylabel("shape, largest = 1")
            right.legend(fontsize=7)
            return save(made, path)

    @property
    def frequencies(self) -> Array:
        """The frequencies of oscillating modes in Hz, lowest first."""
        swinging = [m for m in self.modes if abs(m.eigenvalue.imag) > 1e-9 * abs(m.eigenvalue)]
        return np.array([abs(m.eigenvalue) / (2 * np.pi) for m in swinging])

    @property
    def stable(self) -> bool:
        """Whether no eigenvalue has a positive real part (beyond rounding)."""
        values = np.linalg.eigvals(self.A)
        return bool((values.real <= 1e-9 * max(1.0, np.abs(values).max(initial=0.0))).all())


def linearize(
    m: Mechanism,
    q: Any = None,
    qd: Any = None,
    tau: Any = None,
    *,
    steer: Any = None,
    t: float = 0.0,
    drives: Any = "all",
    parameters: Mapping[str, float] | None = None,
) -> Linear:
    """Return the model of small motions about a state.

    `tau` are the forces that `simulate` takes; under velocity constraints qd are the speeds α or
    the rates of all joints, tau may hold the forces of the motors alone where some are named,
    `steer` the steering angles and t the time of their equations, all held. Friction counts: at
    rest the viscous part alone, Coulomb friction is left out there, which `notes` says.

    >>> import dalembert as da
    >>> m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    >>> [round(float(f), 6) for f in da.linearize(m, [0.0]).frequencies]
    [0.498488]
    """
    require_mechanism(m, "linearize")
    m = with_motors(m)
    m = m.with_values(**parameters) if parameters else m
    own = system(m, drives)
    q = np.asarray(neutral(m) if q is None else q, dtype=float)
    v = np.asarray(np.zeros(own.speeds) if qd is None else qd, dtype=float)
    v, tau, kept = asked(own, q, v, tau, steer, t)
    for what, x, size in (("q", q, m.nq), ("qd", v, own.speeds), ("tau", tau, own.forces)):
        if x.shape != (size,):
            raise UsageError(f"{what} has shape {x.shape}, expected ({size},)")
    if isinstance(own, Closed):
        q = evaluate(m, "assembly", q)
        own = own.planned_at(q)
        v = evaluate(m, "tree_motion", q, v, np.zeros(m.nv))[0]
    found = _linear(own, q, v, tau, held_signals(own, q, steer, t))
    return replace(found, B=found.B[:, kept], notes=_notes(own, q, v, steer, t))


def _notes(own: System, q: Array, v: Array, steer: Any, t: float) -> tuple[str, ...]:
    """Return what was counted, and the joints at rest whose dry friction has no slope."""
    notes, m = counted(own.m, own.drives), own.m
    u = [float(x) for x in held_signals(own, q, steer, t)]
    qd = own.bound(m.bound()).velocity([float(x) for x in q], [float(x) for x in v], u)
    names = {m.velocity_index[j]: joint_name(b) for j, b in m.outward() if b.joint.nv}
    still = [names[k] for k in rubbing(own) if qd[k] == 0]
    if still:
        told = ", ".join(map(shown, still[:8])) + (", ..." if len(still) > 8 else "")
        notes = (*notes, f"Coulomb friction is left out at rest: {told}")
    return notes


def _linear(own: System, q: Array, v: Array, tau: Array, u: Array) -> Linear:
    m = own.m
    coordinates = own.plan.independent if isinstance(own, Closed) else tuple(range(m.nv))
    speeds = coordinates if isinstance(own, Closed) else tuple(range(own.speeds))
    n, k = len(coordinates), len(speeds)
    flow = _flow(own, u, coordinates, speeds)
    zero = np.zeros(n + k)
    given = ([float(x) for x in z] for z in (zero, q, v, tau))
    values = list(given)
    rows = n + k
    A = np.array(jacobian(flow, "d")(*values), dtype=float).reshape(rows, rows)
    B = np.array(jacobian(flow, "tau")(*values), dtype=float).reshape(rows, -1)
    rate = np.array(flow(*values), dtype=float)[n:]
    if n == m.nv:
        rates = own.bound(m.bound()).velocity(*([float(x) for x in z] for z in (q, v, u)))
        A[:n, :n] += _turning(m, np.array(rates, dtype=float))
    return Linear(A, B, rate, coordinates)


def _flow(own: System, u: Array, coordinates: Any, speeds: Any) -> Function:
    """Return (d, q, v, tau) -> (q̇, v̇) at the state moved by the tangent d."""
    m = own.m
    n = len(coordinates)
    graph = Graph()
    bound = own.bound(m.bound())

    def record(d: Vector, q: Vector, v: Vector, tau: Vector) -> Any:
        step: list[Any] = [0] * m.nv
        change = list(v)
        if isinstance(bound, Closed):
            closed = closed_at(bound.m, bound.plan, q, 0)
            step = closed.tree(list(d[:n]), None)
            q = moved(m, q, step)
            for k, x in zip(speeds, d[n:], strict=True):
                change[k] = change[k] + x
            change = closed_at(bound.m, bound.plan, q, 0).velocity(change)
        else:
            q = moved(m, q, list(d[:n]))
            change = [a + b for a, b in zip(v, d[n:], strict=True)]
        qd = bound.velocity(q, change, list(map(float, u)))
        rate = bound.acceleration(q, change, tau, list(map(float, u)))
        return [*(qd[k] for k in coordinates), *(rate[k] for k in speeds)]

    sizes = [("d", n + len(speeds)), ("q", m.nq), ("v", own.speeds), ("tau", own.forces)]
    return trace(record, sizes, name="flow", graph=graph)


def _turning(m: Mechanism, qd: Array) -> Array:
    """Return -ad of the velocities of quaternion joints: tangents are seen from turning axes."""
    out = np.zeros((m.nv, m.nv))
    for j, body in enumerate(m.bodies):
        k = m.velocity_index[j]
        if body.joint.kind == "spherical":
            out[k : k + 3, k : k + 3] = -_cross(qd[k : k + 3])
        elif body.joint.kind == "free":
            v, w = _cross(qd[k : k + 3]), _cross(qd[k + 3 : k + 6])
            out[k : k + 3, k : k + 3] = out[k + 3 : k + 6, k + 3 : k + 6] = -w
            out[k : k + 3, k + 3 : k + 6] = -v
    return out


def _cross(a: Array) -> Array:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


# -- rest --------------------------------------------------------------------------------------


def equilibrium(
    m: Mechanism,
    q: Any = None,
    tau: Any = None,
    *,
    steer: Any = None,
    steps: int = 100,
    tolerance: float = 1e-10,
) -> Array:
    """Return a pose near q at which the mechanism stays at rest under the forces tau.

    Newton's steps while they help, else the mechanism falls a little way: a search that begins near
    an unstable equilibrium may find it, any other ends at a stable one. Closed loops stay closed;
    under velocity constraints the search goes only where the machine itself can go.

    >>> import dalembert as da
    >>> m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    >>> abs(float(da.equilibrium(m, [0.4])[0])) < 1e-9
    True
    """
    require_mechanism(m, "equilibrium")
    m = with_motors(m)
    q = np.asarray(neutral(m) if q is None else q, dtype=float)
    own = system(m)
    forces = np.zeros(own.forces) if tau is None else np.asarray(tau, dtype=float)
    rest = _Rest(own, forces, steer)
    scale = size = max(1.0, float(np.abs(rest.rate(q)).max(initial=0.0)))
    for _ in range(steps):
        here = linearize(m, q, None, forces, steer=steer)
        size = float(np.abs(here.rate).max(initial=0.0))
        if size <= tolerance * scale:
            return q
        ways = rest.ways(q, here)
        bend = here.A[len(here.coordinates) :, : len(here.coordinates)] @ ways
        step = -np.linalg.lstsq(bend, here.rate, rcond=1e-12)[0]
        step *= min(1.0, 1.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        trial = rest.moved(q, here, ways @ step)
        # far from rest only downhill: an unstable equilibrium must be near to be meant
        meant = float(np.abs(step).max()) < 0.2 or float(step @ here.rate) > 0
        if meant and float(np.abs(rest.rate(trial, here)).max()) < size / 2:
            q = trial
        else:
            q = rest.fallen(q, here, ways)
    raise ComputationError(
        f"no equilibrium found: the acceleration at rest is still {size:.3g}",
        hint="begin nearer to one, or give forces that can hold the mechanism",
    )


@dataclass(frozen=True)
class _Rest:
    """A system at rest under forces: how it begins to move, and where it may go."""

    own: System
    forces: Array
    steer: Any

    def rate(self, q: Array, here: Linear | None = None) -> Array:
        """Return the accelerations from rest, of independent speeds; nan where loops are open."""
        m = self.own.m
        if isinstance(self.own, Reduced):
            given = (
                q,
                np.zeros(self.own.speeds),
                self.forces,
                held_signals(self.own, q, self.steer, 0),
            )
            own = self.own.bound(m.bound())
            return np.array(own.acceleration(*([float(x) for x in z] for z in given)), dtype=float)
        try:
            found: Array = evaluate(m, "forward_dynamics", q, np.zeros(m.nv), self.forces)
        except ComputationError:
            found = np.full(m.nv, np.nan)
        return found if here is None else found[list(here.coordinates)]

    def ways(self, q: Array, here: Linear) -> Array:
        """Return the directions in which the coordinates of `here` may move, one per speed."""
        n = len(here.coordinates)
        if not isinstance(self.own, Reduced):
            return np.eye(n)
        own, u = self.own.bound(self.own.m.bound()), held_signals(self.own, q, self.steer, 0)
        count = self.own.speeds
        asked = np.concatenate([np.zeros((1, count)), np.eye(count)])
        given = [([float(x) for x in z] for z in (q, v, u)) for v in asked]
        found = np.array([own.velocity(*z) for z in given], dtype=float)
        return (found[1:] - found[0]).T

    def moved(self, q: Array, here: Linear, step: Array) -> Array:
        """Return q moved in the coordinates of `here`, loops closed."""
        m = self.own.m
        full = np.zeros(m.nv)
        full[list(here.coordinates)] = step
        trial = integrate(m, q, full)
        if not isinstance(self.own, Closed):
            return trial
        found = closed_at(m.bound(), self.own.planned_at(q).plan, [float(x) for x in trial], 10).q
        return np.array(found, dtype=float)

    def fallen(self, q: Array, here: Linear, ways: Array) -> Array:
        """Return q moved along its accelerations, not beyond where they turn against the motion."""
        way = here.rate / np.abs(here.rate).max() * 0.1
        for _ in range(40):
            trial = self.moved(q, here, ways @ way)
            if float(self.rate(trial, here) @ way) > 0:
                return trial
            way = way / 2
        return q
