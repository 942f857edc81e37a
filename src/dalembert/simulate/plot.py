"""Plots of simulated motions: coordinates by unit, phase planes, the paths of vehicles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError, shown
from ..mechanism.limits import coordinate_limits
from ..mechanism.units import coordinate_units, rate_units
from .figure import check_plot, colors, figure, legend, marked, plain, save, styled
from .passed import at_numbers

__all__ = ["check_plot", "plot"]

Array = np.ndarray
UNITS = {
    "q": {"rad": "angles  [rad]", "m": "lengths  [m]"},
    "qd": {"rad": "rates  [rad/s]", "m": "speeds  [m/s]"},
    "tau": {"rad": "torques  [N m]", "m": "forces  [N]"},
    "error": {"rad": "goal − angle  [rad]", "m": "goal − length  [m]"},
}
KINDS = ("time", "phase", "path")


def plot(
    result: Any,
    path: str | Path | None = None,
    joints: Sequence[str] | None = None,
    kind: str = "time",
    theme: str = "light",
) -> Any:
    """Return a figure of one state: over time, in phase planes, or as a path on the ground."""
    if result.q.ndim != 2:
        raise UsageError("a plot shows one state", hint="choose one: result.state(k).plot()")
    if kind not in KINDS:
        raise UsageError(f"no plot of kind {shown(str(kind))!r}", hint=", ".join(KINDS))
    if joints is not None:
        for name in joints:
            result.m.joint_index(name)
    with styled(theme):
        make = {"time": _over_time, "phase": _phase, "path": _path}[kind]
        return save(make(result, joints), path)


def _chosen(names: Sequence[str], joints: Sequence[str] | None) -> list[int]:
    if joints is None:
        return list(range(len(names)))
    return [k for k, n in enumerate(names) if any(n == j or n.startswith(f"{j}.") for j in joints)]


Panel = tuple[str, Array, list[str], Array, Array]


def _panels(r: Any, joints: Sequence[str] | None) -> list[Panel]:
    """Return (label, columns, names, limits, goals) of each panel that has something to show."""
    m = r.m
    goal = np.full_like(r.q, np.nan) if r.goal is None else r.goal
    given = [("q", m.coordinate_names, r.q, False), ("qd", m.rate_names, r.qd, True)]
    if r.observe is not None and np.abs(r.tau).max(initial=0.0) > 0:
        given.append(("tau", r.forces, r.tau, True))
    if np.isfinite(goal).any():
        given.insert(1, ("error", m.coordinate_names, goal - r.q, False))
    limits = np.array(coordinate_limits(at_numbers(m, r.parameters))).reshape(-1, 2)
    out = []
    for symbol, names, values, rates in given:
        of = dict(zip(m.rate_names, rate_units(m), strict=True))
        units = [of.get(n, "rad") for n in names] if rates else coordinate_units(m)
        for unit, label in UNITS[symbol].items():
            which = [k for k in _chosen(names, joints) if units[k] == unit]
            if symbol == "error":
                which = [k for k in which if np.isfinite(values[:, k]).any()]
            if which:
                none = np.full((len(which), 2), np.nan)
                bounds = limits[which] if symbol == "q" else none
                aims = goal[:, which] if symbol == "q" else np.full((len(r.t), len(which)), np.nan)
                out.append((label, values[:, which], [names[k] for k in which], bounds, aims))
    return out


def _over_time(r: Any, joints: Sequence[str] | None) -> Any:
    panels = _panels(r, joints)
    names = list(dict.fromkeys(n for _, _, own, *_ in panels for n in own))
    color = dict(zip(names, colors(len(names)), strict=True))
    columns = 1 if len(panels) < 4 else 2
    rows = -(-(len(panels) + 1) // columns)
    size = (7.2 if columns == 1 else 10.5, 1.9 * rows + 0.7)
    made, axes = figure(rows, columns, r.m.name, size)
    cells = list(axes.flat)
    handles: dict[str, Any] = {}
    for axis, (label, values, own, bounds, aims) in zip(cells, panels, strict=False):
        for n, y, (low, high), aim in zip(own, values.T, bounds, aims.T, strict=True):
            width = 1.4 if len(own) < 9 else 0.9
            if np.isfinite(aim).any():
                axis.plot(r.t, aim, "--", color=color[n], linewidth=0.8, alpha=0.8)
                handles["goal"] = _dashes()
            (handles[n],) = axis.plot(r.t, y, color=color[n], linewidth=width)
            if len(own) <= 8:
                marked(axis, y, low, high, color[n])
        axis.set_ylabel(label)
    _energy(cells[len(panels)], r)
    for axis in cells[len(panels) + 1 :]:
        axis.set_visible(False)
    for axis in cells[: len(panels) + 1]:
        axis.set_xlim(r.t[0], max(r.t[-1], r.t[0] + 1e-12))
    _events(cells[: len(panels) + 1], r)
    for column in axes.T:
        [a for a in column if a.get_visible()][-1].set_xlabel("t  [s]")
    last = {"goal": handles.pop("goal")} if "goal" in handles and "goal" not in names else {}
    legend(made, [*handles.values(), *last.values()], [*handles, *last])
    return made


def _events(cells: Sequence[Any], r: Any) -> None:
    """Mark events by lines; in the first panel by words, where there is room for one."""
    room, last = 0.03 * (r.t[-1] - r.t[0]), -np.inf
    at = {"xycoords": ("data", "axes fraction"), "rotation": 90, "va": "bottom", "ha": "center"}
    for event in r.events[:50]:
        for axis in cells:
            axis.axvline(event.time, color="#c24d45", linewidth=0.5, linestyle=":", alpha=0.7)
        if event.time - last >= room:
            last = event.time
            cells[0].annotate(plain(event.name), (last, 1.01), fontsize=6, color="#c24d45", **at)


def _dashes() -> Any:
    """Return the mark of goals in the legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color="#8a94a3", linestyle="--", linewidth=0.8)


