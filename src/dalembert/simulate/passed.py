"""Limits of force and speed that a driven motion passes at its samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import shown
from ..mechanism import Mechanism
from ..mechanism.limits import rate_limits
from ..mechanism.units import force_and_speed

Array = np.ndarray


def passed_limits(
    m: Mechanism, names: Sequence[str], t: Array, qd: Array, tau: Array
) -> tuple[str, ...]:
    """Return a note for each joint whose force, or speed in a driven motion, is beyond its limit.

    Nothing holds the motion back there: a motor would.
    """
    if not tau.size or not np.any(tau):
        return ()
    column = {name: k for k, name in enumerate(m.rate_names)}
    force, speed = (rate_limits(m, n) for n in ("effort_limit", "velocity_limit"))
    notes = []
    for k, name in enumerate(names):
        if name not in column:  # the traction of a wheel
            continue
        at, (newton, rate) = column[name], force_and_speed(m, name)
        what = "force" if newton == "N" else "torque"
        notes += _beyond(f"{shown(name, 60)}: {what}", newton, t, tau[..., k], force[at])
        notes += _beyond(f"{shown(name, 60)}: speed", rate, t, qd[..., at], speed[at])
    return tuple(notes)


def _beyond(what: str, unit: str, t: Array, x: Array, limit: float) -> list[str]:
    size = np.abs(x)
    if not np.isfinite(limit) or not (size > limit * (1 + 1e-9)).any():
        return []
    most = np.unravel_index(np.nanargmax(size), size.shape)
    hint = "; a law with limit= keeps it" * (not what.endswith("speed"))
    return [
        f"{what} {size[most]:.4g} {unit} at t = {t[most[-1]]:.4g} s is beyond its limit of "
        f"{limit:.4g} {unit}, and was not held back{hint}"
    ]
