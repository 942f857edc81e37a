"""A measured motion of a mechanism: samples in, coordinates, rates and accelerations out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..door import doors
from ..errors import DescriptionError, Place, UsageError, shown
from ..mechanism import Mechanism, joint_name, require_mechanism
from .clock import FEWEST, in_order, spacing, spikes
from .columns import assigned, perhaps_degrees, used_heads
from .smooth import Smoothed, smooth_all
from .spread import Part, Spread
from .table import read_table, some, write_table
from .turning import free_rates, is_quaternion, quaternion_rates, same_sign

Array = np.ndarray
SHORT_GAP = 0.2  # seconds
MOST_GAPS = 8  # that are told one by one
# of the largest term: what a joint without a motor may seem to need; the same of a motion that was
# differentiated, and of equations that leave terms out
NO_FORCE, ROUGH = 1e-6, 0.05
FULL = 1.5  # rad that a jump of a full turn may differ from one


@dataclass(frozen=True)
class Gap:
    """A stretch without samples of some coordinates; bridged by the spline, or left open."""

    start: float
    end: float
    names: tuple[str, ...]
    bridged: bool

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        what = "bridged" if self.bridged else "left open"
        places = max(0, 2 - math.floor(math.log10(max(self.end - self.start, 1e-9))))
        start, end = (f"{round(x, places):.15g}" for x in (self.start, self.end))
        span = f"t = {start} to {end} s"
        return f"{some(self.names, 3)}: no samples from {span}, {what}"


@doors("save", "save_html")
@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """Samples of a motion with its rates: rows are times; NaN where a gap was left open."""

    m: Mechanism = field(repr=False)
    t: Array = field(repr=False)
    q: Array = field(repr=False)
    qd: Array = field(repr=False)
    qdd: Array = field(repr=False)
    tau: Array | None = field(default=None, repr=False)  # as measured, not smoothed
    gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()
    cutoff: Array | None = field(default=None, repr=False)  # Hz, per coordinate; None: as written
    noise: Array | None = field(default=None, repr=False)  # of one sample, per velocity variable
    spread: Spread | None = field(default=None, repr=False)  # covariances of (q, q̇, q̈)
    heads: Mapping[str, str] = field(default_factory=dict, repr=False)  # "q.elbow" -> its column

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} .. {self.t[-1]:g} s, {len(self.t)} samples"
        rate = (len(self.t) - 1) / (self.t[-1] - self.t[0])
        forces = "with forces" if self.tau is not None else "without forces"
        gaps = f", {len(self.gaps)} gaps" if self.gaps else ""
        return f"<MeasuredMotion of {self.m.name}: {span} at {rate:.4g} Hz, {forces}{gaps}>"

    def summary(self) -> str:
        """Return the cut-off and noise of every coordinate, the gaps and the notes."""
        rows = [repr(self)]
        if self.cutoff is not None and self.noise is not None:
            w = max(12, *(len(n) + 2 for n in self.m.rate_names))
            rows.append(f"{'':<{w}}{'cut-off, Hz':>14}{'noise':>12}")
            per_rate = _per_rate(self.m, self.cutoff)
            for name, f, s in zip(self.m.rate_names, per_rate, self.noise, strict=True):
                rows.append(f"{shown(name):<{w}}{f:>14.4g}{s:>12.3g}")
        return "\n".join([*rows, *gap_lines(self.gaps), *self.notes])

    @property
    def valid(self) -> Array:
        """Which samples are whole: no coordinate, rate or acceleration is missing."""
        whole = [np.isfinite(x).all(axis=1) for x in (self.q, self.qd, self.qdd)]
        return np.logical_and.reduce(whole)

    def __getitem__(self, rows: slice | Array) -> MeasuredMotion:
        """Return some of the samples."""
        if not isinstance(rows, slice | np.ndarray):
            raise UsageError("samples are chosen by a slice or a mask", hint="d[100:200]")
        own = {n: getattr(self, n) for n in ("t", "q", "qd", "qdd", "tau")}
        cut: dict[str, Any] = {n: None if x is None else x[rows] for n, x in own.items()}
        return replace(self, spread=None if self.spread is None else self.spread.of(rows), **cut)

    def show(self) -> Any:
        """Return a view of the motion: in a notebook, else in a browser, else its path."""
        from ..view import show
        from ..view.motion import of_measured

        return show(self.m, motion=of_measured(self))

    def save_html(self, path: str | Path) -> Path:
        """Write the motion as one page that needs no network."""
        from ..view import save_html
        from ..view.motion import of_measured

        return save_html(self.m, path, motion=of_measured(self))

    def save(self, path: str | Path) -> None:
        """Write a motion table: CSV, NPZ or JSON by the ending.

        >>> import dalembert as da
        >>> import numpy as np, tempfile
        >>> m = da.load("RZ(), TXK(1); body 1: M = 1, D = (1, 0, 0);")
        >>> t = np.linspace(0, 2, 201)
        >>> d = da.read_motion({"t": t, "q.j1": np.sin(t)}, m)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     d.save(f"{folder}/motion.csv")
        ...     bool(np.allclose(da.read_motion(f"{folder}/motion.csv", m).qdd, d.qdd))
        True
        """
        names, columns = ["t"], [self.t[:, None]]
        for kind, own in (("q", self.m.coordinate_names), *((k, self.m.rate_names)
                          for k in ("qd", "qdd", "tau"))):  # fmt: skip
            values = getattr(self, kind)
            if values is not None:
                names += [f"{kind}.{n}" for n in own]
                columns.append(values)
        write_table(path, names, np.concatenate(columns, axis=1))


def read_motion(
    source: str | PathLike[str] | Mapping[str, Any],
    m: Mechanism,
    columns: Mapping[str, str] | str | None = None,
    cutoff: float | str | None = None,
    *,
    bridge: float = SHORT_GAP,
) -> MeasuredMotion:
    """Return a measured motion of m: t, q, qd, qdd, and tau where the table holds forces.

    `source` is a file (CSV, NPZ, JSON, .mot, .sto, .c3d, .mcap) or a mapping from heads to columns.
    `columns` maps coordinates to other heads: {"elbow": "act_pos_3:deg"}. `cutoff` in Hz is that of
    a zero-phase filter, "auto" chooses it by residual analysis; None smooths by cross-validation.
    Gaps up to `bridge` seconds are bridged, longer ones are left open (NaN); all are in `gaps`.

    >>> import dalembert as da
    >>> import numpy as np
    >>> m = da.load("RZ(), TXK(1); body 1: M = 1, D = (1, 0, 0);")
    >>> t = np.linspace(0, 2, 201)
    >>> d = da.read_motion({"t": t, "q.j1": np.cos(t)}, m)
    >>> d.qdd[0].round(4).tolist()
    [-1.0]
    """
    require_mechanism(m, "read_motion")
    if isinstance(bridge, bool) or not isinstance(bridge, int | float) or not bridge >= 0:
        raise UsageError(f"bridge={bridge!r} is not a time", hint="seconds, as 0.2")
    return motion_of_table(read_table(source), m, columns, cutoff, bridge)


class NothingWhole(DescriptionError):
    """No sample has all coordinates."""


def motion_of_table(
    table: Any, m: Mechanism, columns: Any, cutoff: Any, bridge: float = SHORT_GAP,
    rates: bool | None = None,
) -> MeasuredMotion:  # fmt: skip
    """Return the motion of a table; `rates`: those of the table, or computed (None: as it is)."""
    name, told = table.source, table.notes
    arrays, spare = assigned(m, table, columns)
    heads = used_heads(m, table, columns)
    del table  # a long one is large
    arrays, notes = in_order(arrays, name)
    notes = [*told, *notes]
    if spare:
        notes.append(f"columns that were not used: {some(spare)}")
    t, q = arrays["t"], arrays["q"]
    if len(t) < FEWEST:
        raise DescriptionError(
            f"{len(t)} samples are too few", where=Place(name), hint=f"{FEWEST} at least"
        )
    notes += [*perhaps_degrees(m, q), *spacing(t), *spikes(t, q, m.coordinate_names)]
    written = [arrays.get("qd"), arrays.get("qdd")]
    if has_rates(arrays, cutoff) if rates is None else rates:
        notes.append("rates and accelerations are those of the table")
        made = MeasuredMotion(m, t, q, written[0], written[1], arrays.get("tau"))  # type: ignore[arg-type]
        return replace(made, notes=tuple(notes), heads=heads)
    if any(x is not None for x in written):
        notes.append("rates are computed from the coordinates; those of the table were not used")
    made = _smoothed(m, t, q, arrays.get("tau"), cutoff, bridge, notes, name)
    return replace(made, heads=heads)


def has_rates(arrays: Mapping[str, Any], cutoff: Any) -> bool:
    """Return whether a table holds all coordinates, rates and accelerations, and may use them."""
    every = [arrays.get(n) for n in ("q", "qd", "qdd")]
    return cutoff is None and all(x is not None and np.isfinite(x).all() for x in every)


def motion_of(m: Mechanism, t: Any, q: Any) -> MeasuredMotion:
    """Return the motion through samples q, (n, nq), at times t."""
    times, rows = np.asarray(t, dtype=float), np.asarray(q, dtype=float)
    rows = rows.reshape(len(times), -1) if rows.ndim == 1 else rows
    if times.ndim != 1 or rows.ndim != 2 or len(rows) != len(times):
        raise UsageError(
            f"times of shape {times.shape} and coordinates of shape {rows.shape}",
            hint="give a row of coordinates for each time",
        )
    if rows.shape[1] != m.nq:
        raise UsageError(
            f"the motion has {rows.shape[1]} columns, the mechanism {m.nq} coordinates",
            hint="one for each of " + some(m.coordinate_names, 20),
        )
    heads = [f"q.{n}" for n in m.coordinate_names]
    return read_motion({"t": times, **dict(zip(heads, rows.T, strict=True))}, m)


def bridged(t: Array, y: Array, names: Sequence[str]) -> tuple[Array, list[Gap]]:
    """Return columns of samples with their first two derivatives, (3, n, columns), and the gaps."""
    gaps: list[Gap] = []
    alike: dict[bytes, list[int]] = {}
    for k, name in enumerate(names):
        here = np.isfinite(y[:, k])
        pieces = _pieces(t, here, SHORT_GAP, (name,), gaps) if here.any() else []
        if len(pieces) != 1 or not all(g.bridged for g in gaps):
            raise UsageError(
                str(gaps[-1]) if gaps else f"{shown(name)}: too few samples",
                hint="give each stretch without long gaps alone",
            )
        alike.setdefault(here.tobytes(), []).append(k)
    out = np.empty((3, *y.shape))
    for mask, columns in alike.items():
        weight = np.frombuffer(mask, dtype=bool).astype(float)
        every = smooth_all(t, [y[:, k : k + 1] for k in columns], weight, None)
        for k, made in zip(columns, every, strict=True):
            out[:, :, k] = made.x[:, 0], made.xd[:, 0], made.xdd[:, 0]
    return out, list(_merged(gaps))


def _groups(m: Mechanism) -> Iterator[tuple[int, list[int], list[int]]]:
    """Yield (body, coordinates, velocity variables) that are smoothed together."""
    at_q = at_v = 0
    for j, body in enumerate(m.bodies):
        n, k = body.joint.nq, body.joint.nv
        if is_quaternion(body.joint):
            yield j, list(range(at_q, at_q + n)), list(range(at_v, at_v + k))
        else:
            yield from ((j, [at_q + i], [at_v + i]) for i in range(n))
        at_q, at_v = at_q + n, at_v + k


def _smoothed(
    m: Mechanism, t: Array, q: Array, tau: Array | None, cutoff: Any, bridge: float,
    notes: list[str], source: str,
) -> MeasuredMotion:  # fmt: skip
    n = len(t)
    out = {"q": np.full((n, m.nq), np.nan)}
    out |= {k: np.full((n, m.nv), np.nan) for k in ("qd", "qdd")}
    parts: list[Part] = []
    cut, noise = np.full(m.nq, np.nan), np.full(m.nv, np.nan)
    gaps: list[Gap] = []
    # joints with the same samples are smoothed together: they share the smoother
    together: dict[tuple[int, int, bytes], list[tuple[int, list[int], list[int], Array]]] = {}
    for j, at_q, at_v in _groups(m):
        names = tuple(m.coordinate_names[k] for k in at_q)
        y = _continuous(m, j, q[:, at_q], names, notes)
        here = np.isfinite(y).all(axis=1)
        if not here.any():
            raise NothingWhole(f"{some(names)} has no samples", where=Place(source))
        for piece in _pieces(t, here, bridge, names, gaps):
            key = (piece.start, piece.stop, here[piece].tobytes())
            together.setdefault(key, []).append((j, at_q, at_v, y[piece]))
    for (a, b, mask), joints in together.items():
        piece, weight = slice(a, b), np.frombuffer(mask, dtype=bool).astype(float)
        every = smooth_all(t[piece], [y for *_, y in joints], weight, cutoff)
        for made, (j, at_q, at_v, y) in zip(every, joints, strict=True):
            _placed(m, j, made, piece, at_q, at_v, out)
            parts.append(_part(m, j, made, y, piece, at_v))
            cut[at_q] = np.fmin(cut[at_q], made.cutoff)
            noise[at_v] = np.fmax(noise[at_v], float(np.mean(made.noise)))
    if not np.isfinite(out["q"]).all(axis=1).any():
        raise NothingWhole(
            "no sample has all coordinates", where=Place(source), hint="see the gaps of the table"
        )
    return MeasuredMotion(
        m, t, out["q"], out["qd"], out["qdd"], tau, _merged(gaps), tuple(notes), cut, noise,
        Spread(n, m.nv, tuple(parts)),
    )  # fmt: skip


def _continuous(m: Mechanism, j: int, y: Array, names: Sequence[str], notes: list[str]) -> Array:
    """Return samples without jumps of a turn, or of a quaternion's sign."""
    body = m.bodies[j]
    if is_quaternion(body.joint):
        return same_sign(y, joint_name(body))
    if body.joint.kind != "revolute":
        return y
    seen = np.isfinite(y[:, 0])
    angles = y[seen, 0]
    jumps = np.diff(angles)
    jumps = jumps[np.abs(jumps) > np.pi]
    if not len(jumps):
        return y
    rest = np.abs(jumps - 2 * np.pi * np.round(jumps / (2 * np.pi)))
    if rest.max() > FULL:
        notes.append(
            f"{some(names)}: jumps of {np.abs(jumps[rest.argmax()]):.4g} rad between samples are "
            "no full turns and were left; are these degrees, or samples too far apart?"
        )
        return y
    y = y.copy()
    y[seen, 0] = np.unwrap(angles)
    notes.append(f"{some(names)}: jumps of a full turn were taken out")
    return y


