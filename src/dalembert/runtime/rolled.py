"""A rolled program as one LLVM module: each pass is one function, a loop over its table.

A row of a table names the routine, its numbers and the first cell of every port; the routines of a
pass are branches of its loop. Blocks of states, sines, rows of arrays and the entries are those of
straight-line kernels (`layout`): to them a pass is a chunk.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from ..expr import Block, Program
from ..expr.block import Row, folded
from ..expr.rolled import TURN, WORK, Pass, Rolled
from . import layout as places
from . import strips
from .batch import batch
from .form import PLAIN, Form
from .lanes import element, width
from .library import declarations, sines
from .llvm import host, stack
from .lower import Access, Chunk, Numbers, access
from .schedule import Schedule, schedule

_NOTHING = Block((), (), ())
PAIRED = 4  # lanes of processors on which two vectors at a time were found quicker
CACHED = 400 * 1024  # bytes of scratch up to which there are two: they stay in the second cache
TOGETHER = 2000  # lines of routines up to which they are branches of one function


def module(rolled: Rolled, form: Form = PLAIN) -> tuple[str, int, int, int]:
    """Return the IR, the scratch bytes for one state and for a batch, and the states of a tile."""
    unit, tiled = form.lanes(host().lanes), form.layout == "tiles"
    program = Program(rolled.name, (), rolled.inputs, rolled.outputs, _NOTHING, _NOTHING)
    plan, prepare = _plan(rolled), schedule(_NOTHING)
    inside = replace(program, inputs=()) if tiled else program
    lanes, place = _placed(inside, unit, plan, 1)
    near = 2 * place.scratch <= CACHED
    if not tiled and host().lanes == PAIRED and near:
        lanes, place = _placed(inside, unit, plan, 2)
    numbers = Numbers(lanes)
    # strips were found quicker with AVX-512, elsewhere where a group fills the second cache
    if rolled.strips and not tiled and form.reduce is None and (host().roomy or not near):
        place = strips.placed(rolled, place)
        wide = replace(access(program, place, numbers, tiled), ranged=True)
        parts = [*_functions(rolled, wide, "step"), *strips.batch(rolled, program, place)]
        parts += _tables("near", strips.tables(rolled))
    else:
        wide = access(program, place, numbers, tiled)
        parts = [*_functions(rolled, wide, "step"), wide.function("fixed", [])]
        parts += batch(program, place, plan, prepare, form)
    scratch_one = place.scratch
    if form.scalar:
        one, scratch_one = places.one(program, plan, prepare)
        parts += [*_functions(rolled, Access(program.inputs, program.outputs), "step"), one]
    elif form.reduce is None:
        parts.append(places.one_by_batch())
    parts += _given(rolled) + [numbers.text("numbers"), stack(host().lanes), declarations()]
    parts += sines((1, unit) if form.scalar else (unit,))
    more = sum(place.rows) if form.reduce else 0
    return "".join(parts), scratch_one, place.scratch + more, 1 if tiled else lanes


def _placed(program: Program, unit: int, plan: Schedule, vectors: int) -> tuple[int, places.Layout]:
    """Return the lanes of so many vectors, and where things lie."""
    lanes = type(unit)(vectors * unit)
    place = places.layout(program, lanes, plan.slots, 1, plan.turns, True)
    return lanes, replace(place, vectors=vectors)


def alone(rolled: Rolled) -> tuple[str, int, int, int]:
    """Return the same with code for one state only: less to compile, slower batches."""
    program = Program(rolled.name, (), rolled.inputs, rolled.outputs, _NOTHING, _NOTHING)
    one, scratch = places.one(program, _plan(rolled), schedule(_NOTHING))
    many, more = places.batch_by_one(program, scratch)
    parts = [*_functions(rolled, Access(program.inputs, program.outputs), "step"), one, many]
    parts += [*_given(rolled), stack(host().lanes), declarations(), *sines((1,))]
    return "".join(parts), scratch, more, 1


def _plan(rolled: Rolled) -> Schedule:
    """Return what the loops over states know of a rolled program: its chunks are its passes."""
    row = Row(tuple(range(2 * rolled.angles)), tuple(range(rolled.angles)))
    chunks = ((row,), *((),) * (len(rolled.passes) - 1))
    turns = 2 * rolled.angles
    return Schedule(_NOTHING, {}, chunks, {}, rolled.work, {row: 0}, {}, turns, {})


def _given(rolled: Rolled) -> list[str]:
    """Return the numbers and the tables of all passes as globals."""
    parts = [_bytes("given", array("d", rolled.numbers or (0.0,)).tobytes())]
    return parts + _tables("table", [each.table() for each in rolled.passes])


def _tables(name: str, tables: Sequence[Sequence[int]]) -> list[str]:
    return [_bytes(f"{name}.{k}", array("i", flat).tobytes()) for k, flat in enumerate(tables)]


def _bytes(name: str, data: bytes) -> str:
    text = "".join(f"\\{b:02X}" for b in data)
    return f'@{name} = internal constant [{len(data)} x i8] c"{text}", align 64\n'


def _functions(rolled: Rolled, access: Access, name: str) -> list[str]:
    """Return the function of each pass, and those of its routines where they are many."""
    texts: list[str] = []
    for k, each in enumerate(rolled.passes):
        own = f"{name}.{access.lanes}.{k}"
        texts.append(access.function(own, _loop(each, k, access, own, texts)))
    return texts


def _loop(each: Pass, number: int, access: Access, own: str, texts: list[str]) -> list[str]:
    """Return the lines of a pass; routines that are functions of their own go to `texts`."""
    columns, rows = 2 + len(each.ports), len(each.applied)
    lines = ["br label %from\nfrom:\n  br label %loop\nloop:"]
    first, end = ("%begin", "%end") if access.ranged else (0, rows)
    lines.append(f"%i = phi i64 [ {first}, %from ], [ %i.next, %last ]")
    lines.append(f"%i.row = mul i64 %i, {4 * columns}")
    table = f"@{'near' if access.ranged else 'table'}.{number}"
    lines.append(f"%row = getelementptr inbounds i8, ptr {table}, i64 %i.row")
    lines += [*_entry("kind", 0), "%kind.short = trunc i64 %kind to i32", *_entry("first", 1)]
    lines.append("%r.own = getelementptr inbounds double, ptr @given, i64 %first")
    where = {}
    for k, (name, (memory, _)) in enumerate(each.ports.items()):
        lines += _entry(f"cell{k}", 2 + k)
        scale = width(access.lanes) * (access.groups if memory == TURN else 1)
        base = _base(memory)
        lines.append(f"%at{k} = mul i64 %cell{k}, {scale}")
        lines.append(f"%port{k} = getelementptr inbounds i8, ptr {base}, i64 %at{k}")
        where[name] = k
    labels = [f"i32 {k}, label %kind{k}" for k in range(1, len(each.routines))]
    lines.append(f"switch i32 %kind.short, label %kind0 [ {' '.join(labels)} ]")
    names = count()
    apart = sum(len(routine.step.lines) for routine in each.routines) > TOGETHER
    given = [*(f"ptr %port{k}" for k in range(len(each.ports))), "ptr %r.own", "ptr %k"]
    for k, routine in enumerate(each.routines):
        lines.append(f"kind{k}:")
        written = Routine(routine, each, where, access, names).written()
        if apart:
            body = "\n  ".join([*written, "ret void"])
            head = f"define internal void @{own}.kind{k}({', '.join(given)}) #0"
            texts.append(f"{head} {{\n  {body}\n}}\n")
            written = [f"call void @{own}.kind{k}({', '.join(given)})"]
        lines += [*written, "br label %last"]
    lines.append("last:\n  %i.next = add i64 %i, 1")
    lines.append(f"%i.more = icmp ult i64 %i.next, {end}")
    return [*lines, "br i1 %i.more, label %loop, label %done\ndone:"]


def _entry(name: str, column: int) -> list[str]:
    return [
        f"%{name}.at = getelementptr inbounds i8, ptr %row, i64 {4 * column}",
        f"%{name}.int = load i32, ptr %{name}.at, align 4",
        f"%{name} = sext i32 %{name}.int to i64",
    ]


def _base(memory: str | tuple[str, int]) -> str:
    """Return the pointer to a memory."""
    if isinstance(memory, str):
        return {WORK: "%s", TURN: "%t"}[memory]
    return f"%{'in' if memory[0] == 'input' else 'out'}{memory[1]}"


class Routine(Chunk):
    """The lines of one routine in the loop of its pass; names are shared by all of them."""

    def __init__(
        self, routine: Program, each: Pass, where: dict[str, int], access: Access, names: count[int]
    ):
        block = folded(routine.step)
        super().__init__(schedule(block, whole=True), access)
        self.names = names
        self.port = {p.name: where[p.name] for p in routine.inputs}
        self.result = [(where[p.name], n) for p in routine.outputs for n in range(p.size)]
        self.stride = [
            stride * (access.groups if memory == TURN else 1)
            for memory, stride in each.ports.values()
        ]

    def written(self) -> list[str]:
        """Return the instructions."""
        for v in self.plan.stores:
            if v < len(self.plan.block.leaves):
                self.results(v)
        for v in range(len(self.plan.block.leaves), self._end):
            self.line(v)
        return self.lines

    @property
    def _end(self) -> int:
        return len(self.plan.block.leaves) + len(self.plan.block.lines)

    def fresh(self) -> str:
        """Return a new name."""
        return f"%t{next(self.names)}"

    def address(self, base: str, index: int) -> str:
        """Return the address of a cell of a port, or of a constant."""
        if base == "%k":
            return super().address(base, index)
        port = int(base.removeprefix("%in").removeprefix("%out"))
        return super().address(f"%port{port}", index * self.stride[port])

    def load(self, base: str, index: int) -> str:
        """Return a cell, or a number that is the same in all lanes."""
        if base != "%r":
            return super().load(base, index)
        place = self(f"getelementptr inbounds double, ptr %r.own, i64 {index}")
        one = self("load double, ptr {}, align 8", place)
        if element(self.lanes) == "float":
            one = self("fptrunc double {} to float", one)
        if self.lanes == 1:
            return one
        first = self(f"insertelement {{t}} poison, {element(self.lanes)} {{}}, i64 0", one)
        zeros = f"<{int(self.lanes)} x i32> zeroinitializer"
        return self(f"shufflevector {{t}} {{}}, {{t}} poison, {zeros}", first)

    def results(self, v: int) -> None:
        """Store a value wherever it is a result, as soon as it is known."""
        for k in self.plan.stores.get(v, ()):
            port, n = self.result[k]
            self.store(self.value(v), f"%out{port}", n)
