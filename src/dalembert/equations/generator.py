"""One symbol of closed forms: its printed name and what it stands for; and sets of symbols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..algebra import is_plain_zero
from ..errors import ParameterError
from ..expr import Scalar
from ..expr.formula import Symbol
from ..expr.style import latex_name
from ..mechanism import Mechanism
from .kinds import KINDS, Key, Slope


@dataclass(frozen=True, slots=True)
class Generator:
    """One symbol: its printed name and what it stands for; LaTeX where a set has its own."""

    name: str
    key: Key
    latex: str = ""
    tail: str = ""  # of the LaTeX, behind a power

    @property
    def kind(self) -> str:
        """The kind of the symbol, a row of KINDS."""
        kind: str = self.key[0]
        return kind

    def symbol(self) -> Symbol:
        """Return the symbol as it stands in formulas."""
        if self.latex:
            return Symbol(self.name, self.latex, self.tail)
        made = KINDS[self.kind].latex
        return Symbol(self.name, made(*self.key[1:]) if made else latex_name(self.name))

    def meaning(self) -> str:
        """Return what it stands for, in words."""
        return KINDS[self.kind].meaning(*self.key[1:])


class Symbols(Protocol):
    """A set of symbols with which a ring of polynomials is made."""

    m: Mechanism
    n: int
    generators: list[Generator]
    index: dict[Key, int]  # of the generators by their keys
    names: list[str]


def slopes(symbols: Symbols, change: Slope) -> dict[int, Scalar]:
    """Return the derivative of each generator, where it is not zero."""
    made = {i: change.of(g.key) for i, g in enumerate(symbols.generators)}
    return {i: x for i, x in made.items() if not is_plain_zero(x)}


def without_clashes(made: list[Generator]) -> list[Generator]:
    """Return the generators, those of ours renamed that a parameter of the model is called like."""
    taken = {g.name for g in made if g.key[0] == "p"}
    out = []
    for g in made:
        name = g.name
        while g.key[0] != "p" and name in taken:
            name += "_"
        taken.add(name)
        out.append(g if name == g.name else Generator(name, g.key))
    return out


def refuse_coordinates(m: Mechanism) -> None:
    """Raise when a parameter is called like a coordinate of these equations or a rate of one."""
    taken = {f"{rate}{j}": j for j in range(1, m.nv + 1) for rate in ("q", "qd", "qdd")}
    for p in m.parameters:
        if p.name in taken:
            raise ParameterError(
                f"the parameter {p.name!r} has the name of a coordinate of joint {taken[p.name]}",
                hint=f"rename it in the description: {p.name}_",
            )
