"""Forces of many machines along one motion: leading dimensions are those of the parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..compute.designs import Designs
from ..errors import ComputationError
from .torque_result import ARRAYS, Torques

Array = np.ndarray


def many(designs: Designs, one: Any) -> Torques:
    """Return the forces of every design, stacked; `one(m)` gives those of a single one.

    Limits passed are told by `executable`, an entry for each machine; one that cannot move so has
    NaN.
    """
    made: list[Torques | None] = []
    for m in designs:
        try:
            made.append(one(m))
        except ComputationError:  # this one is not assembled, or singular on the way
            made.append(None)
    some = next((f for f in made if f is not None), None)
    if some is None:
        raise ComputationError("no machine can make this motion", hint="other parameters")

    def stacked(get: Any) -> Array:
        blank = np.full_like(np.asarray(get(some), dtype=float), np.nan)
        return designs.shaped([blank if f is None else get(f) for f in made])

    parts = {n: stacked(lambda f, n=n: f.parts[n]) for n in some.parts}
    arrays: dict[str, Any] = {n: stacked(lambda f, n=n: getattr(f, n)) for n in ARRAYS}
    fine = designs.shaped([f is not None and f.executable for f in made])
    return replace(some, m=designs.m, parts=parts, exceeded=(), fits=fine, **arrays)
