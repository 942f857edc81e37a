"""By what a kernel is differentiated, and which parameters it takes at run time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ParameterError, UsageError, closest, shown
from ..mechanism import Mechanism


@dataclass(frozen=True)
class Repeated:
    """Names to differentiate by, again and again, by plain coordinates: the ways of autodiff.

    Each round differentiates all outputs so far. A quaternion has four columns.
    """

    rounds: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Reversed:
    """Names by which the weighted sum of all outputs is differentiated, in one reverse sweep."""

    names: tuple[str, ...] = ()


def checked_way(wrt: Any, adjoint: bool) -> Any:
    """Return what to differentiate by and in which way."""
    if not adjoint:
        return wrt
    if not named(wrt):
        raise UsageError("adjoint needs names to differentiate by", hint='wrt=["q", "L1"]')
    return Reversed(named(wrt))


def check_names(options: Mapping[str, Any]) -> None:
    """Raise UsageError where joints are given with numbers that would not be read."""
    if isinstance(options.get("given"), Mapping):
        raise UsageError(
            "given: names of joints are needed, without numbers",
            hint="their accelerations stand in x: given=" + repr([*options["given"]]),
        )


def named(wrt: Any) -> tuple[str, ...]:
    """Return the names of `wrt`, whichever way they are given."""
    if isinstance(wrt, Reversed):
        return wrt.names
    if isinstance(wrt, Repeated):
        return tuple(dict.fromkeys(n for names in wrt.rounds for n in names))
    return (wrt,) if isinstance(wrt, str) else tuple(wrt or ())


def check_wrt(m: Mechanism, inputs: Sequence[str], wrt: Any) -> tuple[str, ...]:
    """Return the names to differentiate by, each an input or a parameter."""
    names = named(wrt)
    known = (*inputs, *(p.name for p in m.parameters))
    for n in names:
        if n not in known:
            raise UsageError(
                f"wrt names {shown(str(n))!r}, which is no input and no parameter",
                hint=closest(str(n), known),
            )
    return names


def run_time_parameters(m: Mechanism, asked: Sequence[str] | None) -> tuple[str, ...]:
    """Return the parameters a kernel takes at run time: the open ones, and those asked for."""
    names = [p.name for p in m.parameters]
    for name in asked or ():
        if name not in names:
            raise ParameterError(f"there is no parameter {name!r}", hint=", ".join(names[:20]))
    wanted = {*m.open_parameters, *(asked or ())}
    return tuple(n for n in names if n in wanted)


def kept_parameters(m: Mechanism, parameters: Sequence[str] | None, wrt: Any) -> Any:
    """Return the parameters that a kernel takes: those asked for, and those of `wrt`."""
    known = {p.name for p in m.parameters}
    own = [n for n in named(wrt) if n in known]
    return [*(parameters or ()), *own] or None
