"""Lateral forces of tyres that slip, beside wheels that do not: the conclusion of DeSantis (1996).

A tyre meets the sideways velocity of its wheel's point by a force that grows with the slip angle
α = atan(v_side/|v|), F = -C α, and no further than its peak: F = -C α/sqrt(1 + (C α/peak)²).
Below the speed `low` the angle is that of this speed, so that a vehicle may stand.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..expr import Scalar, atan2, sqrt
from ..joint import Vector
from ..mechanism import Mechanism, Tyre
from ..spatial import Wrench
from .link_motion import State
from .velocity_rows import heading, steering_of, wheel_angle


def lateral_force(tyre: Tyre, ahead: Scalar, aside: Scalar) -> Scalar:
    """Return the force of a tyre along its normal at a velocity ahead and aside."""
    slip = atan2(aside, sqrt(ahead * ahead + tyre.low * tyre.low))
    force = slip * -tyre.stiffness
    if tyre.peak is None:
        return force
    share = force / tyre.peak
    return force / sqrt(1 + share * share)


def tyre_wrenches(
    m: Mechanism, q: Vector, qd: Vector, states: Mapping[int, State]
) -> list[tuple[int, Wrench]]:
    """Return the wrench of the ground on each body with a tyre, link axes at its origin."""
    found = []
    steer = steering_of(m)
    for wheel in m.wheels:
        if wheel.tyre is None or wheel.body < 0:
            continue
        body = states[wheel.body]
        velocity = body.R.T @ body.point(wheel.point).xd
        normal, forward = heading(wheel, wheel_angle(m, wheel, q, qd, steer)[0])
        force = normal * lateral_force(wheel.tyre, forward.dot(velocity), normal.dot(velocity))
        found.append((wheel.body, Wrench(force, wheel.point.cross(force))))
    return found
