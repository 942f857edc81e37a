"""Proven error against operations: the best model under a number of operations, and all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..algorithms import closed_form
from ..display import aligned, table_html
from ..errors import UsageError, require_count
from ..expr import Graph, program, trace
from .box import box_of
from .prune import BOXES, Progress, Pruned, Pruning
from .tolerance import at_most

if TYPE_CHECKING:
    from .closed_form import Equations

LEAST, MOST = 1e-5, 0.9  # shares between which models are looked for
HALVINGS = 8
POINTS = 10


def operations(eq: Equations) -> int:
    """Return the multiplications and additions of the inverse model of some equations."""
    model, graph = eq.model, Graph()
    for name in model.open_parameters:
        graph.param(name)
    known = {k: v for k, v in model.values.items() if k not in model.open_parameters}
    bound, n = model.bound(known, graph), model.nv
    made = trace(
        lambda q, qd, qdd: closed_form.inverse_dynamics(bound, q, qd, qdd),
        [("q", n), ("qd", n), ("qdd", n)], name="inverse_dynamics", outputs=[("tau", (n,))],
        graph=graph,
    )  # fmt: skip
    cost = program(made, model.open_parameters).cost["step"]
    return cost.mul + cost.add


def within(job: Pruning, most: int) -> Pruned:
    """Return the model of least proven error that takes no more than so many operations."""
    if not isinstance(most, int) or most < 0:
        raise UsageError(f"operations = {most}", hint="give a number of operations: operations=80")
    if operations(job.eq) <= most:
        return job.pruned([0.0] * job.eq.n, "0")
    low, high, best = LEAST, MOST, None
    tried = _at(job, high)
    if operations(tried.equations) > most:
        least = operations(tried.equations)
        raise UsageError(
            f"no model of these equations was found with {most} operations: {least} at {MOST:.0%}",
            hint=f"operations={least}, or neglect or freeze something first",
        )
    best = tried
    for k in range(HALVINGS):
        share = (low * high) ** 0.5
        tried = _at(job, share)
        if operations(tried.equations) <= most:
            high, best = share, tried
        else:
            low = share
        job.progress(0.2 + 0.7 * (k + 1) / HALVINGS)
    return job.pruned([high * r for r in job.reference], f"{max(best.share):.3g}")


def _at(job: Pruning, share: float) -> Pruned:
    return job.pruned([share * r for r in job.reference], f"{share:.3g}", sure=False)


@dataclass(frozen=True)
class Curve:
    """Models from the whole one to the shortest: operations, terms and proven error of each."""

    rows: tuple[tuple[int, int, tuple[float, ...], tuple[float, ...]], ...]
    models: tuple[Pruned, ...]

    HEAD = ("operations", "terms", "largest share", "bound of each joint")

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (str(cost), str(terms), f"{max(share, default=0.0):.3%}",
             " ".join(at_most(b, 3) for b in bound))
            for cost, terms, share, bound in self.rows
        ]  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(aligned([self.HEAD, *self._cells()], words=(3,)))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return table_html(self.HEAD, self._cells())

    def plot(self, path: str | None = None) -> Any:
        """Draw the proven share against operations; `path` writes a picture. Needs matplotlib."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise UsageError("matplotlib is not installed", hint="pip install matplotlib") from None
        figure = Figure(figsize=(6, 4), layout="constrained")
        axes = figure.subplots()
        points = [(cost, 100 * max(share)) for cost, _, share, _ in self.rows if max(share) > 0]
        axes.semilogy(*zip(*points, strict=True), "o-") if points else None
        axes.set(xlabel="multiplications and additions", ylabel="proven error, % of the force")
        axes.grid(True, alpha=0.3)
        if path is not None:
            figure.savefig(path)
        return figure


def curve(
    eq: Equations, values: Mapping[str, Any], limits: Any, keep: str | None = None,
    points: int = POINTS, progress: Progress | None = None,
) -> Curve:  # fmt: skip
    """Return the whole curve of proven error against operations, the longest model first."""
    require_count("points", points, 1000)
    report = progress or (lambda part: None)
    job = Pruning(eq, box_of(eq, values, limits), keep, BOXES)
    shares = [0.0, *(1e-3 * (0.5 / 1e-3) ** (k / max(1, points - 2)) for k in range(points - 1))]
    rows: list[Any] = []
    models: list[Pruned] = []
    for k, share in enumerate(shares):
        made = _at(job, share)
        row = (operations(made.equations), made.kept, made.share, made.bound)
        if not rows or row[0] < rows[-1][0]:
            rows.append(row)
            models.append(made)
        report((k + 1) / len(shares))
    return Curve(tuple(rows), tuple(models))
