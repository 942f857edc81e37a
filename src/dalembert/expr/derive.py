"""Exact derivatives on the graph: directional (forward), Jacobian and gradient (reverse)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import UsageError
from .arena import LEAVES
from .forms import IMPLICIT, expand, solve
from .function import Function, Port
from .graph import Graph
from .ops import OPS, Scalar
from .scalar import Expr


def push(graph: Graph, ids: Sequence[int], seeds: Mapping[int, Any]) -> list[Expr]:
    """Return the directional derivatives of nodes, for given derivatives of some leaves.

    The graph must hold no `call` (see `expand`); new nodes are appended to it.
    """
    d: dict[int, Any] = {}
    for i in graph.live(ids):
        op = graph.op[i]
        if op in LEAVES:
            d[i] = seeds.get(i, 0)
            continue
        operands = graph.operands(i)
        if op == "item":
            rates = d[operands[0]]
            d[i] = 0 if rates is None else rates[graph.args[i][0]]
        elif op in IMPLICIT:
            given = [d[a] for a in operands]
            d[i] = None if _all_zero(given) else _implicit(graph, i, given)
        else:
            d[i] = _chain(graph, i, operands, [d[a] for a in operands])
    return [Expr(graph, graph.lift(d[i])) for i in ids]


def _all_zero(values: Sequence[Any]) -> bool:
    return all(v.__class__ is int and v == 0 for v in values)


def _chain(graph: Graph, i: int, operands: Sequence[int], rates: Sequence[Any]) -> Any:
    if _all_zero(rates):
        return 0
    partials = OPS[graph.op[i]].partials(*(Expr(graph, a) for a in operands), Expr(graph, i))
    total: Any = 0
    for partial, rate in zip(partials, rates, strict=True):
        if not (rate.__class__ is int and rate == 0):
            total = total + partial * rate
    return total


def _implicit(graph: Graph, i: int, rates: Sequence[Any]) -> list[Scalar]:
    """Return d(results) of a solve node from the derivatives of its arguments."""
    form, operands = graph.args[i][0], [Expr(graph, a) for a in graph.operands(i)]
    n = form.n
    x = [Expr(graph, graph.node("item", (k, i))) for k in range(n)]
    # A dx = db - dA x
    right = [
        rates[n * n + r] - sum((rates[r * n + c] * x[c] for c in range(n)), 0) for r in range(n)
    ]
    return solve([operands[r * n : (r + 1) * n] for r in range(n)], right, form.kind)


def jacobian(function: Function, wrt: str) -> Function:
    """Return the Function of d(outputs)/d(input wrt), one row per output entry, forward mode."""
    port = next((p for p in function.inputs if p.name == wrt), None)
    if port is None:
        raise UsageError(f"{function.name} has no input {wrt!r}")
    graph, ids = expand(function.graph, function.results, IMPLICIT)
    columns = []
    for k in range(port.size):
        seed = graph.input(wrt, k).id
        columns.append(push(graph, ids, {seed: 1}))
    results = tuple(columns[k][r].id for r in range(len(ids)) for k in range(port.size))
    outputs = (Port(f"d_{wrt}", (len(ids), port.size)),)
    return Function(f"{function.name}_d_{wrt}", graph, function.inputs, outputs, results)


def gradient(graph: Graph, output: int, wrt: Sequence[int]) -> list[Expr]:
    """Return d(output)/d(leaf) for each leaf id, by one reverse sweep.

    The graph must hold no `call` (see `expand`); new nodes are appended to it.
    """
    adjoint: dict[int, Any] = {output: 1}
    packed: dict[int, dict[int, Any]] = {}  # adjoints of the items of a form
    for i in reversed(graph.live([output])):
        op = graph.op[i]
        if op in IMPLICIT and i in packed:
            _pull_implicit(graph, i, packed[i], adjoint)
        bar = adjoint.get(i)
        if op in LEAVES or op in IMPLICIT or bar is None:
            continue
        operands = graph.operands(i)
        if op == "item":
            packed.setdefault(operands[0], {})[graph.args[i][0]] = bar
            continue
        partials = OPS[op].partials(*(Expr(graph, a) for a in operands), Expr(graph, i))
        for a, partial in zip(operands, partials, strict=True):
            if not (partial.__class__ is int and partial == 0):
                adjoint[a] = adjoint[a] + partial * bar if a in adjoint else partial * bar
    return [Expr(graph, graph.lift(adjoint.get(i, 0))) for i in wrt]


def _pull_implicit(graph: Graph, i: int, bars: Mapping[int, Any], adjoint: dict[int, Any]) -> None:
    """Add to `adjoint` what the adjoints of a solve node mean for its arguments."""
    form, operands = graph.args[i][0], graph.operands(i)
    n = form.n
    x = [Expr(graph, graph.node("item", (k, i))) for k in range(n)]
    bar = [bars.get(k, 0) for k in range(n)]
    A = [[Expr(graph, operands[c * n + r]) for c in range(n)] for r in range(n)]
    lam = solve(A, bar, form.kind)
    terms = [(operands[n * n + r], lam[r]) for r in range(n)]
    terms += [(operands[r * n + c], -lam[r] * x[c]) for r in range(n) for c in range(n)]
    for a, value in terms:
        adjoint[a] = adjoint[a] + value if a in adjoint else value
