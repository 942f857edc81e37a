"""What the text of an option means: numbers, vectors, NAME=VALUE, joints held, loads, tables.

A reader is a function of the text and of the option's name, for errors that say where; `Value`
makes it a click type, and `talk` calls the same readers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import click

from ..errors import DescriptionError, Place, Placed, UsageError, closest, shown

_PLAIN = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?(?:deg|rad|mm|m)?")  # a number and its unit


_UNIT = re.compile(r"[0-9.](?:rad|mm|m)\b")  # deg brings in pi: no decimal


class Numbers(list[float]):
    """Numbers of an option, with the text and the place of each."""

    def __init__(self, values: Sequence[float], option: str, whole: str):
        super().__init__(values)
        self.option, self.whole = option, whole

    def fit(self, names: Sequence[str], units: Sequence[str]) -> None:
        """Raise an error where a number has an angle's unit and should be a length, or vice versa.

        Nothing is said where the numbers are not as many as the units.
        """
        from ..expr import Graph
        from ..read.expressions import expression

        if len(units) != len(self) or not self.whole:
            return
        kinds: dict[str, Any] = {"m": "length", "rad": "angle", "1": "number"}
        for (part, start), unit in zip(parts_of(self.whole), units, strict=True):
            place = Place(self.option, 1, start + 1, self.whole)
            expression(part, Graph(), place, unit=kinds[unit])


class Value(click.ParamType):
    """The type of an option whose text a reader turns into a value."""

    def __init__(self, name: str, reader: Callable[[str, str], Any]):
        self.name, self.reader = name, reader

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value of a text; a value read before is left as it is."""
        option = max(param.opts, key=len) if param else self.name
        return self.reader(value, option) if isinstance(value, str) else value


class Choice(click.Choice):
    """One word of a few; the error names the nearest."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word."""
        if value not in self.choices:
            option = max(param.opts, key=len) if param else self.name
            raise UsageError(
                f"{option} cannot be {shown(str(value))!r}",
                hint=closest(str(value), self.choices),
            )
        return value


def option(
    names: str, kind: Any, help: str, default: Any = None, **more: Any
) -> Callable[[Callable[..., Any]], Any]:
    """Return an option: `names` are its words, then perhaps what its value is called in Python.

    `kind` is a type, the words to choose from, or what stands for a text in the help. A default is
    shown there.
    """
    how = {"metavar": kind} if isinstance(kind, str) else {"type": kind}
    if isinstance(kind, tuple):
        how = {"type": Choice(kind)}
    if default is not None:  # to newer versions of click a default of None is a value
        how |= {"default": default, "show_default": True}
    return click.option(*names.split(), help=help, **how | more)


def several(names: str, kind: Any, help: str) -> Callable[[Callable[..., Any]], Any]:
    """Return an option that may be given several times."""
    return option(names, kind, f"{help}; may be repeated.", multiple=True)


def flag(names: str, help: str) -> Callable[[Callable[..., Any]], Any]:
    """Return an option without a value."""
    return click.option(*names.split(), is_flag=True, help=help)


# -- one value -----------------------------------------------------------------------------------


def parsed(part: str, option: str, whole: str, start: int, unit: Any = None) -> Any:
    """Return the exact value of an expression that begins at `start` in the text of an option."""
    from ..expr import Graph
    from ..read.expressions import expression

    return expression(part, Graph(), Place(option, 1, start + 1, whole), unit=unit)


def value_of(
    part: str, option: str, whole: str, start: int, unit: Any = None
) -> Fraction | str:  # fmt: skip
    """Return a decimal exactly, or the text of an expression that can be read."""
    value = parsed(part, option, whole, start, unit)
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    first = start + len(part) - len(part.lstrip())
    return Placed(part.strip(), Place(option, 1, first + 1, whole))