def _energy(axis: Any, r: Any) -> None:
    kinds = {"kinetic": "-", "potential": "--", "sum": "-"}
    values = (r.kinetic_energy, r.potential_energy, r.energy)
    tones = ("#8a94a3", "#8a94a3", "#4573b8")
    for (name, dash), y, tone in zip(kinds.items(), values, tones, strict=True):
        axis.plot(r.t, y, dash, color=tone, linewidth=1.3, label=name)
    axis.set_ylabel("energy  [J]")
    axis.legend(fontsize=7, loc="lower right", bbox_to_anchor=(1, 0.98), ncols=3, borderpad=0)


def _phase(r: Any, joints: Sequence[str] | None) -> Any:
    names = [n for n in r.m.rate_names if n in r.m.coordinate_names]
    which = _chosen(names, joints)
    if not which:
        raise UsageError("no joint with one coordinate to draw", hint="joints: an angle or length")
    units = dict(zip(r.m.rate_names, rate_units(r.m), strict=True))
    columns = min(4, int(np.ceil(np.sqrt(len(which)))))
    rows = -(-len(which) // columns)
    size = (2.7 * columns + 0.6, 2.4 * rows + 0.6)
    made, axes = figure(rows, columns, f"{r.m.name}: phase planes", size)
    for axis, k, color in zip(axes.flat, which, colors(len(which)), strict=False):
        n = names[k]
        q = r.q[:, r.m.coordinate_names.index(n)]
        qd = r.qd[:, r.m.rate_names.index(n)]
        axis.plot(q, qd, color=color, linewidth=1.2)
        axis.plot(q[:1], qd[:1], "o", color=color, markersize=4)
        unit = units[n]
        axis.set_title(plain(n))
        axis.set_xlabel(f"[{unit}]")
        axis.set_ylabel(f"[{unit}/s]")
    for axis in list(axes.flat)[len(which) :]:
        axis.set_visible(False)
    return made


def _path(r: Any, joints: Sequence[str] | None) -> Any:
    """Return the ways of the last bodies, seen from above."""
    m = r.m
    carried = {b.parent for b in m.bodies}
    ends = [b.name for j, b in enumerate(m.bodies) if j not in carried][:6]
    if m.wheels:
        ends = list(dict.fromkeys(m.bodies[w.body].name for w in m.wheels))[:6]
    made, axes = figure(1, 1, f"{m.name}: paths", (6.4, 5.2))
    axis = axes[0, 0]
    for name, color in zip(ends, colors(len(ends)), strict=True):
        p = r.quantity("pose", frame=name)[:, :3, 3]
        axis.plot(p[:, 0], p[:, 1], color=color, label=plain(name))
        axis.plot(p[:1, 0], p[:1, 1], "o", color=color, markersize=4)
    axis.set_aspect("equal", adjustable="datalim")
    axis.set_xlabel("x  [m]")
    axis.set_ylabel("y  [m]")
    axis.legend(fontsize=8)
    return made
