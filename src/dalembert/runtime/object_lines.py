"""Lines of LLVM IR that read the objects of Python in memory."""

from __future__ import annotations

from . import stub
from .lines import Lines
from .llvm import table_entry


class ObjectLines(Lines):
    """Lines that read objects in memory, and jump to a label if something does not fit."""

    def at(self, base: str, offset: str | int) -> str:
        """Return the address so many bytes on."""
        return self("getelementptr i8, ptr {}, i64 {}", base, offset)

    def word(self, base: str, offset: int = 0, kind: str = "i64") -> str:
        """Return what lies so many bytes after a pointer."""
        align = 4 if kind == "i32" else 8
        return self(f"load {kind}, ptr {{}}, align {align}", self.at(base, offset))

    def item(self, base: str, k: str, kind: str = "i64") -> str:
        """Return an entry of an array of words."""
        return self(f"load {kind}, ptr {{}}, align 8", self.spot(base, k))

    def keep(self, base: str, k: str | int, value: str, kind: str = "i64") -> None:
        """Write an entry of an array of words."""
        self.do(f"store {kind} {{}}, ptr {{}}, align 8", value, self.spot(base, k))

    def spot(self, base: str, k: str | int) -> str:
        """Return the address of an entry of an array of words."""
        return self("getelementptr i64, ptr {}, i64 {}", base, k)

    def need(self, name: str) -> str:
        """Return the address that the process gave under a name."""
        register = self.fresh()
        self.lines.append(table_entry(register, stub.NEEDS.index(name)))
        return register

    def same(self, x: str, y: str | int, kind: str = "i64") -> str:
        """Return whether two words are equal."""
        return self(f"icmp eq {kind} {{}}, {{}}", x, y)

    def unless(self, mask: str, label: str) -> None:
        """Jump to a label unless the mask holds."""
        self.branch(mask, self.label(), label)

    def room(self, count: int, kind: str = "i64") -> str:
        """Return words on the stack."""
        return self(f"alloca [{count} x {kind}], align 16")

    def give(self, value: str, kind: str = "ptr") -> None:
        """Return from the function."""
        self.lines.append(f"ret {kind} {value}")
