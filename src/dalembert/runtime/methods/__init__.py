"""Integration methods: one file each, their coefficients as a tableau."""

from .dop853 import DOP853
from .dopri5 import DOPRI5
from .rk4 import RK4
from .rodas5p import RODAS5P
from .tableau import Rosenbrock, Tableau

ADAPTIVE: dict[str, Tableau | Rosenbrock] = {m.name: m for m in (DOP853, DOPRI5, RODAS5P)}
METHODS = (*ADAPTIVE, RK4.name, "euler", "constant_acceleration")  # the last two are maps of a step
STIFF = {"radau": "Radau", "bdf": "BDF", "lsoda": "LSODA"}  # what SciPy calls its own

__all__ = [
    "ADAPTIVE",
    "DOP853",
    "DOPRI5",
    "METHODS",
    "RK4",
    "RODAS5P",
    "STIFF",
    "Rosenbrock",
    "Tableau",
]
