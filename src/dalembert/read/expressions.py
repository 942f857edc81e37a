"""Numbers and expressions of a description, read exactly and without executing anything.

    + - * / ^ ** ( ), numbers, names, pi, sqrt sin cos tan; units deg rad m mm right after a number

The parser keeps its own stacks (Dijkstra's shunting yard), so that no text makes it recurse.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any, Literal, NoReturn

from ..errors import DescriptionError, Place, UsageError, closest, shown
from ..expr import OPS, Expr, Graph, cos, decimal, sin
from ..expr.exact import Exact, exact, to_float

Unit = Literal["angle", "length", "number"]
At = Callable[[int], Place]

LONGEST, DEEPEST, LONGEST_NUMBER, MOST_BITS, HIGHEST_POWER = 10_000, 100, 64, 4096, 64
LETTER = "A-Za-zΆΈ-ΊΌΎ-ΡΣ-ώϐ-ϵϷ-ϻ"
NAME = f"[{LETTER}][{LETTER}0-9_]*"
ZEROS = {ord("Ø"): "0", ord("∅"): "0"}
FUNCTIONS = ("sqrt", "sin", "cos", "tan")
UNITS: dict[str, tuple[Unit, Fraction]] = {
    "deg": ("angle", Fraction(1, 180)),  # times pi
    "rad": ("angle", Fraction(1)),
    "m": ("length", Fraction(1)),
    "mm": ("length", Fraction(1, 1000)),
}
PI = Fraction(31415926535897932384626433832795028841971693993751, 10**49)

_TOKEN = re.compile(
    rf"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?P<unit>[{LETTER}_][{LETTER}0-9_]*)?"
    rf"|(?P<name>{NAME})|(?P<op>\*\*|[-+*/^()])|(?P<end>\Z))"
)
_PLAIN = re.compile(NAME)
_RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "pos": 3, "^": 4}
_REFUSED = (
    ("'\"`´‘’“”«»", "a quote has no place in an expression", "write names without quotes"),
    (".", "a dot has no place here", "a dot belongs inside a number: 0.5"),
    ("_", "a name cannot begin with _", "begin it with a letter"),
    ("−–—", "this is not a minus sign of this language", "write -"),
    ("[]{}", "a bracket has no place in an expression", "write commas between numbers: 0.1,0.2"),
    ("°", "this is not a unit of this language", "write deg: 90deg"),
    ("×·⋅", "this is not a product sign of this language", "write *"),
)
_HERE = {
    "angle": "this is an angle: use deg or rad",
    "length": "this is a length: use m or mm",
    "number": "no unit is allowed here: write SI values without a unit",
}


def place_at(source: str, text: str, offset: int) -> Place:
    """Return line and column, both from 1, of an offset in a text, with that line."""
    offset = max(0, min(offset, len(text)))
    start = text.rfind("\n", 0, offset) + 1
    stop = text.find("\n", offset)
    line = text[start : len(text) if stop < 0 else stop].rstrip("\r")
    return Place(source, text.count("\n", 0, offset) + 1, offset - start + 1, line)


def expression(
    text: str,
    graph: Graph,
    place: Place,
    *,
    known: Collection[str] | None = None,
    unit: Unit | None = None,
) -> Exact:
    """Return the exact value of an expression; names become parameters of `graph`.

    `place` is where the text begins. `known` lists the legal names (None: any). `unit` says which
    units are legal: those of an angle, of a length, none ("number"), or both (None).
    """

    def at(offset: int) -> Place:
        if "\n" not in text[:offset]:
            return Place(place.source, place.line, place.column + offset, place.text or text)
        inner = place_at(place.source, text, offset)
        return Place(place.source, place.line + inner.line - 1, inner.column, inner.text)

    return parse(text, graph, at, known, unit)


def parse(
    text: str,
    graph: Graph,
    at: At,
    known: Collection[str] | None = None,
    unit: Unit | None = None,
) -> Exact:
    """Return the exact value of an expression; `at(offset)` is the place of a character of it."""
    if len(text) > LONGEST:
        message = f"the expression has {len(text)} characters, more than {LONGEST}"
        raise DescriptionError(message, at(0), "name parts of it as parameters")
    plain = text.strip()
    if known is None and _PLAIN.fullmatch(plain) and plain not in (*FUNCTIONS, "pi"):
        return graph.param(plain)
    return _Parser(text.translate(ZEROS), graph, at, known, unit).value()


class _Parser:
    """One expression on its way: a stack of values and a stack of pending operators."""

    def __init__(
        self, text: str, graph: Graph, at: At, known: Collection[str] | None, unit: Unit | None
    ):
        self.text, self.graph, self.at, self.known = text, graph, at, known
        self.values: list[Exact] = []
        self.pending: list[tuple[str, int]] = []  # operator, "(" or function; offset
        self.units: list[Unit | None] = [unit]  # legal in each open bracket
        self.wants_value = True
        self.raised = False  # whether an expression was raised to a power

    def fail(self, message: str, offset: int, hint: str | None = None) -> NoReturn:
        raise DescriptionError(message, self.at(offset), hint)

    def value(self) -> Exact:
        """Return the value of the whole text."""
        offset = 0
        while True:
            found = _TOKEN.match(self.text, offset)
            if found is None:
                skipped = re.compile(r"\s*").match(self.text, offset)
                self._strange(skipped.end() if skipped else offset)
            start, offset = found.start(found.lastgroup or 0), found.end()
            if found["number"]:
                start = found.start("number")
                self._operand(start)
                self.values.append(self._number(found, start))
            elif found["name"]:
                self._operand(start)
                self._name(found["name"], start)
            elif found["op"]:
                self._sign(found["op"], start)
            else:
                return self._finish(start)

    # -- tokens --------------------------------------------------------------------------------

    def _operand(self, start: int) -> None:
        if not self.wants_value:
            hint = "write products with *, and a unit directly after its number: 2*L1, 90deg"
            self.fail("an operator is missing before this", start, hint)
        self.wants_value = False

    def _number(self, found: re.Match[str], start: int) -> Exact:
        digits, unit = found["number"], found["unit"]
        value = number(digits, lambda: self.at(start))
        if unit is None:
            return value
        where = found.start("unit")
        if unit not in UNITS:
            hint = f"units are deg, rad, m, mm; a product is written {digits}*{shown(unit)}"
            self.fail(f"unknown unit {shown(unit)!r}", where, hint)
        kind, factor = UNITS[unit]
        legal = self.units[-1]
        if legal is not None and legal != kind:
            self.fail(f"{unit} is a unit of {kind}", where, _HERE[legal])
        return exact(self.graph.pi() * (value * factor) if unit == "deg" else value * factor)

    def _name(self, name: str, start: int) -> None:
        called = re.compile(r"\s*\(").match(self.text, start + len(name)) is not None
        if name in FUNCTIONS:
            if not called:
                self.fail(f"{name} needs a bracket", start, f"write {name}(...)")
            self.pending.append((name, start))
            self.wants_value = True
        elif called:
            hint = "functions are sqrt, sin, cos, tan; a product is written with *"
            self.fail(f"there is no function {shown(name)!r}", start, hint)
        elif name == "pi":
            self.values.append(self.graph.pi())
        elif self.known is not None and name not in self.known:
            known = sorted(self.known)
            hint = closest(name, known, "known names") if known else "known names: none"
            self.fail(f"unknown name {shown(name)!r}", start, hint)
        else:
            self.values.append(self.graph.param(name))

    def _sign(self, op: str, start: int) -> None:
        op = "^" if op == "**" else op
        if op == "(":
            self._open(start)
        elif op == ")":
            self._close(start)
        elif self.wants_value:
            if op not in "+-":
                self.fail(f"a value is missing before {op}", start, "write a number or a name")
            self.pending.append(("neg" if op == "-" else "pos", start))
        else:
            rank = _RANK[op]
            while self.pending:
                top = _RANK.get(self.pending[-1][0], 0)
                if top < rank or (top == rank and op == "^"):
                    break
                self._apply()
            self.pending.append((op, start))
            self.wants_value = True

    def _open(self, start: int) -> None:
        called = bool(self.pending) and self.pending[-1][0] in FUNCTIONS
        if not self.wants_value:
            self.fail("an operator is missing before (", start, "write products with *")
        if len(self.units) > DEEPEST:
            message = f"brackets are nested more than {DEEPEST} deep"
            self.fail(message, start, "name parts of it as parameters")
        trigonometric = called and self.pending[-1][0] != "sqrt"
        self.units.append("angle" if trigonometric else self.units[-1])
        self.pending.append(("(", start))

    def _close(self, start: int) -> None:
        if self.wants_value:
            self.fail("a value is missing before )", start, "write a number or a name")
        while self.pending and self.pending[-1][0] != "(":
            self._apply()
        if not self.pending:
            self.fail("there is no ( for this )", start, "remove it, or open a bracket before")
        self.pending.pop()
        self.units.pop()
        if self.pending and self.pending[-1][0] in FUNCTIONS:
            self._apply()

    def _strange(self, start: int) -> NoReturn:
        """Raise the error for a character that begins no token."""
        c = self.text[start]
        if unicodedata.numeric(c, None) is not None:
            digit = unicodedata.digit(c, None)
            better = f"write {digit}" if digit is not None else "write it as a decimal"
            self.fail(f"{c!r} is not a digit 0-9", start, better)
        for characters, message, hint in _REFUSED:
            if c in characters:
                self.fail(message, start, hint)
        hint = "use + - * / ^ ( ), numbers, names, pi, sqrt sin cos tan"
        self.fail(f"{shown(c)!r} has no place in an expression", start, hint)

    # -- values --------------------------------------------------------------------------------

    def _apply(self) -> None:
        """Replace the operands of the topmost operator by its result."""
        op, where = self.pending.pop()
        right = self.values.pop()
        before = len(self.graph)
        try:
            if op in ("neg", "pos"):
                result = -right if op == "neg" else right
            elif op in FUNCTIONS:
                result = self._function(op, right, where)
            elif op == "^":
                result = self._power(self.values.pop(), right, where)
            else:
                result = _BINARY[op](self.values.pop(), right)
        except ZeroDivisionError:
            self.fail("division by zero", where, "the divisor must not be zero")
        except UsageError:
            self.fail("number out of range", where, "numbers are below 1e300")
        made: list[Any] = self.graph.const[before:] if isinstance(result, Expr) else [result]
        for x in made:
            if x is not None and (_bits(x) > MOST_BITS or abs(x) >= LARGEST):
                self.fail("number out of range", where, "numbers are below 1e300")
        self.values.append(result)

    def _function(self, name: str, x: Exact, where: int) -> Any:
        inner = x if isinstance(x, Expr) else self.graph.constant(x)
        if name == "sqrt" and inner.value is not None and inner.value < 0:
            self.fail("square root of a negative number", where, "its argument must be >= 0")
        turns = inner.over_pi
        if name == "tan" and turns is not None and turns * 12 % 6 in (0, 2, 3, 4):
            return exact(sin(inner) / cos(inner))
        return exact(OPS[name].evaluate(inner))

    def _power(self, base: Exact, power: Exact, where: int) -> Any:
        n = exact(power)
        if n == Fraction(1, 2):
            return self._function("sqrt", base, where)
        if n.__class__ is not int or abs(n) > HIGHEST_POWER:  # type: ignore[arg-type]
            hint = f"exponents are whole numbers from -{HIGHEST_POWER} to {HIGHEST_POWER}, or 1/2"
            self.fail(f"{shown(str(power), 40)} is not a legal exponent", where, hint)
        if not isinstance(base, Expr) and _bits(base) * abs(n) > 2 * MOST_BITS:  # type: ignore
            self.fail("number out of range", where, "numbers are below 1e300")
        if isinstance(base, Expr):
            self.raised = True
            raised = base ** abs(n)  # type: ignore[operator]
            return exact(1 / raised if n < 0 else raised)  # type: ignore[operator]
        return exact(Fraction(base) ** n)  # type: ignore[operator]

    def _finish(self, end: int) -> Exact:
        if self.wants_value:
            what = "the expression ends too early" if self.pending else "an expression is missing"
            self.fail(what, end, "write a number or a name")
        while self.pending:
            if self.pending[-1][0] == "(":
                self.fail("this ( is never closed", self.pending[-1][1], "write ) after it")
            self._apply()
        result = exact(self.values[0])
        if isinstance(result, Expr) and self.raised and _written(result) > LONGEST:
            self.fail("the expression is too long when its powers are written out", 0, "name parts")
        if isinstance(result, Expr) and not result.names():
            try:
                good = abs(to_float(result)) < LARGEST
            except (ArithmeticError, ValueError):
                good = False
            if not good:
                self.fail("the expression has no finite real value", 0, "check roots and divisors")
        return result


LARGEST = 10**300


def number(digits: str, where: Callable[[], Place]) -> int | Fraction:
    """Return a decimal as the exact number it writes."""
    if len(digits) > LONGEST_NUMBER:
        raise DescriptionError(
            f"a number of {len(digits)} characters", where(), f"write at most {LONGEST_NUMBER}"
        )
    mantissa, _, exponent = digits.lower().partition("e")
    power = int(exponent or 0)
    value = Fraction(0)
    if abs(power) <= 400:
        value = Fraction(mantissa) * Fraction(10) ** power
    if abs(power) > 400 or value >= LARGEST:
        raise DescriptionError("number out of range", where(), "numbers are below 1e300")
    return int(value) if value.denominator == 1 else value


def _written(value: Expr) -> int:
    """Return how many operands an expression has when nothing is shared."""
    graph = value.graph
    size: dict[int, int] = {}
    for i in graph.live([value.id]):
        size[i] = 1 + sum(size[a] for a in set(graph.operands(i)))
    return size[value.id]


def _bits(x: Any) -> int:
    return max(x.numerator.bit_length(), x.denominator.bit_length())


def _quotient(a: Any, b: Any) -> Any:
    if isinstance(a, Expr) or isinstance(b, Expr):
        return a / b
    return exact(Fraction(a) / Fraction(b))


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": _quotient,
}  # fmt: skip


def snap_angle(
    value: Exact, snap: float | None = None, graph: Graph | None = None
) -> tuple[Exact, str | None]:
    """Return a constant angle, exact where it is a rounded multiple of pi/12, and a note on that.

    By default the number must be such a multiple rounded to 10 digits or more; `snap` > 0 also
    accepts what is that near, `snap` = 0 changes nothing. The result lives in `graph`.
    """
    if snap is not None and not 0 <= snap < 0.1:
        raise UsageError(f"snap = {snap!r}", hint="give a distance in radians, such as 1e-5, or 0")
    if isinstance(value, Expr) or snap == 0:
        return value, None
    given = Fraction(value)
    if abs(given) > 10_000:
        return value, None
    k = round(given * 12 / PI)
    gap = abs(given - k * PI / 12)
    if k == 0 or not (_is_rounding(given, gap) or gap <= Fraction(snap or 0)):
        return value, None
    result = (graph or Graph()).pi() * Fraction(k, 12)
    return result, f"angle {decimal(given)} read as {result}"


def _is_rounding(value: Fraction, gap: Fraction) -> bool:
    """Return whether a decimal of 10 digits or more lies `gap` from what it rounds."""
    places, down = 0, value.denominator
    while down != 1 and places <= 60:
        places += 1
        down = (value * 10**places).denominator
    digits = str(abs(value.numerator) * 10**places // value.denominator)
    if down != 1 or len(digits) < 10:
        return False
    # half a unit of the last digit, or the noise of a few operations in double precision
    return gap <= max(Fraction(1, 2 * 10**places), abs(value) * 4 / 2**52)
