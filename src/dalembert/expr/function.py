"""Tracing: a plain Python function over a scalar becomes a `Function`, a graph with named ends."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from ..errors import UsageError
from ..frozen import dataclass
from .arena import Rows
from .forms import FORMS
from .graph import Graph
from .ops import OPS
from .port import Port
from .scalar import Expr


@dataclass(frozen=True, slots=True)
class Function:
    """A graph with named inputs, parameters and outputs.

    `results` holds one id per output entry.
    """

    name: str
    graph: Graph = field(repr=False)
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    results: tuple[int, ...] = field(repr=False)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters the results depend on, in order of first appearance."""
        g = self.graph
        return tuple(g.args[i][0] for i in g.live(self.results) if g.op[i] == "param")

    def __call__(self, *inputs: Sequence[Any], parameters: Mapping[str, Any] | None = None) -> Any:
        """Return the flat list of results on numbers, arrays, or expressions of another graph."""
        if len(inputs) != len(self.inputs):
            raise UsageError(f"{self.name} takes {len(self.inputs)} inputs, not {len(inputs)}")
        given = {port.name: value for port, value in zip(self.inputs, inputs, strict=True)}
        return evaluate(self.graph, self.results, given, parameters or {})


def evaluate(
    graph: Graph,
    ids: Sequence[int],
    inputs: Mapping[str, Sequence[Any]],
    parameters: Mapping[str, Any],
) -> list[Any]:
    """Return the values of nodes, computed once each in creation order."""

    def parameter(name: str) -> Any:
        if name not in parameters:
            raise UsageError(f"parameter {name!r} has no value")
        return parameters[name]

    leaf: Rows = {
        "const": lambda c: c if isinstance(c, (int, float)) else float(c),
        "pi": lambda: math.pi,
        "param": parameter,
        "input": lambda name, k: inputs[name][k],
    }
    ops = {name: op.evaluate for name, op in OPS.items()} | FORMS
    value = graph.fold(ids, leaf, ops)
    return [value[i] for i in ids]


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the garbage collector: nodes and lines never form cycles, it only costs time there."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def trace(
    function: Callable[..., Any],
    inputs: Sequence[tuple[str, int | tuple[int, ...]]],
    *,
    name: str = "f",
    outputs: Sequence[tuple[str, tuple[int, ...]]] | None = None,
    graph: Graph | None = None,
) -> Function:
    """Return the graph that `function` records when it is run once on symbolic input vectors.

    `function` receives one flat list of Expr per input (a size, or a shape in C order) and returns
    nested sequences (one per output when `outputs` names several).

    >>> f = trace(lambda x: [x[0] * x[1]], [("x", 2)])
    >>> f([3.0, 4.0])
    [12.0]
    """
    graph = graph if graph is not None else Graph()
    ends = tuple(Port(n, (size,) if isinstance(size, int) else tuple(size)) for n, size in inputs)
    vectors = [[graph.input(port.name, k) for k in range(port.size)] for port in ends]
    with uncollected():
        value = function(*vectors)
    if outputs is None:
        parts, ports = [value], [Port("value", shape_of(value))]
    else:
        parts = [value] if len(outputs) == 1 else list(value)
        ports = [Port(n, tuple(shape)) for n, shape in outputs]
    results: list[int] = []
    for part, port in zip(parts, ports, strict=True):
        flat = flatten(part)
        if len(flat) != port.size:
            raise UsageError(f"output {port.name} has {len(flat)} entries, not {port.size}")
        results.extend(graph.lift(x) for x in flat)
    return Function(name, graph, ends, tuple(ports), tuple(results))


def flatten(value: Any) -> list[Any]:
    """Return the scalars of nested sequences, row by row."""
    if isinstance(value, (int, float, Expr)) or not hasattr(value, "__iter__"):
        return [value]
    out: list[Any] = []
    for part in value:
        out.extend(flatten(part))
    return out


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of nested sequences."""
    shape: tuple[int, ...] = ()
    while not isinstance(value, Expr) and hasattr(value, "__iter__"):
        value = list(value)
        shape += (len(value),)
        if not value:
            break
        value = value[0]
    return shape


__all__ = ["Function", "Port", "evaluate", "flatten", "trace", "uncollected"]
