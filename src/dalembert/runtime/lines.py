"""The writer of LLVM IR that everything here shares: one instruction, one line, one register."""

from __future__ import annotations

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

    def add(self, x: str | float, y: str | float) -> str:
        """Return x + y."""
        return self("fadd contract {t} {}, {}", x, y)

    def sub(self, x: str | float, y: str | float) -> str:
        """Return x - y."""
        return self("fsub contract {t} {}, {}", x, y)

    def mul(self, x: str | float, y: str | float) -> str:
        """Return x y."""
        return self("fmul contract {t} {}, {}", x, y)
