"""Expressions as text that the expression grammar reads back."""

from __future__ import annotations

from fractions import Fraction

from .arena import Number
from .graph import Graph
from .scalar import Expr

_SYMBOL = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_RANK = {"add": 1, "sub": 1, "neg": 2, "mul": 2, "div": 2}
LONG = 24  # letters of a number that is shown exactly
ATOM = 9
SIMPLE = 360  # the largest denominator of a part of pi


def decimal(value: Number) -> str:
    """Return a number as text that reads back as the same number: 0.4, 1/3, 1e-09."""
    if isinstance(value, float):
        return repr(value)
    value = Fraction(value)
    down, twos, fives = value.denominator, 0, 0
    while down % 2 == 0:
        down, twos = down // 2, twos + 1
    while down % 5 == 0:
        down, fives = down // 5, fives + 1
    places = max(twos, fives)
    if places == 0 and down == 1:
        return str(value.numerator)
    few = "" if down != 1 or places > 300 else str(abs(value) * 10**places)
    if not 0 < len(few) <= 40:
        return f"{value.numerator}/{value.denominator}"
    sign, digits = "-" if value < 0 else "", few.rjust(places + 1, "0")
    if len(few) + 8 < len(digits):
        return f"{sign}{few}e-{places}"
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def readable(value: Number) -> str:
    """Return a number as text for people: what rounding left in the last digits is not shown.

    >>> readable(0.1 + 0.2), readable(1/3), readable(Fraction(12000000000000001, 45 * 10**16))
    ('0.3', '0.3333333333333333', '0.02666666666666667')
    """
    exact = decimal(value)
    if _digits(exact) <= 15 and len(exact) <= LONG:
        return exact
    near = f"{float(value):.15g}"
    return near if _digits(near) <= 12 else repr(float(value))


def _digits(text: str) -> int:
    """Return how many digits count: of a fraction none do, it is as exact as it looks."""
    if "/" in text:
        return 0
    return len(text.partition("e")[0].replace(".", "").lstrip("-0").rstrip("0"))


def text(expr: Expr) -> str:
    """Return the expression as infix text, with as few brackets as reading it back allows."""
    graph = expr.graph
    made: dict[int, tuple[str, int]] = {}
    for i in graph.live([expr.id]):
        made[i] = _node(graph, i, made)
    return made[expr.id][0]


def _node(graph: Graph, i: int, made: dict[int, tuple[str, int]]) -> tuple[str, int]:
    op, args = graph.op[i], graph.args[i]
    if op == "const":
        shown = decimal(graph.const[i])  # type: ignore[arg-type]
        return shown, 2 if "/" in shown else (1 if shown[0] == "-" else ATOM)
    if op == "pi":
        return "pi", ATOM
    if op == "param":
        return args[0], ATOM
    if op == "input":
        return f"{args[0]}[{args[1]}]", ATOM
    if op == "neg":
        return "-" + _bracket(made[args[0]], 2), 1
    if op == "mul" and args[0] == args[1]:
        return _bracket(made[args[0]], 4) + "**2", 3
    if op == "mul" and (shown := _of_pi(graph, args)):
        return shown, 1 if shown[0] == "-" else 2
    if op in _SYMBOL:
        rank = _RANK[op]
        left, right = made[args[0]], made[args[1]]
        return _bracket(left, rank) + _SYMBOL[op] + _bracket(right, rank + 1), rank
    name = "abs" if op == "absolute" else op
    return f"{name}({', '.join(made[a][0] for a in graph.operands(i))})", ATOM


def _of_pi(graph: Graph, args: tuple[int, ...]) -> str:
    """Return a simple part of pi as it is usually written: pi/2, -5*pi/18; else nothing."""
    if graph.op[args[0]] != "const" or graph.op[args[1]] != "pi":
        return ""
    part = graph.const[args[0]]
    if not isinstance(part, Fraction) or not 1 < part.denominator <= SIMPLE:
        return ""
    top = "" if abs(part.numerator) == 1 else f"{abs(part.numerator)}*"
    return f"{'-' if part < 0 else ''}{top}pi/{part.denominator}"


def _bracket(part: tuple[str, int], rank: int) -> str:
    return part[0] if part[1] >= rank else f"({part[0]})"
