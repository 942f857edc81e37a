"""Closed-form equations of motion over an exact polynomial ring."""

from .derive import Equations, equations
from .entry import Entry

__all__ = ["Entry", "Equations", "equations"]
