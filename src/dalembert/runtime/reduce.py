"""Results of many states made one: the largest size, the sum, or the root of the sum of squares.

Nothing but the running values is kept. Lane l of a block adds up states l, l + W, ... of it, then
lanes are added up (`folding`), then blocks in order. Blocks lie in the last leading dimension and
do not depend on threads, so neither does the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ..errors import UsageError
from .evaluator import Evaluator, Given
from .team import Team

BLOCK = 1024  # states of a block
SPAN = 64  # blocks whose values are kept before they are added up


def reduced(
    code: Evaluator, kind: str, given: Given, outs: Sequence[np.ndarray],
    lead: tuple[int, ...], threads: Team,
) -> None:  # fmt: skip
    """Reduce the last dimension of `lead`; `given` are inputs, parameters and what is batched."""
    count, many = lead[-1], prod(lead[:-1])
    flat = [out.reshape(many, -1) if out.size else out.reshape(many, 0) for out in outs]
    if not count or not many:
        for out in flat:
            out[...] = 0
        return
    if count <= BLOCK:
        code.reduce(given, flat, (0, many * count, count), threads)
    else:
        for s in range(many):
            totals = [np.zeros(out.shape[1]) for out in flat]
            for first in range(s * count, (s + 1) * count, BLOCK * SPAN):
                last = min(first + BLOCK * SPAN, (s + 1) * count)
                rows = -(-(last - first) // BLOCK)
                parts = [np.empty((rows, out.shape[1]), out.dtype) for out in flat]
                code.reduce(given, parts, (first, last, BLOCK), threads)
                totals = [combined(kind, [t[None], p]) for t, p in zip(totals, parts, strict=True)]
            for out, total in zip(flat, totals, strict=True):
                out[s] = total
    if kind == "norm":
        for out in flat:
            np.sqrt(out, out=out)


def combined(kind: str, parts: Sequence[np.ndarray]) -> np.ndarray:
    """Return rows of values put together, in order."""
    rows = np.concatenate(parts)
    return np.maximum.reduce(rows) if kind == "max" else np.add.accumulate(rows)[-1]


def states(name: str, lead: tuple[int, ...]) -> tuple[int, ...]:
    """Return the leading dimensions of what is left; one state alone is refused."""
    if not lead:
        raise UsageError(
            f"{name}: a kernel that reduces takes many states, not one",
            hint="give inputs of shape (states, size)",
        )
    return lead[:-1]
