"""Integration methods: one file each, their coefficients as a tableau."""

from .dop853 import DOP853
from .dopri5 import DOPRI5
from .rk4 import RK4
from .rodas5p import RODAS5P
from .tableau import Rosenbrock, Tableau

ADAPTIVE: dict[str, Tableau | Rosenbrock] = {m.name: m for m in (DOP853, DOPRI5, RODAS5P)}

__all__ = ["ADAPTIVE", "DOP853", "DOPRI5", "RK4", "RODAS5P", "Rosenbrock", "Tableau"]
