"""Figures of simulated motions and of forces along trajectories, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError, shown


def figure(rows: int, title: str) -> tuple[Any, Any]:
    """Return a figure of stacked panels that share their time axis."""
    check_plot(None)
    from matplotlib.figure import Figure

    made = Figure(figsize=(7.0, 1.9 * rows + 0.6), layout="constrained")
    panels = np.atleast_1d(made.subplots(rows, 1, sharex=True))
    made.suptitle(title, fontsize=11)
    panels[-1].set_xlabel("t  [s]")
    for panel in panels:
        panel.grid(True, linewidth=0.3)
    return made, panels


def check_plot(path: str | Path | None) -> None:
    """Raise UsageError when matplotlib writes no files of that ending."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise UsageError("plots need matplotlib", hint='pip install "dalembert[sim]"') from None
    kinds = sorted(FigureCanvasBase.get_supported_filetypes())
    ending = Path(path or "x.png").suffix.removeprefix(".").lower()
    if ending and ending not in kinds:
        raise UsageError(
            f"a plot cannot be written as {shown(str(path))}", hint="endings: " + ", ".join(kinds)
        )


def lines(panel: Any, t: Any, columns: Any, names: Sequence[str], label: str) -> None:
    """Draw one line per column; a legend where it stays readable."""
    for column, name in zip(np.asarray(columns).T, names, strict=True):
        panel.plot(t, column, linewidth=1.2, label=name)
    panel.set_ylabel(label)
    if 1 < len(names) <= 8:
        panel.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def save(made: Any, path: str | Path | None) -> Any:
    """Return the figure, written to a file if one is named."""
    if path is not None:
        check_plot(path)
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        FigureCanvasAgg(made)
        made.savefig(path, dpi=110)
    return made


def plot(result: Any, path: str | Path | None = None, joints: Sequence[str] | None = None) -> Any:
    """Return a figure of q, qd, forces and energy of one state."""
    if result.q.ndim != 2:
        raise UsageError("a plot shows one state", hint="choose one: result.state(k).plot()")
    names, table = result.columns()

    def chosen(prefix: str) -> list[int]:
        own = [k for k, n in enumerate(names) if n.startswith(prefix + ".")]
        return [k for k in own if joints is None or names[k].split(".")[1] in joints]

    panels = [("q", "q  [rad, m]"), ("qd", "q̇  [1/s]"), ("tau", "τ  [N m, N]")]
    shown = [(chosen(p), label) for p, label in panels if chosen(p)]
    made, axes = figure(len(shown) + 1, f"{result.m.name}: {result.method}")
    for axis, (which, label) in zip(axes, shown, strict=False):
        own = [names[k].partition(".")[2] for k in which]
        lines(axis, result.t, table[:, which], own, label)
        for event in result.events:
            axis.axvline(event.time, color="0.6", linewidth=0.6, linestyle=":")
    kinds = [result.kinetic_energy, result.potential_energy, result.energy]
    energies = np.stack(kinds, axis=1)
    lines(axes[-1], result.t, energies, ["kinetic", "potential", "sum"], "energy  [J]")
    return save(made, path)
