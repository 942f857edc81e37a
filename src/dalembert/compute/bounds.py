"""The limits of the joints of many designs: letters in them have the values of each design."""

from __future__ import annotations

import numpy as np

from ..mechanism import Mechanism
from ..mechanism.limits import coordinate_limits, limit_letters, rate_limits

Array = np.ndarray
Designs = dict[str, Array]


def bounds(m: Mechanism, designs: Designs) -> tuple[Array, Array]:
    """Return lower and upper limits of the coordinates, (designs or 1, nq), infinite where open."""
    made = np.array([coordinate_limits(m, values) for values in _rows(m, designs)])
    low, high = np.moveaxis(made.reshape(len(made), -1, 2), -1, 0)
    return low, high


def most(m: Mechanism, name: str, designs: Designs) -> Array:
    """Return `effort_limit` or `velocity_limit` of the rates, (designs or 1, nv)."""
    return np.array([rate_limits(m, name, values) for values in _rows(m, designs)])


def lettered(m: Mechanism, designs: Designs) -> bool:
    """Return whether the limits differ from design to design."""
    return not limit_letters(m).isdisjoint(designs)


def _rows(m: Mechanism, designs: Designs) -> list[dict[str, float]]:
    if not lettered(m, designs):
        return [{}]
    table = np.stack(list(designs.values()), axis=1)
    return [dict(zip(designs, row, strict=True)) for row in table.tolist()]
