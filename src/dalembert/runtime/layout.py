"""How states lie in memory, as LLVM IR text: rows of NumPy arrays to lanes and back, tile by tile.

A tile is a few groups of W states. Each group has a block of scratch: input entries of W lanes
each, parameters, prepared values, slots. Results go straight to their rows; where there are many
they are gathered in the block first, because caches like long rows better than scattered pieces.
The last group repeats its last row in the lanes left over, so no lane computes on garbage and a
result does not depend on its place; its results go to spare rows, and from there as many as asked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ..expr import Program
from ..expr.block import Row
from ..frozen import dataclass
from .lanes import parted, suffix, width
from .lanes import size as bytes_of
from .lines import Lines
from .schedule import CALLED, Outlet, Schedule, sparse
from .transpose import blank


@dataclass(frozen=True, slots=True)
class Angle:
    """An input that is an angle and nothing else: its port, its entry, its place among angles."""

    port: int
    entry: int
    place: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Byte offsets in a block of scratch for one group of `lanes` states."""

    lanes: int
    inputs: tuple[int, ...]
    parameters: int
    prepared: int
    slots: int
    outputs: tuple[int, ...]  # none where results go straight to their rows
    size: int  # of one block
    groups: int  # blocks per tile
    turns: int  # angles, sines and cosines of a state; after the blocks, group beside group
    rows: tuple[int, ...]  # bytes of a row of each output; after the turns, W rows of each
    vectors: int = 1  # of the processor, that a group fills
    angles: tuple[Angle, ...] = ()  # inputs that go straight to the angles

    @property
    def scratch(self) -> int:
        """The bytes of a whole tile."""
        return self.spare(len(self.rows))

    def spare(self, k: int) -> int:
        """Return the offset of the spare rows of output k."""
        before = self.groups * (self.size + width(self.lanes) * self.turns)
        return before + self.lanes * sum(self.rows[:k])


