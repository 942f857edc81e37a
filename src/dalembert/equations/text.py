"""Closed forms as text: the lines of the 1980 report, and a condensed form of the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, shown
from ..expr import Expr, decimal
from ..expr import text as expression_text
from .order import Part, factored, grouped_as_printed
from .ring import Poly, Ring

if TYPE_CHECKING:
    from .derive import Equations
    from .entry import Entry
    from .regressor import Regressor

WIDTH = 100
LONG = 24  # digits of a number that is shown exactly
REGRESSORS = ("regressor", "base_regressor", "energy_regressor")
ASKED = ("structure", "base_parameters", *REGRESSORS)  # printed only when asked for
SECTIONS = ("constants", "Q", "A", "B", "C", *ASKED)
FORMS = ("report", "condensed")


def text(eq: Equations, form: str = "condensed", only: Sequence[str] | None = None) -> str:
    """Return the equations in one form, sections as asked; every line of remark begins with #."""
    if form not in FORMS:
        raise UsageError(f"form {shown(str(form))!r}", hint="one of " + ", ".join(FORMS))
    from .regressor_print import grouping, of_section

    parts = chosen(only)
    # a regressor has conventions of its own
    known = conventions(eq, form, parts)
    lines = [f"# {x}" for x in known] if len(known) > 2 else []
    for part in parts:
        if part in REGRESSORS:
            lines += of_section(eq, part).text().splitlines()
        elif part == "base_parameters":
            lines += grouping(eq.mechanism).splitlines()
        elif part == "constants":
            lines += [line(name, value) for name, value in eq.constants.items()]
        elif part == "structure":
            lines += [f"# {x}" for x in str(eq.structure()).splitlines()]
        else:
            lines += section(eq, part, form)
    return "\n".join(lines) + "\n"


def chosen(only: Sequence[str] | None) -> list[str]:
    """Return the sections to print, in order."""
    if only is None:
        return [s for s in SECTIONS if s not in ASKED]
    only = [s.strip() for s in only.split(",")] if isinstance(only, str) else only
    for s in only:
        if s not in SECTIONS:
            raise UsageError(f"no section {shown(str(s))!r}", hint="one of " + ",".join(SECTIONS))
    return [s for s in SECTIONS if s in only]


def section(eq: Equations, kind: str, form: str) -> Iterator[str]:
    """Yield the lines of one kind of coefficient, then the number of terms."""
    entries = list(getattr(eq, kind))
    if kind == "Q":
        entries.reverse()  # as the report computes and prints them
    count = 0
    for entry in entries:
        count += len(entry.form(form))
        yield from wrapped(f"{entry.name} = {expression(entry, form)}")
    largest = max(entries, key=lambda e: len(e.form(form)), default=None)
    if largest is not None and count:
        most = len(largest.form(form))
        terms = "term" if count == 1 else "terms"
        yield f"# {kind}: {count} {terms} in all, {most} in {largest.name}"


def conventions(eq: Equations, form: str, parts: Sequence[str] = ()) -> list[str]:
    """Return what a reader must know: title, equation; sign of Q, angles, frames, gravity.

    Title and law alone where all sections are of inertial parameters: they have their own.
    """
    if parts and all(part in ASKED[1:] for part in parts):
        return [f"{shown(eq.mechanism.name)}: inertial parameters", "tau = Y phi"]
    sign = "-" if eq.sign == "section3" else "+"
    lines = [
        f"{shown(eq.mechanism.name)}: closed-form equations of motion, {form} form",
        "tau(i) = sum_j A(i,j)*qdd(j) + sum_j sum_k>j B(i,j,k)*qd(j)*qd(k)"
        f" + sum_j C(i,j)*qd(j)**2 {sign} Q(i)",
        "sign of Q: that of "
        + ("sections 3 and 4 of the report" if sign == "-" else "section 2 of the report")
        + (" (force of gravity)" if sign == "-" else " (load of gravity)"),
        *angles(eq),
        "V, W, J: reported masses, reported and total inertias about the joint, axes of its body",
        f"gravity = ({vector(eq.mechanism.gravity)})",
    ]
    names = eq.mechanism.joint_names
    if any(name != f"j{k}" and name != f"body{k}" for k, name in enumerate(names, 1)):
        lines.append("joints: " + ", ".join(f"{k} {shown(n)}" for k, n in enumerate(names, 1)))
    if eq.neglected:
        lines.append("neglected: " + ", ".join(eq.neglected))
    return [*lines, *eq.remarks]


