"""The readable reference: an algorithm run as it stands, in floats, at many states at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .algebra import Vec3
from .algorithms.closed_kinematics import checks_of
from .algorithms.velocity_rows import with_told
from .catalog import algorithm, quantity
from .mechanism import Mechanism
from .plan import planned
from .plan.kane import with_speeds
from .spatial import Wrench

Array = np.ndarray


def in_floats(
    m: Mechanism,
    name: str,
    method: str | None,
    inputs: Sequence[Array],
    wrench: Array | None = None,
    checks: bool = False,
    **options: Any,
) -> tuple[Array, ...]:
    """Return the outputs of a quantity, one array each, by its algorithm itself.

    Inputs are (states, size); `wrench`, exerted by the links on the environment, is
    (states, bodies, 6). With `checks` the three checks of a closed machine come last, as exported
    code gives them. Nothing is traced, reframed or compiled: what kernels are compared with.
    """
    row = quantity(name, m)
    m = with_speeds(m) if "steer" in row.inputs else m
    _, compute = algorithm(row, method)
    given = dict(options)
    if wrench is not None:
        given["wrenches"] = {
            j: Wrench(Vec3(*wrench[:, j, :3].T), Vec3(*wrench[:, j, 3:].T))
            for j in range(len(m.bodies))
        }
    columns = [list(x.reshape(len(x), -1).T) for x in inputs]
    own = m.bound() if row.planned else m.bound().unfolded
    if row.planned and "steer" in row.inputs:  # a planned machine is told what is prescribed
        own, columns = with_told(own, *columns[-2:]), columns[:-2]
    start = (own, planned(m)) if row.planned else (own,)
    out = compute(*start, *columns, **given)
    settings: Mapping[str, Any] = {**row.options, **options}
    shapes = [out.shape(m, settings) for out in row.outputs]
    if row.planned:
        *values, residual, pivot, certificate = out
        if checks:
            values.append(checks_of(residual, *pivot, *certificate))
            shapes.append((3,))
        out = values[0] if len(values) == 1 else values
    parts = (out,) if len(shapes) == 1 else out
    count = len(inputs[0])
    return tuple(_stacked(part, count, shape) for part, shape in zip(parts, shapes, strict=True))


def _stacked(part: Any, count: int, shape: tuple[int, ...]) -> Array:
    """Return nested sequences of scalars and columns as one array, states first."""
    entries = _entries(part, len(shape))
    columns = [np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in entries]
    if not columns:
        return np.zeros((count, *shape))
    return np.stack(columns, axis=-1).reshape(count, *shape)


def _entries(part: Any, depth: int) -> list[Any]:
    """Return the scalars of a nested sequence of known depth, row by row; [x] may stand for x."""
    entries = [part]
    for _ in range(max(depth, isinstance(part, list))):
        entries = [x for sequence in entries for x in sequence]
    return entries
