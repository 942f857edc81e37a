"""What computes the values of a kernel: compiled code, or NumPy line by line where none may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from .team import Team

Arrays = Sequence[np.ndarray]


class Given(NamedTuple):
    """The inputs of many states; an array that is not batched serves all of them."""

    inputs: Arrays
    batched: Sequence[bool]  # for each input
    params: np.ndarray | None
    params_batched: bool


class Evaluator(Protocol):
    """Writes the results of states into arrays that the caller made."""

    def one(self, inputs: Arrays, params: np.ndarray | None, outs: Arrays) -> None:
        """Compute one state."""

    def batch(self, given: Given, outs: Arrays, count: int, threads: Team) -> None:
        """Compute `count` states."""

    def reduce(
        self, given: Given, outs: Arrays, states: tuple[int, int, int], threads: Team
    ) -> None:
        """Reduce the states (first, last, each): every `each` of them to one row of `outs`."""
