"""Slopes of a model by tracing it once and differentiating the graph, over any scalar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..expr import Expr, Graph, Scalar, call, trace
from ..expr.derive import pushes
from ..joint import Vector
from ..mechanism import Mechanism
from ..mechanism.edit import into

Direction = dict[int, Any]  # node of an input -> its rate
# (mechanisms in the trace, inputs) -> results, and the directions of each matrix of slopes
Record = Callable[..., tuple[Sequence[Any], Sequence[Sequence[Direction]]]]


def slopes(
    mechanisms: Sequence[Mechanism], record: Record, given: Sequence[Vector], height: int,
    widths: Sequence[int],
) -> list[list[list[Scalar]]]:  # fmt: skip
    """Return matrices, `height` results by directions: one matrix per list of directions."""
    graph = Graph()
    own = [into(m, graph) for m in mechanisms]

    def recorded(*inputs: Sequence[Expr]) -> list[Any]:
        results, matrices = record(*own, *inputs)
        ids = [graph.lift(y) for y in results]
        columns = iter(pushes(graph, ids, [way for directions in matrices for way in directions]))
        parts = [[next(columns) for _ in directions] for directions in matrices]
        return [[[column[r] for column in part] for r in range(len(ids))] for part in parts]

    ports = [(f"x{k}", len(x)) for k, x in enumerate(given)]
    outputs = [(f"slopes{k}", (height, width)) for k, width in enumerate(widths)]
    function = trace(recorded, ports, name="slopes", outputs=outputs, graph=graph)
    flat = call(function, *given)
    # what is zero in every state is known to be so
    flat = [0 if graph.const[i] == 0 else x for i, x in zip(function.results, flat, strict=True)]
    parts: list[list[list[Scalar]]] = []
    start = 0
    for width in widths:
        parts.append([flat[start + r * width : start + (r + 1) * width] for r in range(height)])
        start += height * width
    return parts


def tangent(m: Mechanism, q: Sequence[Any], qd: Vector) -> Direction:
    """Return the direction of coordinates that move at the rates qd."""
    return {x.id: rate for x, rate in zip(q, m.coordinate_rates(q, qd), strict=True)}


def units(x: Sequence[Any], entries: Sequence[int]) -> list[Direction]:
    """Return the directions of single entries of an input."""
    return [{x[k].id: 1} for k in entries]
