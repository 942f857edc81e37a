"""`batch` of a kernel in each form: states in rows or in tiles, results for each or reduced.

What reduces (`reduce`) makes one row of the results of a block of states, and `whole` one of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..expr import Program
from . import incoming, layout, tiles
from .form import Form
from .lanes import alone, integers, mask_type, parted, suffix, value_type
from .lanes import size as bytes_of
from .layout import BATCH, Driver, Layout, tables
from .reduce import BLOCK
from .schedule import Schedule
from .transpose import Moves, pack, rest, unpack

Index = Sequence[Sequence[int]]  # of each entry of each output, its place in the row of a program
UNROLLED = 64  # vectors up to which no loop takes them in
_FOLDED = "ptr noalias %acc, ptr noalias %from, i64 %rows"


def batch(
    program: Program, place: Layout, step: Schedule, prepare: Schedule, form: Form,
    cleared: Sequence[int] = (), index: Index | None = None,
) -> list[str]:  # fmt: skip
    """Return `batch` in a form, and what brings states to its blocks and results to their rows.

    `index` says for what reduces where each entry of a result lies among those of the program.
    """
    lanes, given = place.lanes, (program, place, step, prepare)
    if form.layout == "tiles":
        wide = [pack(lanes, len(program.parameters))] if program.parameters else []
        return [*wide, rest(lanes), tiles.copy(lanes), tiles.batch(*given)]
    sizes_in = {p.size for p in program.inputs} | {len(program.parameters)} - {0}
    sizes_out = {p.size for p in program.outputs if place.outputs}
    parts = [pack(lanes, n) for n in sorted(sizes_in)] + [rest(lanes)]
    parts += [unpack(lanes, n) for n in sorted(sizes_out)] + [layout.save(program, place)]
    parts += [incoming.load(program, place), incoming.parameters(program, place)]
    reduced = form.reduce and _reduced(*given, form.reduce, index or _all(program))
    return [*parts, reduced or layout.batch(*given, cleared)]


# -- results of many states reduced to one -----------------------------------------------------


def _all(program: Program) -> Index:
    return [range(port.size) for port in program.outputs]


class _Folded(Driver):
    """The driver of a block of states: results are taken in by `fold` and kept in spare rows."""

    index: Index = ()

    def pointers(self) -> None:
        """Write where outputs and spare rows lie; these begin as zeros."""
        super().pointers()
        if any(self.place.rows):
            self.call("clear", "%spare0", numbers=[self.place.lanes * sum(self.place.rows)])

    def save(self) -> None:
        """Take in the results of each group of the tile; only of states that are there."""
        if not sum(self.place.rows):
            return
        with self.repeat(self.groups) as g:
            start = self.at(self.block(g), self.place.outputs[0])
            self.call("fold", "%spare0", start, numbers=[self.left(g)])

    def end(self) -> None:
        """Make one row of each output of what the lanes have taken in."""
        for k, row in enumerate(self.place.rows):
            if row:
                self.call("gather", f"%spare{k}", numbers=[row // bytes_of(self.place.lanes)])
            if many := len(self.index[k]):
                self.call("spread", f"%out{k}", f"%spare{k}", f"@index.{k}", numbers=[many])


def _reduced(
    program: Program, place: Layout, step: Schedule, prepare: Schedule, kind: str, index: Index
) -> str:
    """Return `batch(..., each)`: one row of results for each block of so many states, and `whole`.

    `part` computes a block; `fold` takes in a group of it, `gather` makes one row of the lanes,
    `spread` writes it with its zeros and copies.
    """
    part = _Folded(program, place, place.lanes)
    part.index = index
    part.batch(step, prepare)
    made = _fold(place, kind) + _gather(place.lanes, kind) + _spread(place.lanes, index)
    wide = replace(place, rows=tuple(bytes_of(place.lanes) * len(row) for row in index))
    made += part.procedure("part", BATCH) + _blocks(program, wide)
    return made + _join(place.lanes, kind) + _whole(program, wide, place.scratch, kind)


def _taken(w: Moves, kind: str, a: str, x: str, lanes: int) -> str:
    """Return the running result after one more value, a vector or a number.

    Sizes compare as their bits do, and what is not a number is larger than all that are.
    """
    unit = value_type(lanes)
    if kind != "max":
        return w(f"fadd {unit} {{}}, {{}}", a, x)
    whole = integers(lanes)
    bits = [w(f"bitcast {unit} {{}} to {whole}", y) for y in (x, a)]
    more = w(f"icmp sgt {whole} {{}}, {{}}", *bits)
    return w(f"select {mask_type(lanes)} {{}}, {unit} {{}}, {unit} {{}}", more, x, a)


def _fold(place: Layout, kind: str) -> str:
    """Return `fold(acc, from, rows)`: so many states of a group are taken in, or all of them."""
    lanes, part = place.lanes, parted(place.lanes, place.vectors)
    size = sum(place.rows) // bytes_of(lanes)

    def take(w: Moves, k: str | int, there: str | None) -> None:
        x = w.get(w.type, w.at(w.type, "%from", k))
        if there:
            mask = mask_type(w.lanes)
            x = w(f"select {mask} {{}}, {{t}} {{}}, {{t}} zeroinitializer", there, x)
        to = w.at(w.type, "%acc", k)
        # volatile: a store of the larger lanes alone would take ten times as long
        kept = w(f"load volatile {{t}}, ptr {{}}, align {w.bytes}", to)
        if kind == "norm":
            x = w("fmul {t} {}, {}", x, x)
        elif kind == "max":
            x = w("call {t} @llvm.fabs.{m}({t} {})", x)
        w.put(w.type, _taken(w, kind, kept, x, w.lanes), to)

    every, some = Moves(part), Moves(lanes)
    many = size * place.vectors
    if many > UNROLLED:
        with every.repeat(many) as i:
            take(every, i, None)
    else:
        for n in range(many):
            take(every, n, None)
    all_of = f"<{lanes} x i64>"
    one = some(f"insertelement {all_of} poison, i64 %rows, i64 0")
    zeros = f"<{lanes} x i32> zeroinitializer"
    rows = some(f"shufflevector {all_of} {{}}, {all_of} poison, {zeros}", one)
    numbers = ", ".join(f"i64 {k}" for k in range(lanes))
    there = some(f"icmp ult {all_of} <{numbers}>, {{}}", rows)
    with some.repeat(size) as k:
        take(some, k, there)
    made = every.procedure("fold.every", _FOLDED) + some.procedure("fold.some", _FOLDED)
    w = Moves(lanes)
    w.branch(w(f"icmp uge i64 %rows, {lanes}"), "every", "some")
    w.lines.append("tail call void @fold.every(ptr %acc, ptr %from, i64 %rows)")
    w.lines.append("ret void\nsome:")
    w.lines.append("tail call void @fold.some(ptr %acc, ptr %from, i64 %rows)")
    return made + w.procedure("fold", _FOLDED)


def _gather(lanes: int, kind: str) -> str:
    w = Moves(lanes)
    with w.repeat("%n") as k:
        x = w.get(w.type, w.at(w.type, "%acc", k))
        first, *others = (w(f"extractelement {{t}} {{}}, i64 {n}", x) for n in range(lanes))
        for one in others:
            first = _taken(w, kind, first, one, alone(lanes))
        w.put(w.unit, first, w.at(w.unit, "%acc", k))  # a place that was read before
    return w.procedure("gather", "ptr %acc, i64 %n")


def _spread(lanes: int, index: Index) -> str:
    """Return `spread(to, from, table, n)`: entries by their places, zero where there is none."""
    w = Moves(lanes)
    with w.repeat("%n") as k:
        place = w("load i64, ptr {}, align 8", w.at("i64", "%table", k))
        none = w("icmp slt i64 {}, 0", place)
        there = w("select i1 {}, i64 0, i64 {}", none, place)
        x = w.get(w.unit, w.at(w.unit, "%from", there))
        x = w(f"select i1 {{}}, {w.unit} 0.0, {w.unit} {{}}", none, x)
        w.put(w.unit, x, w.at(w.unit, "%to", k))
    made = w.procedure("spread", "ptr noalias %to, ptr noalias %from, ptr %table, i64 %n")
    for port, row in enumerate(index):
        numbers = ", ".join(f"i64 {n}" for n in row)
        made += f"@index.{port} = internal constant [{len(row)} x i64] [{numbers}]\n"
    return made


def _blocks(program: Program, place: Layout) -> str:
    d = Driver(program, place)
    table, ends = (
        d(f"alloca [{max(len(ports), 1)} x ptr], align 16")
        for ports in (program.inputs, program.outputs)
    )
    with d.repeat("%count", "%each") as i:
        own = tables(d, i, d(f"udiv i64 {i}, %each"), table, ends)
        here = d.least(d(f"sub i64 %count, {i}"), "%each")
        given = f"ptr {own}, i64 %pstride, ptr {ends}, i64 {here}, ptr %scratch"
        d.lines.append(f"call void @part(ptr {table}, ptr %strides, {given})")
    return d.procedure("batch", f"{BATCH}, i64 %each", entry=True)


def _join(lanes: int, kind: str) -> str:
    """Return `join(to, from, n)`: what other blocks gave is taken in; and `root(to, n)`."""
    w, r, one = Moves(lanes), Moves(lanes), alone(lanes)
    with w.repeat("%n") as k:
        to = w.at(w.unit, "%to", k)
        kept, x = w.get(w.unit, to), w.get(w.unit, w.at(w.unit, "%from", k))
        w.put(w.unit, _taken(w, kind, kept, x, one), to)
    with r.repeat("%n") as k:
        to = r.at(r.unit, "%to", k)
        x = r.get(r.unit, to)
        r.put(r.unit, r(f"call {r.unit} @llvm.sqrt.{suffix(one)}({r.unit} {{}})", x), to)
    joined = w.procedure("join", "ptr noalias %to, ptr noalias %from, i64 %n")
    return joined + r.procedure("root", "ptr %to, i64 %n")


def _whole(program: Program, place: Layout, scratch: int, kind: str) -> str:
    """Return `whole`, which takes what `batch` of rows takes: all states to one row, in blocks.

    The rows of blocks after the first lie behind the scratch of a tile.
    """
    d = Driver(program, place)
    table, ends = (
        d(f"alloca [{max(len(ports), 1)} x ptr], align 16")
        for ports in (program.inputs, program.outputs)
    )
    spare = d.at("%scratch", scratch)
    sizes = [row // bytes_of(place.lanes) for row in place.rows]
    starts = [sum(place.rows[:k]) for k in range(len(sizes))]
    with d.repeat("%count", BLOCK) as i:
        own = tables(d, i, "0", table, ends)
        later = d(f"icmp ne i64 {i}, 0")
        for k, start in enumerate(starts):
            to = d(f"select i1 {later}, ptr {d.at(spare, start)}, ptr {d.entry('%outs', k)}")
            d.do(f"store ptr {to}, ptr {d.at(ends, 8 * k)}, align 8")
        here = d.least(d(f"sub i64 %count, {i}"), BLOCK)
        given = f"ptr {own}, i64 %pstride, ptr {ends}, i64 {here}, ptr %scratch"
        d.lines.append(f"call void @part(ptr {table}, ptr %strides, {given})")
        with d.when(later):
            for k, start in enumerate(starts):
                if sizes[k]:
                    d.call("join", d.entry("%outs", k), d.at(spare, start), numbers=[sizes[k]])
    if kind == "norm":
        for k, many in enumerate(sizes):
            if many:
                d.call("root", d.entry("%outs", k), numbers=[many])
    return d.procedure("whole", BATCH, entry=True)
