"""A function of a few scalars that is recorded once and used for many: the columns of a matrix.

What it reads besides its arguments is the same for all of them, and computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .arena import LEAVES, PAYLOAD
from .forms import FORMS, call
from .function import Function
from .graph import Graph
from .ops import Scalar
from .port import Port
from .scalar import Expr

SHARED = "shared"  # the input of what all columns read
FEW = 3  # columns below which nothing is recorded


def for_each_column(
    function: Callable[[list[Any]], Sequence[Scalar]], columns: Sequence[Sequence[Scalar]]
) -> list[list[Scalar]]:
    """Return function(column) of columns that are equally long; on expressions it runs once.

    >>> for_each_column(lambda x: [x[0] + 1, x[0] * x[1]], [[1.0, 2.0], [3.0, 4.0]])
    [[2.0, 2.0], [4.0, 12.0]]
    """
    graph = next((x.graph for c in columns for x in c if isinstance(x, Expr)), None)
    if graph is None or len(columns) < FEW:
        return [list(function([*column])) for column in columns]
    name = f"each {len(graph)}"
    own = [graph.input(name, k) for k in range(len(columns[0]))]
    results = [graph.lift(y) for y in function([*own])]
    found, shared = _apart(graph, [x.id for x in own], results)
    read = [Expr(graph, i) for i in shared]
    return [call(found, read, column) for column in columns]


def _apart(graph: Graph, own: Sequence[int], ends: Sequence[int]) -> tuple[Function, list[int]]:
    """Return what depends on `own` inputs as a Function, and the nodes that it is given besides."""
    results = _plain(graph, own, ends)
    inner, shared = Graph(), dict[int, int]()

    class Made(dict[int, int]):
        def __missing__(self, i: int) -> int:
            if graph.op[i] in ("const", "pi"):
                self[i] = inner.rebuild(graph, i, self)
            else:
                self[i] = inner.input(SHARED, shared.setdefault(i, len(shared))).id
            return self[i]

    made = Made({i: inner.input("own", k).id for k, i in enumerate(own)})
    for i in _moved(graph, own, results):
        made[i] = inner.rebuild(graph, i, made)
    ids = tuple(made[i] for i in results)
    ports = Port(SHARED, (len(shared),)), Port("own", (len(own),))
    return Function("each", inner, ports, (Port("value", (len(ids),)),), ids), [*shared]


def _moved(graph: Graph, own: Sequence[int], results: Sequence[int]) -> list[int]:
    """Return the nodes of results that depend on some inputs, in order, without these."""
    moved = set(own)
    found = []
    for i in graph.live(results):
        if graph.op[i] not in LEAVES and not moved.isdisjoint(graph.operands(i)):
            moved.add(i)
            found.append(i)
    return found


def _plain(graph: Graph, own: Sequence[int], results: Sequence[int]) -> list[int]:
    """Return the results with forms that depend on some inputs expanded.

    The part of a form that does not, like the factors of a matrix, thus stays outside.
    """
    made: dict[int, Any] = {}
    for i in _moved(graph, own, results):
        op, args = graph.op[i], graph.args[i]
        if op == "item" and isinstance(made.get(args[1]), list):
            made[i] = made[args[1]][args[0]]
        elif op in PAYLOAD and op != "item":
            values = [Expr(graph, made.get(a, a)) for a in args[1:]]
            made[i] = [graph.lift(x) for x in FORMS[op](args[0], *values)]
        else:
            made[i] = graph.rebuild(graph, i, {a: made.get(a, a) for a in graph.operands(i)})
    return [made.get(i, i) for i in results]
