"""The method with the fewest operations, where none is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..catalog import Quantity
from ..errors import DalembertError
from ..expr import Program
from ..mechanism import Mechanism

# quantity: the other method that small trees may gain from
OTHERS = {"forward_dynamics": "composite"}
MOST = 12  # freedoms above which it never needs fewer
GAIN = 0.9  # of the operations that the default needs; with less to gain it is not faster


def has_choice(m: Mechanism, row: Quantity | None, method: str | None, wrench: bool) -> bool:
    """Return whether a kernel is made by the cheaper of two methods."""
    if row is None or row.planned or wrench or method is not None or m.nv > MOST:
        return False
    other = OTHERS.get(row.name)
    return other in row.methods and other != row.default


def cheapest(make: Callable[..., Program], m: Mechanism, name: str, **asked: Any) -> Program:
    """Return the program of the default method, or of the other one if it costs clearly less."""
    default = make(m, name, None, **asked)
    try:
        other = make(m, name, OTHERS[name], **asked)
    except (DalembertError, ZeroDivisionError):  # it asks more of the mechanism
        return default
    return other if _work(other) < GAIN * _work(default) else default


def _work(program: Program) -> int:
    step = program.cost["step"]
    return step.mul + step.add + 20 * step.div
