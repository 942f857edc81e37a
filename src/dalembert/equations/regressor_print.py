"""Regressors in closed form as text, LaTeX and plain data; entries that are zero left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import shown
from ..expr.formula import Symbol
from ..expr.style import latex_name
from .sections import Document, Section

if TYPE_CHECKING:
    from .closed_form import Equations
    from .entry import Entry
    from .regressor import Regressor

SENSES = {
    "sign": "SGN{0} = sign(qd{0})",
    "forward": "POS{0} = 1 where qd{0} > 0, else 0",
    "backward": "NEG{0} = 1 where qd{0} < 0, else 0",
}


def of_section(eq: Equations, part: str) -> Regressor:
    """Return the regressor that a section prints."""
    if part == "energy_regressor":
        return eq.energy_regressor()
    return eq.regressor(base=part == "base_regressor")


def law(Y: Regressor) -> str:
    """Return what the regressor is for."""
    return "tau = Y phi" if Y.kind == "Y" else "T + V = E phi"


def conventions(Y: Regressor) -> list[str]:
    """Return what a reader must know: rows, columns, rates, angles, gravity."""
    where = "Y(i,k): row of joint i," if Y.kind == "Y" else "E(k):"
    lines = [
        f"{law(Y)}; {where} column of parameter k; entries that are not listed are zero",
        "phi: " + ", ".join(map(shown, Y.names)),
    ]
    from .text import angles, vector

    if Y.base:
        lines += [f"{name} = {form}" for name, form in Y.base.groups.items()]
        lines += [f"no effect: {', '.join(map(shown, Y.base.no_effect)) or 'none'}"]
    lines.append("MX.., XX..: first moments and tensors about the origin of the body's frame")
    lines.append("qd1, qdd1: first and second derivative of q1")
    lines += [SENSES[g.key[0]].format(g.key[1]) for g in Y.ring.symbols.generators
              if g.key[0] in SENSES]  # fmt: skip
    return [*lines, *angles(Y), f"gravity = ({vector(Y.mechanism.gravity)})", *Y.remarks]


def head(Y: Regressor) -> list[str]:
    """Return the title and the conventions."""
    kind = "base" if Y.base else "standard"
    title = f"regressor in closed form, {kind} parameters"
    return [f"{shown(Y.mechanism.name)}: {title}", *conventions(Y)]


def section(Y: Regressor, title: str, titled: bool = False) -> Section:
    """Return the conventions, one formula for each entry, and how many there are."""
    from .text import expression

    entries = list(Y)
    rows, columns = Y.shape
    count = sum(len(entry.form("condensed")) for entry in entries)
    found = f"{len(entries)} of {rows * columns} entries are not zero"
    known = head(Y) if titled else conventions(Y)
    formulas = [(left(entry), expression(entry)) for entry in entries]
    return Section(title, [*known, *formulas], f"{Y.kind}: {found}, {count} terms in all")


def left(entry: Entry) -> Symbol:
    """Return the left side of a formula: Y(2,XX3), in LaTeX Y_{2,\\,XX_{3}}."""
    Y: Any = entry.equations
    row = rf"{entry.place[0]},\," if entry.kind == "Y" else ""
    column = latex_name(Y.names[entry.place[1] - 1])
    return Symbol(entry.name, f"{entry.kind}_{{{row}{column}}}")


def document(Y: Regressor) -> Document:
    """Return the regressor alone."""
    title, *_ = head(Y)
    return Document(title, "", [], [section(Y, "")])


def data(Y: Regressor) -> dict[str, Any]:
    """Return columns, symbols and entries as plain data; numbers are exact texts."""
    from .text import meanings

    columns = [
        {"name": name, "kind": Y.standard[c].kind, "joint": Y.standard[c].joint}
        for name, c in zip(Y.names, Y.chosen, strict=True)
    ]
    if Y.base:
        for column in columns:
            column["formula"] = Y.base.groups.get(column["name"], column["name"])
    return {
        "law": law(Y),
        "parameters": "base" if Y.base else "standard",
        "drives": Y.drives,
        "shape": list(Y.shape),
        "columns": columns,
        "symbols": meanings(Y),
        "entries": [_entry(e) for e in Y],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    Y: Any = entry.equations
    (i, k), forces = entry.place, entry.kind == "Y"
    at = {"index": [i, k], "row": i} if forces else {"index": [k]}
    return {**at, "column": Y.names[k - 1], **entry.data()}
