"""Exact derivatives in exported code: further results of each function, `wrt` names by what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..catalog import Quantity
from ..compute.slopes import with_slopes
from ..compute.ways import check_wrt, named
from ..emit.names import CodeNames
from ..expr import Function
from ..mechanism import Mechanism


def asked_slopes(m: Mechanism, rows: Sequence[Quantity], wrt: Any) -> list[tuple[str, ...]]:
    """Return what each quantity is differentiated by: its own inputs, and parameters."""
    names = named(wrt)
    every = list(dict.fromkeys(n for row in rows for n in row.inputs))
    check_wrt(m, every, names)
    return [tuple(n for n in names if n not in every or n in row.inputs) for row in rows]


def sloped(m: Mechanism, function: Function, row: Quantity, names: Sequence[str]) -> Function:
    """Return the function with derivatives after its own results, each an identifier."""
    if not names:
        return function
    made = with_slopes(m, function, names, len(row.outputs))
    ports = list(made.outputs)
    words = CodeNames(p.name.lower() for p in (*made.inputs, *function.outputs))
    for k in range(len(row.outputs), len(row.outputs) * (1 + len(names))):
        ports[k] = replace(ports[k], name=words.new(ports[k].name))
    return replace(made, outputs=tuple(ports))


def slopes_in_floats(
    function: Function, first: int, given: Sequence[np.ndarray], parameters: dict[str, float]
) -> list[np.ndarray]:
    """Return the results after the `first` ones at some states, from the graph itself."""
    count = len(given[0]) if given else 1
    at = sum(p.size for p in function.outputs[:first])
    columns = [list(np.asarray(x, float).reshape(count, -1).T) for x in given]
    flat = function(*columns, parameters=parameters)[at:]
    values = [np.broadcast_to(np.asarray(x, float), (count,)) for x in flat]
    out = []
    for port in function.outputs[first:]:
        out.append(np.stack(values[: port.size], axis=-1).reshape(count, *port.shape))
        values = values[port.size :]
    return out
