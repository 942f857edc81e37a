"""Gradients of a whole simulation by many parameters: the adjoint of the steps that were taken.

A number that depends on the samples has a gradient by all parameters, gains and the start at about
the cost of a few simulations, however many there are. The steps of rk4 are done again from sample
to sample and then undone in reverse (Griewank and Walther, Evaluating Derivatives, chapter 3): the
result is the gradient of what was computed, to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import UsageError
from ..expr import IMPLICIT, Expr, Function, Port, expand
from ..expr.derive import gradient

Array = np.ndarray


def pulled(function: Function, parameters: Sequence[str]) -> Function:
    """Return the reverse of a kernel's function: `bar` of its first output -> bars of x, p, r."""
    n = function.outputs[0].size
    graph, ids = expand(function.graph, function.results, IMPLICIT)
    total: Any = 0
    for k in range(n):
        total = total + graph.input("bar", k) * Expr(graph, ids[k])
    ports = [function.inputs[0], function.inputs[3]]
    leaves = [graph.input(port.name, k).id for port in ports for k in range(port.size)]
    leaves += [graph.param(name).id for name in parameters]
    found = gradient(graph, graph.lift(total), leaves)
    outputs = [Port("x_bar", ports[0].shape), Port("p_bar", ports[1].shape)]
    outputs += [Port("r_bar", (len(parameters),))] if parameters else []
    inputs = (*function.inputs, Port("bar", (n,)))
    return Function(function.name, graph, inputs, tuple(outputs), tuple(x.id for x in found))


class Backward:
    """The steps of a simulation undone: bars of a state become those of the state before."""

    def __init__(self, run: Any):
        k = run.job.kernels
        self.names, self.rhs = k.parameters_at_run_time, k.rhs()
        self.back_rhs = k.reverse("simulate")
        self.back_project = k.reverse("project") if k.project() is not None else None
        self.case = run.case()

    def rate(self, x: Array, t: float) -> Array:
        """Return the rates of states."""
        return np.asarray(self.case.ask(self.rhs, x, t))

    def stages(self, x: Array, t: float, h: float) -> tuple[list[Array], Array]:
        """Return the states at which rk4 asks for rates, and the end of the step."""
        k1 = self.rate(x, t)
        x2 = x + h / 2 * k1
        k2 = self.rate(x2, t + h / 2)
        x3 = x + h / 2 * k2
        k3 = self.rate(x3, t + h / 2)
        x4 = x + h * k3
        k4 = self.rate(x4, t + h)
        return [x, x2, x3, x4], x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    def step(self, x: Array, t: float, h: float) -> Array:
        """Return the state after a step."""
        return self.case.closed(self.stages(x, t, h)[1], t + h)

    def undo(self, x: Array, t: float, h: float, bar: Array, sums: list[Array]) -> Array:
        """Return the bar of the state before a step; those of settings and parameters are added."""
        points, end = self.stages(x, t, h)

        def back(kernel: Any, at: Array, time: float, given: Array) -> Array:
            made = self.case.ask(kernel, at, time, given)
            for total, part in zip(sums, made[1:], strict=True):
                total += part
            return made[0]

        if self.back_project is not None:
            bar = back(self.back_project, end, t + h, bar)
        a4 = back(self.back_rhs, points[3], t + h, h / 6 * bar)
        a3 = back(self.back_rhs, points[2], t + h / 2, h / 3 * bar + h * a4)
        a2 = back(self.back_rhs, points[1], t + h / 2, h / 3 * bar + h / 2 * a3)
        a1 = back(self.back_rhs, points[0], t, h / 6 * bar + h / 2 * a2)
        return np.asarray(bar + a1 + a2 + a3 + a4)


def gradient_of(run: Any, out: Array, bars: Array) -> dict[str, Array]:
    """Return the gradient of a number by the start, the settings and the run-time parameters.

    `out` are the samples (*lead, times, n), `bars` the number's derivatives by them.
    """
    if run.method != "rk4" or run.modes.count:
        raise UsageError(
            "gradients by the adjoint need rk4 without joints that stick",
            hint='simulate(..., method="rk4", drives="inertia"), or sensitivities=[...]',
        )
    back = Backward(run)
    n, times = out.shape[-1], run.times
    rows, weights = out.reshape(-1, len(times), n), bars.reshape(-1, len(times), n)
    size = back.rhs.inputs[3].size
    sums = [np.zeros((len(rows), size))]
    sums += [np.zeros((len(rows), len(back.names)))] if back.names else []
    bar = weights[:, -1].copy()
    for k in range(len(times) - 2, -1, -1):
        count = max(1, int(np.ceil((times[k + 1] - times[k]) / run.step - 1e-9)))
        h = (times[k + 1] - times[k]) / count
        way = [rows[:, k]]
        for s in range(count - 1):
            way.append(back.step(way[-1], times[k] + s * h, h))
        for s in range(count - 1, -1, -1):
            bar = back.undo(way[s], times[k] + s * h, h, bar, sums)
        bar = bar + weights[:, k]
    nq = run.job.m.nq
    made = {"q0": bar[:, :nq], "qd0": bar[:, nq:], "settings": sums[0]}
    if back.names:
        made |= {name: sums[1][:, i] for i, name in enumerate(back.names)}
    return {name: x.reshape((*run.lead, *x.shape[1:])) for name, x in made.items()}
