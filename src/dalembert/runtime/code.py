"""A writer of LLVM IR for drivers: loops and branches as `with` blocks, variables in one record.

Every variable of a driver is a field of the record it is called with, so that a driver may return
at any time and go on later from where it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .lines import Lines

LANES = 4
WIDE = f"<{LANES} x double>"


class Record:
    """Names of 8-byte fields and where they lie; a field may be several words long.

    A group of fields is their type and their names, and how many words each has.
    """

    def __init__(self, *groups: tuple[str, str] | tuple[str, str, int]):
        self.kind: dict[str, str] = {}
        self.offset: dict[str, int] = {}
        self.size = 0
        for kind, names, *length in groups:
            for name in names.split():
                self.kind[name], self.offset[name] = kind, self.size
                self.size += 8 * (length[0] if length else 1)


class Code(Lines):
    """The text of one driver function over a record."""

    def __init__(self, name: str, record: Record, arguments: str = "ptr %task"):
        super().__init__()
        self.name, self.record, self.arguments = name, record, arguments

    def whole(self, result: str = "i64") -> str:
        """Return the whole function as LLVM text."""
        return self.function(f"{result} @{self.name}({self.arguments})")

    # -- the record ----------------------------------------------------------------------------

    def at(self, field: str) -> str:
        """Return the address of a field."""
        return self(f"getelementptr i8, ptr %task, i64 {self.record.offset[field]}")

    def get(self, field: str) -> str:
        """Return the value of a field of the record."""
        return self(f"load {self.record.kind[field]}, ptr {{}}, align 8", self.at(field))

    def set(self, field: str, value: str | float | int) -> None:
        """Write a field of the record."""
        self.do(f"store {self.record.kind[field]} {{}}, ptr {{}}, align 8", value, self.at(field))

    def word(self, base: str, index: str | int, kind: str = "double") -> str:
        """Return entry `index` of an array of 8-byte words."""
        return self(f"load {kind}, ptr {{}}, align 8", self.spot(base, index))

    def put(self, base: str, index: str | int, value: str, kind: str = "double") -> None:
        """Write an entry of an array."""
        self.do(f"store {kind} {{}}, ptr {{}}, align 8", value, self.spot(base, index))

    def spot(self, base: str, index: str | int) -> str:
        """Return the address of an entry of an array."""
        return self("getelementptr double, ptr {}, i64 {}", base, index)

    # -- arithmetic ----------------------------------------------------------------------------

    def div(self, x: str | float, y: str | float) -> str:
        """Return x / y."""
        return self("fdiv double {}, {}", x, y)

    def less(self, x: str | float, y: str | float) -> str:
        """Return whether x < y, false for nan."""
        return self("fcmp olt double {}, {}", x, y)

    def choose(self, mask: str, yes: str | float, no: str | float) -> str:
        """Return `yes` where the mask holds, else `no`."""
        return self("select i1 {}, double {}, double {}", mask, yes, no)

    # -- blocks --------------------------------------------------------------------------------

    @contextmanager
    def forever(self) -> Iterator[tuple[str, str]]:
        """Repeat; the block receives the labels to go on (first) and to leave (second)."""
        tag = self.label()
        self.open(f"{tag}.head")
        yield f"{tag}.head", f"{tag}.end"
        self.lines.append(f"br label %{tag}.head")
        self.lines.append(f"{tag}.end:")

    def go(self, label: str) -> None:
        """Leave for a label; what follows in this block is never reached."""
        self.lines.append(f"br label %{label}")
        self.lines.append(f"{self.label()}.dead:")

    def give(self, status: str | int) -> None:
        """Return from the driver."""
        self.do("ret i64 {}", status)
        self.lines.append(f"{self.label()}.dead:")

    # -- vectors: every buffer is a multiple of 4 long -----------------------------------------

    def combine(
        self,
        target: str,
        length: str,
        base: str | None,
        terms: Sequence[tuple[str | float, str]],
    ) -> None:
        """Write target = base + Σ coefficient · row."""
        wide = [(self.spread(c), row) for c, row in terms]
        with self.loop(length, LANES) as i:
            total = None if base is None else self.load(base, i)
            for c, row in wide:
                product = self(f"fmul contract {WIDE} {{}}, {{}}", c, self.load(row, i))
                total = product if total is None else self._sum(total, product)
            if total is not None:
                self.do(f"store {WIDE} {{}}, ptr {{}}, align 8", total, self.spot(target, i))

    def _sum(self, x: str, y: str) -> str:
        return self(f"fadd contract {WIDE} {{}}, {{}}", x, y)

    def load(self, base: str, i: str) -> str:
        """Return several entries of an array at once."""
        return self(f"load {WIDE}, ptr {{}}, align 8", self.spot(base, i))

    def spread(self, x: str | float) -> str:
        """Return a number in every lane."""
        if isinstance(x, float):
            return f"<{', '.join([f'double {self.operand(x)}'] * LANES)}>"
        one = self(f"insertelement {WIDE} poison, double {{}}, i64 0", x)
        return self(
            f"shufflevector {WIDE} {{}}, {WIDE} poison, <{LANES} x i32> zeroinitializer", one
        )

    def copy(self, target: str, source: str, length: str) -> None:
        """Copy words one by one: rows of arrays need not be padded."""
        with self.loop(length) as i:
            self.put(target, i, self.word(source, i))

    def finite(self, base: str, length: str) -> str:
        """Return the mask of: all entries are finite (x - x is zero of a finite number only)."""
        tag = self.label()
        self.open(f"{tag}.from")
        self.open(f"{tag}.head")
        self.lines.append(f"%{tag}.i = phi i64 [ 0, %{tag}.from ], [ %{tag}.n, %{tag}.body ]")
        zero = "zeroinitializer"
        self.lines.append(
            f"%{tag}.s = phi {WIDE} [ {zero}, %{tag}.from ], [ %{tag}.sn, %{tag}.body ]"
        )
        more = self("icmp slt i64 {}, {}", f"%{tag}.i", length)
        self.branch(more, f"{tag}.body", f"{tag}.end")
        x = self.load(base, f"%{tag}.i")
        gap = self(f"fsub {WIDE} {{}}, {{}}", x, x)
        self.lines.append(f"%{tag}.sn = fadd {WIDE} %{tag}.s, {gap}")
        self.lines.append(f"%{tag}.n = add i64 %{tag}.i, {LANES}")
        self.lines.append(f"br label %{tag}.head")
        self.lines.append(f"{tag}.end:")
        same = self(f"fcmp oeq {WIDE} %{tag}.s, {zero}")
        bits = self(f"bitcast <{LANES} x i1> {{}} to i{LANES}", same)
        return self(f"icmp eq i{LANES} {{}}, -1", bits)
