"""Base parameters of a tree in which joints follow others.

What groups in the whole tree groups here too, since tau = R' Y phi. Joints that move together feel
less: columns of R' Y that depend on those before them, at random states, are grouped into them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import sqrt
from random import Random
from typing import Any

from ..expr import Scalar
from ..expr.exact import to_float
from ..mechanism import Mechanism
from .drives import Drives
from .regressor import regressor

Rows = list[list[float]]
Constant = Callable[[int, Sequence[float]], Scalar | None]  # a coefficient from its drawn values
DEPENDENT = 1e-8  # what is left of a column, in parts of it


def sampled(
    tree: Mechanism, whole: Mechanism, kept: Sequence[int], drives: Drives, values: dict[str, float]
) -> Rows:
    """Return the kept columns of R' Y at random states; `values` are those of all symbols.

    `tree` is the geometry of `whole`, which knows how it is folded.
    """
    fold = replace(
        whole.fold,
        q=tuple((k, to_float(a, values), to_float(b, values)) for k, a, b in whole.fold.q),
        v=tuple((k, to_float(a, values)) for k, a in whole.fold.v),
    )
    numbers = replace(tree.map(lambda x: to_float(x, values)), drives=whole.drives, checked=True)
    rng = Random(5)
    columns: Rows = [[] for _ in kept]
    for _ in range(2 + 2 * -(-len(kept) // max(1, fold.count))):
        qd, qdd = ([rng.uniform(-2, 2) for _ in range(fold.count)] for _ in range(2))
        q = numbers.normalised(fold.coordinates([rng.uniform(-2, 2) for _ in whole.fold.q]))
        Y = regressor(numbers, q, fold.rates(qd), fold.rates(qdd), drives)
        for row in fold.rows(Y):
            for column, c in zip(columns, kept, strict=True):
                column.append(float(row[c]))
    return columns


def dependent(columns: Rows) -> dict[int, dict[int, float]]:
    """Return each column that depends on those before it, with its coefficients; {} is no effect.

    Gram and Schmidt, twice.
    """
    basis: list[list[float]] = []
    kept: list[int] = []
    R: list[list[float]] = []  # of each kept column, in the basis
    found: dict[int, dict[int, float]] = {}
    rounding = 1e-12 * max((sqrt(_dot(x, x)) for x in columns), default=0.0)
    for c, column in enumerate(columns):
        size = sqrt(_dot(column, column))
        if size <= rounding:
            found[c] = {}
            continue
        left, parts = list(column), [0.0] * len(basis)
        for _ in range(2):
            for k, e in enumerate(basis):
                x = _dot(e, left)
                parts[k] += x
                left = [a - x * b for a, b in zip(left, e, strict=True)]
        rest = sqrt(_dot(left, left))
        if rest > DEPENDENT * size:
            basis.append([a / rest for a in left])
            R.append([*parts, rest])
            kept.append(c)
            continue
        share: dict[int, float] = {}
        for k in reversed(range(len(kept))):
            x = parts[k] / R[k][k]
            for i in range(k + 1):
                parts[i] -= x * R[k][i]
            if abs(x) > DEPENDENT:
                share[kept[k]] = x
        found[c] = share
    return found


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def regrouped(
    kept: Sequence[int], forms: Sequence[dict[int, Any]], draws: Sequence[Rows], known: Constant
) -> tuple[list[int], list[dict[int, Any]], list[int]]:
    """Return (kept, forms) with dependent columns grouped, and columns no formula was found for."""
    found = [dependent(rows) for rows in draws]
    new, unknown = [dict(form) for form in forms], []
    gone: set[int] = set()
    for c, share in found[0].items():
        others = [f.get(c) for f in found]
        if any(x is None or x.keys() != share.keys() for x in others):
            unknown.append(kept[c])
            continue
        factors = {p: known(kept[c], [x[p] for x in others if x]) for p in share}
        if any(x is None for x in factors.values()):
            unknown.append(kept[c])
            continue
        gone.add(c)
        for p, k in factors.items():
            for column, x in forms[c].items():
                new[p][column] = new[p][column] + k * x if column in new[p] else k * x
    left = [c for c in range(len(kept)) if c not in gone]
    return [kept[c] for c in left], [new[c] for c in left], unknown
