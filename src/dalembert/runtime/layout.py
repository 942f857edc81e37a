"""How states lie in memory, as LLVM IR text: rows of NumPy arrays to lanes and back, tile by tile.

A tile is a few groups of W states. Each group has a block of scratch: input entries of W lanes
each, parameters, prepared values, output entries, slots. The last group repeats its last row in the
lanes left over, so no lane computes on garbage and a result does not depend on its place.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Port, Program


@dataclass(frozen=True, slots=True)
class Layout:
    """Byte offsets in a block of scratch for one group of `lanes` states."""

    lanes: int
    inputs: tuple[int, ...]
    parameters: int
    prepared: int
    outputs: tuple[int, ...]
    slots: int
    size: int  # of one block
    groups: int  # blocks per tile


def layout(program: Program, lanes: int, slots: int, groups: int) -> Layout:
    """Return where things lie in a block that has `slots` slots."""
    at = 0
    places = []
    prepared = len(program.prepare.results)
    sizes = [p.size for p in program.inputs] + [len(program.parameters), prepared]
    for size in sizes + [p.size for p in program.outputs] + [slots]:
        places.append(at)
        at += 8 * lanes * size
    n = len(program.inputs)
    whole = -(-at // 64) * 64
    return Layout(
        lanes, tuple(places[:n]), places[n], places[n + 1], tuple(places[n + 2 : -1]), places[-1],
        whole, groups,
    )  # fmt: skip


class _Driver:
    """Writes `batch`: IR lines with loops over groups."""

    def __init__(self, program: Program, place: Layout, steps: int, prepares: int):
        self.program, self.place = program, place
        self.steps, self.prepares = steps, prepares
        self.lines: list[str] = []
        self.count = 0

    def __call__(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"%b{self.count} = {text}")
        return f"%b{self.count}"

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

    def again(self, tag: str) -> None:
        self.lines += [
            f"br label %{tag}.last",
            f"{tag}.last:\n  %{tag}.next = add i64 %{tag}.g, 1",
            f"%{tag}.more = icmp ult i64 %{tag}.next, %groups",
            f"br i1 %{tag}.more, label %{tag}, label %{tag}.end",
            f"{tag}.end:",
        ]

    def block(self, group: str) -> str:
        return self.at("%scratch", self(f"mul i64 {group}, {self.place.size}"))

    def arguments(self, block: str) -> str:
        p = self.place
        bases = [self.at(block, o) for o in (*p.inputs, p.prepared, *p.outputs, p.slots)]
        return ", ".join(f"ptr {b}" for b in [*bases, "@numbers"])

    def prepare(self, block: str) -> None:
        p = self.place
        bases = [self.at(block, o) for o in (p.parameters, p.prepared, p.slots)]
        for c in range(self.prepares):
            given = ", ".join(f"ptr {b}" for b in [*bases, "@numbers"])
            self.lines.append(f"call void @prepare.{p.lanes}.{c}({given})")


def batch(program: Program, place: Layout, steps: int, prepares: int) -> str:
    """Return `batch(ins, strides, params, pstride, outs, count, scratch)`: the loop over tiles."""
    w, tile = place.lanes, place.lanes * place.groups
    d = _Driver(program, place, steps, prepares)
    ins = [d.entry("%ins", k, "ptr") for k in range(len(program.inputs))]
    strides = [d.entry("%strides", k, "i64") for k in range(len(program.inputs))]
    outs = [d.entry("%outs", k, "ptr") for k in range(len(program.outputs))]
    for number in range(place.groups):
        d.lines.append(f"call void @fixed({d.arguments(d.block(str(number)))})")
    d.lines.append("br label %tiles\ntiles:")
    d.lines.append("%i = phi i64 [ 0, %entry ], [ %i.next, %tile.end ]")
    d.lines.append("%left = sub i64 %count, %i")
    d.lines.append(f"%here = call i64 @llvm.umin.i64(i64 %left, i64 {tile})")
    d.lines.append(f"%up = add i64 %here, {w - 1}\n  %groups = udiv i64 %up, {w}")

    def group(tag: str) -> tuple[str, str, str]:
        g = d.loop(tag)
        first = d(f"mul i64 {g}, {w}")
        rows = d(f"call i64 @llvm.umin.i64(i64 {d(f'sub i64 %here, {first}')}, i64 {w})")
        return d.block(g), d(f"add i64 %i, {first}"), rows

    block, state, rows = group("in")
    for k, port in enumerate(program.inputs):
        src = d.at(ins[k], d(f"mul i64 {state}, {strides[k]}"))
        to = d.at(block, place.inputs[k])
        d.lines.append(_move("pack", to, src, strides[k], rows, port.size))
    if program.parameters:
        first = d("icmp eq i64 %i, 0")
        due = d(f"or i1 {first}, {d('icmp ne i64 %pstride, 0')}")
        d.lines.append(f"br i1 {due}, label %prepare, label %prepared\nprepare:")
        src = d.at("%params", d(f"mul i64 {state}, %pstride"))
        to = d.at(block, place.parameters)
        d.lines.append(_move("pack", to, src, "%pstride", rows, len(program.parameters)))
        d.prepare(block)
        d.lines.append("br label %prepared\nprepared:")
    d.again("in")
    for c in range(steps):
        g = d.loop(f"step{c}")
        d.lines.append(f"call void @step.{w}.{c}({d.arguments(d.block(g))})")
        d.again(f"step{c}")
    block, state, rows = group("out")
    for k, port in enumerate(program.outputs):
        to = d.at(outs[k], d(f"mul i64 {state}, {8 * port.size}"))
        src = d.at(block, place.outputs[k])
        d.lines.append(_move("unpack", to, src, str(8 * port.size), rows, port.size))
    d.again("out")
    d.lines.append(f"br label %tile.end\ntile.end:\n  %i.next = add i64 %i, {tile}")
    d.lines.append("%i.more = icmp ult i64 %i.next, %count")
    d.lines.append("br i1 %i.more, label %tiles, label %end\nend:\n  ret void")
    body = "\n  ".join(d.lines)
    return (
        "define void @batch(ptr %ins, ptr %strides, ptr %params, i64 %pstride, ptr %outs, "
        f"i64 %count, ptr %scratch) #0 {{\nentry:\n  {body}\n}}\n"
    )


def _move(name: str, to: str, src: str, stride: str, rows: str, size: int) -> str:
    return f"call void @{name}.{size}(ptr {to}, ptr {src}, i64 {stride}, i64 {rows})"


def one(program: Program, steps: int, prepares: int, slots: int) -> str:
    """Return `one(ins, params, outs, scratch)`: a single state, on one lane."""
    d = _Driver(program, Layout(1, (), 0, 0, (), 0, 0, 1), steps, prepares)
    ins = [d.entry("%ins", k, "ptr") for k in range(len(program.inputs))]
    outs = [d.entry("%outs", k, "ptr") for k in range(len(program.outputs))]
    r = d.at("%scratch", 8 * slots)
    for c in range(prepares):
        d.lines.append(f"call void @prepare.1.{c}(ptr %params, ptr {r}, ptr %scratch, ptr null)")
    given = ", ".join(f"ptr {p}" for p in (*ins, r, *outs, "%scratch", "null"))
    d.lines += [f"call void @step.1.{c}({given})" for c in range(steps)]
    body = "\n  ".join(d.lines)
    head = "define void @one(ptr %ins, ptr %params, ptr %outs, ptr %scratch) #0 {"
    return f"{head}\n  {body}\n  ret void\n}}\n"


ONE_BY_BATCH = """
@zeros = internal constant [64 x i64] zeroinitializer
define void @one(ptr %ins, ptr %params, ptr %outs, ptr %scratch) #0 {
  call void @batch(ptr %ins, ptr @zeros, ptr %params, i64 0, ptr %outs, i64 1, ptr %scratch)
  ret void
}
"""

__all__ = ["Layout", "ONE_BY_BATCH", "Port", "batch", "layout", "one"]
