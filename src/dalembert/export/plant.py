"""State models as an FMU holds them: rates, energies, where a state must lie, and derivatives.

A tree has the states (q, q̇). A machine on wheels has (q, α), its steering and the rates of
prescribed joints given from outside. A closed mechanism keeps the states of the whole tree and is
brought back to its closure; the motion needs no choice of independent coordinates
(`algorithms/augmented_closure.py`), the start does: the planned ones are kept, the others found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algorithms import kane
from ..algorithms.augmented_closure import Held, balance, largest
from ..algorithms.closed_kinematics import closed_at
from ..algorithms.closed_loop import ClosedModel
from ..algorithms.drives import Drives
from ..algorithms.loop_closure import closure
from ..algorithms.velocity_constraints import Constraints
from ..algorithms.velocity_rows import TIME
from ..catalog import algorithm, quantity
from ..compute import neutral
from ..compute.recorded import recorded
from ..emit.names import CodeNames
from ..emit.unit import Slot
from ..errors import ComputationError
from ..expr import IMPLICIT, Expr, Function, Graph, Port, expand, push
from ..expr.exact import to_float
from ..joint import Vector
from ..mechanism import UNHELD, Mechanism, joint_name
from ..plan import LoopPlan, general_pose
from ..plan.assembly import CLOSED, Closure, close
from ..simulate.systems import Closed, Reduced, System, system
from .unit import coordinates

MOST = 1e4  # a closure of a larger condition number is not a place to start from


@dataclass(frozen=True)
class StateModel:
    """A mechanism that is traced piece by piece; parameters in `asked` stay inputs."""

    m: Mechanism
    own: System
    asked: tuple[str, ...]
    drives: Drives = "inertia"

    @staticmethod
    def of(m: Mechanism, asked: Sequence[str], drives: Drives) -> StateModel:
        """Return the state model of a mechanism that keeps some parameters as inputs."""
        own = system(m, drives)
        return StateModel(own.m, own, tuple(asked), drives)

    @property
    def closed(self) -> bool:
        """Whether loops close the tree."""
        return isinstance(self.own, Closed)

    @property
    def settled(self) -> bool:
        """Whether states must lie somewhere: on the closure, or quaternions of length one."""
        round = self.m.nq != self.m.nv
        return self.closed or self.holonomic or round

    @property
    def holonomic(self) -> bool:
        """Whether a machine on wheels has loops, or equations in its coordinates."""
        return isinstance(self.own, Reduced) and Constraints.of(self.m).is_holonomic

    @property
    def timed(self) -> bool:
        """Whether an equation depends on time."""
        return isinstance(self.own, Reduced) and Constraints.of(self.m).is_timed

    @property
    def signals(self) -> int:
        """How many numbers are given beside the forces: each prescribed value and its rate."""
        return 2 * len(Constraints.of(self.m).inputs) if isinstance(self.own, Reduced) else 0

    def _signals(self, u: Vector) -> Vector:
        """Return the signals as `own` reads them: prescribed joints have a position too."""
        first = 2 * len(Constraints.of(self.m).steering)
        last = first + 2 * len(Constraints.of(self.m).prescribed)
        joints = [x for k in range(first, last, 2) for x in (0, u[k], u[k + 1])]
        return [*u[:first], *joints, *u[last:]] if u else u

    # -- functions -----------------------------------------------------------------------------

    def functions(self) -> list[Function]:
        """Return rates and energies, project and assemble if there are any, derivatives."""
        rates, energies = self.rates(), self.energies()
        made = [rates, energies]
        made += [self.project()] if self.settled else []
        made.append(self.rates_along() if self.closed else along(rates))
        made.append(along(energies))
        if self.closed:
            start = self.assemble()
            ends = start.outputs[:2]
            kept = start.results[: sum(p.size for p in ends)]
            made += [start, along(Function("assemble", start.graph, start.inputs, ends, kept))]
        return made

    def _traced(
        self, name: str, ports: str, body: Callable[..., Any], outputs: Sequence[tuple[str, int]]
    ) -> Function:
        m = self.m
        sizes = {"q": m.nq, "v": self.own.speeds, "tau": self.own.forces, "u": self.signals}
        sizes |= {"a": m.nv, "lam": len(self._plan.rows) if self.closed else 0}
        ends = [(p, sizes[p]) for p in ports.split() if p != "u" or sizes[p]]

        def make(bound: Mechanism, graph: Graph) -> Callable[..., Any]:
            names = [p for p, _ in ends]
            return lambda *inputs: body(bound, **dict(zip(names, inputs, strict=True)))

        shapes = [(n, (size,) if size else ()) for n, size in outputs]
        return recorded(m, name, ends, shapes, make, self.asked)

    def rates(self) -> Function:
        """Return (q, v, tau, u) -> (dq/dt, dv/dt); for loops also how far they are from singular.

        `u` is given where there is steering: angle and rate of each.
        """
        m, own = self.m, self.own
        ends = [("q_rate", m.nq), ("v_rate", own.speeds)]

        def body(bound: Mechanism, q: Vector, v: Vector, tau: Vector, u: Vector = ()) -> Any:
            if self.closed:
                held = self._held(bound, q)
                found, _ = held.acceleration(v, tau)
                return [bound.coordinate_rates(q, v), found, [held.measure]]
            s, u = own.bound(bound), self._signals(u)
            return [bound.coordinate_rates(q, s.velocity(q, v, u)), s.acceleration(q, v, tau, u)]

        ends += [("measure", 1)] if self.closed else []
        return self._traced("rates", "q v tau u", body, ends)

    def energies(self) -> Function:
        """Return (q, v, u) -> kinetic and potential energy."""
        _, kinetic = algorithm(quantity("kinetic_energy"), None)
        _, potential = algorithm(quantity("potential_energy"), None)

        def body(bound: Mechanism, q: Vector, v: Vector, u: Vector = ()) -> Any:
            qd = self.own.bound(bound).velocity(q, v, self._signals(u))
            return [kinetic(bound, q, qd, drives=self.drives), potential(bound, q)]

        return self._traced("energies", "q v u", body, [("kinetic", 0), ("potential", 0)])

    def project(self) -> Function:
        """Return (q, v) -> the nearest state where it must lie, and how far q was, in its sizes."""

        def body(bound: Mechanism, q: Vector, v: Vector, u: Vector = ()) -> Any:
            if self.holonomic:
                steer = self._steering(bound, u)
                gap = Constraints.of(bound).gaps(q, steer.get(TIME, (0, 1))[0])
                there = Constraints.of(bound).settled(bound.normalised(q), steer, 1)
                return [there, v, [largest(gap, [1.0] * len(gap))]]
            if not self.closed:
                return [bound.normalised(q), v, [0]]
            step, qd, residual = self._held(bound, q).nearest(v)
            return [bound.moved(q, step), qd, [largest(residual, self._sizes)]]

        return self._traced("project", "q v u", body, self._ends)

    def _steering(self, bound: Mechanism, u: Vector) -> Any:
        own = self.own.bound(bound)
        assert isinstance(own, Reduced)
        return kane.steering(bound, *own.prescribed(self._signals(u)))

    def assemble(self) -> Function:
        """Return (q, v) after one step of Newton in which independent coordinates stay."""

        def body(bound: Mechanism, q: Vector, v: Vector) -> Any:
            there = closed_at(bound, self._plan, q, 1)
            gap = largest(closure(bound, q), self._sizes)
            return [there.q, there.velocity(v), [gap]]

        return self._traced("assemble", "q v", body, self._ends)

    @property
    def _ends(self) -> list[tuple[str, int]]:
        return [("q_new", self.m.nq), ("v_new", self.own.speeds), ("gap", 1)]

    # -- loops ---------------------------------------------------------------------------------

    @property
    def _plan(self) -> LoopPlan:
        assert isinstance(self.own, Closed)
        return self.own.plan

    @property
    def _sizes(self) -> list[float]:
        return [float(x) for x in Closure(self.m).row_size]

    def _held(self, bound: Mechanism, q: Vector) -> Held:
        sizes, length = self._sizes, Closure(self.m).size
        mass = abs(to_float(self.m.bound().total_mass)) or 1.0
        weights = [mass * (length / sizes[r]) ** 2 for r in self._plan.rows]
        return Held.at(self._model(bound, q), weights)

    def _model(self, bound: Mechanism, q: Vector) -> ClosedModel:
        s = self.own.bound(bound)
        assert isinstance(s, Closed) and s.tree is not None
        return ClosedModel.at(bound, self._plan, q, s.tree, self.drives)

    def rates_along(self) -> Function:
        """Return the derivative of rates along a direction, from the equations of motion.

        M dq̈ - Jᵀ dλ and J dq̈ are what the balance of forces and of the closure change by when q̈
        and λ stay.
        """
        m, own = self.m, self.own
        lack = along(self._balance(), {"a", "lam"})

        def body(bound: Mechanism, q: Vector, v: Vector, tau: Vector, u: Vector = ()) -> Any:
            graph = q[0].graph
            direction = [
                [graph.input(f"d_{name}", k) for k in range(len(x))]
                for name, x in (("q", q), ("v", v), ("tau", tau))
            ]
            held = self._held(bound, q)
            found, lam = held.acceleration(v, tau)
            given = {n: graph.param(n) for n in lack.parameters}
            change = lack(q, v, tau, found, lam, *direction, parameters=given)
            moved_q = push(
                graph,
                [graph.lift(x) for x in bound.coordinate_rates(q, v)],
                {
                    x.id: d
                    for x, d in zip([*q, *v], [*direction[0], *direction[1]], strict=True)
                    if isinstance(x, Expr)
                },
            )
            load = [-x for x in change]
            return [moved_q, held.solve(load[: m.nv], load[m.nv :])[0]]

        ends = [("d_q_rate", m.nq), ("d_v_rate", own.speeds)]
        f = self._traced("rates_along", "q v tau u", body, ends)
        more = tuple(Port(f"d_{p.name}", p.shape) for p in f.inputs)
        return Function(f.name, f.graph, (*f.inputs, *more), f.outputs, f.results)

    def _balance(self) -> Function:
        def body(bound: Mechanism, q: Any, v: Any, tau: Any, a: Any, lam: Any, u: Any = ()) -> Any:
            return balance(self._model(bound, q), v, tau, a, lam)

        ends = [("lack", self.m.nv + len(self._plan.rows))]
        return self._traced("balance", "q v tau a lam", body, ends)

    # -- where it starts, and names --------------------------------------------------------------

    def start(self) -> list[float]:
        """Return a state at rest, loops closed."""
        q: Any = neutral(self.m)
        if self.holonomic:
            q = self._held_start(list(q))
        if self.closed:
            c = Closure(self.m)
            there, gap = close(c, np.array(q, dtype=float), self._plan.independent)
            J = c.jacobian(there)[np.ix_(self._plan.rows, self._plan.dependent)]
            well = gap < CLOSED and np.linalg.cond(J) < MOST
            q = there if well else general_pose(self.m)[1]
        return [*(float(x) for x in q), *([0.0] * self.own.speeds)]

    def _held_start(self, q: list[float]) -> list[float]:
        """Return coordinates near rest that loops and equations allow."""
        bound, rest = self.m.bound(), self._steering(self.m.bound(), [0.0] * self.signals)
        bare = replace(self.m, **UNHELD, speeds=(), checked=True)
        starts = [q, *([list(general_pose(bare)[1])] if self.m.loops else [])]
        for start in starts:
            for _ in range(20):
                with np.errstate(all="ignore"):
                    start = Constraints.of(bound).settled(bound.normalised(start), rest)
            if max(map(abs, Constraints.of(bound).gaps(start)), default=0.0) < CLOSED:
                return start
        raise ComputationError(
            "no pose is found that fulfils the loops and the equations of the coordinates",
            hint="move the zero of the joints so that they hold near it",
        )

    def found(self) -> tuple[int, ...]:
        """Return the states that the closure determines from the others."""
        if self.holonomic:
            return tuple(range(self.m.nq))
        if not self.closed:
            return ()
        m, places, at = self.m, [], 0
        dependent = set(self._plan.dependent)
        for body, first in zip(m.bodies, m.velocity_index, strict=True):
            own = [first + k in dependent for k in range(body.joint.nv)]
            flags = [any(own)] * body.joint.nq if body.joint.nq != body.joint.nv else own
            places += [at + k for k, flag in enumerate(flags) if flag]
            at += body.joint.nq
        return (*places, *(m.nq + k for k in sorted(dependent)))

    def slots(self) -> tuple[tuple[Slot, ...], tuple[Slot, ...], tuple[Slot, ...]]:
        """Return positions, speeds, and inputs (whose identifiers are whole names)."""
        m, own = self.m, self.own
        positions, rates = coordinates(m)
        force = {"rad/s": "N.m", "m/s": "N"}
        inputs = [Slot(s.name, f"force.{s.id}", force[s.unit]) for s in rates]
        if isinstance(own, Closed):
            return positions, rates, tuple(inputs[k] for k in self._plan.motors)
        if not isinstance(own, Reduced):
            return positions, rates, tuple(inputs)
        taken, steered = CodeNames(), CodeNames()
        inputs += [Slot(w.name, f"traction.{taken.new(w.name)}", "N") for w in m.wheels]
        for name in Constraints.of(m).steering:
            word = steered.new(name)
            inputs.append(Slot(name, f"steer.{word}", "rad"))
            inputs.append(Slot(name, f"steer_rate.{word}", "rad/s"))
        for j in Constraints.of(m).prescribed:
            slot = rates[m.velocity_index[j]]
            inputs.append(Slot(slot.name, f"rate.{slot.id}", slot.unit))
            inputs.append(Slot(slot.name, f"acceleration.{slot.id}", slot.unit + "2"))
        return positions, self._speeds(rates), tuple(inputs)

    def _speeds(self, rates: Sequence[Slot]) -> tuple[Slot, ...]:
        first = {joint_name(b): self.m.velocity_index[j] for j, b in self.m.outward() if b.joint.nv}
        taken = CodeNames()
        return tuple(
            Slot(n, taken.new(n), rates[first[n]].unit if n in first else "m/s")
            for n in kane.speed_names(self.m)
        )


def along(function: Function, still: set[str] | frozenset[str] = frozenset()) -> Function:
    """Return the derivative of a function along a direction of its inputs: d_q, d_v, ...

    Inputs in `still` have no direction.
    """
    graph, ids = expand(function.graph, function.results, IMPLICIT)
    seeds: dict[int, Any] = {}
    turned = [p for p in function.inputs if p.name not in still]
    for port in turned:
        for k in range(port.size):
            seeds[graph.input(port.name, k).id] = graph.input(f"d_{port.name}", k)
    made = tuple(x.id for x in push(graph, ids, seeds))
    inputs = (*function.inputs, *(Port(f"d_{p.name}", p.shape) for p in turned))
    outputs = tuple(Port(f"d_{p.name}", p.shape) for p in function.outputs)
    return Function(f"{function.name}_along", graph, inputs, outputs, made)
