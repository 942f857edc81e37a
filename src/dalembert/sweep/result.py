"""What a study gives back: a table of designs, the best, the fronts, a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ..display import table_html
from ..errors import UsageError, closest, shown
from ..files import write_file
from ..measure.packages import optional
from .study import Study

Array = np.ndarray
UNITS = {"power": "W", "energy": "J", "mass": "kg", "reach": "m", "frequency": "Hz"}


@dataclass(frozen=True)
class Sweep:
    """A finished (or partly finished) study in its folder."""

    folder: Path
    study: Study = field(repr=False)

    @staticmethod
    def read(folder: str | Path) -> Sweep:
        """Return the study that stands in a folder."""
        path = Path(folder)
        try:
            data = json.loads((path / "manifest.json").read_bytes())
        except (OSError, ValueError):
            raise UsageError(
                f"{shown(str(folder))} holds no study", hint="dalembert sweep STUDY.toml --out DIR"
            ) from None
        return Sweep(path, Study(data["study"]))

    def __getstate__(self) -> dict[str, Any]:
        self.columns  # noqa: B018 - a temporary folder does not outlive this object
        return self.__dict__

    def __len__(self) -> int:
        return len(self.columns["design"])

    def __repr__(self) -> str:
        good = int(self.columns["feasible"].sum())
        return (
            f"<Sweep of {self.study.mechanism.name}: {len(self)} designs, {good} feasible, "
            f"measures {', '.join(self.study.data['measure'])}>"
        )

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns that were measured."""
        own = {"design", "feasible", "reason", *self.study.names}
        return tuple(n for n in self.columns if n not in own)

    @cached_property
    def columns(self) -> dict[str, Array]:
        """All columns as arrays."""
        table = self.table()
        return {n: table.column(n).to_numpy() for n in table.column_names}

    def table(self) -> Any:
        """Return the designs as an Arrow table: `.to_pandas()`, or polars.from_arrow(...)."""
        parquet = optional("pyarrow.parquet")
        pyarrow = optional("pyarrow")
        files = sorted(self.folder.glob("chunk-*.parquet"))
        if not files:
            raise UsageError(f"{shown(str(self.folder))} holds no finished chunk")
        return pyarrow.concat_tables([parquet.read_table(f) for f in files])

    def _column(self, name: str) -> Array:
        if name not in self.columns:
            near = closest(str(name), self.columns)
            raise UsageError(f"there is no column {shown(str(name))!r}", hint=near)
        return self.columns[name]

    def rows(self, index: Sequence[int] | Array) -> list[dict[str, Any]]:
        """Return some designs as plain data."""
        return [{n: x[k].item() if hasattr(x[k], "item") else x[k] for n, x in self.columns.items()}
                for k in index]  # fmt: skip

    def best(
        self, count: int = 5, by: str | None = None, maximise: bool = False
    ) -> list[dict[str, Any]]:
        """Return the feasible designs with the smallest, or largest, value of a measure."""
        x = self._column(by or self._main())
        good = np.flatnonzero(self.columns["feasible"] & np.isfinite(x))
        order = good[np.argsort(-x[good] if maximise else x[good], kind="stable")]
        return self.rows(order[:count])

    def _main(self) -> str:
        first = self.study.data["measure"][0]
        return first if first in self.columns else self.measures[0]

    def pareto(self, *measures: str) -> list[dict[str, Any]]:
        """Return the designs that no other beats in all of some measures, smaller being better."""
        if len(measures) < 2:
            raise UsageError("a front needs two measures", hint='s.pareto("energy", "peak")')
        x = np.stack([self._column(n) for n in measures], axis=1)
        good = np.flatnonzero(self.columns["feasible"] & np.isfinite(x).all(axis=1))
        return self.rows(good[_front(x[good])])

    def compare(self, designs: Sequence[int]) -> str:
        """Return a table of some designs side by side."""
        known = {int(d): k for k, d in enumerate(self.columns["design"])}
        for d in designs:
            if d not in known:
                raise UsageError(f"there is no design {d!r}", hint=f"0 to {self.study.count - 1}")
        chosen = self.rows([known[d] for d in designs])
        width = max(12, *(len(n) + 2 for n in self.columns))
        lines = []
        for name in self.columns:
            cells = [f"{r[name]:>14.6g}" if isinstance(r[name], float) else f"{r[name]!s:>14}"
                     for r in chosen]  # fmt: skip
            lines.append(f"{name:<{width}}" + "".join(cells))
        return "\n".join(lines)

    def reasons(self) -> dict[str, int]:
        """Return how many designs cannot do the task, by reason."""
        names, counts = np.unique(self.columns["reason"].astype(str), return_counts=True)
        return {str(n): int(c) for n, c in zip(names, counts, strict=True) if n}

    def summary(self) -> str:
        """Return the best five designs and why others fail."""
        by = self._main()
        shown_ = [*self.study.names, *(n for n in self.measures if "." not in n)]
        width = max(12, *(len(n) + 2 for n in shown_))
        lines = [repr(self), "best by " + by + ":"]
        lines.append(f"{'design':>10}" + "".join(f"{n:>{width}}" for n in shown_))
        for r in self.best(5):
            lines.append(f"{r['design']:>10}" + "".join(f"{r[n]:>{width}.5g}" for n in shown_))
        return "\n".join([*lines, *self._remarks()])

    def _remarks(self) -> list[str]:
        """Return why designs fail, and which measures have no value of some that do not."""
        lines = [f"{count} designs: {why}" for why, count in self.reasons().items()]
        good = self.columns["feasible"]
        for name in self.measures:
            none = int(np.isnan(self.columns[name][good]).sum())
            if none:
                why = ": nothing draws them back to their first pose" * (name == "frequency")
                lines.append(f"{none} designs have no {name}{why}")
        return lines

    def plot(
        self, path: str | Path | None = None, x: str | None = None, y: str | None = None
    ) -> Any:
        """Return a figure: a measure over every parameter, or one column over another."""
        figure = optional("matplotlib.figure").Figure
        measure = y or self._main()
        across = [x] if x else list(self.study.names)[:6]
        made = figure(figsize=(3.6 * len(across) + 0.6, 3.4), layout="constrained")
        panels = np.atleast_1d(made.subplots(1, len(across), sharey=True))
        good = self.columns["feasible"]
        best = self.best(1, measure)
        for name, panel in zip(across, panels, strict=True):
            panel.plot(self._column(name)[good], self._column(measure)[good], ".", markersize=2,
                       alpha=0.5, rasterized=True)  # fmt: skip
            if best:
                panel.plot(best[0][name], best[0][measure], "o", color="C3", markersize=5)
            panel.set_xlabel(name)
            panel.grid(True, linewidth=0.3)
        values = self._column(measure)[good]
        if values.size and values.min() > 0 and values.max() > 20 * np.median(values):
            panels[0].set_yscale("log")  # few designs near a singular pose hide all the others
        panels[0].set_ylabel(measure + self._unit(measure))
        if path is not None:
            made.savefig(path, dpi=110)
        return made

    def _unit(self, measure: str) -> str:
        """Return the unit of a column in brackets, nothing where it has none of its own."""
        name, _, joint = measure.partition(".")
        if name in ("peak", "rms"):
            m = self.study.mechanism
            joints = [joint] if joint in m.joint_names else (m.active or m.joint_names)
            turns = {m.bodies[m.joint_index(j)].joint.kind != "prismatic" for j in joints}
            return "  [N m]" if turns == {True} else "  [N]" if turns == {False} else "  [N, N m]"
        return f"  [{UNITS[name]}]" if name in UNITS else ""

    def _repr_html_(self, count: int = 5) -> str:
        good = int(self.columns["feasible"].sum())
        shown_ = [*self.study.names, *(n for n in self.measures if "." not in n)]
        best = [(str(r["design"]), *(f"{r[n]:.5g}" for n in shown_)) for r in self.best(count)]
        title = f"{len(self)} designs, {good} feasible; the best by {self._main()}"
        heads = [n + self._unit(n) for n in shown_]
        return table_html(("design", *heads), best, title, self._remarks())

    def html(self, path: str | Path | None = None) -> str:
        """Return one page, and write it: the best designs, a picture, why others fail."""
        import io

        out = io.StringIO()
        with optional("matplotlib").rc_context({"svg.hashsalt": "dalembert"}):  # the same bytes
            self.plot().savefig(out, format="svg", metadata={"Date": None})
        svg = out.getvalue()
        page = (
            "<!doctype html><html lang='en'><meta charset='utf-8'><title>Design study</title>"
            "<style>body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;"
            "padding:0 1rem;color:#1c2733}table{border-collapse:collapse;margin:1rem 0}"
            "td,th{padding:.2rem .9rem;text-align:right;border-bottom:1px solid #d8dee6}"
            "svg{max-width:100%;height:auto}</style>"
            f"<h1>Design study of {escape(shown(self.study.mechanism.name))}</h1>"
            f"{self._repr_html_(10)}<p>The red point is the best design.</p>"
            f"{svg[svg.index('<svg') :]}</html>"
        )
        if path is not None:
            write_file(path, page)
        return page


def _front(x: Array) -> Array:
    """Return the rows that no other row is at most as large as in every column."""
    order = np.lexsort(x.T[::-1])
    kept: list[int] = []
    for k in order:
        if not kept or not (x[kept] <= x[k]).all(axis=1).any():
            kept.append(int(k))
    return np.array(kept, dtype=int)
