"""A Program run by NumPy, line by line: the answer where code may not be generated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..expr import Program
from ..expr.block import folded


class Interpreted:
    """Computes what compiled code computes, some hundred times slower for one state."""

    def __init__(self, program: Program):
        self.program = replace(program, prepare=folded(program.prepare), step=folded(program.step))

    def one(self, ins: Sequence[np.ndarray], params: np.ndarray | None, outs: Sequence) -> None:
        """Compute one state."""
        self._run(ins, [False] * len(ins), params, outs, 1)

    def batch(
        self,
        ins: Sequence[np.ndarray],
        batched: Sequence[bool],
        params: np.ndarray | None,
        params_batched: bool,
        outs: Sequence[np.ndarray],
        count: int,
        threads: int,
    ) -> None:
        """Compute `count` states; an input that is not batched serves all of them."""
        self._run(ins, batched, params, outs, count)

    def _run(
        self,
        ins: Sequence[np.ndarray],
        batched: Sequence[bool],
        params: np.ndarray | None,
        outs: Sequence[np.ndarray],
        count: int,
    ) -> None:
        program = self.program
        given = {
            port.name: array.reshape(-1, port.size).T if port.size else np.empty((0, 1))
            for port, array in zip(program.inputs, ins, strict=True)
        }
        wide = len(program.parameters)
        columns = [] if params is None or not wide else [*params.reshape(-1, wide).T]
        with np.errstate(all="ignore"):
            prepared = program.prepare.run({}, columns, (), np.float64)
            values = program.step.run(given, columns, prepared, np.float64)
        at = 0
        for port, array in zip(program.outputs, outs, strict=True):
            flat = array.reshape(count, port.size)
            for k in range(port.size):
                flat[:, k] = values[at + k]
            at += port.size
