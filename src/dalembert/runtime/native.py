"""Compiled code that computes on arrays: one state, or a batch shared among threads."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .card import Card

if TYPE_CHECKING:
    from .llvm import Engine

_pointer = ctypes.c_void_p
_ONE = ctypes.CFUNCTYPE(None, _pointer, _pointer, _pointer, _pointer)
_BATCH = ctypes.CFUNCTYPE(
    None, _pointer, _pointer, _pointer, ctypes.c_int64, _pointer, ctypes.c_int64, _pointer
)


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
        self.card, self.engine = card, engine
        self.one_address, self.batch_address = engine.address("one"), engine.address("batch")
        self._one, self._batch = _ONE(self.one_address), _BATCH(self.batch_address)
        self._table = _pointer * max(len(card.inputs), len(card.outputs), 1)
        self._strides = ctypes.c_int64 * max(len(card.inputs), 1)
        self._in_bytes = tuple(8 * p.size for p in card.inputs)
        self._out_bytes = tuple(8 * p.size for p in card.outputs)

    def one(self, ins: Sequence[np.ndarray], params: np.ndarray | None, outs: Sequence) -> None:
        """Compute one state."""
        memory, start = scratch(self.card.scratch_one)
        given = None if params is None else address(params)
        self._one(self._table(*map(address, ins)), given, self._table(*map(address, outs)), start)
        del memory

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
        strides = [s if b else 0 for s, b in zip(self._in_bytes, batched, strict=True)]
        starts, ends = [*map(address, ins)], [*map(address, outs)]
        width = 8 * len(self.card.parameters) if params_batched else 0
        given = 0 if params is None else address(params)

        def part(first: int, last: int) -> None:
            memory, start = scratch(self.card.scratch_batch)
            self._batch(
                self._table(*(a + first * s for a, s in zip(starts, strides, strict=True))),
                self._strides(*strides),
                given + first * width,
                width,
                self._table(*(a + first * s for a, s in zip(ends, self._out_bytes, strict=True))),
                last - first,
                start,
            )
            del memory

        tiles = -(-count // self.card.tile)
        workers = min(threads, tiles)
        if workers <= 1:
            part(0, count)
            return
        cuts = [min(count, tiles * k // workers * self.card.tile) for k in range(workers + 1)]
        for done in [pool(workers).submit(part, a, b) for a, b in pairwise(cuts)]:
            done.result()


_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()


def pool(workers: int) -> ThreadPoolExecutor:
    """Return the threads shared by all kernels that use so many."""
    with _lock:
        if workers not in _pools:
            _pools[workers] = ThreadPoolExecutor(workers, thread_name_prefix="dalembert")
        return _pools[workers]


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_pools.clear)
