"""Closed forms in LaTeX and in Markdown whose formulas KaTeX renders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import shown
from ..expr import decimal
from .order import Part, factored
from .ring import Ring
from .text import LONG, angles, chosen, conventions

if TYPE_CHECKING:
    from .derive import Equations
    from .entry import Entry

LETTERS = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
SPELT = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
GREEK = dict(zip(LETTERS, SPELT.split(" "), strict=True))
WORDS = frozenset(GREEK.values())
LINE = 90  # signs in one line of a sum
TITLES = {
    "constants": "Constants",
    "Q": "Gravity",
    "A": "Inertia",
    "B": "Coriolis",
    "C": "Centrifugal",
    "structure": "Structure",
}


def latex(eq: Equations, only: Sequence[str] | None = None) -> str:
    """Return sections of align-free display formulas; long sums are broken into lines."""
    out = ["% " + line for line in conventions(eq, "condensed")]
    out += [f"\\[ {equation(eq)} \\]", ""]
    for part in chosen(only):
        out.append(f"\\paragraph{{{TITLES[part]}}}")
        for formula in formulas(eq, part):
            out.append(f"\\[ {formula} \\]")
    return "\n".join(out) + "\n"


def document(eq: Equations, only: Sequence[str] | None = None) -> str:
    """Return a whole LaTeX document."""
    head = "\\documentclass{article}\n\\usepackage{amsmath}\n\\usepackage[margin=2cm]{geometry}\n"
    allow = "\\allowdisplaybreaks\n"
    return f"{head}{allow}\\begin{{document}}\n{latex(eq, only)}\\end{{document}}\n"


def markdown(eq: Equations, only: Sequence[str] | None = None) -> str:
    """Return Markdown with one display formula for each coefficient."""
    out = [f"# {_plain(eq.mechanism.name)}", "", f"$${equation(eq)}$$", ""]
    out += [f"- {_plain(line)}" for line in conventions(eq, "condensed")[2:]]
    for part in chosen(only):
        out += ["", f"## {TITLES[part]}", ""]
        if part == "structure":
            out += [f"- {line}" for line in str(eq.structure()).splitlines()]
        else:
            out += [f"$${formula}$$" for formula in formulas(eq, part)]
    return "\n".join(out) + "\n"


def _plain(text: str) -> str:
    """Return text in which Markdown sees no marks."""
    return re.sub(r"([\\`*_{}\[\]<>$#|])", r"\\\1", shown(text))


def equation(eq: Equations) -> str:
    """Return the equation all coefficients belong to."""
    sign = "-" if eq.sign == "section3" else "+"
    return (
        r"\tau_i = \sum_j A_{ij}\,\ddot q_j + \sum_j \sum_{k>j} B_{ijk}\,\dot q_j \dot q_k"
        rf" + \sum_j C_{{ij}}\,\dot q_j^2 {sign} Q_i"
    )


def formulas(eq: Equations, part: str) -> Iterator[str]:
    """Yield the formulas of one section."""
    if part == "structure":
        for line in str(eq.structure()).splitlines():
            yield rf"\text{{{_text(line)}}}"
    elif part == "constants":
        for line in angles(eq):
            yield rf"\text{{{_text(line)}}}"
        for name, value in eq.constants.items():
            yield f"{symbol(name)} = {_definition(value)}"
    else:
        entries = [e for e in getattr(eq, part) if part in "QA" or len(e.raw)]
        for e in entries:
            dot = "," if eq.n > 9 else ""
            yield broken(f"{part}_{{{dot.join(map(str, e.place))}}} = ", _signed_parts(e))


def _text(line: str) -> str:
    return re.sub(r"([_#$%&{}])", r"\\\1", line)


def _definition(value: Any) -> str:
    """Return the text of a constant as LaTeX: names become symbols, products juxtaposed."""
    if not isinstance(value, str):
        return decimal(value)
    out = re.sub(r"\*\*(\d+)", r"^{\1}", value)
    out = re.sub(r"[^\W\d]\w*", lambda found: symbol(found[0]), out)
    return out.replace("*", r"\,").replace("(+", "(")


def expression(entry: Entry) -> str:
    """Return one coefficient, condensed, on one line."""
    return "".join(_signed_parts(entry)).removeprefix("+") or "0"


def _signed_parts(entry: Entry) -> list[str]:
    ring = entry.equations.ring
    return [_part(ring, p) for p in factored(ring, entry.form("condensed"))]


def _part(ring: Ring, part: Part) -> str:
    sign = "-" if part.number < 0 else "+"
    size = abs(part.number)
    names = [_power(ring, f) for f in part.factors]
    if part.inner:
        inner = "".join(_part(ring, p) for p in part.inner).removeprefix("+")
        names.append(rf"\left({inner}\right)")
    if size != 1 or not names:
        number = decimal(size)
        number = number if len(number) <= LONG else repr(float(size))
        names.insert(0, rf"\tfrac{{{size.numerator}}}{{{size.denominator}}}" if "/" in number
                     else number)  # fmt: skip
    return sign + r"\,".join(names)


def _power(ring: Ring, factor: tuple[int, int]) -> str:
    i, e = factor
    name = symbol(ring.symbols.names[i])
    return name if e == 1 else f"{name}^{{{e}}}"


def symbol(name: str) -> str:
    """Return a name as a LaTeX symbol: C234 is c_{234}, VZ6 is V_{Z6}, theta1 is \\theta_{1}."""
    if name in ("cos", "sin", "tan", "sqrt"):
        return rf"\{name}"
    if found := re.fullmatch(r"([SC])(\d[\d_m]*)", name):
        digits = found[2].replace("_", ",").replace("m", "-")
        return f"{found[1].lower()}_{{{digits}}}"
    if found := re.fullmatch(r"([VWJ]|MT|[SC]K)([XYZ]*)(\d+)_*", name):
        head = found[1] if len(found[1]) == 1 else rf"\mathit{{{found[1]}}}"
        return f"{head}_{{{found[2]}{found[3]}}}"
    found = re.fullmatch(r"([^\W\d_]+)_?(\w*)", name)
    if not found:
        return rf"\mathit{{{_text(name)}}}"
    letters, rest = found[1], found[2]
    head = "".join(f"\\{GREEK[c]} " if c in GREEK else c for c in letters).strip()
    if letters in WORDS:
        head = f"\\{letters}"
    elif len(letters) > 1 and not any(c in GREEK for c in letters):
        head = rf"\mathit{{{letters}}}"
    return f"{head}_{{{_text(rest)}}}" if rest else head


def broken(left: str, parts: Sequence[str]) -> str:
    """Return a formula in lines of bearable length."""
    lines, current = [], ""
    for part in parts:
        if current and len(_bare(current)) + len(_bare(part)) > LINE:
            lines.append(current)
            current = part
        else:
            current += part
    lines.append(current or "0")
    lines[0] = lines[0].removeprefix("+")
    if len(lines) == 1:
        return left + lines[0]
    # brackets that a line break would separate keep one size
    body = r" \\ & \quad ".join(lines)
    return rf"\begin{{aligned}} {left} & {body} \end{{aligned}}"


def _bare(formula: str) -> str:
    """Return about what is seen of a formula."""
    return re.sub(r"\\[a-z]+|[{}\\,^_]", "", formula)
