"""From scheduled lines to LLVM IR text, for one state (1 lane) or several at a time (W lanes).

A function reaches inputs, prepared values, outputs and scratch through pointers of their own (one
lane), or all but the outputs in one block (W lanes). Entry k of each lies k times W numbers on, so
the same text serves both; outputs are rows of arrays, and W lanes are turned into W rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..expr import Block, Port, Program
from ..expr.block import Line, Row
from ..frozen import dataclass
from . import llvm
from .instructions import MASKS, ROUNDED, SIMPLE
from .lanes import alone, element, mask_type, real, size, value_type, width
from .layout import Layout
from .limbs import Bundle
from .lines import Lines
from .schedule import DECODED, Item, Outlet, Schedule, stays
from .transpose import rows

LONG = 1000  # lines of a block from which on their order may be kept
LONG_ALONE = 400  # the same of one state
USED = 1.68  # times that its values are used on average, from which on it is kept in many lanes
PACE = 24  # lines between two places that no instruction passes
BARRIER = "call void @llvm.codeview.annotation(metadata !8)"  # a label in the code, no instruction
# Zen processors go back to instructions that they keep decoded at a jump only. Between two calls
# Python runs; without jumps the whole of a long function would be decoded anew
BEFORE_ZEN_5 = ("znver1", "znver2", "znver3", "znver4")
JUMP = 'call void asm sideeffect "jmp 1f\\0A1:", ""()'


class Numbers:
    """The constants of a kernel in one table, W copies of each; its functions get a pointer to it.

    A vector instruction can read such an operand from memory; a literal would cost a broadcast and
    a register, and in a loop be kept on the stack.
    """

    def __init__(self, lanes: int):
        self.lanes = lanes
        self.index: dict[str, int] = {}

    def place(self, value: float) -> int:
        """Return the index of a constant in the table."""
        return self.index.setdefault(real(value, alone(self.lanes)), len(self.index))

    def text(self, name: str) -> str:
        """Return the table as a global of that name."""
        t = value_type(self.lanes)
        kind = element(self.lanes)
        rows = [f"{t} <{', '.join([f'{kind} {n}'] * self.lanes)}>" for n in self.index] or [
            f"{t} zeroinitializer"
        ]
        table = f"[{len(rows)} x {t}] [{', '.join(rows)}]"
        return f"@{name} = internal constant {table}, align {width(self.lanes)}\n"


@dataclass(frozen=True, slots=True)
class Access:
    """What the functions of a block have in common: their ports, and how they reach memory."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    lanes: int = 1
    groups: int = 1  # of a tile; the angles of all its groups lie side by side
    numbers: Numbers | None = None
    offsets: tuple[tuple[str, int], ...] = ()  # what lies in a block of scratch, and where
    tiled: bool = False  # whether inputs and outputs are arrays of lanes, anywhere in memory
    cleared: frozenset[int] = frozenset()  # outputs that are zero before the first chunk
    ordered: bool = False  # whether the order of lines is kept, see `kept_in_order`
    jumping: bool = False  # whether there are jumps between them, see `kept_decoded`
    framed: bool = False  # whether the stack has a register of its own: shorter instructions
    routine: bool = False  # whether functions are called with arguments %a and results %b
    placed: frozenset[int] = frozenset()  # angles that are there already, see `incoming`
    bundles: tuple[Bundle, ...] = ()  # lines that are one vector, see `limbs`
    ranged: bool = False  # whether functions are told where a loop begins and ends

    @property
    def rows(self) -> bool:
        """Whether outputs are rows of arrays, one lane after the other."""
        return self.lanes > 1 and not self.tiled and "%out0" not in dict(self.offsets)

    @property
    def anywhere(self) -> bool:
        """Whether outputs are arrays of lanes that are written at once."""
        return self.tiled and "%out0" not in dict(self.offsets)

    @property
    def given(self) -> list[str]:
        """The pointers that each function is given."""
        given = [f"%in{k}" for k in range(len(self.inputs))] + ["%r"]
        given += [f"%out{k}" for k in range(len(self.outputs))] + ["%s"]
        if self.offsets:
            inside = dict(self.offsets)
            given = ["%block", *(base for base in given if base not in inside)]
        return [*given, "%t", "%k"]

    def function(self, name: str, lines: Sequence[str]) -> str:
        """Return the function made of these lines."""
        inner = "\n  ".join([*lines, "ret void"])
        starts = [
            f"{base} = getelementptr inbounds i8, ptr %block, i64 {offset}\n  "
            for base, offset in self.offsets
            if base in inner
        ]
        given = [*self.given, "%a", "%b"] if self.routine else self.given
        head = ", ".join(f"ptr noalias {n}" for n in given)
        head += ", i64 %begin, i64 %end" if self.ranged else ""
        # one state reads its code once: what stands before shall not decide where it lies
        place = f" #{2 * self.framed} align 64" if self.lanes == 1 else " #0"
        return f"define internal void @{name}({head}){place} {{\n  {''.join(starts)}{inner}\n}}\n"