def _pieces(
    t: Array, here: Array, bridge: float, names: tuple[str, ...], gaps: list[Gap]
) -> list[slice]:
    """Return stretches of samples without a long gap, and note every gap."""
    seen = np.flatnonzero(here)
    step = float(np.median(np.diff(t[seen]))) if len(seen) > 1 else 0.0
    holes = np.flatnonzero((np.diff(seen) > 1) | (np.diff(t[seen]) > 4 * step))
    starts, ends = [int(seen[0])], []
    for k in holes:
        a, b = int(seen[k]), int(seen[k + 1])
        short = t[b] - t[a] <= max(bridge, 0.0) + step
        gaps.append(Gap(float(t[a]), float(t[b]), names, bool(short)))
        if not short:
            ends.append(a + 1)
            starts.append(b)
    ends.append(int(seen[-1]) + 1)
    for a, b in ((0, int(seen[0])), (int(seen[-1]), len(t) - 1)):
        if a != b:
            gaps.append(Gap(float(t[a]), float(t[b]), names, False))
    return [slice(a, b) for a, b in zip(starts, ends, strict=True) if here[a:b].sum() >= FEWEST]


def _placed(
    m: Mechanism, j: int, made: Smoothed, piece: slice, at_q: list[int], at_v: list[int],
    out: dict[str, Array],
) -> None:  # fmt: skip
    """Write one smoothed stretch of a joint to its columns."""
    x, xd, xdd = made.x, made.xd, made.xdd
    kind = m.bodies[j].joint.kind
    if kind == "spherical":
        x, xd, xdd = quaternion_rates(x, xd, xdd)
    elif kind == "free":
        x, xd, xdd = free_rates(x, xd, xdd)
    out["q"][piece, at_q], out["qd"][piece, at_v], out["qdd"][piece, at_v] = x, xd, xdd


