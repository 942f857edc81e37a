"""Motions given in advance, and the forces they need."""

from ..door import public
from .moves import Trajectory, constant_acceleration, quintic, sampled, spline, through, trapezoidal

__all__ = [
    "Trajectory",
    "constant_acceleration",
    "quintic",
    "sampled",
    "spline",
    "through",
    "trapezoidal",
]
public(__all__, globals())