def kept_in_order(block: Block, lanes: int) -> bool:
    """Return whether code generation may not mix lines that are far apart in a block.

    LLVM's scheduler hides latencies that out-of-order processors hide themselves, and makes values
    live longer. On long code, and with many lanes where values are used often or functions are
    long, that costs more than it gives.
    """
    if len(block.lines) < (LONG if lanes > 1 else LONG_ALONE):
        return False
    first = len(block.leaves)
    uses = sum(v >= first for line in block.lines for v in line.args)
    roomy = llvm.host().roomy and stays(block)
    return lanes == 1 or roomy or uses > USED * len(block.lines)


def kept_decoded(block: Block) -> bool:
    """Return whether the processor may keep the code of one state decoded from call to call.

    Zen 5 keeps half as much again as those before, and gains from jumps in longer code too.
    """
    cpu = llvm.host().cpu
    return cpu.startswith("znver") and (len(block.lines) <= DECODED or cpu not in BEFORE_ZEN_5)


def access(program: Program, place: Layout, numbers: Numbers, tiled: bool) -> Access:
    """Return how the functions of `step` reach memory in blocks of many lanes."""
    ends = [(f"%in{k}", offset) for k, offset in enumerate(place.inputs)]
    ends += [("%r", place.prepared), ("%s", place.slots)]
    ends += [(f"%out{k}", offset) for k, offset in enumerate(place.outputs)]
    ports = program.inputs, program.outputs
    kept = kept_in_order(program.step, place.lanes)
    placed = frozenset(angle.place for angle in place.angles)
    return Access(
        *ports, place.lanes, place.groups, numbers, tuple(ends), tiled, ordered=kept, placed=placed
    )


