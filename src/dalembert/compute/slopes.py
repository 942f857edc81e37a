"""Exact derivatives of a traced quantity by its inputs and parameters, as further outputs.

By q they are along the velocity variables (nv columns, as everywhere): a quaternion moves by
q̇ = coordinate_rate(q, e_k). `dtau_dq`, `dtau_dL1` follow the quantity's own outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..expr import IMPLICIT, Expr, Function, Port
from ..expr.derive import gradient, pushes
from ..expr.forms import expand
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .ways import Repeated, Reversed


def with_rounds(m: Mechanism, function: Function, wrt: Any, own: int) -> Function:
    """Return the Function with derivatives after its first `own` outputs; the rest are checks."""
    if isinstance(wrt, Reversed):
        return with_bars(m, function, wrt.names, own)
    if not isinstance(wrt, Repeated):
        return with_slopes(m, function, wrt, own)
    checks = len(function.outputs) - own
    for names in wrt.rounds:
        own = len(function.outputs) - checks
        function = with_slopes(m, function, names, own, plain=True)
    return function


def with_slopes(
    m: Mechanism, function: Function, wrt: Sequence[str], own: int, plain: bool = False
) -> Function:
    """Return the Function with d(output)/d(name) after its first `own` outputs."""
    sizes = [port.size for port in function.outputs[:own]]
    graph, ids = expand(function.graph, function.results, IMPLICIT)
    first = ids[: sum(sizes)]
    results, outputs = list(first), list(function.outputs[:own])
    for name in wrt:
        columns = pushes(graph, first, [*_seeds(m, graph, function, name, plain)])
        parameter = name not in {p.name for p in function.inputs}
        at = 0
        for port, size in zip(function.outputs[:own], sizes, strict=True):
            shape = port.shape if parameter else (*port.shape, len(columns))
            outputs.append(Port(f"d{port.name}_d{name}", shape))
            results += [column[r].id for r in range(at, at + size) for column in columns]
            at += size
    # checks of loops and constraints stay last
    results += ids[sum(sizes) :]
    outputs += function.outputs[own:]
    return Function(function.name, graph, function.inputs, tuple(outputs), tuple(results))


def with_bars(m: Mechanism, function: Function, names: Sequence[str], own: int) -> Function:
    """Return the Function with weights of its outputs as inputs, and gradients of their sum."""
    ports = function.outputs[:own]
    size = sum(port.size for port in ports)
    graph, ids = expand(function.graph, function.results, IMPLICIT)
    total: Any = 0
    at = 0
    for port in ports:
        for k in range(port.size):
            total = total + graph.input(f"{port.name}_bar", k) * Expr(graph, ids[at + k])
        at += port.size
    known = {p.name: p for p in function.inputs}
    leaves = [
        [graph.input(n, k).id for k in range(known[n].size)] if n in known else [graph.param(n).id]
        for n in names
    ]
    flat = gradient(graph, graph.lift(total), [i for some in leaves for i in some])
    results, outputs = list(ids[:size]), list(ports)
    for n, some in zip(names, leaves, strict=True):
        own_part, flat = flat[: len(some)], flat[len(some) :]
        if n == "q" and m.nq != m.nv:
            seeds = _seeds(m, graph, function, n, False)
            parts = dict(zip(some, own_part, strict=True))
            own_part = [sum((parts[i] * r for i, r in seed.items()), 0 * own_part[0])
                        for seed in seeds]  # fmt: skip
        shape = () if n not in known else known[n].shape if n != "q" else (len(own_part),)
        outputs.append(Port(f"{n}_bar", shape))
        results += [graph.lift(x) for x in own_part]
    bars = tuple(Port(f"{port.name}_bar", port.shape) for port in ports)
    ends = (*outputs, *function.outputs[own:])
    every = (*results, *ids[size:])
    return Function(function.name, graph, (*function.inputs, *bars), ends, every)


def _seeds(
    m: Mechanism, graph: Any, function: Function, name: str, plain: bool
) -> list[Mapping[int, Any]]:
    """Return one set of leaf rates per column: an input's entry, a joint's freedom, a parameter."""
    port = next((p for p in function.inputs if p.name == name), None)
    if port is None:
        return [{graph.param(name).id: 1}]
    nodes = [graph.input(name, k) for k in range(port.size)]
    if plain or name != "q" or m.nq == m.nv:
        return [{x.id: 1} for x in nodes]
    seeds: list[Mapping[int, Any]] = []
    for body, own in zip(m.bodies, m.split_q(nodes), strict=True):
        for k in range(body.joint.nv):
            rates = body.joint.coordinate_rate(own, Values.unit(body.joint.nv, k))
            seeds.append({x.id: _lifted(graph, r) for x, r in zip(own, rates, strict=True)})
    return seeds


def _lifted(graph: Any, rate: Any) -> Any:
    return rate if isinstance(rate, int) else Expr(graph, graph.lift(rate))
