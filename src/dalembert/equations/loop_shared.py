"""Large expressions as a few named steps: what occurs more than once is written once, folded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ..expr import OPS, Expr
from ..expr.arena import LEAVES
from .trig import plain
from .trig_form import folded

LARGE = 120  # operations of an expression, written out, from which on its repeats are named
SMALL = 4  # a repeat of fewer operations is written again


def written_size(x: Expr) -> int:
    """Return how many operations an expression has when every repeat is written out."""
    graph, size = x.graph, dict[int, int]()
    for i in graph.live([x.id]):
        size[i] = 0 if graph.op[i] in LEAVES else 1 + sum(size[a] for a in graph.operands(i))
    return size[x.id]


def shared(values: Sequence[Any], named: dict[int, Any], name: Callable[[Any], Any]) -> list[Any]:
    """Return expressions in which repeats are symbols, where they are large otherwise.

    `named` keeps what was named before, by node; `name(x)` gives a symbol to an expression.
    """
    large = [x for x in values if isinstance(x, Expr) and written_size(x) > LARGE]
    if not large:
        return list(values)
    graph = large[0].graph
    ids = [x.id for x in values if isinstance(x, Expr)]
    uses: Counter[int] = Counter(ids)
    live = list(graph.live(ids))
    for i in live:
        if graph.op[i] not in LEAVES:
            uses.update(graph.operands(i))
    made: dict[int, Any] = {}
    size: dict[int, int] = {}
    for i in live:
        op = graph.op[i]
        if op in LEAVES:
            made[i], size[i] = Expr(graph, i), 0
            continue
        if i in named:
            made[i], size[i] = named[i], 0
            continue
        of = graph.operands(i)
        made[i] = OPS[op].evaluate(*(made[a] for a in of))
        size[i] = 1 + sum(size[a] for a in of)
        if isinstance(made[i], Expr) and size[i] <= LARGE:
            made[i] = plain(folded(made[i]))
            size[i] = written_size(made[i]) if isinstance(made[i], Expr) else 0
        if isinstance(made[i], Expr) and ((uses[i] > 1 and size[i] >= SMALL) or size[i] > LARGE):
            named[i] = made[i] = name(made[i])
            size[i] = 0
    return [made[x.id] if isinstance(x, Expr) else x for x in values]
