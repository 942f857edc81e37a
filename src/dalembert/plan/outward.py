"""Slides of the legs of a platform, put the right way round.

A leg whose slide runs through its first joint closes as well with a length below zero. No such leg
is built: where nobody asked for a pose, lengths are those of branch 1 of the closed forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..algorithms.kinematics import frame_pose
from ..algorithms.leg_kinematics import plain
from ..algorithms.platform import Leg, platform_of
from ..algorithms.reduced_legs import coordinates, sign_count
from ..errors import ModelError
from ..mechanism import Mechanism

if TYPE_CHECKING:
    import numpy as np

SLIDES = (("revolute", "revolute", "prismatic"), ("revolute", "prismatic"))


def outward(m: Mechanism, q: np.ndarray) -> np.ndarray:
    """Return a closed pose of a bound machine, the platform where it is, lengths above zero."""
    import numpy as np

    try:
        robot = platform_of(m)
        legs = [leg for leg in robot.legs if has_length(leg)]
        if not legs:
            return q
        T = frame_pose(m, robot.m.bodies[robot.body].name, q.tolist())
        made: dict[str, float] = {}
        for leg in legs:
            own = coordinates(leg, T.R, T.p + T.R @ leg.hold, 1)
            bodies = leg.tree.bodies
            made |= {b.name: float(plain(x)) for b, x in zip(bodies, own, strict=True)}
    except (ModelError, ValueError, ZeroDivisionError):  # a leg without a closed form
        return q
    found = np.array(q)
    for body, at in zip(m.bodies, m.coordinate_index, strict=True):
        if body.name in made:
            found[at] = made[body.name]
    return found


def has_length(leg: Leg) -> bool:
    """Return whether a leg with a closed form is a slide that turns with its first joints."""
    kinds = tuple(b.joint.kind for b in leg.tree.bodies)
    return sign_count(leg) > 0 and kinds in SLIDES
