"""How objects show themselves: tables as text or escaped HTML in a notebook, records as text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

ROWS = 60  # of a table before its middle is left out


def table_html(
    head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", notes: Sequence[str] = ()
) -> str:
    """Return a table, and remarks below it; of a long one the middle is left out."""
    from html import escape  # a large table, for notebooks only

    body = [list(row) for row in rows]
    if len(body) > ROWS:
        gap = ["…"] + [""] * (len(head) - 1)
        body = [*body[: ROWS // 2], gap, *body[-(ROWS // 2) :]]
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    cells = "".join(f"<th>{escape(x)}</th>" for x in head)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(x)}</td>' for x in row)}</tr>" for row in body)
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table>{title}<thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>{below}"


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


def lines_html(text: str) -> str:
    """Return lines of text as they stand."""
    from html import escape

    return f"<pre>{escape(text)}</pre>"


def record(x: Any) -> str:
    """Return a record as one writes it, without what is usual: `Drive(joint=0, gear=60)`.

    For people: numbers are short decimals. `exactly` is for keys.
    """
    own = ((f, getattr(x, f.name)) for f in fields(x) if f.repr)
    parts = [f"{f.name}={cell(value)}" for f, value in own if value != f.default]
    return f"{type(x).__name__}({', '.join(parts)})"


def call(x: Any) -> str:
    """Return a record of numbers by their order: `Vec3(0, 0, -9.81)`."""
    return f"{type(x).__name__}({', '.join(cell(getattr(x, f.name)) for f in fields(x))})"


def cell(value: Any) -> str:
    """Return a value as one writes it: numbers as short decimals."""
    if isinstance(value, (tuple, list)):
        inside = ", ".join(map(cell, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, Fraction):
        short = f"{float(value):.12g}"
        return short if Fraction(short) == value else str(value)
    return repr(value)


def exactly(x: Any) -> str:
    """Return a text that is equal for equal records alone: every number in full."""
    if is_dataclass(x) and not isinstance(x, type):
        own = ",".join(exactly(getattr(x, f.name)) for f in fields(x) if f.repr)
        return f"{type(x).__name__}({own})"
    if isinstance(x, (tuple, list)):
        return f"({','.join(map(exactly, x))})"
    if isinstance(x, dict):
        return f"{{{','.join(f'{exactly(k)}:{exactly(v)}' for k, v in x.items())}}}"
    return repr(x)
