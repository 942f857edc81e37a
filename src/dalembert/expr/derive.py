"""Exact derivatives on the graph: directional (forward), Jacobian and gradient (reverse)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import UsageError
from .arena import LEAVES
from .forms import Newton, Solve, _split, expand, solve
from .function import Function, Port
from .graph import Graph
from .ops import OPS, Scalar
from .scalar import Expr

_LINEAR = frozenset({"solve", "newton"})  # differentiated as implicit equations, not through steps


def push(graph: Graph, ids: Sequence[int], seeds: Mapping[int, Any]) -> list[Expr]:
    """Return the directional derivatives of nodes, for given derivatives of some leaves.

    The graph must hold no `call` or `iterate` (see `expand`); new nodes are appended to it.
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
        elif op in _LINEAR:
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
    """Return d(results) of a solve or newton node from the derivatives of its arguments."""
    form, operands = graph.args[i][0], [Expr(graph, a) for a in graph.operands(i)]
    if isinstance(form, Solve):
        n = form.n
        x = [Expr(graph, graph.node("item", (k, i))) for k in range(n)]
        # A dx = db - dA x
        right = [
            rates[n * n + r] - sum((rates[r * n + c] * x[c] for c in range(n)), 0) for r in range(n)
        ]
        return solve([operands[r * n : (r + 1) * n] for r in range(n)], right, form.kind)
    assert isinstance(form, Newton)
    n = form.n
    x = [Expr(graph, graph.node("item", (k, i))) for k in range(n)]
    point = _split(form.function, [*x, *operands[n:]])
    J = form.jacobian(*point)
    # J dx + (∂r/∂a) da = 0; the residual itself stays at zero
    inner, results = expand(form.function.graph, form.function.results, _LINEAR)
    seeds = _seed_inputs(inner, form.function, [0] * n + list(rates[n:]))
    given = {p.name: v for p, v in zip(form.function.inputs, point, strict=True)}
    moved = _push_values(inner, results, seeds, given)
    dx = solve([J[r * n : (r + 1) * n] for r in range(n)], [-v for v in moved], "general")
    return [*dx, *([0] * n)]


def _seed_inputs(graph: Graph, function: Function, rates: Sequence[Any]) -> dict[int, Any]:
    seeds, at = {}, 0
    for port in function.inputs:
        for k in range(port.size):
            node = graph.table.get(("input", port.name, k))
            if node is not None:
                seeds[node] = rates[at + k]
        at += port.size
    return seeds


def _push_values(
    graph: Graph, ids: Sequence[int], seeds: Mapping[int, Any], inputs: Mapping[str, Any]
) -> list[Any]:
    """Return directional derivatives evaluated at given inputs, all of them other expressions."""
    from .function import evaluate

    marks = {i: graph.input("__rate", k) for k, i in enumerate(seeds)}
    rates = push(graph, ids, marks)
    values = dict(inputs) | {"__rate": list(seeds.values())}
    return evaluate(graph, [r.id for r in rates], values, {})


def jacobian(function: Function, wrt: str) -> Function:
    """Return the Function of d(outputs)/d(input wrt), one row per output entry, forward mode."""
    port = next((p for p in function.inputs if p.name == wrt), None)
    if port is None:
        raise UsageError(f"{function.name} has no input {wrt!r}")
    graph, ids = expand(function.graph, function.results, _LINEAR)
    columns = []
    for k in range(port.size):
        seed = graph.input(wrt, k).id
        columns.append(push(graph, ids, {seed: 1}))
    results = tuple(columns[k][r].id for r in range(len(ids)) for k in range(port.size))
    outputs = (Port(f"d_{wrt}", (len(ids), port.size)),)
    return Function(f"{function.name}_d_{wrt}", graph, function.inputs, outputs, results)


def gradient(graph: Graph, output: int, wrt: Sequence[int]) -> list[Expr]:
    """Return d(output)/d(leaf) for each leaf id, by one reverse sweep.

    The graph must hold no `call` or `iterate` (see `expand`); new nodes are appended to it.
    """
    adjoint: dict[int, Any] = {output: 1}
    packed: dict[int, dict[int, Any]] = {}  # adjoints of the items of a form
    for i in reversed(graph.live([output])):
        op = graph.op[i]
        if op in _LINEAR and i in packed:
            _pull_implicit(graph, i, packed[i], adjoint)
        bar = adjoint.get(i)
        if op in LEAVES or op in _LINEAR or bar is None:
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
    """Add to `adjoint` what the adjoints of a solve or newton node mean for its arguments."""
    form, operands = graph.args[i][0], graph.operands(i)
    n = form.n
    x = [Expr(graph, graph.node("item", (k, i))) for k in range(n)]
    bar = [bars.get(k, 0) for k in range(n)]
    if isinstance(form, Solve):
        A = [[Expr(graph, operands[c * n + r]) for c in range(n)] for r in range(n)]
        lam = solve(A, bar, form.kind)
        terms = [(operands[n * n + r], lam[r]) for r in range(n)]
        terms += [(operands[r * n + c], -lam[r] * x[c]) for r in range(n) for c in range(n)]
    else:
        rest = [Expr(graph, a) for a in operands[n:]]
        point = _split(form.function, [*x, *rest])
        J = form.jacobian(*point)
        lam = solve([[J[c * n + r] for c in range(n)] for r in range(n)], bar, "general")
        terms = []
        for port in form.function.inputs[1:]:
            Ja = jacobian(form.function, port.name)(*point)
            at = _offset(form.function, port.name)
            for k in range(port.size):
                total = sum((lam[r] * Ja[r * port.size + k] for r in range(n)), 0)
                terms.append((operands[at + k], -total))
    for a, value in terms:
        adjoint[a] = adjoint[a] + value if a in adjoint else value


def _offset(function: Function, name: str) -> int:
    at = 0
    for port in function.inputs:
        if port.name == name:
            return at
        at += port.size
    raise UsageError(f"{function.name} has no input {name!r}")
