"""The classical method of Runge and Kutta (Kutta 1901), order 4."""

from __future__ import annotations

from .tableau import Tableau

RK4 = Tableau(
    "rk4",
    4,
    C=(0.0, 0.5, 0.5, 1.0),
    A=((), ((0, 0.5),), ((1, 0.5),), ((2, 1.0),)),
    B=((0, 1 / 6), (1, 1 / 3), (2, 1 / 3), (3, 1 / 6)),
)
