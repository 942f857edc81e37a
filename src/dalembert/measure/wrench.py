"""Measured forces from outside: a wrench per sample, in the axes of a frame or in world axes.

Arrays are in the axes of their frame, at its origin. Files and tables are in world axes, at the
frame's origin, or at a measured point (the centre of pressure of a force plate) if they hold one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..compute import evaluate
from ..compute.wrenches import at_frames, given_wrench
from ..errors import DescriptionError, Place, UsageError, shown
from ..mechanism import Mechanism
from .columns import column, parse_columns
from .motion import SHORT_GAP
from .table import Table, read_table, some

Array = np.ndarray
FORCE = ("fx", "fy", "fz", "mx", "my", "mz")
POINT = ("px", "py", "pz")
UNIT = {"f": "N", "m": "N m", "p": "m"}
GROUPS = tuple(UNIT)  # of three heads each
ROUNDING = 1e-6  # of a step: times that differ by less are the same


def wrench_rows(
    m: Mechanism, t: Array, q: Array, on_environment: Any, on_body: Any
) -> tuple[Any, tuple[str, ...]]:
    """Return the wrench of each link on the environment for every sample, or None, and notes.

    A table names its frames in its heads: `foot.fx ... foot.mz`, and `foot.px foot.py foot.pz`.
    """
    given, sign = given_wrench(on_environment, on_body)
    if given is None:
        return None, ()
    if isinstance(given, str | Path | Table):
        given = dict.fromkeys(frames_of(m, table := read_table(given)), table)
    if not isinstance(given, Mapping):
        array = np.asarray(given, dtype=float)
        if array.ndim < 2 or array.shape[-2:] != (len(m.bodies), 6):
            raise UsageError(
                f"the wrenches have shape {array.shape}, expected (..., {len(m.bodies)}, 6)",
                hint='six numbers per body, or a mapping: {"foot": table}',
            )
        return sign * array, ()
    tables = {str(frame): _table(x) for frame, x in given.items()}
    rows = {f: _rows(m, t, q, f, x) for f, x in tables.items()}
    return sign * at_frames(m, rows), _held_notes(t, tables)


def frames_of(m: Mechanism, table: Table) -> list[str]:
    """Return the frames whose wrench a table holds; a head that names none is an error."""
    heads = [h for h in table.heads if h.rpartition(".")[2] in FORCE]
    names = list(dict.fromkeys(h.rpartition(".")[0] for h in heads))
    if not names:
        own = "t, foot.fx, foot.fy, foot.fz, foot.mx, foot.my, foot.mz"
        heads_here = f"heads: {own}; here: {some(table.heads)}"
        raise DescriptionError(
            "the table holds no wrench",
            where=Place(table.source),
            hint=f"{heads_here}; other names are mapped: wrench_on_body={{'foot': (file, "
            "{'f': 'F'})} reads Fx, Fy, Fz",
            command=f"{heads_here}; other names are mapped: --columns foot.f=F reads Fx, Fy, Fz",
        )
    for name in names:
        m.frame(name)
    return names


def renamed(table: Table, heads: Mapping[str, str]) -> Table:
    """Return a table with our heads: {"f": "ground_force_v"} stands for its x, y and z."""
    known = (*GROUPS, *FORCE, *POINT)
    made: dict[str, Array] = {"t": table.times()}
    for name, head in heads.items():
        if name not in known:
            raise UsageError(
                f"{shown(str(name))!r} is no part of a wrench",
                hint="f, m and p, or " + some(known[3:]),
            )
        if name in GROUPS:
            made |= {
                f"{name}{x}": column(table, _with_axis(str(head), x), UNIT[name]) for x in "xyz"
            }
        else:
            made[name] = column(table, str(head), UNIT[name[0]])
    return Table(table.source, made, table.degrees, table.notes)


def _with_axis(head: str, axis: str) -> str:
    """Return `force_v:kN` -> `force_vx:kN`: the axis stands before the steps."""
    name, colon, steps = head.partition(":")
    return f"{name}{axis}{colon}{steps}"


def tables_of(given: Any) -> Any:
    """Return wrenches whose files are read, for use again and again."""
    if isinstance(given, str | Path):
        return read_table(given)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str | Path):
        return read_table(given[0]), given[1]
    if isinstance(given, Mapping):
        return {name: tables_of(value) for name, value in given.items()}
    return given


def with_wrench_heads(m: Mechanism, file: Any, columns: Any) -> tuple[Any, Any]:
    """Return what `wrench_on_body` takes, and the columns left for the motion.

    `foot.f=ground_force_v` in a map of columns names heads of the wrench file, not of the motion.
    """
    if file is None or columns is None:
        return file, columns
    both = parse_columns(columns) if isinstance(columns, str) else dict(columns)
    heads: dict[str, dict[str, str]] = {}
    for name in [n for n in both if n not in m.coordinate_names]:
        frame, _, part = name.rpartition(".")
        if frame in m.frames and part in (*GROUPS, *FORCE, *POINT):
            heads.setdefault(frame, {})[part] = both.pop(name)
    given = {f: (file, own) for f, own in heads.items()} if heads else file
    return given, both or None


def _table(value: Any) -> Any:
    """Return the table of a wrench that is given as one, with our heads; others as they are."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], Mapping):
        return renamed(read_table(value[0]), value[1])
    return read_table(value) if isinstance(value, str | Path | Mapping) else value


