"""Closed forms in sections: what is printed, in which order, and what a reader must know."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..algorithms.base_parameters import base_parameters
from ..errors import UsageError, closest, shown
from ..expr.formula import Product, Sum, Symbol, formula, name, names_in, node_formula
from ..expr.style import REPORT, TEXT, write
from . import grouping, regressor_print
from .angles import CONSTANT
from .constants import constants, equal_moments
from .kinds import angle_symbol
from .order import factored, grouped_as_printed
from .repeats import Shared
from .sections import Document, Line, Remark, Section, one_line
from .tree import Tree, is_long

if TYPE_CHECKING:
    from .closed_form import Equations
    from .entry import Entry
    from .regressor import Regressor

REGRESSORS = ("regressor", "base_regressor", "energy_regressor")
ASKED = ("structure", "terms", "base_parameters", *REGRESSORS)  # printed only when asked for
TITLES = {
    "constants": "Constants",
    "Q": "Gravity",
    "A": "Inertia",
    "B": "Coriolis",
    "C": "Centrifugal",
    "structure": "Structure",
    "terms": "Terms",
    "base_parameters": "Base parameters",
    "regressor": "Regressor",
    "base_regressor": "Regressor of the base parameters",
    "energy_regressor": "Regressor of the energy",
}
RECHOSEN = "axes of the bodies are re-chosen: z along the joint, x along the common normal"
STYLES = {"report": REPORT, "condensed": TEXT}


def text(eq: Equations, form: str = "condensed", only: Sequence[str] | None = None) -> str:
    """Return the equations in one form, sections as asked; every line of remark begins with #."""
    if form == "program":
        from ..program_form import program_form

        if only is not None:
            raise UsageError("a program holds all coefficients", hint="leave out `only`")
        return program_form(eq)
    if form not in STYLES:
        hint = "one of " + ", ".join((*STYLES, "program"))
        raise UsageError(f"form {shown(str(form))!r}", hint=hint)
    made = document(eq, form, only, titled=True)
    # a regressor has conventions of its own
    return made.text(STYLES[form], titled=bool(made.law))


def document(
    eq: Equations, form: str = "condensed", only: Sequence[str] | None = None, titled: bool = False
) -> Document:
    """Return the sections that are asked; `titled` regressors say what they are."""
    parts = chosen(only)
    title, law, *known = conventions(eq, form, parts)
    shared = _shared(eq, parts) if form == "condensed" else None
    sections = [section(eq, part, form, titled, shared) for part in parts]
    if form == "condensed" and {"constants", "Q", "A", "B", "C"} <= set(parts):
        sections = [_needed(sections), *sections[1:]]
    return Document(title, equation(eq) if known else "", [law, *known] if titled else known,
                    sections)  # fmt: skip


def _needed(sections: Sequence[Section]) -> Section:
    """Return the section of constants, the first one, without those that no other formula has."""
    first, *rest = sections
    used = {n for s in rest for _, right in s.formulas() for n in names_in(right)}
    kept, idle = [], []
    for left, right in reversed(list(first.formulas())):
        if left.name in used:
            used |= names_in(right)
            kept.append((left, right))
        else:
            idle.append(left.name)
    told = _wrapped(f"in no coefficient: {', '.join(reversed(idle))}") if idle else []
    return replace(first, lines=[*reversed(kept), *first.remarks(), *told])


def chosen(only: Sequence[str] | None) -> list[str]:
    """Return the sections to print, in order."""
    if only is None:
        return [s for s in TITLES if s not in ASKED]
    only = [s.strip() for s in only.split(",")] if isinstance(only, str) else only
    for s in only:
        if s not in TITLES:
            raise UsageError(f"no section {shown(str(s))!r}", hint=closest(str(s), TITLES))
    return [s for s in TITLES if s in only]


def _shared(eq: Equations, parts: Sequence[str]) -> Shared | Tree:
    """Return the formulas of the coefficients that are printed, with what they share."""
    entries = [e for part in parts if part in "QABC" for e in _printed(eq, part)]
    if is_long(eq, entries):
        return Tree(eq, entries, left)
    return Shared(eq, entries, left, reused)


def _printed(eq: Equations, kind: str) -> list[Entry]:
    """Return the coefficients of one kind in the order of print."""
    entries = list(getattr(eq, kind))
    return entries[::-1] if kind == "Q" else entries  # as the report computes and prints them


