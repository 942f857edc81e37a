"""Loops are planned before they are traced: which equations and coordinates depend on which.

`plan(m, q)` factorises the closure Jacobian in floats at an assembled pose and returns a frozen
`LoopPlan`: independent equations, dependent and independent coordinates, redundant equations.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from ..algebra import Vec3
from ..algorithms.velocity_rows import is_rolling
from ..errors import ComputationError, ModelError, SingularPose, UsageError, shown
from ..mechanism import Mechanism, joint_name
from .assembly import Closure, assemble, close, given_pose, neutral_pose, velocity_indices

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray

RANK = 1e-8  # singular values below this part of the largest are zero
PIVOT = 0.1  # a pivot is at least this part of the largest entry of its column


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """How the closure equations are solved; indices are equations and velocity variables from 0.

    Equation rows[k] is the pivot of coordinate dependent[k], eliminated in this order.
    """

    equations: int
    rows: tuple[int, ...]
    dependent: tuple[int, ...]
    independent: tuple[int, ...]  # motors first, in their order, then free passive coordinates
    motors: tuple[int, ...]
    free: int = 0  # how many independent coordinates no motor moves
    free_joints: tuple[str, ...] = ()

    @property
    def mobility(self) -> int:
        """How many coordinates remain free when the loops are closed."""
        return len(self.independent)

    @property
    def rank(self) -> int:
        """How many closure equations are independent."""
        return len(self.rows)

    @property
    def redundant(self) -> tuple[int, ...]:
        """The equations that follow from the others."""
        kept = set(self.rows)
        return tuple(r for r in range(self.equations) if r not in kept)

    @property
    def spare_motors(self) -> int:
        """How many motors there are beyond those that are independent."""
        return len(self.motors) - (self.mobility - self.free)

    def __str__(self) -> str:
        parts = [
            f"{self.equations} closure equations, {self.rank} independent",
            f"mobility {self.mobility}",
            f"{len(self.motors)} motor{'s' * (len(self.motors) != 1)}"
            + (f", {self.spare_motors} spare" * bool(self.spare_motors)),
        ]
        if self.free:
            parts.append("free: " + ", ".join(map(shown, self.free_joints)))
        return "; ".join(parts)


def motors(m: Mechanism) -> tuple[int, ...]:
    """Return the velocity variables of the active joints, in their order.

    Couplings alone leave every joint active that does not follow another; where wheels or equations
    hold a machine and no motor is named, forces are those of all joints.
    """
    if not m.active and is_rolling(m):
        return tuple(range(m.nv))
    return velocity_indices(m, m.active if m.active or m.loops else _leaders(m))


def with_motors(m: Mechanism) -> Mechanism:
    """Return the mechanism with its motors named where joints follow others and none are named."""
    if not m.couplings or m.loops or m.active:
        return m
    return replace(m, active=_leaders(m), checked=True)


def _leaders(m: Mechanism) -> tuple[str, ...]:
    """Return the joints that follow no other."""
    follow = {c.joint for c in m.couplings}
    moving = ((j, b) for j, b in enumerate(m.bodies) if b.joint.nv)
    return tuple(joint_name(b) for j, b in moving if j not in follow)


# -- the plan ----------------------------------------------------------------------------------


def plan(m: Mechanism, q: Any = None) -> LoopPlan:
    """Return how the closure equations are solved near an assembled pose.

    Without a pose, at a general one that is found. A given pose where equations lose rank that they
    have nearby is a `SingularPose`.

    >>> import dalembert as da
    >>> print(da.plan(da.robots.fivebar()))
    5 closure equations, 2 independent; mobility 2; 2 motors
    """

    if q is None:
        return _planned(m, *general_pose(m))
    c = Closure(m)
    pose = given_pose(m, q)
    if pose.shape != (m.nq,):
        raise UsageError(f"q has shape {pose.shape}, the mechanism needs ({m.nq},)")
    worst, where = c.worst(pose)
    if worst > 1e-6:
        raise ComputationError(
            f"the loops are open at this pose: the residual is {worst:.3g} of the mechanism's "
            f"size in {where}",
            hint="assemble first: dalembert.assembly(m, q)",
        )
    pose, _ = close(c, pose)
    rank = _rank(c.jacobian(pose))
    for near in _neighbours(c, pose, 2):
        if _rank(c.jacobian(near)) > rank:
            raise SingularPose(
                f"the closure equations lose rank at this pose ({rank}, nearby "
                f"{_rank(c.jacobian(near))}): loops meet in {where or 'no equation'}",
                hint="move away from the singular pose",
            )
    return _planned(m, c, pose)


def general_pose(m: Mechanism) -> tuple[Closure, Array]:
    """Return an assembled pose that is not special, always the same for a mechanism."""
    import numpy as np

    c = Closure(m)
    rng = np.random.default_rng(1)
    spread = c.moved(neutral_pose(m), 0.3 * rng.uniform(-1, 1, m.nv))
    q, worst = close(c, spread)
    if worst > 1e-12:
        q = assemble(m)
    poses = [q, *_neighbours(c, q, 3)]
    ranks = [_rank(c.jacobian(p)) for p in poses]
    return c, poses[ranks.index(max(ranks))]


def _neighbours(c: Closure, q: Array, count: int) -> list[Array]:
    """Return assembled poses a little away, along directions the loops leave free."""
    import numpy as np

    rng = np.random.default_rng(2)
    N = null_space(c.jacobian(q))
    found = []
    for _ in range(count):
        step = N @ rng.normal(size=N.shape[1]) if N.shape[1] else np.zeros(c.m.nv)
        size = np.abs(step).max(initial=0.0)
        near, worst = close(c, c.moved(q, step * (0.05 / size if size else 0.0)))
        if worst < 1e-11:
            found.append(near)
    return found


def _rank(J: Array) -> int:
    import numpy as np

    s = np.linalg.svd(J, compute_uv=False)
    return int(np.sum(s > RANK * max(s[0], 1e-300))) if len(s) else 0


def null_space(J: Array) -> Array:
    """Return an orthonormal basis of the motions that J leaves free, as columns."""
    import numpy as np

    if not J.size:
        return np.eye(J.shape[1])
    _, s, Vt = np.linalg.svd(J)
    rank = int(np.sum(s > RANK * max(s[0], 1e-300)))
    return np.asarray(Vt[rank:].T)


def _planned(m: Mechanism, c: Closure, q: Array) -> LoopPlan:
    J = c.jacobian(q)
    N = null_space(J)
    driven = motors(m)
    chosen = _largest_rows(N, driven)
    free = _largest_rows(N, [k for k in range(m.nv) if k not in driven], chosen)
    independent = [k for k in driven if k in chosen] + sorted(free)
    others = [k for k in range(m.nv) if k not in set(independent)]
    rows, columns = _pivots(J[:, others])
    dependent = tuple(others[k] for k in columns)
    names = [joint_name(b) for b in m.bodies for _ in range(b.joint.nv)]
    if not driven:  # nothing is named: the independent coordinates are taken as motors
        return LoopPlan(len(J), rows, dependent, tuple(independent), tuple(independent))
    return LoopPlan(
        len(J),
        rows,
        dependent,
        tuple(independent),
        driven,
        len(free),
        tuple(dict.fromkeys(names[k] for k in sorted(free))),
    )


def _largest_rows(N: Array, candidates: Any, taken: list[int] | None = None) -> list[int]:
    """Return rows of N, most independent first, that add to the rank of those taken."""
    import numpy as np

    basis = np.zeros((N.shape[1], 0))
    for k in taken or ():
        basis = _extended(basis, N[k])
    rest, found = list(candidates), []
    while rest and basis.shape[1] < N.shape[1]:
        left = [float(np.linalg.norm(N[k] - basis @ (basis.T @ N[k]))) for k in rest]
        top = max(left)
        if top < 1e-7:
            break
        # the first of those that are nearly as good: small changes do not change the choice
        k = next(k for k, size in zip(rest, left, strict=True) if size > 0.7 * top)
        found.append(k)
        rest.remove(k)
        basis = _extended(basis, N[k])
    return found


def _extended(basis: Array, row: Array) -> Array:
    import numpy as np

    left = row - basis @ (basis.T @ row)
    left = left - basis @ (basis.T @ left)
    return np.column_stack([basis, left / np.linalg.norm(left)])


def _pivots(A: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return equations and columns in pivot order: sparse first, none small in its column."""
    import numpy as np

    A = A.copy()
    rows, columns = list(range(A.shape[0])), list(range(A.shape[1]))
    pivots: list[tuple[int, int]] = []
    while columns:
        sub = np.abs(A[np.ix_(rows, columns)])
        full = sub > 1e-10
        top = sub.max(axis=0, initial=0.0)
        if top.min() < 1e-9:
            raise SingularPose("the dependent coordinates do not follow from the motors here")
        work = np.outer(full.sum(axis=1) - 1, full.sum(axis=0) - 1).astype(float)
        work[sub < PIVOT * top] = np.inf
        # among equally sparse ones, the largest in its column
        work -= 0.5 * sub / top
        a, b = np.unravel_index(int(work.argmin()), work.shape)
        r, k = rows.pop(int(a)), columns.pop(int(b))
        pivots.append((r, k))
        for i in rows:
            if A[i, k] != 0:
                A[i] -= A[r] * (A[i, k] / A[r, k])
    return tuple(r for r, _ in pivots), tuple(k for _, k in pivots)


