"""`identify`: the model that a measured motion with measured forces shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.parameter_relations import TEN, inertia_of
from ..compute.counted import counted
from ..errors import ComputationError, ModelError, UsageError
from ..expr.exact import to_float
from ..measure.columns import require_own
from ..measure.long import is_long, windows
from ..measure.motion import MeasuredMotion, gap_lines, read_motion
from ..measure.wrench import tables_of
from ..mechanism import Drive, Mechanism, require_mechanism
from .closing import closed
from .consistent import nearest
from .doubts import doubts
from .extra import with_speeds
from .fit import fit
from .long import equations_of_windows
from .prepare import undelayed, without_known_forces
from .result import Identification
from .rows import Equations, dead_zone, equations
from .rungs import with_best_rungs
from .unknowns import Unknowns, carried, equation_indices, unknowns

Array = np.ndarray
CLEARLY, LONG_ENOUGH = 3.0, 0.5  # times the speed whose sign is known; part of the samples


def identify(
    m: Mechanism,
    motion: MeasuredMotion
    | str
    | Path
    | Mapping[str, Any]
    | Iterator[tuple[tuple[float, float], MeasuredMotion]],
    friction: bool | str = True,
    payload: str | None = None,
    consistent: bool = True,
    holdout: float = 0.2,
    *,
    gravity: bool = False,
    wrench_on_body: Mapping[str, Any] | ArrayLike | None = None,
    delay: float | str | None = None,
) -> Identification:
    """Return the parameters that explain measured forces along a measured motion.

    - `motion`: the result of `read_motion`, with forces, or a file (a long CSV goes in windows).
    - `friction`: True for viscous and Coulomb friction at every motor, False to ask for none: that
      of the description is then known. These add to it: "asymmetric" (a Coulomb level for each
      direction), "offset" (a constant force), "stribeck" (it falls as a joint begins to move).
    - `payload`: a frame. Only a load on it, and friction, are then unknown.
    - `gravity`: True if only the direction of gravity is unknown.
    - `consistent`: keep every body physically possible.
    - `holdout`: the last share of the motion, not fitted, from which R² is computed.
    - `wrench_on_body`: measured wrenches, as in `torques_along`.
    - `delay`: how many seconds later the forces were recorded; "auto" finds it.

    A free base and an elastic joint have no motor: their measured force is taken as zero.

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
    if payload is not None and payload not in m.frames:
        m.frame(payload)  # raises with the names of the frames
    u = unknowns(m, friction, payload, gravity)
    motion = windows(str(motion), m) if is_long(motion) else motion
    if isinstance(motion, Iterator):
        e, motion, late = _in_windows(m, u, motion, holdout, wrench_on_body, delay)
    else:
        motion, late = _ready(m, u, _own_motion(m, motion), wrench_on_body, delay)
        e = equations(_with_speeds(m, u, motion), motion, holdout)
    e = with_best_rungs(e)
    f, u = fit(e), e.unknowns
    phi = nearest(u, f, consistent)
    notes = [*motion.notes, *gap_lines(motion.gaps), *e.notes]
    notes += [f"forces come {1e3 * late:.4g} ms late"] if late else []
    notes += [f"{x}: that of the description" for x in counted(m, "all") if not friction]
    found = Identification(_made(m, u, phi, payload), m, motion, f, e, phi, tuple(notes))
    return replace(found, notes=(*notes, *doubts(found)))


def _ready(
    m: Mechanism, u: Unknowns, motion: MeasuredMotion, wrench: Any, delay: Any
) -> tuple[MeasuredMotion, float]:
    """Return a log whose loops are closed, without known forces and delay; and the delay."""
    return undelayed(u, without_known_forces(m, closed(m, motion), wrench), delay)


def _with_speeds(m: Mechanism, u: Unknowns, motion: MeasuredMotion) -> Unknowns:
    """Return the unknowns with a ladder of Stribeck speeds below those of the motion."""
    if not u.extras:
        return u
    fastest = np.nanmax(np.abs(motion.qd[:, equation_indices(m)]), axis=0)
    return u.beside(with_speeds(u.extras, fastest))


