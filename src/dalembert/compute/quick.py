"""A quantity at one state from a kernel that is kept, for programs that end with the answer."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from ..catalog import quantity
from ..mechanism import Mechanism
from .kernels import kept_key
from .model import model_of


def quick(
    m: Mechanism, name: str, inputs: Sequence[Any], method: str | None, **options: Any
) -> tuple[Any, ...] | None:
    """Return the outputs as nested lists, of inputs given so; None where `evaluate` has to answer.

    That is where no kernel is kept, where a state must be checked or loops closed first, and where
    a number is not finite: `evaluate` names it.
    """
    m = model_of(m, name, name)
    row = quantity(name, m)
    if row.planned or row.regular or "steer" in row.inputs or m.open_parameters:
        return None
    if "branch" in row.options or set(options) - set(row.options):
        return None
    from ..runtime.plain import flat, plain

    kernel = plain(kept_key(m, row, method, options))
    if kernel is None or [p.size for p in kernel.card.inputs] != [len(flat(x)) for x in inputs]:
        return None
    found = kernel(*inputs)
    return found if all(isfinite(x) for some in (*inputs, *found) for x in flat(some)) else None
