"""The one trace of a mechanism: its parameters, the mechanism bound to them, its algorithm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..expr import Function, Graph, trace
from ..mechanism import Mechanism
from .ways import run_time_parameters

Body = Callable[..., Any]  # (vector of each port) -> outputs


def recorded(
    m: Mechanism, name: str, ports: Any, outputs: Any, make: Callable[[Mechanism, Graph], Body],
    parameters: Sequence[str] | None = None,
) -> Function:  # fmt: skip
    """Return the graph of what `make(bound, graph)` computes from the ports.

    Parameters without a value, and those named in `parameters`, stay open; the others are numbers.
    """
    graph, names = Graph(), run_time_parameters(m, parameters)
    for parameter in names:  # their order in the graph is their order in the mechanism
        graph.param(parameter)
    bound = m.bound({k: v for k, v in m.values.items() if k not in names}, graph)
    return trace(make(bound, graph), ports, name=name, outputs=outputs, graph=graph)
