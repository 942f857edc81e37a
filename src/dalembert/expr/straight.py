"""A Function that is called many times on numbers: its steps are put in order once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..errors import UsageError
from .arena import PAYLOAD
from .forms import FORMS
from .function import Function
from .ops import OPS

_PRIMITIVES: dict[str, Callable[..., Any]] = {name: op.evaluate for name, op in OPS.items()} | FORMS


class Straight:
    """A Function without parameters as one list of steps; numbers and arrays alike."""

    __slots__ = ("_inputs", "_results", "_start", "_steps")

    def __init__(self, function: Function):
        graph, order = function.graph, {p.name: k for k, p in enumerate(function.inputs)}
        at: dict[int, int] = {}
        self._start: list[Any] = []
        self._inputs: list[tuple[int, int, int]] = []
        self._steps: list[tuple[int, Callable[..., Any], tuple[int, ...]]] = []
        for i in graph.live(function.results):
            op, args = graph.op[i], graph.args[i]
            slot = at[i] = len(at)
            self._start.append(None)
            if op == "param":
                raise UsageError(f"{function.name} has the parameter {args[0]!r}: bind it first")
            if op == "input":
                self._inputs.append((slot, order[args[0]], args[1]))
            elif op in ("const", "pi"):
                value: Any = graph.const[i] if op == "const" else math.pi
                self._start[slot] = value if isinstance(value, (int, float)) else float(value)
            else:
                form = op in PAYLOAD
                deed = partial(_PRIMITIVES[op], args[0]) if form else _PRIMITIVES[op]
                self._steps.append((slot, deed, tuple(at[a] for a in (args[1:] if form else args))))
        self._results = [at[i] for i in function.results]

    def __call__(self, *inputs: Sequence[Any]) -> list[Any]:
        """Return the flat list of results."""
        values = list(self._start)
        for slot, port, k in self._inputs:
            values[slot] = inputs[port][k]
        for slot, deed, args in self._steps:
            values[slot] = deed(*[values[a] for a in args])
        return [values[k] for k in self._results]
