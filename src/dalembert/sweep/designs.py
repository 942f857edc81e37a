"""Designs by number: grid, Latin hypercube, Sobol, list; any stretch can be made alone."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..errors import UsageError
from ..measure.packages import scipy_part
from .study import Study, evaluated

Array = np.ndarray
LHS_MOST = 20_000_000


def designs(s: Study, start: int, stop: int) -> dict[str, Array]:
    """Return the values of every parameter of designs start .. stop - 1."""
    ranges = s.data["parameters"]
    free = [n for n in ranges if "expression" not in ranges[n]]
    kind = s.data["plan"]["kind"]
    number = np.arange(start, min(stop, s.count))
    out: dict[str, Array] = {}
    if kind == "grid":
        axes = [_axis(ranges[n], s.data["plan"]["samples"]) for n in free]
        rest = number
        for n, axis in reversed(list(zip(free, axes, strict=True))):
            out[n] = axis[rest % len(axis)]
            rest = rest // len(axis)
    elif kind == "list":
        out = {n: np.array(ranges[n]["values"])[number] for n in free}
    else:
        unit = _hypercube(s, len(free), number) if kind == "lhs" else _sobol(s, len(free), number)
        out = {n: _placed(ranges[n], unit[:, k]) for k, n in enumerate(free)}
    made = {n: out[n] for n in free}
    for n in ranges:
        if n not in made:
            made[n] = evaluated(ranges[n]["expression"], made, n)
    return {n: np.ascontiguousarray(made[n], dtype=float) for n in ranges}


def _axis(given: dict, samples: int) -> Array:
    if "values" in given:
        return np.array(given["values"])
    low, high = given["range"]
    return np.linspace(low, high, samples)


def _placed(given: dict, unit: Array) -> Array:
    """Return numbers of [0, 1) in a range, or as a choice of values."""
    if "values" in given:
        values = np.array(given["values"])
        return values[np.minimum((unit * len(values)).astype(int), len(values) - 1)]
    low, high = given["range"]
    return low + unit * (high - low)


def _hypercube(s: Study, dimensions: int, number: Array) -> Array:
    if s.count > LHS_MOST:
        raise UsageError(
            f"a Latin hypercube of {s.count} designs", hint='kind = "sobol" has no such limit'
        )
    seed = s.data["plan"]["seed"]
    columns = []
    for k in range(dimensions):
        order, inside = _stratum(seed, k, s.count)
        columns.append((order[number] + inside[number]) / s.count)
    return np.stack(columns, axis=1)


@lru_cache(maxsize=32)
def _stratum(seed: int, dimension: int, count: int) -> tuple[Array, Array]:
    rng = np.random.default_rng([seed, dimension])
    return rng.permutation(count), rng.random(count)


def _sobol(s: Study, dimensions: int, number: Array) -> Array:
    made = scipy_part("stats").qmc.Sobol(dimensions, scramble=True, rng=s.data["plan"]["seed"])
    if len(number) and number[0]:
        made.fast_forward(int(number[0]))
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a chunk need not be a power of two
        return np.asarray(made.random(len(number)))
