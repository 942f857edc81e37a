"""Closed-form equations of motion over an exact polynomial ring."""

from .closed_form import Equations
from .derive import equations
from .entry import Entry

__all__ = ["Entry", "Equations", "equations"]
