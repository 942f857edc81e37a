"""A Python function in the place of a kernel: drivers call it through the same entries."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from .card import Card
from .native import _ONE

_pointer, _word = ctypes.c_void_p, ctypes.c_int64
_BATCH = ctypes.CFUNCTYPE(None, _pointer, _pointer, _pointer, _word, _pointer, _word, _pointer)


class Callback:
    """Serves `one` and `batch` from f(x, t, u, p) -> array on one state.

    An exception is kept in `error` and nan is returned, so that the driver stops.
    """

    def __init__(self, card: Card, function: Callable[..., Any]):
        self.card, self.function = card, function
        self.error: BaseException | None = None
        self._one, self._batch = _ONE(self._run_one), _BATCH(self._run_batch)
        self.one_address = ctypes.cast(self._one, ctypes.c_void_p).value
        self.batch_address = ctypes.cast(self._batch, ctypes.c_void_p).value

    @property
    def code(self) -> Callback:
        """What stands in the place of compiled code: the callback itself."""
        return self

    def __call__(self, *inputs: Any, parameters: Any = None) -> np.ndarray:
        return np.asarray(self.function(*map(np.asarray, inputs)), dtype=float)

    def _run_one(self, ins: int, params: int, outs: int, scratch: int) -> None:
        self._run_batch(ins, None, params, 0, outs, 1, scratch)

    def _run_batch(
        self, ins: int, strides: int | None, params: int, stride: int, outs: int, count: int, _: int
    ) -> None:
        ports = self.card.inputs
        starts = (ctypes.c_void_p * len(ports)).from_address(ins)
        jumps = (ctypes.c_int64 * len(ports)).from_address(strides) if strides else [0] * len(ports)
        out = (ctypes.c_void_p * 1).from_address(outs)[0]
        size = self.card.outputs[0].size
        target = _view(out, count * size).reshape(count, size)
        for r in range(count):
            if self.error is not None:
                target[r] = np.nan
                continue
            try:
                given = [
                    _view(a + r * s, p.size) for a, s, p in zip(starts, jumps, ports, strict=True)
                ]
                target[r] = self.function(*given)
            except BaseException as error:  # kept for the caller, who raises it again
                self.error = error
                target[r] = np.nan


def _view(start: Any, size: int) -> np.ndarray:
    memory: Any = (ctypes.c_double * size).from_address(start)
    return np.frombuffer(memory, dtype=np.float64)
