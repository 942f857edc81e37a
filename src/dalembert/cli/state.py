"""States on the command line: numbers in the order of the joints, or `elbow=90deg` by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import Place, UsageError, closest, shown
from .model import echo_notes
from .values import Numbers, Value, numbers, parts_of

if TYPE_CHECKING:
    from ..mechanism import Mechanism

Given = Sequence[float] | Mapping[str, float] | None


class Named(dict[str, float]):
    """Numbers by name; each remembers its text."""

    def __init__(self) -> None:
        self.texts: dict[str, Numbers] = {}

    def fit(self, names: Sequence[str], units: Sequence[str]) -> None:
        """Raise an error where a number has the unit of another kind than that of its name."""
        of = dict(zip(names, units, strict=True))
        for name, text in self.texts.items():
            text.fit([name], [of[name]] if name in of else ())


def state(text: str, option: str) -> list[float] | dict[str, float]:
    """Return the numbers of a text, or name -> number of elbow=90deg,wrist=0.1."""
    if "=" not in text or text.startswith("@"):
        return numbers(text, option)
    found = Named()
    for part, start in parts_of(text):
        name, equals, value = part.partition("=")
        if not (name.strip() and equals and value.strip()):
            raise UsageError(
                f"{shown(part.strip())!r} is not NAME=NUMBER",
                Place(option, 1, start + 1, text),
                hint=f"write numbers alone, or a name for each: {option} elbow=90deg,wrist=0.1",
            )
        if name.strip() in found:
            raise UsageError(
                f"{option} names {shown(name.strip())!r} twice",
                Place(option, 1, start + 1, text),
                hint="give it one number",
            )
        number = numbers(value, f"{option} {shown(name.strip())}")
        (found[name.strip()],) = found.texts[name.strip()] = number
    return found


NAMED_NUMBERS = Value("NUMBERS", state)


def coordinates(m: Mechanism, given: Given, option: str) -> Sequence[float] | None:
    """Return coordinates by their names as a pose: the others rest, or follow where loops close."""
    if not isinstance(given, Mapping):
        return given
    if not m.loops:
        return row(given, m.coordinate_names, option, m.neutral)
    from ..plan.assembly import assemble

    _known(given, m.joint_names, option)
    echo_notes(["the joints that are not named are where the loops close, found from rest"])
    return [*map(float, assemble(m, given))]


def row(
    given: Given, names: Sequence[str], option: str, rest: Sequence[Any] = ()
) -> Sequence[float] | None:
    """Return numbers by name as a row in the order of `names`; what is not named rests, or is 0."""
    if not isinstance(given, Mapping):
        return given
    _known(given, names, option)
    return [
        given.get(name, float(x)) for name, x in zip(names, rest or [0.0] * len(names), strict=True)
    ]


def _known(given: Mapping[str, float], names: Sequence[str], option: str) -> None:
    for name in given:
        if name not in names:
            raise UsageError(f"{option}: there is no {shown(name)!r}", hint=closest(name, names))
