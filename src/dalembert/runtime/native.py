"""Compiled code that computes on arrays: one state, or a batch shared among threads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .card import Card
from .evaluator import Arrays, Given
from .team import Team, pool, size

if TYPE_CHECKING:
    from .llvm import Engine

_pointer = ctypes.c_void_p
_ONE = ctypes.CFUNCTYPE(None, _pointer, _pointer, _pointer, _pointer)
_BATCH = ctypes.CFUNCTYPE(
    None, _pointer, _pointer, _pointer, ctypes.c_int64, _pointer, ctypes.c_int64, _pointer
)

_BLOCKS = ctypes.CFUNCTYPE(
    None, _pointer, _pointer, _pointer, ctypes.c_int64, _pointer, ctypes.c_int64, _pointer,
    ctypes.c_int64,
)  # fmt: skip


def address(array: np.ndarray) -> int:
    """Return where the data of an array begins."""
    return array.__array_interface__["data"][0]


def scratch(size: int) -> tuple[np.ndarray, int]:
    """Return memory of that many bytes, and its first address that is a multiple of 64."""
    memory = np.empty(size + 64, np.uint8)
    start = address(memory)
    return memory, start + -start % 64


class Native:
    """The entries of an engine, and the engine that keeps them valid."""

    def __init__(self, card: Card, engine: Engine):
        self.card = card
        self._before: list[Engine] = []  # code that calls may still be in
        self.run(engine)
        self._table = _pointer * max(len(card.inputs), len(card.outputs), 1)
        self._strides = ctypes.c_int64 * max(len(card.inputs), 1)
        word = np.dtype(card.form.dtype).itemsize
        self._in_bytes = tuple(word * p.size for p in card.inputs)
        self._out_bytes = tuple(word * p.size for p in card.outputs)
        self._param_bytes = word * len(card.parameters)

    def run(self, engine: Engine) -> None:
        """Compute with this code from now on; calls that are under way end in the code before."""
        self._before.append(engine)
        self.engine = engine
        self.one_address, self.batch_address = engine.address("one"), engine.address("batch")
        # one row for each state, or one of all states
        self.whole_address = engine.address("whole" if self.card.form.reduce else "batch")
        self._one, self._batch = _ONE(self.one_address), _BATCH(self.batch_address)
        self._blocks = _BLOCKS(self.batch_address)

    def one(self, inputs: Arrays, params: np.ndarray | None, outs: Arrays) -> None:
        """Compute one state."""
        memory, start = scratch(self.card.scratch_one)
        starts, ends = self._table(*map(address, inputs)), self._table(*map(address, outs))
        self._one(starts, None if params is None else address(params), ends, start)
        del memory

    def batch(self, given: Given, outs: Arrays, count: int, threads: Team) -> None:
        """Compute `count` states; an input that is not batched serves all of them."""
        arguments = self._arguments(given)
        ends = [*map(address, outs)]

        def part(first: int, last: int) -> None:
            rows = [a + first * s for a, s in zip(ends, self._out_bytes, strict=True)]
            memory, start = scratch(self.card.scratch_batch)
            self._batch(*arguments(first), self._table(*rows), last - first, start)
            del memory

        tile = self.card.tile
        _shared(part, -(-count // tile), threads, lambda n: min(count, n * tile))

    def reduce(
        self, given: Given, outs: Arrays, states: tuple[int, int, int], threads: Team
    ) -> None:
        """Reduce the states (first, last, each): every `each` of them to one row of `outs`."""
        begin, end, each = states
        arguments = self._arguments(given)
        ends = [*map(address, outs)]

        def part(first: int, last: int) -> None:
            rows = [a + first * s for a, s in zip(ends, self._out_bytes, strict=True)]
            here, stop = begin + first * each, min(end, begin + last * each)
            memory, start = scratch(self.card.scratch_batch)
            self._blocks(*arguments(here), self._table(*rows), stop - here, start, each)
            del memory

        _shared(part, -(-(end - begin) // each), threads, lambda n: n)

    def _arguments(self, given: Given) -> Callable[[int], tuple[Any, ...]]:
        """Return the function that gives the first arguments of compiled code from a state on."""
        ins, batched, params, params_batched = given
        strides = [s if b else 0 for s, b in zip(self._in_bytes, batched, strict=True)]
        starts, steps = [*map(address, ins)], self._strides(*strides)
        width = self._param_bytes if params_batched else 0
        own = 0 if params is None else address(params)

        def at(first: int) -> tuple[Any, ...]:
            table = self._table(*(a + first * s for a, s in zip(starts, strides, strict=True)))
            return table, steps, own + first * width, width

        return at


def _shared(
    part: Callable[[int, int], None], pieces: int, threads: Team, place: Callable[[int], int]
) -> None:
    """Run a function on all pieces, in as many runs of neighbours as there are threads."""
    workers = min(size(threads), pieces)
    if workers <= 1 and isinstance(threads, int):
        part(0, place(pieces))
        return
    cuts = [place(pieces * k // workers) for k in range(workers + 1)]
    team = pool(min(threads, workers) if isinstance(threads, int) else threads)
    for done in [team.submit(part, a, b) for a, b in pairwise(cuts)]:
        done.result()
