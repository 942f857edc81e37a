"""The mass matrix of a tree as Lᵀ D L, the last freedom eliminated first.

Featherstone, Efficient factorization of the joint-space inertia matrix for branched kinematic trees
(2005): L has an entry only where one freedom carries the other, and so has its inverse.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..algebra import is_plain_zero
from ..expr import Scalar
from .matrix import Matrix, Vector, dot

Rows = Sequence[Sequence[Scalar]]


class LeafFirst:
    """M = Lᵀ D L of a positive definite M, for many right sides."""

    def __init__(self, M: Rows):
        self.n = n = len(M)
        A = [list(row[: r + 1]) for r, row in enumerate(M)]
        self.over: list[Scalar] = [0] * n  # D⁻¹
        self.L: list[dict[int, Scalar]] = [{} for _ in range(n)]  # row -> column -> entry
        for k in reversed(range(n)):
            self.over[k] = over = 1 / A[k][k]
            carriers = [i for i in range(k) if not is_plain_zero(A[k][i])]
            self.L[k] = {i: A[k][i] * over for i in carriers}
            for i in carriers:
                for j in carriers:
                    if j <= i:
                        A[i][j] = A[i][j] - self.L[k][i] * A[k][j]

    def inward(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return D⁻¹ L⁻ᵀ b; where neither b nor what it carries has an entry there is none."""
        y = list(b)
        for k in reversed(range(self.n)):
            if not is_plain_zero(y[k]):
                for i, l in self.L[k].items():
                    y[i] = y[i] - l * y[k]
        return [0 if is_plain_zero(x) else x * d for x, d in zip(y, self.over, strict=True)]

    def solve(self, b: Sequence[Scalar]) -> Vector:
        """Return x of M x = b."""
        x = self.inward(b)
        for k in range(self.n):
            for i, l in self.L[k].items():
                x[k] = x[k] - l * x[i]
        return Vector(x)

    def inverse_factor(self) -> list[list[Scalar]]:
        """Return L⁻¹, a row for each freedom."""
        W: list[list[Scalar]] = []
        for k, row in enumerate(self.L):
            own: list[Scalar] = [int(c == k) for c in range(self.n)]
            for i, l in row.items():
                for c in range(i + 1):
                    if not is_plain_zero(W[i][c]):
                        own[c] = own[c] - l * W[i][c]
            W.append(own)
        return W

    def inverse_and_products(self, *matrices: Matrix) -> tuple[Matrix, ...]:
        """Return M⁻¹ and M⁻¹ times each matrix: L⁻¹ is formed once, and sparse."""
        W, n = self.inverse_factor(), self.n
        scaled = [[x * d for x, d in zip(row, self.over, strict=True)] for row in W]
        M = Matrix([[dot(W[min(r, c)], scaled[max(r, c)]) for c in range(n)] for r in range(n)])
        products = []
        for B in matrices:
            columns = [self.inward(column) for column in B.T]
            products.append(Matrix.columns([[dot(w, z) for w in W] for z in columns], n))
        return M, *products
