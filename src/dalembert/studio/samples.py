"""Sample values for the open parameters of a machine, so that a newcomer can let it move at once.

Masses, mass centres and inertias are those of a rod of 2 kg that is as long as a letter is drawn.
"""

from __future__ import annotations

from typing import Any

from ..expr import Expr
from ..view.pose import STAND_IN, drawn_with

MASS = 2.0
CENTRE = STAND_IN / 2
INERTIA = round(MASS * STAND_IN**2 / 12, 4)


def samples(m: Any) -> dict[str, float]:
    """Return a value for each open parameter, by what it stands for: a length first."""
    found = dict.fromkeys(drawn_with(m), STAND_IN)
    for b in m.bodies:
        at_centre = b.inertia.at == "centre"
        six = b.inertia.tensor.six()
        for numbers, value in (
            ((b.inertia.mass,), MASS),
            (b.inertia.lever, CENTRE if at_centre else MASS * CENTRE),
            (six[:3], INERTIA if at_centre else 4 * INERTIA),
            (six[3:], 0.0),
        ):
            for x in numbers:
                for name in x.names() if isinstance(x, Expr) else ():
                    found.setdefault(name, value)
    return {name: found.get(name, STAND_IN) for name in m.open_parameters}
