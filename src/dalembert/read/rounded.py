"""Angles that are almost multiples of pi/12, such as 1.5708: read as written, and told.

Nothing is changed: the note says how many there are and which option makes them exact.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import some
from ..expr import Expr, decimal
from ..expr.exact import Exact
from .expressions import snap_angle

ALMOST = "almost a multiple of pi/12"
NEAR = 1e-5  # rad: what a rounding to five or more digits leaves


def rounded(angle: Exact, snap: float | None) -> list[str]:
    """Return the text of an angle that `snap=1e-5` would make exact, where nobody chose `snap`."""
    if snap is not None or isinstance(angle, Expr) or angle == 0:
        return []
    plain, near = snap_angle(angle)[1], snap_angle(angle, NEAR)[1]
    return [decimal(angle)] if plain is None and near is not None else []


def rounded_note(angles: Sequence[str]) -> list[str]:
    """Return the note on such angles: they stay as they are, and make long equations."""
    if not angles:
        return []
    unique = list(dict.fromkeys(angles))
    first = "1 angle is" if len(angles) == 1 else f"{len(angles)} angles are"
    return [
        f"{first} {ALMOST} and kept as written, which makes equations and code "
        f"longer: {some(unique)}; --snap 1e-5, or da.load(..., snap=1e-5), reads exact multiples"
    ]
