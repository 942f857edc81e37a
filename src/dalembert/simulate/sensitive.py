"""Sensitivities: how a motion depends on parameters and gains, integrated with the motion itself.

The state x is followed by S_k = ∂x/∂θ_k, one column after the other. Their rates are those of the
variational equation Ṡ_k = (∂f/∂x) S_k + ∂f/∂θ_k (Hairer, Nørsett and Wanner I.14), differentiated
on the graph and compiled with f. Where the right-hand side jumps, at a time that depends on θ, the
columns jump too (saltation: S⁺ = S⁻ + (f⁻ − f⁺) ∂t/∂θ; Leine and Nijmeijer 2004, chapter 7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import UsageError, closest, shown
from ..expr import IMPLICIT, Expr, Function, Port, expand
from ..expr.derive import push, pushes
from ..frozen import dataclass
from ..mechanism import Mechanism

Array = np.ndarray
GAINS = ("kp", "kd", "ki")
MOVED = frozenset({"simulate", "jacobian", "project", "euler", "constant_acceleration"})


@dataclass(frozen=True)
class Way:
    """What one column is the derivative by: a parameter, or a direction of the settings."""

    name: str
    settings: tuple[float, ...] = ()  # no entries: a parameter


def ways_of(m: Mechanism, law: Any, names: Any) -> tuple[Way, ...]:
    """Return the columns of `sensitivities`: parameters of m, gains of the law."""
    known = [p.name for p in m.parameters]
    made = []
    for name in (names,) if isinstance(names, str) else tuple(names or ()):
        if name in known:
            made.append(Way(name))
            continue
        gain, _, joint = str(name).partition(".")
        if gain not in GAINS or not hasattr(law, gain):
            own = [*known, *(g for g in GAINS if hasattr(law, g))]
            raise UsageError(
                f"sensitivities: {shown(str(name))!r} is neither a parameter nor a gain of the law",
                hint=closest(str(name), own),
            )
        made.append(Way(str(name), _gain_way(m, law, gain, joint)))
    return tuple(made)


def _gain_way(m: Mechanism, law: Any, gain: str, joint: str) -> tuple[float, ...]:
    """Return how the settings move with a gain, which they are linear in: of all joints or one."""
    old = np.asarray(getattr(law, gain), dtype=float)
    add = np.ones_like(old)
    if joint:
        plan = getattr(law, "plan", None)  # the gains of closed machines are those of the motors
        names = m.rate_names if plan is None else tuple(m.rate_names[k] for k in plan.motors)
        if joint not in names:
            what = "joint" if plan is None else "motor"
            raise UsageError(
                f"sensitivities: there is no {what} {shown(joint)!r}",
                hint=", ".join(map(shown, names[:12])),
            )
        old = np.broadcast_to(old, (len(names),)) if old.ndim < 2 else old
        add = np.zeros_like(old)
        k = names.index(joint)
        add[(k, k) if old.ndim == 2 else k] = 1.0
    more = replace(law, **{gain: old + add}).settings - replace(law, **{gain: old}).settings
    return tuple(float(x) for x in np.reshape(more, (-1, more.shape[-1]))[0])


def widened(function: Function, ways: Sequence[Way], name: str) -> Function:
    """Return a kernel's function for states with sensitivities; rates of states have theirs."""
    n = function.inputs[0].size
    graph, ids = expand(function.graph, function.results, IMPLICIT)
    results, outputs = list(ids), list(function.outputs)
    if name in MOVED:
        own = ids[:n]
        columns = pushes(graph, own, [_seeds(graph, n, k, way) for k, way in enumerate(ways)])
        results = [*own, *(x.id for column in columns for x in column), *ids[n:]]
        outputs[0] = Port(outputs[0].name, (n * (1 + len(ways)),))
    inputs = (Port("x", (n * (1 + len(ways)),)), *function.inputs[1:])
    return Function(function.name, graph, inputs, tuple(outputs), tuple(results))


def _seeds(graph: Any, n: int, k: int, way: Way) -> dict[int, Any]:
    seeds: dict[int, Any] = {
        graph.input("x", i).id: graph.input("x", n * (k + 1) + i) for i in range(n)
    }
    if not way.settings:
        seeds[graph.param(way.name).id] = 1
    for i, x in enumerate(way.settings):
        if x:
            seeds[graph.input("p", i).id] = x
    return seeds


def tangent(function: Function, parameters: Sequence[str]) -> Function:
    """Return the function's rates when its inputs and parameters move: further inputs `d<name>`."""
    graph, ids = expand(function.graph, function.results, IMPLICIT)
    seeds: dict[int, Any] = {}
    inputs = list(function.inputs)
    for port in function.inputs:
        seeds |= {
            graph.input(port.name, k).id: graph.input(f"d{port.name}", k) for k in range(port.size)
        }
        inputs.append(Port(f"d{port.name}", port.shape))
    if parameters:
        seeds |= {graph.param(n).id: graph.input("dr", k) for k, n in enumerate(parameters)}
        inputs.append(Port("dr", (len(parameters),)))
    moved: list[Expr] = push(graph, ids, seeds)
    return Function(function.name, graph, tuple(inputs), function.outputs,
                    tuple(x.id for x in moved))  # fmt: skip


def event_slopes(job: Any, kernel: Any, which: int, state: Sequence[Any], given: Any) -> Array:
    """Return ∂t/∂θ of the moment at which one entry of a kernel of events passes zero.

    g(x(t; θ), t; θ) = 0: ∂t/∂θ = −(g_x S + g_θ) / ġ along the motion. `state` is (x, t, u, p) with
    the sensitivities in x, `kernel` the tangent of the event functions.
    """
    k = job.kernels
    ways, n = k.ways, k.size
    x, t, u, p = (np.asarray(a, dtype=float) for a in state)
    count = len(k.parameters_at_run_time)
    rate = np.asarray(k.rhs()(x, t, u, p, parameters=given))
    still = [np.zeros_like(a) for a in (x, t, u, p)]
    more = [np.zeros(count)] if count else []

    def moved(dx: Array, dt: float, du: Array, dp: Array, dr: Array) -> float:
        wide = still[0].copy()
        wide[:n] = dx
        made = kernel(x, t, u, p, wide, still[1] + dt, du, dp, *([dr] * bool(more)),
                      parameters=given)  # fmt: skip
        return float(np.ravel(made)[which])

    du = _signal_rate(job, float(t[0]), u)
    along = moved(rate[:n], 1.0, du, still[3], np.zeros(count))
    out = np.zeros(len(ways))
    names = k.parameters_at_run_time
    for i, way in enumerate(ways):
        dp, dr = still[3].copy(), np.zeros(count)
        dp[: len(way.settings)] = way.settings
        if not way.settings:
            dr[names.index(way.name)] = 1.0
        out[i] = moved(x[n * (i + 1) : n * (i + 2)], 0.0, still[2], dp, dr)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(-out / along)


def _signal_rate(job: Any, t: float, u: Array) -> Array:
    """Return the rate of the signals, from their values on both sides."""
    if job.signal is None:
        return np.zeros_like(u)
    h = 1e-5
    return np.asarray((job.signal(t + h) - job.signal(t - h)) / (2 * h))


def parted(out: Array, n: int, ways: Sequence[Way]) -> tuple[Array, dict[str, Array]]:
    """Return samples of states alone, and of each column by its name."""
    columns: Mapping[str, Array] = {
        way.name: out[..., n * (k + 1) : n * (k + 2)] for k, way in enumerate(ways)
    }
    return out[..., :n], dict(columns)
