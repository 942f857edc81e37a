"""Where the Cartesian model of a frame breaks down: singular values of J_n."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms import cartesian, kane
from ..errors import SingularPose, shown, state_text
from ..mechanism import Mechanism

Array = np.ndarray


LOST = 1e10  # condition from which a Jacobian counts as singular


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
