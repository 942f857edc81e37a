"""The rate of G, column by column, on the same blocks: J Ġ = -J̇ G.

Kane's method asks for J̇ as a matrix (DeSantis 1996, step 6); the other closed forms need but Ġ q̇.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ..algorithms.loop_closure import loop_jacobian
from ..expr import Expr, push
from ..linalg import dot
from .loop_blocks import TERMS, Line, Solved, right_side, turn
from .loop_elimination import named_line
from .loop_shared import shared
from .trig import NotTrig, Trig, folded, is_coordinate, trig


@dataclass
class Slopes:
    """Ġ by (joint, independent joint), and the lines that say it."""

    rate: dict[tuple[int, int], Any] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)


def slopes(s: Solved) -> Slopes:
    """Return the rate of G along a motion; rates of all joints are qd1, qd2..."""
    out = Slopes()
    Jd = _moving_rows(s, out)
    for k in s.plan.independent:
        for c in s.plan.independent:
            out.rate[k, c] = 0
    for block in s.blocks:
        for k in s.plan.independent:
            names = {j: s.name("Gd", j + 1, k + 1) for j in block.joints}
            if block.solve is None:
                for j, known in block.constants.items():
                    total = sum((x * out.rate[i, k] for i, x in known.items()), 0)
                    out.rate[j, k] = named_line(s, names[j], total, out.lines)
                continue
            G = [s.G.get((j, k), 0) for j in range(s.m.nv)]
            own = [dot(Jd[r], G) for r in block.rows]
            side = right_side(s, block.rows, own, lambda j, k=k: out.rate.get((j, k), 0))
            found = block.solve(side, out.lines, list(names.values()))
            for j, x in zip(block.joints, found, strict=True):
                out.rate[j, k] = x
    used = {n for _, x in out.lines if isinstance(x, Expr) for n in x.names()}
    out.lines = [(n, x) for n, x in s.turns.items() if n in used] + out.lines
    return out


def _moving_rows(s: Solved, out: Slopes) -> list[list[Any]]:
    """Return dJ/dt of the planned rows."""
    m = s.m.map(lambda x: s.graph.adopt(x) if isinstance(x, Expr) else x)
    J = loop_jacobian(m, [s.symbol(f"q{k + 1}") for k in range(m.nq)])
    every = [_slope(s, J[r][k]) for r in s.plan.rows for k in range(m.nv)]
    every = shared(every, {}, lambda x: s.step(x, out.lines))
    every = [folded(x) if isinstance(x, Expr) else x for x in every]
    return [every[n * m.nv : (n + 1) * m.nv] for n in range(len(s.plan.rows))]


def _slope(s: Solved, x: Any) -> Any:
    """Return the rate of an entry, rates of sums of angles named."""
    if not isinstance(x, Expr) or x.value is not None:
        return 0
    with suppress(NotTrig):
        terms = trig(x)
        if len(terms.terms) <= TERMS:
            return _by_terms(s, terms)
    moving = [n for n in x.names() if is_coordinate(n)]
    return push(s.graph, [x.id], {s.symbol(n).id: s.symbol("qd" + n[1:]) for n in moving})[0]


def _by_terms(s: Solved, t: Trig) -> Any:
    """Return d/dt of a sum of letters times a sine or cosine."""
    total: Any = 0
    for (letters, angle, kind), c in t.terms.items():
        slides = [(n, e) for n, e in letters if is_coordinate(n)]
        here = Trig({((), angle, kind): 1}).expr(s.graph)
        if any(e != 1 for _, e in slides):
            raise NotTrig
        for n, _ in slides:
            rest = tuple(p for p in letters if p[0] != n)
            factor = Trig({(rest, (), ""): c}, t.atoms).expr(s.graph)
            total = total + factor * here * s.symbol("qd" + n[1:])
        if kind:
            other = Trig({((), angle, "s" if kind == "c" else "c"): 1}).expr(s.graph)
            factor = Trig({(letters, (), ""): c}, t.atoms).expr(s.graph)
            turning = factor * other * turn(s, angle)
            total = total - turning if kind == "c" else total + turning
    return total
