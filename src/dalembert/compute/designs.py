"""Parameters as uses take them: one number each, or arrays, a machine for each entry."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ParameterError, UsageError, closest, shown
from ..frozen import dataclass
from ..mechanism import Mechanism, freed, is_closed

Array = np.ndarray


@dataclass(frozen=True)
class Designs:
    """A mechanism with numbers given, and the parameters that are arrays, of one shape `lead`."""

    m: Mechanism
    arrays: dict[str, Array]  # flat
    lead: tuple[int, ...]

    def __iter__(self) -> Iterator[Mechanism]:
        """Yield one mechanism after the other."""
        for k in range(int(np.prod(self.lead, dtype=int))):
            yield self.m.with_values({n: float(x[k]) for n, x in self.arrays.items()})

    def shaped(self, x: Any) -> Array:
        """Return rows, one per machine, with the dimensions of the parameters."""
        made = np.asarray(x)
        return made.reshape((*self.lead, *made.shape[1:]))


def at_first(m: Mechanism, parameters: Any, names: Collection[str] | None = None) -> Mechanism:
    """Return a closed machine whose parameters have the first of the values given.

    Loops are planned with numbers; kernels still take every value that is given. `names` are those
    looked at, the open ones by default.
    """
    names = m.open_parameters if names is None else names
    if not isinstance(parameters, Mapping) or not names or not is_closed(m):
        return m
    first = {}
    for name in names:
        with suppress(TypeError, ValueError, IndexError):  # wrong ones are refused later
            first[name] = float(np.ravel(parameters[name])[0]) if name in parameters else np.nan
    own = tuple(replace(p, value=first[p.name]) if np.isfinite(first.get(p.name, np.nan)) else p
                for p in m.parameters)  # fmt: skip
    return replace(m, parameters=own, checked=True)


def with_numbers(m: Mechanism, parameters: Mapping[str, Any] | None) -> Mechanism:
    """Return the machine with the parameters that are numbers; arrays have one for each state."""
    known = {k: v for k, v in (parameters or {}).items() if np.ndim(v) == 0}
    return m.with_values(**known) if known else m


def designs_of(m: Mechanism, parameters: Mapping[str, Any] | None, what: str) -> Designs:
    """Return the machines that parameters make of m."""
    if parameters is None:
        return Designs(m, {}, ())
    if not isinstance(parameters, Mapping):
        raise UsageError(f"{what}: parameters are a mapping", hint='parameters={"L1": 0.4}')
    m = freed(m, parameters)
    known = [p.name for p in m.parameters]
    numbers: dict[str, float] = {}
    arrays: dict[str, Array] = {}
    for name, given in parameters.items():
        if name not in known:
            raise ParameterError(
                f"{what}: there is no parameter {shown(str(name))!r}",
                hint=closest(str(name), known),
            )
        try:
            x = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise UsageError(f"{what}: parameter {shown(name)!r} holds no numbers") from None
        if not np.isfinite(x).all():
            raise UsageError(f"{what}: parameter {shown(name)!r} is not finite")
        if x.ndim:
            arrays[name] = x
        else:
            numbers[name] = float(x)
    m = m.with_values(numbers) if numbers else m
    if not arrays:
        return Designs(m, {}, ())
    m = freed(m, arrays)
    try:
        lead = np.broadcast_shapes(*(x.shape for x in arrays.values()))
    except ValueError:
        shapes = ", ".join(str(x.shape) for x in arrays.values())
        raise UsageError(f"{what}: parameters of shapes {shapes} do not broadcast") from None
    flat = {n: np.broadcast_to(x, lead).ravel() for n, x in arrays.items()}
    return Designs(m, flat, lead)
