"""A motion as plain data for the player: coordinates, plots with their units, events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import DalembertError, UsageError, shown
from ..mechanism import Mechanism
from .bodies import floating
from .pose import in_numbers, limits_of, whole

Array = np.ndarray
NUMBERS = 60_000  # of a motion that a page holds; longer ones are thinned
LINES = 40  # of one plot
REACTIONS = 40  # bodies up to which the forces that joints carry are part of a page
LENGTHS = {"free": 3, "planar": 2, "prismatic": 1}  # how many coordinates, from the first on


def coordinates(m: Mechanism, rates: bool = False) -> list[tuple[str, str]]:
    """Return (label, "angle" | "length" | "number") of each entry of q, or of qd."""
    names, kinds = m.rate_names if rates else m.coordinate_names, []
    for b in m.bodies:
        count = b.joint.nv if rates else b.joint.nq
        lengths = LENGTHS.get(b.joint.kind, 0)
        turned = "number" if not rates and b.joint.kind in ("free", "spherical") else "angle"
        kinds += ["length"] * lengths + [turned] * (count - lengths)
    return list(zip(names, kinds, strict=True))


def motion(
    m: Mechanism,
    t: Any,
    q: Any,
    tau: Any = None,
    names: Sequence[str] = (),
    *,
    events: Sequence[Any] = (),
    energy: Any = None,
    effort: Any = None,
    steer: Mapping[str, Any] | None = None,
    reactions: Any = None,
    note: str = "",
) -> dict[str, Any]:
    """Return the data of a motion: times, coordinates, and plots of them and of the forces."""
    t, q = np.asarray(t, dtype=float), np.asarray(q, dtype=float)
    m, q = whole(m, q)
    if q.ndim != 2 or t.ndim != 1 or len(t) != len(q):
        raise UsageError(
            "a view shows one motion, not a batch", hint="choose one: result.state(k).show()"
        )
    if q.shape[1] != m.nq or not len(t):
        raise UsageError(
            f"a motion of {q.shape[1]} coordinates, the mechanism has {m.nq}",
            hint="rows are times, columns all coordinates of the tree",
        )
    keep = _kept(len(t), q.shape[1])
    if len(keep) < len(t):
        thinned = f"the page holds {len(keep)} of {len(t)} times"
        note = f"{note}; {thinned}" if note else thinned
    plots = _coordinate_plots(m, q[keep])
    plots += _force_plots(m, tau, names, keep, effort)
    if energy is not None:
        row = _plot("energy", "J", ["energy"], np.asarray(energy, dtype=float)[keep][:, None])
        plots.append(row)
    return {
        "t": _short(t[keep]),
        "q": [_short(row, 12) for row in q[keep]],
        "plots": plots,
        "steer": {n: _short(np.asarray(x, dtype=float)[keep]) for n, x in (steer or {}).items()},
        "events": [{"time": float(e.time), "name": shown(e.name, 60)} for e in events[:200]],
        "forces": _arrows(m, tau, names, keep),
        "reactions": _reactions(m, reactions, keep),
        "note": shown(note, 400),
    }


def _kept(count: int, width: int) -> Array:
    most = max(2, NUMBERS // max(1, width))
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, most).round().astype(int))


def _short(row: Array, digits: int = 9) -> list[float | None]:
    return [float(f"{x:.{digits}g}") if np.isfinite(x) else None for x in row]


def _plot(title: str, unit: str, names: Sequence[str], columns: Array) -> dict[str, Any]:
    return {
        "title": title,
        "unit": unit,
        "names": [shown(n, 40) for n in names[:LINES]],
        "columns": [_short(c, 6) for c in columns.T[:LINES]],
    }


def _coordinate_plots(m: Mechanism, q: Array) -> list[dict[str, Any]]:
    kinds = {"angle": ("angles", "deg", 180 / np.pi), "length": ("lengths", "m", 1.0)}
    labels, limits, out = coordinates(m), limits_of(m), []
    for kind, (title, unit, scale) in kinds.items():
        own = [k for k, (_, found) in enumerate(labels) if found == kind]
        # of a long motion that never stands still, only what moves is worth a line
        own = [k for k in own if np.ptp(q[:, k]) > 0] or own
        if own:
            made = _plot(title, unit, [labels[k][0] for k in own], scale * q[:, own])
            if len(own) <= 8:
                made["limits"] = [
                    [None if x is None else scale * x for x in limits[k]] for k in own
                ]
            out.append(made)
    return out


def _force_plots(
    m: Mechanism, tau: Any, names: Sequence[str], keep: Array, effort: Any
) -> list[dict[str, Any]]:
    if tau is None or not len(names):
        return []
    tau = np.asarray(tau, dtype=float)[keep]
    kinds = dict(coordinates(m, rates=True))
    out = []
    for kind, title, unit in (("angle", "torques", "N m"), ("length", "forces", "N")):
        own = [k for k, n in enumerate(names) if kinds.get(n, "angle") == kind]
        if not own:
            continue
        made = _plot(title, unit, [names[k] for k in own], tau[:, own])
        if effort is not None and len(own) <= 8:
            top = np.asarray(effort, dtype=float)
            made["limits"] = [
                [-top[k], top[k]] if np.isfinite(top[k]) else [None, None] for k in own
            ]
        out.append(made)
    return out


def _arrows(m: Mechanism, tau: Any, names: Sequence[str], keep: Array) -> dict[str, Any] | None:
    """Return the forces of joints with one freedom, to be drawn about their axes."""
    if tau is None or not len(names):
        return None
    bodies = {m.rate_names[m.velocity_index[j]]: j for j, b in enumerate(m.bodies)
              if b.joint.nv == 1}  # fmt: skip
    own = [k for k, n in enumerate(names) if n in bodies]
    values = np.asarray(tau, dtype=float)[keep][:, own]
    return {"joints": [bodies[names[k]] for k in own], "tau": [_short(row, 5) for row in values]}


def _reactions(m: Mechanism, wrenches: Any, keep: Array) -> dict[str, Any] | None:
    """Return the force that each joint carries, as the parent gives it to the link."""
    if wrenches is None:
        return None
    hidden = floating(in_numbers(m))
    own = [j for j, b in enumerate(m.bodies) if j not in hidden and b.joint.kind != "free"]
    force = np.asarray(wrenches, dtype=float)[keep][:, own, :3]
    top = float(np.linalg.norm(np.nan_to_num(force), axis=-1).max(initial=0.0))
    if not top > 0:
        return None
    rows = [[_short(f, 5) for f in row] for row in force]
    return {"bodies": own, "force": rows, "top": top}


def _wrenches(m: Mechanism, q: Array, wanted: Callable[[], Array]) -> Array | None:
    """Return the wrenches along a motion, None where the machine or the page has none of them."""
    if m.followers or q.ndim != 2 or len(m.bodies) > REACTIONS:
        return None
    try:
        return wanted()
    except DalembertError:  # a singular pose, or wheels without motors: the page shows the rest
        return None


def of_simulation(r: Any) -> dict[str, Any]:
    """Return the motion of a simulation, with its forces, energy and events."""
    tau = names = None
    if r.q.ndim == 2 and r.observe is not None and len(r.forces):
        tau, names = r.tau, r.forces
        if not np.abs(tau).max(initial=0.0) > 0:
            tau = None  # nothing pushes
    energy = r.energy if r.q.ndim == 2 else None
    return motion(
        r.m, r.t, r.q, tau, names or (), events=r.events, energy=energy,
        reactions=_wrenches(r.m, r.q, lambda: r.quantity("link_wrenches")),
        note=f"ended by {r.stopped}" if r.stopped else "",
    )  # fmt: skip


def of_torques(r: Any) -> dict[str, Any]:
    """Return the motion of forces along a trajectory, with limits."""
    from ..compute import evaluate

    def wrenches() -> Array:
        found: Array = evaluate(r.m, "link_wrenches", r.q, r.qd, r.qdd)
        return found

    return motion(r.m, r.t, r.q, r.tau, r.names, effort=r.effort,
                  reactions=_wrenches(r.m, r.q, wrenches))  # fmt: skip


def of_measured(d: Any) -> dict[str, Any]:
    """Return a measured motion, with its forces; samples in gaps are left out."""
    whole = np.isfinite(d.q).all(axis=1)
    tau = None if d.tau is None else d.tau[whole]
    note = f"{len(d.gaps)} gaps in the samples" if d.gaps else ""
    return motion(d.m, d.t[whole], d.q[whole], tau, d.m.rate_names, note=note)
