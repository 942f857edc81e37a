"""The method with the fewest operations, where none is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import DalembertError
from ..mechanism import Mechanism
from .ways import Asked

if TYPE_CHECKING:
    from ..expr import Program

MOST = 12  # degrees of freedom above which composite bodies never need fewer
SHALLOW, DEEP = 6, 16  # joints before one, on average: base axes never gain, always gain
GAIN = 0.9  # of the operations that the default needs; with less to gain it is not faster


def has_choice(asked: Asked) -> bool:
    """Return whether a kernel is made by the cheaper of two methods."""
    m, row = asked.m, asked.row
    if row.planned or asked.wrench or asked.method is not None:
        return False
    if row.cheaper not in row.methods or row.cheaper == row.default:
        return False
    if row.cheaper == "composite":
        return m.nv <= MOST
    return depth(m) >= SHALLOW and is_compact(m)


def is_compact(m: Mechanism) -> bool:
    """Return whether no link can move far from where its tree begins to turn.

    Moments about that point would else be large and differ by little: digits are lost.
    """
    turns = {-1: False}
    for j, body in enumerate(m.bodies):
        kind = body.joint.kind
        turns[j] = turns[body.parent] or kind not in ("fixed", "prismatic")
        if turns[body.parent] and kind in ("prismatic", "screw", "planar", "free"):
            return False
    return True


def depth(m: Mechanism) -> float:
    """Return how many joints stand between a joint and the base, on average."""
    before: list[int] = []
    for body in m.bodies:
        moves = body.joint.nv > 0
        before.append(before[body.parent] + moves if body.parent >= 0 else 0)
    return sum(before) / max(1, len(before))


def cheapest(asked: Asked) -> Program:
    """Return the program of the default method, or of the other one if it costs clearly less."""
    method = asked.row.cheaper
    if method == "base_axes" and depth(asked.m) > DEEP:
        return asked.program(method)
    default = asked.program(None)
    try:
        other = asked.program(method)
    except (DalembertError, ZeroDivisionError):  # it asks more of the mechanism
        return default
    return other if other.cost["step"].work < GAIN * default.cost["step"].work else default