def layout(
    program: Program, lanes: int, slots: int, groups: int, turns: int, gathered: bool
) -> Layout:
    """Return where things lie in a block that has `slots` slots, and all results if `gathered`."""
    at = 0
    places = []
    prepared = len(program.prepare.results)
    sizes = [p.size for p in program.inputs] + [len(program.parameters), prepared, slots]
    for size in sizes + [p.size for p in program.outputs if gathered]:
        places.append(at)
        at += width(lanes) * size
    n = len(program.inputs)
    parameters, r, s, *ends = places[n:]
    whole = -(-at // 64) * 64
    rows = tuple(bytes_of(lanes) * p.size for p in program.outputs)
    ins = tuple(places[:n])
    return Layout(lanes, ins, parameters, r, s, tuple(ends), whole, groups, turns, rows)


class Driver(Lines):
    """Writes `batch`: a loop over tiles, in which every function runs on each group of the tile.

    A group is `per` states, those of the array that is given.
    """

    def __init__(self, program: Program, place: Layout, per: int = 1):
        super().__init__("b")
        self.program, self.place, self.per = program, place, per
        self.first, self.here, self.groups = "", "", ""  # of a tile: its first state, how many
        self.turns = ""  # where its angles lie
        self.globals: list[str] = []  # tables of functions
        self.sources: list[str] = []  # where inputs begin
        self.dense = ""  # whether their rows have no gaps

    def at(self, base: str, offset: int | str) -> str:
        """Return the address so many bytes on."""
        return self(f"getelementptr i8, ptr {base}, i64 {offset}")

    def entry(self, table: str, k: int, kind: str = "ptr") -> str:
        """Return word k of a table."""
        return self(f"load {kind}, ptr {self.at(table, 8 * k)}, align 8")

    def call(self, name: str, *pointers: str, numbers: Sequence[str | int] = ()) -> None:
        """Call a function on pointers, then on whole numbers."""
        given = [*(f"ptr {p}" for p in pointers), *(f"i64 {n}" for n in numbers)]
        self.lines.append(f"call void @{name}({', '.join(given)})")

    def least(self, x: str, y: str | int) -> str:
        """Return the smaller of two whole numbers."""
        return self(f"call i64 @llvm.umin.i64(i64 {x}, i64 {y})")

    # -- the loop ------------------------------------------------------------------------------

    def batch(self, step: Schedule, prepare: Schedule, cleared: Sequence[int] = ()) -> None:
        """Write the loop over tiles; rows of outputs in `cleared` are set to zero in each.

        Parameters are prepared for the first tile, and for each if they are given per state.
        """
        tile = self.per * self.place.groups
        self.turns = self.at("%scratch", self.place.groups * self.place.size)
        self.pointers()
        self.fixed(self.parted(self.least("%count", tile)))
        with self.repeat("%count", tile) as self.first:
            self.here = self.least(self(f"sub i64 %count, {self.first}"), tile)
            self.groups = self.parted(self.here)
            if self.program.parameters:
                due = self("icmp eq i64 {}, 0", self.first)
                with self.when(self(f"or i1 {due}, {self('icmp ne i64 %pstride, 0')}")):
                    self.set()
                    self.chunks("prepare", prepare)
            self.load()
            if cleared:
                with self.repeat(self.groups) as g:
                    outs = self.targets(g)
                    for k in cleared:
                        size = self.place.lanes * self.place.rows[k]
                        self.call("clear", outs[k], numbers=[size])
            self.chunks("step", step)
            self.save()
        self.end()

    def parted(self, states: str) -> str:
        """Return how many groups so many states are, the last perhaps incomplete."""
        if self.per == 1:
            return states
        return self(f"udiv i64 {self(f'add i64 {states}, {self.per - 1}')}, {self.per}")

    def state(self, group: str) -> str:
        """Return the first state of a group."""
        own = group if self.per == 1 else self(f"mul i64 {group}, {self.per}")
        return self(f"add i64 {self.first}, {own}")

    def left(self, group: str) -> str:
        """Return how many states of the tile there are from a group on."""
        return self(f"sub i64 {self.here}, {self(f'mul i64 {group}, {self.per}')}")

    def fixed(self, groups: str) -> None:
        """Write the constants among gathered results, once for each block."""
        p = self.place
        if sum(p.rows) and p.outputs:
            with self.repeat(groups) as g:
                start = self.at(self.block(g), p.outputs[0])
                self.call("clear", start, numbers=[p.lanes * sum(p.rows)])
                self.call("fixed", *self.given(g, self.nowhere))

    def block(self, group: str) -> str:
        """Return where the block of a group begins."""
        return self.at("%scratch", self(f"mul i64 {group}, {self.place.size}"))

    def given(self, group: str, outs: Sequence[str] = ()) -> list[str]:
        """Return what functions of a chunk get: the block, outputs, the angles, the constants."""
        return [self.block(group), *outs, self.turn(group), "@numbers"]

    def turn(self, group: str) -> str:
        """Return where the angles of a group begin."""
        return self.at(self.turns, self(f"mul i64 {group}, {width(self.place.lanes)}"))

    def chunks(self, name: str, plan: Schedule) -> None:
        """Run each chunk on all groups of the tile, and take the sines it asks for.

        Those without sines between them are run from a table: a loop for each of hundreds would
        take LLVM longer than the chunks themselves.
        """
        own = f"{name}.{self.place.lanes}"
        turning = [c for c, items in enumerate(plan.chunks) if items and isinstance(items[-1], Row)]
        start = 0
        for end in [*(c + 1 for c in turning), len(plan.chunks)]:
            if end - start < CALLED:
                for c in range(start, end):
                    if name == "step" and self.placed(plan, c):
                        continue
                    ports = {item.port for item in plan.chunks[c] if isinstance(item, Outlet)}
                    self.each(f"@{own}.{c}", name, ports)
            else:
                listed = ", ".join(f"ptr @{own}.{c}" for c in range(start, end))
                table, many = f"@{own}.from.{start}", end - start
                self.globals.append(f"{table} = internal constant [{many} x ptr] [{listed}]\n")
                with self.repeat(8 * many, 8) as place:
                    self.each(self(f"load ptr, ptr {self.at(table, place)}, align 8"), name)
            if end > start:
                self.sines(plan, end - 1, self.turns, self.groups)
            start = end

    def placed(self, plan: Schedule, chunk: int) -> bool:
        """Return whether a chunk of `step` has nothing to do: its angles came from inputs."""
        if len(plan.chunks[chunk]) != 1 or not isinstance(row := plan.chunks[chunk][0], Row):
            return False
        # nor does it store results that are known before it, see `lower.functions`
        known = {*range(len(plan.block.leaves)), *plan.constants}
        if chunk > 0:
            known = {v for x in plan.chunks[chunk - 1][-1:] if isinstance(x, Row) for v in x.values}
        first, there = plan.first[row], {angle.place for angle in self.place.angles}
        turned = {*range(first, first + len(row.angles))}
        return there >= turned and known.isdisjoint(plan.stores)

    def each(self, function: str, name: str, ports: Collection[int] | None = None) -> None:
        """Call a function on all groups of the tile; it writes to `ports`, or to all outputs."""
        with self.repeat(self.groups) as g:
            outs = self.passed(g, ports) if name == "step" else []
            given = ", ".join(f"ptr {p}" for p in self.given(g, outs))
            self.lines.append(f"call void {function}({given})")

    def procedure(self, name: str, arguments: str, entry: bool = False) -> str:
        """Return a function without a result, after the tables that it reads."""
        return "".join(self.globals) + super().procedure(name, arguments, entry)

    def sines(self, plan: Schedule, chunk: int, turns: str, groups: str) -> None:
        """Take the sines and cosines of the angles with which a chunk ends."""
        items = plan.chunks[chunk]
        if items and isinstance(row := items[-1], Row):
            p = self.place
            start = self.at(turns, width(p.lanes) * p.groups * plan.first[row])
            here = groups if p.vectors == 1 else self(f"mul i64 {groups}, {p.vectors}")
            numbers: list[str | int] = [plan.taken(row), here, p.groups * p.vectors]
            self.call(f"sincos.{suffix(parted(p.lanes, p.vectors))}", start, numbers=numbers)

    # -- what a group is: rows of arrays -------------------------------------------------------

    nowhere: Sequence[str] = ()  # what stands for the inputs where none are read

    def pointers(self) -> None:
        """Write where inputs, outputs and spare rows lie, and whether all inputs have no gaps."""
        self.dense = "true"
        for k, port in enumerate(self.program.inputs):
            self.sources.append(self.entry("%ins", k))
            row, stride = bytes_of(self.place.lanes) * port.size, self.entry("%strides", k, "i64")
            same = self(f"icmp eq i64 {stride}, {row}")
            self.dense = self(f"and i1 {self.dense}, {same}")
        for k in range(len(self.place.rows)):
            self.lines.append(f"%spare{k} = getelementptr i8, ptr %scratch, i64 "
                              f"{self.place.spare(k)}")  # fmt: skip
            self.lines.append(f"%out{k} = load ptr, ptr {self.at('%outs', 8 * k)}, align 8")

    def passed(self, group: str, ports: Collection[int] | None) -> list[str]:
        """Return the pointers that the step of a group gets besides its block."""
        return [] if self.place.outputs else self.targets(group, ports)

    def targets(self, group: str, ports: Collection[int] | None = None) -> list[str]:
        """Return where the rows of a group go: to the outputs, or to spare rows if it has fewer.

        Where only some are written to, LLVM is spared the others.
        """
        found = ["null"] * len(self.place.rows)
        if ports is not None and not ports:
            return found
        full = self(f"icmp uge i64 {self.left(group)}, {self.per}")
        state = self.state(group)
        for k, row in enumerate(self.place.rows):
            if ports is not None and k not in ports:
                continue
            there = self.at(f"%out{k}", self(f"mul i64 {state}, {row}"))
            found[k] = self(f"select i1 {full}, ptr {there}, ptr %spare{k}")
        return found

    def set(self) -> None:
        """Bring the parameters of each group to its block."""
        stride = self("inttoptr i64 %pstride to ptr")
        with self.repeat(self.groups) as g:
            self.moved("set", g, self.block(g), "%params", stride)

    def load(self) -> None:
        """Bring the inputs of each group to its block."""
        part = self(f"and i64 {self.here}, {self.per - 1}")
        tag, whole = self.label(), self(f"icmp eq i64 {part}, 0")
        self.branch(self(f"and i1 {whole}, {self.dense}"), f"{tag}.all", f"{tag}.some")
        with self.repeat(self.groups) as g:
            state, to = self.state(g), [self.block(g), self.turn(g)]
            rows = zip(self.sources, self.program.inputs, strict=True)
            size = bytes_of(self.place.lanes)
            src = [self.at(x, self(f"mul i64 {state}, {size * port.size}")) for x, port in rows]
            self.call("load.all", *to, *src)
        self.lines.append(f"br label %{tag}.end\n{tag}.some:")
        with self.repeat(self.groups) as g:
            self.moved("load", g, self.block(g), self.turn(g), "%ins", "%strides")
        self.open(f"{tag}.end")

    def moved(self, name: str, group: str, *pointers: str) -> None:
        """Move the rows of a group of the tile."""
        numbers = [self.state(group), self.least(self.left(group), self.per)]
        self.call(name, *pointers, numbers=numbers)

    def save(self) -> None:
        """Bring results to their rows; those of an incomplete group from the spare rows."""
        if self.place.outputs:
            with self.repeat(self.groups) as g:
                self.call("save", self.block(g), *self.targets(g))
        some = self(f"urem i64 {self.here}, {self.per}")
        with self.when(self(f"icmp ne i64 {some}, 0")):
            state = self(f"add i64 {self.first}, {self(f'sub i64 {self.here}, {some}')}")
            for k, row in enumerate(self.place.rows):
                if row:
                    to = self.at(f"%out{k}", self(f"mul i64 {state}, {row}"))
                    self.call("copy", to, f"%spare{k}", numbers=[self(f"mul i64 {some}, {row}")])

    def end(self) -> None:
        """Write what is done after the last tile."""


ALONE = Layout(1, (), 0, 0, 0, (), 0, 1, 0, ())  # one state, with all in its own place
ONE = "ptr %ins, ptr %params, ptr %outs, ptr %scratch"
BATCH = "ptr %ins, ptr %strides, ptr %params, i64 %pstride, ptr %outs, i64 %count, ptr %scratch"


def save(program: Program, place: Layout) -> str:
    """Return `save`: gathered results of a group to their rows."""
    d = Driver(program, place)
    for k, offset in enumerate(place.outputs):
        d.call(f"unpack.{program.outputs[k].size}", f"%out{k}", d.at("%block", offset))
    outs = ", ".join(["ptr %block", *(f"ptr %out{k}" for k in range(len(place.outputs)))])
    return d.procedure("save", outs)


def batch(
    program: Program, place: Layout, step: Schedule, prepare: Schedule, cleared: Sequence[int] = ()
) -> str:
    """Return `batch(ins, strides, params, pstride, outs, count, scratch)` of rows.

    Where results are gathered, constants among them are written once for each block.
    """
    d = Driver(program, place, place.lanes)
    d.batch(step, prepare, cleared)
    return d.procedure("batch", BATCH, entry=True)


def one(program: Program, step: Schedule, prepare: Schedule) -> tuple[str, int]:
    """Return `one(ins, params, outs, scratch)`, a single state on a lane, and its scratch bytes."""
    d = Driver(program, ALONE)
    ins = [d.entry("%ins", k) for k in range(len(program.inputs))]
    outs = [d.entry("%outs", k) for k in range(len(program.outputs))]
    slots, turns = max(step.slots, prepare.slots), max(step.turns, prepare.turns)
    t, r = d.at("%scratch", 8 * slots), d.at("%scratch", 8 * (slots + turns))
    cleared = sorted(sparse(step, program.outputs))
    for k in cleared:
        d.call("blank", outs[k], numbers=[8 * program.outputs[k].size])
    for name, plan, bases in (
        ("prepare", prepare, ("%params", r)),
        ("step", step, (*ins, r, *outs)),
    ):
        if name == "prepare" and not program.parameters:
            continue
        for c in range(len(plan.chunks)):
            d.call(f"{name}.1.{c}", *bases, "%scratch", t, "null")
            d.sines(plan, c, t, "1")
    text = d.procedure("one", ONE, entry=True)
    size = 8 * (slots + turns + len(program.prepare.results))
    return (blank() if cleared else "") + text, size


def one_by_batch() -> str:
    """Return `one` as a batch of one."""
    d = Lines()
    given = "ptr %ins, ptr @zeros, ptr %params, i64 0, ptr %outs, i64 1, ptr %scratch"
    d.lines.append(f"call void @batch({given})")
    zeros = "@zeros = internal constant [64 x i64] zeroinitializer\n"
    return zeros + d.procedure("one", ONE, entry=True)


def tables(d: Driver, state: str, row: str, table: str, ends: str) -> str:
    """Write where inputs lie from a state on, and outputs from a row on; return the parameters."""
    for k in range(len(d.program.inputs)):
        offset = d(f"mul i64 {state}, {d.entry('%strides', k, 'i64')}")
        d.do(f"store ptr {d.at(d.entry('%ins', k), offset)}, ptr {d.at(table, 8 * k)}, align 8")
    for k, size in enumerate(d.place.rows):
        to = d.at(d.entry("%outs", k), d(f"mul i64 {row}, {size}"))
        d.do(f"store ptr {to}, ptr {d.at(ends, 8 * k)}, align 8")
    return d.at("%params", d(f"mul i64 {state}, %pstride"))


def batch_by_one(program: Program, scratch: int) -> tuple[str, int]:
    """Return `batch` as a loop over `one`, and its scratch bytes: tables of pointers lie first."""
    ins, outs = len(program.inputs), len(program.outputs)
    head = -(-8 * (ins + outs) // 64) * 64
    d = Driver(program, replace(ALONE, rows=tuple(8 * p.size for p in program.outputs)))
    ends, rest = d.at("%scratch", 8 * ins), d.at("%scratch", head)
    with d.loop("%count") as i:
        d.call("one", "%scratch", tables(d, i, i, "%scratch", ends), ends, rest)
    return d.procedure("batch", BATCH, entry=True), head + scratch