class Chunk(Lines):
    """The text of one function: operands by value number, each loaded or computed once."""

    def __init__(self, plan: Schedule, access: Access, items: Sequence[Item] = ()):
        super().__init__("t", access.lanes)
        self.plan, self.access = plan, access
        self.numbers, self.groups = access.numbers, access.groups
        self.mask, self.bytes = mask_type(access.lanes), width(access.lanes)
        self.known: dict[int, str] = {}
        self.masks: dict[int, str] = {}
        self.port = {p.name: k for k, p in enumerate(access.inputs)}
        self.result = [(k, n) for k, p in enumerate(access.outputs) for n in range(p.size)]
        self.inside = dict(access.offsets)
        self.late = access.rows  # results wait for their neighbours

    # -- memory --------------------------------------------------------------------------------

    def address(self, base: str, index: int) -> str:
        """Return the address of a row, in one step: LLVM would join two again, at a cost."""
        offset = self.bytes * index
        if base in self.inside:
            base, offset = "%block", self.inside[base] + offset
        if offset == 0:
            return base
        name = self.fresh()
        self.lines.append(f"{name} = getelementptr inbounds i8, ptr {base}, i64 {offset}")
        return name

    def load(self, base: str, index: int) -> str:
        """Return a row of an array."""
        where, name = self.address(base, index), self.fresh()
        self.lines.append(f"{name} = load {self.type}, ptr {where}, align {self.align(base)}")
        return name

    def align(self, base: str) -> int:
        """Return to how many bytes the rows of an array are aligned."""
        loose = self.access.tiled and base.startswith(("%in", "%out"))
        return size(self.lanes) if loose else self.bytes

    def store(self, value: str, base: str, index: int) -> None:
        """Write a row of an array."""
        where = self.address(base, index)
        self.lines.append(f"store {self.type} {value}, ptr {where}, align {self.align(base)}")

    # -- values --------------------------------------------------------------------------------

    def value(self, v: int) -> str:
        """Return the operand of a value as a number; it is loaded at its first use."""
        found = self.known.get(v)
        if found is not None:
            return found
        if v in self.masks:
            one, zero = real(1.0, self.lanes), real(0.0, self.lanes)
            made = self(f"select {self.mask} {{}}, {{t}} {one}, {{t}} {zero}", self.masks[v])
        else:
            made = self.reached(self.plan, v)
        self.known[v] = made
        return made

    def reached(self, plan: Schedule, v: int) -> str:
        """Return a value of a plan from where it is kept."""
        if v in plan.constants:
            return self.constant(plan.constants[v])
        if v in plan.turn:
            return self.load("%t", plan.turn[v] * self.groups)
        if v in plan.slot:
            return self.load("%s", plan.slot[v])
        leaf = plan.block.leaves[v]
        # else a prepared value in step, a parameter in prepare
        base = f"%in{self.port[leaf.name]}" if leaf.kind == "input" else "%r"
        return self.load(base, leaf.index)

    def constant(self, value: float) -> str:
        """Return a number as an operand."""
        if self.numbers is None or value == 0:
            return real(value, self.lanes)
        return self.load("%k", self.numbers.place(value))

    def truth(self, v: int) -> str:
        """Return the operand of a value as a mask: true where it is not zero."""
        if v not in self.masks:
            zero = real(0.0, self.lanes)
            self.masks[v] = self(f"fcmp une {{t}} {{}}, {zero}", self.value(v))
        return self.masks[v]

    # -- items ---------------------------------------------------------------------------------

    def line(self, v: int) -> None:
        """Write the instructions of one line of the program."""
        plan = self.plan
        line = plan.block.lines[v - len(plan.block.leaves)]
        op = line.op
        if op in SIMPLE:
            known = self.known
            form = ROUNDED if op == "mul" and v in plan.rounded else SIMPLE[op]
            self.known[v] = self(form, *[known.get(a) or self.value(a) for a in line.args])
        elif op in MASKS:
            self.masks[v] = self(MASKS[op], *map(self.value, line.args))
        elif line.form is not None:
            if op == "call":
                self.applied(v, line)
            elif not self.late:
                self.results(v)
            return
        else:
            self.known[v] = COMPOSITE[op](self, *line.args)
        if v in plan.slot:
            self.store(self.value(v), "%s", plan.slot[v])
        if not self.late and v in plan.stores:
            self.results(v)
        self.paced(v)

    def paced(self, n: int) -> None:
        """Write a place that no instruction passes, now and then."""
        if self.access.ordered and n % PACE == 0:
            self.lines += [BARRIER, JUMP] if self.access.jumping else [BARRIER]

    def applied(self, v: int, line: Line) -> None:
        """Call a routine: arguments and results lie in slots, what all calls share stays there."""
        calls = self.plan.calls
        assert calls is not None
        for k, a in enumerate(line.args[line.form.shared :], calls.given):
            self.store(self.value(a), "%s", k)
        ends = [self.address("%s", k) for k in (calls.given, calls.found[v])]
        given = ", ".join(f"ptr {p}" for p in [*self.access.given, *ends])
        name = f"routine.{int(self.lanes)}.{calls.index(line.form)}"
        self.lines.append(f"call void @{name}({given})")

    def outlet(self, item: Outlet) -> None:
        """Store neighbours of W rows."""
        word = size(self.lanes)
        row = word * self.access.outputs[item.port].size
        for k, (kind, name) in enumerate(rows(self, [*map(self.value, item.values)])):
            place = str(row * k + word * item.column)
            where = self(f"getelementptr inbounds i8, ptr %out{item.port}, i64 {{}}", place)
            self.lines.append(f"store {kind} {name}, ptr {where}, align {word}")

    def row(self, item: Row) -> None:
        """Store the angles; between this chunk and the next their sines and cosines are taken."""
        if self.plan.alone and len(item.angles) >= llvm.side_by_side():
            self.vectors(item)
            return
        for k, angle in enumerate(item.angles, self.plan.first[item]):
            if k not in self.access.placed:
                self.store(self.value(angle), "%t", k * self.groups)

    def vectors(self, item: Row) -> None:
        """Store the angles of one state as vectors: what is stored in parts is read late."""
        wide, many = llvm.side_by_side(), self.plan.taken(item)
        angles = [*item.angles, *item.angles[-1:] * (many - len(item.angles))]
        kind = value_type(wide)
        for first in range(0, many, wide):
            made = "poison"
            for k, angle in enumerate(angles[first : first + wide]):
                x = self.value(angle)
                made = self(f"insertelement {kind} {{}}, double {{}}, i64 {k}", made, x)
            where = self.address("%t", self.plan.first[item] + first)
            self.lines.append(f"store {kind} {made}, ptr {where}, align 8")

    def results(self, v: int) -> None:
        """Store a value wherever it is a result, as soon as it is known; rows wait for others."""
        if self.late:
            return
        for k in self.plan.stores.get(v, ()):
            port, n = self.result[k]
            if port in self.access.cleared and self.plan.constants.get(v) == 0:
                continue
            self.store(self.value(v), f"%out{port}", n)


