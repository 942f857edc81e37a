"""Which sums take in a product before it is rounded, written out in IR text.

At the level at which kernels are made LLVM fuses a sum with a product that nothing else uses, the
first of two. Written out, any level of code generation gives the same bits.
"""

from __future__ import annotations

import re
from collections import Counter

_FUNCTION = re.compile(r"^define [^\n]*\{\n.*?^\}\n", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"%[\w.]+")
_LINE = re.compile(
    r"\s*(%[\w.]+) = f(mul|add|sub) contract (double|float|<[^>]+>) (<.+?>|[^,]+), (.+)"
)
_LANES = re.compile(r"<(\d+) x (\w+)>")


def written_out(text: str) -> str:
    """Return IR text in which no sum or product is left for LLVM to fuse."""
    return _FUNCTION.sub(lambda found: _function(found[0]), text)


def _function(text: str) -> str:
    uses = Counter(_NAME.findall(text))  # what makes a value names it once too
    products: dict[str, tuple[int, str, str]] = {}  # with the line of each
    lines: list[str | None] = []
    for line in text.split("\n"):
        found = _LINE.fullmatch(line)
        if found is None:
            lines.append(line)
            continue
        name, op, kind, x, y = found.groups()
        taken = () if op == "mul" else tuple(v for v in (x, y) if v in products and uses[v] == 2)
        if op == "mul":
            products[name] = len(lines), x, y
        if not taken:
            lines.append(line.replace(" contract", "", 1))
            continue
        place, a, b = products[taken[0]]
        lines[place] = None
        rest = y if taken[0] == x else x
        if op == "sub":
            turned = rest if taken[0] == x else a
            lines.append(f"{name}.n = fneg {kind} {turned}")
            a, rest = (a, f"{name}.n") if taken[0] == x else (f"{name}.n", rest)
        given = f"{kind} {a}, {kind} {b}, {kind} {rest}"
        lines.append(f"{name} = call {kind} @llvm.fma.{_suffix(kind)}({given})")
    return "\n".join(line for line in lines if line is not None)


def _suffix(kind: str) -> str:
    lanes = _LANES.fullmatch(kind)
    many, unit = (f"v{lanes[1]}", lanes[2]) if lanes else ("", kind)
    return many + ("f32" if unit == "float" else "f64")
