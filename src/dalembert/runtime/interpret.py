"""A Program run by NumPy, line by line: the answer where code may not be generated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..expr import Program
from ..expr.block import folded
from .evaluator import Arrays, Given
from .form import PLAIN, Form
from .team import Team

_REDUCED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "max": lambda x: np.abs(x).max(axis=0),
    "sum": lambda x: x.sum(axis=0),
    "norm": lambda x: (x * x).sum(axis=0),
}


def _rows(tiles: np.ndarray, size: int, lanes: int) -> np.ndarray:
    """Return tiles as rows, a state each."""
    return np.moveaxis(tiles.reshape(-1, size, lanes), -1, 1).reshape(-1, size)


class Interpreted:
    """Computes what compiled code computes, some hundred times slower for one state."""

    def __init__(self, program: Program, form: Form = PLAIN, lanes: int = 1):
        self.form, self.lanes = form, lanes
        self.program = replace(program, prepare=folded(program.prepare), step=folded(program.step))

    def one(self, inputs: Arrays, params: np.ndarray | None, outs: Arrays) -> None:
        """Compute one state, or one tile."""
        self.batch(Given(inputs, [False] * len(inputs), params, False), outs, 1, 1)

    def batch(self, given: Given, outs: Arrays, count: int, threads: Team) -> None:
        """Compute `count` states; an input that is not batched serves all of them."""
        ins, batched, params, params_batched = given
        if self.lanes == 1:
            self._run(ins, params, outs, count)
            return
        # tiles: a state for each lane, in rows
        rows = []
        for array, port, many in zip(ins, self.program.inputs, batched, strict=True):
            own = _rows(array, port.size, self.lanes)
            rows.append(own if many else np.tile(own, (count, 1)))
        if params is not None and params_batched:
            params = np.repeat(params.reshape(count, -1), self.lanes, axis=0)
        made = [
            np.empty((count * self.lanes, p.size), self.form.dtype) for p in self.program.outputs
        ]
        self._run(rows, params, made, count * self.lanes)
        for out, found in zip(outs, made, strict=True):
            turned = np.moveaxis(found.reshape(count, self.lanes, -1), 1, -1)
            out[...] = turned.reshape(out.shape)

    def reduce(
        self, given: Given, outs: Arrays, states: tuple[int, int, int], threads: Team
    ) -> None:
        """Reduce the states (first, last, each): every `each` of them to one row of `outs`."""
        ins, batched, params, params_batched = given
        first, last, each = states
        for n, a in enumerate(range(first, last, each)):
            here = slice(a, min(a + each, last))
            some = [
                x.reshape(-1, p.size)[here] if b else x
                for x, p, b in zip(ins, self.program.inputs, batched, strict=True)
            ]
            own = params
            if params is not None and params_batched:
                own = params.reshape(-1, len(self.program.parameters))[here]
            count = here.stop - a
            made = [np.empty((count, p.size), self.form.dtype) for p in self.program.outputs]
            self._run(some, own, made, count)
            for out, found in zip(outs, made, strict=True):
                out[n] = _REDUCED[self.form.reduce or "sum"](found)

    def _run(self, ins: Arrays, params: np.ndarray | None, outs: Arrays, count: int) -> None:
        program = self.program
        given = {
            port.name: array.reshape(-1, port.size).T if port.size else np.empty((0, 1))
            for port, array in zip(program.inputs, ins, strict=True)
        }
        wide = len(program.parameters)
        columns = [] if params is None or not wide else [*params.reshape(-1, wide).T]
        with np.errstate(all="ignore"):
            number = np.dtype(self.form.dtype).type
            prepared = program.prepare.run({}, columns, (), number)
            values = program.step.run(given, columns, prepared, number)
        at = 0
        for port, array in zip(program.outputs, outs, strict=True):
            flat = array.reshape(count, port.size)
            for k in range(port.size):
                flat[:, k] = values[at + k]
            at += port.size
