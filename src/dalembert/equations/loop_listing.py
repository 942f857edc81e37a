"""The equations of closed loops as a listing: one named assignment a line, in order of use.

The lines are those of the printed equations; sines and cosines are named (C12 = cos(q1+q2)), and
what no force needs is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import shown
from ..expr.formula import Call, Sum, Symbol, mapped, names_in
from ..expr.style import TEXT, write
from .angles import CONSTANT, Joints
from .kinds import signed_sum
from .loop_blocks import told
from .text import vector

if TYPE_CHECKING:
    from .loop_equations import LoopEquations

Line = tuple[str, Sum]


def listing(eq: LoopEquations) -> str:
    """Return the forces of the joints that lead as numbered assignments."""
    lines = _needed(eq, _with_angles(eq, _lines(eq)))
    s, m = eq.loops, eq.mechanism
    lead = ", ".join(map(str, eq.independent))
    head = [
        f"# {shown(m.name)}: inverse_dynamics from the equations of its closed loops",
        f"# {s.plan}",
        f"# inputs: q1 to q{m.nq}, closed; qd and qdd of joints {lead}",
        "# parameters: " + (", ".join(map(shown, m.open_parameters)) or "none"),
        *(f"# {remark}" for remark in eq.tree.remarks),
        "",
    ]
    width = len(str(len(lines)))
    body = [f"  {k:>{width}}  {name} = {right}" for k, (name, right) in enumerate(lines, 1)]
    return "\n".join([*head, *body]) + "\n"


def _lines(eq: LoopEquations) -> list[Line]:
    """Return name and formula of every line: the cut tree's coefficients, rates, closed model."""
    tree = [pair for section in eq._tree_sections() for pair in section.formulas()]
    return [(left.name, right) for left, right in [*tree, *told(eq.lines())]]


class _Angles:
    """Names of sines and cosines: those of the cut tree, and C12m3 of cos(q1+q2-q3)."""

    def __init__(self, eq: LoopEquations):
        made = eq.tree.ring.symbols.generators
        angles = [g for g in made if g.kind in ("cos", "sin")]
        self.meaning = {g.name: f"{g.kind}({self._sum(eq, g.key[1])})" for g in angles}
        self.taken = {p.name for p in eq.mechanism.parameters}
        self.between = "_" if eq.mechanism.nv > 9 else ""

    @staticmethod
    def _sum(eq: LoopEquations, joints: Joints) -> str:
        """Return q3+2.25 of a sum of angles: a constant one stands for itself."""
        turned = signed_sum(tuple(j for j in joints if abs(j) < CONSTANT))
        for j in (j for j in joints if abs(j) > CONSTANT):
            x = vector([eq.tree.ring.symbols.constants[abs(j) - CONSTANT - 1]])
            turned += f"{'+-'[j < 0]}({x})"
        return turned

    def named(self, s: Sum) -> Sum:
        """Return a formula with its sines and cosines named."""
        return mapped(s, self._factor)

    def _factor(self, x: Any) -> Any:
        if not isinstance(x, Call):
            return x
        digits = self._digits(x.of[0]) if x.name in ("cos", "sin") else ""
        if not digits:
            return None
        name = x.name[0].upper() + digits
        name += "_" * (name in self.taken)
        self.meaning[name] = f"{x.name}({write(x.of[0], TEXT)})"
        return Symbol(name)

    def _digits(self, angle: Sum) -> str:
        """Return 12m3 of q1+q2-q3; nothing of an angle that is not a sum of coordinates."""
        out = ""
        for k, p in enumerate(angle.terms):
            ((x, power),) = p.factors if len(p.factors) == 1 and not p.under else ((None, 0),)
            digits = x.name[1:] if isinstance(x, Symbol) and x.name[0] == "q" else ""
            if not (digits.isdecimal() and power == 1 and abs(p.number) == 1) or (
                k == 0 > p.number
            ):
                return ""
            out += ("m" if p.number < 0 else self.between if k else "") + digits
        return out


def _with_angles(eq: LoopEquations, lines: list[Line]) -> list[tuple[str, str, set[str]]]:
    """Return name, text and what is used of each line, those of sines and cosines first."""
    angles = _Angles(eq)
    made = [(name, angles.named(right)) for name, right in lines]
    used = set[str]().union(*(names_in(right) for _, right in made))
    found = [(n, text, set[str]()) for n, text in angles.meaning.items() if n in used]
    found.sort(key=lambda line: (line[1][4:], line[1]))
    return [*found, *((n, write(right, TEXT), names_in(right)) for n, right in made)]


def _needed(eq: LoopEquations, lines: list[tuple[str, str, set[str]]]) -> list[tuple[str, str]]:
    """Return the lines that the forces need, in their order."""
    wanted = {n for n, _ in eq.motors}
    kept = []
    for name, text, used in reversed(lines):
        if name in wanted:
            kept.append((name, text))
            wanted |= used
    return kept[::-1]
