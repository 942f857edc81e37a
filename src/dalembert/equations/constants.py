"""The named constants of closed forms, computed off-line: what each stands for, and its value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flint import Ordering, fmpq_mpoly_ctx

from ..algorithms.augmented_body import augmented_bodies
from ..expr import OPS, Expr
from ..expr.arena import Rows
from ..expr.exact import to_float
from ..expr.formula import Sum, Symbol, formula, node_formula
from ..expr.style import latex_name
from .condense import shortened
from .kinds import letters
from .order import factored
from .reported import ENTRIES
from .ring import Poly, Ring, rational

if TYPE_CHECKING:
    from .closed_form import Equations
    from .symbols import TreeSymbols


def constants(eq: Equations) -> dict[str, Sum]:
    """Return name -> formula, each after those it is written with.

    Cosines and sines of constant angles, reported masses V, inertias W, J, then the others.
    """
    s = eq.ring.symbols
    rest = others(s)
    pairs = {
        g.name: rest[g.name] for g in s.generators if g.name in rest and g.kind in ("cosK", "sinK")
    }
    tables = {name: x for table in s.reported.tables() for name, x in table.items()}
    tables |= {name: x for name, x in merged(s).items() if name in tables}
    for name in unwritten(s):
        tables.pop(name, None)
    for name in equal_moments(s):
        tables.pop(name, None)
    return pairs | tables | rest


def equal_moments(s: TreeSymbols) -> dict[str, str]:
    """Return moments of inertia that are numbers and equal to one before: JZ2 -> JY2."""
    return {f"J{'XYZ'[u]}{j + 1}": f"J{'XYZ'[s.first(j, u)]}{j + 1}" for j, u in s.repeated}


def merged(s: TreeSymbols) -> dict[str, Sum]:
    """Return V and J of bodies given about their origin, brackets opened.

    Those of a body that slides stay as they are written.
    """
    out: dict[str, Sum] = {}
    for j, body in enumerate(augmented_bodies(s.written)):
        if s.written.bodies[j].inertia.at != "origin" or s.slides[j]:
            continue
        found = {f"V{'XYZ'[u]}{j + 1}": body.V[u] for u in range(3)}
        found |= {f"J{letters(a, b)}{j + 1}": body.J[a, b] for a, b in ENTRIES}
        out |= {name: short for name, x in found.items() if (short := opened(x)) is not None}
    return out


def unwritten(s: TreeSymbols) -> list[str]:
    """Return the sums W of bodies whose mass centre is a quotient: mx / m, or of several bodies."""
    return [
        f"W{letters(a, b)}{j + 1}"
        for j, body in enumerate(s.written.bodies)
        if body.inertia.at == "origin"
        and any(isinstance(x, Expr) and opened(x) is None for x in body.inertia.centre)
        for a, b in ENTRIES
    ]


def opened(x: Any) -> Sum | None:
    """Return a polynomial of parameters with its brackets opened and like terms together."""
    if not isinstance(x, Expr):
        return None
    names = list(x.names())
    ring = _Letters(names)
    leaf: Rows = {"const": rational, "param": lambda name: ring.gens[names.index(name)]}
    ops = {name: OPS[name].evaluate for name in ("add", "sub", "mul", "neg")}

    def other(i: int, values: list[Any]) -> Any:
        raise LookupError(x.graph.op[i])

    try:
        p = ring.poly(x.graph.fold([x.id], leaf, ops, other)[x.id])
        return factored(ring, shortened(ring, p))
    except LookupError:
        return None


class _Letters(Ring):
    """The ring of some parameters."""

    def __init__(self, names: Sequence[str]):
        self.names = names
        self.ctx = fmpq_mpoly_ctx.get(tuple(f"x{i}" for i in range(len(names))), Ordering.lex)
        self.gens = list(self.ctx.gens())
        self.zero, self.one = self.ctx.constant(0), self.ctx.constant(1)

    @cached_property
    def circles(self) -> list[tuple[int, int, Poly]]:
        """(sine, cosine, s² + c² - 1) of every constant angle."""
        pairs = [(i, self.names.index("C" + name[1:])) for i, name in enumerate(self.names)
                 if name.startswith("SK") and "C" + name[1:] in self.names]  # fmt: skip
        return [(s, c, self.gens[s] ** 2 + self.gens[c] ** 2 - 1) for s, c in pairs]

    @cached_property
    def ranks(self) -> list[tuple[Any, ...]]:
        """The letters in their order, sines and cosines of constants last."""
        return [(3 if name[1:2] == "K" else 2, name) for name in self.names]

    def symbol(self, i: int) -> Symbol:
        """Return letter i as it stands in formulas."""
        return Symbol(self.names[i], latex_name(self.names[i]))


def others(s: TreeSymbols) -> dict[str, Sum]:
    """Return augmented masses of slides, cosines and sines of constant angles, and the rest."""
    out: dict[str, Sum] = {}
    for g in s.generators:
        kind, *key = g.key
        if kind == "M":
            out[g.name] = formula(s.augmented[key[0]].M)
        elif kind in ("cosK", "sinK"):
            if key[0] not in s.alone:
                continue
            out[g.name] = _of_angle(s.constants[key[0] - 1], kind[:3])
        elif kind == "other":
            out[g.name] = formula(s.others[key[0]])
    return out


def _of_angle(angle: Any, function: str) -> Sum:
    """Return a cosine or sine: a number unless the angle has parameters."""
    if isinstance(angle, Expr) and angle.names():
        return node_formula(function, [formula(angle)])
    return formula(getattr(math, function)(to_float(angle)))