def _sign(chunk: Chunk, x: int) -> str:
    one, minus, zero = (real(c, chunk.lanes) for c in (1.0, -1.0, 0.0))
    below = chunk(f"fcmp olt {{t}} {{}}, {zero}", chunk.value(x))
    above = chunk(f"fcmp ogt {{t}} {{}}, {zero}", chunk.value(x))
    # zero and nan are their own sign
    inner = chunk(f"select {chunk.mask} {{}}, {{t}} {minus}, {{t}} {{}}", below, chunk.value(x))
    return chunk(f"select {chunk.mask} {{}}, {{t}} {one}, {{t}} {{}}", above, inner)


def _where(chunk: Chunk, mask: int, yes: int, no: int) -> str:
    operands = chunk.truth(mask), chunk.value(yes), chunk.value(no)
    return chunk(f"select {chunk.mask} {{}}, {{t}} {{}}, {{t}} {{}}", *operands)


def _gathered(chunk: Chunk, x: int) -> str:
    raise AssertionError("sines and cosines are gathered by the schedule")


COMPOSITE: dict[str, Callable[..., str]] = {
    "sign": _sign,
    "where": _where,
    "sin": _gathered,
    "cos": _gathered,
}


def functions(
    name: str, plan: Schedule, access: Access, kind: Callable[..., Chunk] = Chunk
) -> list[str]:
    """Return the IR of a block, one function per chunk, named `name.0`, `name.1`, ...

    Many lanes leave the results of `step` that are constants to `constant_results` or to rows.
    """
    texts = []
    base = len(plan.block.leaves)
    for c, items in enumerate(plan.chunks):
        chunk = kind(plan, access, items)
        if c == 0:
            for v in plan.stores:
                if v in plan.constants:
                    if access.lanes == 1 or access.anywhere or name.startswith("prepare"):
                        chunk.results(v)
                elif v < base:
                    chunk.results(v)
        elif plan.chunks[c - 1] and isinstance(before := plan.chunks[c - 1][-1], Row):
            for v in before.values:
                chunk.results(v)
        for item in items:
            if isinstance(item, Row):
                chunk.row(item)
            elif isinstance(item, Outlet):
                if access.rows:
                    chunk.outlet(item)
            else:
                chunk.line(item)
        texts.append(access.function(f"{name}.{c}", chunk.lines))
    return texts


def constant_results(name: str, plan: Schedule, access: Access) -> str:
    """Return the function that writes the results that are constants and not zero."""
    chunk = Chunk(plan, access)
    for v in plan.stores:
        if plan.constants.get(v):
            chunk.results(v)
    return access.function(name, chunk.lines)
