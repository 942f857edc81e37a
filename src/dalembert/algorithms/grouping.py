"""The grouping of inertial parameters as text, LaTeX and plain data; its coefficients sorted out.

A coefficient is a short polynomial of lengths, sines and cosines; `canonical` writes it out with
like terms merged and sin² = 1 - cos².
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..expr import Expr, Scalar
from ..expr.arena import Rows
from ..expr.exact import to_float
from ..expr.show import decimal

if TYPE_CHECKING:
    from .base_parameters import BaseParameters

Power = tuple[tuple[int, int], ...]  # (node, exponent), nodes ascending
Polynomial = dict[Power, Any]


def canonical(x: Scalar) -> Scalar:
    """Return a coefficient with its products written out and like terms merged."""
    if not isinstance(x, Expr):
        return x
    total: Scalar = 0
    for power, k in _sorted(_polynomial(x)):
        term: Scalar = k
        for node, n in power:
            term = term * Expr(x.graph, node) ** n
        total = total + term
    if isinstance(total, Expr):
        return total if total.value is None else total.value
    return total


def _degree(power: Power) -> int:
    return sum(n for _, n in power)


def _polynomial(x: Expr) -> Polynomial:
    ops: Rows = {
        "add": lambda a, b: _sum(a, b, 1),
        "sub": lambda a, b: _sum(a, b, -1),
        "neg": lambda a: _sum({}, a, -1),
        "mul": lambda a, b: _reduce(x.graph, _product(a, b)),
    }
    leaf: Rows = {"const": lambda value: {(): value} if value else {}}
    return x.graph.fold([x.id], leaf, ops, lambda i, _: {((i, 1),): 1})[x.id]


def _sum(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
    out = dict(a)
    for power, k in b.items():
        out[power] = out.get(power, 0) + sign * k
    return {power: k for power, k in out.items() if k != 0}


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    out: Polynomial = {}
    for p, j in a.items():
        for q, k in b.items():
            powers = dict(p)
            for node, n in q:
                powers[node] = powers.get(node, 0) + n
            key = tuple(sorted(powers.items()))
            out[key] = out.get(key, 0) + j * k
    return {power: k for power, k in out.items() if k != 0}


def _reduce(graph: Any, a: Polynomial) -> Polynomial:
    """Return the polynomial with sin² = 1 - cos² and sqrt(x)² = x for numbers x."""
    while True:
        spot = next(
            ((p, node) for p in a for node, n in p if n >= 2 and graph.op[node] in ("sin", "sqrt")),
            None,
        )
        if spot is None:
            return a
        power, node = spot
        k = a[power]
        rest = tuple((m, n - 2 * (m == node)) for m, n in power if n - 2 * (m == node) > 0)
        inner = graph.operands(node)[0]
        if graph.op[node] == "sqrt":
            value = graph.const[inner]
            square: Polynomial = {(): value} if value is not None else {((inner, 1),): 1}
        else:
            square = {(): 1, ((graph.apply("cos", inner), 2),): -1}
        left = {p: x for p, x in a.items() if p != power}
        a = _sum(left, _product({rest: k}, square), 1)


# -- text --------------------------------------------------------------------------------------


def _terms(bp: BaseParameters, form: Mapping[int, Scalar]) -> list[tuple[Scalar, list[str]]]:
    """Return (coefficient, parameters that share it): first plain ones, then by appearance."""
    merged: dict[Any, tuple[Scalar, list[str]]] = {}
    for c, k in form.items():
        key = c if k in (1, -1) else _shown(k)
        merged.setdefault(key, (k, []))[1].append(bp.standard[c].symbol())
    return sorted(merged.values(), key=lambda term: term[0] not in (1, -1))


def _shown(k: Scalar) -> str:
    """Return a coefficient as text, a sum of products."""
    if not isinstance(k, Expr):
        return f"{k:.12g}" if isinstance(k, float) else decimal(k)
    out = ""
    for power, x in _sorted(_polynomial(k)):
        factors = [repr(Expr(k.graph, i)) + (f"**{n}" if n > 1 else "") for i, n in power]
        shown = _shown(abs(x))
        text = "*".join(([] if shown == "1" and factors else [shown]) + factors)
        minus = x < 0
        out += (" - " if minus else " + ") + text if out else ("-" if minus else "") + text
    return out


def _sorted(a: Polynomial) -> list[tuple[Power, Any]]:
    return sorted(a.items(), key=lambda item: (-_degree(item[0]), item[0]))


def formula(
    bp: BaseParameters, form: Mapping[int, Scalar], name: Any = str, times: str = "*"
) -> str:
    """Return a linear form as text: `XX2 - YY2 + D3**2*(M3 + M4)`."""
    out = ""
    for k, names in _terms(bp, form):
        shown = " + ".join(map(name, names))
        text = _shown(k)
        minus = text.startswith("-") and not _is_sum(text)
        text = text[1:].strip() if minus else text
        if text != "1":
            shown = f"({shown})" if len(names) > 1 else shown
            shown = (f"({text})" if _is_sum(text) else text) + times + shown
        elif minus and len(names) > 1:
            shown = f"({shown})"
        out += (" - " if minus else " + ") + shown if out else ("-" if minus else "") + shown
    return out


def _is_sum(text: str) -> bool:
    depth = 0
    for k, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and k and letter in "+-" and text[k - 1] == " ":
            return True
    return False


def text(bp: BaseParameters) -> str:
    """Return the grouping as lines: counts, what has no effect, one formula per grouped one."""
    lines = [f"{len(bp)} base parameters of {len(bp.standard)} standard ones"]
    lines.append("base: " + ", ".join(bp.names))
    lines.append("no effect: " + (", ".join(bp.no_effect) or "none"))
    lines += [f"{name} = {right}" for name, right in bp.groups.items()]
    lines += [f"note: {note}" for note in bp.notes]
    return "\n".join(lines) + "\n"


def latex(bp: BaseParameters) -> str:
    """Return the grouping as a LaTeX `align*` block."""
    rows = []
    for name, form in zip(bp.names, bp.forms, strict=True):
        if len(form) > 1:
            right = formula(bp, form, _subscript, r"\, ")
            rows.append(rf"{_subscript(name)} &= {_powers(right)} \\")
    return "\n".join([r"\begin{align*}", *rows, r"\end{align*}"]) + "\n"


def _subscript(name: str) -> str:
    found = re.fullmatch(r"([A-Za-z]+)(\d+|_.*)?", name)
    if found is None:
        return r"\mathrm{" + name.replace("_", r"\_") + "}"
    letters, index = found[1], (found[2] or "").lstrip("_").replace("_", r"\_")
    return rf"\mathit{{{letters}}}" + (f"_{{{index}}}" if index else "")


def _powers(shown: str) -> str:
    shown = re.sub(r"\*\*(\d+)", r"^{\1}", shown)
    shown = re.sub(r"\b(sin|cos|tan|sqrt)\(", r"\\\1(", shown)
    shown = re.sub(r"(?<![A-Za-z\\{])([A-Za-z]+)(\d+)(?![A-Za-z0-9}])", r"\1_{\2}", shown)
    return shown.replace("*", r"\, ")


def data(bp: BaseParameters) -> dict[str, Any]:
    """Return names, columns, formulas and coefficients as plain data."""
    base = []
    for name, c, form in zip(bp.names, bp.kept, bp.forms, strict=True):
        terms = {bp.standard[k].symbol(): _plain(x) for k, x in form.items()}
        base.append({"name": name, "column": c, "formula": formula(bp, form), "terms": terms})
    standard = [{"name": c.symbol(), "kind": c.kind, "joint": c.joint} for c in bp.standard]
    return {
        "standard": standard,
        "base": base,
        "no_effect": list(bp.no_effect),
        "notes": list(bp.notes),
    }


def _plain(x: Scalar) -> float | int | str:
    if isinstance(x, Expr):
        return repr(x) if x.names() else to_float(x)
    if isinstance(x, Fraction):
        return float(x)
    return x
