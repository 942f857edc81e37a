"""Laws that any right model keeps: what `agree` asks beside the formalisms.

States are drawn from the constraint rows alone, on every assembly mode that is found: q̇ from the
motions that J leaves free, by its singular values. No plan, map or elimination is used for them,
and energies are those of the tree: a wrong plan, an ignored wheel or a misplaced motor shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .algorithms.closed_kinematics import CERTIFIED, SINGULAR
from .algorithms.loop_closure import loop_jacobian
from .algorithms.velocity_rows import is_timed, steering_of, velocity_rows
from .catalog import algorithm, quantity
from .catalog.table import QUANTITIES
from .compute import compile, evaluate
from .errors import ComputationError, DalembertError, SingularModel, UsageError
from .expr import Function, jacobian, trace
from .expr.exact import to_float
from .mechanism import UNHELD, Mechanism, is_closed, is_rolling
from .plan import general_pose, null_space
from .plan.assembly import Closure, velocity_indices
from .plan.generic import is_regular, neighbours, others
from .plan.loops import motors
from .reference import in_floats

Array = np.ndarray
CLEAR = 0.01  # singular values that are not zero are above this part of the largest
REGULAR = 1e6  # condition of a mass matrix scaled to unit diagonal
LAWS = ("closure", "power", "virtual work", "symmetry")


@dataclass(frozen=True)
class Law:
    """The worst misfit of a law, in parts of the largest term, and what it may be."""

    name: str
    sides: tuple[str, str]
    worst: float
    limit: float


def laws(m: Mechanism, states: int, seed: int) -> Iterator[Law]:
    """Yield how well the models of a machine keep the laws at random states of every mode."""
    m = _undamped(m)
    poses = mode_poses(m, states, seed) if is_closed(m) else None
    if poses is not None and not len(poses):
        return
    if poses is not None:
        yield _closure(m, seed)
    own = _States(m, poses, states, seed)
    if own.count and not is_timed(m):  # what moves in time does work
        yield own.power()
        yield own.virtual_work()
        yield own.symmetry()


def _undamped(m: Mechanism) -> Mechanism:
    """Return the machine whose springs keep energy."""
    elastic = tuple(replace(s, damping=0) for s in m.elastic)
    springs = tuple(replace(s, damping=0) for s in m.springs)
    return replace(m, elastic=elastic, springs=springs, checked=True)


def random_states(m: Mechanism, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Return (q, qd, qdd): coordinates within their limits, or in half a turn and a metre."""
    rng = np.random.default_rng([seed, 2])
    columns: list[Array] = []
    for body in m.bodies:
        kind, nq = body.joint.kind, body.joint.nq
        if kind in ("free", "spherical"):
            columns += list(rng.uniform(-1, 1, (nq - 4, count)))
            x = rng.normal(size=(4, count))
            columns += list(x / np.linalg.norm(x, axis=0))
            continue
        reach = 1.0 if kind == "prismatic" else np.pi
        for k in range(nq):
            low, high = _limits(body.limits[k] if body.limits else (None, None), reach)
            columns.append(rng.uniform(low, high, count))
    q = np.array(columns).reshape(len(columns), count).T
    return q, rng.normal(size=(count, m.nv)), rng.normal(size=(count, m.nv))


def _limits(pair: tuple[Any, Any], reach: float) -> tuple[float, float]:
    try:
        low, high = (to_float(x) for x in pair)
    except (TypeError, DalembertError):  # open, or a symbol without a value
        return -reach, reach
    return (low, high) if low < high else (-reach, reach)


