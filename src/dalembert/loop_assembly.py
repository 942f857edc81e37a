"""An assembled pose in floats: residuals and Jacobian scaled, Newton with line search, many starts.

Lengths are divided by the size of the mechanism, so that metres and radians stand in one matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .algorithms.loop_closure import closure, equation_names, loop_jacobian
from .errors import ComputationError, ModelError, shown
from .mechanism import Mechanism, joint_name

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray

CLOSED = 1e-9  # a residual below this, in parts of the mechanism's size, is closed
LENGTHS = {  # which closure equations are lengths
    "revolute": "LLL11",
    "prismatic": "LL111",
    "cylindrical": "LL11",
    "universal": "LLL1",
    "spherical": "LLL",
    "fixed": "LLL111",
    "rod": "L",
}
FREEDOMS = {"prismatic": "L", "free": "LLL111", "planar": "LL1"}
NEUTRAL = {"spherical": [0.0, 0.0, 0.0, 1.0], "free": [0.0] * 6 + [1.0]}


class Closure:
    """Residual and Jacobian of a mechanism in floats, lengths in parts of its size."""

    def __init__(self, m: Mechanism):
        import numpy as np

        self.m = m = m.bound()
        points = [b.placement.p for b in m.bodies]
        points += [p for loop in m.loops for p in (loop.point_i, loop.point_j)]
        size = max((float(abs(x)) for p in points for x in p), default=0.0)
        self.size = size if size > 0 else 1.0
        units = "".join(LENGTHS[loop.joint] for loop in m.loops)
        rows = [self.size if u == "L" else 1.0 for u in units]
        for c in m.couplings:
            rows.append(self.size if m.bodies[c.joint].joint.kind == "prismatic" else 1.0)
        self.row_size = np.array(rows)
        units = "".join(FREEDOMS.get(b.joint.kind, "1" * b.joint.nv) for b in m.bodies)
        self.column_size = np.array([self.size if u == "L" else 1.0 for u in units])

    def residual(self, q: Array) -> Array:
        import numpy as np

        return np.array(closure(self.m, q.tolist()), dtype=float) / self.row_size

    def jacobian(self, q: Array) -> Array:
        import numpy as np

        J = np.array(loop_jacobian(self.m, q.tolist()), dtype=float)
        J = J.reshape(len(self.row_size), self.m.nv)
        return J / self.row_size[:, None] * self.column_size

    def moved(self, q: Array, step: Array) -> Array:
        """Return q moved by a step in scaled coordinates."""
        import numpy as np

        out: list[float] = []
        steps = self.m.split((step * self.column_size).tolist())
        for body, own, dq in zip(self.m.bodies, self.m.split_q(q.tolist()), steps, strict=True):
            out.extend(body.joint.integrate(own, dq))
        return np.array(out, dtype=float)

    def worst(self, q: Array) -> tuple[float, str]:
        """Return the largest scaled residual and the name of its equation."""
        r = abs(self.residual(q))
        k = int(r.argmax()) if len(r) else 0
        return (float(r[k]), equation_names(self.m)[k]) if len(r) else (0.0, "")


def neutral_pose(m: Mechanism) -> Array:
    """Return the coordinates at rest: zeros and unit quaternions."""
    import numpy as np

    return np.array([x for b in m.bodies for x in NEUTRAL.get(b.joint.kind, [0.0] * b.joint.nq)])


def close(c: Closure, q: Array, hold: tuple[int, ...] = (), steps: int = 60) -> tuple[Array, float]:
    """Return (q, largest scaled residual) after damped Newton steps with line search."""
    import numpy as np

    moving = [k for k in range(c.m.nv) if k not in set(hold)]
    r = c.residual(q)
    best = float(np.linalg.norm(r))
    damping, stalled = 0.0, 0
    for _ in range(steps):
        if best < 1e-15 or stalled > 2:
            break
        J = c.jacobian(q)[:, moving]
        U, s, Vt = np.linalg.svd(J, full_matrices=False)
        top = s[0] if len(s) else 0.0
        kept = s > 1e-10 * top
        inverse = np.where(kept, s / (np.where(kept, s * s, 1.0) + damping), 0.0)
        dx = -(Vt.T @ (inverse * (U.T @ r)))
        dx *= min(1.0, 1.0 / max(np.abs(dx).max(initial=0.0), 1e-300))
        step = np.zeros(c.m.nv)
        t, improved = 1.0, False
        for _ in range(12):
            step[moving] = t * dx
            there = c.moved(q, step)
            found = c.residual(there)
            norm = float(np.linalg.norm(found))
            if norm < best:
                stalled = 0 if norm < 0.5 * best or best > 1e-12 else stalled + 1
                q, r, best, improved = there, found, norm, True
                break
            t *= 0.5
        damping = damping * 0.1 if improved else max(10 * damping, 1e-6 * top * top)
        stalled = stalled if improved else stalled + 1
    return q, float(np.abs(r).max(initial=0.0))


def assemble(
    m: Mechanism, q: Any = None, hold: Any = None, starts: int = 100, seed: int = 0
) -> Array:
    """Return an assembled pose of the whole tree.

    From a given start, with the joints in `hold` (names) kept where they are; without a start, from
    the rest pose and then from random ones, always the same. A loop that cannot close is an error
    that says the smallest residual reached and where.
    """
    import numpy as np

    c = Closure(m)
    held = velocity_indices(m, hold or ())
    rng = np.random.default_rng(seed)
    start = neutral_pose(m) if q is None else np.array(q, dtype=float)
    if start.shape != (m.nq,):
        raise ModelError(f"q has shape {start.shape}, the mechanism needs ({m.nq},)")
    best, smallest = start, np.inf
    free = np.array([0.0 if k in held else 1.0 for k in range(m.nv)])
    for attempt in range(starts):
        spread = 0.0 if attempt == 0 else min(3.0, 0.2 * attempt)
        there = c.moved(start, free * rng.uniform(-spread, spread, m.nv)) if attempt else start
        there, worst = close(c, there, held)
        if worst < smallest:
            best, smallest = there, worst
        if worst < 1e-12:
            return there
    if smallest < CLOSED:
        return best
    worst, where = c.worst(best)
    raise ComputationError(
        f"the loops do not close: the smallest residual reached from {starts} starts is "
        f"{smallest:.3g} of the mechanism's size, in {where}",
        hint="give a start near an assembled pose, or check points, axes and lengths of the loop",
    )


def velocity_indices(m: Mechanism, joints: Any) -> tuple[int, ...]:
    """Return the velocity variables of joints by name."""
    by_name = {joint_name(b): j for j, b in enumerate(m.bodies)}
    found: list[int] = []
    for name in joints:
        if name not in by_name:
            raise ModelError(f"{shown(name)!r} is not a joint")
        j = by_name[name]
        found += range(m.velocity_index[j], m.velocity_index[j] + m.bodies[j].joint.nv)
    return tuple(found)
