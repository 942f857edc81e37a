"""Poses of rest: `equilibrium`, for every class of mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .compute import evaluate, integrate, neutral
from .errors import ComputationError, SingularModel, require_count, shown
from .linearize import Linear, linearize, resting
from .mechanism import Mechanism, joint_name, require_mechanism
from .mechanism.limits import coordinate_limits
from .plan.assembly import Closure, assemble, close, placed
from .plan.loops import with_motors
from .simulate.given_state import asked, held_signals
from .simulate.systems import Closed, Reduced, System, Tree

Array = np.ndarray
PASSED = 1e-9  # by which a limit may be passed


def equilibrium(
    m: Mechanism,
    q: ArrayLike | Mapping[str, float] | None = None,
    tau: ArrayLike | None = None,
    *,
    steer: ArrayLike | None = None,
    limits: bool = True,
    steps: int = 100,
    tolerance: float = 1e-10,
) -> Array:
    """Return a pose near q at which the mechanism stays at rest under the forces tau.

    It takes Newton steps while they help, and otherwise lets the mechanism fall a little way: a
    search that begins near an unstable equilibrium may find it, any other ends at a stable one.
    Closed loops are closed first, and stay so; `q` may name joints, `{"crank": 1.2}`. Under
    velocity constraints the search goes only where the machine itself can go; prescribed joints
    stay. A pose beyond the limits of the joints is refused, unless `limits` is False.

    >>> import dalembert as da
    >>> m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    >>> abs(float(da.equilibrium(m, [0.4])[0])) < 1e-9
    True
    """
    require_mechanism(m, "equilibrium", moving=True)
    require_count("steps", steps)
    own = resting(m := with_motors(m))
    if isinstance(own, Closed):
        posed = q is not None and not isinstance(q, Mapping)
        q = assemble(m, q, hold=m.prescribed if posed and m.prescribed else None)
    elif isinstance(q, Mapping):
        q = placed(m, q)
    q = np.asarray(neutral(m) if q is None else q, dtype=float)
    forces = asked(own, q, np.zeros(own.speeds), tau, steer, 0.0)[1]
    rest = _Rest(own, forces, steer)
    scale = size = max(1.0, float(np.abs(rest.rate(q)).max(initial=0.0)))
    for _ in range(steps):
        try:
            here = linearize(m, q, None, tau, steer=steer)
        except SingularModel:
            if not rest.balanced(q, tolerance):
                raise
            return _within(m, q, limits)
        size = float(np.abs(here.rate).max(initial=0.0))
        if size <= tolerance * scale or not here.coordinates:
            return _within(m, q, limits)
        ways = rest.ways(q, here)
        bend = here.A[len(here.coordinates) :, : len(here.coordinates)] @ ways
        step = -np.linalg.lstsq(bend, here.rate, rcond=1e-12)[0]
        step *= min(1.0, 1.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        trial = rest.moved(q, here, ways @ step)
        # far from rest only downhill: an unstable equilibrium must be near to be meant
        meant = float(np.abs(step).max()) < 0.2 or float(step @ here.rate) > 0
        near = meant and float(np.abs(rest.rate(trial, here)).max()) < size / 2
        q = trial if near else rest.fallen(q, here, ways)
    if rest.balanced(q, tolerance):
        return _within(m, q, limits)
    raise ComputationError(
        f"no equilibrium found: the acceleration at rest is still {size:.3g}",
        hint="begin nearer to one, or give forces that can hold the mechanism",
    )


def _within(m: Mechanism, q: Array, limits: bool) -> Array:
    """Return the pose, if it keeps the limits; joints that turn come back by whole turns."""
    sprung = {spring.joint for spring in m.elastic}
    alone = not (m.followers or m.couplings or m.velocity_constraints)
    turns = [alone and b.joint.kind == "revolute" and j not in sprung
             for j, b in enumerate(m.bodies) for _ in range(b.joint.nq)]  # fmt: skip
    led = [joint_name(b) in m.prescribed for b in m.bodies for _ in range(b.joint.nq)]
    q = q.copy()
    for k, (low, high) in enumerate(coordinate_limits(m) if limits else ()):
        if led[k]:  # it stays where it was given
            continue
        if turns[k] and np.isfinite([low, high]).all() and not low <= q[k] <= high:
            q[k] -= 2 * np.pi * np.ceil((q[k] - high - PASSED) / (2 * np.pi))
        if not low - PASSED <= q[k] <= high + PASSED:
            raise ComputationError(
                f"the equilibrium found is beyond limits: {shown(m.coordinate_names[k])} would be "
                f"at {q[k]:.4g}, outside {low:.4g} .. {high:.4g}",
                hint="begin at another pose, or limits=False",
            )
    return q


@dataclass(frozen=True, eq=False)
class _Rest:
    """A system at rest under forces: how it begins to move, and where it may go."""

    own: System
    forces: Array
    steer: Any

    @cached_property
    def closure(self) -> Closure | None:
        """The equations of closed loops, if there are any."""
        return Closure(self.own.m) if isinstance(self.own, Closed) else None

    def rate(self, q: Array, here: Linear | None = None) -> Array:
        """Return the accelerations from rest, of independent speeds; nan where loops are open."""
        m, own = self.own.m, self.own
        if isinstance(own, Reduced) or own.given:
            own = own.planned_at(q) if isinstance(own, Closed) else own
            u = held_signals(own, q, self.steer, 0)
            given = (z.tolist() for z in (q, np.zeros(own.speeds), self.forces, u))
            rates = np.array(own.bound(m.bound()).acceleration(*given), dtype=float)
            return rates if here is None or isinstance(own, Reduced) else rates[[*here.coordinates]]
        try:
            found: Array = evaluate(m, "forward_dynamics", q, np.zeros(m.nv), self.forces)
        except ComputationError:
            found = np.full(m.nv, np.nan)
        return found if here is None else found[list(here.coordinates)]

    def balanced(self, q: Array, tolerance: float) -> bool:
        """Return whether the forces of a tree hold it, though its mass matrix be singular."""
        m = self.own.m
        if not isinstance(self.own, Tree):
            return False
        rest = np.zeros(m.nv)
        load = evaluate(m, "inverse_dynamics", q, rest, rest)
        size = max(1.0, float(np.abs(self.forces).max(initial=0.0)))
        return bool(np.abs(load - self.forces).max(initial=0.0) <= tolerance * size)

    def ways(self, q: Array, here: Linear) -> Array:
        """Return the directions in which the coordinates of `here` may move, one per speed."""
        n = len(here.coordinates)
        if not isinstance(self.own, Reduced):
            return np.eye(n)
        own, u = self.own.bound(self.own.m.bound()), held_signals(self.own, q, self.steer, 0)
        count = self.own.speeds
        asked = np.concatenate([np.zeros((1, count)), np.eye(count)])
        found = np.array([own.velocity(q.tolist(), v.tolist(), u.tolist()) for v in asked], float)
        return (found[1:] - found[0]).T

    def moved(self, q: Array, here: Linear, step: Array) -> Array:
        """Return q moved in the coordinates of `here`, loops closed."""
        m = self.own.m
        full = np.zeros(m.nv)
        full[list(here.coordinates)] = step
        trial = integrate(m, q, full)
        held = (*here.coordinates, *(m.velocity_index[j] for j in self.own.given))
        return close(self.closure, trial, held)[0] if self.closure else trial

    def fallen(self, q: Array, here: Linear, ways: Array) -> Array:
        """Return q moved along its accelerations, not beyond where they turn against the motion."""
        way = here.rate / np.abs(here.rate).max() * 0.1
        for _ in range(40):
            trial = self.moved(q, here, ways @ way)
            if float(self.rate(trial, here) @ way) > 0:
                return trial
            way = way / 2
        return q