def mode_poses(m: Mechanism, count: int, seed: int) -> Array:
    """Return assembled poses that are not near singular ones, of every mode that is found."""
    c, start = general_pose(m)
    poses = [start, *others(c, start, seed=seed + 3)]
    poses += [p for x in poses[: max(1, count // 4)] for p in neighbours(c, x, 4, 0.2)]
    found = [p for p in poses if _is_clear(c, p)]
    rng = np.random.default_rng([seed, 4])
    picked = rng.permutation(len(found))[:count]
    return np.array([found[k] for k in sorted(picked)])


def _is_clear(c: Closure, q: Array) -> bool:
    s = np.linalg.svd(c.jacobian(q), compute_uv=False)
    kept = s[s > 1e-8 * s.max(initial=1e-300)]
    return bool(kept.min(initial=1.0) > CLEAR * kept.max(initial=1.0)) and is_regular(c, q)


def rows_of(m: Mechanism, q: Array) -> Array:
    """Return J of all constraints at a pose: closure rows, then each wheel and equation itself."""
    closed = replace(m, **UNHELD, checked=True)
    J = [list(row) for row in loop_jacobian(closed, q.tolist())]
    if is_rolling(m):
        J += [r.H for r in velocity_rows(m, q.tolist(), [0.0] * m.nv, steering_of(m))]
    return np.array(J, dtype=float).reshape(len(J), m.nv)


def _closure(m: Mechanism, seed: int) -> Law:
    """Return the worst |J q̇| of the kernel itself on the generic branch, beside |J| |q̇|."""
    c, start = general_pose(m)
    poses = [start, *neighbours(c, start, 6, 0.2)]
    q = np.array([p for p in poses if _is_clear(c, p)] or [start])
    rng = np.random.default_rng([seed, 5])
    kernel = compile(m, "active_map")
    told = [np.zeros((len(q), *p.shape)) for p in kernel.inputs[1:]]
    G = kernel(q, *told)[0]
    worst, b = 0.0, m.bound()
    for pose, each in zip(q, G, strict=True):
        J, qd = rows_of(b, pose), each @ rng.normal(size=each.shape[1])
        scale = (np.abs(J) @ np.abs(qd)).max(initial=0.0)
        worst = max(worst, float(np.abs(J @ qd).max(initial=0.0)) / max(scale, 1e-300))
    return Law("closure", ("J qd", "0"), worst, 1e-9)


@dataclass
class _States:
    """Random states of a machine with accelerations that random motor forces give."""

    m: Mechanism
    poses: Array | None
    states: int
    seed: int

    def __post_init__(self) -> None:
        m, rng = self.m, np.random.default_rng([self.seed, 6])
        q = random_states(m, self.states, self.seed)[0] if self.poses is None else self.poses
        b = m.bound()
        self.free = [null_space(rows_of(b, x)) if is_closed(m) else np.eye(m.nv) for x in q]
        qd = np.array([N @ rng.normal(size=N.shape[1]) for N in self.free]).reshape(len(q), m.nv)
        # those named in the description: what a plan holds is not asked
        named = velocity_indices(m, m.active) if is_closed(m) and m.active else motors(m)
        self.index = list(named) if is_closed(m) else list(range(m.nv))
        tau = rng.normal(size=(len(q), len(self.index)))
        try:
            qdd, kept = answered(m, "forward_dynamics", q, qd, tau)
        except SingularModel:  # a joint moves no inertia: no state has accelerations
            if is_closed(m):  # or its plan is wrong
                raise
            qdd, kept = np.zeros_like(qd), np.zeros(len(q), bool)
        kept &= _well_posed(m, q)
        self.q, self.qd, self.qdd, self.tau = q[kept], qd[kept], qdd[kept], tau[kept]
        self.free = [N for N, k in zip(self.free, kept, strict=True) if k]
        self.count = int(kept.sum())
        self.slope = _energy_slope(m)

    def power(self) -> Law:
        """Return how motor power differs from the rate of energy."""
        pushed = np.einsum("sk,sk->s", self.tau, self.qd[:, self.index])
        rate = _rate(self.slope, self.q, self.qd, self.qdd, self.qd)
        scale = np.abs(self.tau * self.qd[:, self.index]).sum(axis=1) + np.abs(rate).max(initial=0)
        # of large masses beside small ones the largest terms of the rate cancel
        M = np.abs(_masses(self.m, self.q))
        scale += np.einsum("si,sij,sj->s", np.abs(self.qd), M, np.abs(self.qdd))
        return _law("power", ("motors", "energy"), pushed - rate, scale)

    def virtual_work(self) -> Law:
        """Return how the forces that hold the machine differ from the slope of its energy."""
        m, q = self.m, self.q
        rest, misfit, scale = np.zeros_like(self.qd), [], []
        try:
            tau, held = answered(m, "inverse_dynamics", q, rest, rest)
        except UsageError:  # no motors that could hold it
            return _law("virtual work", ("motors", "energy"), np.zeros(0), np.zeros(0))
        tau = np.where(held[:, None], tau, 0.0)
        # what no motor holds begins to move
        qdd, made = answered(m, "forward_dynamics", q, rest, tau)
        M = _masses(m, q)
        for k in np.flatnonzero(held & made):
            N = self.free[k]
            here, still = np.repeat(q[k][None], N.shape[1], axis=0), np.zeros((N.shape[1], m.nv))
            slope = _rate(self.slope, here, still, still, N.T)
            push, lift = N[self.index].T @ tau[k], N.T @ (M[k] @ qdd[k])
            misfit.append(np.abs(push - slope - lift).max(initial=0.0))
            scale.append(np.abs(slope).max(initial=0) + np.abs(push).max(initial=0) + 1e-9)
        # a pose may need no force at all: the largest of all states is the measure
        worth = np.full(len(scale), max(scale, default=1.0))
        return _law("virtual work", ("motors", "energy"), np.array(misfit), worth)

    def symmetry(self) -> Law:
        """Return how the mass matrix differs from its transpose."""
        name = "active_mass_matrix" if is_closed(self.m) else "mass_matrix"
        try:
            M, found = answered(self.m, name, self.q)
        except UsageError:
            return _law("symmetry", ("M", "transposed"), np.zeros(0), np.zeros(0))
        M = M[found]
        size = np.abs(M).reshape(len(M), -1).max(axis=1, initial=1e-300)
        misfit = np.abs(M - M.swapaxes(1, 2)).reshape(len(M), -1).max(axis=1, initial=0.0)
        return _law("symmetry", ("M", "transposed"), misfit, size)


def _masses(m: Mechanism, q: Array) -> Array:
    """Return the mass matrices of the tree, computed in floats."""
    M = in_floats(m.tree.unfolded if is_closed(m) else m.unfolded, "mass_matrix", None, [q])[0]
    return np.broadcast_to(np.asarray(M, dtype=float), (len(q), *np.shape(M)[-2:]))


def _well_posed(m: Mechanism, q: Array) -> Array:
    """Return at which states accelerations exist: the scaled mass matrix of the tree is regular."""
    M = _masses(m, q)
    size = np.sqrt(np.maximum(np.einsum("sii->si", np.abs(M)), 1e-300))
    scaled = M / size[:, :, None] / size[:, None, :]
    return np.asarray(np.linalg.cond(scaled) < REGULAR) if M.shape[-1] else np.ones(len(q), bool)


def _law(name: str, sides: tuple[str, str], misfit: Array, scale: Array) -> Law:
    ratio = np.abs(misfit) / np.maximum(scale, 1e-300)
    return Law(name, sides, float(ratio.max(initial=0.0)), 1e-8)


def certified(outputs: Sequence[Array]) -> Array:
    """Return at which states of a batch a kernel with a plan says that its plan holds."""
    return np.asarray(
        (outputs[-1][:, 0] <= CERTIFIED) & (outputs[-2][:, 0] >= 1e4 * SINGULAR), dtype=bool
    )


def answered(m: Mechanism, name: str, *inputs: Array) -> tuple[Array, Array]:
    """Return what a kernel itself says where it certifies that, else what the call answers.

    With it, which states have an answer: the others were refused.
    """
    kernel = compile(m, name)
    count = len(inputs[0])
    given = [*inputs, *(np.zeros((count, *p.shape)) for p in kernel.inputs[len(inputs) :])]
    planned = quantity(name, m).planned
    outputs = kernel(*given)
    found = outputs[0] if isinstance(outputs, tuple) else outputs
    sure = np.isfinite(found.reshape(count, -1)).all(axis=1)
    if planned:
        sure &= certified(outputs)
    done = sure.copy()
    for k in np.flatnonzero(~sure):
        try:
            other = np.asarray(evaluate(m, name, *(x[k] for x in given)))
        except ComputationError:
            continue  # refused, with its reason
        if other.shape == found[k].shape:
            found[k], done[k] = other, True
    return found, done


def _rate(slope: Function, q: Array, qd: Array, qdd: Array, way: Array) -> Array:
    """Return the exact slope of the energy along a motion."""
    out = slope([np.zeros(len(q))], *(list(x.T) for x in (q, qd, qdd, way)))
    return np.broadcast_to(np.asarray(out[0], dtype=float), (len(q),))


def _energy_slope(m: Mechanism) -> Function:
    """Return the slope by h of the energy at (q + h way, qd + h qdd)."""
    tree = m.tree.unfolded if is_closed(m) else m.unfolded
    b = tree.bound()
    _, kinetic = algorithm(QUANTITIES["kinetic_energy"], None)
    _, potential = algorithm(QUANTITIES["potential_energy"], None)

    def energy(h: Any, q: Any, qd: Any, qdd: Any, way: Any) -> Any:
        step = [h[0] * x for x in way]
        there = b.moved(q, step)
        rates = [x + h[0] * a for x, a in zip(qd, qdd, strict=True)]
        T, V = kinetic(b, there, rates), potential(b, there)
        return [_scalar(T) + _scalar(V)]

    sizes = [("h", 1), ("q", m.nq), ("qd", m.nv), ("qdd", m.nv), ("way", m.nv)]
    return jacobian(trace(energy, sizes, name="energy"), "h")


def _scalar(x: Any) -> Any:
    return x[0] if isinstance(x, (list, tuple)) else x
