"""The structured forms an algorithm may say: `call` and `solve`.

Each is one node of many results, read through `item` nodes. A form evaluates on numbers, has exact
derivatives (`derive.py`), and expands into plain primitives when a Program is made, so that every
emitter serves it without knowing it. Kernels keep long Functions that are called many times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..errors import UsageError
from ..frozen import dataclass
from .arena import PAYLOAD
from .graph import Graph
from .ops import Scalar, absolute, where
from .scalar import Expr


@dataclass(frozen=True, slots=True)
class Solve:
    """A linear system of size n; arguments are A row by row, then b."""

    n: int
    kind: str


@dataclass(frozen=True, slots=True)
class Call:
    """A Function used as a value; arguments are its inputs, one after another."""

    function: Any


# -- evaluation over any scalar: run on Expr it is the expansion -------------------------------


def eliminate(form: Solve, *entries: Scalar) -> list[Scalar]:
    """Return x of A x = b by LDLᵀ ("spd"), or by Gauss with partial pivoting ("general")."""
    n = form.n
    A = [list(entries[r * n : (r + 1) * n]) for r in range(n)]
    b = list(entries[n * n : n * n + n])
    return _ldl(A, b) if form.kind == "spd" else _gauss(A, b)


def _ldl(A: list[list[Scalar]], b: list[Scalar]) -> list[Scalar]:
    n = len(b)
    L: list[list[Scalar]] = [[0] * n for _ in range(n)]
    DL: list[list[Scalar]] = [[0] * n for _ in range(n)]  # D_j L_ij, before division by D_j
    inverse: list[Scalar] = []
    for j in range(n):
        for i in range(j, n):
            x = A[i][j]
            for k in range(j):
                x = x - L[i][k] * DL[j][k]
            DL[i][j] = x
        inverse.append(1 / DL[j][j])
        for i in range(j + 1, n):
            L[i][j] = DL[i][j] * inverse[j]
    x = list(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i][k] * x[k]
    for i in reversed(range(n)):
        x[i] = x[i] * inverse[i]
        for k in range(i + 1, n):
            x[i] = x[i] - L[k][i] * x[k]
    return x


def _gauss(A: list[list[Scalar]], b: list[Scalar]) -> list[Scalar]:
    n = len(b)
    rows = [[*A[r], b[r]] for r in range(n)]
    inverses: list[Scalar] = []
    for j in range(n):
        # bring the largest pivot up by pairwise exchanges, without a branch
        for r in range(j + 1, n):
            better = absolute(rows[r][j]) > absolute(rows[j][j])
            for c in range(j, n + 1):
                up, down = rows[j][c], rows[r][c]
                rows[j][c], rows[r][c] = where(better, down, up), where(better, up, down)
        inverses.append(1 / rows[j][j])
        for r in range(j + 1, n):
            factor = rows[r][j] * inverses[j]
            for c in range(j + 1, n + 1):
                rows[r][c] = rows[r][c] - factor * rows[j][c]
    x: list[Scalar] = [0] * n
    for i in reversed(range(n)):
        s = rows[i][n]
        for k in range(i + 1, n):
            s = s - rows[i][k] * x[k]
        x[i] = s * inverses[i]
    return x


def _split(function: Any, values: Sequence[Scalar]) -> list[Sequence[Scalar]]:
    parts, at = [], 0
    for port in function.inputs:
        parts.append(values[at : at + port.size])
        at += port.size
    return parts


def _call(form: Call, *values: Scalar) -> list[Scalar]:
    return form.function(*_split(form.function, values))


FORMS: dict[str, Callable[..., Any]] = {
    "solve": eliminate,
    "call": _call,
    "item": lambda k, results: results[k],
}


IMPLICIT = frozenset({"solve"})  # differentiated as an equation, not through its steps


# -- what an algorithm writes ------------------------------------------------------------------


def _record(op: str, payload: Any, values: Sequence[Scalar], count: int) -> list[Scalar]:
    """Return the results of a form: at once on numbers, as item nodes on expressions."""
    graph = next((v.graph for v in values if isinstance(v, Expr)), None)
    if graph is None:
        return list(FORMS[op](payload, *values))
    node = graph.node(op, (payload, *(graph.lift(v) for v in values)))
    return [Expr(graph, graph.node("item", (k, node))) for k in range(count)]


def solve(A: Sequence[Sequence[Scalar]], b: Sequence[Scalar], kind: str = "spd") -> list[Scalar]:
    """Return x of A x = b, A symmetric positive definite ("spd") or any regular matrix ("general").

    >>> solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 4.0])
    [1.0, 1.0]
    """
    if kind not in ("spd", "general"):
        raise UsageError(f"solve: unknown kind {kind!r}", hint='use "spd" or "general"')
    n = len(b)
    return _record("solve", Solve(n, kind), [x for row in A for x in row] + list(b), n)


def _closed(function: Any, values: list[Scalar]) -> tuple[Any, list[Scalar]]:
    """Return (function, values) with the parameters of the function as one more input."""
    from .function import Port

    names = function.parameters
    graph = next((v.graph for v in values if isinstance(v, Expr)), None)
    if not names or graph is None:
        return function, values
    inner, port = Graph(), Port("__parameters", (len(names),))

    def leaf(source: Graph, i: int) -> Any:
        if source.op[i] != "param":
            return None
        return inner.input(port.name, names.index(source.args[i][0]))

    made = function.graph.copy_into(inner, function.results, leaf)
    results = tuple(made[i] for i in function.results)
    closed = replace(function, graph=inner, inputs=(*function.inputs, port), results=results)
    return closed, values + [graph.param(name) for name in names]


def call(function: Any, *arguments: Sequence[Scalar]) -> list[Scalar]:
    """Return the flat results of a Function that was traced once and is used many times."""
    function, flat = _closed(function, [x for argument in arguments for x in argument])
    return _record("call", Call(function), flat, len(function.results))


def _inside(function: Any, out: Graph, values: Sequence[Expr]) -> list[int]:
    """Return the results of a Function without forms, node by node in another graph."""
    given = {p.name: x for p, x in zip(function.inputs, _split(function, values), strict=True)}

    def leaf(source: Graph, i: int) -> Any:
        if source.op[i] == "input":
            name, k = source.args[i]
            return given[name][k]
        value = source.const[i]
        return float(value) if value.__class__ is Fraction else None  # as on numbers

    made = function.graph.copy_into(out, function.results, leaf)
    return [made[i] for i in function.results]


def expand(
    graph: Graph,
    ids: Sequence[int],
    keep: frozenset[str] = frozenset(),
    trail: dict[int, tuple[int, int]] | None = None,
    called: frozenset[int] = frozenset(),
) -> tuple[Graph, list[int]]:
    """Return a new graph, and the ids in it, with forms (but those in `keep`) expanded.

    Functions whose ids are in `called` stay calls. `trail` receives, for each node, how long the
    new graph was before it and where it is now.
    """
    out = Graph()
    made: dict[int, Any] = {}
    for i in graph.live(ids):
        before = len(out)
        op, args = graph.op[i], graph.args[i]
        if op == "item" and not isinstance(made[args[1]], int):
            made[i] = made[args[1]][args[0]]
        elif op == "call" and id(args[0].function) in called:
            made[i] = out.rebuild(graph, i, made)
        elif op in FORMS and op != "item" and op not in keep:
            values = [Expr(out, made[a]) for a in args[1:]]
            if op == "call" and PAYLOAD.isdisjoint(args[0].function.graph.op):
                made[i] = _inside(args[0].function, out, values)
            else:
                made[i] = [out.lift(x) for x in FORMS[op](args[0], *values)]
        else:
            made[i] = out.rebuild(graph, i, made)
        if trail is not None:
            trail[i] = (before, made[i] if isinstance(made[i], int) else -1)
    return out, [made[i] for i in ids]