def section(
    eq: Equations, part: str, form: str, titled: bool, shared: Shared | Tree | None = None
) -> Section:
    """Return one section."""
    if part == "constants":
        lines: list[Line] = [(Symbol(n), x) for n, x in constants(eq).items()]
        same = ", ".join(f"{x} is {y}" for x, y in equal_moments(eq.ring.symbols).items())
        return Section(TITLES[part], [*lines, same] if same else lines)
    if part == "structure":
        return Section(TITLES[part], str(eq.structure()).splitlines())
    if part == "terms":
        return Section(TITLES[part], numbered(eq))
    if part == "base_parameters":
        return grouping.section(base_parameters(eq.mechanism), TITLES[part], eq.mechanism.name)
    if part in REGRESSORS:
        return regressor_print.section(regressor_print.of_section(eq, part), TITLES[part], titled)
    return coefficients(eq, part, form, shared)


def coefficients(
    eq: Equations, kind: str, form: str, shared: Shared | Tree | None = None
) -> Section:
    """Return the section of one kind of coefficient, and the number of terms."""
    entries = _printed(eq, kind)
    long = isinstance(shared, Tree)
    sizes = {entry.name: len(entry if long else entry.form(form)) for entry in entries}
    count, largest = sum(sizes.values()), max(sizes, key=sizes.__getitem__, default="")
    if not count and form == "condensed" and len(entries) > 1:
        return Section(TITLES[kind], [f"{kind}: all {len(entries)} are zero"])
    if shared is None:
        lines = [(left(e), expression(e, form)) for e in entries]
    else:
        lines = [x for e, right in shared.formulas if e.kind == kind
                 for x in shared.lines(e, right)]  # fmt: skip
    terms = "term" if count == 1 else "terms"
    told = f"{kind}: {count} {terms} in all, {sizes[largest]} in {largest}" if count else ""
    if told and shared is not None:
        told += "\n" + _numbers(entries)
    return Section(TITLES[kind], list(lines), told)


def _numbers(entries: Sequence[Entry]) -> str:
    """Return how `drop` numbers the terms of some coefficients: drop: A11:1-3 A12:1."""
    counts = [(e.name, len(e.raw)) for e in entries]
    words = [f"{name}:1-{n}" if n > 1 else f"{name}:1" for name, n in counts if n]
    return "\n".join(_wrapped("drop: " + " ".join(words)))


def _wrapped(remark: str) -> list[str]:
    return textwrap.wrap(remark, 98, subsequent_indent="  ")


def numbered(eq: Equations) -> list[str]:
    """Return every term with the number by which `drop` knows it: A12:1  +VX2*L1*C2."""
    from .shares import term_text  # with it comes numpy, which nothing else here needs

    return [
        f"{entry.name}:{k}  {term_text(eq, entry, term)}"
        for kind in "QABC"
        for entry in getattr(eq, kind)
        for k, term in enumerate(entry.terms("report"), 1)
    ]


def conventions(eq: Equations, form: str, parts: Sequence[str] = ()) -> list[str]:
    """Return what a reader must know: title, equation; sign of Q, angles, frames, gravity.

    Title and law alone where all sections are of inertial parameters: they have their own.
    """
    if parts and all(part in ASKED[2:] for part in parts):
        return [f"{shown(eq.mechanism.name)}: inertial parameters", "tau = Y phi"]
    sign = "-" if eq.sign == "section3" else "+"
    lines = [
        f"{shown(eq.mechanism.name)}: closed-form equations of motion, {form} form",
        "tau(i) = sum_j A(i,j)*qdd(j) + sum_j sum_k>j B(i,j,k)*qd(j)*qd(k)"
        f" + sum_j C(i,j)*qd(j)**2 {sign} Q(i)",
        "sign of Q: "
        + (
            "the force of gravity on joint i, as in sections 3 and 4 of the 1980 report"
            if sign == "-"
            else "what holds joint i against gravity, as in section 2 of the 1980 report"
        ),
        *angles(eq),
        "V, W: sums of mass times distance or its square, what a body carries counted at its next "
        "joint",
        "J = I + W: inertia about the joint; all in the axes of its body",
        *([RECHOSEN] if eq.ring.symbols.m is not eq.mechanism else []),
        f"gravity = ({vector(eq.mechanism.gravity)})",
    ]
    names = eq.mechanism.joint_names
    if any(name != f"j{k}" and name != f"body{k}" for k, name in enumerate(names, 1)):
        lines.append("joints: " + ", ".join(f"{k} {shown(n)}" for k, n in enumerate(names, 1)))
    if eq.neglected:
        lines.append("neglected: " + ", ".join(eq.neglected))
    return [*lines, *eq.remarks]


