"""Rolled programs in strips: the inputs of neighbouring links are read, turned and used at once.

Of a long chain even the inputs of one group of states fill the second cache, and would be carried
there and back. So its links are run outward in strips: their inputs are brought to lanes, their
sines taken, their motion found, all in one small place; only what the way inward reads is kept.
Results leave strip by strip too.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from itertools import accumulate

from ..expr import Block, Program
from ..expr.rolled import Pass, Rolled
from .lanes import size as bytes_of
from .lanes import suffix, width
from .layout import BATCH, Driver, Layout, layout
from .transpose import rest, some_columns, some_rows

TABLE = "strips"
NOTHING = Block((), (), ())


def _rooms(rolled: Rolled) -> list[int]:
    """Return the cells that each port of a strip needs, inputs first."""
    ports = [[*s.inputs, *s.outputs] for s in rolled.strips]
    return [max(many for _, many in own) for own in zip(*ports, strict=True)]


def placed(rolled: Rolled, whole: Layout) -> Layout:
    """Return the layout of a block that holds the ports of a strip only, after all else."""
    program = Program(rolled.name, (), (), rolled.outputs, NOTHING, NOTHING)
    rooms = _rooms(rolled)
    slots = rolled.work + sum(rooms)
    place = layout(program, whole.lanes, slots, 1, whole.turns, False)
    ends = [place.slots + width(place.lanes) * n for n in accumulate(rooms, initial=rolled.work)]
    ins = len(rolled.inputs)
    return replace(place, inputs=tuple(ends[:ins]), outputs=tuple(ends[ins:-1]))


def tables(rolled: Rolled) -> list[list[int]]:
    """Return the table of each pass with the cells of ports as they lie in a strip."""
    owner = [strip for strip in rolled.strips for _ in range(strip.rows[1])]
    found = []
    for k, each in enumerate(rolled.passes):
        flat, columns = each.table(), 2 + len(each.ports)
        if len(each.applied) == len(owner):
            own = owner[::-1] if k == len(rolled.passes) - 1 else owner
            for column, (memory, _) in enumerate(each.ports.values(), 2):
                if not isinstance(memory, str):
                    for row, strip in enumerate(own):
                        ports = {"input": strip.inputs, "output": strip.outputs}[memory[0]]
                        flat[row * columns + column] -= ports[memory[1]][0]
        found.append(flat)
    return found


def table(rolled: Rolled) -> str:
    """Return the table of strips: rows, angles, and the entries of each port."""
    words = array("q")
    for strip in rolled.strips:
        for first, many in (strip.rows, strip.angles, *strip.inputs, *strip.outputs):
            words.extend((first, many))
    listed = ", ".join(f"i64 {n}" for n in words)
    return f"@{TABLE} = internal constant [{len(words)} x i64] [{listed}], align 64\n"


def read(each: Pass) -> set[int]:
    """Return the inputs that a pass reads."""
    found = set()
    for routine in each.routines:
        block = routine.step
        used = {v for line in block.lines for v in line.args} | {*block.results}
        names = {x.name for v, x in enumerate(block.leaves) if v in used and x.kind == "input"}
        memories = [each.ports[name][0] for name in names]
        found |= {m[1] for m in memories if not isinstance(m, str) and m[0] == "input"}
    return found


class _Strips(Driver):
    """The driver of passes in strips; a tile is one group."""

    def __init__(self, rolled: Rolled, program: Program, place: Layout):
        super().__init__(program, replace(place, outputs=()), place.lanes)  # they leave in strips
        self.rolled, self.outs = rolled, list[str]()
        self.buffers = [*place.inputs, *place.outputs]
        self.words = 2 * (2 + len(self.buffers))

    def batch_of_strips(self) -> None:
        """Write the loop over groups of states."""
        self.turns = self.at("%scratch", self.place.size)
        self.pointers()
        angles, *others, inward = self.rolled.passes
        rows = len(angles.applied)
        with self.repeat("%count", self.per) as self.first:
            self.here = self.least(self("sub i64 %count, {}", self.first), self.per)
            self.outs = self.targets("0")
            for k, each in enumerate(others, 1):
                if len(each.applied) != rows:  # what the base hands outward
                    self.run(k, "0", len(each.applied))
            with self.repeat(len(self.rolled.strips)) as s:
                strip = self.strip(s)
                begin, many = self.entry(strip, 0, "i64"), self.entry(strip, 1, "i64")
                end = self("add i64 {}, {}", begin, many)
                for port in sorted(set().union(*map(read, self.rolled.passes[:-1]))):
                    self.take(strip, port)
                self.run(0, begin, end)
                self.turned(strip)
                for k, each in enumerate(others, 1):
                    if len(each.applied) == rows:
                        self.run(k, begin, end)
            with self.repeat(len(self.rolled.strips)) as s:
                last = self("sub i64 {}, {}", len(self.rolled.strips) - 1, s)
                strip = self.strip(last)
                begin, many = self.entry(strip, 0, "i64"), self.entry(strip, 1, "i64")
                end = self("sub i64 {}, {}", rows, begin)
                for port in sorted(read(inward)):
                    self.take(strip, port)
                start = self("sub i64 {}, {}", end, many)
                self.run(len(self.rolled.passes) - 1, start, end)
                self.give(strip)
            self.save()

    def strip(self, number: str) -> str:
        """Return where the words of a strip begin."""
        return self.at(f"@{TABLE}", self(f"mul i64 {number}, {8 * self.words}"))

    def part(self, strip: str, port: int) -> tuple[str, str]:
        """Return the first entry of a port in a strip, and how many there are; outputs are last."""
        return (self.entry(strip, 4 + 2 * port, "i64"), self.entry(strip, 5 + 2 * port, "i64"))

    def near(self, port: int) -> str:
        """Return where the entries of a port lie for the time of a strip."""
        return self.at("%scratch", self.buffers[port])

    def run(self, number: int, begin: str, end: str | int) -> None:
        """Run rows of a pass."""
        name = f"step.{self.place.lanes}.{number}"
        self.call(name, "%scratch", self.turns, "@numbers", numbers=[begin, end])

    def take(self, strip: str, port: int) -> None:
        """Bring inputs of a strip to their lanes."""
        first, many = self.part(strip, port)
        stride = self.entry("%strides", port, "i64")
        start = self.at(self.sources[port], self(f"mul i64 {self.first}, {stride}"))
        start = self.at(start, self(f"mul i64 {first}, {bytes_of(self.place.lanes)}"))
        self.call("take", self.near(port), start, numbers=[stride, self.here, many])

    def turned(self, strip: str) -> None:
        """Take the sines and cosines of a strip; cosines lie behind the sines of all strips."""
        p = self.place
        first, many = self.entry(strip, 2, "i64"), self.entry(strip, 3, "i64")
        start = self.at(self.turns, self(f"mul i64 {first}, {width(p.lanes)}"))
        self.call(f"sincos.{suffix(p.lanes)}", start, numbers=[many, self.rolled.angles, 1])

    def give(self, strip: str) -> None:
        """Bring results of a strip to their rows."""
        for k, own in enumerate(self.program.outputs):
            port = len(self.rolled.inputs) + k
            first, many = self.part(strip, port)
            to = self.at(self.outs[k], self(f"mul i64 {first}, {bytes_of(self.place.lanes)}"))
            self.call(f"give.{own.size}", to, self.near(port), numbers=[many])


def batch(rolled: Rolled, program: Program, place: Layout) -> list[str]:
    """Return `batch` of rows, and what brings them to lanes and back."""
    d, lanes = _Strips(rolled, program, place), place.lanes
    d.batch_of_strips()
    moves = [rest(lanes), some_columns(lanes)]
    moves += [some_rows(lanes, n) for n in sorted({p.size for p in program.outputs})]
    return [table(rolled), *moves, d.procedure("batch", BATCH, entry=True)]
