"""An assembled pose in floats: residuals and Jacobian scaled, Newton with line search, many starts.

Lengths are divided by the size of the mechanism, so that metres and radians stand in one matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra import Vec3
from ..algorithms.loop_closure import (
    equation_names,
    equation_units,
    equation_ways,
    linearised,
    loop_jacobian,
    turned_closure,
)
from ..algorithms.velocity_rows import TIME, prescribed_names, with_told
from ..errors import ComputationError, ModelError, UsageError, require_count, shown
from ..expr import Expr, Straight, trace
from ..inertia import Inertia
from ..joint import Vector
from ..kept import Kept
from ..mechanism import Mechanism, freed, joint_name, require_mechanism
from ..mechanism.units import rate_units
from ..mechanism.validate import numbers

Array = np.ndarray


MOST_STARTS = 10_000  # that are searched at once
CLOSED = 1e-9  # a residual below this, in parts of the mechanism's size, is closed
OPEN = 1e-6  # one above this is an open loop
_TRACED: Kept[dict[str, Straight]] = Kept(32)  # each machine once


def mechanism_size(m: Mechanism) -> float:
    """Return the largest length of a mechanism, wherever its base stands; 1 if it has none."""
    points = [(b.parent, b.placement.p) for b in m.bodies]
    points += [(loop.body_i, loop.point_i) for loop in m.loops]
    points += [(loop.body_j, loop.point_j) for loop in m.loops]
    lengths = [abs(float(x)) for body, p in points if body >= 0 for x in p]
    on_base = [[float(x) for x in p] for body, p in points if body < 0]
    for xs in zip(*on_base, strict=True):
        lengths.append(min(max(map(abs, xs)), max(xs) - min(xs)))
    return max(lengths, default=0.0) or 1.0


class Closure:
    """Residual and Jacobian of a mechanism in floats, lengths in parts of its size."""

    def __init__(self, m: Mechanism):
        bare = replace(m, active=(), drives=(), elastic=(), springs=(), checked=True)
        self._key = (bare.digest, repr(m.values), repr(m.told), repr(m.idle))
        m = self.m = _steered(geometry_of(m).bound(), m)
        self.size = mechanism_size(m)
        self.row_size = np.array([self.size if u == "m" else 1.0 for u in equation_units(m)])
        self.column_size = np.array([self.size if u == "m" else 1.0 for u in rate_units(m)])

    @cached_property
    def _traced(self) -> dict[str, Straight]:
        """The rows of the closure, traced once for one geometry: quicker at every pose."""
        return _TRACED.get(self._key, lambda: _rows(self.m))

    def residual(self, q: Array) -> Array:
        """Return the residuals of one pose or of many; half a turn counts as 2, not as its sine."""
        return values_at(self._traced["residual"], q) / self.row_size

    def jacobian(self, q: Array, far: bool = False) -> Array:
        """Return J of the closure, or of the residuals as the search sees them (`far`)."""
        J = values_at(self._traced["far" if far else "jacobian"], q)
        J = J.reshape(*q.shape[:-1], len(self.row_size), self.m.nv)
        return J / self.row_size[:, None] * self.column_size

    def turned(self, q: Array) -> Array:
        """Return the residuals with 2 where ends meet turned by half a turn."""
        return values_at(self._traced["turned"], q) / self.row_size

    def moved(self, q: Array, step: Array) -> Array:
        """Return one pose or many, moved by steps in scaled coordinates."""
        dq = step * self.column_size
        if q.ndim == 1:
            return np.array(self.m.moved(q.tolist(), dq.tolist()), dtype=float)
        return np.stack(self.m.moved(list(q.T), list(dq.T)), axis=1)

    def worst(self, q: Array) -> float:
        """Return the largest scaled residual."""
        return float(abs(self.turned(q)).max(initial=0.0))

    def gap(self, q: Array) -> str:
        """Return by how much, in metres or radians, and where the loops are open."""
        r = abs(self.turned(q))
        k = int(r.argmax()) if len(r) else 0
        return gap_text(self.m, k, float(r[k] * self.row_size[k])) if len(r) else "no loop is open"

    def require_closed(self, q: Array, call: str = "") -> None:
        """Raise ComputationError if loops are open at a pose."""
        if self.worst(q) > OPEN:
            raise ComputationError(
                f"{call}the loops are open at this pose: {self.gap(q)}",
                hint="assemble first: dalembert.assemble(m, q)",
                command="leave out --q to use a pose that is assembled",
            )

    def loops_losing(self, here: Array, near: Array) -> str:
        """Return which loops lose rank at a pose, from its Jacobian and that of one nearby."""
        U, s, _ = np.linalg.svd(here)
        lost = U[:, int(np.sum(s > 1e-8 * max(s[0], 1e-300))) :]
        V, _, _ = np.linalg.svd(lost.T @ near, full_matrices=False)
        share = np.abs(lost @ V[:, 0])
        names = [n.partition(", equation")[0] for n in equation_names(self.m)]
        of = dict.fromkeys(n for n, x in zip(names, share, strict=True) if x > 0.1 * share.max())
        return "equations of " + ", ".join(map(shown, list(of)[:6])) + " become dependent"


def values_at(function: Any, q: Array) -> Array:
    """Return what a traced function gives at one pose, or at each of many."""
    if q.ndim == 1:
        return np.array(function(q.tolist()), dtype=float)
    out = function([np.ascontiguousarray(q[:, k]) for k in range(q.shape[1])])
    columns = [np.broadcast_to(x, len(q)) for x in out]
    return np.stack(columns, axis=1) if columns else np.zeros((len(q), 0))


def _rows(m: Mechanism) -> dict[str, Straight]:
    """Return the functions of q that a Closure asks, all recorded in one trace."""

    def record(q: Vector) -> list[Any]:
        residual, far = linearised(m, q, far=True)
        return [residual, far, loop_jacobian(m, q), turned_closure(m, q)]

    n = len(equation_names(m))
    shapes = {"residual": n, "far": n * m.nv, "jacobian": n * m.nv, "turned": n}
    whole = trace(record, [("q", m.nq)], outputs=[(name, (size,)) for name, size in shapes.items()])
    ends = accumulate(shapes.values())
    return {
        name: Straight(replace(whole, results=whole.results[end - size : end]))
        for (name, size), end in zip(shapes.items(), ends, strict=True)
    }


def gap_text(m: Mechanism, row: int, size: float) -> str:
    """Return a residual with its unit, direction and equation: 0.02 m along y in loop 1, ..."""
    ways = equation_ways(m)
    told = f"{equation_units(m)[row]} {ways[row]} " if row < len(ways) else ""
    if told and size == 2 and equation_units(m)[row] == "rad":
        return f"half a turn in {equation_names(m)[row].partition(', equation')[0]}"
    return f"{size:.3g} {told}in {equation_names(m)[row]}"


def geometry_of(m: Mechanism) -> Mechanism:
    """Return the mechanism without masses and forces, and without the parameters of those."""
    require_mechanism(m, "plan")
    bodies = tuple(replace(b, inertia=Inertia()) for b in m.bodies)
    bare = replace(
        m, bodies=bodies, drives=(), elastic=(), springs=(), gravity=Vec3.zero(), told=(),
        checked=True,
    )  # fmt: skip
    names = {n for x in numbers(bare) if isinstance(x, Expr) for n in x.names()}
    names |= {n for c in m.velocity_constraints for n in c.expression.names()}
    kept = tuple(p for p in m.parameters if p.name in names)
    return replace(bare, parameters=kept, checked=True)


def _steered(bound: Mechanism, m: Mechanism) -> Mechanism:
    """Return a bound machine told what is prescribed, or something general where it was not."""
    told = {name: (x, rate) for name, x, rate in m.told}
    pairs = [
        told.get(n, (0.0 if n == TIME else 0.2 + 0.1 * k, 1.0))
        for k, n in enumerate(prescribed_names(m))
    ]
    return with_told(bound, [x for x, _ in pairs], [rate for _, rate in pairs])


def given_pose(m: Mechanism, q: Any) -> Array:
    """Return coordinates as one row of numbers, their count checked."""
    pose = np.array(q, dtype=float)
    if pose.shape != (m.nq,):
        raise ModelError(
            f"q has shape {pose.shape}, the mechanism needs ({m.nq},)",
            hint="one pose, all joints of the tree: " + ", ".join(map(shown, m.joint_names[:12])),
        )
    return pose


def _unit(m: Mechanism, q: Array) -> Array:
    """Return a start with quaternions of length 1: it is a guess, and need not be exact."""
    for body, at in zip(m.bodies, m.coordinate_index, strict=True):
        own = q[at + body.joint.nq - 4 : at + body.joint.nq]  # a view
        if body.joint.nq == body.joint.nv or abs((size := np.linalg.norm(own)) - 1) < 1e-12:
            continue
        if not size > 1e-3:
            name = shown(joint_name(body))
            raise ModelError(f"the quaternion of joint {name!r} is 0", hint="at rest: 0, 0, 0, 1")
        own /= size
    return q


def close(c: Closure, q: Array, hold: tuple[int, ...] = (), steps: int = 60) -> tuple[Array, float]:
    """Return (q, largest scaled residual) after damped Newton steps with line search."""
    moving = [k for k in range(c.m.nv) if k not in set(hold)]
    r = c.residual(q)
    best = float(np.linalg.norm(r))
    damping, stalled, slow = 0.0, 0, 0
    for _ in range(steps):
        if best < 1e-15 or stalled > 2 or slow > 8:
            break
        before = best
        J = c.jacobian(q, far=True)[:, moving]
        U, s, Vt = np.linalg.svd(J, full_matrices=False)
        top = s[0] if len(s) else 0.0
        kept = s > 1e-10 * top
        inverse = np.where(kept, s / (np.where(kept, s * s, 1.0) + damping), 0.0)
        dx = -(Vt.T @ (inverse * (U.T @ r)))
        dx *= min(1.0, 1.0 / max(np.abs(dx).max(initial=0.0), 1e-300))
        step = np.zeros(c.m.nv)
        t, improved = 1.0, False
        for _ in range(6):
            step[moving] = t * dx
            there = c.moved(q, step)
            found = c.residual(there)
            norm = float(np.linalg.norm(found))
            if norm < best:
                stalled = 0 if norm < 0.5 * best or best > 1e-12 else stalled + 1
                q, r, best, improved = there, found, norm, True
                break
            t *= 0.3
        damping = damping * 0.1 if improved else max(10 * damping, 1e-6 * top * top)
        stalled = stalled if improved else stalled + 1
        slow = slow + 1 if best > 0.99 * before and best > 1e-6 else 0
    return q, max(float(np.abs(r).max(initial=0.0)), c.worst(q))


def search(
    c: Closure, starts: Array, hold: tuple[int, ...] = (), steps: int = 60, least: float = 1e-18
) -> Array:
    """Return where damped least squares lead from many starts at once, best first.

    The search ends when one of them is closed, its cost below `least`.
    """
    moving = [k for k in range(c.m.nv) if k not in set(hold)]
    q, n = starts.copy(), len(starts)
    damping = np.full(n, 1e-2)
    r = c.residual(q)
    cost = np.sum(r * r, axis=1)
    for _ in range(steps):
        if np.min(cost) < least:
            break
        J = c.jacobian(q, far=True)[:, :, moving]
        A = np.einsum("sri,srj->sij", J, J)
        g = np.einsum("sri,sr->si", J, r)
        A[:, range(len(moving)), range(len(moving))] += damping[:, None] * (1e-6 + 1.0)
        step = np.zeros((n, c.m.nv))
        step[:, moving] = -np.linalg.solve(A, g[..., None])[..., 0]
        step *= np.minimum(1.0, 1.0 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        there = c.moved(q, step)
        found = c.residual(there)
        new = np.sum(found * found, axis=1)
        better = new < cost
        q[better], r[better], cost[better] = there[better], found[better], new[better]
        damping = np.clip(np.where(better, damping * 0.2, damping * 5), 1e-12, 1e6)
    return np.asarray(q[np.argsort(cost, kind="stable")])


def assemble(
    m: Mechanism, q: ArrayLike | Mapping[str, float] | None = None,
    hold: Sequence[str | int] | None = None, starts: int = 100, seed: int = 0, *,
    parameters: Mapping[str, Any] | None = None,
) -> Array:  # fmt: skip
    """Return an assembled pose of the whole tree.

    The search starts at `q` and keeps the joints named in `hold` where they are. `{"crank": 1.2}`
    as `q` keeps that joint there, and the others follow. Without `q` the search
    starts at the rest pose, then at random poses, the same ones every time, and gives the legs of a
    platform lengths above zero. If a loop cannot close, the error says where, and the smallest
    residual reached. Arrays of `parameters` describe one machine per entry: the poses have their
    leading dimensions, and each is found from the one before.

    >>> import dalembert as da
    >>> m = da.robots.fivebar()
    >>> q = da.assemble(m)
    >>> bool(abs(da.closure(m, q)).max() < 1e-12)
    True
    """
    require_mechanism(m, "assemble")
    require_count("starts", starts, MOST_STARTS)
    if isinstance(hold, Mapping):
        raise UsageError(
            "joints to hold are names, without numbers",
            hint="joints are held where q has them: give q, and hold=" + repr([*hold]),
        )
    if isinstance(q, Mapping):
        q, hold = placed(m, q), [*q, *(hold or ())]
    if parameters:
        return _each(m, q, hold, starts, seed, parameters)
    c = Closure(m)
    held = velocity_indices(m, hold or ())
    if q is None and not held:
        return upright(c, assemble(m, m.neutral, None, starts, seed))
    start = np.array(m.neutral) if q is None else _unit(m, given_pose(m, q))
    best, smallest = close(c, start, held)
    if smallest > 1e-12 and starts > 1:
        # farther and farther from the start
        rng = np.random.default_rng(seed)
        spread = np.minimum(3.0, 0.1 * np.arange(1, starts))[:, None]
        steps = spread * rng.uniform(-1, 1, (starts - 1, m.nv))
        steps[:, list(held)] = 0.0
        many = np.repeat(start[None], starts - 1, axis=0)
        for there in search(c, c.moved(many, steps), held)[:5]:
            found, worst = close(c, there, held)
            if worst < smallest:
                best, smallest = found, worst
            if worst < 1e-12:
                return found
    if smallest < CLOSED:
        return best
    raise ComputationError(
        f"the loops do not close: the smallest residual reached from {starts} starts is "
        f"{c.gap(best)}",
        hint="give a start near an assembled pose, or check points, axes and lengths of the loop",
    )


def placed(m: Mechanism, table: Mapping[str, Any]) -> Array:
    """Return the rest pose with the joints of a table where it says."""
    velocity_indices(m, list(table))  # every name is one of a joint
    q = np.array(m.neutral, dtype=float)
    for j, body in enumerate(m.bodies):
        own, n = joint_name(body), body.joint.nq
        if own not in table:
            continue
        try:
            value = np.atleast_1d(np.asarray(table[own], dtype=float))
        except (TypeError, ValueError):
            value = np.array([np.nan])
        if value.shape != (n,) or not np.isfinite(value).all():
            needs = "a finite number" if n == 1 else f"{n} finite numbers"
            hint = f"write {{{own!r}: {0.7 if n == 1 else list(body.joint.neutral)}}}"
            raise UsageError(
                f"joint {shown(own)!r} takes {needs if n else 'no number: it follows another'}",
                hint=hint if n else "name the joint that it follows",
            )
        q[m.coordinate_index[j] : m.coordinate_index[j] + n] = value
    return q


def upright(c: Closure, q: Array) -> Array:
    """Return the pose with slides of legs turned the right way round, if it closes so too.

    A leg whose slide runs through its first joint closes as well with a length below zero. No such
    leg is built: where nobody asked for a pose, lengths are those of branch 1 of the closed forms.
    """
    from ..algorithms.kinematics import frame_pose
    from ..algorithms.platform import platform_of
    from ..algorithms.reduced_legs import has_length, joints_at

    m, found = c.m, q.copy()
    places = {b.name: at for b, at in zip(m.bodies, m.coordinate_index, strict=True)}
    try:
        robot = platform_of(m)
        T = frame_pose(m, robot.m.bodies[robot.body].name, q.tolist())
        for leg in filter(has_length, robot.legs):
            for name, x in joints_at(leg, T, 1).items():
                found[places[name]] = float(x)
    except (ModelError, ValueError, ZeroDivisionError):  # a leg without a closed form
        return q
    return found if c.worst(found) < CLOSED else q


def velocity_indices(m: Mechanism, joints: Any) -> tuple[int, ...]:
    """Return the velocity variables of joints by name."""
    by_name = {joint_name(b): j for j, b in enumerate(m.bodies)}
    found: list[int] = []
    for name in joints:
        if name not in by_name:
            raise ModelError(f"{shown(str(name))!r} is not a joint")
        j = by_name[name]
        found += m.rates_of(j)
    return tuple(found)


def _each(m: Mechanism, q: Any, hold: Any, starts: int, seed: int, parameters: Any) -> Array:
    """Return assembled poses of machines with other parameters, each from the one before."""
    m = freed(m, parameters)
    arrays = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in parameters.values()))
    found, last = [], q
    for row in zip(*(x.ravel() for x in arrays), strict=True):
        own = m.with_values(dict(zip(parameters, map(float, row), strict=True)))
        last = assemble(own, last, hold, starts, seed)
        found.append(last)
    return np.array(found).reshape((*arrays[0].shape, m.nq))
