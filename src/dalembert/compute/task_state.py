"""The model of a task at states: inertia, bias, maps of forces, null space, lost directions.

Khatib (1987): F = Λ x'' + μ with Λ = (J A⁻¹ Jᵀ)⁻¹, μ = Λ (J A⁻¹ H - drift) and F = J̄ᵀ G_aᵀ τ, where
J̄ = A⁻¹ Jᵀ Λ is the dynamically consistent inverse. Ranks are decided on J L⁻ᵀ with A = L Lᵀ, each
row in parts of its usual size: metres and radians do not meet there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ComputationError, SingularModel, UsageError, state_text

Array = np.ndarray


LOST = 1e-8  # a direction whose share of the motion is less, in parts of the largest, is lost
FLOOR = 1e-10  # less, in parts of the usual size of rows, is rounding
CLEAR = 1e-5  # a direction that cannot be had in general counts where it has at least this share


@dataclass(frozen=True)
class TaskState:
    """The model of a task at one state or at many; leading dimensions are those of the states.

    `J` x' = J u; `inertia` Λ and `bias` μ: F = Λ x'' + μ, gravity and springs counted; `force_map`
    F of motor forces; `torque_map` motor forces of F; `inverse` J̄; `null_space` I - J̄ J, the speeds
    that do not move the frame; `drift` x'' at u' = 0; `velocity` x'; `rank`, and `margin`, the
    smallest singular value in parts of the largest.
    """

    rows: tuple[str, ...]
    general: int  # the rank that the rows have in general
    sizes: Array  # what rows are measured in
    J: Array
    mass: Array  # A, in the speeds
    load: Array  # H
    drift: Array
    velocity: Array
    motors: Array  # G_a: rates of the motors from the speeds

    @cached_property
    def root(self) -> Array:
        """L of A = L Lᵀ."""
        return root_of(self.mass)

    @cached_property
    def whitened(self) -> Array:
        """J L⁻ᵀ."""
        return _turned(np.linalg.solve(self.root, _turned(self.J)))

    @cached_property
    def _directions(self) -> tuple[Array, Array]:
        """Directions of the frame, a column each, and their shares of the motion, largest first."""
        U, s, _ = np.linalg.svd(self.whitened / self.sizes[:, None])
        shares = np.zeros((*s.shape[:-1], len(self.rows)))
        shares[..., : s.shape[-1]] = s
        least = np.where(np.arange(len(self.rows)) < self.general, FLOOR, CLEAR)
        shares[shares <= least] = 0.0
        return U, shares / np.maximum(shares[..., :1], 1e-300)

    @cached_property
    def rank(self) -> Any:
        """How many directions can be had."""
        return (self._directions[1] > LOST).sum(axis=-1)

    @property
    def margin(self) -> Any:
        """The smallest singular value of those that can be had in general."""
        shares = self._directions[1]
        return shares[..., self.general - 1] if self.general else np.ones(shares.shape[:-1])

    @cached_property
    def lost(self) -> Array:
        """Unit rows: directions of the frame that no speed makes here, lost · x' = 0."""
        k, gone = len(self.rows), _turned(self._directions[0])[..., ::-1, :]  # the weakest first
        width = k - int(self.rank.min(initial=k))
        here = (np.arange(width) < k - self.rank[..., None])[..., None]
        lost = np.where(here, gone[..., :width, :], 0.0) / self.sizes
        norm = np.linalg.norm(lost, axis=-1, keepdims=True)
        return np.divide(lost, norm, out=np.zeros_like(lost), where=norm > 0)

    @cached_property
    def inertia(self) -> Array:
        """Λ, in the directions that can move."""
        W = self.whitened / self.sizes[:, None]
        found = _inverted(W @ _turned(W), self.rank)
        return found / self.sizes[:, None] / self.sizes

    @cached_property
    def inverse(self) -> Array:
        """J̄ = A⁻¹ Jᵀ Λ."""
        return self._eased(_turned(self.J)) @ self.inertia

    @cached_property
    def null_space(self) -> Array:
        """I - J̄ J."""
        return np.eye(self.J.shape[-1]) - self.inverse @ self.J

    @cached_property
    def bias(self) -> Array:
        """μ = J̄ᵀ H - Λ drift."""
        return applied(_turned(self.inverse), self.load) - applied(self.inertia, self.drift)

    @cached_property
    def force_map(self) -> Array:
        """F of unit motor forces: J̄ᵀ G_aᵀ."""
        return _turned(self.inverse) @ self._pushing

    @cached_property
    def torque_map(self) -> Array:
        """Motor forces of a unit F: of those that accelerate the task alike, the least in A⁻¹.

        Where every speed has its motor this is Jᵀ.
        """
        return self._reached @ self.whitened @ _turned(self.whitened)

    @cached_property
    def _reached(self) -> Array:
        """Motor forces of a unit acceleration of the task, as far as the motors move it at all.

        With V = L⁻¹ G_aᵀ = U S Rᵀ an acceleration is W U (S Rᵀ τ): the singular values of W U are
        the shares of the task that the motors move.
        """
        V = np.linalg.solve(self.root, self._pushing)
        U, S, R = np.linalg.svd(V, full_matrices=False)
        keep = (S / S[..., :1].clip(1e-300)) > 1e-11
        task = self.whitened / self.sizes[:, None]
        moved = task @ (U * keep[..., None, :])
        u, s, r = np.linalg.svd(moved, full_matrices=False)
        felt = s > np.maximum(LOST * np.linalg.norm(task, axis=(-2, -1))[..., None], FLOOR)
        felt &= np.arange(s.shape[-1]) < self.rank[..., None]
        with np.errstate(divide="ignore"):
            back = (_turned(r) * np.where(felt, 1 / s, 0)[..., None, :]) @ _turned(u) / self.sizes
            return _turned(R) @ (np.where(keep, 1 / S, 0)[..., :, None] * back)

    @property
    def _pushing(self) -> Array:
        """G_aᵀ: from motor forces to forces on the speeds."""
        if not self.motors.shape[-2]:
            raise UsageError(
                "the task needs motor forces, and no motor is named",
                hint='active = ["joint", ...] in the file, or dataclasses.replace(m, active=(...))',
                command='write active = ["joint", ...] in the file',
            )
        return _turned(self.motors)

    def _eased(self, x: Array) -> Array:
        """Return A⁻¹ x."""
        return np.linalg.solve(self.mass, x)

    def torques(self, xdd: Any, null: Any = None) -> Array:
        """Return motor forces that give the task the acceleration xdd.

        `null` are forces of the motors that are added where they do not move the frame.
        """
        want = np.asarray(xdd, dtype=float)
        self._require(want)
        T = self.J @ self._eased(self._pushing)  # accelerations from motor forces
        fall = applied(self.J, self._eased(self.load[..., None])[..., 0]) - self.drift
        tau = applied(self._reached, want + fall)
        gap = np.abs(applied(T, tau) - fall - want).max(axis=-1, initial=0.0)
        size = np.maximum(np.abs(want).max(axis=-1), np.abs(fall).max(axis=-1))
        bad = np.argwhere(~(gap <= 1e-7 * (1 + size)))
        if len(bad):
            raise ComputationError(
                f"the motors cannot give the task this acceleration{state_text(tuple(bad[0]))}: "
                f"it misses by {gap[tuple(bad[0])]:.3g}",
                hint="ask for fewer rows, or name more active joints",
            )
        if null is None:
            return tau
        more = np.asarray(null, dtype=float)
        return tau + more - applied(self._reached, applied(T, more))

    def _require(self, xdd: Array) -> None:
        """Raise ComputationError for an acceleration with a part in a lost direction."""
        for k in range(self.lost.shape[-2]):
            along = self.lost[..., k, :]
            off = ((xdd - self.drift) * along).sum(axis=-1)
            bad = np.argwhere(np.abs(off) > 1e-7 * (1 + np.abs(xdd).max(initial=0.0)))
            if len(bad):
                where = tuple(bad[0])
                raise ComputationError(
                    f"the frame cannot accelerate along {direction(self.rows, along[where])}"
                    f"{state_text(where)}",
                    hint="ask for the rows that can be had: task_model(m, frame) without rows",
                )

    def singular(self) -> Any:
        """Return the lost directions in words: a tuple for one state, nested lists for many."""
        lead = self.J.shape[:-2]
        out = np.empty(lead, dtype=object)
        for where in np.ndindex(*lead):
            rows = self.lost[where]
            out[where] = tuple(direction(self.rows, r) for r in rows if np.abs(r).max() > 0)
        return out[()] if not lead else out.tolist()

    def __repr__(self) -> str:
        lead = self.J.shape[:-2]
        many = f"{'x'.join(map(str, lead))} states, " if lead else ""
        k, n = self.J.shape[-2:]
        return f"<TaskState: {many}rows {' '.join(self.rows)}; J {k} x {n}>"


