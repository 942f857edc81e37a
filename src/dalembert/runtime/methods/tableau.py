"""What an explicit Runge-Kutta method is: its coefficients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Row = tuple[tuple[int, float], ...]  # (earlier stage, coefficient), zeros left out


@dataclass(frozen=True)
class Tableau:
    """K_i = f(t + C_i h, x + h Σ A_ij K_j); the step ends at x + h Σ B_i K_i."""

    name: str
    order: int
    C: tuple[float, ...]
    A: tuple[Row, ...]
    B: Row

    @property
    def stages(self) -> int:
        """The number of evaluations of a step."""
        return len(self.C)

    def step(self, rate: Callable[[Any, float], Any], x: Any, t: float, h: float) -> Any:
        """Return the end of one step in NumPy: the plain reading of the tableau."""
        K: list[Any] = []
        for c, row in zip(self.C, self.A, strict=True):
            K.append(rate(x + h * sum(a * K[j] for j, a in row), t + c * h))
        return x + h * sum(b * K[j] for j, b in self.B)
