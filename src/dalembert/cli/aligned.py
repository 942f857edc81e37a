"""The one table of the command line: columns of words to the left, numbers to the right."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def aligned(
    rows: Sequence[Sequence[str]], words: Collection[int] = (0,), least: Sequence[int] = ()
) -> list[str]:
    """Return rows of cells as lines of equal columns; those in `words` begin at the left.

    `least` gives widths known before, for lines that are printed one by one.

    >>> aligned([["joint", "tau N m"], ["elbow", "1.25"]])
    ['joint  tau N m', 'elbow     1.25']
    """
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    wide = [max(w, *least[k : k + 1], 0) for k, w in enumerate(wide)]
    return [
        "  ".join(
            cell.ljust(w) if k in words else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    ]
