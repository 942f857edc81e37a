"""Regressors in closed form as text, LaTeX and plain data; entries that are zero left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..algorithms.base_parameters import base_parameters
from ..errors import shown
from ..expr import decimal
from ..mechanism import Mechanism
from .text import angles, expression, vector, wrapped

if TYPE_CHECKING:
    from .derive import Equations
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


def grouping(m: Mechanism) -> str:
    """Return the base parameters of a mechanism as text: remarks, then one formula for each group.

    >>> import dalembert as da
    >>> print(grouping(da.load("RZ(),TXK(L1),RZ(),TXK(L2); gravity = (0, G, 0);")).splitlines()[-1])
    ZZR1 = ZZ1 + L1**2*M2
    """
    base = base_parameters(m)
    closed = m.loops or m.couplings or m.wheels or m.velocity_constraints
    lines = [
        f"{shown(m.name)}: {len(base)} base parameters of {len(base.standard)} standard ones",
        "MX.., XX..: first moments and tensors about the origin of the body's frame; IA.. rotors",
        "phi: " + ", ".join(map(shown, base.names)),
        "no effect: " + (", ".join(map(shown, base.no_effect)) or "none"),
        *base.notes,
        *(["of the tree alone: loops and constraints are not considered"] if closed else []),
    ]
    formulas = [f"{name} = {right}" for name, right in base.groups.items()]
    return "\n".join([*(f"# {x}" for x in lines), *formulas]) + "\n"


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


def text(Y: Regressor) -> str:
    """Return the conventions and one formula for each entry."""
    return "\n".join([*(f"# {x}" for x in head(Y)), *lines(Y)]) + "\n"


def lines(Y: Regressor) -> Iterator[str]:
    """Yield the formulas, then how many there are."""
    entries = list(Y)
    for entry in entries:
        yield from wrapped(f"{entry.name} = {expression(entry, 'condensed')}")
    rows, columns = Y.shape
    count = sum(len(entry.form("condensed")) for entry in entries)
    found = f"{len(entries)} of {rows * columns} entries are not zero"
    yield f"# {Y.kind}: {found}, {count} terms in all"


def latex_name(entry: Entry, symbol: Any) -> str:
    """Return the left side of a formula: Y_{2,\\,XX_{3}}."""
    Y: Any = entry.equations
    row = rf"{entry.place[0]},\," if entry.kind == "Y" else ""
    return f"{entry.kind}_{{{row}{symbol(Y.names[entry.place[1] - 1])}}} = "


def latex(Y: Regressor) -> str:
    """Return a LaTeX fragment: the conventions, then one display for each entry."""
    from .latex import display, entry_formula, plain_text

    out = [f"\\section*{{{plain_text(head(Y)[0])}}}"]
    out += [f"\\noindent {plain_text(line)}\\par" for line in conventions(Y)]
    return "\n".join([*out, *(display(entry_formula(e)) for e in Y)]) + "\n"


def data(Y: Regressor) -> dict[str, Any]:
    """Return columns, symbols and entries as plain data; numbers are exact texts."""
    from .data import meaning

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
        "symbols": {g.name: meaning(g.key) for g in Y.ring.symbols.generators},
        "entries": [_entry(e) for e in Y],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    Y: Any = entry.equations
    terms = [
        {"coefficient": decimal(c), "factors": {Y.ring.symbols.names[i]: e for i, e in monomial}}
        for c, monomial in entry.terms("condensed")
    ]
    i, k = entry.place
    at = {"row": i, "column": Y.names[k - 1]} if entry.kind == "Y" else {"column": Y.names[k - 1]}
    index = [i, k] if entry.kind == "Y" else [k]
    return {"index": index, **at, "terms": terms, "text": expression(entry, "condensed")}
