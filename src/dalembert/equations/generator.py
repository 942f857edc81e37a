"""One symbol of closed forms: its printed name and what it stands for; and sets of symbols."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from ..algebra import is_plain_zero
from ..errors import ParameterError
from ..expr import Expr, Graph, Scalar
from ..expr.formula import Symbol
from ..expr.style import latex_name
from ..mechanism import Mechanism
from .kinds import KINDS, Key, Slope


class Generator(NamedTuple):
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


def atoms(x: Any, inside: Collection[str]) -> Iterator[tuple[Graph, int]]:
    """Yield the nodes of an expression below the operations of `inside`, from left to right."""
    stack = [x.id] if isinstance(x, Expr) else []
    while stack:
        i = stack.pop()
        if x.graph.op[i] in inside:
            stack += reversed(x.graph.args[i])
        else:
            yield x.graph, i


def slopes(
    symbols: Symbols, change: Slope, among: Iterable[int] | None = None
) -> dict[int, Scalar]:
    """Return the derivative of each generator, or of those named, where it is not zero."""
    every = symbols.generators
    made = {i: change.of(every[i].key) for i in (range(len(every)) if among is None else among)}
    return {i: x for i, x in made.items() if not is_plain_zero(x)}


def without_clashes(made: list[Generator]) -> list[Generator]:
    """Return the generators, those of ours renamed that a parameter of the model is called like."""
    if len({g.name for g in made}) == len(made):
        return made
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
    names = [p.name for p in m.parameters if p.name.startswith("q")]
    if not names:
        return
    taken = {f"{rate}{j}": j for j in range(1, m.nv + 1) for rate in ("q", "qd", "qdd")}
    for name in names:
        if name in taken:
            raise ParameterError(
                f"the parameter {name!r} has the name of a coordinate of joint {taken[name]}",
                hint=f"rename it in the description: {name}_",
            )
