"""Motions and forces of a machine at a state: least squares on the null space of all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .description import End, Machine, read, skew, unit
from .rows import STEP, Place, along, constraints, gaps, half_turned, poses, rates, spot, tree

RANK = 1e-9  # singular values below this, of the largest, are zero
OPEN = 1e-9  # largest gap of a closed pose
Given = Mapping[str, tuple[float, float]]


class NotClosed(Exception):
    """The loops do not close here."""


class Impossible(Exception):
    """No motion, or no motor force, fulfils all equations."""


class NotUnique(Exception):
    """More than one motion fulfils all equations."""


class State:
    """A machine at (q, qd).

    `given`: angle and rate of each steering angle, rate and acceleration of prescribed joints.
    """

    def __init__(self, data: Any, q: Any, qd: Any = None, given: Given | None = None, t: float = 0,
                 drives: str = "inertia"):  # fmt: skip
        self.m, self.drives, given = read(data), drives, dict(given or {})
        m, self.n = self.m, 6 * len(self.m.bodies)
        joints = [b.joint for b in m.bodies]
        self.given = {k: g for k, g in given.items() if k in joints}
        self.steering = {k: g[1] for k, g in given.items() if k not in joints}
        self.q = np.asarray(q, float)
        self.qd = np.zeros(m.nv) if qd is None else np.asarray(qd, float)
        steer = {k: g[0] for k, g in given.items() if k not in joints}
        self.place = Place(self.q, t, steer)
        self.at = poses(m, self.q)

    # -- the equations -------------------------------------------------------------------------

    def _all(self, place: Place) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (rows of the tree, other rows, right side), prescribed joints last."""
        m = self.m
        C, c = constraints(m, place)
        held = np.zeros((len(self.given), self.n + m.nv))
        for row, joint in zip(held, self.given, strict=True):
            row[self.n + m.rate(joint).start] = 1
        speed = [g[0] for g in self.given.values()]
        return tree(m, poses(m, place.q)), np.vstack([C, held]), np.array([*c, *speed])

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """(C, c) here: C x = c, six rows per body first."""
        T, C, c = self._all(self.place)
        return np.vstack([T, C]).real, np.concatenate([np.zeros(self.n), c.real])

    @cached_property
    def x(self) -> np.ndarray:
        """Twists of all bodies and rates of all joints, from the rates of the joints."""
        return self._from_joints(self.qd, np.zeros(self.n))

    def _from_joints(self, rates: np.ndarray, right: np.ndarray) -> np.ndarray:
        T, n = self.rows[0][: self.n], self.n
        return np.concatenate([np.linalg.solve(T[:, :n], right - T[:, n:] @ rates), rates])

    @cached_property
    def second(self) -> np.ndarray:
        """Right side of C x' = second: c' - C' x, by a complex step along the motion."""
        T, C, c = self._all(along(self.place, rates(self.m, self.q, self.qd), self.steering))
        k = len(c) - len(self.given)
        slope = np.concatenate([np.zeros(self.n), c.imag]) - np.vstack([T, C]).imag @ self.x
        slope /= STEP
        slope[self.n + k :] = [g[1] for g in self.given.values()]
        return slope

    @cached_property
    def mass(self) -> np.ndarray:
        """Mass matrix of all bodies about their origins, and of the rotors."""
        M = np.zeros((self.n + self.m.nv,) * 2)
        if self.drives != "none":
            M[self.n :, self.n :] = np.diag(self.m.rotors)
        for k, b in enumerate(self.m.bodies):
            R, s = self.at[k][0], slice(6 * k, 6 * k + 6)
            m, E, I = b.mass, skew(R @ b.com), R @ b.inertia @ R.T
            M[s, s] = np.block([[m * np.eye(3), -m * E], [m * E, I - m * E @ E]])
        return M

    @cached_property
    def force(self) -> np.ndarray:
        """Known forces less those of inertia at x' = 0: weight, springs, friction, gyration."""
        m, f = self.m, np.zeros(self.n + self.m.nv)
        for k, b in enumerate(m.bodies):
            c, I = self.at[k][0] @ b.com, self.mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6]
            w = self.x[6 * k + 3 : 6 * k + 6]
            f[6 * k : 6 * k + 3] = b.mass * (m.gravity - np.cross(w, np.cross(w, c)))
            f[6 * k + 3 : 6 * k + 6] = b.mass * np.cross(c, m.gravity) - np.cross(w, I @ w)
        for q, v, stiffness, rest, damping in m.elastic:
            f[self.n + v] -= stiffness * (self.q[q] - rest) + damping * self.qd[v]
        for i, j, stiffness, length, damping in m.springs:
            f += self._spring(i, j, stiffness, length, damping)
        if self.drives == "all":
            for v, viscous, up, down in m.friction:
                s = np.sign(self.qd[v])
                f[self.n + v] -= viscous * self.qd[v] + (up if s > 0 else down if s < 0 else 0)
        return f

    def _spring(self, i: End, j: End, stiffness: float, length: float, damping: float) -> Any:
        pi, pj = spot(self.at, i), spot(self.at, j)
        direction, J = unit(pj - pi), np.zeros((3, self.n + self.m.nv))
        for end, p, sign in ((i, pi, -1), (j, pj, 1)):
            if end.body >= 0:
                k = 6 * end.body
                J[:, k : k + 3] += sign * np.eye(3)
                J[:, k + 3 : k + 6] -= sign * skew(p - self.at[end.body][1])
        row = direction @ J
        return -row * (stiffness * (np.linalg.norm(pj - pi) - length) + damping * (row @ self.x))

    # -- the null space ------------------------------------------------------------------------

    @cached_property
    def J(self) -> np.ndarray:
        """Rows beyond the tree, on the rates of the joints alone."""
        T = np.linalg.solve(self.rows[0][: self.n, : self.n], -self.rows[0][: self.n, self.n :])
        return self.rows[0][self.n :] @ np.vstack([T, np.eye(self.m.nv)])

    @cached_property
    def singular_values(self) -> np.ndarray:
        """Of J, padded with zeros, as parts of the largest."""
        s = np.linalg.svd(self.J, compute_uv=False) if self.J.size else np.zeros(0)
        s = np.concatenate([s, np.zeros(max(0, self.m.nv - len(s)))])
        return s / max(1.0, s.max(initial=0))

    @property
    def rank(self) -> int:
        """How many rows beyond the tree are independent."""
        return int((self.singular_values > RANK).sum())

    @cached_property
    def Z(self) -> np.ndarray:
        """Basis of all motions that the rows allow."""
        if not self.J.size:
            free = np.eye(self.m.nv)
        else:
            free = np.linalg.svd(self.J)[2][self.rank :].T
        return np.array([self._from_joints(z, np.zeros(self.n)) for z in free.T]).reshape(
            -1, self.n + self.m.nv).T  # fmt: skip

    @cached_property
    def start(self) -> np.ndarray:
        """One x' that fulfils C x' = second."""
        x = self._from_joints(np.zeros(self.m.nv), self.second[: self.n])
        gap = self.second[self.n :] - self.rows[0][self.n :] @ x
        dx = np.linalg.lstsq(self.J, gap, rcond=RANK)[0] if self.J.size else np.zeros(self.m.nv)
        if np.abs(self.J @ dx - gap).max(initial=0) > 1e-7 * (1 + np.abs(gap).max(initial=0)):
            raise Impossible("no acceleration keeps the constraints at these rates")
        return x + self._from_joints(dx, np.zeros(self.n))

    def check(self) -> State:
        """Return the state if coordinates and rates fulfil their equations."""
        gap = np.abs(gaps(self.m, self.place)).max(initial=0)
        if gap > OPEN or half_turned(self.m, self.q):
            raise NotClosed(f"open by {gap:.3g}")
        C, c = self.rows
        if (error := np.abs(C @ self.x - c).max(initial=0)) > 1e-7 * (1 + np.abs(self.x).max()):
            raise Impossible(f"the rates break a constraint by {error:.3g}")
        return self

    def push(self, tau: Any) -> np.ndarray:
        """Return the force on x of joint forces: one per motor where some are named, else nv."""
        f, tau = np.zeros(self.n + self.m.nv), np.asarray(tau, float)
        f[[self.n + v for v in self.motors]] = tau
        return f

    @property
    def motors(self) -> list[int]:
        """Rates that have a motor."""
        return self.m.active or list(range(self.m.nv))


