"""One state of a kernel from the cache, numbers in and numbers out: a start without NumPy."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from . import cache
from .card import Card
from .refused import unwanted

_POINTER = ctypes.c_void_p
_ONE = ctypes.CFUNCTYPE(None, _POINTER, _POINTER, _POINTER, _POINTER)
_LINE = 64  # bytes to which scratch is aligned


class Plain:
    """The entry for one state of loaded code, called with numbers in nested lists."""

    def __init__(self, card: Card, code: bytes):
        from .library import PARTS, library
        from .llvm import Engine

        self.card, self._engine = card, Engine(code, library(PARTS[:1]))
        self._one = _ONE(self._engine.address("one"))

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        """Return the outputs of one state as nested lists, of inputs given likewise."""
        card = self.card
        ins = [_row(port.size, flat(x)) for port, x in zip(card.inputs, inputs, strict=True)]
        outs = [_row(port.size) for port in card.outputs]
        scratch = ctypes.create_string_buffer(card.scratch_one + _LINE)
        start = ctypes.addressof(scratch)
        self._one(_table(ins), None, _table(outs), start + -start % _LINE)
        return tuple(
            nested(row[:], port.shape) for row, port in zip(outs, card.outputs, strict=True)
        )


def flat(values: Any) -> list[float]:
    """Return the numbers of nested lists, row by row."""
    return [x for row in values for x in flat(row)] if isinstance(values, list) else [values]


def nested(values: list[float], shape: Sequence[int]) -> Any:
    """Return numbers that stand row by row as nested lists of a shape.

    >>> nested([1.0, 2.0, 3.0, 4.0], (2, 2)), nested([5.0], ())
    ([[1.0, 2.0], [3.0, 4.0]], 5.0)
    """
    if not shape:
        return values[0]
    step = len(values) // shape[0] if shape[0] else 0
    return [nested(values[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]


def _row(size: int, values: Sequence[float] = ()) -> ctypes.Array[ctypes.c_double]:
    return (ctypes.c_double * max(size, 1))(*values)


def _table(rows: Sequence[ctypes.Array[ctypes.c_double]]) -> ctypes.Array[ctypes.c_void_p]:
    return (_POINTER * max(len(rows), 1))(*map(ctypes.addressof, rows))


def plain(key: str) -> Plain | None:
    """Return the kernel of doubles that is kept under a key and takes no parameters, or None."""
    kept = None if unwanted() else cache.read(key)
    if kept is None:
        return None
    try:
        card = Card.from_dict(kept[0])
        return None if card.parameters else Plain(card, cache.parts(*kept)[0])
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError):
        return None  # the general way says what is wrong with it
