"""The order in which a kernel computes a Block: angles in rows, chunks cut, slots given out.

Sines and cosines are taken many at a time, and all states of a tile together: a row of them ends
its chunk. A long block is cut into chunks, each one function of the kernel; values that live across
a cut have a slot in scratch memory that the caller provides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from itertools import accumulate

from ..expr import Block, Port
from ..expr.block import Routine, Row, Step, cut, slots, steps
from ..frozen import dataclass
from . import llvm
from .lanes import Single

WHOLE = 1250  # a block of up to this many lines stays one function
ROOMY = 5  # times as many where there are 32 registers: fewer values leave them than cross cuts
CHUNK = 180  # lines per function of a longer one
CALLED = 100  # functions one after the other that are called by name: a processor foresees so many
LONGER = 250  # lines per function where there would be more of them
PLAY = 0.2  # of it, by which a function may be shorter or longer: fewer values live where it ends
ALONE = 750  # lines per function that computes one state: there no other state reads it again
DECODED = 1600  # lines up to which one state has one function: a processor may keep it decoded
ZEROS = 64  # results that are always zero, above which one state clears its output beforehand


@dataclass(frozen=True, slots=True)
class Outlet:
    """Neighbours in a row of an output, stored together when the last of them is known."""

    port: int
    column: int
    values: tuple[int, ...]


Item = Step | Outlet


@dataclass(frozen=True, slots=True)
class Schedule:
    """A Block, folded and gathered, ready to be written: values, rows and outlets in order."""

    block: Block
    constants: dict[int, float] = field(repr=False)
    chunks: tuple[tuple[Item, ...], ...] = field(repr=False)
    slot: dict[int, int] = field(repr=False)  # value -> scratch slot it is kept in
    slots: int
    first: dict[Row, int] = field(repr=False)  # the place of its first angle
    turn: dict[int, int] = field(repr=False)  # sine or cosine -> its place among those of a row
    turns: int
    stores: dict[int, tuple[int, ...]] = field(repr=False)  # value -> the results it is
    # values that live across a cut for one state or for many: both round them, so both agree
    rounded: frozenset[int] = field(default=frozenset(), repr=False)
    calls: Calls | None = None
    alone: bool = False  # of one state: its angles fill vectors

    def taken(self, row: Row) -> int:
        """Return how many sines are taken for a row; the last angle may be there several times."""
        return _taken(row, self.alone)


def _taken(row: Row, alone: bool) -> int:
    many, side = len(row.angles), llvm.side_by_side() if alone else 1
    return many if many < side else -(-many // side) * side


@dataclass(frozen=True, slots=True)
class Calls:
    """Where the calls of a block put what they are given and what they find, all in slots."""

    given: int  # the first slot of the arguments of a call
    found: dict[int, int] = field(repr=False)  # call -> the first slot of its results
    routines: tuple[tuple[Routine, tuple[int, ...], Schedule], ...]  # with what all calls share

    def index(self, routine: Routine) -> int:
        """Return the number of a routine."""
        return next(k for k, (own, _, _) in enumerate(self.routines) if own is routine)


def stays(block: Block) -> bool:
    """Return whether a block is short enough for one function on this processor."""
    return len(block.lines) <= WHOLE * (ROOMY if llvm.host().roomy else 1)


def schedule(
    block: Block, outlets: Sequence[Outlet] = (), whole: bool = False, alone: bool = False,
    both: bool = True,
) -> Schedule:  # fmt: skip
    """Return the schedule of a block for many states at a time, or for one that is `alone`.

    A long one is cut, unless it is to stay `whole`. `both`: there is code of either kind.
    """
    long = not (whole or stays(block))
    own = ALONE if len(block.lines) > DECODED else DECODED
    sizes = (_pieces(block), own)[: 2 if both else 1] if long else (len(block.lines) + 1,)
    before = _callers(block)
    cuts = [_cut(block, sizes[0], before)]
    cuts += [cut(steps(block), size, after_rows=True, first=before) for size in sizes[1:]]
    chunks = _with_outlets(cuts[-1 if alone else 0], outlets)
    slot, many = _slots(block, chunks)
    calls = None
    if before:
        calls, items, many = _calls(block, many, alone, both)
        slot |= items
    first, turn, turns = _turns(block, chunks, alone)
    stores: dict[int, list[int]] = {}
    for k, value in enumerate(block.results):
        stores.setdefault(value, []).append(k)
    return Schedule(
        block,
        constants(block),
        tuple(tuple(c) for c in chunks),
        slot,
        many,
        first,
        turn,
        turns,
        {v: tuple(ks) for v, ks in stores.items()},
        frozenset(v for made in cuts for v in _slots(block, made)[0]) if long else frozenset(),
        calls,
        alone,
    )


def _pieces(block: Block) -> int:
    """Return how many lines the functions of a long block have."""
    few = len(block.lines) < CHUNK * (1 - PLAY / 4) * CALLED
    return CHUNK if few else LONGER


def _callers(block: Block) -> frozenset[int]:
    """Return the calls that begin a chunk: what they are given was made before, and has a slot."""
    lines, base = block.lines, len(block.leaves)
    return frozenset(
        base + k
        for k, line in enumerate(lines)
        if line.op == "call" and (k == 0 or lines[k - 1].form is None)
    )


def _calls(block: Block, many: int, alone: bool, both: bool) -> tuple[Calls, dict[int, int], int]:
    """Return the calls of a block, the slots of their results, and how many slots there are now."""
    found, slot = dict[int, int](), dict[int, int]()
    shared: dict[Routine, tuple[int, ...]] = {}
    given = 0
    for v, line in enumerate(block.lines, len(block.leaves)):
        if line.op == "call":
            routine: Routine = line.form
            shared[routine] = line.args[: routine.shared]
            given = max(given, len(line.args) - routine.shared)
            found[v], many = many, many + len(routine.block.results)
        elif line.op == "item":
            slot[v] = found[line.args[0]] + line.form
    inner, size, own = many + given, 0, []
    for routine, args in shared.items():
        plan = schedule(routine.block, alone=alone, both=both)
        size = max(size, plan.slots)
        moved = {v: inner + k for v, k in plan.slot.items()}
        own.append((routine, args, replace(plan, slot=moved)))
    return Calls(many, found, tuple(own)), slot, inner + size


def _cut(block: Block, size: int, before: frozenset[int]) -> list[list[Step]]:
    """Return the steps in pieces of about `size`, each cut where the fewest values live.

    A row of sines ends its piece, and no piece ends with the last row; some values begin one.
    """
    items = [*steps(block)]
    rows = [k for k, item in enumerate(items) if isinstance(item, Row)]
    ends = sorted({*(k + 1 for k in rows), *(k for k, item in enumerate(items) if item in before)})
    live, pieces, at = _living(block, items), list[list[Step]](), 0
    while at < len(items):
        end = next((k for k in ends if k > at), len(items))
        if end - at > size * (1 + PLAY):
            near = range(at + round(size * (1 - PLAY)), at + round(size * (1 + PLAY)) + 1)
            end = min(near, key=lambda k: (live[k], abs(k - at - size)))
        pieces.append(items[at:end])
        at = end
    return [*pieces, []] if not pieces or len(items) - 1 in rows else pieces


def _living(block: Block, items: Sequence[Step]) -> list[int]:
    """Return before each step how many values are known that it or a later one needs."""
    base, known, change = len(block.leaves), dict[int, int](), [0] * (len(items) + 1)
    last: dict[int, int] = {}
    for k, item in enumerate(items):
        if isinstance(item, Row):
            last |= dict.fromkeys(item.angles, k)
        else:
            known[item] = k
            last |= dict.fromkeys(block.lines[item - base].args, k)
    for v, k in known.items():
        if v in last:
            change[k + 1] += 1
            change[last[v] + 1] -= 1
    return [*accumulate(change)]


def constants(block: Block) -> dict[int, float]:
    """Return the leaves of a folded block that are numbers."""
    return {v: float(x.value) for v, x in enumerate(block.leaves) if x.kind == "const"}


def sparse(plan: Schedule, ports: Sequence[Port]) -> frozenset[int]:
    """Return the outputs with many results that are always zero: they are cleared beforehand."""
    zeros = {k for v, ks in plan.stores.items() if plan.constants.get(v) == 0 for k in ks}
    found, at = set(), 0
    for k, port in enumerate(ports):
        if sum(n in zeros for n in range(at, at + port.size)) > ZEROS:
            found.add(k)
        at += port.size
    return frozenset(found)


def outlets(ports: Sequence[Port], results: Sequence[int], lanes: int) -> list[Outlet]:
    """Return the results in groups of neighbours that are stored together."""
    found, at = [], 0
    for k, port in enumerate(ports):
        for n, many in _neighbours(port.size, lanes):
            found.append(Outlet(k, n, tuple(results[at + n : at + n + many])))
        at += port.size
    return found


def _neighbours(size: int, lanes: int) -> list[tuple[int, int]]:
    """Return the first of each group of a row and how many they are: four, fewer at its end.

    Single precision has eight where there are as many lanes, and no pairs: the last overlap those
    before.
    """
    if isinstance(lanes, Single):
        if size < 4:
            return [(n, 1) for n in range(size)]
        groups, at = [], 0
        while at < size:
            many = 8 if min(lanes, size) >= 8 and size - at > 4 else 4
            groups.append((min(at, size - many), many))
            at += many
        return groups
    found, n = [], 0
    while n < size:
        many = next(w for w in (min(lanes, 4), 2, 1) if w <= size - n)
        found.append((n, many))
        n += many
    return found


def _with_outlets(chunks: Sequence[Sequence[Step]], outlets: Sequence[Outlet]) -> list[list[Item]]:
    """Return the chunks with each outlet right after the last value it needs."""
    made: dict[int, tuple[int, int]] = {}
    for c, items in enumerate(chunks):
        for n, item in enumerate(items):
            if isinstance(item, Row):
                made |= dict.fromkeys(item.values, (c + 1, -1))
            else:
                made[item] = (c, n)
    due: dict[tuple[int, int], list[Outlet]] = {}
    for outlet in outlets:
        place = max(made.get(v, (0, -1)) for v in outlet.values)
        due.setdefault(place, []).append(outlet)
    whole: list[list[Item]] = []
    for c, items in enumerate(chunks):
        whole.append([*due.get((c, -1), ())])
        for n, item in enumerate(items):
            whole[-1] += [item, *due.get((c, n), ())]
    return whole


def _slots(block: Block, chunks: Sequence[Sequence[Item]]) -> tuple[dict[int, int], int]:
    """Return value -> slot for values that outlive their chunk, and the number of slots."""
    base = len(block.leaves)
    last: dict[int, int] = {}
    for c, items in enumerate(chunks):
        for item in items:
            if isinstance(item, int):
                used = block.lines[item - base].args
            else:
                used = item.angles if isinstance(item, Row) else item.values
            last |= dict.fromkeys(used, c)
    lines = block.lines
    own = [
        [v for v in items if isinstance(v, int) and lines[v - base].form is None]
        for items in chunks
    ]
    return slots(own, last)


def _turns(
    block: Block, chunks: Sequence[Sequence[Item]], alone: bool
) -> tuple[dict[Row, int], dict[int, int], int]:
    """Return the place of each row, of each sine and cosine, and the number of places.

    The sines of a row replace its angles, the cosines come after.
    """
    base, used = len(block.leaves), 0
    first: dict[Row, int] = {}
    turn: dict[int, int] = {}
    for row in (item for items in chunks for item in items if isinstance(item, Row)):
        place, many = {angle: used + n for n, angle in enumerate(row.angles)}, _taken(row, alone)
        for v in row.values:
            line = block.lines[v - base]
            turn[v] = place[line.args[0]] + many * (line.op == "cos")
        first[row], used = used, used + 2 * many
    return first, turn, used
