"""What a one-step method is: its coefficients.

Every interpolant has the form x + s (F0 + r (F1 + s (F2 + r (F3 + ...)))) with s the part of the
step that is done and r = 1 - s; F0 is the change over the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...frozen import dataclass

Row = tuple[tuple[int, float], ...]  # (earlier stage, coefficient), zeros left out


@dataclass(frozen=True)
class Tableau:
    """An explicit method: K_i = f(t + C_i h, x + h Σ A_ij K_j), the step ends at x + h Σ B_i K_i.

    For steps of variable length: the row after the stages is the derivative at the end of the step,
    h Σ E_i K_i is the error, of order `error_order` in h (mixed with a second estimate E2 as in
    Hairer's DOP853); `extra` are stages (C, A) that serve the interpolant alone. Its rows F1 and F2
    are those of a cubic with the right slopes at both ends, the others are h Σ dense_i K_i.
    """

    name: str
    order: int
    C: tuple[float, ...]
    A: tuple[Row, ...]
    B: Row
    E: Row = ()
    E2: Row = ()
    error_order: int = 0
    extra: tuple[tuple[float, Row], ...] = ()
    dense: tuple[Row, ...] = ()

    @property
    def stages(self) -> int:
        """The number of evaluations of a step."""
        return len(self.C)

    @property
    def rows(self) -> int:
        """The rows that a step of variable length writes."""
        return self.stages + 1 + len(self.extra)

    @property
    def interpolant(self) -> int:
        """The rows of the interpolant."""
        return 3 + len(self.dense)

    def step(self, rate: Callable[[Any, float], Any], x: Any, t: float, h: float) -> Any:
        """Return the end of one step in NumPy: the plain reading of the tableau."""
        K: list[Any] = []
        for c, row in zip(self.C, self.A, strict=True):
            K.append(rate(x + h * sum(a * K[j] for j, a in row), t + c * h))
        return x + h * sum(b * K[j] for j, b in self.B)


@dataclass(frozen=True)
class Rosenbrock:
    """A linearly implicit method with the exact Jacobian J of f, in the form without products by J.

    (I / (h γ) - J) U_i = f(t + alpha_i h, x + Σ A_ij U_j) + Σ C_ij U_j / h + h gamma_i ∂f/∂t; the
    step ends at x + Σ M_i U_i, its error is Σ E_i U_i, the rows F1, F2, ... of the interpolant are
    Σ dense_i U_i. Hairer, Wanner, Solving Ordinary Differential Equations II (1996), eq. (IV.7.25).
    """

    name: str
    order: int
    diagonal: float  # γ
    alpha: tuple[float, ...]
    gamma: tuple[float, ...]
    A: tuple[Row, ...]
    C: tuple[Row, ...]
    M: Row
    E: Row
    error_order: int
    dense: tuple[Row, ...]

    @property
    def stages(self) -> int:
        """The number of stages."""
        return len(self.alpha)

    @property
    def rows(self) -> int:
        """The rows that a step writes: f, its derivative in time, the stages."""
        return 2 + self.stages

    @property
    def interpolant(self) -> int:
        """The rows of the interpolant."""
        return 1 + len(self.dense)

    def step(self, rate: Callable[..., Any], jacobian: Any, x: Any, t: float, h: float) -> Any:
        """Return the end of one step of ẋ = f(x) in NumPy: the plain reading of the tableau."""
        import numpy as np

        W = np.eye(len(x)) / (h * self.diagonal) - jacobian(x, t)
        U: list[Any] = []
        for alpha, a, c in zip(self.alpha, self.A, self.C, strict=True):
            f = rate(x + sum(w * U[j] for j, w in a), t + alpha * h)
            U.append(np.linalg.solve(W, f + sum(w * U[j] for j, w in c) / h))
        return x + sum(w * U[j] for j, w in self.M)
