"""What makes an identification doubtful: joints it does not explain, and likely causes.

Measured forces are compared with those of the nominal model along the same motion: columns that
are swapped, have the wrong sign or another unit differ from them in ways that noise does not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import shown
from ..measure.table import some
from .mistakes import mistakes
from .result import Identification
from .unknowns import equation_indices, unpushed

Array = np.ndarray
LOW = 0.8  # R² below which a model explains too little
ALIKE = 0.7  # correlation of forces that are taken for the same
SCALE = 20.0  # times the nominal forces, above which a unit is in doubt
CLIPPED = 0.02  # share of samples at the largest value
USUAL = (
    "check the order, signs and units of the columns, the model and its gravity; forces may have a "
    "constant offset, or come late"
)
SOME = 500  # samples that are looked at


def doubts(f: Identification) -> list[str]:
    """Return what looks wrong with the log or the model, a line each; nothing if all is well."""
    names, measured, nominal = _forces(f)
    notes = _columns(f, names, measured)
    if len(measured) < 20:
        return notes
    low = [n for n, r in f.r_squared.items() if r < LOW]
    causes = mistakes(f)
    causes += [*_turned(f), *_against(names, measured, nominal, low)] if low else []
    causes += _scaled(measured, nominal)
    if low:
        scores = [f"{n} (R² {f.r_squared[n]:.2f})" for n in low]
        notes.append(f"the model explains little of the forces of {some(scores, 3)}")
        causes = causes or [USUAL]
    return [*notes, *causes]


def _forces(f: Identification) -> tuple[Sequence[str], Array, Array]:
    """Return names, and measured and nominal forces of some samples."""
    d, u = f.motion, f.equations.unknowns
    tau = np.asarray(d.tau)[:, equation_indices(f.nominal)]
    idle = {f.nominal.rate_names[k] for k in unpushed(f.nominal)}
    kept = [k for k, n in enumerate(f.equations.forces) if n not in idle]
    kept = [k for k in kept if np.isfinite(tau[:, k]).any()]
    at = np.flatnonzero(d.valid & np.isfinite(tau[:, kept]).all(axis=1))
    at = at[:: max(1, len(at) // SOME)]
    state = d.q[at], d.qd[at], d.qdd[at]
    nominal = u.rows(*state) @ (u.K @ u.nominal) + u.known(*state)
    names = [f.equations.forces[k] for k in kept]
    return names, tau[at][:, kept], nominal[:, kept]


def _columns(f: Identification, names: Sequence[str], measured: Array) -> list[str]:
    """Return columns that stand still, never change, or stay at their largest value."""
    d, notes = f.motion, []
    still = [n for n, x in zip(d.m.coordinate_names, d.q.T, strict=True)
             if np.nanmax(x) - np.nanmin(x) < 1e-9]  # fmt: skip
    if still:
        notes.append(f"standing still, so that the log shows no friction of it: {some(still)}")
    for name, x in zip(names, measured.T, strict=True):
        if len(x) and x.max() == x.min():
            notes.append(f"the force of {shown(name)} never changes: is it measured?")
            continue
        share = max((x == x.max()).mean(), (x == x.min()).mean()) if len(x) > 100 else 0.0
        inner = x[(x > x.min()) & (x < x.max())]
        fine = 2 * len(np.unique(inner)) > len(inner)  # not the steps of a coarse meter
        if share > CLIPPED and fine:
            notes.append(
                f"the force of {shown(name)} stays at its limit of {np.abs(x).max():.4g} in "
                f"{100 * share:.0f} % of the samples: the record may be clipped"
            )
    return notes


def _alike(x: Array, y: Array) -> float:
    """Return the correlation of two forces; 0 where one is constant."""
    if min(np.std(x), np.std(y)) < 1e-12:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def _against(names: Sequence[str], measured: Array, nominal: Array, low: list[str]) -> list[str]:
    """Return forces whose sign is turned, and pairs that are swapped, beside the nominal model."""
    notes = []
    at = [k for k, n in enumerate(names) if n in low]
    own = {k: _alike(measured[:, k], nominal[:, k]) for k in at}
    turned = [names[k] for k in at if own[k] < -ALIKE]
    if turned:
        notes.append(f"forces run against the model, their sign may be turned: {some(turned)}")
    for i in at:
        for k in (k for k in at if k > i):
            crossed = _alike(measured[:, i], nominal[:, k]), _alike(measured[:, k], nominal[:, i])
            if min(crossed) > max(ALIKE, own[i], own[k]):
                notes.append(
                    f"the forces of {shown(names[i])} and {shown(names[k])} may be swapped"
                )
    return notes


def _turned(f: Identification) -> list[str]:
    """Return joints whose viscous friction is negative beyond doubt."""
    against = [n for n in f.base if n.startswith("FV") and f.interval[n][1] < 0]
    if not against:
        return []
    return [f"negative friction, as if time, a speed or a force were reversed: {some(against)}"]


def _scaled(measured: Array, nominal: Array) -> list[str]:
    """Return a note where all forces are far larger or smaller than those of the nominal model."""
    have, usual = (np.sqrt((x**2).mean(axis=0)) for x in (measured, nominal))
    both = (have > 0) & (usual > 0)
    if not both.any():
        return []
    times = float(np.median(have[both] / usual[both]))
    if 1 / SCALE < times < SCALE:
        return []
    return [f"forces are {times:.2g} times those of the nominal model: is their unit right?"]
