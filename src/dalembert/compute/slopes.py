"""Exact derivatives of a traced quantity by its inputs and parameters, as further outputs.

By q they are along the velocity variables (nv columns, as everywhere): a quaternion moves by
q̇ = coordinate_rate(q, e_k). `dtau_dq`, `dtau_dL1` follow the quantity's own outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import UsageError, closest, shown
from ..expr import Expr, Function, Port
from ..expr.derive import push
from ..expr.forms import expand
from ..mechanism import Mechanism

LINEAR = frozenset({"solve", "newton"})  # differentiated as implicit equations


def check_wrt(m: Mechanism, inputs: Sequence[str], wrt: Any) -> tuple[str, ...]:
    """Return the names to differentiate by, each an input or a parameter."""
    names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
    known = (*inputs, *(p.name for p in m.parameters))
    for n in names:
        if n not in known:
            raise UsageError(
                f"wrt names {shown(str(n))!r}, which is no input and no parameter",
                hint=closest(str(n), known) or ", ".join(known[:12]),
            )
    return names


def kept_parameters(m: Mechanism, parameters: Sequence[str] | None, wrt: Any) -> Any:
    """Return the parameters that a kernel takes: those asked for, and those of `wrt`."""
    known = {p.name for p in m.parameters}
    own = [n for n in ((wrt,) if isinstance(wrt, str) else wrt or ()) if n in known]
    return [*(parameters or ()), *own] or None


def with_slopes(m: Mechanism, function: Function, wrt: Sequence[str], own: int) -> Function:
    """Return the Function with d(output)/d(name) after its first `own` outputs."""
    sizes = [port.size for port in function.outputs[:own]]
    graph, ids = expand(function.graph, function.results, LINEAR)
    first = ids[: sum(sizes)]
    results, outputs = list(first), list(function.outputs[:own])
    for name in wrt:
        columns = [push(graph, first, seed) for seed in _seeds(m, graph, function, name)]
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


def _seeds(m: Mechanism, graph: Any, function: Function, name: str) -> list[Mapping[int, Any]]:
    """Return one set of leaf rates per column: an input's entry, a joint's freedom, a parameter."""
    port = next((p for p in function.inputs if p.name == name), None)
    if port is None:
        return [{graph.param(name).id: 1}]
    nodes = [graph.input(name, k) for k in range(port.size)]
    if name != "q" or m.nq == m.nv:
        return [{x.id: 1} for x in nodes]
    seeds: list[Mapping[int, Any]] = []
    at = 0
    for body in m.bodies:
        own = nodes[at : at + body.joint.nq]
        for k in range(body.joint.nv):
            unit = [1 if i == k else 0 for i in range(body.joint.nv)]
            rates = body.joint.coordinate_rate(own, unit)
            seeds.append({x.id: _lifted(graph, r) for x, r in zip(own, rates, strict=True)})
        at += body.joint.nq
    return seeds


def _lifted(graph: Any, rate: Any) -> Any:
    return rate if isinstance(rate, int) else Expr(graph, graph.lift(rate))
