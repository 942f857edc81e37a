"""How states lie in memory, as LLVM IR text: rows of NumPy arrays to lanes and back, tile by tile.

A tile is a few groups of W states. Each group has a block of scratch: input entries of W lanes
each, parameters, prepared values, slots. Results go straight to their rows; where there are many
they are gathered in the block first, because caches like long rows better than scattered pieces.
The last group repeats its last row in the lanes left over, so no lane computes on garbage and a
result does not depend on its place; its results go to spare rows, and from there as many as asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..expr import Program
from ..expr.block import Row
from .lanes import size as bytes_of
from .lanes import suffix, width
from .lines import Lines
from .schedule import Schedule, sparse
from .transpose import BLANK


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
    """Writes `batch` and `one`: IR lines with loops over groups."""

    def __init__(self, place: Layout):
        super().__init__("b")
        self.place = place

    def at(self, base: str, offset: int | str) -> str:
        return self(f"getelementptr i8, ptr {base}, i64 {offset}")

    def entry(self, table: str, k: int, kind: str) -> str:
        return self(f"load {kind}, ptr {self.at(table, 8 * k)}, align 8")

    def loop(self, tag: str) -> str:
        """Open a loop over the groups of a tile; return the index. Close it with `again`."""
        self.lines.append(f"br label %{tag}.from")
        self.lines.append(f"{tag}.from:\n  br label %{tag}")
        self.lines.append(
            f"{tag}:\n  %{tag}.g = phi i64 [ 0, %{tag}.from ], [ %{tag}.next, %{tag}.last ]"
        )
        return f"%{tag}.g"

    def again(self, tag: str, count: str = "%groups") -> None:
        self.lines += [
            f"br label %{tag}.last",
            f"{tag}.last:\n  %{tag}.next = add i64 %{tag}.g, 1",
            f"%{tag}.more = icmp ult i64 %{tag}.next, {count}",
            f"br i1 %{tag}.more, label %{tag}, label %{tag}.end",
            f"{tag}.end:",
        ]

    def when_due(self) -> None:
        """Open what is done for the first tile, and for each if parameters are given per state."""
        first = self("icmp eq i64 %i, 0")
        due = self(f"or i1 {first}, {self('icmp ne i64 %pstride, 0')}")
        self.lines.append(f"br i1 {due}, label %prepare, label %prepared\nprepare:")

    def fixed(self, groups: str, others: Sequence[str] = ()) -> None:
        """Write the constants among gathered results, once for each block."""
        p = self.place
        if p.outputs:
            g = self.loop("fixed")
            start = self.at(self.block(g), p.outputs[0])
            self.lines.append(f"call void @clear(ptr {start}, i64 {p.lanes * sum(p.rows)})")
            self.lines.append(f"call void @fixed({self.arguments(g, others)})")
            self.again("fixed", groups)

    def block(self, group: str) -> str:
        return self.at("%scratch", self(f"mul i64 {group}, {self.place.size}"))

    def arguments(self, group: str, outs: Sequence[str] = ()) -> str:
        """Return what functions of a chunk get: the block, outputs, the angles, the constants."""
        turns = self.at("%turns", self(f"mul i64 {group}, {width(self.place.lanes)}"))
        return ", ".join(f"ptr {p}" for p in (self.block(group), *outs, turns, "@numbers"))

    def chunks(self, name: str, plan: Schedule) -> None:
        """Run each chunk on all groups of the tile, and take the sines it asks for."""
        w = self.place.lanes
        for c in range(len(plan.chunks)):
            g = self.loop(f"{name}{c}")
            outs = self.passed(g) if name == "step" else []
            self.lines.append(f"call void @{name}.{w}.{c}({self.arguments(g, outs)})")
            self.again(f"{name}{c}")
            self.sines(plan, c, "%turns", "%groups")

    def passed(self, group: str) -> list[str]:
        """Return the pointers that the step of a group gets besides its block."""
        return [] if self.place.outputs else self.targets(group)

    def targets(self, group: str) -> list[str]:
        """Return where the rows of a group go: to the outputs, or to spare rows if it has fewer."""
        first = self(f"mul i64 {group}, {self.place.lanes}")
        full = self(f"icmp uge i64 {self(f'sub i64 %here, {first}')}, {self.place.lanes}")
        state = self(f"add i64 %i, {first}")
        found = []
        for k, row in enumerate(self.place.rows):
            there = self.at(f"%out{k}", self(f"mul i64 {state}, {row}"))
            found.append(self(f"select i1 {full}, ptr {there}, ptr %spare{k}"))
        return found

    def move(self, name: str, to: str, src: str, stride: str, size: int) -> None:
        given = f"ptr {to}, ptr {src}, i64 {stride}, i64 %rows"
        self.lines.append(f"call void @{name}.{size}({given})")

    def sines(self, plan: Schedule, chunk: int, turns: str, groups: str) -> None:
        items = plan.chunks[chunk]
        if items and isinstance(row := items[-1], Row):
            p = self.place
            start = self.at(turns, width(p.lanes) * p.groups * plan.first[row])
            given = f"ptr {start}, i64 {len(row.angles)}, i64 {groups}, i64 {p.groups}"
            self.lines.append(f"call void @sincos.{suffix(p.lanes)}({given})")


ALONE = Layout(1, (), 0, 0, 0, (), 0, 1, 0, ())  # one state, with all in its own place
BATCH = "ptr %ins, ptr %strides, ptr %params, i64 %pstride, ptr %outs, i64 %count, ptr %scratch"
_MOVED = "ptr %block, ptr %table, ptr %strides, i64 %state, i64 %rows"


def move(program: Program, place: Layout) -> str:
    """Return `load`, `set` and `save`: the rows of a group to its block, and back."""
    load, params, save = Driver(place), Driver(place), Driver(place)
    for k, offset in enumerate(place.outputs):
        given = f"ptr %out{k}, ptr {save.at('%block', offset)}"
        save.lines.append(f"call void @unpack.{program.outputs[k].size}({given})")
    for k, port in enumerate(program.inputs):
        stride = load.entry("%strides", k, "i64")
        src = load.at(load.entry("%table", k, "ptr"), load(f"mul i64 %state, {stride}"))
        load.move("pack", load.at("%block", place.inputs[k]), src, stride, port.size)
    if program.parameters:
        stride = params("ptrtoint ptr %strides to i64")
        src = params.at("%table", params(f"mul i64 %state, {stride}"))
        to = params.at("%block", place.parameters)
        params.move("pack", to, src, stride, len(program.parameters))
    outs = ", ".join(["ptr %block", *(f"ptr %out{k}" for k in range(len(place.outputs)))])
    return "".join(
        f"define internal void @{name}({given}) #0 {{\n  {d.text()}\n  ret void\n}}\n"
        for name, given, d in (
            ("load", _MOVED, load),
            ("set", _MOVED, params),
            ("save", outs, save),
        )
    )


def batch(
    program: Program,
    place: Layout,
    step: Schedule,
    prepare: Schedule,
    cleared: Sequence[int] = (),
    folded: bool = False,
) -> str:
    """Return `batch(ins, strides, params, pstride, outs, count, scratch)`: the loop over tiles.

    Rows of outputs in `cleared` are set to zero before results are written; where results are
    gathered that and `fixed`, which writes the other constants, is done once for each block.
    `folded` results are not saved but taken in by `fold`, the spare rows keep what there is, and
    at the end `gather` makes one row; the function is then called `part`.
    """
    w, tile = place.lanes, place.lanes * place.groups
    d = Driver(place)
    _pointers(d)
    d.lines.append(f"%most = call i64 @llvm.umin.i64(i64 %count, i64 {tile})")
    d.lines.append(f"%most.up = add i64 %most, {w - 1}\n  %used = udiv i64 %most.up, {w}")
    d.fixed("%used")
    if folded and any(place.rows):
        d.lines.append(f"call void @clear(ptr %spare0, i64 {w * sum(place.rows)})")
    d.lines.append("br label %begin\nbegin:\n  br label %tiles\ntiles:")
    d.lines.append("%i = phi i64 [ 0, %begin ], [ %i.next, %tile.end ]")
    d.lines.append("%left = sub i64 %count, %i")
    d.lines.append(f"%here = call i64 @llvm.umin.i64(i64 %left, i64 {tile})")
    d.lines.append(f"%up = add i64 %here, {w - 1}\n  %groups = udiv i64 %up, {w}")
    if program.parameters:
        d.when_due()
        _each_group(d, "set", "%params", d("inttoptr i64 %pstride to ptr"))
        d.chunks("prepare", prepare)
        d.lines.append("br label %prepared\nprepared:")
    _each_group(d, "load", "%ins", "%strides")
    if cleared:
        outs = d.targets(d.loop("clear"))
        d.lines += [f"call void @clear(ptr {outs[k]}, i64 {w * place.rows[k]})" for k in cleared]
        d.again("clear")
    d.chunks("step", step)
    (_fold if folded else _save)(d)
    d.lines.append(f"br label %tile.end\ntile.end:\n  %i.next = add i64 %i, {tile}")
    d.lines.append("%i.more = icmp ult i64 %i.next, %count")
    d.lines.append("br i1 %i.more, label %tiles, label %end\nend:")
    if folded:
        d.lines += _gathered(place)
    d.lines.append("ret void")
    name = "internal void @part" if folded else "void @batch"
    return f"define {name}({BATCH}) #{int(not folded)} {{\nentry:\n  {d.text()}\n}}\n"


def _pointers(d: Driver) -> None:
    """Write where angles, outputs and spare rows lie."""
    p = d.place
    d.lines.append(f"%turns = getelementptr i8, ptr %scratch, i64 {p.groups * p.size}")
    for k in range(len(p.rows)):
        d.lines.append(f"%spare{k} = getelementptr i8, ptr %scratch, i64 {p.spare(k)}")
        d.lines.append(f"%outp{k} = getelementptr ptr, ptr %outs, i64 {k}")
        d.lines.append(f"%out{k} = load ptr, ptr %outp{k}, align 8")


def _gathered(place: Layout) -> list[str]:
    """Return what makes one row of each output of what the lanes have taken in."""
    sizes = [row // bytes_of(place.lanes) for row in place.rows]
    return [
        f"call void @gather(ptr %out{k}, ptr %spare{k}, i64 {size})"
        for k, size in enumerate(sizes)
        if size
    ]


def _fold(d: Driver) -> None:
    """Write what takes in the results of each group of the tile; only of states that are there."""
    w, size = d.place.lanes, sum(d.place.rows) // bytes_of(d.place.lanes)
    if size:
        g = d.loop("fold")
        left = d(f"sub i64 %here, {d(f'mul i64 {g}, {w}')}")
        start = d.at(d.block(g), d.place.outputs[0])
        d.lines.append(f"call void @fold(ptr %spare0, ptr {start}, i64 {size}, i64 {left})")
        d.again("fold")


def _save(d: Driver) -> None:
    """Write what brings results to their rows; those of an incomplete group from the spare rows."""
    if d.place.outputs:
        g = d.loop("save")
        given = ", ".join(f"ptr {p}" for p in (d.block(g), *d.targets(g)))
        d.lines.append(f"call void @save({given})")
        d.again("save")
    d.lines.append(f"%some = urem i64 %here, {d.place.lanes}")
    d.lines.append("%ragged = icmp ne i64 %some, 0")
    d.lines.append("br i1 %ragged, label %last, label %complete\nlast:")
    state = d(f"add i64 %i, {d('sub i64 %here, %some')}")
    for k, row in enumerate(d.place.rows):
        if row:
            to = d.at(f"%out{k}", d(f"mul i64 {state}, {row}"))
            size = d(f"mul i64 %some, {row}")
            d.lines.append(f"call void @copy(ptr {to}, ptr %spare{k}, i64 {size})")
    d.lines.append("br label %complete\ncomplete:")


def _each_group(d: Driver, name: str, table: str, strides: str) -> None:
    """Write a loop that moves the rows of each group of the tile."""
    w, g = d.place.lanes, d.loop(name)
    first = d(f"mul i64 {g}, {w}")
    rows = d(f"call i64 @llvm.umin.i64(i64 {d(f'sub i64 %here, {first}')}, i64 {w})")
    state = d(f"add i64 %i, {first}")
    given = f"ptr {d.block(g)}, ptr {table}, ptr {strides}, i64 {state}, i64 {rows}"
    d.lines.append(f"call void @{name}({given})")
    d.again(name)


def one(program: Program, step: Schedule, prepare: Schedule) -> tuple[str, int]:
    """Return `one(ins, params, outs, scratch)`, a single state on a lane, and its scratch bytes."""
    d = Driver(ALONE)
    ins = [d.entry("%ins", k, "ptr") for k in range(len(program.inputs))]
    outs = [d.entry("%outs", k, "ptr") for k in range(len(program.outputs))]
    slots, turns = max(step.slots, prepare.slots), max(step.turns, prepare.turns)
    t, r = d.at("%scratch", 8 * slots), d.at("%scratch", 8 * (slots + turns))
    cleared = sorted(sparse(step, program.outputs))
    for k in cleared:
        d.lines.append(f"call void @blank(ptr {outs[k]}, i64 {8 * program.outputs[k].size})")
    for name, plan, bases in (
        ("prepare", prepare, ("%params", r)),
        ("step", step, (*ins, r, *outs)),
    ):
        if name == "prepare" and not program.parameters:
            continue
        given = ", ".join(f"ptr {p}" for p in (*bases, "%scratch", t, "null"))
        for c in range(len(plan.chunks)):
            d.lines.append(f"call void @{name}.1.{c}({given})")
            d.sines(plan, c, t, "1")
    head = "define void @one(ptr %ins, ptr %params, ptr %outs, ptr %scratch) #1 {"
    size = 8 * (slots + turns + len(program.prepare.results))
    return f"{BLANK if cleared else ''}{head}\n  {d.text()}\n  ret void\n}}\n", size


ONE_BY_BATCH = """
@zeros = internal constant [64 x i64] zeroinitializer
define void @one(ptr %ins, ptr %params, ptr %outs, ptr %scratch) #1 {
  call void @batch(ptr %ins, ptr @zeros, ptr %params, i64 0, ptr %outs, i64 1, ptr %scratch)
  ret void
}
"""


def batch_by_one(program: Program, scratch: int) -> tuple[str, int]:
    """Return `batch` as a loop over `one`, and its scratch bytes: tables of pointers lie first."""
    ins, outs = len(program.inputs), len(program.outputs)
    head = -(-8 * (ins + outs) // 64) * 64
    d = Driver(ALONE)
    for k in range(ins):
        offset = d(f"mul i64 %i, {d.entry('%strides', k, 'i64')}")
        src = d.at(d.entry("%ins", k, "ptr"), offset)
        d.do(f"store ptr {src}, ptr {d.at('%scratch', 8 * k)}, align 8")
    for k, port in enumerate(program.outputs, ins):
        to = d.at(d.entry("%outs", k - ins, "ptr"), d(f"mul i64 %i, {8 * port.size}"))
        d.do(f"store ptr {to}, ptr {d.at('%scratch', 8 * k)}, align 8")
    text = f"""
define void @batch({BATCH}) #1 {{
entry:
  %ends = getelementptr ptr, ptr %scratch, i64 {ins}
  %rest = getelementptr i8, ptr %scratch, i64 {head}
  %some = icmp ne i64 %count, 0
  br i1 %some, label %states, label %end
states:
  %i = phi i64 [ 0, %entry ], [ %i.next, %states ]
  {d.text()}
  %po = mul i64 %i, %pstride
  %own = getelementptr i8, ptr %params, i64 %po
  call void @one(ptr %scratch, ptr %own, ptr %ends, ptr %rest)
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %states, label %end
end:
  ret void
}}
"""
    return text, head + scratch
