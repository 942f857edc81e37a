"""Plots of forces along a motion: part by part over time, or over the speed of the joint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError, shown
from ..simulate.figure import figure, legend, plain, save, styled

PARTS = {
    "static": "#3f8f58", "inertial": "#d97f26", "coriolis": "#6f5bb0", "centrifugal": "#258f98",
    "friction": "#a97a2a", "wrench": "#a8528f",
}  # fmt: skip
FORCE, LIMIT = "#4573b8", "#c24d45"


def plot(r: Any, path: str | Path | None, kind: str, theme: str) -> Any:
    """Return a figure of the forces, a panel for each joint, one legend for all."""
    if kind not in ("time", "speed"):
        raise UsageError(f"no plot of kind {shown(str(kind))!r}", hint="time, speed")
    count = len(r.names)
    columns = 1 if count <= 3 else 2 if count <= 8 else 4 if count <= 24 else 5
    rows = -(-count // columns)
    wide = 6.6 if columns == 1 else 3.0 * columns + 1.4
    with styled(theme):
        what = "forces along the motion" if kind == "time" else "forces over speeds"
        made, axes = figure(rows, columns, f"{r.m.name}: {what}", (wide, 1.75 * rows + 0.8))
        handles: dict[str, Any] = {}
        for k, axis in enumerate(list(axes.flat)[:count]):
            (_over_time if kind == "time" else _over_speed)(r, k, axis, handles)
        for axis in list(axes.flat)[count:]:
            axis.set_visible(False)
        legend(made, list(handles.values()), list(handles))
        return save(made, path)


def _over_time(r: Any, k: int, axis: Any, handles: dict[str, Any]) -> None:
    for part, color in PARTS.items():
        if np.abs(r.parts[part]).max(initial=0.0) > 0:
            (line,) = axis.plot(r.t, r.parts[part][:, k], color=color, linewidth=0.9, alpha=0.9)
            handles.setdefault(part, line)
    (line,) = axis.plot(r.t, r.tau[:, k], color=FORCE, linewidth=1.9)
    handles.setdefault("force", line)
    if getattr(r, "band", None) is not None:
        low, high = (r.tau[:, k] + s * 2 * r.band[:, k] for s in (-1, 1))
        band = axis.fill_between(r.t, low, high, color=FORCE, alpha=0.25, linewidth=0)
        handles.setdefault("±2σ", band)
    _limit(r, k, axis, handles)
    axis.set_title(f"{plain(r.names[k])}  [{r.units(k)[0]}]")
    axis.set_xlim(r.t[0], max(r.t[-1], r.t[0] + 1e-12))
    axis.set_xlabel("t  [s]")


def _over_speed(r: Any, k: int, axis: Any, handles: dict[str, Any]) -> None:
    (line,) = axis.plot(r.speed[:, k], r.tau[:, k], color=FORCE)
    handles.setdefault("motion", line)
    _limit(r, k, axis, handles)
    force, speed = r.units(k)
    axis.axhline(0, color="#8a94a3", linewidth=0.6)
    axis.axvline(0, color="#8a94a3", linewidth=0.6)
    axis.set_title(plain(r.names[k]))
    axis.set_xlabel(f"[{speed}]")
    axis.set_ylabel(f"[{force}]")


def _limit(r: Any, k: int, axis: Any, handles: dict[str, Any]) -> None:
    """Draw what the joint can give, where the force comes near to it."""
    top = np.inf if r.effort is None else float(r.effort[k])
    if not np.isfinite(top) or top > 3 * np.nanmax(np.abs(r.tau[:, k]), initial=0.0):
        return
    for sign in (-1, 1):
        line = axis.axhline(sign * top, color=LIMIT, linestyle=(0, (5, 3)), linewidth=0.9)
        handles.setdefault("limit", line)
