"""Choices among values in `optimise`: each combination of them is searched, or all are compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ..errors import ComputationError, UsageError, shown
from .optimise import Limit, Optimum, Search
from .study import Study

Array = np.ndarray
SEARCHED = 64  # combinations with a search of their own
COMPARED = 1024  # combinations where nothing else varies
KEEPS = -1e-6  # room that a design may lack, in parts of a limit


def require_ranges(parameters: Mapping[str, Any]) -> None:
    """Raise UsageError where two numbers in a list may mean a range as well as a choice."""
    for name, given in dict(parameters).items():
        if not isinstance(given, str | tuple | Mapping) and np.size(given) == 2:
            low, high = given
            raise UsageError(
                f"parameter {shown(str(name))!r}: two numbers in a list may be a range or a choice",
                hint=f"({low}, {high}) is a range, {{'values': [{low}, {high}]}} is a choice",
            )


def combinations(s: Study) -> list[dict[str, float]]:
    """Return every combination of the values to choose from; an empty one if there are none."""
    ranges = s.data["parameters"]
    values = {n: list(dict.fromkeys(r["values"])) for n, r in ranges.items() if "values" in r}
    ranged = any("range" in r for r in ranges.values())
    if not values and not ranged:
        raise UsageError("no parameter varies", hint='{"L1": (0.3, 0.8), "N": [50, 80, 100]}')
    count = math.prod(map(len, values.values()))
    most = SEARCHED if ranged else COMPARED
    if count > most:
        what = "each with a search of its own" if ranged else "which are compared at once"
        raise UsageError(
            f"{count} combinations of values, {what}; at most {most} are taken",
            hint="give fewer values, or a range (lo, hi); a sweep compares more designs",
        )
    return [dict(zip(values, row, strict=True)) for row in product(*values.values())]


def best_choice(search: Search, chosen: list[dict[str, float]], starts: int) -> Optimum:
    """Return the best design of all combinations of choices."""
    if not search.free:
        return _compared(search, chosen)
    found = of_those_that_can(chosen, lambda one: replace(search, chosen=one, count=0).run(starts))
    best = min(found, key=lambda o: search.sign * o.value)
    count = sum(o.evaluations for o in found)
    return replace(best, evaluations=count, notes=missing(len(chosen), len(found)))


def missing(many: int, found: int) -> tuple[str, ...]:
    """Return a note on combinations that have no design, if there are any."""
    return (f"{many - found} of {many} combinations have no design",) if found < many else ()


def of_those_that_can(chosen: list[dict[str, float]], search: Callable[[Any], Any]) -> list[Any]:
    """Return what is found of each combination that has a design; an error if none has one."""
    found, lost = [], []
    for one in chosen:
        try:
            found.append(search(one))
        except ComputationError as error:
            lost.append(error)
    if not found:
        raise lost[0]
    return found


def compared(
    search: Search, chosen: list[dict[str, float]], limits: tuple[Limit, ...]
) -> tuple[dict[str, Array], Array]:
    """Return measures of combinations where nothing else varies, and which keep the limits."""
    every = {n: np.array([one[n] for one in chosen]) for n in chosen[0]}
    made = replace(search, chosen=every, count=0).columns(np.zeros((len(chosen), 0)))
    goals = (search.goal, *(c.measure for c in search.limits))
    good = np.asarray(made["feasible"]) & np.all([np.isfinite(made[n]) for n in goals], axis=0)
    if not good.any():
        why, n = np.unique(made["reason"].astype(str), return_counts=True)
        raise ComputationError(
            f"no design of {len(chosen)} does the task: {why[np.argmax(n)]}",
            hint="other values, or an easier task",
        )
    for c in limits:
        good &= c.slack(made[c.measure]) > KEEPS
    if not good.any():
        raise ComputationError("no design keeps the constraints", hint="loosen subject_to")
    return made, good


def _compared(search: Search, chosen: list[dict[str, float]]) -> Optimum:
    """Return the best of combinations where nothing else varies."""
    made, good = compared(search, chosen, search.limits)
    at = int(np.argmin(np.where(good, search.sign * made[search.goal], np.inf)))
    found = replace(search, chosen=chosen[at]).answer(np.zeros(0))
    notes = missing(len(chosen), int(good.sum()))
    return replace(found, evaluations=len(chosen), notes=notes)
