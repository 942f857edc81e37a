"""What rolling bodies bear: the forces of their rows, at the contact, on both sides."""

from __future__ import annotations

from ..algebra import Transform, Vec3
from ..joint import Vector
from ..mechanism import Mechanism
from ..spatial import Wrench
from .kinematics import target_pose
from .rolling_rows import Place, rolling_names
from .springs import added


def rolling_wrenches(m: Mechanism, q: Vector, lam: Vector) -> dict[int, Wrench]:
    """Return the wrench on each body through its rolling contacts, link axes at its origin.

    `lam` holds one multiplier for each row of the rolling bodies.
    """
    found: dict[int, Wrench] = {}
    at = 0
    for c in m.rolling:
        place, force = Place.of(m, c, q), Vec3.zero()
        for k, direction in enumerate(place.directions()):
            force = force + direction * lam[at + k]
        at += len(rolling_names(c))
        here = place.contact
        for body, sign in ((c.body_i, 1), (c.body_j, -1)):
            if body >= 0:
                T = target_pose(m, (body, Transform()), q)
                f, n = force * sign, (here - T.p).cross(force) * sign
                found = added(found, {body: Wrench(T.R.T @ f, T.R.T @ n)})
    return found
