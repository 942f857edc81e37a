"""A Block as statements, in pieces that are short enough for a compiler.

Statements hold text of a dialect and no syntax around it: a language only has to write `let`,
`turn` and `give`. Values that outlive their piece are kept in a scratch vector `wk`; sines and
cosines, where a dialect computes them in groups, in vectors `sn` and `cs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from ..expr.block import MASKS, Block, Row, cut, slots, steps
from .dialect import ATOM, Dialect
from .names import CodeNames
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
class SinCos:
    """Sines and cosines of angles, from place `first` of `sn` and `cs` on."""

    angles: tuple[str, ...]
    first: int


@dataclass(frozen=True, slots=True)
class Give:
    """An entry of a result."""

    place: str
    value: str


@dataclass(frozen=True, slots=True)
class Remark:
    """What a reader should know about the statements that follow."""

    text: str


Statement = Let | SinCos | Give | Remark


@dataclass(frozen=True)
class Piece:
    """Statements of one function, and the vectors they mention."""

    statements: list[Statement]
    mentioned: Callable[[], Iterable[str]]

    @cached_property
    def vectors(self) -> set[str]:
        """The vectors that its statements mention."""
        return set(self.mentioned())

    def names(self, mask: bool) -> list[str]:
        """Return the names it introduces: of comparisons, or of numbers."""
        lets = [s for s in self.statements if isinstance(s, Let) and not s.kept]
        return [s.name for s in lets if s.mask == mask]


@dataclass(frozen=True)
class Code:
    """The pieces of a block, and how long their vectors are."""

    pieces: list[Piece]
    scratch: int = 0  # of wk
    turns: int = 0  # of sn and of cs
    ops: set[str] = field(default_factory=set)


Place = tuple[str, str]  # a vector, and the text of an entry of it


def statements(
    block: Block,
    dialect: Dialect,
    leaves: Sequence[Place],
    places: Sequence[Place],
    words: Mapping[int, str] | None = None,
    told: Mapping[int, str] | None = None,
) -> Code:
    """Return the code of a block: `leaves` are where its leaves are, `places` its results.

    `words` are names for some of its values, `told` remarks on some of its results; what has no
    name is called after the first one it is needed for, A11_1.
    """
    writer = _Writer(block, dialect, leaves, places)
    if words and len(writer.pieces) == 1:
        writer.name(words, told or {}, leaves, places)
    return writer.code()


class _Writer:
    def __init__(
        self, block: Block, dialect: Dialect, leaves: Sequence[Place], places: Sequence[Place]
    ):
        self.block, self.dialect, self.base = block, dialect, len(block.leaves)
        self.leaves, self.texts = [word for word, _ in leaves], [text for _, text in leaves]
        many = len(block.lines)
        self.pieces = cut(steps(block), PIECE if many > MOST else many + 1)
        self.rows = [x for items in self.pieces for x in items if isinstance(x, Row)]
        self.turn, self.turns = self._turns() if dialect.turns else ({}, 0)
        self.slot, self.slots = self._slots()
        self.walk = Walk(block, dialect, [text for _, text in leaves], kept=self.slot)
        self.counter = 0
        self.words: dict[int, str] = {}  # of values
        self.told: dict[int, str] = {}  # value -> a remark on the results that it is
        self.places: dict[int, list[Place]] = {}
        for v, place in zip(block.results, places, strict=True):
            self.places.setdefault(v, []).append(place)

    def _turns(self) -> tuple[dict[int, tuple[str, int]], int]:
        """Return value -> (sn or cs, place) of every sine and cosine, and the number of angles."""
        turn: dict[int, tuple[str, int]] = {}
        place: dict[int, int] = {}
        for v in (v for row in self.rows for v in row.values):
            line = self.block.lines[v - self.base]
            at = place.setdefault(line.args[0], len(place))
            turn[v] = "sn" if line.op == "sin" else "cs", at
        return turn, len(place)

    def _slots(self) -> tuple[dict[int, int], int]:
        """Return the place in `wk` of values used in a later piece, and how many there are."""
        made = [
            [v for x in items for v in (x.values if isinstance(x, Row) else (x,))]
            for items in self.pieces
        ]
        last: dict[int, int] = {}
        for n, values in enumerate(made):
            last |= {a: n for v in values for a in self.block.lines[v - self.base].args}
        return slots([[v for v in values if v not in self.turn] for values in made], last)

    def _name(self, k: int) -> str:
        v = self.base + k
        if v in self.words:
            return self.words[v]
        if v in self.turn:
            return self.dialect.at(*self.turn[v])
        if v in self.slot and self.block.lines[k].op not in MASKS:
            return self.dialect.at("wk", self.slot[v])
        self.counter += 1
        return f"t{self.counter}"

    def name(
        self,
        words: Mapping[int, str],
        told: Mapping[int, str],
        leaves: Sequence[Place],
        places: Sequence[Place],
    ) -> None:
        """Take names for values; those without one are called after what they are for."""
        results, lines = self.block.results, self.block.lines
        for k, v in enumerate(results):
            if k in told:
                self.told.setdefault(v, told[k])
        stem = {v: f"{places[k][0]}{k + 1}" for k, v in reversed(list(enumerate(results)))}
        stem |= words
        # from the last line on: a value is called after the first that needs it
        for v in range(self.base + len(lines) - 1, self.base - 1, -1):
            for a in lines[v - self.base].args:
                if a not in words and a not in results:
                    stem[a] = stem.get(v, "part")
        names, count = CodeNames(), dict[str, int]()
        vectors = dict.fromkeys(word for word, _ in (*leaves, *places))
        for taken in ("wk", "sn", "cs", "an", "r", *vectors):
            names.new(taken)
        wanted = dict(words)
        for v in range(self.base, self.base + len(lines)):
            if v not in words and v not in self.turn:
                of = stem.get(v, "part")
                count[of] = count.get(of, 0) + 1
                wanted[v] = f"{of}_{count[of]}"
        self.words = {v: names.new(word) for v, word in wanted.items()}
        for v in (v for v in self.words if v < self.base):
            self.walk.parts[v] = (self.words[v], ATOM, 1)
        # a coefficient is a line of its own
        self.walk.kept = {*self.walk.kept, *(v for v in words if v >= self.base)}

    def _heads(self) -> Iterator[Statement]:
        """Yield names for constants that come from `prepare`."""
        for v, word in self.words.items():
            if v < self.base:
                yield Let(word, self.texts[v])

    def code(self) -> Code:
        walked = self.walk.steps(self._name)
        pieces: list[Piece] = []
        for n, items in enumerate(self.pieces):
            self._masks_in(n)
            made: list[Statement] = list(self._heads()) if not n else []
            here: list[int] = []
            for item in items:
                row = item.values if isinstance(item, Row) else (item,)
                here += row
                for v in row:
                    _, word, right = next(walked)
                    if v not in self.turn:
                        self._let(made, v, word, right)
                if row[0] in self.turn:
                    made += self._row(row)
            if n + 1 == len(self.pieces):
                last = [v for v in self.places if v < self.base]
                made += [give for v in last for give in self._gives(v)]
                here += last
            pieces.append(Piece(made, partial(self._vectors, set(here))))
        return Code(pieces, self.slots, self.turns, self.block.ops)

    def _vectors(self, here: set[int]) -> Iterator[str]:
        """Yield the vectors that the values of a piece read and write."""
        for v in here:
            yield from (word for word, _ in self.places.get(v, ()))
            for a in (*self.block.lines[v - self.base].args, v) if v >= self.base else (v,):
                if a < self.base and self.block.leaves[a].kind != "const":
                    yield self.leaves[a]
                elif a in self.turn:
                    yield from ("sn", "cs") if a in here else (self.turn[a][0],)
                elif a in self.slot:
                    yield "wk"

    def _let(self, made: list[Statement], v: int, word: str | None, right: str) -> None:
        """Append what a value needs: a name, a place in the scratch vector, results that it is."""
        if word is not None:
            mask = self.block.lines[v - self.base].op in MASKS
            made.append(Let(word, right, mask, v in self.slot and not mask))
            if mask and v in self.slot:
                one, zero = self.dialect.number(1.0), self.dialect.number(0.0)
                value = self.walk.forms["where"].text.format(word, one, zero)
                made.append(Let(self.dialect.at("wk", self.slot[v]), value, kept=True))
        if v in self.places:
            made += self._gives(v)

    def _row(self, row: Sequence[int]) -> Iterator[Statement]:
        """Yield the statement that computes sines and cosines, and the results among them."""
        angles = {
            self.turn[v][1]: self.walk.text(self.block.lines[v - self.base].args[0]) for v in row
        }
        yield SinCos(tuple(angles.values()), min(angles))
        for v in row:
            if v in self.words:
                yield Let(self.words[v], self.dialect.at(*self.turn[v]))
            yield from self._gives(v)

    def _masks_in(self, piece: int) -> None:
        """Read the masks of earlier pieces from the scratch vector."""
        for v in (v for items in self.pieces[:piece] for v in items if v in self.slot):
            if self.block.lines[v - self.base].op in MASKS:
                half, kept = self.dialect.number(0.5), self.dialect.at("wk", self.slot[v])
                self.walk.parts[v] = self.walk.forms["lt"].text.format(half, kept), 0, 1

    def _gives(self, v: int) -> Iterator[Statement]:
        """Yield the results that a value is: the first by its text, the others as copies."""
        places = [text for _, text in self.places.get(v, [])]
        if v in self.told:
            yield Remark(self.told[v])
        text, _, operands = self.walk.parts[v]
        for n, place in enumerate(places):
            yield Give(place, places[0] if n and operands != 1 else text)


def indices(shape: Sequence[int], k: int) -> tuple[int, ...]:
    """Return the indices, from 0, of entry k of an array in C order.

    >>> indices((2, 3), 4)
    (1, 1)
    """
    found: list[int] = []
    for n in reversed(shape):
        found.append(k % n)
        k //= n
    return tuple(reversed(found))
