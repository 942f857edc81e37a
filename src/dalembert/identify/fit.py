"""Weighted least squares on triangles, what can be seen, and how sure the answer is.

Gautier's way to base parameters that a motion excites (a rank-revealing QR of the regressor, Khalil
and Dombre, Modeling, Identification and Control of Robots, section 12.4), weights from the residual
of each joint, intervals from the residuals of stretches of time (`sureness`), which asks nothing of
the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import ComputationError
from ..measure.packages import scipy_part
from .loud import loud_columns
from .rows import Equations, Stretch, triangle
from .sureness import covariance_of

Array = np.ndarray
SEEN = 1e-6  # a column whose share beyond the others is smaller cannot be seen
ROUNDS = 8  # of weights
MISSED = 1.5  # times the residual that a joint may have without the columns that noise moves


@dataclass(frozen=True, eq=False)
class Fit:
    """The parameters that the motion shows: columns `seen`, those grouped into them, and spread."""

    seen: tuple[int, ...]
    values: Array  # of the seen columns, others grouped in
    grouped: Array = field(repr=False)  # (seen, columns): what each value is the sum of
    covariance: Array = field(repr=False)
    noise: Array = field(repr=False)  # standard deviation of each joint's residual
    freedom: Array = field(repr=False)  # of Student's distribution of each interval
    condition: float = 1.0
    R: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)  # weighted [Y tau]
    hidden: tuple[int, ...] = ()  # columns that only noise moves


def stacked(stretches: Sequence[Stretch], noise: Array) -> Array:
    """Return the triangle of all equations, each joint divided by its noise."""
    rows = [s.R[j] / noise[j] for s in stretches for j in range(len(noise)) if len(s.R[j])]
    return triangle(rows)


def residuals(stretches: Sequence[Stretch], x: Array) -> tuple[Array, Array]:
    """Return the sum of squares of each joint's residual, and its number of equations."""
    v = np.append(x, -1.0)
    joints = len(stretches[0].R)
    total = np.array([sum(float(((s.R[j] @ v) ** 2).sum()) for s in stretches)
                      for j in range(joints)])  # fmt: skip
    return total, np.sum([s.rows for s in stretches], axis=0)


def fit(e: Equations) -> Fit:
    """Return the fit of the training part, without columns that only noise moves."""
    seen, T, x, noise = weighted(e)
    hidden: list[int] = []
    if e.noise is not None:
        rows = np.sum([s.rows for s in e.training], axis=0)
        bodies = e.unknowns.of_bodies
        # friction changes sign with one sample: a few of them are not noise of the column
        spread = np.einsum("j,jkl->kl", rows / noise**2, e.noise) * np.outer(bodies, bodies)
        hidden = loud_columns(stacked(e.training, noise), seen, spread)
    if hidden and len(hidden) < len(seen):
        fewer = replace(e, training=[_without(s, hidden) for s in e.training])
        found = weighted(fewer)
        if (found[-1] <= MISSED * noise).all():
            e, (seen, T, x, noise) = fewer, found
        else:  # a short log: the forces need these columns, though noise moves them too
            hidden = []
    R = stacked(e.training, noise)
    columns = R[:, list(seen)]
    size = np.linalg.norm(columns, axis=0)
    values = x[list(seen)]
    spread, freedom = _sureness(e, noise, seen)
    condition = float(np.linalg.cond(columns / size))
    return Fit(seen, values, T, spread, noise, freedom, condition, R, tuple(hidden))


def _without(s: Stretch, columns: Sequence[int]) -> Stretch:
    """Return a stretch in which some columns move nothing."""
    keep = np.ones(s.R[0].shape[1])
    keep[list(columns)] = 0.0
    return replace(s, R=[x * keep for x in s.R])


def weighted(e: Equations) -> tuple[tuple[int, ...], Array, Array, Array]:
    """Return what is seen, what is grouped into it, all values, and the noise of each joint."""
    p = len(e.unknowns.names)
    have = np.sum([s.rows for s in e.training], axis=0) > 0
    noise = np.where(have, 1.0, np.inf)
    seen, T = visible(stacked(e.training, noise)[:, :-1])
    if not seen:
        raise ComputationError(
            "the motion shows no parameter",
            hint="let every joint move; da.excite finds a motion",
            command="let every joint move; dalembert excite MODEL finds a motion",
        )
    x = np.zeros(p)
    for _ in range(ROUNDS):
        R = stacked(e.training, noise)
        x = np.zeros(p)
        x[list(seen)] = np.linalg.lstsq(R[:, list(seen)], R[:, -1], rcond=None)[0]
        rest, rows = residuals(e.training, x)
        share = np.maximum(1.0, rows - rows / rows.sum() * len(seen))
        found = np.where(have, np.sqrt(np.maximum(rest / share, 1e-30)), np.inf)
        done = np.allclose(found[have], noise[have], rtol=1e-3)
        noise = np.where(have, np.maximum(found, 1e-9 * found[have].max()), np.inf)
        if done:
            break
    return seen, T, x, noise


def visible(R: Array) -> tuple[tuple[int, ...], Array]:
    """Return columns that are independent, and the matrix that groups the others into them."""
    linalg = scipy_part("linalg")
    size = np.linalg.norm(R, axis=0)
    top = size.max(initial=0.0)
    alive = np.flatnonzero(size > 1e-12 * top)
    if not len(alive):
        return (), np.zeros((0, R.shape[1]))
    scaled = R[:, alive] / size[alive]
    # columns in their own order, so that names stay where they can: a column counts if it holds
    # something that those before it do not
    order: list[int] = []
    basis = np.zeros((len(R), 0))
    for k in range(scaled.shape[1]):
        v = scaled[:, k]
        for _ in range(2):
            v = v - basis @ (basis.T @ v)
        rest = np.linalg.norm(v)
        if rest > SEEN:
            order.append(k)
            basis = np.concatenate([basis, (v / rest)[:, None]], axis=1)
    seen = alive[order]
    grouped = np.zeros((len(seen), R.shape[1]))
    grouped[:, alive] = linalg.lstsq(R[:, seen], R[:, alive], lapack_driver="gelsy")[0]
    grouped[np.abs(grouped) < 1e-9 * np.abs(grouped).max(initial=1e-300)] = 0.0
    grouped[:, seen] = np.eye(len(seen))
    return tuple(int(k) for k in seen), grouped


def _sureness(e: Equations, noise: Array, seen: Sequence[int]) -> tuple[Array, Array]:
    """Return the covariance of the parameters seen, and the degrees of freedom of each."""
    used = [s for s in e.training if s.rows.sum()]
    return covariance_of([triangle([stacked([s], noise)[:, [*seen, -1]]]) for s in used])


def r_squared(stretch: Stretch, x: Array) -> Array:
    """Return R² of each joint: 1 - residual / spread of the measured force.

    Where a known part (a wrench at a joint without a motor) makes the fitted force larger, that one
    counts. A small payload leaves little to fit, and the model may still explain the force.
    """
    rest, rows = residuals([stretch], x)
    with np.errstate(divide="ignore", invalid="ignore"):
        around = (stretch.squares - stretch.sum**2 / rows).max(axis=0)
        return np.where(rows > 0, 1 - rest / around, np.nan)
