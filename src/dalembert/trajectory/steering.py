"""Steering along a motion: prescribed angles as joints of massless bodies, which a motion moves.

What is prescribed is led like a motor: its coordinate is part of the motion. A steering angle that
is no joint stands behind the others and asks for no force (DeSantis 1996, section 8).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..algebra import Vec3
from ..algorithms.velocity_rows import TIME, prescribed_names, steering_names
from ..errors import UsageError, shown
from ..joint import Revolute
from ..mechanism import Body, Mechanism
from ..simulate.result import Simulation

Array = np.ndarray


def with_steering(m: Mechanism) -> tuple[Mechanism, tuple[str, ...]]:
    """Return the machine whose prescribed coordinates are led by the motion, and its angles."""
    if TIME in prescribed_names(m):
        raise UsageError(
            "torques_along: an equation of the machine depends on time",
            hint="dalembert.inverse_dynamics takes steer and steer_rate at each state, of which "
            "the last entries are the time and 1",
            command="dalembert eval takes --input steer=... at one state, the time last",
        )
    if not m.prescribed:
        return m, ()
    angles = steering_names(m)
    taken = next((n for n in angles if n in m.frames), None)
    if taken is not None:
        raise UsageError(f"the steering angle {shown(taken)!r} names a body too", hint="rename it")
    bodies = tuple(Body(n, -1, joint=Revolute(Vec3(0, 0, 1))) for n in angles)
    led = tuple(n for n in m.prescribed if n not in m.active)
    made = replace(
        m, bodies=(*m.bodies, *bodies), prescribed=(), active=(*m.active, *led), checked=True
    )
    return made, angles


def of_run(m: Mechanism, run: Any) -> Any:
    """Return (t, q, qd, qdd) of a simulation, by the names of a machine's coordinates."""
    if not isinstance(run, Simulation):
        return run
    if run.q.ndim != 2:
        raise UsageError("torques_along: a simulation of many states was given", hint="give r[k]")
    known, rates = list(run.m.coordinate_names), list(run.m.rate_names)
    missing = [n for n in m.coordinate_names if n not in known]
    if missing:
        raise UsageError(
            f"torques_along: the simulation does not hold {', '.join(map(shown, missing[:8]))}",
            hint="steer it by a law, f(t, q, qd) or control.FollowPath: then the angle is a state",
        )
    if run.accelerations.shape[-1] != len(rates):
        raise UsageError(
            "torques_along: the simulation holds the rates of its speeds alone",
            hint="give t, q, qd, qdd of all joints, or the motion of the motors with start=",
        )
    place, rate = ([own.index(n) for n in names] for own, names in
                   ((known, m.coordinate_names), (rates, m.rate_names)))  # fmt: skip
    return run.t, run.q[:, place], run.qd[:, rate], run.accelerations[:, rate]
