"""Motion of closed mechanisms without choosing independent coordinates.

M q̈ - Jᵀ λ = τ - h with J q̈ = -J' q̇, M replaced by M + Jᵀ W J: the solution is the same, and the
matrix is positive definite even where bodies are massless (augmented Lagrangian; Fortin and
Glowinski 1983, chapter 1). No pivot fades when a motor passes a dead point, so that one program
serves a whole simulation; only poses where the closure itself loses rank are singular.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..algebra import is_plain_zero
from ..expr import Scalar, absolute, maximum, minimum, where
from ..joint import Vector
from ..linalg import Definite, Matrix
from ..linalg import Vector as Values
from .closed_kinematics import CERTIFIED
from .closed_loop import ClosedModel
from .loop_closure import closure, closure_rates

FADED = 1e-10  # a measure below this is lost: it is a square, known to about 1e-15
OPENED = 100.0  # an opening of left-out equations by this many residuals may come from them


def balance(model: ClosedModel, qd: Vector, tau: Vector, qdd: Vector, lam: Vector) -> list[Scalar]:
    """Return M q̈ + h - Jᵀ λ - τ, then J q̈ + J' q̇: all zero in a motion."""
    closed, plan = model.closed, model.plan
    top = model.gamma(qd, qdd).less(dict(zip(plan.motors, tau, strict=True)))
    J = Matrix(closed.J, closed.m.nv).pick(plan.rows)
    bias = closure_rates(closed.m, closed.q, qd)[1]
    return [*(top - J.T @ lam), *(Values(bias[r] for r in plan.rows) + J @ qdd)]


@dataclass(frozen=True)
class Held:
    """A closed mechanism at a pose: M + Jᵀ W J and the closure's J A⁻¹ Jᵀ, both factorised.

    `weights` of the planned rows are masses over squared sizes.
    """

    model: ClosedModel
    weights: Sequence[float]
    J: Matrix
    A: Definite
    halves: list[list[Scalar]]
    S: Definite

    @staticmethod
    def at(model: ClosedModel, weights: Sequence[float]) -> Held:
        """Return the equations of motion and closure of a pose, ready to be solved."""
        A = [list(row) for row in model.M]
        n = len(A)
        J = Matrix(model.closed.J, n).pick(model.plan.rows)
        for row, w in zip(J, weights, strict=True):
            for i in range(n):
                for j in range(n):
                    if not (is_plain_zero(row[i]) or is_plain_zero(row[j])):
                        A[i][j] = A[i][j] + w * (row[i] * row[j])
        factor = Definite(A)
        halves = [factor.half(row) for row in J]
        S = [[factor.product(a, b) for b in halves] for a in halves]
        return Held(model, weights, J, factor, halves, Definite(S))

    def solve(
        self, load: Sequence[Scalar], right: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Return (x, λ) of M x - Jᵀ λ = load, J x = right."""
        full = list(load)
        for row, w, b in zip(self.J, self.weights, right, strict=True):
            full = [
                f if is_plain_zero(x) else f + w * b * x for f, x in zip(full, row, strict=True)
            ]
        half = self.A.half(full)
        gap = [b - self.A.product(h, half) for b, h in zip(right, self.halves, strict=True)]
        lam = self.S.solve(gap)
        for h, x in zip(self.halves, lam, strict=True):
            half = [a if is_plain_zero(b) else a + b * x for a, b in zip(half, h, strict=True)]
        return self.A.back(half), lam

    def acceleration(self, qd: Vector, tau: Vector) -> tuple[list[Scalar], list[Scalar]]:
        """Return (q̈ of the whole tree, λ) for motor forces tau."""
        n, rows = len(qd), len(self.J)
        lack = balance(self.model, qd, tau, [0] * n, [0] * rows)
        return self.solve([-x for x in lack[:n]], [-x for x in lack[n:]])

    @property
    def measure(self) -> Scalar:
        """How far the closure is from losing rank: one is best, zero is singular.

        It goes with the square of a pivot ratio: FADED stands for a ratio of 1e-5. Zero too where
        the certificate says that the plan is that of another branch.
        """
        least: Scalar = 1
        order = self.S.order
        for k, d in zip(order, self.S.D, strict=True):
            least = minimum(least, self.weights[k] * d)
        closed = self.model.closed
        if is_plain_zero(closed.opening):
            return least
        # rates are asked for between the steps too, where the loops are a little open
        # and at a dead point of the motors G is large
        gap = largest(closure(closed.m, closed.q), closed.plan.row_sizes)
        fast = largest([x for row in closed.G for x in row if not is_plain_zero(x)])
        limit = maximum(CERTIFIED, OPENED * gap) * maximum(fast, 1)
        return where(closed.opening > limit, 0, least)

    def nearest(self, qd: Vector) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """Return (step of q, closed qd, residual of every equation): least in kinetic energy."""
        closed = self.model.closed
        rest, residual = [0] * closed.m.nv, closure(closed.m, closed.q)
        step, _ = self.solve(rest, [-residual[r] for r in closed.plan.rows])
        change, _ = self.solve(rest, -(self.J @ qd))
        return step, [a + b for a, b in zip(qd, change, strict=True)], residual


def largest(values: Sequence[Scalar], sizes: Sequence[float] | None = None) -> Scalar:
    """Return the largest value in parts of its size, or of one."""
    most: Scalar = 0
    for x, size in zip(values, sizes or [1.0] * len(values), strict=True):
        most = maximum(most, absolute(x) / size)
    return most
