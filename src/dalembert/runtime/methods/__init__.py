"""Integration methods: one file each, their coefficients as a tableau."""

from .rk4 import RK4
from .tableau import Tableau

__all__ = ["RK4", "Tableau"]