def _turned(A: Array) -> Array:
    return np.swapaxes(A, -1, -2)


def applied(A: Array, x: Array) -> Array:
    """Return A x of each state."""
    return (A @ x[..., None])[..., 0]


def _inverted(K: Array, rank: Any) -> Array:
    """Return the inverse of symmetric matrices on their `rank` largest directions."""
    k = K.shape[-1]
    if np.all(np.asarray(rank) == k):
        found = np.linalg.inv(K)
        return (found + _turned(found)) / 2
    w, V = np.linalg.eigh(K)
    keep = np.arange(k) >= k - np.asarray(rank)[..., None]
    with np.errstate(divide="ignore"):
        inverse = np.where(keep, 1 / w, 0.0)
    found = (V * inverse[..., None, :]) @ _turned(V)
    return (found + _turned(found)) / 2


def direction(rows: tuple[str, ...], v: Any) -> str:
    """Return a direction in words.

    >>> direction(("vx", "vy"), [0.0, -1.0]), direction(("vx", "wz"), [0.6, -0.8])
    ('vy', '0.6 vx - 0.8 wz')
    """
    v = np.asarray(v, dtype=float)
    v = v * (np.sign(v[np.abs(v).argmax()]) or 1.0)
    first = np.flatnonzero(np.abs(v) > 1e-3)
    if len(first) and v[first[0]] < 0:
        v = -v
    parts = [(x, n) for x, n in zip(v.tolist(), rows, strict=True) if abs(x) > 1e-3]
    if len(parts) == 1:
        return parts[0][1]
    text = " ".join(f"{'-' if x < 0 else '+'} {abs(x):.3g} {n}" for x, n in parts)
    return text.removeprefix("+ ")


def root_of(A: Array) -> Array:
    """Return L of A = L Lᵀ; SingularModel where A is singular, its diagonal scaled to one."""
    d = np.sqrt(np.diagonal(A, axis1=-2, axis2=-1))
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            L = np.linalg.cholesky(A / d[..., :, None] / d[..., None, :])
        if not np.isfinite(L).all():
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:
        raise SingularModel(
            "the mass matrix is not positive definite: the task has no model",
            hint="a speed moves no inertia, or an inertia is not that of a body",
        ) from None
    return d[..., :, None] * L
