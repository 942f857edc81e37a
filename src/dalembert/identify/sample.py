"""Some samples of a log with the best fit of all parameters: what mistakes are judged by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .result import Identification
from .rows import product
from .unknowns import equation_indices

Array = np.ndarray
SEEN = 1e-10  # share of a square that a fit can see
FLOOR = 1e-6  # of the forces: what is left of computed ones is rounding
State = tuple[Array, Array, Array, Array]  # q, q̇, q̈, forces


@dataclass(frozen=True, eq=False)
class Sample:
    """Some samples of a log, and the weight of each force (0 where there is none)."""

    f: Identification
    state: State
    weight: Array
    at: Array  # numbers of the samples

    @property
    def count(self) -> int:
        """The number of forces that there are."""
        return len(self.state[0]) * int(np.count_nonzero(self.weight))

    def system(self, state: State) -> tuple[Array, Array]:
        """Return weighted rows of the regressor, and weighted forces."""
        u, (*motion, tau) = self.f.equations.unknowns, state
        rows = u.rows(*motion) * self.weight[:, None]
        force = (tau - u.known(*motion)) * self.weight
        return rows.reshape(-1, rows.shape[-1]), np.where(self.weight > 0, force, 0.0).ravel()

    def residual(self, state: State) -> Array:
        """Return the weighted residual, rms, of each force in the best fit of all of them."""
        A, b = self.system(state)
        left = b - A @ fitted(A, b[:, None])[0][:, 0]
        return np.sqrt((left.reshape(len(state[0]), -1) ** 2).mean(axis=0))


def fitted(A: Array, B: Array) -> tuple[Array, Array]:
    """Return X of least squares A X = B, and the products of what is left of the columns of B.

    By sweeps of the normal equations (Beaton 1964), largest pivot first, until the directions that
    are left cannot be seen. Too small for a BLAS to start threads, which cost more than they do.
    """
    both = np.concatenate([A, B], axis=1)
    gram, p = product(both.T), A.shape[1]
    size = np.sqrt(gram.diagonal())
    size[size == 0] = 1.0
    G = gram / np.outer(size, size)
    open_ = np.arange(p)
    while len(open_):
        k = int(open_[np.argmax(G.diagonal()[open_])])
        if G[k, k] <= SEEN:
            break
        row = G[k] / G[k, k]
        G -= np.outer(G[:, k], row)
        G[k] = row
        open_ = open_[open_ != k]
    X = G[:p, p:] * size[p:] / size[:p, None]
    X[open_] = 0.0
    rest = G[p:, p:] * np.outer(size[p:], size[p:])
    return X, np.where(np.eye(len(rest), dtype=bool), np.maximum(rest, 0.0), rest)


def sample_of(f: Identification, count: int) -> Sample | None:
    """Return whole samples, forces weighted by their residual in a first fit."""
    d, indices = f.motion, equation_indices(f.nominal)
    if d.tau is None:
        return None
    tau = np.asarray(d.tau)[:, indices]
    have = np.isfinite(tau).any(axis=0)
    at = np.flatnonzero(d.valid & np.isfinite(tau[:, have]).all(axis=1))
    at = at[np.unique(np.linspace(0, len(at) - 1, count).astype(int))] if len(at) else at
    if len(at) * have.sum() < 4 * len(f.equations.unknowns.names) or len(at) < 50:
        return None
    s = Sample(f, (d.q[at], d.qd[at], d.qdd[at], tau[at]), have.astype(float), at)
    A, b = s.system(s.state)
    left = (b - A @ fitted(A, b[:, None])[0][:, 0]).reshape(len(at), -1)
    least = FLOOR * np.sqrt(np.nanmean(tau[at][:, have] ** 2))
    noise = np.maximum(np.sqrt((left**2).mean(axis=0)), max(least, 1e-300))
    return Sample(f, s.state, np.where(have, 1.0 / noise, 0.0), at)


def single_joints(f: Identification) -> list[tuple[str, int, int]]:
    """Return name, coordinate and rate of joints with one coordinate that move."""
    m = f.nominal
    made, q, v = [], 0, 0
    for body in m.bodies:
        if body.joint.nv == 1:
            made.append((m.rate_names[v], q, v))
        q, v = q + body.joint.nq, v + body.joint.nv
    moved = np.nanmax(f.motion.q, axis=0) - np.nanmin(f.motion.q, axis=0)
    return [x for x in made if moved[x[1]] > 1e-9]
