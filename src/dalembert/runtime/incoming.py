"""Inputs to their lanes, as LLVM IR text: the rows of a group to its block and to its angles.

Groups that are complete, of rows without gaps, have a function of their own, `load.all`: where each
number lies is known when the code is made. All others go through `load`. An input that is an angle
and nothing else goes straight to where its sine is taken.
"""

from __future__ import annotations

from collections import Counter

from ..expr import Program
from .lanes import width
from .layout import Angle, Driver, Layout
from .schedule import Schedule
from .transpose import Moves, entries

UNROLLED = 64  # entries of an input up to which no loop takes them in
_GIVEN = "ptr %table, ptr %strides, i64 %state, i64 %rows"


def angles(program: Program, step: Schedule) -> dict[int, Angle]:
    """Return the inputs that are angles and nothing else, by their values."""
    block, base = step.block, len(step.block.leaves)
    port = {p.name: k for k, p in enumerate(program.inputs) if p.size <= UNROLLED}
    rows = Counter(v for row in step.first for v in row.angles)
    other = {v for line in block.lines if line.op not in ("sin", "cos") for v in line.args}
    other |= {*block.results}
    found = {}
    for row, first in step.first.items():
        for k, v in enumerate(row.angles, first):
            if v >= base or v in other or rows[v] > 1:
                continue
            leaf = block.leaves[v]
            if leaf.kind == "input" and leaf.name in port:
                found[v] = Angle(port[leaf.name], leaf.index, k)
    return found


def load(program: Program, place: Layout) -> str:
    """Return `load` and `load.all`."""
    some, every = Driver(program, place), Moves(place.lanes)
    for k, port in enumerate(program.inputs):
        stride = some.entry("%strides", k, "i64")
        src = some.at(some.entry("%table", k), some(f"mul i64 %state, {stride}"))
        to = some.at("%block", place.inputs[k])
        some.call(f"pack.{port.size}", to, src, numbers=[stride, "%rows"])
    for angle in place.angles:
        at = place.inputs[angle.port] + width(place.lanes) * angle.entry
        given = some(f"load {every.type}, ptr {some.at('%block', at)}, align {every.bytes}")
        to = some.at("%turns", _turn(place, angle))
        some.lines.append(f"store {every.type} {given}, ptr {to}, align {every.bytes}")
    for k, port in enumerate(program.inputs):
        _all(every, place, k, port.size)
    sources = "".join(f", ptr noalias %in{k}" for k in range(len(program.inputs)))
    whole = every.procedure("load.all", f"ptr noalias %block, ptr noalias %turns{sources}")
    return some.procedure("load", f"ptr %block, ptr %turns, {_GIVEN}") + whole


def parameters(program: Program, place: Layout) -> str:
    """Return `set`: the parameters of a group to its block; `strides` is their stride."""
    d, many = Driver(program, place), len(program.parameters)
    if many:
        stride = d("ptrtoint ptr %strides to i64")
        src = d.at("%table", d(f"mul i64 %state, {stride}"))
        to = d.at("%block", place.parameters)
        d.call(f"pack.{many}", to, src, numbers=[stride, "%rows"])
    return d.procedure("set", f"ptr %block, {_GIVEN}")


def _turn(place: Layout, angle: Angle) -> int:
    """Return the offset of an angle of a group from its first."""
    return width(place.lanes) * place.groups * angle.place


def _all(w: Moves, place: Layout, port: int, size: int) -> None:
    """Write how rows without gaps of an input become entries of a block, and angles."""
    turns = {a.entry: _turn(place, a) for a in place.angles if a.port == port}

    def to(column: str | int, k: int) -> str:
        if isinstance(column, int):
            entry = column + k
            if entry in turns:
                return w.at("i8", "%turns", turns[entry])
            return w.at("i8", "%block", place.inputs[port] + w.bytes * entry)
        start = w.at("i8", "%block", place.inputs[port] + w.bytes * k)
        return w.at(w.type, start, column)

    starts = [w.at(w.unit, f"%in{port}", k * size) for k in range(place.lanes)]
    entries(w, size, starts, to, UNROLLED)
