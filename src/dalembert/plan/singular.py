"""How near a pose is to singular ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra import Vec3
from ..errors import ModelError, shown
from ..mechanism import Mechanism
from .assembly import Closure, given_pose
from .loops import planned


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
