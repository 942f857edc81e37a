"""Kane's ten steps as text, LaTeX and plain data: one list of named lines, two ways to write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import shown
from ..expr import decimal
from ..expr import text as expression_text
from .kane_steps import steps
from .kane_value import LATEX, TEXT, Writer
from .latex import LINE, broken, plain_text, width
from .text import wrapped

if TYPE_CHECKING:
    from .kane_form import KaneForm

NEXT = r" \\ & \quad "  # from one line to the next
PAGE = 30  # lines in one display
LEFT, RIGHT = r"\left(", r"\right)"


def text(form: KaneForm, only: Sequence[int] | None = None) -> str:
    """Return the steps as text: one logical line each, remarks behind #."""
    writer = Writer(form.setting, TEXT)
    out = [f"# {shown(form.mechanism.name)}: Kane's method in ten steps "
           "(DeSantis 1996, section 5)"]  # fmt: skip
    gravity = ", ".join(expression_text(x) if hasattr(x, "graph") else decimal(x)
                        for x in form.mechanism.gravity)  # fmt: skip
    out.append(f"# gravity = ({gravity})")
    for step in steps(form, only):
        out.append(f"# step {step.number}: {step.title}")
        for line in step.lines:
            if line.value is None:
                out.append(f"# {line.name}")
            else:
                out += wrapped(f"{line.name} = {writer.write(line.value)}")
    return "\n".join(out) + "\n"


def latex(form: KaneForm, only: Sequence[int] | None = None) -> str:
    """Return the steps in LaTeX, a paragraph for each.

    Numerators and denominators that are wider than half a line are named, and follow.
    """
    writer = Writer(form.setting, LATEX)
    out = [f"% {shown(form.mechanism.name)}: Kane's method in ten steps"]
    named: dict[str, str] = {}
    for step in steps(form, only):
        out.append(rf"\paragraph{{Step {step.number}: {plain_text(step.title)}}}")
        for line in step.lines:
            if line.value is None:
                out.append(rf"\[ \text{{{plain_text(line.name)}}} \]")
                continue
            known = len(named)
            formulas = {line.latex_name: _named(writer.write(line.value), named)}
            formulas |= {name: inner for inner, name in list(named.items())[known:]}
            displays = [x for pair in formulas.items() for x in _displays(*pair)]
            out += [rf"\[ {formula} \]" for formula in displays]
    return "\n".join(out) + "\n"


def _named(formula: str, named: dict[str, str]) -> str:
    """Return a formula with wide parts of its fractions as names, which are added to `named`."""
    out, at = "", 0
    while (start := formula.find(r"\frac{", at)) >= 0:
        middle = _end(formula, start + 5)
        end = _end(formula, middle)
        parts = []
        for letter, inner in (("N", formula[start + 6 : middle - 1]),
                              ("D", formula[middle + 1 : end - 1])):  # fmt: skip
            if width(inner) > LINE / 2:
                count = sum(name[9] == letter for name in named.values()) + 1
                inner = named.setdefault(inner, rf"\mathcal {letter}_{{{count}}}")
            parts.append(inner)
        out += formula[at:start] + r"\frac{{{}}}{{{}}}".format(*parts)
        at = end
    return out + formula[at:]


def _end(formula: str, start: int) -> int:
    """Return where the braces that open at `start` are closed, one behind."""
    depth = 0
    for k in range(start, len(formula)):
        depth += (formula[k] == "{") - (formula[k] == "}")
        if depth == 0:
            return k + 1
    return len(formula)


def _displays(left: str, formula: str) -> list[str]:
    """Return left = formula in lines of bearable length, as many as a page holds together."""
    left += " = "
    if width(left) + width(formula) <= LINE:
        return [left + formula]
    parts = _cut(formula)
    if max(map(width, parts)) > LINE / 2:
        # brackets that a line break may separate keep one size
        parts = _cut(formula.replace(LEFT, r"\bigl(").replace(RIGHT, r"\bigr)"))
    lines = broken(left, parts).split(NEXT)
    pages = [NEXT.join(lines[k : k + PAGE]) for k in range(0, len(lines), PAGE)]
    # what stands on the next page begins and ends an environment of its own
    inner = [rf"\begin{{aligned}} {NEXT[4:]}{page}" for page in pages[1:]]
    ends = [rf"{page} \end{{aligned}}" for page in [pages[0], *inner][:-1]]
    return [*ends, [pages[0], *inner][-1]]


def _cut(formula: str) -> list[str]:
    """Return a formula cut before every + and - outside braces and brackets, but for \\bigl(."""
    parts, depth, last = [""], 0, ""
    for k, sign in enumerate(formula):
        if sign in "{(":
            depth += not formula.endswith(r"\bigl", 0, k)
        elif sign in "})":
            depth -= not formula.endswith(r"\bigr", 0, k)
        if sign in "+-" and depth == 0 and last not in ("", "("):
            parts.append("")
        parts[-1] += sign
        last = sign
    return parts


def document(form: KaneForm, only: Sequence[int] | None = None) -> str:
    """Return a whole LaTeX document."""
    head = "\\documentclass{article}\n\\usepackage{amsmath}\n\\usepackage[margin=2cm]{geometry}\n"
    return f"{head}\\begin{{document}}\n{latex(form, only)}\\end{{document}}\n"


def data(form: KaneForm, only: Sequence[int] | None = None) -> dict[str, Any]:
    """Return the steps as plain data: each line as text and in LaTeX."""
    plain, formula = Writer(form.setting, TEXT), Writer(form.setting, LATEX)
    s = form.setting.symbols
    return {
        "name": form.mechanism.name,
        "form": "kane",
        "coordinates": s.coordinates[: s.n],
        "prescribed": [*s.steer, *(s.coordinates[k - 1] for k in s.given)],
        "speeds": list(s.speeds),
        "steps": [
            {
                "step": step.number,
                "title": step.title,
                "lines": [
                    {"remark": line.name}
                    if line.value is None
                    else {
                        "name": line.name,
                        "text": plain.write(line.value),
                        "latex": f"{line.latex_name} = {formula.write(line.value)}",
                    }
                    for line in step.lines
                ],
            }
            for step in steps(form, only)
        ],
    }
