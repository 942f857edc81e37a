"""How results show themselves in a notebook: tables and plain lines as HTML, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

ROWS = 60  # of a table before its middle is left out


def table_html(
    head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", notes: Sequence[str] = ()
) -> str:
    """Return a table, and remarks below it; of a long one the middle is left out."""
    body = [list(row) for row in rows]
    if len(body) > ROWS:
        gap = ["…"] + [""] * (len(head) - 1)
        body = [*body[: ROWS // 2], gap, *body[-(ROWS // 2) :]]
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    cells = "".join(f"<th>{escape(x)}</th>" for x in head)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(x)}</td>' for x in row)}</tr>" for row in body)
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table>{title}<thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>{below}"


def lines_html(text: str) -> str:
    """Return lines of text as they stand."""
    return f"<pre>{escape(text)}</pre>"
