"""Motions that show the parameters best: Fourier series, D-optimal within the limits.

Swevers et al., Optimal robot excitation and identification, IEEE Trans. Robotics and Automation 13
(1997): q_j is a finite Fourier series, so that periods can be averaged; the determinant of the
information matrix Σ Yᵀ Y is made as large as the limits allow. Its gradient is exact: that of
log det (Σ Yᵀ Y) along a motion is that of Σ C·Y with C = 2 Y (Σ Yᵀ Y)⁻¹ held, one reverse sweep.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..catalog import algorithm, quantity
from ..compute import evaluate
from ..errors import UsageError, shown
from ..expr import Graph, program, trace
from ..expr.derive import gradient
from ..measure.motion import MeasuredMotion
from ..measure.packages import scipy_part
from ..mechanism import Mechanism, is_closed, require_mechanism
from .bounds import INSIDE, Bounds, bounds_of
from .unknowns import Unknowns, unknowns

Array = np.ndarray
SAMPLES = 160  # of one period, for the criterion; limits are checked on ten times as many
RANDOM = 40  # random motions that the result is compared with
MOST_ROWS = 10**7  # samples of a result
POSES = 4000  # random poses among which one is sought to move about


@dataclass(frozen=True)
class Series:
    """Fourier series of n joints that begin and end at rest: q = offset + Φ θ at given times."""

    joints: int
    harmonics: int
    time: float

    @cached_property
    def rest(self) -> Array:
        """An orthonormal basis of coefficients (a, b) with q̇ = q̈ = 0 at the ends."""
        k = np.arange(1, self.harmonics + 1)
        rows = np.stack([np.r_[np.ones(len(k)), 0 * k], np.r_[0.0 * k, k]])
        return np.linalg.svd(rows)[2][2:].T

    @property
    def size(self) -> int:
        """The number of unknowns of one joint: its offset and its amplitudes."""
        return 1 + self.rest.shape[1]

    def basis(self, t: Array) -> tuple[Array, Array, Array]:
        """Return the matrices of q, q̇, q̈ at times t: (n, size) each."""
        k = np.arange(1, self.harmonics + 1)
        w = 2 * np.pi / self.time * k
        s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
        q = np.concatenate([s / w, -c / w], axis=1) @ self.rest
        qd = np.concatenate([c, s], axis=1) @ self.rest
        qdd = np.concatenate([-s * w, c * w], axis=1) @ self.rest
        one, zero = np.ones((len(t), 1)), np.zeros((len(t), 1))
        return (
            np.concatenate([one, q], axis=1),
            np.concatenate([zero, qd], axis=1),
            np.concatenate([zero, qdd], axis=1),
        )


class Criterion:
    """Minus log det of the information of a motion, with its gradient, and what passes a limit."""

    def __init__(self, u: Unknowns, series: Series, bounds: Bounds):
        self.u, self.series, self.bounds = u, series, bounds
        self.t = np.linspace(0, series.time, SAMPLES, endpoint=False)
        self.basis = series.basis(self.t)
        self.size = self._column_sizes()

    def motion(self, x: Array, basis: tuple[Array, ...] | None = None) -> list[Array]:
        """Return q, q̇, q̈ of the unknowns x."""
        theta = x.reshape(self.series.joints, self.series.size).T
        return [b @ theta for b in (basis or self.basis)]

    def _column_sizes(self) -> Array:
        rng = np.random.default_rng(0)
        state = rng.normal(size=(3, 64, self.u.m.nv))
        Y = self.u.rows(*state)
        return np.maximum(np.sqrt((Y**2).mean(axis=(0, 1))), 1e-9)

    def information(self, x: Array) -> float:
        """Return log det of the information, columns in their natural sizes, per column."""
        Y = self.u.rows(*self.motion(x)) / self.size
        A = np.einsum("nji,njk->ik", Y, Y) / SAMPLES
        sign, value = np.linalg.slogdet(A + 1e-12 * np.eye(len(A)))
        return float(value) / len(A) if sign > 0 else -1e3

    @cached_property
    def slopes(self) -> Any:
        """The kernel of d(Σ C·Y) by q, q̇, q̈."""
        from ..runtime import compile_program

        m, u = self.u.m, self.u
        graph = Graph()
        bound = m.bound(m.floats, graph).unfolded
        _, regressor = algorithm(quantity("regressor", m), None)
        count = len(self.size)
        sizes = [("q", m.nq), ("qd", m.nv), ("qdd", m.nv), ("C", m.nv * count)]

        def body(q: Any, qd: Any, qdd: Any, C: Any) -> Any:
            Y = regressor(bound, q, qd, qdd, drives=u.drives, columns="base")
            kept = [[row[k] for k in u.chosen] for row in Y]  # type: ignore[union-attr]
            terms = [c * y for c, y in zip(C, (y for row in kept for y in row), strict=True)]
            total = sum(terms[1:], terms[0])
            return gradient(graph, total.id, [x.id for x in (*q, *qd, *qdd)])

        made = trace(body, sizes, name="information", outputs=[("slope", (3 * m.nv,))], graph=graph)
        return compile_program(program(made))

    def __call__(self, x: Array) -> tuple[float, Array]:
        """Return the criterion with penalties of passed limits, and its exact gradient."""
        state = self.motion(x)
        Y = self.u.rows(*state) / self.size
        A = np.einsum("nji,njk->ik", Y, Y) / SAMPLES + 1e-12 * np.eye(Y.shape[-1])
        value = -np.linalg.slogdet(A)[1] / len(A)
        C = -2.0 * (Y @ np.linalg.inv(A)) / (SAMPLES * len(A)) / self.size
        g = np.asarray(self.slopes(*state, C.reshape(SAMPLES, -1)))
        nv = self.u.m.nv
        rates = [g[:, :nv], g[:, nv : 2 * nv], g[:, 2 * nv :]]
        cost, penalties = self._penalty(state)
        rates = [a + b for a, b in zip(rates, penalties, strict=True)]
        slope = sum(b.T @ r for b, r in zip(self.basis, rates, strict=True))
        return float(value + cost), np.asarray(slope).T.ravel()

    def _penalty(self, state: list[Array]) -> tuple[float, list[Array]]:
        """Return the mean squared excess over the limits, in parts of them, and its slopes."""
        q, qd, qdd = state
        b, n = self.bounds, len(self.t)
        cost, slopes = 0.0, [np.zeros_like(x) for x in state]
        weight = 300.0 / n

        def over(k: int, x: Array, low: Array, high: Array) -> None:
            nonlocal cost
            span = np.where(np.isfinite(high - low), high - low, 1.0)
            e = np.maximum(x - (high - 0.01 * span), 0) - np.maximum(low + 0.01 * span - x, 0)
            e = np.where(np.isfinite(e), e, 0.0) / span
            cost += weight * float((e**2).sum())
            slopes[k] += 2 * weight * e / span

        over(0, q, b.q[:, 0], b.q[:, 1])
        over(1, qd, -b.qd, b.qd)
        over(2, qdd, -b.qdd, b.qdd)
        if np.isfinite(b.tau).any():
            m = self.u.m
            tau = evaluate(m, "inverse_dynamics", q, qd, qdd, drives="all")
            e = np.where(np.abs(tau) > 0.97 * b.tau, np.abs(tau) - 0.97 * b.tau, 0.0) / b.tau
            e = np.where(np.isfinite(b.tau), e, 0.0)
            if e.any():
                D = evaluate(m, "inverse_dynamics_derivatives", q, qd, qdd)
                pull = 2 * weight * e * np.sign(tau) / np.where(np.isfinite(b.tau), b.tau, 1.0)
                cost += weight * float((e**2).sum())
                for k in range(3):
                    slopes[k] += np.einsum("ni,nij->nj", pull, D[k])
        for frame, box in b.boxes.items():
            p = evaluate(self.u.m, "pose", q, frame=frame)[:, :3, 3]
            e = np.maximum(p - box[:, 1], 0) - np.maximum(box[:, 0] - p, 0)
            e = np.where(np.isfinite(e), e, 0.0)
            if e.any():
                J = evaluate(self.u.m, "jacobian", q, frame=frame)[:, :3]
                cost += 100 * weight * float((e**2).sum())
                slopes[0] += 200 * weight * np.einsum("ni,nij->nj", e, J)
        return cost, slopes

    def fitting(self, x: Array) -> Array:
        """Return the unknowns with amplitudes drawn in until every limit is kept."""
        fine = self.series.basis(np.linspace(0, self.series.time, 10 * SAMPLES))
        own = x.reshape(self.series.joints, -1).copy()
        middle = self.middle
        low, high = 0.0, 1.0
        if self._kept(own.ravel(), fine):
            return own.ravel()
        for _ in range(30):
            share = 0.5 * (low + high)
            tried = own.copy()
            tried[:, 1:] *= share
            tried[:, 0] = middle + share * (own[:, 0] - middle)
            low, high = (share, high) if self._kept(tried.ravel(), fine) else (low, share)
        own[:, 1:] *= low
        own[:, 0] = middle + low * (own[:, 0] - middle)
        return own.ravel()

    @cached_property
    def middle(self) -> Array:
        """The pose to move about: the middle of the limits, else the one farthest inside."""
        q = self.bounds.q
        middle = np.where(
            np.isfinite(q).all(axis=1), q.mean(axis=1), np.clip(0.0, q[:, 0], q[:, 1])
        )
        if self._room(middle[None])[0] > 0:
            return middle
        tried = np.random.default_rng(0).uniform(q[:, 0], q[:, 1], (POSES, len(q)))
        room = self._room(tried)
        if not room.max() > 0:
            raise UsageError(
                f"no exciting motion keeps the limits: at none of {POSES} poses can the machine "
                f"rest; {self._why(middle, tried)}",
                hint="look at the limits of force (effort) and at the boxes of workspace",
            )
        return np.asarray(tried[room.argmax()])

    def _room(self, q: Array, forces: bool = True) -> Array:
        """Return how far inside the limits of force and the boxes a machine rests, in parts."""
        room, zero, b = np.ones(len(q)), np.zeros_like(q), self.bounds
        if forces and np.isfinite(b.tau).any():
            tau = evaluate(self.u.m, "inverse_dynamics", q, zero, zero, drives="all")
            room = np.minimum(room, (1 - np.abs(tau) / b.tau).min(axis=1))
        for frame, box in b.boxes.items():
            p = evaluate(self.u.m, "pose", q, frame=frame)[:, :3, 3]
            wide = box[:, 1] - box[:, 0]
            half = np.where(np.isfinite(wide) & (wide > 0), wide / 2, 1.0)
            inside = np.minimum(p - box[:, 0], box[:, 1] - p) / half
            room = np.minimum(room, inside.min(axis=1))
        return np.asarray(room)

    def _why(self, q: Array, tried: Array) -> str:
        """Return what a pose passes at rest, or that none of those tried lies in the boxes."""
        if not self._room(tried, forces=False).max() > 0:
            return "none of them lies in the boxes of the workspace"
        m, zero = self.u.m, np.zeros(self.u.m.nv)
        tau = np.abs(evaluate(m, "inverse_dynamics", q, zero, zero, drives="all"))
        over = np.flatnonzero(tau > self.bounds.tau)
        if len(over):
            k = int(over[0])
            allowed = self.bounds.tau[k] / INSIDE
            return (
                f"in the middle of its limits {shown(m.joint_names[k])!r} needs {tau[k]:.4g} to "
                f"hold its load, of {allowed:.4g}"
            )
        return "in the middle of their limits the joints leave a box of the workspace"

    def keeps(self, x: Array) -> bool:
        """Return whether a motion keeps every limit, and moves."""
        fine = self.series.basis(np.linspace(0, self.series.time, 10 * SAMPLES))
        return self._kept(x, fine) and bool(np.abs(self.motion(x)[1]).max() > 0)

    def _kept(self, x: Array, basis: tuple[Array, ...]) -> bool:
        q, qd, qdd = self.motion(x, basis)
        b = self.bounds
        inside = (q >= b.q[:, 0]).all() and (q <= b.q[:, 1]).all()
        inside = inside and (np.abs(qd) <= b.qd).all() and (np.abs(qdd) <= b.qdd).all()
        if inside and np.isfinite(b.tau).any():
            tau = evaluate(self.u.m, "inverse_dynamics", q, qd, qdd, drives="all")
            inside = (np.abs(tau) <= b.tau).all()
        for frame, box in b.boxes.items():
            if inside:
                p = evaluate(self.u.m, "pose", q, frame=frame)[:, :3, 3]
                inside = (p >= box[:, 0]).all() and (p <= box[:, 1]).all()
        return bool(inside)


def excite(
    m: Mechanism,
    time: float = 10.0,
    harmonics: int = 5,
    *,
    friction: bool | str = True,
    acceleration: ArrayLike | None = None,
    workspace: Mapping[str, Any] | None = None,
    rate: float = 100.0,
    starts: int = 3,
    seed: int = 0,
) -> MeasuredMotion:
    """Return a motion that begins and ends at rest and shows the parameters of m best.

    Limits of position, speed and force are those of the mechanism; `acceleration` limits q̈ (10
    where nothing else limits a joint), `workspace` maps frames to boxes
    [[x0, x1], [y0, y1], [z0, z1]]. Play the motion once, or again and again.

    >>> import dalembert as da
    >>> d = da.excite(da.load("RZ(-1, 1), TXK(0.5); gravity = (0, -9.81, 0); "
    ...     "body 1: M = 1, D = (0.3, 0, 0), I = (0, 0, 0.1);"), time=4.0, harmonics=3)
    >>> bool(abs(d.q).max() <= 1.0 and abs(d.qd[0]).max() < 1e-9)
    True
    """
    require_mechanism(m, "excite", moving=True)
    _check(m, time, harmonics, rate)
    _check_search(starts, seed)
    bounds = bounds_of(m, acceleration, workspace)
    u = unknowns(m, friction, None)
    criterion = Criterion(u, Series(m.nv, harmonics, float(time)), bounds)
    rng = np.random.default_rng(seed)
    tried = [criterion.fitting(_random(criterion, rng)) for _ in range(RANDOM)]
    values = [criterion.information(x) for x in tried]
    order = np.argsort(values)[::-1]
    minimise = scipy_part("optimize").minimize
    found = []
    for k in order[:starts]:
        made = minimise(criterion, tried[k], jac=True, method="L-BFGS-B", options={"maxiter": 120})
        found.append(criterion.fitting(made.x))
    best = max([*found, tried[order[0]]], key=criterion.information)
    if not criterion.keeps(best):
        raise UsageError(
            "no exciting motion was found that keeps the limits",
            hint="give it more time, or fewer harmonics",
        )
    t = np.linspace(0, time, round(time * rate) + 1)
    q, qd, qdd = criterion.motion(best, criterion.series.basis(t))
    # the criterion is log det per column: half of it is the mean logarithm of precision
    gain = np.exp(0.5 * (criterion.information(best) - float(np.median(values))))
    note = (f"standard deviations {gain:.2f} times smaller than the median of {RANDOM} random "
            f"motions within the same limits")  # fmt: skip
    return MeasuredMotion(m, t, q, qd, qdd, notes=(note,))


def _check(m: Mechanism, time: float, harmonics: int, rate: float) -> None:
    if m.nq != m.nv or any(b.joint.nv > 1 for b in m.bodies) or is_closed(m):
        raise UsageError(
            "exciting motions are made for trees of joints with one coordinate",
            hint="load(file, base='fixed', mimic='substitute'), m.lock(...), or m.tree of a loop",
            command="write --base fixed, --mimic substitute, or --lock JOINT",
        )
    fine = all(
        isinstance(x, int | float | np.number) and not isinstance(x, bool) and 0 < x < np.inf
        for x in (time, rate)
    )
    if not fine or not 20 <= rate * time <= MOST_ROWS:
        raise UsageError(
            f"time={shown(repr(time))} at rate={shown(repr(rate))}",
            hint="time=10.0, rate=100.0: between 20 and 1e7 samples",
            command="write --time 10 --rate 100",
        )
    if isinstance(harmonics, bool) or not isinstance(harmonics, int) or not 2 <= harmonics <= 40:
        raise UsageError(f"harmonics={shown(repr(harmonics))}", hint="5, between 2 and 40")


def _check_search(starts: int, seed: int) -> None:
    for name, x, least, most in (("starts", starts, 1, RANDOM), ("seed", seed, 0, 2**64)):
        if isinstance(x, bool) or not isinstance(x, int | np.integer) or not least <= x <= most:
            wanted = f"a whole number from {least}" + (f" to {most}" if most == RANDOM else "")
            raise UsageError(f"{name}={shown(repr(x))}", hint=wanted)


def _random(c: Criterion, rng: np.random.Generator) -> Array:
    """Return unknowns of a random motion that fills the limits of position."""
    x = rng.normal(size=(c.series.joints, c.series.size))
    span = c.bounds.q[:, 1] - c.bounds.q[:, 0]
    q = c.motion(np.concatenate([0 * x[:, :1], x[:, 1:]], axis=1).ravel())[0]
    width = np.maximum(q.max(axis=0) - q.min(axis=0), 1e-9)
    x[:, 1:] *= (0.9 * span / width)[:, None]
    x[:, 0] = c.bounds.q.mean(axis=1) - 0.45 * span * (q.max(axis=0) + q.min(axis=0)) / width
    return x.ravel()
