"""Forces and wrenches that only Python can compute: asked at every evaluation, state by state.

Wrenches stand among the signals, six columns for each frame, filled before a kernel runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.link_motion import states
from ..errors import DalembertError, UsageError, shown
from ..expr import Graph, trace
from ..mechanism import Mechanism
from ..mechanism.followers import in_all_joints
from ..runtime.callback import Callback
from .given_forces import Called
from .systems import Reduced
from .wrenches import Wrenches, six_of

Array = np.ndarray


def callback(kernel: Any, nq: int, kernels: Any, pushes: Any = None) -> Callback:
    """Return a right-hand side that asks Python for forces, or wrenches, at each evaluation."""
    reduced, law = isinstance(kernels.system, Reduced), kernels.law

    def rate(x: Any, t: Any, u: Any, p: Any, *h: Any) -> Any:
        qd = kernels.outputs()(x, t, u, p)[0] if reduced else x[nq:]
        if pushes is not None:
            u = pushes.filled(u, float(t[0]), x[:nq], qd)
        if isinstance(law, Called):
            tau = np.asarray(law.function(float(t[0]), x[:nq].copy(), qd.copy()), dtype=float)
            if tau.shape != (law.forces,):
                raise UsageError(f"the torque function gave shape {tau.shape}, not ({law.forces},)")
            p = np.concatenate([tau, p[law.forces :]])
        return kernel(x, t, u, p, *h)

    return Callback(kernel.card, rate)


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
        """Return what must be asked at every evaluation; None where nothing must."""
        if not kernels.wrenches.called:
            return None
        m = kernels.system.m
        given = {k: v for k, v in (parameters or {}).items() if np.ndim(v) == 0}
        return Pushes((m.with_values(**given) if given else m).bound(), kernels.wrenches,
                      kernels.prescribed.stop)  # fmt: skip

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

    def rows(self, u: Array, t: Array, q: Array, qd: Array) -> Array:
        """Return the signals of many states."""
        lead = q.shape[:-1]
        times, u = np.broadcast_to(t, lead), np.broadcast_to(u, (*lead, np.shape(u)[-1]))
        made = [self.filled(u[k], float(times[k]), q[k], qd[k]) for k in np.ndindex(*lead)]
        return np.array(made).reshape(u.shape)


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