def _in_windows(
    m: Mechanism, u: Unknowns, log: Any, holdout: float, wrench: Any, delay: Any
) -> tuple[Equations, MeasuredMotion, float]:
    """Return the equations of a log that comes in windows, some of its samples, and the delay.

    The first window that moves says how late the forces are, and how fast the joints get.
    """
    known: list[tuple[Unknowns, float]] = []
    wrench = tables_of(wrench)

    def prepared(own: Unknowns, d: MeasuredMotion) -> tuple[Unknowns, MeasuredMotion]:
        if not d.valid.any():
            return own, d
        if not known and (delay == "auto" or own.extras) and not _tells(own, d):
            return own, replace(d, tau=None)
        d, late = _ready(m, own, d, wrench, known[0][1] if known else delay)
        if not known:
            known.append((_with_speeds(m, own, d), late))
        return known[0][0], d

    try:
        e, motion = equations_of_windows(u, log, holdout, prepared)
    except UsageError:
        if known:
            raise
        raise UsageError(
            "in no stretch of the log do joints with measured forces move for half of the time",
            hint="cut the log to where it moves, or give the delay in seconds; "
            "friction=True asks less of a log",
            command="cut the log to where it moves, or give --delay in seconds",
        ) from None
    return e, motion, known[0][1]


def _tells(u: Unknowns, d: MeasuredMotion) -> bool:
    """Return whether joints move clearly for a part of a window, and forces were measured."""
    indices = equation_indices(u.m)
    if d.tau is None or not np.isfinite(d.tau[:, indices]).any():
        return False
    moves = np.abs(d.qd[d.valid][:, indices]) > CLEARLY * dead_zone(d, indices)
    return bool(moves.any(axis=1).mean() > LONG_ENOUGH)


def _own_motion(m: Mechanism, motion: Any) -> MeasuredMotion:
    """Return a motion of this mechanism, read if it is a file."""
    if not isinstance(motion, MeasuredMotion):
        motion = read_motion(motion, m)
    require_own(m, motion)
    return motion


def _made(m: Mechanism, u: Unknowns, phi: Array, payload: str | None) -> Mechanism:
    """Return the mechanism that was found."""
    try:
        return _with_payload(m, u, phi) if payload else _with_parameters(m, u, phi)
    except ModelError as error:
        raise ComputationError(
            f"the log asks for what no body can have: {error.message}",
            hint="consistent=True finds the nearest model that can exist, and what looks wrong",
            command="leave --not-consistent out",
        ) from error


def _with_parameters(m: Mechanism, u: Unknowns, phi: Array) -> Mechanism:
    """Return the mechanism with standard parameters replaced by numbers."""
    if u.gravity:
        g, usual = phi[:3], u.nominal[:3]
        turned = g * (np.linalg.norm(usual) / max(float(np.linalg.norm(g)), 1e-300))
        rubbed = replace(m, drives=_drives(m, u, phi)) if u.drives == "all" else m
        return rubbed.with_gravity([float(x) for x in turned])
    bodies = list(m.bodies)
    for j in range(len(bodies)):
        own = [k for k, c in enumerate(u.standard) if c.body == j and c.kind in TEN]
        if own:
            bodies[j] = replace(bodies[j], inertia=inertia_of(phi[own].tolist()))
    return replace(m, bodies=tuple(bodies), drives=_drives(m, u, phi), changes=())


def _drives(m: Mechanism, u: Unknowns, phi: Array) -> tuple[Drive, ...]:
    """Return the drives with identified rotor inertia and friction, motor side of their gears."""
    values = m.floats
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
        if "F0" in own:
            level = own.get("Fs", 0.0)
            changes["coulomb"] = ((own["F0"] + level) / abs(gear), (own["F0"] - level) / abs(gear))
        speed = next((x.speed for x in u.extras if x.kind == "Fk" and x.body == j), 0.0)
        if speed:
            up, down = changes["coulomb"]
            more = own["Fk"] / abs(gear)
            changes |= {"static": (up + more, down - more), "stribeck": speed}
        elif "coulomb" in changes and any(x != 0 for x in d.static):
            # friction that is found may be more than held the joint at rest by the description
            (up, down), held = changes["coulomb"], [to_float(x, values) for x in d.static]
            changes["static"] = (max(up, held[0]), min(down, held[1]))
        made[j] = replace(d, **changes)
    return tuple(made.values())


def _with_payload(m: Mechanism, u: Unknowns, phi: Array) -> Mechanism:
    """Return the mechanism carrying the identified load."""
    body, place = m.bound().frame(u.payload)
    bodies = list(m.bodies)
    load = inertia_of((carried(place) @ phi[:10]).tolist())
    bodies[body] = replace(bodies[body], inertia=bodies[body].inertia + load)
    drives = _drives(m, u, phi) if len(phi) > 10 else m.drives  # friction is asked for
    return replace(m, bodies=tuple(bodies), drives=drives)
