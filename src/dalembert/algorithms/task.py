"""What the model of a task needs: how a frame moves with the speeds, and the forces on these.

Khatib (1987), A unified approach for motion and force control of robot manipulators: the
operational-space formulation. x' = J u + x'_0, x'' = J u' + drift, A u' + H = G_aᵀ tau. The speeds
u are all rates of a tree, those of the independent joints where loops or wheels hold the machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import UsageError, shown
from ..expr import Scalar
from ..joint import Vector
from ..linalg import Matrix
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from ..reframe import simplify
from .closed_loop import ClosedModel
from .composite import composite
from .joint_forces import JointForces
from .kinematics import jacobian, jacobian_derivative, velocity
from .newton_euler import newton_euler
from .springs import without_springs

TaskRows = str | int | Iterable[str | int] | None  # names or indices of rows; None is all six
ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")
GROUPS = {"linear": ROWS[:3], "angular": ROWS[3:], "planar": ("vx", "vy", "wz")}


def task_rows(rows: TaskRows = None) -> tuple[int, ...]:
    """Return which of [v; w] a task keeps, from names or indices; None keeps all six.

    >>> task_rows("vx vy wz"), task_rows(["linear"]), task_rows((0, 5))
    ((0, 1, 5), (0, 1, 2), (0, 5))
    """
    if rows is None:
        return tuple(range(6))
    given = rows.replace(",", " ").split() if isinstance(rows, str) else _sequence(rows)
    found: list[int] = []
    for row in given:
        for one in GROUPS.get(row, (row,)) if isinstance(row, str) else (row,):
            found.append(_row(one))
    if not found or len(set(found)) < len(found):
        raise UsageError(
            f"rows = {shown(str(rows))}: {'a row is named twice' if found else 'no row is named'}",
            hint="rows: " + ", ".join((*ROWS, *GROUPS)),
        )
    return tuple(found)


def _sequence(rows: Any) -> list[Any]:
    try:
        return list(rows)
    except TypeError:
        return [rows]


def _row(row: Any) -> int:
    if isinstance(row, str) and row in ROWS:
        return ROWS.index(row)
    if not isinstance(row, (str, bool)) and hasattr(row, "__index__") and 0 <= row < 6:
        return int(row)
    raise UsageError(
        f"there is no row {shown(str(row))!r} of a frame's velocity",
        hint="rows: " + ", ".join((*ROWS, *GROUPS)) + ", or their indices from 0",
    )


def _moved(
    m: Mechanism, frame: str | None, q: Vector, qd: Vector, rows: TaskRows, axes: str
) -> tuple[Matrix, Values, Values]:
    """Return (J, J' q̇, velocity) of the rows of a frame, over all rates of the tree."""
    name, kept = frame if frame is not None else m.end_frame, task_rows(rows)
    J, Jd = jacobian(m, name, q, axes), jacobian_derivative(m, name, q, qd, axes)
    v = Values(velocity(m, name, q, qd, axes))
    return J.pick(kept), Jd.pick(kept) @ qd, v.pick(kept)


def task_terms(
    forces: JointForces,
    q: Vector,
    qd: Vector,
    frame: str | None = None,
    rows: TaskRows = None,
    axes: str = "base",
) -> tuple[Matrix, Matrix, Values, Values, Values]:
    """Return (J, A, H, drift, velocity) of a tree: its mass matrix and all forces at rest rates."""
    m, tree = forces.m, simplify(without_springs(forces.m))
    J, drift, v = _moved(m, frame, q, qd, rows, axes)
    H = newton_euler(tree, q, qd, [0] * m.nv)
    return J, forces.mass(composite(tree, q)), Values(H) - forces.passive(q, qd), drift, v


def closed_task_terms(
    model: ClosedModel,
    qd: Vector,
    frame: str | None = None,
    rows: TaskRows = None,
    axes: str = "base",
) -> tuple[Matrix, Matrix, list[Scalar], Values, Values, Matrix]:
    """Return (J, A_c, H_c, drift, velocity, G_a) in the independent coordinates.

    J = J_f G of (56); drift = J'_f q̇ + J_f q̈ at the accelerations that the loops alone ask for.
    """
    closed = model.closed
    full, (gamma, rest) = closed.velocity(qd), model.bias(qd)
    J, drift, v = _moved(closed.m, frame, closed.q, full, rows, axes)
    H, G_a = closed.projected(gamma), model.G.pick(model.plan.motors)
    return J @ model.G, model.A_c, H, drift + J @ rest, v, G_a
