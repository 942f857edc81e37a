"""Wrenches that only Python can compute: asked at every evaluation, state by state.

They stand among the signals, six columns for each frame, filled before a kernel runs.
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
from .wrenches import Wrenches, six_of

Array = np.ndarray


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
