"""Fronts: designs that no other beats in every measure, refined from a sample.

The sample's own front says which values of the measures can be had together. From each of its
points the first measure is made as small as it can be while the others grow no further (the
ε-constraint method; Miettinen, Nonlinear Multiobjective Optimization, section 3.2), and so on for
each measure in turn, so that the ends of the front are there too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ComputationError
from ..measure.packages import optional, scipy_part
from .choices import combinations, compared, missing, of_those_that_can
from .optimise import Limit, Optimum, Search
from .result import _front
from .study import Study

Array = np.ndarray


@dataclass(frozen=True)
class Front:
    """Designs that no other beats in all of some measures, in order of the first."""

    goals: tuple[str, ...]
    designs: tuple[Optimum, ...] = field(repr=False)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.designs)

    def __getitem__(self, index: int) -> Optimum:
        return self.designs[index]

    @property
    def values(self) -> Array:
        """The measures, a row for each design."""
        return np.array([[d.measures[n] for n in self.goals] for d in self.designs])

    def __repr__(self) -> str:
        rows = [f"<Front of {len(self)} designs: {', '.join(self.goals)}>"]
        for d in self.designs:
            told = ", ".join(f"{n} = {x:.5g}" for n, x in d.parameters.items())
            values = ", ".join(f"{d.measures[n]:.5g}" for n in self.goals)
            rows.append(f"  {values} at {told}")
        rows += self.notes
        return "\n".join(rows)

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the second measure over the first."""
        made = optional("matplotlib.figure").Figure(figsize=(4.6, 3.6), layout="constrained")
        panel = made.subplots()
        panel.plot(self.values[:, 0], self.values[:, 1], "o-", markersize=4)
        panel.set_xlabel(self.goals[0])
        panel.set_ylabel(self.goals[1])
        panel.grid(True, linewidth=0.3)
        if path is not None:
            made.savefig(path, dpi=110)
        return made


def front(s: Study, goals: Sequence[str], limits: tuple[Limit, ...], points: int) -> Front:
    """Return the front of some measures, of all combinations of values to choose from."""
    chosen = combinations(s)
    wide = Search(s, goals[0], (*limits, *(Limit(n, "<=", np.inf) for n in goals[1:])))
    if not wide.free:
        return _compared(wide, goals, limits, chosen)
    fronts = of_those_that_can(
        chosen, lambda one: _alone(replace(wide, chosen=one), goals, limits, points)
    )
    notes = missing(len(chosen), len(fronts))
    if len(fronts) == 1:
        return replace(fronts[0], notes=notes)
    return replace(_ordered(goals, [d for f in fronts for d in f.designs]), notes=notes)


def _compared(
    wide: Search, goals: Sequence[str], limits: tuple[Limit, ...], chosen: list[dict[str, float]]
) -> Front:
    """Return the front of combinations where nothing else varies."""
    made, good = compared(wide, chosen, limits)
    x = np.stack([made[n] for n in goals], axis=1)[good]
    at = np.flatnonzero(good)[_front(x)]
    alone = replace(wide, limits=limits)
    designs = [replace(alone, chosen=chosen[k]).answer(np.zeros(0)) for k in at]
    return replace(_ordered(goals, designs), notes=missing(len(chosen), len(good[good])))


def _ordered(goals: Sequence[str], designs: Sequence[Optimum]) -> Front:
    """Return the designs that no other beats, in order of the first measure."""
    values = np.array([[d.measures[n] for n in goals] for d in designs])
    order = sorted(_front(values), key=lambda k: values[k, 0])
    return Front(tuple(goals), tuple(designs[k] for k in order))


def _alone(wide: Search, goals: Sequence[str], limits: tuple[Limit, ...], points: int) -> Front:
    """Return the front of one combination of choices."""
    s = wide.study
    unit = scipy_part("stats").qmc.Sobol(len(wide.free), scramble=True,
                                         rng=s.data["plan"]["seed"])  # fmt: skip
    tried = unit.random(max(4, s.count))
    made = wide.columns(tried)
    x = np.stack([made[n] for n in goals], axis=1)
    kept = np.all([c.slack(made[c.measure]) >= 0 for c in limits], axis=0) if limits else True
    good = np.flatnonzero(made["feasible"] & np.isfinite(x).all(axis=1) & kept)
    if not len(good):
        raise ComputationError("no design of the sample keeps the limits", hint="more samples")
    first = good[_front(x[good])]
    first = first[np.argsort(x[first, 0], kind="stable")]
    chosen = first[np.unique(np.linspace(0, len(first) - 1, max(2, points)).round().astype(int))]
    size = np.median(np.abs(x[good]), axis=0)
    found: dict[bytes, Optimum] = {}
    for k in chosen:
        for g in range(len(goals)) if k in (chosen[0], chosen[-1]) else (0,):
            best = _refined(wide, goals, g, limits, tried[k], x[k], size)
            if best is not None:
                found[np.array(list(best.parameters.values())).round(9).tobytes()] = best
    if not found:
        raise ComputationError("no design keeps the constraints", hint="loosen subject_to")
    return _ordered(goals, list(found.values()))


def _refined(
    wide: Search, goals: Sequence[str], g: int, limits: tuple[Limit, ...], start: Array, at: Array,
    size: Array,
) -> Optimum | None:  # fmt: skip
    """Return the design with the least measure g near a start, the others no larger than there.

    At an end of the front the other measures are free.
    """
    others = [Limit(n, "<=", float(at[k])) for k, n in enumerate(goals) if k != g]
    search = Search(wide.study, goals[g], (*limits, *others), chosen=wide.chosen)
    x, value = search.refined(start, float(size[g]) or 1.0)
    return None if value is None else search.answer(x)
