"""Whether frames that were chosen anew keep the digits of what the joints feel.

A frame that slides along its joint axis gives the bodies beyond it other levers. Where these bodies
are heavy and balanced, large moments are added that cancel, and what a light one adds drowns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from .expr import Expr
from .joint import Prismatic, Revolute
from .mechanism import Body, Mechanism

LOST = 1e-13  # of the largest term
GROWN = 1000  # times a first moment of a sliding body may grow: it stands in sums that cancel

Regroup = Callable[[Mechanism], Mechanism]


def digits_kept(m: Mechanism, chosen: Mechanism, regroup: Regroup) -> bool:
    """Return whether the first moments about the joint axes, all z, are equal once regrouped.

    `m` has its frames as described.
    """
    if any(isinstance(x, Expr) for b in m.bodies for x in (*b.placement.p, b.m, *b.h, *b.Io.six())):
        return True  # letters: what they will be is not known
    slid = ((_lever(b), _lever(c)) for b, c in zip(m.bodies, chosen.bodies, strict=True)
            if isinstance(b.joint, Prismatic))  # fmt: skip
    if any(now > GROWN * before > 0 for before, now in slid):
        return False
    pairs = zip(regroup(m).bodies, regroup(chosen).bodies, _moments(m), strict=True)
    return all(
        abs(_across(one) - _across(other)) <= LOST * most
        for one, other, most in pairs
        if isinstance(one.joint, Revolute)
    )


def _across(body: Body) -> float:
    return _length((body.h.x, body.h.y))


def _lever(body: Body) -> float:
    """Return the first moment about the parent's origin, without signs."""
    return abs(float(body.m)) * _length(body.placement.p) + _length(body.h)


def _moments(m: Mechanism) -> list[float]:
    """Return the sum of the first moments, without their signs, of each body and all beyond it."""
    mass, moment = [0.0] * len(m.bodies), [0.0] * len(m.bodies)
    for j, body in m.inward():
        mass[j] += abs(float(body.m))
        moment[j] += _length(body.h)
        if body.parent >= 0:
            mass[body.parent] += mass[j]
            moment[body.parent] += moment[j] + mass[j] * _length(body.placement.p)
    return moment


def _length(v: Iterable[object]) -> float:
    return math.hypot(*(float(x) for x in v))  # type: ignore[arg-type]
