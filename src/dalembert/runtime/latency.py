"""Whether a block spends its time waiting: its longest chain of lines beside all its products.

A processor of today begins two products in a cycle, sums beside them. Where the chain takes longer
than that, the lines of two vectors of states are computed side by side.
"""

from __future__ import annotations

from collections import Counter

from ..expr import OPS, Block
from .instructions import LIBM

CYCLES = {"div": 13, "sqrt": 20, "neg": 1}  # until a result is there
USUAL, TAKEN_IN = 3, 1  # of all else; of a product that one sum alone takes in
RATE = 2  # products in a cycle


def waits(block: Block) -> bool:
    """Return whether the longest chain takes longer than all products, and nothing asks libm."""
    if any(line.op == "call" for line in block.lines):
        return False  # only long blocks have calls
    products = sum(line.op == "mul" for line in block.lines)
    return longest(block) * RATE >= products and not asks_libm(block)


def asks_libm(block: Block) -> bool:
    """Return whether functions of the C library are called, lane by lane."""
    return any(OPS[op].libm in LIBM for op in block.ops)


def longest(block: Block) -> int:
    """Return the cycles of the longest chain of lines, each waiting for the one before."""
    base = len(block.leaves)
    uses = Counter(a for line in block.lines for a in line.args)
    ready = [0] * base
    for line in block.lines:
        inside = line.op in ("add", "sub")
        begin = 0
        for a in line.args:
            fused = inside and a >= base and block.lines[a - base].op == "mul" and uses[a] == 1
            begin = max(begin, ready[a] - (USUAL - TAKEN_IN) * fused)
        ready.append(begin + CYCLES.get(line.op, USUAL))
    return max(ready, default=0)
