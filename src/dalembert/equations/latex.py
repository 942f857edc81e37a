"""Closed forms in LaTeX and in Markdown whose formulas KaTeX renders."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..algorithms.base_parameters import base_parameters
from ..errors import shown
from ..expr import decimal
from ..mechanism import Mechanism
from . import regressor_print
from .order import Part, factored
from .ring import Ring
from .text import LONG, REGRESSORS, chosen, conventions

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
LINE = 460  # the width of a line in points: A4 with margins of 2 cm
INDENT = 12
FUNCTIONS = ("sin", "cos", "tan")
TOKEN = re.compile(r"[_^]\{(?P<small>[^{}]*)\}|\\(?P<word>[A-Za-z]+)|\\,|(?P<sign>[^{}\\])")
ACCENTS = ("0300", "0301", "0302", "0303", "0308", "030C", "0327")
ESCAPED = {c: "\\" + c for c in "_#$%&{}"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}
TITLES = {
    "constants": "Constants",
    "Q": "Gravity",
    "A": "Inertia",
    "B": "Coriolis",
    "C": "Centrifugal",
    "structure": "Structure",
    "base_parameters": "Base parameters",
    "regressor": "Regressor",
    "base_regressor": "Regressor of the base parameters",
    "energy_regressor": "Regressor of the energy",
}
MOTION = {
    "rate": r"\dot q_{{{}}}",
    "second": r"\ddot q_{{{}}}",
    "sign": r"\operatorname{{sgn}}\dot q_{{{}}}",
}


def latex(eq: Equations, only: Sequence[str] | None = None) -> str:
    """Return sections of align-free display formulas; long sums are broken into lines."""
    parts = chosen(only)
    title, _, *known = conventions(eq, "condensed", parts)
    out = [f"\\section*{{{plain_text(title)}}}"]
    out += [f"\\[ {equation(eq)} \\]"] if known else []
    out += [f"\\noindent {plain_text(line)}\\par" for line in known]
    for part in parts:
        out.append(f"\\paragraph{{{TITLES[part]}}}")
        out += [f"\\noindent {plain_text(line)}\\par" for line in words(eq, part)]
        out += [display(formula) for formula in formulas(eq, part)]
    return "\n".join(out) + "\n"


def display(formula: str) -> str:
    """Return a display; pages may end between the lines of a broken formula."""
    body = formula.removeprefix(r"\begin{aligned}").removesuffix(r"\end{aligned}")
    if body == formula:
        return f"\\[ {formula} \\]"
    return rf"\begin{{align*}}{body}\end{{align*}}"


def document(eq: Equations, only: Sequence[str] | None = None) -> str:
    """Return a whole LaTeX document."""
    return whole(latex(eq, only))


def whole(fragment: str) -> str:
    """Return a LaTeX document of a fragment."""
    head = "\\documentclass[a4paper]{article}\n\\usepackage{amsmath}\n"
    allow = "\\usepackage[margin=2cm]{geometry}\n\\allowdisplaybreaks\n"
    return f"{head}{allow}\\begin{{document}}\n{fragment}\\end{{document}}\n"


def markdown(eq: Equations, only: Sequence[str] | None = None) -> str:
    """Return Markdown with one display formula for each coefficient."""
    parts = chosen(only)
    out = [f"# {_plain(eq.mechanism.name)}", ""]
    known = conventions(eq, "condensed", parts)[2:]
    out += [f"$${equation(eq)}$$", ""] if known else []
    out += [f"- {_plain(line)}" for line in known]
    for part in parts:
        out += ["", f"## {TITLES[part]}", ""]
        out += [f"- {_plain(line)}" for line in words(eq, part)]
        out += ["", *(f"$${formula}$$" for formula in formulas(eq, part))]
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


def words(eq: Equations, part: str) -> list[str]:
    """Return the lines of one section that are no formulas."""
    if part == "structure":
        return str(eq.structure()).splitlines()
    if part == "base_parameters":
        return grouping_words(eq.mechanism)
    if part in REGRESSORS:
        return regressor_print.conventions(regressor_print.of_section(eq, part))
    return []


def formulas(eq: Equations, part: str) -> Iterator[str]:
    """Yield the formulas of one section."""
    if part == "constants":
        for name, value in eq.constants.items():
            yield broken(f"{symbol(name)} = ", summands(_definition(value)))
    elif part == "base_parameters":
        yield from grouping_formulas(eq.mechanism)
    elif part in REGRESSORS:
        yield from map(entry_formula, regressor_print.of_section(eq, part))
    elif part != "structure":
        yield from (entry_formula(e) for e in getattr(eq, part) if part in "QA" or len(e.raw))


def grouping_formulas(m: Mechanism) -> Iterator[str]:
    """Yield the formula of each grouped inertial parameter."""
    for name, right in base_parameters(m).groups.items():
        yield broken(f"{symbol(name)} = ", summands(_definition(right)))


def grouping(m: Mechanism) -> str:
    """Return a LaTeX fragment with the base parameters of a mechanism."""
    title, *known = grouping_words(m)
    out = [f"\\section*{{{plain_text(title)}}}"]
    out += [f"\\noindent {plain_text(line)}\\par" for line in known]
    return "\n".join([*out, *map(display, grouping_formulas(m))]) + "\n"


def grouping_markdown(m: Mechanism) -> str:
    """Return Markdown with the base parameters of a mechanism."""
    title, *known = grouping_words(m)
    out = [f"# {_plain(title)}", "", *(f"- {_plain(line)}" for line in known), ""]
    return "\n".join([*out, *(f"$${x}$$" for x in grouping_formulas(m))]) + "\n"


def grouping_words(m: Mechanism) -> list[str]:
    """Return what is said of the base parameters besides formulas."""
    found = regressor_print.grouping(m).splitlines()
    return [line.removeprefix("# ") for line in found if line.startswith("# ")]


def entry_formula(e: Entry) -> str:
    """Return an entry with its name, in lines of bearable length."""
    dot = "," if e.equations.n > 9 else ""
    left = f"{e.kind}_{{{dot.join(map(str, e.place))}}} = "
    if e.kind in "YE":
        left = regressor_print.latex_name(e, symbol)
    return broken(left, [x for p in _signed_parts(e) for x in _pieces(e.equations.ring, p)])


def plain_text(line: str) -> str:
    """Return plain text in which TeX sees no commands; letters it has no type for are numbers."""
    return "".join(_sign(c) for c in line)


def _sign(c: str) -> str:
    if c in GREEK:
        return rf"\ensuremath{{\{GREEK[c]}}}"
    if c in ESCAPED:
        return ESCAPED[c]
    # accents are in the type, other scripts are not
    accented = c < "\u0180" and unicodedata.decomposition(c)[5:] in ACCENTS
    return c if c.isascii() or accented else f"U+{ord(c):04X}"


def _definition(value: Any) -> str:
    """Return the text of a constant as LaTeX: names become symbols, products juxtaposed."""
    if not isinstance(value, str):
        return decimal(value)
    out = re.sub(r"\*\*(\d+)", r"^{\1}", value)
    out = re.sub(r"[^\W\d]\w*", lambda found: symbol(found[0]), out)
    return out.replace("*", r"\,").replace("(+", "(")


def expression(entry: Entry) -> str:
    """Return one coefficient, condensed, on one line."""
    ring = entry.equations.ring
    return "".join(_part(ring, p) for p in _signed_parts(entry)).removeprefix("+") or "0"


def _signed_parts(entry: Entry) -> list[Part]:
    return factored(entry.equations.ring, entry.form("condensed"))


def _part(ring: Ring, part: Part) -> str:
    """Return a part on one line, its sign first."""
    names = _factors(ring, part)
    if part.inner:
        inner = "".join(_part(ring, p) for p in part.inner).removeprefix("+")
        names.append(rf"\left({inner}\right)")
    return ("-" if part.number < 0 else "+") + r"\,".join(names)


def _pieces(ring: Ring, part: Part) -> list[str]:
    """Return a part in pieces between which a line may end: inside brackets if it is long."""
    whole = _part(ring, part)
    if not part.inner or width(whole) <= LINE / 2:
        return [whole]
    inner = [x for p in part.inner for x in _pieces(ring, p)]
    # brackets that a line break may separate keep one size
    factors = "".join(x + r"\," for x in _factors(ring, part))
    inner[0] = f"{'-' if part.number < 0 else '+'}{factors}\\bigl({inner[0].removeprefix('+')}"
    inner[-1] += r"\bigr)"
    return inner


def _factors(ring: Ring, part: Part) -> list[str]:
    """Return the number of a part, unless it is one, and its factors."""
    size = abs(part.number)
    names = [_power(ring, f) for f in part.factors]
    if size != 1 or not (names or part.inner):
        number = decimal(size)
        number = number if len(number) <= LONG else repr(float(size))
        names.insert(0, rf"\tfrac{{{size.numerator}}}{{{size.denominator}}}" if "/" in number
                     else number)  # fmt: skip
    return names


def _power(ring: Ring, factor: tuple[int, int]) -> str:
    i, e = factor
    kind, *key = ring.symbols.generators[i].key
    name = MOTION[kind].format(key[0]) if kind in MOTION else symbol(ring.symbols.names[i])
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
        return rf"\mathit{{{plain_text(name)}}}"
    letters, rest = found[1], found[2]
    head = "".join(f"\\{GREEK[c]} " if c in GREEK else c for c in letters).strip()
    if letters in WORDS:
        head = f"\\{letters}"
    elif len(letters) > 1 and not any(c in GREEK for c in letters):
        head = rf"\mathit{{{letters}}}"
    return f"{head}_{{{plain_text(rest)}}}" if rest else head


def summands(formula: str) -> list[str]:
    """Return the summands of a formula, those in brackets together."""
    out, start, depth = [], 0, 0
    for k, c in enumerate(formula):
        depth += (c in "({") - (c in ")}")
        if c in "+-" and depth == 0 and k > start and formula[k - 1] not in "e,":
            out.append(formula[start:k].strip())
            start = k
    return [*out, formula[start:].strip()]


def broken(left: str, parts: Sequence[str]) -> str:
    """Return a formula in lines of bearable length."""
    lines, current, used = [], "", 0.0
    room = LINE - width(left) - INDENT
    for part in parts:
        size = width(part)
        if current and used + size > room:
            lines.append(current)
            current, used = part, size
        else:
            current, used = current + part, used + size
    lines.append(current or "0")
    lines[0] = lines[0].removeprefix("+")
    if len(lines) == 1:
        return left + lines[0]
    body = r" \\ & \quad ".join(lines)
    return rf"\begin{{aligned}} {left}{{}} & {body} \end{{aligned}}"


def width(formula: str) -> float:
    """Return about the width of a formula in points, in the font of ten."""
    total = 0.0
    for found in TOKEN.finditer(formula):
        small, word, sign = found["small"], found["word"], found["sign"]
        if small is not None:
            total += sum(5.5 if c.isupper() else 4.0 for c in small)
        elif word is not None:
            total += 15.0 if word in FUNCTIONS else 6.0 if word in WORDS else 1.0
        elif sign is None:
            total += 1.7
        elif sign in "+-=":
            total += 12.3
        else:
            total += 8.5 if sign.isupper() else 5.0 if sign.isalnum() else 4.0
    return total