def parts_of(text: str, start: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the parts of a text between its commas, each with the place where it begins."""
    for part in text.split(","):
        yield part, start
        start += len(part) + 1


def _pair(text: str, option: str, need: str, example: str) -> tuple[str, str, int]:
    """Return the name and the text of NAME=TEXT, and where that text begins."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals):
        raise _needed(text, option, need, example)
    return name.strip(), value, len(name) + 1


def _needed(text: str, option: str, need: str, example: str) -> UsageError:
    return UsageError(f"{option} {shown(text)}: {need}", hint=f"write: {option} {example}")


# -- readers -------------------------------------------------------------------------------------


def numbers(text: str, option: str) -> Numbers:
    """Return the numbers of a comma-separated text, or of the JSON list in @file."""
    if text.startswith("@"):
        return Numbers(_file(text[1:], option), option, "")
    from ..expr.exact import to_float

    if text[:1] + text[-1:] in ("[]", "()") and not any(c in text[1:-1] for c in "[]()"):
        text = text[1:-1]  # a list as Python writes it
    apart = text.split()
    if len(apart) > 1 and all(map(_PLAIN.fullmatch, apart)):
        hint = f"write commas between numbers: {option} {','.join(apart)}"
        raise UsageError(f"{option} {shown(text)!r} has blanks between numbers", hint=hint)
    if "=" in text:
        where = Place(option, 1, text.find("=") + 1, text)
        hint = "write a number for each coordinate, in their order: 0,90deg,0"
        raise UsageError(f"{option} takes numbers without names", where, hint=hint)
    found = []
    for part, start in parts_of(text):
        value = parsed(part, option, text, start)
        names: Sequence[str] = getattr(value, "names", tuple)()
        if names:
            raise UsageError(
                f"{shown(part.strip())!r} is not a number",
                Place(option, 1, start + part.find(names[0]) + 1, text),
                hint="write numbers: 0.1, 90deg, -pi/3",
            )
        found.append(to_float(value))
    return Numbers(found, option, text)


def _file(name: str, option: str) -> list[float]:
    from ..read.document import plain

    data = plain(name, "json")
    if not isinstance(data, list) or not all(type(x) in (int, float) for x in data):
        raise DescriptionError(
            f"{option}: a list of numbers is needed", Place(name), hint="write [0.1, 0.2]"
        )
    return [float(x) for x in data]


def cutoff(text: str, option: str) -> float | str:
    """Return a cut-off frequency in Hz, or "auto"."""
    found = ["auto"] if text == "auto" else numbers(text, option)
    if len(found) != 1:
        raise UsageError(f"{option} takes one frequency", hint="--cutoff 6, or --cutoff auto")
    return found[0]


def vector(text: str, option: str) -> tuple[Fraction | str, ...]:
    """Return the three components of X,Y,Z, numbers or expressions."""
    if text.count(",") != 2:
        raise _needed(text, option, "three components are needed", "0,0,-9.81")
    return tuple(value_of(part, option, text, start) for part, start in parts_of(text))


def setting(text: str, option: str) -> tuple[str, Fraction | str]:
    """Return the name and the value of NAME=VALUE, a number or an expression."""
    name, value, start = _pair(text, option, "a name and a value are needed", "L1=0.4")
    return name, value_of(value, option, text, start)


def texts(need: str, example: str) -> Callable[[str, str], tuple[str, str]]:
    """Return the reader of the two texts of NAME=TEXT."""
    return lambda text, option: _pair(text, option, need, example)[:2]


def held(text: str, option: str) -> tuple[int | str, Any]:
    """Return the joint, a name or a number, and the value of JOINT[=VALUE]; 0 without one."""
    return _held(text, option, text, 0)


def freeze(text: str, option: str) -> dict[int | str, Any]:
    """Return joint -> value of 4=pi/2,5,6; joints are numbers or names."""
    found: dict[int | str, Any] = {}
    for part, start in parts_of(text):
        name, value = _held(part, option, text, start)
        if found.setdefault(name, value) != value:
            raise UsageError(f"{option} names joint {name} twice", hint="give it one value")
    return found


def _held(part: str, option: str, text: str, start: int) -> tuple[int | str, Any]:
    name, equals, value = part.partition("=")
    if not name.strip() or (equals and not value.strip()):
        several = "4=0.3,5,6" if option.endswith("freeze") else "4=0.3"
        raise _needed(text, option, "a joint and a value are needed", several)
    first = start + len(name) + 1
    at = value_of(value, option, text, first) if equals else 0
    if isinstance(at, str) or _UNIT.search(value):  # whether a unit fits is for the joint to say
        first += len(value) - len(value.lstrip())
        at = Placed(value.strip(), Place(option, 1, first + 1, text))
    return joint(name.strip()), at


def joint(text: str) -> int | str:
    """Return the number of a joint, or its name."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else text


def payload(text: str, option: str) -> tuple[str, Any, tuple[Any, ...]]:
    """Return frame, mass and mass centre of FRAME=MASS[,X,Y,Z]."""
    need, example = "a frame and a mass, or also its centre, are needed", "tip=2.5,0,0,0.1"
    frame, value, at = _pair(text, option, need, example)
    found = [
        value_of(part, option, text, start, "length" if k else "number")
        for k, (part, start) in enumerate(parts_of(value, at))
    ]
    if len(found) not in (1, 4):
        raise _needed(text, option, need, example)
    return frame, found[0], tuple(found[1:]) or (0, 0, 0)


def wrench(text: str, option: str) -> tuple[str, list[float]]:
    """Return the frame and the six numbers of FRAME=NUMBERS."""
    need, example = "a frame and six numbers are needed", "tip=0,0,-5,0,0,0 (force, then couple)"
    return _numbers_of(text, option, need, example, 6)


def angle(text: str, option: str) -> tuple[str, float]:
    """Return the name and the number of NAME=ANGLE."""
    name, found = _numbers_of(text, option, "a name and one angle are needed", "delta=10deg", 1)
    return name, found[0]


def _numbers_of(
    text: str, option: str, need: str, example: str, count: int
) -> tuple[str, list[float]]:
    name, value, _ = _pair(text, option, need, example)
    found = numbers(value, f"{option} {shown(name)}")
    if len(found) != count:
        raise _needed(text, option, need, example)
    return name, found


def words(text: str, option: str = "") -> list[str]:
    """Return the words of a comma-separated list."""
    return [word.strip() for word in text.split(",") if word.strip()]


def table(path: str, option: str = "") -> dict[str, Any]:
    """Return the table of a JSON or TOML file."""
    from ..read.document import plain

    found = plain(path)
    if not isinstance(found, dict):
        raise DescriptionError(
            f"{option}: a table is needed", Place(path), hint='write {"L1": 0.4}'
        )
    return found


NUMBERS = Value("NUMBERS", numbers)
VECTOR = Value("X,Y,Z", vector)
SETTING = Value("NAME=VALUE", setting)
SETTING_TEXT = Value("NAME=TEXT", texts("a name and a text are needed", "prefix=left_"))
INPUT = Value("NAME=NUMBERS", texts("a name and numbers are needed", "alpha=1,0"))
HELD = Value("JOINT[=VALUE]", held)
FREEZE = Value("LIST", freeze)
PAYLOAD = Value("FRAME=MASS[,X,Y,Z]", payload)
WRENCH = Value("FRAME=NUMBERS", wrench)
ANGLE = Value("NAME=ANGLE", angle)
WORDS = Value("LIST", words)
TABLE = Value("FILE", table)
CUTOFF = Value("HZ|auto", cutoff)
