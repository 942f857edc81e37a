"""The order in which a kernel computes a Block: constants folded, angles gathered, chunks cut.

Sines and cosines are taken many at a time: all angles that can be known before any sine of their
own level form one `Trig` item. A long block is cut into chunks, each one function of the kernel;
values that live across a cut have a slot in scratch memory that the caller provides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..expr import OPS, Block, Port

WHOLE = 1600  # a block of up to this many lines stays one function
CHUNK = 450  # lines per function of a longer one


@dataclass(frozen=True, slots=True)
class Trig:
    """Angles kept from place `slot` on; their sines replace them, the cosines come after.

    It is always the last item of its chunk: all states of a tile have their sines taken together.
    """

    angles: tuple[int, ...]
    lines: tuple[int, ...]  # the sine and cosine lines it computes
    slot: int


@dataclass(frozen=True, slots=True)
class Outlet:
    """Neighbours in a row of an output, stored together when the last of them is known."""

    port: int
    column: int
    values: tuple[int, ...]


Item = int | Trig | Outlet


@dataclass(frozen=True, slots=True)
class Schedule:
    """A Block, ready to be written: `chunks` hold value numbers and other items in order."""

    block: Block
    constants: dict[int, float] = field(repr=False)
    chunks: tuple[tuple[Item, ...], ...] = field(repr=False)
    slot: dict[int, int] = field(repr=False)  # value -> scratch slot it is kept in
    slots: int
    turn: dict[int, int] = field(repr=False)  # sine or cosine -> its place among those of a Trig
    turns: int
    lines: int
    stores: dict[int, tuple[int, ...]] = field(repr=False)  # value -> the results it is


def schedule(
    block: Block, whole: int = WHOLE, chunk: int = CHUNK, outlets: Sequence[Outlet] = ()
) -> Schedule:
    """Return the schedule of a block; above `whole` lines it is cut every `chunk` lines."""
    constants = fold(block)
    items, turn, turns = _gathered(block, constants)
    chunks = _with_outlets(_cut(items, chunk if len(block.lines) > whole else len(items)), outlets)
    slot, slots = _spilled(block, chunks)
    stores: dict[int, list[int]] = {}
    for k, value in enumerate(block.results):
        stores.setdefault(value, []).append(k)
    return Schedule(
        block,
        constants,
        tuple(tuple(c) for c in chunks),
        slot,
        slots,
        turn,
        turns,
        len(block.lines),
        {v: tuple(ks) for v, ks in stores.items()},
    )


def outlets(ports: Sequence[Port], results: Sequence[int], lanes: int) -> list[Outlet]:
    """Return the results in groups of `lanes` neighbours, fewer at the end of a row."""
    found, at = [], 0
    for k, port in enumerate(ports):
        n = 0
        while n < port.size:
            many = next(w for w in (lanes, 2, 1) if w <= port.size - n)
            found.append(Outlet(k, n, tuple(results[at + n : at + n + many])))
            n += many
        at += port.size
    return found


def _with_outlets(
    chunks: Sequence[Sequence[int | Trig]], outlets: Sequence[Outlet]
) -> list[list[Item]]:
    """Return the chunks with each outlet right after the last value it needs."""
    made: dict[int, tuple[int, int]] = {}
    for c, items in enumerate(chunks):
        for n, item in enumerate(items):
            if isinstance(item, Trig):
                made |= dict.fromkeys(item.lines, (c + 1, -1))
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


def _cut(items: Sequence[int | Trig], size: int) -> list[list[int | Trig]]:
    """Return the items in pieces of `size`, each Trig the last of its piece but not of all."""
    pieces: list[list[int | Trig]] = [[]]
    for item in items:
        if len(pieces[-1]) >= size or (pieces[-1] and isinstance(pieces[-1][-1], Trig)):
            pieces.append([])
        pieces[-1].append(item)
    if pieces[-1] and isinstance(pieces[-1][-1], Trig):
        pieces.append([])
    return pieces


def fold(block: Block) -> dict[int, float]:
    """Return the value of every leaf and line that depends on numbers only."""
    known: dict[int, float] = {}
    for i, leaf in enumerate(block.leaves):
        if leaf[0] == "const":
            known[i] = float(leaf[1])
        elif leaf[0] == "pi":
            known[i] = math.pi
    base = len(block.leaves)
    with np.errstate(all="ignore"):
        for k, line in enumerate(block.lines):
            if all(a in known for a in line.args):
                values = [np.float64(known[a]) for a in line.args]
                known[base + k] = float(OPS[line.op].evaluate(*values))
    return known


def _gathered(
    block: Block, constants: dict[int, float]
) -> tuple[list[int | Trig], dict[int, int], int]:
    """Return the items in order, the slot of each sine and cosine, and the number of slots."""
    base, lines = len(block.leaves), block.lines
    level = [0] * (base + len(lines))
    by_level: dict[int, list[int]] = {}
    for k, line in enumerate(lines):
        v = base + k
        if v in constants:
            continue
        sine = line.op in ("sin", "cos")
        level[v] = max((level[a] for a in line.args), default=0) + sine
        if sine:
            by_level.setdefault(level[v], []).append(v)

    items: list[int | Trig] = []
    slot: dict[int, int] = {}
    done = set(range(base)) | set(constants)
    used = 0
    for k in range(len(lines)):
        v = base + k
        if v in done:
            continue
        if lines[k].op not in ("sin", "cos"):
            done.add(v)
            items.append(v)
            continue
        # the first sine of its level: all angles of that level, and what they need, come now
        members = by_level[level[v]]
        angles = tuple(dict.fromkeys(lines[m - base].args[0] for m in members))
        for needed in _ancestors(block, angles, done):
            done.add(needed)
            items.append(needed)
        trig = Trig(angles, tuple(members), used)
        items.append(trig)
        used += 2 * len(angles)
        place = {angle: n for n, angle in enumerate(angles)}
        for m in members:
            n = place[lines[m - base].args[0]]
            slot[m] = trig.slot + n + (len(angles) if lines[m - base].op == "cos" else 0)
            done.add(m)
    return items, slot, used


def _ancestors(block: Block, values: Iterable[int], done: set[int]) -> list[int]:
    """Return the lines, not yet done, that values need, in order."""
    base, needed = len(block.leaves), set()
    stack = [v for v in values if v not in done]
    while stack:
        v = stack.pop()
        if v not in needed:
            needed.add(v)
            stack.extend(a for a in block.lines[v - base].args if a not in done)
    return sorted(needed)


def _spilled(block: Block, chunks: Sequence[Sequence[Item]]) -> tuple[dict[int, int], int]:
    """Return value -> slot for values that outlive their chunk, and the number of slots."""
    base = len(block.leaves)
    made: dict[int, int] = {}
    last: dict[int, int] = {}
    for c, items in enumerate(chunks):
        for item in items:
            if isinstance(item, Trig):
                last |= dict.fromkeys(item.angles, c)
            elif isinstance(item, Outlet):
                last |= dict.fromkeys(item.values, c)
            else:
                made[item] = c
                for a in block.lines[item - base].args:
                    last[a] = c
    slot: dict[int, int] = {}
    free: list[int] = []
    used = 0
    ending: dict[int, list[int]] = {}
    for c, items in enumerate(chunks):
        free.extend(sorted(ending.pop(c - 1, ()), reverse=True))
        for item in items:
            if not isinstance(item, int) or last.get(item, c) == c:
                continue
            if free:
                slot[item] = free.pop()
            else:
                slot[item], used = used, used + 1
            ending.setdefault(last[item], []).append(slot[item])
    return slot, used
