"""One velocity constraint H(q) q̇ = h and its rate; rows whose rates follow from dual numbers."""

from __future__ import annotations

from collections.abc import Callable

from ..algebra import is_plain_zero
from ..expr import Scalar
from ..frozen import dataclass
from ..joint import Vector
from ..mechanism import Mechanism
from .dual import Dual, parts


@dataclass(frozen=True, slots=True)
class Row:
    """One constraint H q̇ = h, with the time derivatives Hd and hd of both sides."""

    name: str
    H: list[Scalar]
    Hd: list[Scalar]
    h: Scalar = 0
    hd: Scalar = 0


Rows = list[list[Scalar]]


def with_rate(
    m: Mechanism, f: Callable[[Vector], Rows], q: Vector, qd: Vector
) -> tuple[Rows, Rows]:
    """Return f(q) and its rate along the motion q̇, for any kind of joints."""
    if all(is_plain_zero(x) for x in qd):
        rows = f(q)
        return rows, [[0] * len(row) for row in rows]
    found = f([Dual(x, rate) for x, rate in zip(q, m.coordinate_rates(q, qd), strict=True)])
    pairs = [[parts(x) for x in row] for row in found]
    return [[x for x, _ in row] for row in pairs], [[s for _, s in row] for row in pairs]
