"""A Block as programming languages can say it: numbers folded, masks apart, angles together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ..expr.ops import OPS
from ..expr.program import Block, Leaf, Line

MASKS = frozenset({"lt", "le", "eq"})


def ready(block: Block) -> Block:
    """Return a block with the same results in which

    - what depends on numbers only is a number, rounded once;
    - a comparison is used by `where` only, and `where` asks nothing but comparisons;
    - sines and cosines that can be computed at the same time follow each other.
    """
    return _gathered(_masked(_folded(block)))


class _Builder:
    """Leaves and lines of a block that is being rewritten; value numbers are negative for lines."""

    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self.lines: list[Line] = []
        self.known: dict[Leaf, int] = {}

    def leaf(self, leaf: Leaf) -> int:
        key = (*leaf, type(leaf[-1]), str(leaf[-1]))  # 0.0 and -0.0 differ, 1 and 1.0 too
        if key not in self.known:
            self.known[key] = len(self.leaves)
            self.leaves.append(leaf)
        return self.known[key]

    def line(self, op: str, args: Iterable[int]) -> int:
        self.lines.append(Line(op, tuple(args)))
        return -len(self.lines)

    def block(self, results: Sequence[int]) -> Block:
        base = len(self.leaves)

        def place(v: int) -> int:
            return v if v >= 0 else base - 1 - v

        lines = tuple(Line(x.op, tuple(map(place, x.args))) for x in self.lines)
        return _used(Block(tuple(self.leaves), lines, tuple(map(place, results))))


def _used(block: Block) -> Block:
    """Return the block without what no result needs."""
    base, needed = len(block.leaves), set(block.results)
    for k in reversed(range(len(block.lines))):
        if base + k in needed:
            needed.update(block.lines[k].args)
    new = {v: n for n, v in enumerate(sorted(needed))}
    leaves = tuple(leaf for v, leaf in enumerate(block.leaves) if v in new)
    lines = tuple(
        Line(x.op, tuple(new[a] for a in x.args))
        for k, x in enumerate(block.lines)
        if base + k in new
    )
    return Block(leaves, lines, tuple(new[v] for v in block.results))


def _folded(block: Block) -> Block:
    out, base = _Builder(), len(block.leaves)
    number: dict[int, float] = {}
    made: list[int] = []
    for v, leaf in enumerate(block.leaves):
        if leaf[0] in ("const", "pi"):
            number[v] = math.pi if leaf[0] == "pi" else float(leaf[1])
            leaf = ("const", number[v])
        made.append(out.leaf(leaf))
    for k, line in enumerate(block.lines):
        value = None
        if all(a in number for a in line.args):
            value = _evaluated(line.op, [number[a] for a in line.args])
        if value is None:
            made.append(out.line(line.op, (made[a] for a in line.args)))
        else:
            number[base + k] = value
            made.append(out.leaf(("const", value)))
    return out.block([made[v] for v in block.results])


def _evaluated(op: str, values: Sequence[float]) -> float | None:
    """Return a number, or None where the language shall say inf or nan itself."""
    try:
        value = float(OPS[op].evaluate(*values))
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _masked(block: Block) -> Block:
    """Return the block with comparisons and numbers kept apart."""
    if not any(line.op in MASKS or line.op == "where" for line in block.lines):
        return block
    out, base = _Builder(), len(block.leaves)
    made = [out.leaf(leaf) for leaf in block.leaves]
    masks = {base + k for k, line in enumerate(block.lines) if line.op in MASKS}
    numbers: dict[int, int] = {}

    def number(v: int) -> int:
        if v not in masks:
            return made[v]
        if v not in numbers:
            one, zero = out.leaf(("const", 1.0)), out.leaf(("const", 0.0))
            numbers[v] = out.line("where", (made[v], one, zero))
        return numbers[v]

    for line in block.lines:
        if line.op != "where":
            made.append(out.line(line.op, [number(a) for a in line.args]))
            continue
        mask, yes, no = line.args
        if mask in masks:
            made.append(out.line("where", (made[mask], number(yes), number(no))))
        else:
            zero = out.line("eq", (made[mask], out.leaf(("const", 0.0))))
            made.append(out.line("where", (zero, number(no), number(yes))))
    return out.block([number(v) for v in block.results])


def _gathered(block: Block) -> Block:
    """Return the block with the sines and cosines of each level in one row."""
    base, lines = len(block.leaves), block.lines
    level = [0] * (base + len(lines))
    by_level: dict[int, list[int]] = {}
    for k, line in enumerate(lines):
        sine = OPS[line.op].kind == "sincos"
        level[base + k] = max((level[a] for a in line.args), default=0) + sine
        if sine:
            by_level.setdefault(level[base + k], []).append(base + k)
    order: list[int] = []
    done = set(range(base))
    for v in range(base, base + len(lines)):
        if v in done:
            continue
        if OPS[lines[v - base].op].kind == "sincos":
            members = by_level[level[v]]
            needed = _before(block, [lines[s - base].args[0] for s in members], done)
            order += needed + members
            done.update(needed)
            done.update(members)
        else:
            order.append(v)
            done.add(v)
    place = {v: base + n for n, v in enumerate(order)}
    place.update({v: v for v in range(base)})
    moved = tuple(
        Line(lines[v - base].op, tuple(place[a] for a in lines[v - base].args)) for v in order
    )
    return Block(block.leaves, moved, tuple(place[v] for v in block.results))


def _before(block: Block, values: Iterable[int], done: set[int]) -> list[int]:
    """Return the lines, not yet done, that values need, in order."""
    base, needed = len(block.leaves), set()
    stack = [v for v in values if v not in done]
    while stack:
        v = stack.pop()
        if v not in needed:
            needed.add(v)
            stack.extend(a for a in block.lines[v - base].args if a not in done)
    return sorted(needed)
