"""The task that every design does: a motion of the joints, or poses of a frame in time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from ..compute import neutral
from ..compute.bounds import bounds
from ..compute.reach import REACHED, reach
from ..errors import Place, UsageError, closest, shown
from ..expr import Graph
from ..expr.exact import to_float
from ..measure.columns import require_own
from ..measure.motion import MeasuredMotion
from ..mechanism import Mechanism, is_closed, is_rolling
from ..mechanism.units import coordinate_units
from ..read.document import inside
from ..read.expressions import Unit, expression
from .follow import Motion, arrived, drives, first_pose, followed, motors, require_followed

Array = np.ndarray
SAMPLES = 100
MOST_ROWS = 20_000  # of a motion that is taken as it is
KEYS = ("motion", "joint_moves", "poses", "samples", "start")
MOVE, POSE = ("from", "to", "time"), ("frame", "point", "time")


class Moves(Protocol):
    """A motion over time, such as a trajectory."""

    def __call__(self, t: Any) -> Array:
        """Return the coordinates."""

    def qd(self, t: Any) -> Array:
        """Return their rates."""

    def qdd(self, t: Any) -> Array:
        """Return their accelerations."""


Task = Mapping[str, Any] | Moves | MeasuredMotion | tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class TaskMotion:
    """What the joints of some designs do, (designs or 1, samples, n), and why some cannot."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    reason: Array  # (designs,) of texts; "" where the task can be done