_PLANS: OrderedDict[tuple[str, str], LoopPlan] = OrderedDict()
_LOCK = Lock()


def planned(m: Mechanism) -> LoopPlan:
    """Return the plan of a mechanism at a general pose, made once."""
    key = (m.digest, repr(m.values))
    with _LOCK:
        if key in _PLANS:
            _PLANS.move_to_end(key)
            return _PLANS[key]
    made = plan(m)
    with _LOCK:
        _PLANS[key] = made
        while len(_PLANS) > 256:
            _PLANS.popitem(last=False)
    return made


def mobility(m: Mechanism, q: Any = None) -> int:
    """Return how many coordinates remain free when the loops are closed.

    >>> import dalembert as da
    >>> da.mobility(da.load("RZ(), TXK(1), RZ(), TXK(1);"))
    2
    """
    return plan(m, q).mobility


@dataclass(frozen=True, slots=True)
class Singularity:
    """Distances to singular poses, from 0 (singular) to about 1; nan where there is no output."""

    closure: float  # of the closure equations: smallest over largest singular value of their rank
    type1: float  # motors move and the output does not
    type2: float  # the output moves though the motors are held
    output: str = ""  # whose motion type 1 is about


def singularity(m: Mechanism, q: Any, output: str | None = None, point: Any = None) -> Singularity:
    """Return how far a pose is from singular ones (Gosselin and Angeles 1990, types 1 and 2).

    `output` is a frame; its motion is its twist, or the velocity of one `point` of it. When none is
    named it is the platform of a parallel robot, or the cut point of a single loop.

    >>> import dalembert as da
    >>> m = da.robots.fivebar()
    >>> s = da.singularity(m, da.assemble(m), output="rodA", point=(0.6, 0, 0))
    >>> s.type1 > 0.1, s.type2 > 0.1
    (True, True)
    """
    import numpy as np

    from ..algorithms.kinematics import jacobian

    c = Closure(m)
    pose = given_pose(m, q)
    J = c.jacobian(pose)
    s = np.linalg.svd(J, compute_uv=False)
    own = planned(m)
    rank = own.rank
    # the motions of the general rank, also where some more are free for an instant
    N = np.linalg.svd(J)[2][rank:].T
    held = np.linalg.svd(N[list(own.motors)], compute_uv=False)
    type2 = float(held[min(len(held), N.shape[1]) - 1]) if len(held) else 0.0
    closed = float(s[rank - 1] / s[0]) if rank else 1.0
    if output is None:
        output, point = _output(c.m)
    if output is None:
        return Singularity(closed, float("nan"), type2)
    rows = np.array(jacobian(c.m, output, pose.tolist()), dtype=float) * c.column_size
    if point is not None:
        from ..algorithms.kinematics import frame_pose

        arm = frame_pose(c.m, output, pose.tolist()).R @ Vec3(*(float(x) for x in point))
        rows = rows[:3] - np.array(arm.skew().rows, dtype=float) @ rows[3:]
    rows[:3] /= c.size
    moved = np.linalg.svd(rows @ N, compute_uv=False)
    size = min(len(moved), N.shape[1])
    type1 = float(moved[size - 1] / max(moved[0], 1e-300)) if size else 1.0
    return Singularity(closed, type1, type2, output)


def _output(m: Mechanism) -> tuple[str | None, Any]:
    """Return the body, and the point of it, whose motion a mechanism is made for."""
    from ..algorithms.parallel import platform_of

    if len(m.loops) == 1:
        loop = m.loops[0]
        body, point = max((loop.body_i, loop.point_i), (loop.body_j, loop.point_j),
                          key=lambda end: end[0])  # fmt: skip
        return m.bodies[body].name, point
    try:
        return m.bodies[platform_of(m).body].name, None
    except ModelError:
        return None, None
