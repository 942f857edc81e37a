"""States that lie on the closure already, or next to it, closed in floats: nothing is compiled.

A start that is given is most often an assembled pose. The kernels of `assembly` and `tree_motion`
serve all others, and many states at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.closed_kinematics import closed_at
from ..algorithms.loop_closure import closure
from ..mechanism import Mechanism
from ..plan import planned

Array = np.ndarray

FEW = 4  # states
NEAR = 1e-6  # of a residual that Newton's two steps close
CLOSED = 1e-12
FIRM = 1e-3  # pivot ratio above which the plan of the motors is beyond doubt


def near_closure(m: Mechanism, q: Array, v: Array) -> tuple[Array, Array] | None:
    """Return states with their loops closed, from the motors; None where kernels must decide."""
    if m.open_parameters or q[..., 0].size > FEW:
        return None
    plan, bound = planned(m), m.bound()
    size = max(1.0, *map(abs, plan.row_sizes))
    made_q, made_v = [], []
    for own_q, own_v in zip(q.reshape(-1, m.nq), v.reshape(-1, m.nv), strict=True):
        start = own_q.tolist()
        if not _gap(bound, start) <= NEAR * size:
            return None
        found = closed_at(bound, plan, start, 2)
        if not (_gap(bound, found.q) <= CLOSED * size and float(found.trusted) > FIRM):
            return None
        made_q.append(_floats(found.q))
        made_v.append(_floats(found.velocity(own_v.tolist())))
    return np.array(made_q).reshape(q.shape), np.array(made_v).reshape(v.shape)


def _gap(m: Mechanism, q: Any) -> float:
    return max((abs(float(x)) for x in closure(m, q)), default=0.0)


def _floats(values: Any) -> list[float]:
    return [float(x) for x in values]
