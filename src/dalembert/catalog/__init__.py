"""The one table of quantities: name, algorithms, inputs, outputs and units."""

from .models import INVERSE
from .table import INPUT_SIZES, QUANTITIES, WRENCHED, Quantity, algorithm, catalog, quantity

__all__ = [
    "INPUT_SIZES",
    "INVERSE",
    "QUANTITIES",
    "Quantity",
    "WRENCHED",
    "algorithm",
    "catalog",
    "quantity",
]
