"""Small motions about a state: `linearize`, modes and frequencies, for every class.

The model is traced with a tangent vector added to the state, and differentiated as a graph: exact
derivatives, with springs, loops, velocity constraints and quaternions alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .algorithms import kane
from .algorithms.closed_kinematics import closed_at
from .algorithms.drives import Drives
from .algorithms.velocity_constraints import Constraints
from .compute import evaluate, neutral
from .compute.counted import counted
from .compute.designs import Designs, designs_of
from .compute.recorded import recorded
from .compute.rotations import check_quaternions
from .compute.singular import singular_here
from .compute.turns import tangents_turning
from .display import table_html
from .door import doors
from .errors import UsageError, shown
from .expr import Function, jacobian
from .joint import Vector
from .kept import Kept
from .linear_reduction import ignorable, independent, quotient, restricted
from .mechanism import Mechanism, is_rolling, joint_name, require_mechanism
from .plan.assembly import assemble
from .plan.loops import with_motors
from .simulate.given_state import asked, held_signals
from .simulate.systems import Closed, Reduced, System, Tree, dry_joints, system

Array = np.ndarray
STEADY = 1e-6  # accelerations up to this, relative to the slopes of the model, are none
_SLOPES: Kept[tuple[Function, ...]] = Kept(16)  # a flow and its slopes: one model, many states


@dataclass(frozen=True, eq=False)
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
@dataclass(frozen=True, eq=False)
class Linear:
    """ż = A z + B δtau + rest about a state; z = (tangent of q, change of the speeds).

    With closed loops both are those of the independent coordinates, named in `coordinates`.
    """

    A: Array = field(repr=False)
    B: Array = field(repr=False)
    rate: Array = field(repr=False)  # of the speeds at the state itself: zero at an equilibrium
    coordinates: tuple[int, ...]
    notes: tuple[str, ...] = ()  # what was counted
    names: tuple[str, ...] = ()  # of the coordinates
    held: Array | None = field(default=None, repr=False)  # rows of positions: held @ δq = 0
    held_names: tuple[str, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        n = len(self.coordinates)
        if self.A.ndim != 2:
            return f"<Linear: {n} dof, {self.A.shape[:-2]} machines>"
        swings = ", ".join(f"{f:.4g}" for f in self.frequencies[:6])
        found = f", {swings} Hz" if swings else ", no oscillation"
        where = "" if self.steady else ", about a state that is not an equilibrium"
        return f"<Linear: {n} dof, {'stable' if self.stable else 'unstable'}{found}{where}>"

    def _repr_html_(self) -> str:
        if self.A.ndim != 2:
            sizes = [(str(self.A.shape), str(self.B.shape))]
            return table_html(("A", "B"), sizes, repr(self)[1:-1])
        rows = [
            (f"{m.frequency:.5g}", f"{m.damping:.3g}", f"{m.eigenvalue:.5g}") for m in self.modes
        ]
        head = ("frequency, Hz", "damping ratio", "eigenvalue, 1/s")
        return table_html(head, rows, repr(self)[1:-1], self.notes)

    @cached_property
    def on_contacts(self) -> Linear:
        """The model of changes that keep every contact and every equation of positions.

        On wheels A has a row for each coordinate; changes that lift a wheel off the ground, or move
        a prescribed joint, are not motions of the machine, and their eigenvalues 0 are artefacts.
        """
        self._one()
        if self.held is None or not len(self.held):
            return self
        n = len(self.coordinates)
        kept, G = independent(self.held)
        B = self.B[[*kept, *range(n, len(self.B))]]
        told = f"{n - len(kept)} changes left out that would break {_listed(self.held_names)}"
        return self._kept(restricted(self.A, n, kept, G), B, kept, told)

    @cached_property
    def reduced(self) -> Linear:
        """The model without artefacts: on the contacts, and without ignorable positions.

        A position is ignorable where no rate of a speed ever depends on it, as where a car stands
        and heads, or the spin of a wheel; `notes` names what was left out. All eigenvalues of A
        that are not here are 0.
        """
        own = self.on_contacts
        n = len(own.coordinates)
        K = ignorable(own.A, n)
        if not K.shape[1]:
            return own
        kept, A, B = quotient(own.A, own.B, n, K)
        gone = [name for k, name in enumerate(own.names) if k not in kept]
        told = f"{len(gone)} ignorable positions left out, nothing depends on them: {_listed(gone)}"
        return own._kept(A, B, kept, told)

    def _kept(self, A: Array, B: Array, kept: list[int], told: str) -> Linear:
        places = tuple(self.coordinates[k] for k in kept)
        names = tuple(self.names[k] for k in kept)
        return replace(self, A=A, B=B, coordinates=places, names=names, held=None, held_names=(),
                       notes=(*self.notes, told))  # fmt: skip

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """The modes, slowest first; pairs are given once."""
        self._one()
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

    def _one(self) -> None:
        if self.A.ndim != 2:
            raise UsageError("these are models of many machines", hint="take one: r[0].modes")

    def __getitem__(self, index: Any) -> Linear:
        """Return the model of one of many machines."""
        if self.A.ndim == 2:
            raise UsageError("this is the model of one machine", hint="r.A, r.modes")
        held = None if self.held is None else self.held[index]
        return replace(self, A=self.A[index], B=self.B[index], rate=self.rate[index], held=held)

    def plot(self, path: Any = None, theme: str = "light") -> Any:
        """Return a figure of the eigenvalues and of the shapes of the slowest modes."""
        from .simulate.figure import colors, figure, legend, plain, save, styled

        with styled(theme):
            made, ((left, right),) = figure(1, 2, "small motions", (10.5, 3.6))
            values = np.linalg.eigvals(self.A)
            largest = float(np.abs(values).max(initial=0.0)) or 1.0
            # a real part that is rounding is drawn on the axis
            values.real[np.abs(values.real) < 1e-9 * largest] = 0
            left.set_xmargin(0.1)
            left.axvline(0, color="#8a94a3", linewidth=0.8)
            left.plot(values.real, values.imag, "x", color="#c24d45", markersize=7)
            left.set_xlabel("real part  [1/s]")
            left.set_ylabel("imaginary part  [1/s]")
            # a bar for each coordinate: neighbours in the list are not neighbours in space
            at, few, bars, words = np.arange(len(self.coordinates)), self.modes[:6], [], []
            wide = 0.8 / max(1, len(few))
            for k, (mode, color) in enumerate(zip(few, colors(len(few)), strict=True)):
                damping = mode.damping if abs(mode.damping) > 1e-9 else 0.0
                words.append(f"{mode.frequency:.3g} Hz, damping {damping:.2g}")
                place = at + (k - (len(few) - 1) / 2) * wide
                bars.append(right.bar(place, mode.shape.real, wide, color=color))
            names = [plain(n) for n in self.names] or [str(k + 1) for k in self.coordinates]
            right.axhline(0, color="#8a94a3", linewidth=0.8)
            right.set_xticks(at, names, rotation=0 if sum(map(len, names)) < 50 else 60)
            right.set_ylabel("shape, largest = 1")
            legend(made, bars, words)
            return save(made, path)

    @property
    def frequencies(self) -> Array:
        """The frequencies of oscillating modes in Hz, lowest first."""
        swinging = [m for m in self.modes if abs(m.eigenvalue.imag) > 1e-9 * abs(m.eigenvalue)]
        return np.array([abs(m.eigenvalue) / (2 * np.pi) for m in swinging])

    @property
    def steady(self) -> bool:
        """Whether no speed changes at the state itself: rest, or a steady motion."""
        return bool((np.abs(self.rate) <= STEADY * (1 + np.abs(self.A).max(initial=0.0))).all())

    @property
    def stable(self) -> bool:
        """Whether no eigenvalue has a positive real part (beyond rounding)."""
        self._one()
        values = np.linalg.eigvals(self.A)
        return bool((values.real <= 1e-9 * max(1.0, np.abs(values).max(initial=0.0))).all())


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(shown, names[:12])) + (", ..." if len(names) > 12 else "")


def _require(**given: tuple[Array, int]) -> None:
    """Refuse numbers that are too many, too few, or not finite."""
    for what, (x, size) in given.items():
        if x.shape != (size,):
            hint = "q has m.nq numbers, qd m.nv; tau one for each motor or joint"
            raise UsageError(f"{what} has shape {x.shape}, expected ({size},)", hint=hint)
        if not np.isfinite(x).all():
            raise UsageError(f"{what} holds a number that is not finite: {x.tolist()}")


def linearize(
    m: Mechanism,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    steer: ArrayLike | Mapping[str, float] | None = None,
    t: float = 0.0,
    drives: Drives = "all",
    parameters: Mapping[str, Any] | None = None,
) -> Linear:
    """Return the model of small motions about a state.

    Without q it is the rest pose; with closed loops, `assemble(m)`. `tau` are the forces that
    `simulate` takes; under velocity constraints qd are the speeds α or the rates of all joints, tau
    may hold the forces of the motors alone where some are named, `steer` the steering angles and t
    the time of their equations, all held. Friction counts: at rest the viscous part alone, Coulomb
    friction is left out there, which `notes` says. Where `parameters` hold arrays, A, B and the
    rate have their leading dimensions, and q, qd and tau may; `[k]` is one of them.

    >>> import dalembert as da
    >>> m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    >>> [round(float(f), 6) for f in da.linearize(m, [0.0]).frequencies]
    [0.498488]
    """
    require_mechanism(m, "linearize", moving=True)
    designs = designs_of(with_motors(m), parameters, "linearize")
    if designs.lead:
        return _many(designs, q, qd, tau, {"steer": steer, "t": t, "drives": drives})
    m = designs.m
    own = resting(m, drives)
    if q is None:
        q = assemble(m) if isinstance(own, Closed) else neutral(m)
    at: Array = np.asarray(q, dtype=float)
    v = np.asarray(np.zeros(own.speeds) if qd is None else qd, dtype=float)
    v, forces, kept = asked(own, at, v, tau, steer, t)
    _require(q=(at, m.nq), qd=(v, own.speeds), tau=(forces, own.forces))
    check_quaternions(m, "linearize", at)
    if isinstance(own, Closed):
        at = evaluate(m, "assembly", at)
        own = own.planned_at(at)
        v = evaluate(m, "tree_motion", at, v, np.zeros(m.nv))[0]
    u = held_signals(own, at, steer, t)
    try:
        found = _linear(own, at, v, forces, u)
    except ZeroDivisionError:
        raise singular_here(m, "linearize", at) from None
    if isinstance(own, Tree):
        own.require_inertia("linearize")
    names = tuple(m.rate_names[k] for k in found.coordinates)
    fixed = _positions(own, at, u)
    notes = (*_notes(own, at, v, steer, t), *_unsteady(found, names))
    return replace(
        found, B=found.B[:, kept], notes=notes, names=names,
        held=np.array([H for _, H in fixed], dtype=float) if fixed else None,
        held_names=tuple(name for name, _ in fixed),
    )  # fmt: skip


def resting(m: Mechanism, drives: Drives = "inertia") -> System:
    """Return the state model in which prescribed joints stay where they are, or keep their rate."""
    held = () if is_rolling(m) or m.form is not None else Constraints.of(m).prescribed
    return system(m, drives, held)


def _many(designs: Designs, q: Any, qd: Any, tau: Any, options: Any) -> Linear:
    """Return the models of many machines, each about its own state."""

    def row(x: Any, k: int) -> Any:
        if x is None or np.ndim(x) == 1:
            return x
        whole = np.asarray(x, dtype=float)
        n = whole.shape[-1]
        return np.broadcast_to(whole, (*designs.lead, n)).reshape(-1, n)[k]

    made = [linearize(m, row(q, k), row(qd, k), row(tau, k), **options)
            for k, m in enumerate(designs)]  # fmt: skip
    A, B, rate = (designs.shaped([getattr(x, n) for x in made]) for n in ("A", "B", "rate"))
    held = None if made[0].held is None else designs.shaped([x.held for x in made])
    notes = tuple(dict.fromkeys(n for x in made for n in x.notes))
    return replace(made[0], A=A, B=B, rate=rate, held=held, notes=notes)


def _notes(own: System, q: Array, v: Array, steer: Any, t: float) -> tuple[str, ...]:
    """Return what was counted, and the joints at rest whose dry friction has no slope."""
    notes, m = counted(own.m, own.drives), own.m
    steering = own.steering if steer is None else ()
    held = [joint_name(m.bodies[j]) for j in own.given]
    notes += (f"prescribed joints do not take part: {_listed(held)}",) if held else ()
    notes += tuple(f"steering {shown(n)} is not given and stays 0: give steer=" for n in steering)
    u = [float(x) for x in held_signals(own, q, steer, t)]
    qd = own.bound(m.bound()).velocity([float(x) for x in q], [float(x) for x in v], u)
    still = [m.rate_joints[k] for k in dry_joints(own) if qd[k] == 0]
    notes += (f"Coulomb friction is left out at rest: {_listed(still)}",) if still else ()
    return notes


def _unsteady(found: Linear, names: Sequence[str]) -> tuple[str, ...]:
    """Return a note if speeds change at the state: no vibration has its frequencies then."""
    if found.steady:
        return ()
    k = int(np.abs(found.rate).argmax())
    which = shown(names[k]) if len(names) == len(found.rate) else f"speed {k + 1}"
    told = f"no equilibrium: {which} accelerates by {found.rate[k]:.4g} at this state; "
    return (told + "give the forces that hold it (inverse_dynamics at rest), or equilibrium(m)",)


def _positions(own: System, q: Array, u: Array) -> list[tuple[str, list[float]]]:
    """Return the rows of a machine on wheels that hold positions: contacts, prescribed joints."""
    if not isinstance(own, Reduced):
        return []
    m = own.m.bound()
    own_rows = Constraints.of(m)
    held = {*own_rows.gap_names, *(joint_name(m.bodies[j]) for j in own_rows.prescribed)}
    steer = kane.steering(m, *own.prescribed([float(x) for x in u]))
    found = own_rows.rows([float(x) for x in q], [0.0] * m.nv, steer)
    return [(row.name, [float(x) for x in row.H]) for row in found if row.name in held]


def _linear(own: System, q: Array, v: Array, tau: Array, u: Array) -> Linear:
    m = own.m
    every = own.plan.independent if isinstance(own, Closed) else tuple(range(m.nv))
    led = () if isinstance(own, Reduced) else [m.velocity_index[j] for j in own.given]
    coordinates = tuple(k for k in every if k not in led)
    speeds = tuple(range(own.speeds)) if isinstance(own, Reduced) else coordinates
    n, k = len(coordinates), len(speeds)
    rows = n + k

    def slopes() -> tuple[Function, ...]:
        flow = _flow(own, u, coordinates, speeds)
        return flow, jacobian(flow, "d"), jacobian(flow, "tau")

    flow, by_state, by_force = _SLOPES.get((m.digest, own.key, *map(float, u)), slopes)
    values = [[float(x) for x in z] for z in (np.zeros(rows), q, v, tau)]
    A = np.array(by_state(*values), dtype=float).reshape(rows, rows)
    B = np.array(by_force(*values), dtype=float).reshape(rows, own.forces)
    rate = np.array(flow(*values), dtype=float)[n:]
    if m.nq != m.nv:  # tangents of all joints follow from those of the coordinates
        bound = own.bound(m.bound())
        rates = bound.velocity(*([float(x) for x in z] for z in (q, v, u)))
        G = np.eye(m.nv)[:, list(coordinates)]
        if isinstance(bound, Closed):
            G = np.array(closed_at(bound.m, bound.plan, values[1], 0).G, dtype=float)
            G = G[:, [every.index(k) for k in coordinates]]
        A[:n, :n] += (tangents_turning(m, np.array(rates, dtype=float)) @ G)[list(coordinates)]
    return Linear(A, B, rate, coordinates)


def _flow(own: System, u: Array, coordinates: Any, speeds: Any) -> Function:
    """Return (d, q, v, tau) -> (q̇, v̇) at the state moved by the tangent d."""
    m, n, signals = own.m, len(coordinates), list(map(float, u))

    def flow(bound: System, d: Vector, q: Vector, v: Vector, tau: Vector) -> Any:
        change: list[Any] = list(v)
        step: list[Any] = [0] * m.nv
        for k, x in zip(coordinates, d[:n], strict=True):
            step[k] = x
        for k, x in zip(speeds, d[n:], strict=True):
            change[k] = change[k] + x
        if isinstance(bound, Closed):
            closed = closed_at(bound.m, bound.plan, q, 0)
            q = m.moved(q, list(closed.expanded([step[k] for k in bound.plan.independent])))
            change = list(closed_at(bound.m, bound.plan, q, 0).velocity(change))
        else:
            q = m.moved(q, step)
        qd = bound.velocity(q, change, signals)
        rate = bound.acceleration(q, change, tau, signals)
        return [*(qd[k] for k in coordinates), *(rate[k] for k in speeds)]

    sizes = [("d", n + len(speeds)), ("q", m.nq), ("v", own.speeds), ("tau", own.forces)]
    return recorded(m, "flow", sizes, None, lambda of, graph: partial(flow, own.bound(of)))
