"""Motion of closed mechanisms without choosing independent coordinates.

M q̈ - Jᵀ λ = τ - h with J q̈ = -J' q̇, M replaced by M + Jᵀ W J: the solution is the same, and the
matrix is positive definite even where bodies are massless (augmented Lagrangian; Fortin and
Glowinski 1983, chapter 1). No pivot fades when a motor passes a dead point, so that one program
serves a whole simulation; only poses where the closure itself loses rank are singular.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..algebra import is_zero
from ..expr import Scalar, absolute, maximum, minimum, where
from ..joint import Vector
from ..mechanism import Mechanism
from .closed_kinematics import CERTIFIED, Closed, Plan, dot
from .composite import composite
from .drives import Drives
from .loop_closure import closure, closure_rates, loop_jacobian
from .newton_euler import newton_euler
from .springs import spring_forces, without_springs

Matrix = list[list[Scalar]]
OPENED = 100.0  # an opening of left-out equations by this many residuals may come from them


class Definite:
    """A symmetric positive definite matrix as L D Lᵀ, rows with few entries eliminated first."""

    def __init__(self, A: Sequence[Sequence[Scalar]]):
        self.n = n = len(A)
        self.order = _sparse_order(A)
        B = [[A[i][j] for j in self.order] for i in self.order]
        self.L: Matrix = [[0] * n for _ in range(n)]
        self.D: list[Scalar] = []
        for k in range(n):
            self.D.append(B[k][k])
            inverse = 1 / B[k][k]
            below = [i for i in range(k + 1, n) if not is_zero(B[i][k])]
            for i in below:
                self.L[i][k] = B[i][k] * inverse
            for i in below:
                for j in below:
                    if j <= i:
                        B[i][j] = B[j][i] = B[i][j] - self.L[i][k] * B[j][k]

    def half(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return L⁻¹ b, in the order of elimination."""
        y = [b[i] for i in self.order]
        for i in range(self.n):
            y[i] = y[i] - dot(self.L[i][:i], y[:i])
        return y

    def product(self, a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
        """Return xᵀ A⁻¹ y from the halves of x and y."""
        return dot(a, [0 if is_zero(y) else y / d for y, d in zip(b, self.D, strict=True)])

    def back(self, half: Sequence[Scalar]) -> list[Scalar]:
        """Return A⁻¹ b from the half of b."""
        x: list[Scalar] = [y / d for y, d in zip(half, self.D, strict=True)]
        for k in reversed(range(self.n)):
            for i in range(k + 1, self.n):
                if not is_zero(self.L[i][k]):
                    x[k] = x[k] - self.L[i][k] * x[i]
        out: list[Scalar] = [0] * self.n
        for i, value in zip(self.order, x, strict=True):
            out[i] = value
        return out

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return A⁻¹ b."""
        return self.back(self.half(b))


def _sparse_order(A: Sequence[Sequence[Scalar]]) -> list[int]:
    """Return the order of elimination in which the next row has the fewest neighbours."""
    near = {i: {j for j, x in enumerate(row) if j != i and not is_zero(x)} for i, row in
            enumerate(A)}  # fmt: skip
    order: list[int] = []
    while near:
        k = min(near, key=lambda i: (len(near[i]), i))
        mine = near.pop(k)
        for i in mine:
            near[i] = (near[i] | mine) - {i, k}
        order.append(k)
    return order


@dataclass(frozen=True)
class Held:
    """A closed mechanism at a pose: M + Jᵀ W J and the closure's J A⁻¹ Jᵀ, both factorised.

    `weights` of the planned rows are masses over squared sizes; `tree` is the cut tree in frames of
    its own choice.
    """

    m: Mechanism
    tree: Mechanism
    plan: Plan
    weights: Sequence[float]
    q: Vector
    J: Matrix
    A: Definite
    halves: Matrix
    S: Definite

    @staticmethod
    def at(
        m: Mechanism,
        tree: Mechanism,
        plan: Plan,
        weights: Sequence[float],
        q: Vector,
        drives: Drives = "inertia",
    ) -> Held:
        """Return the equations of motion and closure of a pose, ready to be solved."""
        n, all_rows = m.nv, loop_jacobian(m, q)
        J = [list(all_rows[r]) for r in plan.rows]
        M = composite(tree, q, drives="none" if drives == "none" else "inertia")
        A = [list(row) for row in M]
        for row, w in zip(J, weights, strict=True):
            for i in range(n):
                for j in range(n):
                    if not (is_zero(row[i]) or is_zero(row[j])):
                        A[i][j] = A[i][j] + w * (row[i] * row[j])
        factor = Definite(A)
        halves = [factor.half(row) for row in J]
        S = [[factor.product(a, b) for b in halves] for a in halves]
        return Held(m, tree, plan, weights, q, J, factor, halves, Definite(S))

    def solve(
        self, load: Sequence[Scalar], right: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Return (x, λ) of M x - Jᵀ λ = load, J x = right."""
        full = list(load)
        for row, w, b in zip(self.J, self.weights, right, strict=True):
            full = [f if is_zero(x) else f + w * b * x for f, x in zip(full, row, strict=True)]
        half = self.A.half(full)
        gap = [b - self.A.product(h, half) for b, h in zip(right, self.halves, strict=True)]
        lam = self.S.solve(gap)
        for h, x in zip(self.halves, lam, strict=True):
            half = [a if is_zero(b) else a + b * x for a, b in zip(half, h, strict=True)]
        return self.A.back(half), lam

    def acceleration(
        self, qd: Vector, tau: Vector, drives: Drives = "inertia"
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Return (q̈ of the whole tree, λ) for motor forces tau."""
        rest = [0] * self.m.nv
        none = [0] * len(self.plan.rows)
        lack = balance(self.m, self.tree, self.plan, self.q, qd, tau, rest, none, drives)
        n = self.m.nv
        return self.solve([-x for x in lack[:n]], [-x for x in lack[n:]])

    @property
    def measure(self) -> Scalar:
        """How far the closure is from losing rank: one is best, zero is singular.

        Zero too where the certificate says that the plan is that of another branch.
        """
        least: Scalar = 1
        order = self.S.order
        for k, d in zip(order, self.S.D, strict=True):
            least = minimum(least, self.weights[k] * d)
        closed = Closed.at(self.m, self.plan, self.q)
        if is_zero(closed.opening):
            return least
        # rates are asked for between the steps too, where the loops are a little open
        # and at a dead point of the motors G is large
        gap = largest(closure(self.m, self.q), self.plan.row_sizes)
        fast = largest([x for row in closed.G for x in row if not is_zero(x)])
        limit = maximum(CERTIFIED, OPENED * gap) * maximum(fast, 1)
        return where(closed.opening > limit, 0, least)

    def nearest(self, qd: Vector) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """Return (step of q, closed qd, residual of every equation): least in kinetic energy."""
        rest = [0] * self.m.nv
        residual = closure(self.m, self.q)
        step, _ = self.solve(rest, [-residual[r] for r in self.plan.rows])
        change, _ = self.solve(rest, [-dot(row, qd) for row in self.J])
        return step, [a + b for a, b in zip(qd, change, strict=True)], residual


def balance(
    m: Mechanism,
    tree: Mechanism,
    plan: Plan,
    q: Vector,
    qd: Vector,
    tau: Vector,
    qdd: Vector,
    lam: Vector,
    drives: Drives = "inertia",
) -> list[Scalar]:
    """Return M q̈ + h - Jᵀ λ - τ, then J q̈ + J' q̇: all zero in a motion."""
    forces = newton_euler(without_springs(tree), q, qd, qdd, drives=drives)
    pull = spring_forces(m, q, qd)
    J, bias = loop_jacobian(m, q), closure_rates(m, q, qd)[1]
    top: list[Scalar] = [a - b for a, b in zip(forces, pull, strict=True)]
    for k, u in zip(plan.motors, tau, strict=True):
        top[k] = top[k] - u
    for r, x in zip(plan.rows, lam, strict=True):
        top = [a if is_zero(y) else a - y * x for a, y in zip(top, J[r], strict=True)]
    return [*top, *(bias[r] + dot(J[r], qdd) for r in plan.rows)]


def largest(values: Sequence[Scalar], sizes: Sequence[float] | None = None) -> Scalar:
    """Return the largest value in parts of its size, or of one."""
    most: Scalar = 0
    for x, size in zip(values, sizes or [1.0] * len(values), strict=True):
        most = maximum(most, absolute(x) / size)
    return most
