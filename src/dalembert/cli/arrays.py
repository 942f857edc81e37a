"""Arrays as aligned lines, the names of joints, bodies or components beside the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..catalog.axes import Output, labels_of
from ..errors import shown
from .aligned import aligned

if TYPE_CHECKING:
    import numpy as np

    from ..mechanism import Mechanism


def lines(
    m: Mechanism,
    array: np.ndarray,
    port: Output,
    settings: Mapping[str, Any] | None = None,
) -> list[str]:
    """Return an array as aligned lines, with the names and units that its catalog row gives."""
    axes = port.axes
    if array.size == 0:
        return ["none"]
    if array.ndim == 0:
        return [f"{float(array):.12g}"]
    if array.ndim == 3:
        return _sparse(array)
    corner = ""
    if axes[-1] == "parameter" and array.ndim == 2:
        # there are many parameters: one line for each
        array, axes, corner = array.T, axes[::-1], "transposed"
    options = settings or {}
    left = _names(m, axes[0], array.shape[0], options)
    if array.ndim == 1:
        units = port.units(m, options)
        rows = [list(x) for x in zip(left, (f"{x + 0.0:.12g}" for x in array), units, strict=True)]
        return aligned(rows, words=(0, 2))
    cells = [[name, *(f"{x + 0.0:.6g}" for x in r)] for name, r in zip(left, array, strict=True)]
    top = _names(m, axes[1], array.shape[1], options)
    return aligned([[corner, *top], *cells] if any(top) else cells)


def _names(m: Mechanism, axis: str | int, size: int, settings: Mapping[str, Any]) -> list[str]:
    """Return the names along one dimension; empty ones where it stands for nothing known."""
    found = [shown(name, 40) for name in labels_of(axis, m, settings)]
    return found if len(found) == size else [""] * size


def _sparse(array: np.ndarray) -> list[str]:
    import numpy

    found = [
        f"({', '.join(str(k + 1) for k in at)}) = {array[tuple(at)]:.12g}"
        for at in numpy.argwhere(array != 0)
    ]
    return found or ["all zero"]
