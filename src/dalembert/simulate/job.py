"""One simulation before it runs: a system under a law, and the data its kernels read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algorithms.closed_kinematics import SINGULAR
from ..errors import SingularPose
from ..mechanism import Mechanism
from ..runtime import integrate as drivers
from ..runtime.callback import Callback
from ..runtime.methods import RK4
from ..runtime.signal import Signal
from .events import EventTable
from .given_forces import Called
from .kernels import MAPS, Kernels
from .rolling import Rolling
from .systems import Planned, Reduced
from .wrenches import Pushes

Array = np.ndarray
FADING = 0.05  # pivots below this part of the largest make a new plan
LEANING = 0.4  # the same for machines on wheels
NEARLY = 0.01  # of machines on wheels: pivots below this may lead past a singular pose


@dataclass(frozen=True, eq=False)
class Job:
    """A system under a law, and the data its kernels read."""

    kernels: Kernels
    signal: Signal | None
    settings: Array
    parameters: dict[str, Any]
    limit: float = 0.0  # pivots below this part of the largest make a new plan
    notes: tuple[str, ...] = ()  # on what is prescribed
    leap: float = 0.0  # how many times the step in hand leads as far beyond a singular pose

    @property
    def m(self) -> Mechanism:
        """The mechanism."""
        return self.kernels.system.m

    def planned_at(self, q: Array, u: Any = None) -> Job:
        """Return the job with the loops planned at a pose; `u` is what is prescribed there."""
        own = self.kernels.system
        if not isinstance(own, Planned):
            return self
        law: Any = self.kernels.law
        if hasattr(law, "placed"):
            law = law.placed(own.m, own.driven_at(q, u))
        return replace(self, kernels=replace(self.kernels, system=own.planned_at(q, u), law=law))

    def renewed(
        self, rows: Array, t: float, parameters: Any, method: str, ahead: float = 0.0
    ) -> Job:
        """Return the job with its loops planned here; its limit is part of the pivot ratio.

        `ahead` is the ratio at the end of the step, if one is on its way. Where planning anew gives
        no better pivots a singular pose is near, and the step is taken that leads past it.
        """

        def ratio(of: Job) -> float:
            p = np.zeros(of.kernels.data)
            found = of.kernels.project()(rows, [t], self.told(t), p, parameters=parameters)
            return float(found[1].min())

        # at the start of a motion nothing depends on how the old plan fares: its kernel is not made
        here = ratio(self) if ahead > SINGULAR else 0.0
        try:
            made = self.planned_at(rows[0][: self.m.nq], self.led(t))
        except SingularPose:
            if not min(here, ahead) > SINGULAR:
                raise
            made = self
        made.kernels.begin(method)
        measure = ratio(made)
        if not measure > SINGULAR:
            raise _lost(measure, t)
        if isinstance(made.kernels.system, Rolling):  # rates are read off the independent ones
            made = replace(made, limit=min(LEANING, 0.5 * measure), leap=0.0)
            if measure > NEARLY:
                return made
        else:
            made = replace(made, limit=min(FADING, 0.2 * measure), leap=0.0)
        if measure < 2 * here and ahead > SINGULAR:
            # pivots fade in proportion to the time that is left: twice that is as far beyond
            leap = 2 * measure / (measure - ahead) if ahead < measure else 1.0
            return replace(made.fading(ahead, t), leap=leap)
        return made

    def fading(self, measure: float, t: float) -> Job:
        """Return the job that takes a step at whose end the best plan has this pivot ratio."""
        if not measure > SINGULAR:
            raise _lost(measure, t)
        return replace(self, limit=min(self.limit, 0.5 * measure))

    def parameter_rows(self, lead: tuple[int, ...]) -> dict[str, Any] | None:
        """Return the parameters, one row per state where they differ."""
        if any(np.ndim(v) for v in self.parameters.values()):
            return {k: np.broadcast_to(v, lead).ravel() for k, v in self.parameters.items()}
        return self.parameters or None

    def told(self, t: Any) -> Array:
        """Return all signals at times."""
        return self.signal(t) if self.signal is not None else np.zeros(max(1, self.kernels.inputs))

    def led(self, t: Any) -> Array:
        """Return the prescribed signals at times, then time and 1 if a constraint asks."""
        clock = np.asarray(t, dtype=float)[..., None]
        u = self.told(t)[..., self.kernels.prescribed]
        u = np.broadcast_to(u, (*clock.shape[:-1], u.shape[-1]))
        timed = self.kernels.system.timed
        return np.concatenate([u, clock, np.ones_like(clock)], axis=-1) if timed else u

    def inputs(self, x: Array, t: Array, p: Array) -> tuple[Array, Array, Array, Array]:
        """Return the inputs of kernels at states x (..., n), times t (...), settings p (..., s)."""
        return self.answered(x, t[..., None], self.told(t), p)

    @property
    def asked(self) -> bool:
        """Whether Python functions are asked at every evaluation."""
        return isinstance(self.kernels.law, Called) or self.pushes is not None

    @cached_property
    def pushes(self) -> Pushes | None:
        """The wrenches that are asked of Python at every evaluation."""
        return Pushes.of(self.kernels, self.parameters)

    def answered(self, x: Array, t: Array, u: Array, p: Array) -> tuple[Array, Array, Array, Array]:
        """Return the inputs of kernels with what Python gives: wrenches among u, forces in p."""
        if not self.asked:
            return x, t, u, p
        law, nq, lead = self.kernels.law, self.m.nq, x.shape[:-1]
        t, u, p = (np.broadcast_to(a, (*lead, np.shape(a)[-1])) for a in (t, u, p))
        reduced = isinstance(self.kernels.system, Reduced)
        qd = self.kernels.outputs()(x, t, u, p)[0] if reduced else x[..., nq:]
        states = [(float(t[k][0]), x[k][:nq].copy(), qd[k].copy()) for k in np.ndindex(*lead)]
        if self.pushes is not None:
            rows = zip(u.reshape(-1, u.shape[-1]), states, strict=True)
            u = np.array([self.pushes.filled(row, *x) for row, x in rows]).reshape(u.shape)
        if isinstance(law, Called):
            tau = np.array([law.asked(*x) for x in states]).reshape(*lead, law.forces)
            p = np.concatenate([tau, p[..., law.forces :]], axis=-1)
        return x, t, u, p

    def model(self, method: str, table: EventTable | None = None) -> drivers.Model:
        """Return the compiled model that a method integrates."""
        k = self.kernels
        rhs, guards = k.map(method) if method in MAPS else k.rhs(), k.guards()
        if self.asked:
            rhs, guards = self._callback(rhs), guards and self._callback(guards)
        events = k.events(table.functions, table.key) if table is not None else None
        mapped = method in MAPS
        slopes = k.jacobian() if method == "rosenbrock" else None
        return drivers.Model(
            rhs, k.project(), events, mapped, self.signal, self.limit, guards, slopes
        )

    def _callback(self, kernel: Any) -> Callback:
        """Return a kernel that asks Python for forces, or wrenches, at each evaluation."""
        return Callback(kernel.card, lambda x, t, u, p, *h: kernel(*self.answered(x, t, u, p), *h))


@dataclass(frozen=True, eq=False)
class Case:
    """What kernels are given besides state and time: a job, its settings and parameters.

    Settings `p`, the directions of sliding last, and parameters are those of all states, or have a
    row for each.
    """

    job: Job
    p: Array
    parameters: Mapping[str, Any] | None

    def of(self, rows: Any) -> Case:
        """Return the case of some states, or of one; what is written to its rows is seen here."""
        own = {k: (v[rows] if np.ndim(v) else v) for k, v in (self.parameters or {}).items()}
        return Case(self.job, self.p[rows] if self.p.ndim > 1 else self.p, own or None)

    def ask(self, kernel: Any, x: Array, t: Any, *more: Any) -> Any:
        """Return the outputs of a kernel at states x (..., n) and times t."""
        time = np.broadcast_to(np.asarray(t, dtype=float), x.shape[:-1])
        return kernel(*self.job.inputs(x, time, self.p), *more, parameters=self.parameters)

    def closed(self, x: Array, t: Any) -> Array:
        """Return states brought back to where they must lie."""
        project = self.job.kernels.project()
        return x if project is None else np.array(self.ask(project, x, t)[0])

    def stepped(self, method: str, x: Array, t: float, h: float) -> Array:
        """Return states after one step of a method with fixed steps, where they must lie."""
        kernels = self.job.kernels
        if method in MAPS:
            y = self.ask(kernels.map(method), x, t, np.array([h]))
        else:
            y = RK4.step(lambda x, t: self.ask(kernels.rhs(), x, t), x, t, h)
        return self.closed(np.asarray(y), t + h)


def _lost(measure: float, t: float) -> SingularPose:
    return SingularPose(
        f"the loops lose rank at t = {t:.9g} s: pivot ratio {measure:.1e}",
        hint="the mechanism meets a singular pose, where its motion is not determined",
    )


def raise_callback(model: drivers.Model) -> None:
    """Raise what a Python function raised while the driver ran."""
    error = getattr(model.rhs, "error", None)
    if error is not None:
        raise error
