"""Exact derivatives on the graph: directional (forward), Jacobian and gradient (reverse)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    return pushes(graph, ids, [seeds])[0]


def pushes(graph: Graph, ids: Sequence[int], ways: Sequence[Mapping[int, Any]]) -> list[list[Expr]]:
    """Return the derivatives of nodes along several directions; each visits what it moves only."""
    users: dict[int, list[int]] = {}
    for i in graph.live(ids):
        for a in graph.operands(i):
            users.setdefault(a, []).append(i)
    return [_pushed(graph, ids, seeds, users) for seeds in ways]


def _pushed(
    graph: Graph, ids: Sequence[int], seeds: Mapping[int, Any], users: Mapping[int, Sequence[int]]
) -> list[Expr]:
    """Return the derivatives of nodes along one direction, `users` being who takes each node."""
    d: dict[int, Any] = {i: rate for i, rate in seeds.items() if not _is_zero(rate)}
    for i in _moved(d, users):
        op, operands = graph.op[i], graph.operands(i)
        if op == "item":
            rates = d[operands[0]]
            d[i] = 0 if rates is None else rates[graph.args[i][0]]
            continue
        given = [d.get(a, 0) for a in operands]
        if op in IMPLICIT:
            d[i] = None if all(map(_is_zero, given)) else _implicit(graph, i, given)
        else:
            d[i] = _chain(graph, i, operands, given)
    return [Expr(graph, graph.lift(d.get(i, 0))) for i in ids]


def _moved(seeds: Iterable[int], users: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the nodes that depend on seeds, in order."""
    found: set[int] = set()
    stack = [*seeds]
    while stack:
        for user in users.get(stack.pop(), ()):
            if user not in found:
                found.add(user)
                stack.append(user)
    return sorted(found)


def _is_zero(rate: Any) -> bool:
    return rate.__class__ is int and rate == 0


def _chain(graph: Graph, i: int, operands: Sequence[int], rates: Sequence[Any]) -> Any:
    if graph.op[i] == "mul":  # two of three nodes: the rule below, without the steps between
        (x, y), (dx, dy) = operands, rates
        terms = [] if _is_zero(dx) else [graph.mul(y, graph.lift(dx))]
        terms += [] if _is_zero(dy) else [graph.mul(x, graph.lift(dy))]
        return Expr(graph, graph.add(*terms) if len(terms) == 2 else terms[0]) if terms else 0
    partials = OPS[graph.op[i]].partials(*[Expr(graph, a) for a in operands], Expr(graph, i))
    total: Any = 0
    for partial, rate in zip(partials, rates, strict=True):
        if not _is_zero(rate):
            term = rate if partial.__class__ is int and partial == 1 else partial * rate
            total = term if _is_zero(total) else total + term
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
    seeds = [{graph.input(wrt, k).id: 1} for k in range(port.size)]
    columns = pushes(graph, ids, seeds)
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
