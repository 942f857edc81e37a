"""Where a choice of speeds decides the motion: the determinant of constraints and speeds together.

[H; S] q̇ = [h; α] has one solution where det [H; S] is not zero. The determinant is exact, so that
a constant one is a proof for every pose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..algebra import is_plain_zero
from ..algorithms.kane import speed_rows
from ..errors import TooLargeError
from .kane_value import written
from .ratio import Ratio, as_ratio, size

if TYPE_CHECKING:
    from .kane_form import KaneForm

EVERYWHERE = "the speeds decide the motion at every pose"
UNTOLD = "the speeds decide the motion where the determinant of H and their rows is not 0"
CHECKED = "kernels check it at each state, simulate chooses others there"
LARGEST = 10  # rows of a determinant that is written down
LONGEST = 12  # terms of one that is read


def determinant(rows: list[list[Any]]) -> Any:
    """Return the determinant by elimination over exact ratios."""
    A, sign, found = [list(map(as_ratio, row)) for row in rows], 1, 1
    for k in range(len(A)):
        # the shortest pivot keeps the others short
        below = [r for r in range(k, len(A)) if not is_plain_zero(A[r][k])]
        if not below:
            return 0
        best = min(below, key=lambda r: size(A[r][k]))
        if best != k:
            A[k], A[best], sign = A[best], A[k], -sign
        pivot = A[k][k]
        found = pivot * found
        for row in A[k + 1 :]:
            if not is_plain_zero(row[k]):
                share = row[k] / pivot
                row[k:] = [x - share * y for x, y in zip(row[k:], A[k][k:], strict=True)]
    return found * sign


def where_regular(form: KaneForm) -> list[str]:
    """Return where the speeds decide the motion, as a remark."""
    s = form.setting
    if not form.constraints:
        return []
    if form.implicit:
        divided = [
            *form.implicit.pivots(),
            *(f"root{k}" for k, _ in enumerate(form.field.roots, 1)),
        ]
        return [f"the speeds decide the motion where none of these is 0: {', '.join(divided)}"]
    if s.symbols.n > LARGEST:
        return [f"{UNTOLD} ({s.symbols.n} rates); {CHECKED}"]
    chosen = speed_rows(form.m, s.q, [0] * form.m.nv, s.steer)
    try:
        found = determinant([row.H for row in (*form.constraints, *chosen)])
    except TooLargeError:
        return [f"{UNTOLD}; {CHECKED}"]
    if not isinstance(found, Ratio):
        return [EVERYWHERE] if found else []
    moving = {i for key, i in s.symbols.index.items() if key[0] in ("sin", "cos", "q", "rate")}
    used = {i for i, d in enumerate(found.num.degrees()) if d} & moving
    if not used:
        return [EVERYWHERE]
    if size(found) > LONGEST:
        return [f"{UNTOLD} ({size(found)} terms); {CHECKED}"]
    top = found.num
    for i, g in enumerate(found.field.ring.gens):  # parameters that divide it are not zero
        while i not in moving and top.degrees()[i] and not divmod(top, g)[1]:
            top = divmod(top, g)[0]
    told = written(Ratio(found.field, top / top.leading_coefficient(), found.field.one))
    return [f"the speeds decide the motion where {told} is not 0"]