def vector(v: Iterable[Any]) -> str:
    """Return the components of a vector."""
    return ", ".join(_number(x) for x in v)


def angles(eq: Equations | Regressor) -> list[str]:
    """Return what S and C with digits mean, by an example of this mechanism."""
    sums = [g for g in eq.ring.symbols.generators if g.key[0] == "cos"]
    if not sums:
        return []
    g = max(sums, key=lambda g: len(g.key[1]))
    joints = g.key[1]
    total = "".join(f"{'-' if j < 0 else '+'}q{abs(j)}" for j in joints).removeprefix("+")
    return [f"{g.name} = cos({total}), S{g.name[1:]} = sin({total})"]


def _number(x: Any) -> str:
    return expression_text(x) if isinstance(x, Expr) else decimal(x)


def line(name: str, value: Any) -> str:
    """Return the definition of a constant."""
    return f"{name} = {value if isinstance(value, str) else decimal(value)}"


def expression(entry: Entry, form: str) -> str:
    """Return the right side of one coefficient."""
    eq = entry.equations
    ring = eq.ring
    if form == "report":
        if entry.kind == "Q" and (after := reused(entry)) is not None:
            own = entry.raw - after.raw
            return joined(ring, grouped_as_printed(ring, own, "Q")) + f"+{after.name}"
        return joined(ring, grouped_as_printed(ring, entry.raw, entry.kind)) or "0"
    return bare(joined(ring, factored(ring, entry.form(form)))) or "0"


def reused(entry: Entry) -> Entry | None:
    """Return Q(i+1) when Q(i) is it plus own terms: joint i+1 is parallel (section 4.4)."""
    eq: Any = entry.equations
    i = entry.place[0] - 1
    c = eq.condensed
    if i + 1 >= eq.n or c.children[i] != [i + 1]:
        return None
    axis = c.links[i].angular
    parallel = not axis.is_zero() and c.far(i, axis, i + 1) == i + 1
    turning = all(b.joint.kind == "revolute" for b in eq.mechanism.bodies[i : i + 2])
    after = eq.Q[i + 2]
    same = axis == c.links[i + 1].angular
    if not (parallel and turning and same) or not len(after.raw):
        return None
    return after if len(entry.raw - after.raw) < len(entry.raw) else None


def joined(ring: Ring, parts: Sequence[Part]) -> str:
    """Return a sum of parts, every sign written."""
    return "".join(_part(ring, part) for part in parts)


def bare(text: str) -> str:
    """Return a sum without the plus signs that begin it and its brackets, which the report has."""
    return text.removeprefix("+").replace("(+", "(")


def _part(ring: Ring, part: Part) -> str:
    sign = "-" if part.number < 0 else "+"
    names = [_power(ring, f) for f in part.factors]
    if part.inner:
        names.append(f"({joined(ring, part.inner)})")
    size = abs(part.number)
    if size != 1 or not names:
        names.insert(0, _fraction(size))
    return sign + "*".join(names)


def _fraction(x: Fraction) -> str:
    shown_number = decimal(x)
    if len(shown_number) > LONG:  # of a general axis: rounded once, for the eye
        return repr(float(x))
    return f"({shown_number})" if "/" in shown_number else shown_number


def _power(ring: Ring, factor: tuple[int, int]) -> str:
    i, e = factor
    name = ring.symbols.names[i]
    return name if e == 1 else f"{name}**{e}"


def wrapped(line: str, width: int = WIDTH) -> Iterator[str]:
    """Yield a long line in pieces: continuations begin with two blanks and an operator."""
    if len(line) <= width:
        yield line
        return
    current = ""
    for piece in _pieces(line):
        if current and len(current) + len(piece) > width:
            yield current
            current = "  " + piece
        else:
            current += piece
    yield current


def _pieces(line: str) -> Iterator[str]:
    """Yield the line cut before every + and - that stands between two operands."""
    start = 0
    for k in range(1, len(line) - 1):
        operand = line[k - 1].isalnum() or line[k - 1] in ")_"
        exponent = line[k - 1] == "e" and line[k - 2].isdigit() and line[k + 1].isdigit()
        if line[k] in "+-" and operand and not exponent:
            yield line[start:k]
            start = k
    yield line[start:]


def polynomial(ring: Ring, p: Poly) -> str:
    """Return a polynomial with common factors taken out."""
    return bare(joined(ring, factored(ring, p))) or "0"


def summed(parts: Iterable[str]) -> str:
    """Return signed texts as one sum."""
    return "".join(parts).removeprefix("+")
