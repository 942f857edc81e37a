"""Vectors, matrices and linear systems over any scalar."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .matrix import Matrix, Vector, dot, projected

if TYPE_CHECKING:
    from .leaf_first import LeafFirst
    from .solvers import (
        DENSE,
        Blocks,
        Definite,
        Planned,
        block,
        blocks,
        each_column,
        exchanged_pivots,
        general,
        inverse,
        leaves_first,
        pivot_ratio,
        spd,
    )

__all__ = [
    "DENSE",
    "Blocks",
    "Definite",
    "LeafFirst",
    "Matrix",
    "Planned",
    "Vector",
    "block",
    "blocks",
    "dot",
    "each_column",
    "exchanged_pivots",
    "general",
    "inverse",
    "leaves_first",
    "pivot_ratio",
    "projected",
    "spd",
]


def __getattr__(name: str) -> Any:
    # solvers are imported by those who trace: a kernel found in the cache is not traced
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    home = import_module(f"{__name__}.{'leaf_first' if name == 'LeafFirst' else 'solvers'}")
    globals()[name] = found = getattr(home, name)
    return found
