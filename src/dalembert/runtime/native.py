"""Compiled code that computes on arrays: one state, or a batch shared among threads."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

from .card import Card
from .crew import crew
from .crew_lines import PORTS
from .evaluator import Arrays, Given
from .team import Team

if TYPE_CHECKING:
    from .llvm import Engine

_pointer = ctypes.c_void_p
_ONE = ctypes.CFUNCTYPE(None, _pointer, _pointer, _pointer, _pointer)
# the last argument is read by code that reduces only: others get it all the same
_BATCH = ctypes.CFUNCTYPE(
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
        self._words = ctypes.c_int64 * max(len(card.inputs), len(card.outputs), 1)
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

    def one(self, inputs: Arrays, params: np.ndarray | None, outs: Arrays) -> None:
        """Compute one state."""
        memory, start = scratch(self.card.scratch_one)
        starts, ends = self._table(*map(address, inputs)), self._table(*map(address, outs))
        self._one(starts, None if params is None else address(params), ends, start)
        del memory

    def batch(self, given: Given, outs: Arrays, count: int, threads: Team) -> None:
        """Compute `count` states; an input that is not batched serves all of them."""
        tile = self.card.tile
        self._shared(given, outs, (0, count, tile), (tile, 0), threads)

    def reduce(
        self, given: Given, outs: Arrays, states: tuple[int, int, int], threads: Team
    ) -> None:
        """Reduce the states (first, last, each): every `each` of them to one row of `outs`."""
        self._shared(given, outs, states, (1, states[2]), threads)

    def _shared(
        self, given: Given, outs: Arrays, states: tuple[int, int, int], rows: tuple[int, int],
        threads: Team,
    ) -> None:  # fmt: skip
        """Run the code on states (first, last, of a piece), in threads if there are several pieces.

        `rows` are those of results of a piece, and the states that code makes one row of, if any.
        """
        first, last, unit = states
        row, each = rows
        ins, batched, params, params_batched = given
        places, ends = [*map(address, ins)], [*map(address, outs)]
        steps = [s if b else 0 for s, b in zip(self._in_bytes, batched, strict=True)]
        width = self._param_bytes if params_batched else 0
        start = 0 if params is None else address(params)
        pieces = -(-(last - first) // unit)
        memory, room = scratch(self.card.scratch_batch)
        if pieces <= 1 or threads == 1 or max(len(ins), len(outs)) > PORTS:
            here = [a + first * s for a, s in zip(places, steps, strict=True)]
            self._batch(
                self._table(*here), self._words(*steps), start + first * width, width,
                self._table(*ends), last - first, room, each,
            )  # fmt: skip
        else:
            starts, stops = self._table(*places), self._table(*ends)
            strides, jumps = self._words(*steps), self._words(*self._out_bytes)
            at = [ctypes.addressof(t) for t in (starts, strides, stops, jumps)]
            own = [self.batch_address, at[0], at[1], start, width, at[2], at[3], first, last, unit]
            own += [row, each, pieces, len(ins), len(outs), self.card.scratch_batch]
            crew(threads).share((ctypes.c_int64 * len(own))(*own), room)
        del memory
