"""The printed steps of machines with loops, wheels or constraints, as groups of formulas."""

from __future__ import annotations

from typing import Any

from ..errors import shown
from ..mechanism import is_rolling

WIDEST = 6000  # characters of one formula in LaTeX


def groups(m: Any, most: int) -> list[dict[str, Any]]:
    """Return the sections of loop equations, or of Kane's method, each with its formulas."""
    from ..equations import equations
    from ..equations.kane_form import kane_form
    from ..equations.kane_print import printed

    document = printed(kane_form(m)) if is_rolling(m) else equations(m).printed()
    out: list[dict[str, Any]] = []
    for k, section in enumerate(document.sections, 1):
        rows = [_row(*pair) for pair in section.formulas()][:most]
        if not rows:
            continue
        most -= len(rows)
        title = shown(section.title, 200)
        out.append({"kind": f"part {k}", "title": title, "rows": rows, "asked": True})
    return out


def _row(left: Any, right: Any) -> dict[str, Any]:
    """Return one formula; where it is too wide to be typeset, as text."""
    from ..equations.sections import one_line
    from ..expr.style import TEXT, broken

    latex = one_line(left, right)
    wide = len(latex) > WIDEST
    text = " ".join(broken(right, TEXT))[:WIDEST] if wide else ""
    return {"name": left.name, "latex": "" if wide else latex, "text": text,
            "terms": len(right.terms), "joints": []}  # fmt: skip
