"""A kernel as it is asked for: by what it is differentiated, which parameters it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..catalog import Quantity
from ..errors import ParameterError, UsageError, closest, shown
from ..frozen import dataclass
from ..mechanism import Mechanism

if TYPE_CHECKING:
    from ..expr import Program


@dataclass(frozen=True)
class Asked:
    """A quantity of a mechanism, and all that decides the program of its kernel."""

    m: Mechanism
    row: Quantity
    method: str | None
    options: Mapping[str, Any]
    parameters: Sequence[str] | None = None
    wrench: bool = False
    wrt: Any = None
    plan: Any = None
    packed: bool = False
    single: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that the kernel takes at run time."""
        return run_time_parameters(self.m, kept_parameters(self.m, self.parameters, self.wrt))

    @property
    def key(self) -> str:
        """The name under which its code is kept, but for the way it is made."""
        m, row = self.m, self.row
        own = row.name, self.method or row.default, sorted(self.options.items())
        return repr((m.digest, m.values, *own, *self._told.values()))

    @property
    def _told(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("parameters", "wrench", "wrt", "plan")}

    def program(self, method: str | None) -> Program:
        """Return the program by a method; a kernel found in the cache needs none."""
        from .trace import program_of

        return program_of(self.m, self.row.name, method, calls=True, **self._told, **self.options)


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
    """Return the names to differentiate by, marked where gradients are asked for."""
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
