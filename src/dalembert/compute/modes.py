"""Assembly modes: all closed poses of a machine whose motors stand at given values.

Planar loops with two passive pins each are solved one after the other in closed form; others are
sought from many starts. Between singular poses a machine keeps its mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ..display import lines_html
from ..errors import ComputationError, UsageError, require_count, shown
from ..mechanism import Mechanism, joint_name
from ..plan import planned
from ..plan.assembly import Closure, given_pose, velocity_indices
from ..plan.closed_poses import Points, closed_form, dyads, sought
from .loops import assembly_along


@dataclass(frozen=True, eq=False)
class AssemblyMode:
    """A closed pose at given motors: its name and its coordinates. It may be given as a start."""

    name: str
    q: Any

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Return the coordinates, so that a mode may stand wherever a pose is asked for."""
        return np.array(self.q, dtype=dtype or float)

    def __repr__(self) -> str:
        return f"{self.name}: " + " ".join(f"{x:.6g}" for x in self.q)


@dataclass(frozen=True, eq=False)
class AssemblyModes(Sequence[AssemblyMode]):
    """The closed poses at given motors, in an order that is always the same."""

    m: Mechanism = field(repr=False)
    motors: Mapping[str, float]
    modes: tuple[AssemblyMode, ...]
    starts: int = 0  # of the search; 0: all poses, in closed form

    @overload
    def __getitem__(self, k: int) -> AssemblyMode: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[AssemblyMode]: ...
    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, str):
            for mode in self.modes:
                if mode.name == k:
                    return mode
            raise UsageError(
                f"there is no mode {shown(k)!r}", hint="modes: " + ", ".join(self.names)
            )
        return self.modes[k]

    def __len__(self) -> int:
        return len(self.modes)

    def __iter__(self) -> Iterator[AssemblyMode]:
        return iter(self.modes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the modes."""
        return tuple(mode.name for mode in self.modes)

    def of(self, q: Any, steps: int = 16) -> AssemblyMode:
        """Return the mode that a closed pose belongs to.

        Where its motors stand elsewhere they are led to the values of these modes along a straight
        line; a singular pose on the way is an error.
        """
        c, pose = Closure(self.m), given_pose(self.m, q)
        c.require_closed(pose)
        at = [_coordinate(self.m, name) for name in self.motors]
        goal = np.array(list(self.motors.values()))
        if np.abs(pose[at] - goal).max(initial=0.0) > 1e-9:
            pose = self._led(pose, goal, steps)
        where = Points(c).at(np.stack([pose, *(mode.q for mode in self.modes)]))
        far = np.abs(where[1:] - where[0]).max(axis=1, initial=0.0)
        if not len(far) or far.min() > 1e-4:
            raise ComputationError(
                "this pose belongs to none of the modes that were found",
                hint="more starts: dalembert.assembly_modes(m, motors, starts=...)",
            )
        return self.modes[int(np.argmin(far))]

    def _led(self, pose: Any, goal: Any, steps: int) -> Any:
        """Return the pose after its motors went to the goal."""
        named = tuple(self.motors)
        if named != self.m.active:
            raise UsageError(
                "the motors of this pose have other values, and other joints were given too",
                hint="ask for the modes at the coordinates of the pose",
            )
        at = [_coordinate(self.m, name) for name in named]
        way = pose[at] + np.linspace(0, 1, steps + 1)[1:, None] * (goal - pose[at])
        return assembly_along(self.m, pose, way)[-1]

    def __repr__(self) -> str:
        how = f"found from {self.starts} starts" if self.starts else "in closed form"
        n = len(self.modes)
        head = f"{n or 'no'} assembly mode{'s' * (n != 1)}, {how}"
        return "\n".join([head, *map(str, self.modes)])

    def _repr_html_(self) -> str:
        return lines_html(str(self))


def assembly_modes(m: Mechanism, motors: ArrayLike, starts: int | None = None) -> AssemblyModes:
    """Return all closed poses of a machine whose motors stand at given values, each named.

    `motors`: joint -> value, or the values in the order of `m.active`; other joints may be held
    too. Planar loops with two passive pins each are solved in closed form and named by the sides
    to which their elbows bend; other machines are sought from many starts, and no search can
    prove that it found them all. Poses that the machine leaves while its motors are held are left
    out.

    >>> import dalembert as da
    >>> m = da.robots.fivebar()
    >>> modes = da.assembly_modes(m, {"crankA": 2.0, "crankB": 1.0})
    >>> modes.names
    ('elbow +', 'elbow -')
    >>> modes.of(modes["elbow -"].q).name
    'elbow -'
    """
    if starts is not None:
        require_count("starts", starts)
    values = _values(m, motors)
    c = Closure(m)
    held = velocity_indices(m, values)
    _require_held(m, held)
    start = np.array(m.neutral)
    for name, value in values.items():
        start[_coordinate(m, name)] = value
    chain = dyads(m, held) if starts is None else None
    named = None if chain is None else closed_form(c, chain, start)
    if named is not None:
        modes = [AssemblyMode(name, q) for name, q in named]
        return AssemblyModes(m, values, tuple(modes))
    found, count = sought(c, start, held, starts)
    found.sort(key=lambda q: [round(float(x), 6) for x in q])
    moving = [k for k in range(m.nv) if k not in set(held)]
    modes = [
        AssemblyMode(f"mode {k} {_side(c.jacobian(q)[:, moving], planned(m).rows)}".strip(), q)
        for k, q in enumerate(found, 1)
    ]
    return AssemblyModes(m, values, tuple(modes), count)


# -- what is given -----------------------------------------------------------------------------


def _values(m: Mechanism, motors: Any) -> dict[str, float]:
    """Return joint -> value, every motor among them."""
    if not m.loops and not m.couplings:
        raise UsageError(
            "assembly_modes: this machine has no loops", hint="its pose is its coordinates"
        )
    if isinstance(motors, Mapping):
        given = dict(motors)
    else:
        try:
            row = [motors] if isinstance(motors, (int, float)) else list(motors)
        except TypeError:
            raise _usage(m, "motors: a mapping joint -> value, or a row of numbers") from None
        if len(row) != len(m.active):
            raise _usage(m, f"motors has {len(row)} values, there are {len(m.active)} motors")
        given = dict(zip(m.active, row, strict=True))
    missing = [name for name in m.active if name not in given]
    if missing:
        raise _usage(m, f"motor {shown(missing[0])!r} has no value")
    out = {}
    for name, value in given.items():
        _coordinate(m, name)
        try:
            out[name] = float(value)
        except (TypeError, ValueError):
            raise _usage(m, f"{shown(str(name))!r} needs a number") from None
        if out[name] - out[name] != 0:
            raise _usage(m, f"{shown(name)!r} needs a finite number")
    return out


def _usage(m: Mechanism, text: str) -> UsageError:
    example = ", ".join(f'"{shown(n)}": 0.5' for n in m.active[:3] or m.joint_names[:1])
    return UsageError(f"assembly_modes: {text}", hint=f"motors={{{example}}}")


def _coordinate(m: Mechanism, name: Any) -> int:
    """Return where the coordinate of a joint with one freedom is in q."""
    for body, at in zip(m.bodies, m.coordinate_index, strict=True):
        if body.joint.nv and joint_name(body) == name:
            if body.joint.nq == 1:
                return at
            raise UsageError(
                f"joint {shown(name)!r} has {body.joint.nq} coordinates: it cannot be held by one",
                hint="hold joints with one coordinate",
            )
    raise UsageError(
        f"{shown(str(name))!r} is not a joint", hint=", ".join(map(shown, m.joint_names[:12]))
    )


def _require_held(m: Mechanism, held: Sequence[int]) -> None:
    """Raise UsageError where the machine moves although its motors are held."""
    own, motors = planned(m), set[int]()
    free = own.independent
    if m.active:  # motors lead; what follows none of them comes last
        free, motors = free[len(free) - own.free :], set(own.motors)
    if len(set(held) - motors) >= len(free):
        return
    some = ", ".join(dict.fromkeys(shown(m.rate_joints[k]) for k in free))
    raise UsageError(
        "assembly_modes: poses are not single ones: no motor holds " + some,
        hint="give values of these joints beside the motors",
    )


def _side(J: Any, rows: Sequence[int]) -> str:
    """Return the sign of the determinant of the planned rows: it changes at singular poses only."""
    block = J[list(rows)]
    if block.shape[0] != block.shape[1] or not len(block):
        return ""
    sign, size = np.linalg.slogdet(block)
    return "" if size < -18 else "+" if sign > 0 else "-"