def _part(
    m: Mechanism, j: int, made: Smoothed, y: Array, piece: slice, at_v: list[int]
) -> Part:  # fmt: skip
    """Return how sure one smoothed stretch of a joint is."""
    kind = m.bodies[j].joint.kind
    variance = np.broadcast_to(made.noise**2, (y.shape[1],))
    if kind == "free":  # linear and angular parts; a rotation vector is twice a quaternion's part
        variance = np.concatenate([variance[:3], np.full(3, 4 * variance[3:].mean())])
    elif kind == "spherical":
        variance = np.full(3, 4 * variance.mean())
    ends = made.end_errors(y) if y.shape[1] == len(at_v) else None
    return Part(piece.start, piece.stop, tuple(at_v), made.spline.curve, variance, ends)


def _per_rate(m: Mechanism, per_coordinate: Array) -> Array:
    return np.array([per_coordinate[at_q[0]] for _, at_q, at_v in _groups(m) for _ in at_v])


def gap_lines(gaps: Sequence[Gap]) -> list[str]:
    """Return a line for each gap; many of them, which a clock that jitters makes, in one."""
    if len(gaps) <= MOST_GAPS:
        return [*map(str, gaps)]
    longest = max(gaps, key=lambda g: g.end - g.start)
    closed = sum(g.bridged for g in gaps)
    return [f"{len(gaps)} gaps, {closed} of them bridged; the longest: {longest}"]


def _merged(gaps: list[Gap]) -> tuple[Gap, ...]:
    """Return gaps of the same stretch as one, in order of time."""
    by: dict[tuple[float, float, bool], list[str]] = {}
    for g in gaps:
        by.setdefault((g.start, g.end, g.bridged), []).extend(g.names)
    return tuple(Gap(a, b, tuple(names), how) for (a, b, how), names in sorted(by.items()))
