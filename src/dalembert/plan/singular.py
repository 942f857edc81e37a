"""How near a pose is to singular ones: of the closure, of the motors, of a Cartesian model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra import Vec3
from ..errors import ModelError, SingularPose, shown, state_text
from ..frozen import dataclass
from ..mechanism import Mechanism
from .assembly import Closure, given_pose
from .loops import planned

Array = np.ndarray
LOST = 1e10  # condition from which a Jacobian counts as singular


@dataclass(frozen=True, slots=True)
class Singularity:
    """Distances to singular poses, from 0 (singular) to about 1; nan where there is no output."""

    closure: float  # of the closure equations: smallest over largest singular value of their rank
    type1: float  # motors move and the output does not
    type2: float  # the output moves though the motors are held
    output: str = ""  # whose motion type 1 is about

    def __repr__(self) -> str:
        of = f", of {shown(self.output)}" if self.output else ""
        return (
            f"<Singularity: closure {self.closure:.3g}, type 1 {self.type1:.3g}, "
            f"type 2 {self.type2:.3g}{of}; 0 is singular>"
        )


def singularity(
    m: Mechanism, q: ArrayLike, output: str | None = None, point: Sequence[float] | None = None
) -> Singularity:
    """Return how far a pose is from singular ones (Gosselin and Angeles 1990, types 1 and 2).

    `output` is a frame; its motion is its twist, or the velocity of one `point` of it. When none is
    named it is the platform of a parallel robot, or the cut point of a single loop.

    >>> import dalembert as da
    >>> m = da.robots.fivebar()
    >>> s = da.singularity(m, da.assemble(m), output="rodA", point=(0.6, 0, 0))
    >>> s.type1 > 0.1, s.type2 > 0.1
    (True, True)
    """
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
    type2 = float(held[-1]) if len(held) else 1.0  # nothing moves
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
    if len(m.loops) == 1:
        loop = m.loops[0]
        body, point = max((loop.body_i, loop.point_i), (loop.body_j, loop.point_j),
                          key=lambda end: end[0])  # fmt: skip
        return m.bodies[body].name, point
    return platform_name(m), None


def platform_name(m: Mechanism) -> str | None:
    """Return the body that legs carry, None where a machine has none."""
    from ..algorithms.platform import platform_of

    try:
        robot = platform_of(m)
    except ModelError:
        return None
    return robot.m.bodies[robot.body].name


# -- the Cartesian model of a frame: singular values of J_n ------------------------------------


@dataclass(frozen=True, slots=True)
class CartesianReport:
    """How near a pose is to a singularity of J_n, lengths measured by the largest lever."""

    frame: str
    smallest: Any  # smallest singular value of J_n, linear rows divided by `length`
    condition: Any
    length: float

    def __repr__(self) -> str:
        worst = np.argmax(np.asarray(self.condition).reshape(-1))
        c, s = (np.asarray(x).reshape(-1)[worst] for x in (self.condition, self.smallest))
        state = "singular" if c > LOST else "regular"
        return f"frame {self.frame!r}: {state}, smallest singular value {s:.3g}, condition {c:.3g}"


def cartesian_jacobian(
    m: Mechanism, q: Any, qd: Any = None, frame: str | None = None, parameters: Any = None
) -> Array:
    """Return J_n at one pose or many; with rates, dJ_n/dt."""
    from ..algorithms import cartesian

    q = np.asarray(q, dtype=float)
    b, own = m.bound(parameters).unfolded, [q[..., k] for k in range(m.nq)]
    if qd is None:
        J = cartesian.J_n(b, own, frame)
    else:
        rates = np.broadcast_to(np.asarray(qd, dtype=float), (*q.shape[:-1], m.nv))
        J = cartesian.J_n_dot(b, own, [rates[..., k] for k in range(m.nv)], frame)
    rows_ = [[np.broadcast_to(x, q.shape[:-1]) for x in row] for row in J]
    return np.stack([np.stack(row, axis=-1) for row in rows_], axis=-2).astype(float)


def cartesian_singularity(
    m: Mechanism,
    q: ArrayLike,
    frame: str | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> CartesianReport:
    """Return smallest singular value and condition number of J_n at one pose or many.

    >>> import dalembert as da
    >>> print(da.cartesian_singularity(da.robots.ur5(), [0.1, -1, 1, 0.3, 1, 0]))  # doctest: +SKIP
    """
    from ..algorithms import cartesian, kane

    full = cartesian_jacobian(m, q, frame=frame, parameters=parameters)
    linear = [r for r, kind in enumerate(cartesian.motions(m)) if kind < 3]
    length = float(np.abs(full[..., linear, :]).max()) or 1.0
    full[..., linear, :] /= length
    s = np.linalg.svd(full, compute_uv=False)
    with np.errstate(divide="ignore"):
        condition = s[..., 0] / s[..., -1]
    name = frame or f"mass centre of {m.bodies[kane.massive(m)[-1]].name}"
    return CartesianReport(name, s[..., -1], condition, length)


def check_cartesian(m: Mechanism, q: Any, frame: str | None, parameters: Any = None) -> None:
    """Raise SingularPose when J_n is singular at a pose, naming the frame and the state."""
    if not np.isfinite(np.asarray(q, dtype=float)).all():
        return
    report = cartesian_singularity(m, q, frame, parameters)
    bad = np.argwhere(~(np.asarray(report.condition) < LOST))
    if not len(bad):
        return
    state = tuple(bad[0])
    s, c = (np.asarray(x)[state] for x in (report.smallest, report.condition))
    raise SingularPose(
        f"frame {shown(report.frame)!r} cannot move in all its directions at this pose"
        f"{state_text(state)}: smallest singular value of J_n {s:.2g}, condition {c:.2g}",
        hint="the Cartesian model needs an invertible J_n; check=False computes anyway",
        command="the Cartesian model needs an invertible J_n",
    )
