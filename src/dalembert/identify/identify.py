"""`identify`: the model that a measured motion with measured forces shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.parameter_relations import TEN
from ..catalog.loops import is_closed
from ..compute import evaluate
from ..errors import UsageError
from ..expr.exact import to_float
from ..measure.motion import MeasuredMotion, read_motion
from ..mechanism import Drive, Mechanism, require_mechanism
from .consistent import nearest
from .fit import fit
from .result import Identification
from .rows import equations
from .unknowns import Unknowns, carried, inertia_of, unknowns

Array = np.ndarray


def identify(
    m: Mechanism,
    motion: Any,
    friction: bool | str = True,
    payload: str | None = None,
    consistent: bool = True,
    holdout: float = 0.2,
) -> Identification:
    """Return the parameters that explain measured forces along a measured motion.

    `motion` is a motion of `read_motion` with forces, or a file. `friction` adds viscous and
    Coulomb friction at every motor, "asymmetric" one Coulomb level per direction. `payload` names a
    frame: only a load there (and friction) is unknown. `consistent` keeps every body physical; the
    last part `holdout` of the motion is not fitted and gives R².

    >>> import dalembert as da
    >>> import numpy as np
    >>> m = da.load("RZ(), TXK(1); gravity = (0, -9.81, 0); body 1: M = 2, D = (0.5, 0, 0), I = (0, 0, 0.1);")
    >>> t = np.linspace(0, 20, 2001)
    >>> q = np.sin(t) + 0.5 * np.sin(2.7 * t)
    >>> qd, qdd = np.cos(t) + 1.35 * np.cos(2.7 * t), -np.sin(t) - 3.645 * np.sin(2.7 * t)
    >>> tau = 0.8 * qdd + 9.81 * np.cos(q) + 0.3 * qd + 0.2 * np.sign(qd)
    >>> f = da.identify(m, da.read_motion({"t": t, "q.j1": q, "tau.j1": tau}, m))
    >>> {n: round(f.base[n], 3) for n in ("MX1", "FV1", "FS1")}
    {'MX1': 1.0, 'FV1': 0.3, 'FS1': 0.2}
    """  # noqa: E501
    require_mechanism(m, "identify")
    if not isinstance(motion, MeasuredMotion):
        motion = read_motion(motion, m)
    if motion.m.coordinate_names != m.coordinate_names:
        raise UsageError(
            "the motion belongs to another mechanism", hint="da.read_motion(file, m) of this one"
        )
    if payload is not None and payload not in m.frames:
        m.frame(payload)  # raises with the names of the frames
    u = unknowns(m, friction, payload)
    e = equations(u, _closed(m, motion), holdout)
    f = fit(e)
    phi = nearest(u, f, consistent)
    notes = [*motion.notes, *map(str, motion.gaps), *e.notes]
    made = _with_payload(m, u, phi) if payload else _with_parameters(m, u, phi)
    return Identification(made, m, motion, f, e, phi, tuple(notes))


def _closed(m: Mechanism, d: MeasuredMotion) -> MeasuredMotion:
    """Return the motion with its loops closed: measured joints contradict each other a little."""
    if not is_closed(m):
        return d
    rows = np.flatnonzero(d.valid)
    q, qd, qdd = (np.array(x) for x in (d.q, d.qd, d.qdd))
    made = evaluate(m, "assembly", q[rows])
    q[rows] = made[0] if isinstance(made, tuple) else made
    qd[rows], qdd[rows] = evaluate(m, "tree_motion", q[rows], qd[rows], qdd[rows])[:2]
    return replace(d, q=q, qd=qd, qdd=qdd)


def _with_parameters(m: Mechanism, u: Unknowns, phi: Array) -> Mechanism:
    """Return the mechanism with standard parameters replaced by numbers."""
    bodies = list(m.bodies)
    for j in range(len(bodies)):
        own = [k for k, c in enumerate(u.standard) if c.body == j and c.kind in TEN]
        if own:
            bodies[j] = replace(bodies[j], inertia=inertia_of(phi[own]))
    return replace(m, bodies=tuple(bodies), drives=_drives(m, u, phi), parameters=(), changes=())


def _drives(m: Mechanism, u: Unknowns, phi: Array) -> tuple[Drive, ...]:
    """Return the drives with identified rotor inertia and friction, motor side of their gears."""
    values = {k: to_float(v) for k, v in m.values.items()}
    made = {d.joint: d for d in u.m.drives}
    for j, d in made.items():
        gear = float(to_float(d.gear, values))
        own = {c.kind: float(phi[k]) for k, c in enumerate(u.standard) if c.body == j}
        changes: dict[str, Any] = {}
        if "Ia" in own:
            changes["inertia"] = own["Ia"] / gear**2
        if "Fv" in own:
            changes["viscous"] = own["Fv"] / gear**2
        if "Fs" in own:
            changes["coulomb"] = (own["Fs"] / abs(gear), -own["Fs"] / abs(gear))
        if "Fs+" in own:
            changes["coulomb"] = (own["Fs+"] / abs(gear), own["Fs-"] / abs(gear))
        made[j] = replace(d, **changes)
    return tuple(made.values())


def _with_payload(m: Mechanism, u: Unknowns, phi: Array) -> Mechanism:
    """Return the mechanism carrying the identified load."""
    body, place = m.bound().frame(u.payload)
    bodies = list(m.bodies)
    load = inertia_of(carried(place) @ phi[:10])
    bodies[body] = replace(bodies[body], inertia=bodies[body].inertia + load)
    drives = _drives(m, u, phi) if len(phi) > 10 else m.drives
    return replace(m, bodies=tuple(bodies), drives=drives)
