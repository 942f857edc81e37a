"""Limits of force and speed that a driven motion passes at its samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import shown
from ..mechanism import Mechanism
from ..mechanism.letters import freed
from ..mechanism.limits import rate_limits
from ..mechanism.units import force_and_speed

Array = np.ndarray


class Notes:
    """A field for notes: a tuple, or a function that finds them of the result when first read."""

    def __get__(self, result: Any, owner: Any = None) -> Any:
        if result is None:
            return ()  # the default of the field
        kept = result.__dict__
        if "_told" not in kept:
            kept["_told"] = kept["_notes"](result) if callable(kept["_notes"]) else kept["_notes"]
        return kept["_told"]

    def __set__(self, result: Any, notes: Any) -> None:
        result.__dict__["_notes"] = notes


def with_passed(said: tuple[str, ...], law: bool, r: Any) -> tuple[str, ...]:
    """Return what was said of a simulation, and the limits that its motion passed."""
    if r.observe is None:
        return said
    m = at_numbers(r.m, r.parameters)
    return (*said, *passed_limits(m, r.forces, r.t, r.qd, r.tau, law))


def at_numbers(m: Mechanism, parameters: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism of a run; a parameter that is not one number has no value."""
    values = {k: None if np.ndim(x) else float(x) for k, x in parameters.items()}
    if not values:
        return m
    own = freed(m, values)
    named = (replace(p, value=values.get(p.name, p.value)) for p in own.parameters)
    return replace(own, parameters=tuple(named), checked=True)


def passed_limits(
    m: Mechanism, names: Sequence[str], t: Array, qd: Array, tau: Array, law: bool
) -> tuple[str, ...]:
    """Return a note for each joint whose force, or speed in a driven motion, is beyond its limit.

    Nothing holds the motion back there: a motor would. `names` are those of the forces; `law` says
    whether a control law gives them.
    """
    if not tau.size or not np.any(tau):
        return ()
    column = {name: k for k, name in enumerate(m.rate_names)}
    force, speed = (rate_limits(m, n) for n in ("effort_limit", "velocity_limit"))
    hint = "; a law with limit= keeps it" * law
    notes = []
    for k, name in enumerate(names):
        if name not in column:  # the traction of a wheel
            continue
        unit = force_and_speed(m, name)[0]
        what = f"{shown(name, 60)}: {'force' if unit == 'N' else 'torque'}"
        notes += [n + hint for n in _beyond(what, unit, t, tau[..., k], force[column[name]])]
    for name, k in column.items():
        unit = force_and_speed(m, name)[1]
        notes += _beyond(f"{shown(name, 60)}: speed", unit, t, qd[..., k], speed[k])
    return tuple(notes)


def _beyond(what: str, unit: str, t: Array, x: Array, limit: float) -> list[str]:
    size = np.abs(x)
    if not np.isfinite(limit) or not (size > limit * (1 + 1e-9)).any():
        return []
    most = np.unravel_index(np.nanargmax(size), size.shape)
    return [
        f"{what} {size[most]:.4g} {unit} at t = {t[most[-1]]:.4g} s is beyond its limit of "
        f"{limit:.4g} {unit}, and was not held back"
    ]
