"""Mistakes in the positions of a log: what would explain its forces far better.

Each guess changes the positions as a mistake would (columns swapped, another sign, degrees, a zero
that is off), fits all parameters again to some samples and compares residuals. Noise cannot be
fitted away by any of them, so a log without mistakes keeps its residual.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from ..catalog.loops import is_closed
from ..errors import shown
from .result import Identification
from .rows import product
from .unknowns import equation_indices

Array = np.ndarray
SOME = 200  # samples that are fitted
MOST = 12  # joints of which all pairs are tried, else only neighbours
BETTER = 0.5  # of the residual, below which a guess is told
ALIKE = 1.1  # times the best residual, below which a guess is told beside it
OFFSET = 0.85  # the same of zeros that are off, which are found, not guessed
SMALL = 0.01  # radians or metres of an offset that is not told
SURE = 6.0  # standard deviations of an offset
ROUNDS, STEP = 8, 1e-6
SEEN = 1e-10  # share of a square that a fit can see
FLOOR = 1e-6  # of the forces: what is left of computed ones is rounding
DEGREE = np.pi / 180


State = tuple[Array, Array, Array, Array]  # q, q̇, q̈, forces


@dataclass(frozen=True, eq=False)
class Sample:
    """Some samples of a log, and the weight of each force (0 where there is none)."""

    f: Identification
    state: State
    weight: Array

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

    def residual(self, state: State) -> float:
        """Return the least weighted residual, rms, of all parameters."""
        A, b = self.system(state)
        _, left = fitted(A, b[:, None])
        return float(np.sqrt(left[0, 0] / self.count))


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


def mistakes(f: Identification) -> list[str]:
    """Return the mistake in the positions that explains the forces best, if one does."""
    s = None if is_closed(f.nominal) else _sample(f)
    if s is None:
        return []
    own = s.residual(s.state)
    if own < 0.5:  # forces that are computed: all but rounding is explained
        return []
    guesses = [(s.residual(state) / own, text) for text, state in _guesses(s)]
    best = min((x for x, _ in guesses), default=1.0)
    if best < BETTER:
        told = "; or ".join(text for x, text in guesses if x < ALIKE * best)
        return [f"{told}; the residual falls to {100 * best:.2g} % so"]
    return _zeros(s, own)


def _sample(f: Identification) -> Sample | None:
    """Return whole samples, forces weighted by their residual in a first fit."""
    d, indices = f.motion, equation_indices(f.nominal)
    if d.tau is None:
        return None
    tau = np.asarray(d.tau)[:, indices]
    have = np.isfinite(tau).any(axis=0)
    at = np.flatnonzero(d.valid & np.isfinite(tau[:, have]).all(axis=1))
    at = at[np.unique(np.linspace(0, len(at) - 1, SOME).astype(int))] if len(at) else at
    if len(at) * have.sum() < 4 * len(f.equations.unknowns.names) or len(at) < 50:
        return None
    s = Sample(f, (d.q[at], d.qd[at], d.qdd[at], tau[at]), have.astype(float))
    A, b = s.system(s.state)
    left = (b - A @ fitted(A, b[:, None])[0][:, 0]).reshape(len(at), -1)
    least = FLOOR * np.sqrt(np.nanmean(tau[at][:, have] ** 2))
    noise = np.maximum(np.sqrt((left**2).mean(axis=0)), max(least, 1e-300))
    return Sample(f, s.state, np.where(have, 1.0 / noise, 0.0))


def _joints(f: Identification) -> list[tuple[str, int, int]]:
    """Return name, coordinate and rate of joints with one coordinate that move."""
    m = f.nominal
    made, q, v = [], 0, 0
    for body in m.bodies:
        if body.joint.nv == 1:
            made.append((m.rate_names[v], q, v))
        q, v = q + body.joint.nq, v + body.joint.nv
    moved = np.nanmax(f.motion.q, axis=0) - np.nanmin(f.motion.q, axis=0)
    return [x for x in made if moved[x[1]] > 1e-9]


def _guesses(s: Sample) -> Iterator[tuple[str, State]]:
    """Yield what may be wrong, and the samples without that mistake."""
    m, joints = s.f.nominal, _joints(s.f)
    near = combinations(joints, 2) if len(joints) <= MOST else pairwise(joints)
    for (a, i, j), (b, k, v) in near:
        state = _copied(s)
        for x, pair in ((state[0], (i, k)), (state[1], (j, v)), (state[2], (j, v))):
            x[:, pair] = x[:, pair[::-1]]
        a, b = shown(a), shown(b)
        yield f"the positions of {a} and {b} may be swapped: map {a}=q.{b},{b}=q.{a}", state
    for name, i, j in joints:
        n, state = shown(name), _scaled(s, [(i, j)], -1.0)
        yield f"the positions of {n} may have the other sign: map {n}=q.{n}:-", state
        tau = state[3].copy()
        tau[:, equation_indices(m).index(j)] *= -1
        told = f"{n} may count positions and forces the other way: map {n}=q.{n}:-,"
        yield f"{told}tau.{n}=tau.{n}:-", (*state[:3], tau)
    owner = [body for body in m.bodies for _ in range(body.joint.nv)]
    angles = [x for x in joints if owner[x[2]].joint.kind == "revolute"]
    if angles:
        at, n = [(i, j) for _, i, j in angles], shown(angles[0][0])
        told = f"the positions may be degrees: map {n}=q.{n}:deg and so on"
        yield told, _scaled(s, at, DEGREE)
        told = "the positions may be radians that were read as degrees: leave :deg out"
        yield told, _scaled(s, at, 1 / DEGREE)


def _copied(s: Sample) -> State:
    q, qd, qdd, tau = s.state
    return q.copy(), qd.copy(), qdd.copy(), tau


def _scaled(s: Sample, at: list[tuple[int, int]], times: float) -> State:
    state = _copied(s)
    for i, j in at:
        state[0][:, i] *= times
        state[1][:, j] *= times
        state[2][:, j] *= times
    return state


def _zeros(s: Sample, own: float) -> list[str]:
    """Return joints whose zero is off: offsets are found beside all parameters (Gauss-Newton).

    An offset that bodies in other places explain as well (that of the last joint, or of a first
    vertical one) leaves no residual, and does no harm.
    """
    joints = _joints(s.f)
    found = np.zeros(len(joints))
    for _ in range(2):  # of all joints, then of those that count
        use = [k for k in range(len(joints)) if found[k] or not found.any()]
        found, spread, best = _offsets(s, joints, use)
        sure = np.abs(found) > np.maximum(SMALL, SURE * spread)
        found = np.where(sure, found, 0.0)
        if not found.any() or best > OFFSET * own:
            return []
    notes = []
    for (name, _, _), x in zip(joints, found, strict=True):
        if x:
            n = shown(name)
            notes.append(f"the zero of {n} may be off by {x:.3g}: map {n}=q.{n}:{x:+.3g}; "
                         f"the residual falls to {100 * best / own:.2g} % so")  # fmt: skip
    return notes


def _offsets(
    s: Sample, joints: list[tuple[str, int, int]], use: list[int]
) -> tuple[Array, Array, float]:
    """Return offsets of the positions, their standard deviations, and the residual with them."""
    off, spread, best = np.zeros(len(joints)), np.full(len(joints), np.inf), np.inf
    for _ in range(ROUNDS):
        state = _copied(s)
        for (_, i, _), by in zip(joints, off, strict=True):
            state[0][:, i] += by
        A, b = s.system(state)
        x = fitted(A, b[:, None])[0][:, 0]
        slopes = []
        for k in use:
            moved = state[0].copy()
            moved[:, joints[k][1]] += STEP
            B, c = s.system((moved, *state[1:]))
            slopes.append(((b - A @ x) - (c - B @ x)) / STEP)
        J = np.stack(slopes, axis=1)
        # what parameters leave of slopes and forces
        left = fitted(A, np.concatenate([J, b[:, None]], axis=1))[1]
        best = float(np.sqrt(left[-1, -1] / s.count))
        seen = np.flatnonzero(left.diagonal()[:-1] > 1e-6 * (J**2).sum(axis=0))
        at = np.array(use)[seen]
        if not len(at):
            break
        inverse = np.linalg.pinv(left[np.ix_(seen, seen)], hermitian=True)
        change = inverse @ left[seen, -1]
        off[at] += np.clip(change, -0.3, 0.3)
        spread[at] = best * np.sqrt(np.abs(inverse.diagonal()))
        if np.abs(change).max() < 1e-5:
            break
    return off, spread, best
