"""Every error dalembert raises on purpose.

DalembertError
├── DescriptionError      a text, table or file cannot be read: where, what, what to write instead
├── ModelError            a mechanism contradicts itself or lacks something it needs
├── ParameterError        a parameter without a value, or a value for a parameter that is not there
├── UsageError            a call with a wrong shape, name, method or option
├── NotPolynomialError    a closed form was asked of something that is not a polynomial
├── TooLargeError         the predicted size of a result passes a limit
└── ComputationError      the computation itself failed (exit 1)
    ├── SingularModel     the direct model does not exist; names the joint
    └── SingularPose      a loop loses rank at this pose; names the loop
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from numbers import Integral
from typing import Any

from .frozen import dataclass


def state_text(where: Sequence[Any]) -> str:
    """Return which state of a batch is meant: ", state 3"; empty if there is only one.

    >>> state_text((3,)), state_text((0, 2)), state_text(())
    (', state 3', ', state (0, 2)', '')
    """
    spot = tuple(int(k) for k in where)
    return f", state {spot if len(spot) > 1 else spot[0]}" if spot else ""


def shown(text: str, limit: int = 200) -> str:
    """Return text with control and bidirectional characters escaped, cut to `limit` characters."""
    escaped = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[: limit + 1])
    return escaped if len(text) <= limit else escaped[:limit] + "…"


def some(items: Collection[str], most: int = 12) -> str:
    """Return the first items as text, and how many more there are."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(shown(x, 60) for x in list(items)[:most]) + more


def require_count(name: str, value: object, most: int = 1_000_000) -> None:
    """Raise UsageError unless a value is a whole number from 1 to `most`."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not 1 <= value <= most:  # type: ignore[operator]
        given = shown(repr(value), 40)
        raise UsageError(f"{name}={given}", hint=f"a whole number from 1 to {most:,}")


def require_none(what: str, **given: object) -> None:
    """Raise UsageError for an option that would be left out of account."""
    for name, value in given.items():
        if value is not None:
            raise UsageError(f"{what} has no option {name!r}", hint=f"leave {name}= out")


def closest(word: str, choices: Collection[str], label: str = "one of", most: int = 3) -> str:
    """Return a hint: the nearest choices, or the first of them after a label.

    Small and capital letters count as the same.
    """
    import difflib

    few = [c for c in list(choices)[:2000] if len(c) <= 80]
    plain = {c.lower(): c for c in reversed(few)}
    if word.lower() in plain:
        return f"did you mean {shown(plain[word.lower()])}?"
    near = [plain[c] for c in difflib.get_close_matches(word[:80].lower(), plain, most, 0.55)]
    if near:
        return "did you mean " + " or ".join(map(shown, near)) + "?"
    if not few:
        return "this model has none to choose from"
    return f"{label}: " + ", ".join(shown(c, 40) for c in few[:40])


def missing_name(
    module: str, name: str, choices: Collection[str], elsewhere: Mapping[str, str] | None = None
) -> str:
    """Return the message of an AttributeError of a module, with the nearest of its names.

    `elsewhere` maps names of other programs, in small letters, to those of the module.
    """
    meant = (elsewhere or {}).get(name.lower())
    near = "" if name.startswith("_") else closest(name, choices)  # tools ask for those
    near = f"did you mean {meant}?" if meant else near
    told = f"; {near}" if near.startswith("did") else ""
    return f"module {module!r} has no attribute {name!r}{told}"


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a description: file (or `<phrase>`), line and column from 1, and that line."""

    source: str
    line: int = 1
    column: int = 1
    text: str = ""

    def __str__(self) -> str:
        return f"{shown(self.source)}:{self.line}:{self.column}"

    def caret(self) -> str:
        """Return the line with a caret under the column, cut to a window around it."""
        if not self.text:
            return ""
        start = max(0, self.column - 61)
        window = shown(self.text[start : start + 120], 120)
        pad = len(shown(self.text[start : self.column - 1], 120))
        return f"  {window}\n  {' ' * pad}^"


class Placed(str):
    """A text and where it begins, for those who read it later.

    >>> Placed("0.3m", Place("--lock", 1, 3, "2=0.3m")).place.column
    3
    """

    place: Place

    def __new__(cls, text: str, place: Place | None = None) -> Placed:
        made = super().__new__(cls, text)
        made.place = place or Place("<value>", 1, 1, text)
        return made


class DalembertError(Exception):
    """The root of the tree: a message, where it arose, and a hint on what to write instead.

    `hint` is for Python; `command`, where it differs, is what to write on the command line.
    """

    exit_code = 2

    def __init__(
        self,
        message: str,
        where: Place | None = None,
        hint: str | None = None,
        command: str | None = None,
    ):
        super().__init__(message)
        self.message, self.where, self.hint, self.command = message, where, hint, command

    def __str__(self) -> str:
        return self.told(self.hint)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, self.__dict__)

    def told(self, hint: str | None) -> str:
        """Return message, place and a hint as lines."""
        lines = [f"{self.where}: {self.message}" if self.where else self.message]
        if self.where and self.where.text:
            lines.append(self.where.caret())
        if hint:
            lines.append(f"  hint: {hint}")
        return "\n".join(lines)


def _again(kind: type[DalembertError], args: tuple[Any, ...], state: dict[str, Any]) -> Any:
    """Return an error that another process raised, whatever its class is made from."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class DescriptionError(DalembertError):
    """A text, table or file cannot be read."""


class ModelError(DalembertError):
    """A mechanism contradicts itself or lacks something it needs."""


class ParameterError(DalembertError):
    """A parameter without a value, or a value for a parameter that is not there."""


class UsageError(DalembertError):
    """A call with a wrong shape, name, method or option."""


class NotPolynomialError(DalembertError):
    """A closed form was asked of something that is not a polynomial."""


class TooLargeError(DalembertError):
    """The predicted size of a result passes a limit."""


class ComputationError(DalembertError):
    """The computation itself failed."""

    exit_code = 1


class SingularModel(ComputationError):
    """The direct model does not exist; the message names the joint."""


class SingularPose(ComputationError):
    """The equations lose rank at this pose; the message names the loop, task or motor."""