def checked_task(
    m: Mechanism, task: Any, where: Place | None, varied: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the task as plain data, with a motion table read in.

    Limits that depend on parameters that are `varied` are judged for each design.
    """
    if not isinstance(task, Mapping):
        require_own(m, task)
        task = _of_python(task)
    only_keys("a task", task, KEYS, where)
    kinds = [k for k in ("motion", "joint_moves", "poses") if task.get(k)]
    if len(kinds) != 1:
        raise UsageError(
            "a task is one of motion, joint_moves and poses", where,
            hint="joint_moves = [{ from = [0, 0], to = [1, 0.5], time = 0.8 }]",
        )  # fmt: skip
    samples = task.get("samples", MOST_ROWS if kinds[0] == "motion" else SAMPLES)
    if isinstance(samples, bool) or not isinstance(samples, int) or not 2 <= samples <= 100_000:
        at = inside(where, "samples")
        raise UsageError(f"task: samples = {shown(repr(samples))}", at, hint="2 or more, as 100")
    require_followed(m)
    if "start" in task and kinds[0] != "poses":
        raise UsageError("a task has a start with poses alone", where, hint="leave out `start`")
    out: dict[str, Any] = {"samples": samples}
    if kinds[0] == "motion":
        out["motion"] = _table(m, task["motion"], samples, "samples" in task, where)
        out["samples"] = len(out["motion"]["t"])
        if not isinstance(task["motion"], Mapping):
            out["measured"] = True  # its rates were differentiated
    elif m.nq != m.nv and not is_closed(m):
        raise UsageError(
            f"{kinds[0]} are for joints with one coordinate each", where, hint='motion = "file.csv"'
        )
    elif kinds[0] == "joint_moves":
        moves: list[dict[str, Any]] = []
        at = inside(where, "joint_moves")
        for k, x in enumerate(_list(task["joint_moves"], samples, at)):
            moves.append(_move(m, x, moves, inside(at, k)))
        for k, x in enumerate(moves):
            _require_within(m, x, varied, inside(at, k))
        out["joint_moves"] = moves
    else:
        if is_rolling(m):
            raise UsageError("a task on wheels moves the motors", where, hint="joint_moves = [...]")
        at = inside(where, "poses")
        poses = enumerate(_list(task["poses"], samples, at))
        out["poses"] = [_pose(m, x, inside(at, k)) for k, x in poses]
        start = task.get("start")
        out["start"] = (
            None if start is None else _numbers(start, _units(m), "start", inside(where, "start"))
        )
    return out


def _of_python(task: Any) -> dict[str, Any]:
    """Return a task from what Python users have: a Trajectory, a measured motion, (t, q, ...)."""
    if hasattr(task, "times") and callable(task):
        t = task.times(SAMPLES)
        return {"motion": {"t": t, "q": task(t), "qd": task.qd(t), "qdd": task.qdd(t)}}
    if isinstance(task, MeasuredMotion):
        return {"motion": task}
    if all(hasattr(task, n) for n in ("t", "q", "qd", "qdd")):
        return {"motion": {n: getattr(task, n) for n in ("t", "q", "qd", "qdd")}}
    if isinstance(task, tuple) and len(task) == 4:
        return {"motion": dict(zip(("t", "q", "qd", "qdd"), task, strict=True))}
    raise UsageError(
        f"a task is not {type(task).__name__}",
        hint='{"joint_moves": [...]}, a trajectory, or a motion of read_motion',
    )


def only_keys(
    what: str, given: Mapping[str, Any], keys: Sequence[str], where: Place | None
) -> None:
    """Raise UsageError where a table holds a key that nothing reads."""
    for key in given:
        if key not in keys:
            raise UsageError(
                f"{what} has no {shown(str(key))!r}",
                inside(where, str(key)),
                hint=closest(str(key), keys),
            )


def _list(given: Any, samples: int, where: Place | None) -> Sequence[Any]:
    """Return moves or poses; each has a sample or more."""
    if (
        not isinstance(given, list | tuple)
        or not given
        or not all(isinstance(x, Mapping) for x in given)
    ):
        raise UsageError("a list of moves is needed", where, hint="[{ to = [1, 0.5], time = 0.8 }]")
    if len(given) > samples:  # some would not be looked at
        raise UsageError(
            f"{len(given)} moves or poses are looked at in {samples} samples", where,
            hint=f"samples = {10 * len(given)}, or fewer of them",
        )  # fmt: skip
    return given


def _numbers(
    given: Any, units: Sequence[Unit], what: str, where: Place | None, names: Sequence[str] = ()
) -> list[float]:
    """Return a number for each of the units; texts may have one."""
    size, own = len(units), given
    try:
        if isinstance(given, list | tuple) and len(given) == size:
            own = [_number(v, where, u) for v, u in zip(given, units, strict=True)]
        if np.asarray(own).dtype == bool or any(isinstance(v, bool | np.bool_) for v in own):
            raise TypeError
        x = np.asarray(own, dtype=float)
    except (TypeError, ValueError, OverflowError):
        x = np.zeros(0)
    if x.shape != (size,) or not np.isfinite(x).all():
        told = f"{size} numbers" + (": " + ", ".join(map(shown, names[:12])) if names else "")
        raise UsageError(f"{what} = {shown(repr(given), 60)}", where, hint=told)
    return [float(v) for v in x]


def _number(given: Any, where: Place | None, unit: Unit) -> Any:
    """Return a number from a text such as "45deg"; anything else as it is."""
    if not isinstance(given, str):
        return given
    at = where or Place("<task>")
    column = at.text.find(given, at.column - 1) + 1
    at = Place(at.source, at.line, column or 1, at.text if column else "")
    return to_float(expression(given, Graph(), at, known=(), unit=unit))


def _units(m: Mechanism) -> list[Unit]:
    """Return which units the texts of each coordinate may have."""
    kinds: dict[str, Unit] = {"m": "length", "rad": "angle", "1": "number"}
    return [kinds[u] for u in coordinate_units(m)]


def _time(given: Mapping[str, Any], where: Place | None) -> float:
    x = given.get("time", 1.0)
    if isinstance(x, bool) or not isinstance(x, int | float) or not 1e-9 < x < 1e9:
        raise UsageError(f"time = {shown(repr(x))}", inside(where, "time"), hint="seconds, as 0.8")
    return float(x)


def _move(
    m: Mechanism, given: Mapping[str, Any], before: Sequence[Mapping[str, Any]], where: Place | None
) -> dict[str, Any]:
    """Return a move as plain data; without `from` it begins where the one before it ends."""
    only_keys("a move", given, MOVE, where)
    names = [m.coordinate_names[k] for k in motors(m)]
    units = [_units(m)[k] for k in motors(m)]
    start = before[-1]["to"] if before else [0.0] * len(names)
    made = {
        "from": _numbers(given.get("from", start), units, "from", inside(where, "from"), names),
        "to": _numbers(given.get("to"), units, "to", inside(where, "to"), names),
    }
    return {**made, "time": _time(given, where)}


def _require_within(
    m: Mechanism, move: Mapping[str, Any], varied: Iterable[str], where: Place | None
) -> None:
    """Raise UsageError where a move leaves the limits of a joint: no design could do it."""
    (low,), (high,) = bounds(m, {n: np.array([np.nan]) for n in varied})
    ends = [(key, k, x) for key in ("from", "to")
            for k, x in zip(motors(m), move[key], strict=True)]  # fmt: skip
    for key, k, value in ends:
        if not low[k] - 1e-9 <= value <= high[k] + 1e-9:
            raise UsageError(
                f"{key}: {shown(m.coordinate_names[k])} = {value:g} lies outside its limits, "
                f"{low[k]:g} to {high[k]:g}", inside(where, key),
                hint="angles are in rad, lengths in m",
            )  # fmt: skip


def _pose(m: Mechanism, given: Mapping[str, Any], where: Place | None) -> dict[str, Any]:
    only_keys("a pose", given, POSE, where)
    frame = str(given.get("frame", "tip"))
    m.frame(frame)
    at = inside(where, "point")
    point = _numbers(given.get("point"), ["length"] * 3, "point", at)
    return {"frame": frame, "point": point, "time": _time(given, where)}


def _table(
    m: Mechanism, given: Any, samples: int, thinned: bool, where: Place | None
) -> dict[str, Any]:
    """Return a motion as lists: all its rows, or as many as were asked for."""
    if not isinstance(given, Mapping):
        from ..measure.motion import read_motion

        d = given if isinstance(given, MeasuredMotion) else read_motion(given, m)
        require_own(m, d)
        given = {n: getattr(d, n) for n in ("t", "q", "qd", "qdd")}
    arrays = _arrays(m, given, where)
    t, count = arrays["t"], len(arrays["t"])
    table = np.concatenate([x.reshape(count, -1) for x in arrays.values()], axis=1)
    if not (whole := np.isfinite(table).all(axis=1)).all():
        raise UsageError(
            f"the motion of a task has a gap at t = {t[whole.argmin()]:g} s", where,
            hint="give a stretch without gaps: d[a:b]", command="cut the file where it has none",
        )  # fmt: skip
    if count > samples and not thinned:
        raise UsageError(
            f"the motion of a task has {count} samples", where,
            hint=f"samples = {samples} beside it takes as many, and may miss a peak",
        )  # fmt: skip
    rows = np.unique(np.linspace(0, len(arrays["t"]) - 1, samples).round().astype(int))
    return {n: x[rows].tolist() for n, x in arrays.items()}


def _arrays(m: Mechanism, given: Mapping[str, Any], where: Place | None) -> dict[str, Array]:
    """Return the times and the rows of a motion, each of the shape that the mechanism has."""
    columns = {"t": 1, "q": m.nq, "qd": m.nv, "qdd": m.nv}
    only_keys("the motion of a task", given, (*columns,), where)
    arrays: dict[str, Array] = {}
    for n, size in columns.items():
        x = np.asarray(given.get(n))
        count = len(arrays.get("t", x)) if x.ndim else 0
        wanted = (count,) if n == "t" else (count, size)
        if x.dtype.kind not in "fiu" or x.shape != wanted or not count:
            raise UsageError(
                f"the motion of a task: {n} has shape {x.shape} of {x.dtype}", where,
                hint="times t (n), and for each of them a row of numbers of q, qd and qdd: "
                f"(n, {m.nq}), (n, {m.nv}), (n, {m.nv})",
            )  # fmt: skip
        arrays[n] = x.astype(float)
    if len(arrays["t"]) < 2 or (np.diff(arrays["t"]) <= 0).any():
        raise UsageError("the times of a task do not increase", where, hint="two or more, in order")
    return arrays


# -- the motion of some designs ------------------------------------------------------------------


def motion_of(m: Mechanism, task: dict[str, Any], designs: dict[str, Array]) -> TaskMotion:
    """Return what the joints do, for all designs at once."""
    count = len(next(iter(designs.values())))
    fine = np.full(count, "", dtype=object)
    if "motion" in task:
        arrays = {n: np.array(x) for n, x in task["motion"].items()}
        t, q, qd, qdd = arrays["t"], *(arrays[n][None] for n in ("q", "qd", "qdd"))
        if is_closed(m):  # other designs close elsewhere: their motors move as the table says
            led = q[..., motors(m)], qd[..., drives(m)], qdd[..., drives(m)]
            return _within(m, designs, t, followed(m, designs, t, led, q[0, 0]))
        return _within(m, designs, t, ((q, qd, qdd), fine))
    if "joint_moves" in task:
        ends = [(np.array(x["from"])[None], np.array(x["to"])[None], x["time"])
                for x in task["joint_moves"]]  # fmt: skip
        t, q, qd, qdd = _moves(ends, task["samples"])
        if is_closed(m):
            return _within(m, designs, t, followed(m, designs, t, (q, qd, qdd)))
        return _within(m, designs, t, ((q, qd, qdd), fine))
    return _reached(m, task, designs, fine)


def _within(
    m: Mechanism, designs: dict[str, Array], t: Array, made: tuple[Motion, Array]
) -> TaskMotion:
    """Return a motion that was followed; joints that are not motors have limits too."""
    (q, qd, qdd), reason = made
    low, high = (x[:, None, :] for x in bounds(m, designs))
    beyond = ((q < low - 1e-9) | (q > high + 1e-9)).any(axis=(1, 2))
    reason[beyond & (reason == "")] = "limit"
    return TaskMotion(t, q, qd, qdd, reason)


def _moves(ends: list[tuple[Array, Array, float]], samples: int) -> tuple[Array, ...]:
    """Return quintic moves, one after the other, each at rest at its ends."""
    total = sum(T for _, _, T in ends)
    t = np.linspace(0, total, samples)
    stops = np.cumsum([0.0, *(T for _, _, T in ends)])
    which = np.clip(np.searchsorted(stops, t, side="right") - 1, 0, len(ends) - 1)
    lead = np.broadcast_shapes(*(a.shape[:-1] for a, _, _ in ends))
    size = ends[0][0].shape[-1]
    out = [np.zeros((*lead, samples, size)) for _ in range(3)]
    for k, (a, b, T) in enumerate(ends):
        at = which == k
        x = (t[at] - stops[k]) / T
        s = (10 * x**3 - 15 * x**4 + 6 * x**5, (30 * x**2 - 60 * x**3 + 30 * x**4) / T,
             (60 * x - 180 * x**2 + 120 * x**3) / T**2)  # fmt: skip
        way = (b - a)[..., None, :]
        out[0][..., at, :] = a[..., None, :] + way * s[0][:, None]
        out[1][..., at, :] = way * s[1][:, None]
        out[2][..., at, :] = way * s[2][:, None]
    return (t, *out)


def _reached(
    m: Mechanism, task: dict[str, Any], designs: dict[str, Array], reason: Array
) -> TaskMotion:
    """Return joint moves between poses, found for all designs at once."""
    count, at = len(reason), motors(m)
    usual = first_pose(m) if is_closed(m) else neutral(m)
    q = np.tile(np.array(usual if task["start"] is None else task["start"], float), (count, 1))
    stops = []
    for pose in task["poses"]:
        q, left = reach(m, designs, q, pose["frame"], np.array(pose["point"]))
        reason[(left > REACHED) & (reason == "")] = "not reachable"
        stops.append((q.copy(), pose["time"]))
    ends = [(a[:, at], b[:, at], T) for (a, _), (b, T) in pairwise(stops)]
    if not ends:  # one pose alone is held
        ends = [(stops[0][0][:, at], stops[0][0][:, at], stops[0][1])]
    t, q, qd, qdd = _moves(ends, task["samples"])
    if is_closed(m):
        (q, qd, qdd), found = followed(m, designs, t, (q, qd, qdd), stops[0][0])
        reason = np.where(reason == "", found, reason)
        times = np.cumsum([0.0, *(T for _, T in stops[1:])])
        for (stop, _), when, pose in zip(stops, times, task["poses"], strict=True):
            near = q[:, int(np.abs(t - when).argmin())].copy()
            near[:, at] = stop[:, at]
            there = arrived(m, designs, near, pose["frame"], np.array(pose["point"]))
            reason[~there & (reason == "")] = "not reachable"  # in another way of assembly
    return _within(m, designs, t, ((q, qd, qdd), reason))
