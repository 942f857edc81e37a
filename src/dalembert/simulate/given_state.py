"""A state and its forces as they may be given: rates or speeds, forces of motors or of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..algorithms import kane
from ..errors import UsageError, require_none, shown
from ..linalg import dot
from ..plan.assembly import velocity_indices
from .systems import Reduced, System

Array = np.ndarray


def asked(own: System, q: Array, v: Array, tau: Any, steer: Any, t: float) -> Any:
    """Return (speeds, forces, columns of B): on wheels rates of all joints, forces of motors.

    Where motors are named a force for each may be given, as `forward_dynamics` takes them: in the
    order of the motors, also where all joints have one.
    """
    m, size = own.m, own.forces
    if not isinstance(own, Reduced):
        return v, np.asarray(np.zeros(size) if tau is None else tau, dtype=float), list(range(size))
    kept = list(velocity_indices(m, m.active)) if m.active else [*range(m.nv)]
    if v.shape == (m.nv,) != (own.speeds,):
        v = _speeds(own, q, v, held_signals(own, q, steer, t))
    if tau is not None and np.shape(tau) == (size,) != (len(kept),):
        return v, np.asarray(tau, dtype=float), list(range(size))
    if tau is None and not m.active:
        return v, np.zeros(size), list(range(size))
    given = np.asarray(np.zeros(len(kept)) if tau is None else tau, dtype=float)
    if given.shape != (len(kept),):
        raise UsageError(
            f"tau has shape {given.shape}, expected ({len(kept)},) for the motors or ({size},)",
            hint="forces of all joints, then the traction of each wheel",
        )
    full = np.zeros(size)
    full[kept] = given
    return v, full, kept


def held_signals(own: System, q: Array, steer: Any, t: float) -> Array:
    """Return the signals held still: steering angles, joints where they are, time."""
    u = np.zeros(own.signals)
    if not isinstance(own, Reduced):
        if np.size(steer):  # an empty list leaves nothing out
            require_none("a machine without wheels and constraints", steer=steer)
        return u
    at = 2 * len(own.steering)
    if steer is not None:
        u[0:at:2] = _angles(own, steer)
    parts = own.m.split_q(list(q))
    for j in own.given:
        u[at], at = parts[j][0], at + 3
    if own.timed:
        u[at : at + 2] = t, 1.0
    return u


def _angles(own: System, steer: Any) -> Array:
    """Return the steering angles, given in their order or by name; those not named are 0."""
    names = own.steering
    listed = ", ".join(map(shown, names)) or "none"
    if isinstance(steer, Mapping):
        for name in steer:
            if name in own.m.joint_names:
                hint = "it is held where q has it"
                raise UsageError(f"steer: {shown(name)!r} is a joint, no steering angle", hint=hint)
            if name not in names:
                hint = f"steering angles: {listed}"
                raise UsageError(f"steer: there is no {shown(str(name))!r}", hint=hint)
        return np.array([float(steer.get(name, 0.0)) for name in names])
    angles = np.atleast_1d(np.asarray(steer, dtype=float))
    if angles.shape != (len(names),):
        raise UsageError(
            f"steer has shape {angles.shape}, expected ({len(names)},)",
            hint=f"steering angles: {listed}; prescribed joints are held where q has them",
        )
    return angles


def _speeds(own: Reduced, q: Array, qd: Array, u: Array) -> Array:
    """Return the speeds of rates of all joints that keep the constraints."""
    b = own.m.bound()
    pose, rates = [float(x) for x in q], [float(x) for x in qd]
    rows = kane.speed_rows(b, pose, rates, kane.steering(b, *own.prescribed([float(x) for x in u])))
    v = [dot(r.H, rates) for r in rows]
    back = np.array(own.bound(b).velocity(pose, v, [float(x) for x in u]), dtype=float)
    gap = np.abs(back - qd)
    if gap.max(initial=0.0) > 1e-8 * (1 + np.abs(qd).max(initial=0.0)):
        name = own.m.rate_names[int(gap.argmax())]
        raise UsageError(
            f"qd breaks the constraints: {shown(name)!r} is off by {gap.max():.3g}",
            hint="give the speeds: " + ", ".join(map(shown, kane.speed_names(own.m))),
        )
    return np.array(v, dtype=float)
