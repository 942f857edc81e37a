"""Parents before children: the order in which a mechanism lists its bodies."""

from __future__ import annotations

import heapq
from collections.abc import Sequence


def parents_first(parents: Sequence[int]) -> list[int]:
    """Return the numbers 0, 1, ... in their order, a parent always before its children.

    What no chain of parents joins to -1 is left out.

    >>> parents_first([1, -1, 0])
    [1, 0, 2]
    """
    children: dict[int, list[int]] = {}
    for k, parent in enumerate(parents):
        children.setdefault(parent, []).append(k)
    ready, sequence = list(children.get(-1, ())), []
    while ready:
        k = heapq.heappop(ready)
        sequence.append(k)
        for child in children.get(k, ()):
            heapq.heappush(ready, child)
    return sequence
