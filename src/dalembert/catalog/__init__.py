"""The one table of quantities: name, algorithms, inputs, outputs and units."""

from .axes import input_shape
from .models import INVERSE
from .quantity import Quantity
from .table import QUANTITIES, WRENCHED, algorithm, catalog, quantity, refused

__all__ = [
    "INVERSE",
    "QUANTITIES",
    "Quantity",
    "WRENCHED",
    "algorithm",
    "catalog",
    "input_shape",
    "quantity",
    "refused",
]
