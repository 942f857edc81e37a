"""Figures that people would publish: panels with their units, one legend, light or dark."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError, shown

COLORS = ("#4573b8", "#d97f26", "#3f8f58", "#c24d45", "#6f5bb0", "#258f98", "#a97a2a", "#a8528f")
THEMES = {
    "light": {"ink": "#1d2430", "soft": "#8a94a3", "paper": "#ffffff", "grid": "#dfe4ea"},
    "dark": {"ink": "#e6ebf3", "soft": "#8390a4", "paper": "#161b24", "grid": "#2d3644"},
}


def check_plot(path: str | Path | None) -> None:
    """Raise UsageError when matplotlib writes no files of that ending."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise UsageError("plots need matplotlib", hint="pip install matplotlib") from None
    kinds = sorted(FigureCanvasBase.get_supported_filetypes())
    ending = Path(path or "x.png").suffix.removeprefix(".").lower()
    if ending and ending not in kinds:
        raise UsageError(
            f"a plot cannot be written as {shown(str(path))}", hint="endings: " + ", ".join(kinds)
        )


@cache
def _figure_class() -> Any:
    """Return the figure that a notebook shows by itself, whatever its settings."""
    from matplotlib.figure import Figure

    class Plot(Figure):
        def _repr_png_(self) -> bytes:
            held = io.BytesIO()
            self.savefig(held, format="png", dpi=100)
            return held.getvalue()

        def _repr_html_(self) -> None:
            return None

        def __repr__(self) -> str:
            count = len(self.axes)
            title = self.get_suptitle() or "a plot"
            return f"<Plot {title!r}, {count} panel{'s' * (count != 1)}; .savefig(path) writes it>"

    return Plot


def styled(theme: str) -> AbstractContextManager[Any]:
    """Return the settings of a theme, for a `with` statement."""
    check_plot(None)
    if theme not in THEMES:
        raise UsageError(f"no theme is called {shown(str(theme))!r}", hint='"light" or "dark"')
    from matplotlib import rc_context

    c = THEMES[theme]
    return rc_context({
        "figure.facecolor": c["paper"], "axes.facecolor": c["paper"], "axes.edgecolor": c["soft"],
        "savefig.facecolor": c["paper"], "text.color": c["ink"], "axes.labelcolor": c["ink"],
        "xtick.color": c["soft"], "ytick.color": c["soft"], "xtick.labelcolor": c["ink"],
        "ytick.labelcolor": c["ink"], "axes.grid": True, "grid.color": c["grid"],
        "grid.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False,
        "axes.axisbelow": True, "font.size": 9, "axes.titlesize": 9, "lines.linewidth": 1.4,
        "legend.frameon": False,
    })  # fmt: skip


def figure(rows: int, columns: int, title: str, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a figure and its panels as an array (rows, columns)."""
    made = _figure_class()(figsize=size, layout="constrained")
    panels = made.subplots(rows, columns, squeeze=False)
    made.suptitle(shown(title, 100), fontsize=11, fontweight="bold", parse_math=False)
    return made, panels


def colors(count: int) -> list[Any]:
    """Return one colour per line: a palette, or a scale if there are many."""
    if count <= len(COLORS):
        return list(COLORS[:count])
    from matplotlib import colormaps

    return [colormaps["turbo"](0.06 + 0.88 * k / (count - 1)) for k in range(count)]


def legend(made: Any, lines: Sequence[Any], names: Sequence[str]) -> None:
    """Put one legend beside all panels, in as many columns as it needs."""
    if not lines:
        return
    columns = -(-len(lines) // 20)
    made.legend(
        lines,
        [plain(n) for n in names],
        loc="outside right upper",
        ncols=columns,
        fontsize=8 if len(lines) <= 20 else 6,
    )


def plain(name: str) -> str:
    """Return a name that matplotlib prints as it is: no formula, no hidden entry."""
    text = shown(name, 28).replace("$", r"\$")
    return f"\u200b{text}" if text.startswith("_") else text


def save(made: Any, path: str | Path | None) -> Any:
    """Return the figure, written to a file if one is named."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(made)
    if path is not None:
        check_plot(path)
        made.savefig(path, dpi=150)
    return made


def marked(panel: Any, values: Any, low: float | None, high: float | None, color: Any) -> None:
    """Draw limits that the values come near to; far ones would only shrink the curve."""
    y = np.asarray(values, dtype=float)
    if not np.isfinite(y).any():
        return
    bottom, top = float(np.nanmin(y)), float(np.nanmax(y))
    room = 0.6 * (top - bottom) + 1e-12
    for limit, near in ((low, bottom), (high, top)):
        if limit is not None and np.isfinite(limit) and abs(limit - near) <= room:
            panel.axhline(limit, color=color, linestyle=(0, (5, 3)), linewidth=0.9, alpha=0.8)
