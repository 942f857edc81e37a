"""Programs whose code does not grow: routines of a few kinds, and tables of where each is applied.

A straight-line `Program` of a chain repeats the lines of one link for every link. Here these lines
are written once, as a routine (a Program of its own), and a table says for every application which
cells it reads and writes, and which numbers it is given. Angles stand first: their sines and
cosines are taken together before anything else is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .function import Port
from .ordered import Cost, Program

WORK, TURN = "work", "turn"  # memories beside those of inputs and outputs


@dataclass(frozen=True, slots=True)
class Cells:
    """Neighbours in a memory ("work", "turn", ("input", 0), ("output", 1)), `stride` apart."""

    memory: str | tuple[str, int]
    index: int
    size: int = 1
    stride: int = 1

    def part(self, first: int, size: int) -> Cells:
        """Return some of them."""
        return Cells(self.memory, self.index + first * self.stride, size, self.stride)

    def longer(self, times: int) -> Cells:
        """Return them and those that follow, so many times as many."""
        return Cells(self.memory, self.index, self.size * times, self.stride)

    @property
    def kind(self) -> tuple[str | tuple[str, int], int]:
        """What all applications of a routine share."""
        return self.memory, self.stride


@dataclass(slots=True)
class Pass:
    """A run through a table, one application after the other; its routines have the same ports."""

    routines: list[Program] = field(default_factory=list)
    ports: dict[str, tuple[str | tuple[str, int], int]] = field(default_factory=dict)
    applied: list[tuple[Program, int, Mapping[str, Cells]]] = field(default_factory=list)

    def apply(self, routine: Program, numbers: int, **cells: Cells) -> None:
        """Apply a routine to cells; `numbers` is where the numbers it is given begin."""
        if not any(routine is known for known in self.routines):
            self.routines.append(routine)
        for name, some in cells.items():
            assert self.ports.setdefault(name, some.kind) == some.kind, name
        self.applied.append((routine, numbers, cells))

    def table(self) -> list[int]:
        """Return for each application its routine, its numbers, and the first cell of each port."""
        number = {id(r): k for k, r in enumerate(self.routines)}
        names, flat = [*self.ports], []
        for routine, numbers, cells in self.applied:
            flat += [number[id(routine)], numbers]
            flat += [cells[n].index if n in cells else 0 for n in names]
        return flat


@dataclass(frozen=True, slots=True)
class Strip:
    """Neighbours whose inputs are read together: (first, how many) of all that is theirs.

    `rows` are those of the tables of the first pass, which makes the angles, and of the passes that
    run outward; an inward pass, the last, has them in reverse order.
    """

    rows: tuple[int, int]
    angles: tuple[int, int]
    inputs: tuple[tuple[int, int], ...]
    outputs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Rolled:
    """Passes one after the other; after the first, which makes the angles, sines are taken."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    passes: tuple[Pass, ...] = field(repr=False)
    numbers: tuple[float, ...] = field(repr=False)
    work: int  # cells of working memory
    angles: int  # each a cell of "turn"; their cosines come after all of them
    strips: tuple[Strip, ...] = field(default=(), repr=False)  # in which it may be run, if any
    whole: tuple[Port, ...] = ()  # of packed outputs: what they stand for, and the place of each
    index: tuple[tuple[int, ...], ...] = field(default=(), repr=False)  # entry, -1 for zeros

    @property
    def parameters(self) -> tuple[str, ...]:
        """None: numbers are compiled in."""
        return ()

    @property
    def idle(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def cost(self) -> dict[str, Cost]:
        """Operation counts: those of each routine as often as it is applied."""
        total = {"mul": 0, "add": 0, "div": 0, "other": 0}
        for each in self.passes:
            own = {id(r): r.cost["step"] for r in each.routines}
            for routine, _, _ in each.applied:
                for kind in total:
                    total[kind] += getattr(own[id(routine)], kind)
        return {"prepare": Cost(), "step": Cost(sincos=self.angles, **total)}


class Roller:
    """Collects memory, numbers and passes of a rolled program."""

    def __init__(self, name: str, inputs: Sequence[Port], outputs: Sequence[Port]):
        self.name, self.inputs, self.outputs = name, tuple(inputs), tuple(outputs)
        self.passes: list[Pass] = []
        self.work, self.angles = 0, 0
        self.strips: tuple[Strip, ...] = ()
        self._numbers: list[float] = []
        self._known: dict[tuple[float, ...], int] = {}

    def room(self, size: int) -> Cells:
        """Return new cells of working memory."""
        self.work += size
        return Cells(WORK, self.work - size, size)

    def begin(self) -> Pass:
        """Return a new pass."""
        self.passes.append(Pass())
        return self.passes[-1]

    def keep(self, numbers: Sequence[float]) -> int:
        """Return where these numbers are kept; equal ones are kept once."""
        row = tuple(numbers)
        if row not in self._known:
            self._known[row] = len(self._numbers)
            self._numbers += row
        return self._known[row]

    def rolled(self) -> Rolled:
        """Return the program."""
        passes = tuple(p for p in self.passes if p.applied)
        return Rolled(
            self.name, self.inputs, self.outputs, passes, tuple(self._numbers), self.work,
            self.angles, self.strips,
        )  # fmt: skip


class Slots:
    """Rooms of one size for values that live for a while: taken, given back, taken again."""

    def __init__(self, roller: Roller, size: int):
        self.roller, self.size = roller, size
        self.free: list[Cells] = []
        self.rooms: list[Cells] = []

    def take(self) -> Cells:
        """Return a room that nobody uses."""
        if not self.free:
            self.rooms.append(self.roller.room(self.size))
            return self.rooms[-1]
        return self.free.pop()

    def reset(self, used: Sequence[Cells]) -> None:
        """Say that all rooms are free but these."""
        self.free = [room for room in self.rooms if room not in used]

    def give_back(self, cells: Cells) -> None:
        """Say that a room is free again."""
        self.free.append(cells)
