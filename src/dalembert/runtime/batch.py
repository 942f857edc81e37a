"""`batch` of a kernel in each form: states in rows or in tiles, results for each or reduced.

What reduces (`reduce`) makes one row of the results of a block of states.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..expr import Program
from . import layout, tiles
from .form import Form
from .lanes import mask_type
from .lanes import size as bytes_of
from .layout import BATCH, Driver, Layout, tables
from .schedule import Schedule
from .transpose import Moves, pack, rest, unpack


def batch(
    program: Program, place: Layout, step: Schedule, prepare: Schedule, form: Form,
    cleared: Sequence[int] = (),
) -> list[str]:  # fmt: skip
    """Return `batch` in a form, and what brings states to its blocks and results to their rows."""
    lanes, given = place.lanes, (program, place, step, prepare)
    if form.layout == "tiles":
        wide = [pack(lanes, len(program.parameters))] if program.parameters else []
        return [*wide, rest(lanes), tiles.copy(lanes), tiles.batch(*given)]
    sizes_in = {p.size for p in program.inputs} | {len(program.parameters)} - {0}
    sizes_out = {p.size for p in program.outputs if place.outputs}
    parts = [pack(lanes, n) for n in sorted(sizes_in)] + [rest(lanes)]
    parts += [unpack(lanes, n) for n in sorted(sizes_out)] + [layout.move(program, place)]
    reduced = form.reduce and _reduced(*given, form.reduce)
    return [*parts, reduced or layout.batch(*given, cleared)]


# -- results of many states reduced to one -----------------------------------------------------


class _Folded(Driver):
    """The driver of a block of states: results are taken in by `fold` and kept in spare rows."""

    def pointers(self) -> None:
        """Write where outputs and spare rows lie; these begin as zeros."""
        super().pointers()
        if any(self.place.rows):
            self.call("clear", "%spare0", numbers=[self.place.lanes * sum(self.place.rows)])

    def save(self) -> None:
        """Take in the results of each group of the tile; only of states that are there."""
        size = sum(self.place.rows) // bytes_of(self.place.lanes)
        if not size:
            return
        with self.repeat(self.groups) as g:
            start = self.at(self.block(g), self.place.outputs[0])
            self.call("fold", "%spare0", start, numbers=[size, self.left(g)])

    def end(self) -> None:
        """Make one row of each output of what the lanes have taken in."""
        for k, row in enumerate(self.place.rows):
            if row:
                size = row // bytes_of(self.place.lanes)
                self.call("gather", f"%out{k}", f"%spare{k}", numbers=[size])


def _reduced(program: Program, place: Layout, step: Schedule, prepare: Schedule, kind: str) -> str:
    """Return `batch(..., each)`: one row of results for each block of so many states.

    `part` computes a block; `fold` takes in a group of it, `gather` makes one row of the lanes.
    """
    part = _Folded(program, place, place.lanes)
    part.batch(step, prepare)
    made = _fold(place.lanes, kind) + _gather(place.lanes, kind)
    return made + part.procedure("part", BATCH) + _blocks(program, place)


def _taken(w: Moves, kind: str, a: str, x: str, unit: str, suffix: str) -> str:
    """Return the running result after one more value, a vector or a number."""
    if kind == "max":
        return w(f"call {unit} @llvm.maximum.{suffix}({unit} {{}}, {unit} {{}})", a, x)
    return w(f"fadd {unit} {{}}, {{}}", a, x)


def _fold(lanes: int, kind: str) -> str:
    w = Moves(lanes)
    all_of = f"<{lanes} x i64>"
    one = w(f"insertelement {all_of} poison, i64 %rows, i64 0")
    zeros = f"<{lanes} x i32> zeroinitializer"
    rows = w(f"shufflevector {all_of} {{}}, {all_of} poison, {zeros}", one)
    numbers = ", ".join(f"i64 {k}" for k in range(lanes))
    there = w(f"icmp ult {all_of} <{numbers}>, {{}}", rows)
    with w.repeat("%n") as k:
        x = w.get(w.type, w.at(w.type, "%from", k))
        x = w(f"select {mask_type(lanes)} {{}}, {{t}} {{}}, {{t}} zeroinitializer", there, x)
        to = w.at(w.type, "%acc", k)
        kept = w.get(w.type, to)
        if kind == "norm":
            x = w("fmul {t} {}, {}", x, x)
        elif kind == "max":
            x = w("call {t} @llvm.fabs.{m}({t} {})", x)
        w.put(w.type, _taken(w, kind, kept, x, w.type, w.suffix), to)
    return w.procedure("fold", "ptr noalias %acc, ptr noalias %from, i64 %n, i64 %rows")


def _gather(lanes: int, kind: str) -> str:
    w = Moves(lanes)
    with w.repeat("%n") as k:
        x = w.get(w.type, w.at(w.type, "%acc", k))
        first, *others = (w(f"extractelement {{t}} {{}}, i64 {n}", x) for n in range(lanes))
        for one in others:
            first = _taken(w, kind, first, one, w.unit, f"f{8 * bytes_of(lanes)}")
        w.put(w.unit, first, w.at(w.unit, "%to", k))
    return w.procedure("gather", "ptr noalias %to, ptr noalias %acc, i64 %n")


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
