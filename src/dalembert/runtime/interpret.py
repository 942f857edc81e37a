"""A Program run by NumPy, line by line: the answer where code may not be generated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..expr import OPS, Block, Program
from .schedule import fold


class Interpreted:
    """Computes what compiled code computes, some hundred times slower for one state."""

    def __init__(self, program: Program):
        self.program = program
        self._constants = {id(b): fold(b) for b in (program.prepare, program.step)}

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
            port.name: array.reshape(-1, port.size).T
            for port, array in zip(program.inputs, ins, strict=True)
        }
        columns = None if params is None else params.reshape(-1, len(program.parameters)).T
        with np.errstate(all="ignore"):
            prepared = self._block(program.prepare, {}, columns, ())
            values = self._block(program.step, given, columns, prepared)
        at = 0
        for port, array in zip(program.outputs, outs, strict=True):
            flat = array.reshape(count, port.size)
            for k in range(port.size):
                flat[:, k] = values[at + k]
            at += port.size

    def _block(
        self,
        block: Block,
        inputs: dict[str, np.ndarray],
        params: np.ndarray | None,
        prepared: Sequence[np.ndarray],
    ) -> list[np.ndarray]:
        constants = self._constants[id(block)]
        values: list[np.ndarray] = []
        for k, leaf in enumerate(block.leaves):
            if k in constants:
                values.append(np.asarray(constants[k]))
            elif leaf[0] == "input":
                values.append(inputs[leaf[1]][leaf[2]])
            elif leaf[0] == "prepared":
                values.append(prepared[leaf[1]])
            else:
                values.append(params[leaf[1]])  # type: ignore[index]
        for line in block.lines:
            values.append(OPS[line.op].evaluate(*(values[a] for a in line.args)))
        return [values[v] for v in block.results]
