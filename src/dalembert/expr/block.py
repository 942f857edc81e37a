"""Straight-line code, and the passes that emitters and kernels share.

Every pass takes a Block and returns one, or says something about its lines; none of them knows a
language. The usual order: `folded`, `masked` (for languages), `gathered`, then `cut` and `slots`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from .arena import Number
from .ops import OPS

MASKS = frozenset({"lt", "le", "eq"})
SINES = frozenset(name for name, op in OPS.items() if op.kind == "sincos")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that a block is given: a number, a parameter, an entry of an input, a prepared one.

    Kinds: const (of `value`), pi, param and prepared (of `index`), input (of `name` and `index`).
    """

    kind: str
    name: str = ""
    index: int = 0
    value: Number = 0

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells leaves apart: 0.0 and -0.0 differ, 1 and 1.0 too."""
        return self.kind, self.name, self.index, type(self.value), str(self.value)


class Line(NamedTuple):
    """One assignment: value `len(leaves) + position` = op(args), args earlier value numbers.

    A `call` has the form of a Routine and many results, of which an `item` is one.
    """

    op: str
    args: tuple[int, ...]
    form: Any = None

    @property
    def turns(self) -> bool:
        """Whether this is a sine or a cosine."""
        return self.op in SINES


@dataclass(frozen=True, slots=True)
class Block:
    """Straight-line code: leaves first, then lines, then which values are the results."""

    leaves: tuple[Leaf, ...]
    lines: tuple[Line, ...]
    results: tuple[int, ...]
    nodes: tuple[int, ...] = field(default=(), compare=False, repr=False)  # of the graph, per line

    def constant(self, value: int) -> Number | None:
        """Return the number a value is, when it is a constant leaf."""
        if value < len(self.leaves) and self.leaves[value].kind == "const":
            return self.leaves[value].value
        return None

    @property
    def ops(self) -> set[str]:
        """The primitives it uses."""
        called = {id(line.form): line.form for line in self.lines if line.op == "call"}
        own = {line.op for line in self.lines} - {"call", "item"}
        return own.union(*(routine.block.ops for routine in called.values()))

    @property
    def size(self) -> int:
        """How many lines are run: those of a routine in each call of it."""
        return len(self.lines) + sum(x.form.block.size for x in self.lines if x.op == "call")

    def run(
        self,
        inputs: Mapping[str, Any],
        parameters: Sequence[Any] = (),
        prepared: Sequence[Any] = (),
        number: Callable[[Any], Any] = float,
    ) -> list[Any]:
        """Return the results, line by line, on any scalars; `number` makes one of a constant."""
        leaf: dict[str, Callable[[Leaf], Any]] = {
            "const": lambda x: number(x.value),
            "pi": lambda x: number(math.pi),
            "param": lambda x: parameters[x.index],
            "prepared": lambda x: prepared[x.index],
            "input": lambda x: inputs[x.name][x.index],
        }
        values = [leaf[x.kind](x) for x in self.leaves]
        for line in self.lines:
            given = [values[a] for a in line.args]
            if line.op == "call":
                values.append(line.form.block.run(line.form.inputs(given), number=number))
            elif line.op == "item":
                values.append(given[0][line.form])
            else:
                values.append(OPS[line.op].evaluate(*given))
        return [values[v] for v in self.results]


@dataclass(frozen=True, slots=True, eq=False)
class Routine:
    """Lines that are called many times: the first arguments, `shared`, are those of every call."""

    block: Block
    ports: tuple[tuple[str, int], ...]  # name and size of each input
    shared: int

    def inputs(self, values: Sequence[Any]) -> dict[str, Sequence[Any]]:
        """Return the arguments of a call by the names of inputs."""
        found, at = {}, 0
        for name, size in self.ports:
            found[name] = values[at : at + size]
            at += size
        return found

    @property
    def place(self) -> dict[tuple[str, int], int]:
        """The place of each entry of an input among the arguments of a call."""
        return dict(zip(((n, k) for n, size in self.ports for k in range(size)), count()))


class Builder:
    """Leaves and lines of a block that is being rewritten; value numbers are negative for lines."""

    def __init__(self, leaves: Iterable[Leaf] = ()) -> None:
        self.leaves: list[Leaf] = []
        self.lines: list[tuple[str, Sequence[int], Any]] = []
        self.known: dict[tuple[Any, ...], int] = {}
        self.made = [self.leaf(leaf) for leaf in leaves]

    def leaf(self, leaf: Leaf) -> int:
        found = self.known.setdefault(leaf.key, len(self.leaves))
        if found == len(self.leaves):
            self.leaves.append(leaf)
        return found

    def line(self, op: str, args: Sequence[int], form: Any = None) -> int:
        self.lines.append((op, args, form))
        return -len(self.lines)

    def block(self, results: Iterable[int]) -> Block:
        base = len(self.leaves)

        def place(v: int) -> int:
            return v if v >= 0 else base - 1 - v

        lines = tuple([Line(op, tuple([*map(place, args)]), f) for op, args, f in self.lines])
        return without_dead(Block(tuple(self.leaves), lines, tuple(map(place, results))))


def without_dead(block: Block) -> Block:
    """Return the block without lines and leaves that no result needs."""
    base = len(block.leaves)
    needed = set(block.results)
    for k in reversed(range(len(block.lines))):
        if base + k in needed:
            needed.update(block.lines[k].args)
    if len(needed) == base + len(block.lines):
        return block
    new = {v: n for n, v in enumerate(sorted(needed))}
    leaves = tuple(leaf for v, leaf in enumerate(block.leaves) if v in new)
    lines = tuple(
        Line(line.op, tuple([new[a] for a in line.args]), line.form)
        for k, line in enumerate(block.lines)
        if base + k in new
    )
    nodes = tuple(i for k, i in enumerate(block.nodes) if base + k in new)
    return Block(leaves, lines, tuple(new[v] for v in block.results), nodes)


def folded(block: Block) -> Block:
    """Return the block with a number, rounded once, for all that depends on numbers only.

    What has no finite value stays: the language or the processor shall say inf or nan itself.
    """
    out, number = Builder(), dict[int, float]()
    made: list[int] = []
    for v, leaf in enumerate(block.leaves):
        if leaf.kind in ("const", "pi"):
            number[v] = math.pi if leaf.kind == "pi" else float(leaf.value)
            leaf = Leaf("const", value=number[v])
        made.append(out.leaf(leaf))
    for line in block.lines:
        value = None
        if line.args[0] in number and line.form is None and all(a in number for a in line.args):
            value = _evaluated(line.op, [number[a] for a in line.args])
        if value is None:
            made.append(out.line(line.op, [made[a] for a in line.args], line.form))
        else:
            number[len(made)] = value
            made.append(out.leaf(Leaf("const", value=value)))
    return out.block(made[v] for v in block.results)


def _evaluated(op: str, values: Sequence[float]) -> float | None:
    try:
        value = float(OPS[op].evaluate(*values))
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def masked(block: Block) -> Block:
    """Return the block in which `where` asks nothing but comparisons, and nothing else uses one."""
    if not any(line.op in MASKS or line.op == "where" for line in block.lines):
        return block
    out, base = Builder(block.leaves), len(block.leaves)
    made, one, zero = out.made, Leaf("const", value=1.0), Leaf("const", value=0.0)
    masks = {base + k for k, line in enumerate(block.lines) if line.op in MASKS}
    numbers: dict[int, int] = {}

    def number(v: int) -> int:
        if v not in masks:
            return made[v]
        if v not in numbers:
            numbers[v] = out.line("where", (made[v], out.leaf(one), out.leaf(zero)))
        return numbers[v]

    for line in block.lines:
        if line.op != "where":
            made.append(out.line(line.op, [number(a) for a in line.args]))
            continue
        mask, yes, no = line.args
        if mask in masks:
            made.append(out.line("where", (made[mask], number(yes), number(no))))
        else:
            none = out.line("eq", (made[mask], out.leaf(zero)))
            made.append(out.line("where", (none, number(no), number(yes))))
    return out.block([number(v) for v in block.results])


def ready(block: Block) -> Block:
    """Return the block as programming languages can say it."""
    return gathered(masked(folded(block)))


# -- sines and cosines -------------------------------------------------------------------------


def gathered(block: Block) -> Block:
    """Return the block with the sines and cosines of each level in one row.

    All angles that can be known before any sine of their own level are there at its first sine.
    """
    base, lines = len(block.leaves), block.lines
    level = [0] * (base + len(lines))
    by_level: dict[int, list[int]] = {}
    for v, line in enumerate(lines, base):
        high = max([level[a] for a in line.args])
        if line.op in SINES:
            high += 1
            by_level.setdefault(high, []).append(v)
        level[v] = high
    if not by_level:
        return block
    order: list[int] = []
    done = set(range(base))
    for v, line in enumerate(lines, base):
        if v in done:
            continue
        if line.op in SINES:
            members = by_level[level[v]]
            needed = _before(block, [lines[s - base].args[0] for s in members], done)
            order += [*needed, *members]
            done.update(needed, members)
        else:
            order.append(v)
            done.add(v)
    place = [*range(base + len(lines))]
    for n, v in enumerate(order, base):
        place[v] = n
    moved = []
    for v in order:
        line = lines[v - base]
        args = tuple([place[a] for a in line.args])
        moved.append(line if args == line.args else Line(line.op, args, line.form))
    return Block(block.leaves, tuple(moved), tuple(place[v] for v in block.results))


def _before(block: Block, values: Iterable[int], done: set[int]) -> list[int]:
    """Return the lines, not yet done, that values need, in order."""
    base, needed = len(block.leaves), set[int]()
    stack = [v for v in values if v not in done]
    while stack:
        v = stack.pop()
        if v not in needed:
            needed.add(v)
            stack.extend(a for a in block.lines[v - base].args if a not in done)
    return sorted(needed)


@dataclass(frozen=True, slots=True)
class Row:
    """Sines and cosines that are computed together: their values, and their angles once each."""

    values: tuple[int, ...]
    angles: tuple[int, ...]


Step = int | Row


def steps(block: Block) -> Iterator[Step]:
    """Yield the values of a gathered block in order, sines and cosines as rows."""
    row: list[int] = []
    for v, line in enumerate(block.lines, len(block.leaves)):
        if row and (not line.turns or line.args[0] in row):
            yield _row(block, row)
            row = []
        if line.turns:
            row.append(v)
        else:
            yield v
    if row:
        yield _row(block, row)


def _row(block: Block, values: Sequence[int]) -> Row:
    lines = [block.lines[v - len(block.leaves)] for v in values]
    return Row(tuple(values), tuple(dict.fromkeys(line.args[0] for line in lines)))


# -- pieces ------------------------------------------------------------------------------------


def cut(
    items: Iterable[Step], size: int, after_rows: bool = False, first: Collection[Step] = ()
) -> list[list[Step]]:
    """Return steps in pieces of about `size` lines; a row is never cut and never begins one.

    With `after_rows` each row is the last of its piece, and no piece ends with the last row. Those
    that are to be `first` begin a piece.
    """
    pieces: list[list[Step]] = [[]]
    many, ended = 0, False
    for item in items:
        row = isinstance(item, Row)
        if ended or (many >= size and not row) or (item in first and pieces[-1]):
            pieces.append([])
            many = 0
        pieces[-1].append(item)
        many += len(item.values) if isinstance(item, Row) else 1
        ended = row and after_rows
    return [*pieces, []] if ended else pieces


def slots(pieces: Sequence[Iterable[int]], last: Mapping[int, int]) -> tuple[dict[int, int], int]:
    """Return the place of each value that outlives its piece, and how many places there are.

    `pieces` are the values that each makes, `last` the piece that uses a value last.
    """
    slot: dict[int, int] = {}
    ending: dict[int, list[int]] = {}
    free: list[int] = []
    count = 0
    for here, values in enumerate(pieces):
        free += sorted(ending.pop(here - 1, ()), reverse=True)
        for v in values:
            if last.get(v, here) <= here:
                continue
            if not free:
                free.append(count)
                count += 1
            slot[v] = free.pop()
            ending.setdefault(last[v], []).append(slot[v])
    return slot, count