def equation(eq: Equations) -> str:
    """Return the equation all coefficients belong to, in LaTeX."""
    sign = "-" if eq.sign == "section3" else "+"
    return (
        r"\tau_i = \sum_j A_{ij}\,\ddot q_j + \sum_j \sum_{k>j} B_{ijk}\,\dot q_j \dot q_k"
        rf" + \sum_j C_{{ij}}\,\dot q_j^2 {sign} Q_i"
    )


def vector(v: Iterable[Any]) -> str:
    """Return the components of a vector."""
    return ", ".join(write(formula(x), TEXT) for x in v)


def angles(eq: Equations | Regressor) -> list[str]:
    """Return what S and C with digits mean, by an example of this mechanism."""
    known = {g.key: g for g in eq.ring.symbols.generators if g.kind in ("sin", "cos")}
    if not known:
        return []
    joints = max((key[1] for key in known if key[0] == "cos"), key=len)
    own = {x: _named(right) for x, right in constant_angles(eq)}
    parts = [(1 if j > 0 else -1, angle_symbol(abs(j))) for j in joints]
    if not all(own.get(x, x) for _, x in parts):
        own = {}  # letters for all
    of = Sum(tuple(Product(sign, ((own.get(x) or x, 1),)) for sign, x in parts))
    said = [(known[f, joints].symbol(), node_formula(f, [of])) for f in ("cos", "sin")]
    said += constant_angles(eq)
    plain = ", ".join(f"{x.name} = {write(right, TEXT)}" for x, right in said)
    return [Remark(plain, r",\quad ".join(one_line(*pair) for pair in said))]


def _named(x: Sum) -> Symbol | None:
    """Return the letter that a sum is, if it is nothing else: C12a = cos(q1+q2+al)."""
    alone = names_in(x) if len(x.terms) == 1 else set()
    symbol = x.terms[0].factors[0][0] if x.terms and x.terms[0].factors else None
    return symbol if isinstance(symbol, Symbol) and alone == {write(x, TEXT)} else None


def meanings(eq: Equations | Regressor) -> dict[str, str]:
    """Return what each symbol stands for; a constant angle in a sum is written out."""
    known = {x.name: write(right, TEXT) for x, right in constant_angles(eq)}
    out = {}
    for g in eq.ring.symbols.generators:
        out[g.name] = g.meaning()
        if g.kind in ("sin", "cos"):
            parts = [(j, angle_symbol(abs(j)).name) for j in g.key[1]]
            terms = [("-" if j < 0 else "+") + _whole(known.get(x, x)) for j, x in parts]
            out[g.name] = f"{g.kind}({''.join(terms).removeprefix('+')})"
    return out


def _whole(text: str) -> str:
    return f"({text})" if any(c in text for c in "+-*/") else text


def constant_angles(eq: Equations | Regressor) -> list[tuple[Symbol, Sum]]:
    """Return the letters of constant angles in sums of angles, and what they are."""
    symbols = eq.ring.symbols
    sums = [g.key[1] for g in symbols.generators if g.kind == "cos"]
    found = sorted({abs(j) for key in sums for j in key if abs(j) > CONSTANT})
    return [(angle_symbol(j), formula(symbols.constants[j - CONSTANT - 1])) for j in found]


def left(entry: Entry) -> Symbol:
    """Return the left side of a coefficient: A12, in LaTeX A_{12}."""
    dot = "," if entry.equations.n > 9 else ""
    return Symbol(entry.name, f"{entry.kind}_{{{dot.join(map(str, entry.place))}}}")


def expression(entry: Entry, form: str = "condensed") -> Sum:
    """Return the right side of one coefficient."""
    ring = entry.equations.ring
    if form != "report":
        return factored(ring, entry.form(form))
    after = reused(entry) if entry.kind == "Q" else None
    if after is None:
        return grouped_as_printed(ring, entry.raw, entry.kind)
    own = grouped_as_printed(ring, entry.raw - after.raw, "Q")
    return Sum((*own.terms, name(after.name)), own.signed)


def reused(entry: Entry) -> Entry | None:
    """Return Q(i+1) when Q(i) is it plus own terms: joint i+1 is parallel (section 4.4)."""
    eq: Any = entry.equations
    i = entry.place[0] - 1
    c = eq.condensed
    if eq.n < len(c.links) or i + 1 >= eq.n or c.children[i] != [i + 1]:
        return None
    parallel = c.turning[i] and c.far(i, c.angular[i])[i + 1] == i + 1
    turning = all(b.joint.kind == "revolute" for b in eq.mechanism.bodies[i : i + 2])
    after = eq.Q[i + 2]
    same = c.angular[i] == c.angular[i + 1]
    if not (parallel and turning and same) or not len(after.raw):
        return None
    return after if len(entry.raw - after.raw) < len(entry.raw) else None
