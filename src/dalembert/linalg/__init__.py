"""Vectors, matrices and linear systems over any scalar."""

from .leaf_first import LeafFirst
from .matrix import Matrix, Vector, dot, projected
from .solvers import (
    DENSE,
    Blocks,
    Definite,
    Planned,
    block,
    blocks,
    each_column,
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
    "general",
    "inverse",
    "leaves_first",
    "pivot_ratio",
    "projected",
    "spd",
]
