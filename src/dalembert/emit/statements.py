"""A Block as statements, in pieces that are short enough for a compiler.

Statements hold text of a dialect and no syntax around it: a language only has to write `let`,
`turn` and `give`. Values that outlive their piece are kept in a scratch vector `wk`; sines and
cosines, where a dialect computes them in groups, in vectors `sn` and `cs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..expr.ops import OPS
from ..expr.program import Block
from .dialect import Dialect
from .ready import MASKS
from .walk import Walk

MOST = 4000  # statements of one function
PIECE = 3000  # lines of a piece where there are more


@dataclass(frozen=True, slots=True)
class Let:
    """A new name for a value; with `kept` an entry of `wk`."""

    name: str
    value: str
    mask: bool = False
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """Sines and cosines of angles, from place `first` of `sn` and `cs` on."""

    angles: tuple[str, ...]
    first: int


@dataclass(frozen=True, slots=True)
class Give:
    """An entry of a result."""

    place: str
    value: str


Statement = Let | Turn | Give


@dataclass(frozen=True)
class Body:
    """The pieces of a block, and how long their vectors are."""

    pieces: list[list[Statement]]
    scratch: int = 0  # of wk
    turns: int = 0  # of sn and of cs
    used: set[tuple] = field(default_factory=set)  # leaves that are not numbers
    ops: set[str] = field(default_factory=set)


def statements(
    block: Block, dialect: Dialect, leaves: Sequence[str], places: Sequence[str]
) -> Body:
    """Return the body of a block: `leaves` are the texts of its leaves, `places` of its results."""
    return _Writer(block, dialect, leaves, places).body()


class _Writer:
    def __init__(
        self, block: Block, dialect: Dialect, leaves: Sequence[str], places: Sequence[str]
    ):
        self.block, self.dialect, self.base = block, dialect, len(block.leaves)
        self.piece = _cut(block)
        self.slot, self.slots = _slots(block, self.piece, dialect.turns)
        self.walk = Walk(block, dialect, leaves, kept=self.slot)
        self.counter = 0
        self.places: dict[int, list[str]] = {}
        for v, place in zip(block.results, places, strict=True):
            self.places.setdefault(v, []).append(place)
        self.turn, self.turns = self._turns() if dialect.turns else ({}, 0)

    def _turns(self) -> tuple[dict[int, tuple[str, int]], int]:
        """Return line -> (sn or cs, place) of every sine and cosine, and the number of angles."""
        turn: dict[int, tuple[str, int]] = {}
        place: dict[int, int] = {}
        for k, line in enumerate(self.block.lines):
            if OPS[line.op].kind == "sincos":
                n = place.setdefault(line.args[0], len(place))
                turn[k] = ("sn" if line.op == "sin" else "cs", n)
        return turn, len(place)

    def _name(self, k: int) -> str:
        if k in self.turn:
            return self.dialect.at(*self.turn[k])
        v = self.base + k
        if v in self.slot and self.block.lines[k].op not in MASKS:
            return self.dialect.at("wk", self.slot[v])
        self.counter += 1
        return f"t{self.counter}"

    def body(self) -> Body:
        count = self.piece[-1] + 1 if self.piece else 1
        pieces: list[list[Statement]] = [[] for _ in range(count)]
        row: list[int] = []  # sines and cosines that wait for the end of their row
        last = 0
        for k, word, right in self.walk.steps(self._name):
            line, v = self.block.lines[k], self.base + k
            if row and (k not in self.turn or line.args[0] - self.base in row):
                pieces[last] += self._row(row)
                row = []
            if self.piece[k] != last:
                last = self.piece[k]
                self._masks_in(last)
            if k in self.turn:
                row.append(k)
                continue
            mask = line.op in MASKS
            if word is not None:
                pieces[last].append(Let(word, right, mask, v in self.slot and not mask))
                if mask and v in self.slot:
                    pieces[last].append(self._kept_mask(v, word))
            pieces[last] += self._gives(v)
        pieces[last] += self._row(row)
        for v in self.places:
            if v < self.base:
                pieces[last] += self._gives(v)
        used = {leaf for leaf in self.block.leaves if leaf[0] != "const"}
        ops = {line.op for line in self.block.lines}
        return Body(pieces, self.slots, self.turns, used, ops)

    def _row(self, row: Sequence[int]) -> list[Statement]:
        """Return the statement that computes a row of sines and cosines, and results among them."""
        if not row:
            return []
        angles = {self.turn[k][1]: self.walk.text(self.block.lines[k].args[0]) for k in row}
        found: list[Statement] = [Turn(tuple(angles.values()), min(angles))]
        return found + [give for k in row for give in self._gives(self.base + k)]

    def _kept_mask(self, v: int, word: str) -> Let:
        """Return the statement that keeps a mask as a number for later pieces."""
        one, zero = self.dialect.number(1.0), self.dialect.number(0.0)
        value = self.dialect.forms["where"].text.format(word, one, zero)
        return Let(self.dialect.at("wk", self.slot[v]), value, kept=True)

    def _masks_in(self, piece: int) -> None:
        """Read the masks of earlier pieces from the scratch vector."""
        for v in self.slot:
            k = v - self.base
            if self.block.lines[k].op in MASKS and self.piece[k] < piece:
                half, kept = self.dialect.number(0.5), self.dialect.at("wk", self.slot[v])
                self.walk.parts[v] = self.dialect.forms["lt"].text.format(half, kept), 0, 1

    def _gives(self, v: int) -> list[Statement]:
        """Return the results that a value is: the first by its text, the others as copies."""
        places = self.places.get(v, [])
        if not places:
            return []
        text, _, operands = self.walk.parts[v]
        copy = text if operands == 1 else places[0]
        return [Give(place, copy if n else text) for n, place in enumerate(places)]


def _cut(block: Block) -> list[int]:
    """Return the piece of each line; a row of sines is never cut."""
    if len(block.lines) <= MOST:
        return [0] * len(block.lines)
    pieces, here, size = [], 0, 0
    for line in block.lines:
        if size >= PIECE and OPS[line.op].kind != "sincos":
            here, size = here + 1, 0
        pieces.append(here)
        size += 1
    return pieces


def _slots(block: Block, piece: Sequence[int], turns: bool) -> tuple[dict[int, int], int]:
    """Return the place in `wk` of values used in a later piece, and how many places there are."""
    base = len(block.leaves)
    last: dict[int, int] = {}
    for k, line in enumerate(block.lines):
        for a in line.args:
            last[a] = piece[k]
    slot: dict[int, int] = {}
    ending: dict[int, list[int]] = {}
    free: list[int] = []
    count, here = 0, 0
    for k, line in enumerate(block.lines):
        v = base + k
        if piece[k] != here:
            here = piece[k]
            free += sorted(ending.pop(here - 1, ()), reverse=True)
        if last.get(v, 0) <= here or (turns and OPS[line.op].kind == "sincos"):
            continue
        if not free:
            free.append(count)
            count += 1
        slot[v] = free.pop()
        ending.setdefault(last[v], []).append(slot[v])
    return slot, count
