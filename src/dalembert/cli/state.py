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
        if not (name.strip() and equals and value.strip()) or value.strip().startswith("@"):
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
    from ..mechanism import joint_name
    from ..plan.assembly import assemble

    for body in m.bodies:
        if any(n.partition(".")[0] == joint_name(body) for n in given) and body.joint.nq > 1:
            raise UsageError(
                f"{option}: {shown(joint_name(body))!r} has {body.joint.nq} coordinates, and "
                "loops hold it",
                hint="name other joints, or give a number for each coordinate",
            )
    _known(given, m.joint_names, option)
    echo_notes(["the joints that are not named are where the loops close, found from rest"])
    return [*map(float, assemble(m, given))]


def rates(m: Mechanism, given: Given, names: Sequence[str], option: str) -> Any:
    """Return rates or accelerations by name; those of a closed machine follow its motors."""
    if isinstance(given, Mapping) and m.loops and m.active:
        leading = [n for n, j in zip(m.rate_names, m.rate_joints, strict=True) if j in m.active]
        for name in given:
            if name in names and name not in leading:
                raise UsageError(
                    f"{option}: {shown(name)!r} follows the motors",
                    hint="name those: " + ", ".join(map(shown, leading)),
                )
    return row(given, names, option)


def row(
    given: Given, names: Sequence[str], option: str, rest: Sequence[Any] = ()
) -> Sequence[float] | None:
    """Return numbers by name as a row in the order of `names`; what is not named rests, or is 0."""
    if not isinstance(given, Mapping):
        return given
    _known(given, names, option)
    others = rest if len(rest) else [0.0] * len(names)
    return [given.get(name, float(x)) for name, x in zip(names, others, strict=True)]


def _known(given: Mapping[str, float], names: Sequence[str], option: str) -> None:
    for name in given:
        if name not in names:
            raise UsageError(f"{option}: there is no {shown(name)!r}", hint=closest(name, names))
