"""Dormand and Prince's method of order 5(4), with the interpolant of order 4 of Hairer's DOPRI5.

Dormand, Prince, A family of embedded Runge-Kutta formulae (1980), table 2. Hairer, Nørsett, Wanner,
Solving Ordinary Differential Equations I (1993), table II.5.2 and section II.6. Stage 6 is the
derivative at the end of the step, and the first stage of the next.
"""

from __future__ import annotations

from .tableau import Tableau

DOPRI5 = Tableau(
    "dopri5",
    5,
    C=(0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0),
    A=(
        (),
        ((0, 1 / 5),),
        ((0, 3 / 40), (1, 9 / 40)),
        ((0, 44 / 45), (1, -56 / 15), (2, 32 / 9)),
        ((0, 19372 / 6561), (1, -25360 / 2187), (2, 64448 / 6561), (3, -212 / 729)),
        ((0, 9017 / 3168), (1, -355 / 33), (2, 46732 / 5247), (3, 49 / 176), (4, -5103 / 18656)),
    ),
    B=((0, 35 / 384), (2, 500 / 1113), (3, 125 / 192), (4, -2187 / 6784), (5, 11 / 84)),
    E=(
        (0, 71 / 57600),
        (2, -71 / 16695),
        (3, 71 / 1920),
        (4, -17253 / 339200),
        (5, 22 / 525),
        (6, -1 / 40),
    ),
    error_order=5,
    dense=(
        (
            (0, -12715105075 / 11282082432),
            (2, 87487479700 / 32700410799),
            (3, -10690763975 / 1880347072),
            (4, 701980252875 / 199316789632),
            (5, -1453857185 / 822651844),
            (6, 69997945 / 29380423),
        ),
    ),
)
