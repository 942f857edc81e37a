"""States that stay in lanes: arrays (tiles, ..., W) in which state W t + l is lane l of tile t.

Nothing is turned: functions read inputs and write results where they lie; many results are gathered
first, because caches like long rows better than scattered pieces. A kernel of this form is one
whose states are tiles, so leading dimensions, `out` and threads mean what they mean elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UsageError
from ..expr import Program
from .lanes import size, value_type, width
from .layout import BATCH, Driver, Layout
from .schedule import Schedule


class _Tiles(Driver):
    """The driver of functions that reach inputs and outputs by pointers of their own."""

    def __init__(self, place: Layout, program: Program):
        super().__init__(place)
        self.program = program

    def passed(self, group: str) -> list[str]:
        """Return where the inputs of a tile lie, and its outputs if they are not gathered."""
        tile = self(f"add i64 %i, {group}")
        found = []
        for k in range(len(self.program.inputs)):
            found.append(self.at(f"%in{k}", self(f"mul i64 {tile}, %stride{k}")))
        return found + super().passed(group)

    def targets(self, group: str) -> list[str]:
        """Return where the outputs of a tile lie."""
        tile = self(f"add i64 %i, {group}")
        return [
            self.at(f"%out{k}", self(f"mul i64 {tile}, {width(self.place.lanes) * own.size}"))
            for k, own in enumerate(self.program.outputs)
        ]


def batch(program: Program, place: Layout, step: Schedule, prepare: Schedule) -> str:
    """Return `batch` with the arguments of the one for rows; `count` and strides are of tiles."""
    d = _Tiles(place, program)
    d.lines.append(f"%turns = getelementptr i8, ptr %scratch, i64 {place.groups * place.size}")
    for k in range(len(program.inputs)):
        d.lines.append(f"%in{k} = load ptr, ptr {d.at('%ins', 8 * k)}, align 8")
        d.lines.append(f"%stride{k} = load i64, ptr {d.at('%strides', 8 * k)}, align 8")
    for k in range(len(program.outputs)):
        d.lines.append(f"%out{k} = load ptr, ptr {d.at('%outs', 8 * k)}, align 8")
    d.lines.append(f"%most = call i64 @llvm.umin.i64(i64 %count, i64 {place.groups})")
    d.fixed("%most", ["null"] * len(program.inputs))
    d.lines.append("br label %begin\nbegin:\n  br label %tiles\ntiles:")
    d.lines.append("%i = phi i64 [ 0, %begin ], [ %i.next, %tile.end ]")
    d.lines.append("%left = sub i64 %count, %i")
    d.lines.append(f"%groups = call i64 @llvm.umin.i64(i64 %left, i64 {place.groups})")
    if program.parameters:
        d.when_due()
        g = d.loop("set")
        src = d.at("%params", d(f"mul i64 {d(f'add i64 %i, {g}')}, %pstride"))
        to = d.at(d.block(g), place.parameters)
        many = len(program.parameters)
        d.lines.append(f"call void @pack.{many}(ptr {to}, ptr {src}, i64 0, i64 1)")
        d.again("set")
        d.chunks("prepare", prepare)
        d.lines.append("br label %prepared\nprepared:")
    d.chunks("step", step)
    if place.outputs:
        g = d.loop("save")
        for to, own, offset in zip(d.targets(g), program.outputs, place.outputs, strict=True):
            if own.size:
                start = d.at(d.block(g), offset)
                d.lines.append(f"call void @lanes(ptr {to}, ptr {start}, i64 {own.size})")
        d.again("save")
    d.lines.append(f"br label %tile.end\ntile.end:\n  %i.next = add i64 %i, {place.groups}")
    d.lines.append("%i.more = icmp ult i64 %i.next, %count")
    d.lines.append("br i1 %i.more, label %tiles, label %end\nend:\n  ret void")
    return f"define void @batch({BATCH}) #1 {{\nentry:\n  {d.text()}\n}}\n"


def copy(lanes: int) -> str:
    """Return `lanes(to, from, n)`, which copies n entries of all lanes to anywhere in memory."""
    t = value_type(lanes)
    return f"""
define internal void @lanes(ptr noalias %to, ptr noalias %from, i64 %n) #0 {{
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %p = getelementptr {t}, ptr %from, i64 %k
  %x = load {t}, ptr %p, align {width(lanes)}
  %q = getelementptr {t}, ptr %to, i64 %k
  store {t} %x, ptr %q, align {size(lanes)}
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


# -- arrays --------------------------------------------------------------------------------------


def to_tiles(array: Any, lanes: int, dtype: str) -> np.ndarray:
    """Return (states, ...) as (tiles, ..., lanes); the last state is repeated to fill its tile."""
    rows = np.asarray(array, dtype=dtype)
    if rows.ndim == 0:
        raise UsageError("to_tiles: a number has no states", hint="give (states, ...)")
    missing = -len(rows) % lanes
    if missing:
        rows = np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)])
    cut = rows.reshape(-1, lanes, *rows.shape[1:])
    return np.ascontiguousarray(np.moveaxis(cut, 1, -1))


def from_tiles(array: Any, lanes: int, states: int | None) -> np.ndarray:
    """Return (tiles, ..., lanes) as (states, ...)."""
    given = np.asarray(array)
    if given.ndim < 2 or given.shape[-1] != lanes:
        raise UsageError(
            f"from_tiles: shape {given.shape}, expected (tiles, ..., {lanes})",
            hint="give what a kernel of layout='tiles' returned",
        )
    rows = np.moveaxis(given, -1, 1).reshape(-1, *given.shape[1:-1])
    if states is not None and not 0 <= states <= len(rows):
        raise UsageError(f"from_tiles: {states} states of {len(rows)}", hint="give fewer")
    return rows[:states]