def _held_notes(t: Array, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return notes on tables whose first or last value holds beyond their times."""
    found: dict[tuple[str, str], list[str]] = {}
    for frame, table in given.items():
        if not isinstance(table, Table):
            continue
        own = table.times()
        small = ROUNDING * float(np.median(np.diff(own)))
        short = {"before": own[0] > t[0] + small, "after": own[-1] < t[-1] - small}
        sides = " and ".join(side for side, is_short in short.items() if is_short)
        if sides:
            span = f"from {own[0]:.6g} to {own[-1]:.6g} s"
            found.setdefault((span, sides), []).append(shown(frame))
    return tuple(
        f"wrench on {', '.join(frames[:8])} is given {span}, and held {sides}"
        for (span, sides), frames in found.items()
    )


def _rows(m: Mechanism, t: Array, q: Array, frame: str, value: Any) -> Array:
    """Return the wrench on a frame, in its axes, at its origin: (n, 6)."""
    if isinstance(value, Table):
        return _from_table(m, t, q, frame, value)
    if isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 1:
        raise UsageError(
            f"the wrench on {shown(frame)!r} is a pair of times and rows, which simulate takes",
            hint=f"a row for each of the {len(t)} samples, or a table in world axes: "
            '{"t": times, "fx": ..., "mz": ...}',
        )
    six = np.asarray(value, dtype=float)
    if six.shape not in ((6,), (len(t), 6)):
        raise UsageError(
            f"the wrench on {shown(frame)!r} has shape {six.shape}",
            hint=f"six numbers, or a row for each of the {len(t)} samples",
        )
    return np.broadcast_to(six, (len(t), 6))


def _from_table(m: Mechanism, t: Array, q: Array, frame: str, table: Table) -> Array:
    heads = {n: n if n in table.columns else f"{frame}.{n}" for n in (*FORCE, *POINT)}
    columns = {n: table.columns[h] for n, h in heads.items() if h in table.columns}
    if not any(n in columns for n in FORCE):
        raise DescriptionError(
            f"the table holds no force on {shown(frame)!r}",
            where=Place(table.source),
            hint=f"heads: t, {frame}.fx ... {frame}.mz; here: {some(table.heads)}",
        )
    some_points = [n for n in POINT if n in columns]
    if some_points and len(some_points) < 3:
        raise DescriptionError(
            f"the point of {shown(frame)!r} lacks a coordinate", where=Place(table.source),
            hint="px, py and pz belong together",
        )  # fmt: skip
    named = [h for h in table.heads if h.startswith(f"{frame}.") and h not in heads.values()]
    strange = [
        h for h in named if not any(h.startswith(f"{x}.") for x in m.frames if len(x) > len(frame))
    ]
    if strange:
        raise DescriptionError(
            f"{shown(strange[0])!r} is no part of a wrench", where=Place(table.source),
            hint=f"parts: {', '.join((*FORCE, *POINT))}",
        )  # fmt: skip
    own = _times(table, t)

    def at(name: str) -> Array:
        return np.interp(t, own, columns[name]) if name in columns else np.zeros(len(t))

    force = np.stack([at(n) for n in FORCE[:3]], axis=1)
    couple = np.stack([at(n) for n in FORCE[3:]], axis=1)
    missing = ~np.isfinite(np.concatenate([force, couple], axis=1)).all(axis=1)
    if missing.any():
        raise DescriptionError(
            f"the wrench on {shown(frame)!r} is missing in {missing.sum()} of {len(t)} samples of "
            f"the motion, first at t = {t[missing.argmax()]:g} s", where=Place(table.source),
            hint="fill the gap, with zeros where nothing touches, or cut the motion: d[a:b]",
        )  # fmt: skip
    pose = evaluate(m, "pose", q, frame=frame)
    R, origin = pose[..., :3, :3], pose[..., :3, 3]
    if some_points:
        point = np.stack([at(n) for n in POINT], axis=1)
        # a plate without load has no centre of pressure: no force, no moment
        unknown = ~np.isfinite(point).all(axis=1)
        unloaded = unknown & (np.abs(force).max(axis=1) == 0)
        if (lost := unknown & ~unloaded).any():
            when = t[lost.argmax()]
            raise DescriptionError(
                f"the point of the force on {shown(frame)!r} is missing at t = {when:g} s",
                where=Place(table.source),
                hint="give px, py and pz wherever there is a force",
            )
        couple = couple + np.cross(np.where(unloaded[:, None], origin, point) - origin, force)
    turned = [np.einsum("nji,nj->ni", R, x) for x in (force, couple)]  # Rᵀ: world to frame axes
    return np.concatenate(turned, axis=1)


def _times(table: Table, t: Array) -> Array:
    """Return the times of a wrench table, which must cover those of the motion without a hole."""
    own = table.times()
    apart = np.diff(own)
    if not len(apart) or not (apart > 0).all():
        raise DescriptionError("the times do not increase", where=Place(table.source))
    usual = float(np.median(apart))
    last = 1.01 * usual  # the last sample holds until the next one would come
    if own[0] > t[0] + last or own[-1] < t[-1] - last:
        raise DescriptionError(
            f"the wrenches go from t = {own[0]:g} to {own[-1]:g} s, the motion from "
            f"{t[0]:g} to {t[-1]:g} s",
            where=Place(table.source),
            hint="cut the motion to the times that were measured: d[a:b]",
        )
    hole = (apart > max(SHORT_GAP, 5 * usual)) & (own[1:] > t[0]) & (own[:-1] < t[-1])
    if hole.any():
        k = int(hole.argmax())
        raise DescriptionError(
            f"there is no wrench from t = {own[k]:g} to {own[k + 1]:g} s",
            where=Place(table.source, k + 3),
            hint="fill the gap, with zeros where nothing touches, or cut the motion: d[a:b]",
        )
    return own
