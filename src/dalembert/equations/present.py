"""Which components of the reported constants V and J are not zero, before any of them is written.

Where all masses, centres, inertias and lengths are single letters or zero, no sum of them can
vanish: the zeros of each body tell. Any other mechanism has its augmented bodies written first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..expr import Expr
from ..mechanism import Mechanism
from .reported import ENTRIES

Present = tuple[list[tuple[int, int]], list[tuple[int, int, int]]]  # (body, u) of V, (body, a, b)
AXES = (0, 1, 2)


def _point(axes: int) -> int:
    """Return the entries of the tensor of a point mass, as bits; axes: those of its lever."""
    x, y, z = axes & 1, axes >> 1 & 1, axes >> 2 & 1
    entries = (y | z, x | z, x | y, x & y, x & z, y & z)
    return sum(bit << k for k, bit in enumerate(entries))


POINT = [_point(axes) for axes in range(8)]


def of_letters(m: Mechanism) -> Present | None:
    """Return the components that are not zero; None where more than letters tell."""
    masses: list[tuple[int, int]] = []
    inertias: list[tuple[int, int, int]] = []
    count = len(m.bodies)
    heavy, V, J = [0] * count, [0] * count, [0] * count
    for j in range(count - 1, -1, -1):
        body = m.bodies[j]
        inertia, p, i = body.inertia, body.placement.p, body.parent
        mass, centre = _letters((inertia.mass,)), _letters(inertia.lever)
        tensor, lever = _letters(inertia.tensor.six()), _letters(p)
        plain = inertia.at == "centre" and body.joint.kind == "revolute"
        if not plain or None in (mass, centre, tensor, lever):
            return None
        heavy[j] |= mass
        if mass:
            V[j], J[j] = V[j] | centre, J[j] | POINT[centre]
        J[j] |= tensor
        if i >= 0 and heavy[j]:
            heavy[i], V[i], J[i] = 1, V[i] | lever, J[i] | POINT[lever]
    for j in range(count):
        masses += [(j, u) for u in AXES if V[j] >> u & 1]
        inertias += [(j, a, b) for k, (a, b) in enumerate(ENTRIES) if J[j] >> k & 1]
    return masses, inertias


def _letters(scalars: Iterable[Any]) -> Any:
    """Return which scalars are letters, as bits; None where one is neither a letter nor zero."""
    bits, bit = 0, 1
    for x in scalars:
        if x.__class__ is Expr:
            if x.graph.op[x.id] != "param":
                return None
            bits |= bit
        elif x.__class__ is not int or x != 0:
            return None
        bit <<= 1
    return bits