def _solve(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the x of least norm with A x = b, columns of A balanced by its caller."""
    x = np.linalg.lstsq(A, b, rcond=1e-11)[0]
    scale = np.abs(b).max(initial=0) + (np.abs(A) @ np.abs(x)).max(initial=0)
    if np.abs(A @ x - b).max(initial=0) > 1e-7 * scale + 1e-10:
        raise Impossible(f"residual {np.abs(A @ x - b).max():.3g} of {scale:.3g}")
    return x


def forward(data: Any, q: Any, qd: Any, tau: Any, **options: Any) -> np.ndarray:
    """Return qdd for motor forces tau: one per active joint where some are named, else nv."""
    s = State(data, q, qd, **options).check()
    A, b = s.Z.T @ s.mass @ s.Z, s.Z.T @ (s.force + s.push(tau) - s.mass @ s.start)
    scale = 1 / np.sqrt(np.maximum(np.diag(A), 1e-300))
    A = scale[:, None] * A * scale
    if A.size and np.linalg.eigvalsh(A)[0] < 1e-11:
        raise NotUnique("a motion has no inertia")
    return (s.start + s.Z @ (scale * _solve(A, scale * b)))[s.n :]


def inverse(data: Any, q: Any, qd: Any, qdd: Any, **options: Any) -> np.ndarray:
    """Return the motor forces (least norm) of a motion that fulfils all constraints."""
    s = State(data, q, qd, **options).check()
    x = s._from_joints(np.asarray(qdd, float), s.second[: s.n])
    gap = s.rows[0] @ x - s.second
    if np.abs(gap).max(initial=0) > 1e-7 * (1 + np.abs(x).max()):
        raise Impossible(f"qdd breaks a constraint by {np.abs(gap).max():.3g}")
    B = s.Z.T @ np.array([s.push(e) for e in np.eye(len(s.motors))]).T
    return _solve(B, s.Z.T @ (s.mass @ x - s.force))


def hybrid(data: Any, q: Any, qd: Any, qdd: Mapping[str, float], tau: Mapping[str, float],
           **options: Any) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return (qdd, tau) of all joints and rates: some joints are moved, others are pushed."""
    s = State(data, q, qd, **options).check()
    n, E = s.n, np.eye(s.n + s.m.nv)
    told = [n + s.m.rate(name).start for name in qdd]
    known = s.force - s.mass @ s.start
    for name, push in tau.items():
        known = known + E[n + s.m.rate(name).start] * push
    A = np.block([[s.Z.T @ s.mass @ s.Z, -s.Z.T @ E[:, told]],
                  [s.Z[told], np.zeros((len(told), len(told)))]])  # fmt: skip
    y = _solve(A, np.concatenate([s.Z.T @ known, np.array([*qdd.values()]) - s.start[told]]))
    if A.size and np.linalg.cond(A) > 1e11:
        raise NotUnique("motors that are moved are not independent")
    k, forces = s.Z.shape[1], np.zeros(s.m.nv)
    for name, push in tau.items():
        forces[s.m.rate(name)] = push
    forces[[v - n for v in told]] = y[k:]
    return (s.start + s.Z @ y[:k])[n:], forces


def mobility(data: Any, q: Any, **options: Any) -> int:
    """Return how many independent velocities the machine has here."""
    return read(data).nv - State(data, q, **options).rank


def motors_suffice(data: Any, q: Any, **options: Any) -> bool:
    """Return whether the motors can make every motion: one force at least for each freedom."""
    s = State(data, q, **options)
    B = s.Z[[s.n + v for v in s.motors]]
    return np.linalg.matrix_rank(B, tol=1e-9) == s.Z.shape[1]


def is_singular(data: Any, q: Any, tries: int = 4, **options: Any) -> bool:
    """Return whether the rows lose rank here against closed poses nearby."""
    m, rng = read(data), np.random.default_rng(0)
    here = State(m, q, **options).rank
    for _ in range(tries):
        near = close(m, shifted(m, np.asarray(q, float), 0.02 * rng.normal(size=m.nv)), **options)
        if near is not None and State(m, near, **options).rank > here:
            return True
    return False


def shifted(m: Machine, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
    """Return the coordinates moved by a tangent vector."""
    out = q + rates(m, q, dq)
    for b in m.bodies:
        if b.kind in ("spherical", "free"):
            u = slice(b.q.stop - 4, b.q.stop)
            out[u] = unit(out[u])
    return out


def close(data: Any, q: Any, fixed: Sequence[str] = (), steps: int = 80, **options: Any) -> Any:
    """Return a closed pose near q by Gauss and Newton, or None; `fixed` joints stay."""
    m, q = read(data), np.asarray(q, float).copy()
    place = State(m, q, **options).place
    free = [v for v in range(m.nv) if not any(v in range(m.nv)[m.rate(f)] for f in fixed)]

    def gap(q: np.ndarray) -> np.ndarray:
        return gaps(m, Place(q, place.t, place.steer))

    for _ in range(steps):
        g = gap(q)
        if np.abs(g).max(initial=0) < 1e-14:
            break
        moves = [rates(m, q, e) for e in np.eye(m.nv)[free]]
        J = np.array([gap(q + 1j * STEP * dq).imag / STEP for dq in moves]).T
        step = np.zeros(m.nv)
        step[free] = -np.linalg.lstsq(J, g, rcond=1e-8)[0]
        size = np.abs(step).max()
        q = shifted(m, q, step * min(1.0, 0.3 / size) if size > 0.3 else step)
        if size < 1e-15:
            break
    done = np.abs(gap(q)).max(initial=0) < 1e-11 and not half_turned(m, q)
    return q if done else None


def feasible(data: Any, q: Any, rng: np.random.Generator, speed: float = 1.0,
             **options: Any) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return random (qd, qdd) that fulfil all constraints at a closed pose."""
    s = State(data, q, **options)
    c = s.rows[1]
    base = np.linalg.lstsq(s.J, c[s.n :], rcond=RANK)[0] if s.J.size else np.zeros(s.m.nv)
    qd = base + speed * (s.Z @ rng.normal(size=s.Z.shape[1]))[s.n :]
    s = State(data, q, qd, **options).check()
    return qd, (s.start + s.Z @ rng.normal(size=s.Z.shape[1]))[s.n :]
