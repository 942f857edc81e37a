"""The writer of LLVM IR that everything here shares: one instruction, one line, one register.

Loops and branches are `with` blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .lanes import real, suffix, value_type


class Lines:
    """Lines of one function over one type of values; registers are named in order.

    In an instruction {t} is the type, {m} the ending of intrinsics for it.
    """

    def __init__(self, tag: str = "v", lanes: int = 1):
        self.tag, self.lanes = tag, lanes
        self.type, self.suffix = value_type(lanes), suffix(lanes)
        self.lines: list[str] = []
        self.count = 0

    def __call__(self, form: str, *operands: str | float | int) -> str:
        """Return the register of one instruction; floats among the operands become constants."""
        texts = [x if x.__class__ is str else self.operand(x) for x in operands]
        name = self.fresh()
        self.lines.append(f"{name} = {form.format(*texts, t=self.type, m=self.suffix)}")
        return name

    def fresh(self) -> str:
        """Return a new name."""
        self.count += 1
        return f"%{self.tag}{self.count}"

    def do(self, form: str, *operands: str | float | int) -> None:
        """Write an instruction that has no result."""
        self.lines.append(form.format(*map(self.operand, operands)))

    def operand(self, x: str | float | int) -> str:
        """Return an operand as text."""
        return real(x, self.lanes) if isinstance(x, float) else str(x)

    def text(self) -> str:
        """Return the lines as they stand in a function."""
        return "\n  ".join(self.lines)

    def function(self, head: str, attributes: int = 0) -> str:
        """Return the whole function: `head` is its result, its name and its arguments."""
        return f"define {head} #{attributes} {{\nentry:\n  {self.text()}\n}}\n"

    def procedure(self, name: str, arguments: str, entry: bool = False) -> str:
        """Return a function without a result, of the module alone or an `entry` of it."""
        self.lines.append("ret void")
        kind = "void" if entry else "internal void"
        return self.function(f"{kind} @{name}({arguments})", int(entry))

    def add(self, x: str | float, y: str | float) -> str:
        """Return x + y."""
        return self("fadd contract {t} {}, {}", x, y)

    def sub(self, x: str | float, y: str | float) -> str:
        """Return x - y."""
        return self("fsub contract {t} {}, {}", x, y)

    def mul(self, x: str | float, y: str | float) -> str:
        """Return x y."""
        return self("fmul contract {t} {}, {}", x, y)

    # -- blocks --------------------------------------------------------------------------------

    def label(self) -> str:
        """Return a new label."""
        self.count += 1
        return f"l{self.count}"

    def open(self, label: str) -> None:
        """Begin the block of a label."""
        self.lines.append(f"br label %{label}")
        self.lines.append(f"{label}:")

    @contextmanager
    def loop(self, count: str | int, step: int = 1) -> Iterator[str]:
        """Repeat for an index 0, step, ... below count; count zero runs nothing."""
        tag = self.label()
        self.open(f"{tag}.from")
        self.open(f"{tag}.head")
        self.lines.append(f"%{tag}.i = phi i64 [ 0, %{tag}.from ], [ %{tag}.n, %{tag}.last ]")
        more = self("icmp slt i64 {}, {}", f"%{tag}.i", count)
        self.branch(more, f"{tag}.body", f"{tag}.end")
        yield f"%{tag}.i"
        self.open(f"{tag}.last")
        self.lines.append(f"%{tag}.n = add i64 %{tag}.i, {step}")
        self.lines.append(f"br label %{tag}.head")
        self.lines.append(f"{tag}.end:")

    @contextmanager
    def repeat(self, count: str | int, step: int | str = 1) -> Iterator[str]:
        """The same for a count above zero: the first pass is not tested."""
        tag = self.label()
        self.open(f"{tag}.from")
        self.open(tag)
        self.lines.append(f"%{tag}.i = phi i64 [ 0, %{tag}.from ], [ %{tag}.n, %{tag}.last ]")
        yield f"%{tag}.i"
        self.open(f"{tag}.last")
        self.lines.append(f"%{tag}.n = add i64 %{tag}.i, {step}")
        more = self("icmp ult i64 {}, {}", f"%{tag}.n", count)
        self.lines.append(f"br i1 {more}, label %{tag}, label %{tag}.end\n{tag}.end:")

    @contextmanager
    def when(self, mask: str) -> Iterator[None]:
        """Run the block if the mask holds."""
        tag = self.label()
        self.branch(mask, f"{tag}.yes", f"{tag}.end")
        yield
        self.open(f"{tag}.end")

    def branch(self, mask: str, yes: str, no: str) -> None:
        """Go to one of two labels, and write on at the first."""
        self.lines.append(f"br i1 {mask}, label %{yes}, label %{no}")
        self.lines.append(f"{yes}:")
