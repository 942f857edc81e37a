"""Arrays as nested lists, in aligned lines, names of joints, bodies or components beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..catalog.axes import Output, labels_of
from ..errors import shown
from .aligned import aligned

if TYPE_CHECKING:
    from ..mechanism import Mechanism


def lines(
    m: Mechanism, values: Any, port: Output, settings: Mapping[str, Any] | None = None
) -> list[str]:
    """Return nested lists as aligned lines, with the names and units of their catalog row."""
    axes, shape = port.axes, _shape(values)
    if 0 in shape:
        return ["none"]
    if not shape:
        return [f"{values:.12g}"]
    if len(shape) == 3:
        return _sparse(values)
    corner = ""
    if axes[-1] == "parameter" and len(shape) == 2:
        # there are many parameters: one line for each
        values, axes, corner = [*zip(*values, strict=True)], axes[::-1], "transposed"
    options = settings or {}
    left = _names(m, axes[0], len(values), options)
    if len(shape) == 1:
        units = port.units(m, options)
        rows = [list(x) for x in zip(left, (f"{x + 0.0:.12g}" for x in values), units, strict=True)]
        return aligned(rows, words=(0, 2))
    cells = [[name, *(f"{x + 0.0:.6g}" for x in r)] for name, r in zip(left, values, strict=True)]
    top = _names(m, axes[1], len(values[0]), options)
    return aligned([[corner, *top], *cells] if any(top) else cells)


def _shape(values: Any) -> tuple[int, ...]:
    """Return the lengths of nested lists, from the outermost on."""
    if not isinstance(values, list):
        return ()
    return (len(values), *(_shape(values[0]) if values else ()))


def _names(m: Mechanism, axis: str | int, size: int, settings: Mapping[str, Any]) -> list[str]:
    """Return the names along one dimension; empty ones where it stands for nothing known."""
    found = [shown(name, 40) for name in labels_of(axis, m, settings)]
    return found if len(found) == size else [""] * size


def _sparse(values: Any) -> list[str]:
    found = [
        f"({i}, {j}, {k}) = {x:.12g}"
        for i, plane in enumerate(values, 1)
        for j, row in enumerate(plane, 1)
        for k, x in enumerate(row, 1)
        if x != 0
    ]
    return found or ["all zero"]
