"""Small subspaces in plain floats: span, null space, and a basis reduced by preference."""

from __future__ import annotations

from collections.abc import Sequence

Rows = list[list[float]]
SMALL = 1e-9  # of rows whose largest entry is 1


def _scaled(rows: Sequence[Sequence[float]]) -> Rows:
    out = []
    for row in rows:
        size = max(map(abs, row), default=0.0)
        if size > SMALL:
            out.append([x / size for x in row])
    return out


def span(rows: Sequence[Sequence[float]]) -> Rows:
    """Return independent rows with the same span."""
    return _eliminate(_scaled(rows))[0]


def null_space(rows: Sequence[Sequence[float]], n: int) -> Rows:
    """Return a basis of the vectors of length n on which all rows vanish."""
    kept, pivots = _eliminate(_scaled(rows))
    free = [c for c in range(n) if c not in pivots]
    basis = []
    for c in free:
        v = [0.0] * n
        v[c] = 1.0
        for row, p in zip(kept, pivots, strict=True):
            v[p] = -row[c]
        basis.append(v)
    return basis


def reduced(basis: Rows, order: Sequence[int]) -> dict[int, list[float]]:
    """Return the basis by pivot: each vector has a 1 in that column, where the others have 0.

    Columns are tried in `order`; vectors come in that order of their pivots.
    """
    left = _scaled(basis)
    done: dict[int, list[float]] = {}
    for c in order:
        if not left:
            break
        best = max(left, key=lambda row: abs(row[c]))
        if abs(best[c]) <= 1e-7:
            continue
        left.remove(best)
        best = [x / best[c] for x in best]
        best[c] = 1.0
        left = [_without(row, best, c) for row in left]
        done = {p: _without(row, best, c) for p, row in done.items()}
        done[c] = best
    return done


def _eliminate(rows: Rows) -> tuple[Rows, list[int]]:
    """Return (rows of Gauss and Jordan, their pivot columns), pivots largest first."""
    left = [list(row) for row in rows]
    kept: Rows = []
    pivots: list[int] = []
    while left:
        size, r, c = max((abs(x), -r, c) for r, row in enumerate(left) for c, x in enumerate(row))
        if size <= SMALL:
            break
        row = left.pop(-r)
        row = [x / row[c] for x in row]
        row[c] = 1.0
        left = [_without(other, row, c) for other in left]
        left = [other for other in left if any(abs(x) > SMALL for x in other)]
        kept = [_without(other, row, c) for other in kept]
        kept.append(row)
        pivots.append(c)
    return kept, pivots


def _without(row: list[float], pivot: list[float], c: int) -> list[float]:
    k = row[c]
    if k == 0:
        return row
    out = [x - k * y for x, y in zip(row, pivot, strict=True)]
    out[c] = 0.0
    return out
