"""What the entries of inputs and outputs belong to.

An axis has a name and a unit for each entry and a word for messages; shapes of kernels, labels of
the command line and places named by errors all follow from it. A number is an axis without names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from ..errors import ModelError
from ..frozen import dataclass
from ..joint import Free
from ..mechanism import Mechanism
from ..mechanism.units import coordinate_units, rate_units
from .later import (
    base_parameters,
    cartesian,
    cut_joints,
    elastic,
    kane,
    loop_closure,
    moving_base,
    platform,
    regressor,
    velocity_rows,
)
from .units import NAMED, ONE, Unit, of, times, unit, written

Options = Mapping[str, Any]
Of = Callable[[Mechanism], Sequence[str]]
Names = Callable[[Mechanism, Options], Sequence[str]]
Entries = Callable[[Mechanism, Options], Iterable[tuple[str, str]]]  # name, unit; "" has no name
MOVES = ("m", "rad")  # joints slide or turn
SIX = ("x", "y", "z", "rx", "ry", "rz")
MANY = 4  # units in one line of text


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension: the word for an entry, name and unit of each, the units they may have."""

    word: str
    entries: Entries
    units: Sequence[str] = MOVES


@dataclass(frozen=True, slots=True)
class Output:
    """A named result and what its dimensions belong to: `Output("M", ("joint", "joint"))`.

    Its entries are in `base` times the units of the axes, each to its power.
    """

    name: str
    axes: tuple[str | int, ...]
    base: Unit = ONE
    powers: tuple[int, ...] = ()

    def shape(self, m: Mechanism, options: Options) -> tuple[int, ...]:
        """Return the shape for a mechanism."""
        return tuple(len(_entries(a, m, options)) for a in self.axes)

    def units(self, m: Mechanism, options: Options | None = None) -> list[str]:
        """Return the unit of every entry, row by row."""
        each = [[of(unit) for _, unit in _entries(a, m, options or {})] for a in self.axes]
        return [self._written(entry) for entry in product(*each)]

    @property
    def unit(self) -> str:
        """The units that entries may have, in one line."""
        may = [map(of, AXES[a].units) if isinstance(a, str) else [ONE] for a in self.axes]
        found = dict.fromkeys(self._written(entry) for entry in product(*may))
        return ", ".join(found) if len(found) <= MANY else "mixed"

    def _written(self, entry: Sequence[Unit]) -> str:
        return written(times([(self.base, 1), *zip(entry, self.powers, strict=True)]))


def _entries(axis: str | int, m: Mechanism, options: Options) -> list[tuple[str, str]]:
    return [("", "1")] * axis if isinstance(axis, int) else list(AXES[axis].entries(m, options))


def port(name: str, text: str) -> Output:
    """Return an input or output by its unit: `port("tau", "J / joint")`, a force of each joint.

    >>> port("M", "kg m2 / joint joint").unit
    'kg, kg m, kg m2'
    """
    axes: list[str | int] = []
    powers: list[int] = []
    base, power = ONE, 1
    for word in text.split():
        axis = word.rstrip("0123456789")
        if word == "/":
            power = -1
        elif axis in NAMED:
            base = times([(base, 1), (unit(word), power)])
        else:
            axes.append(axis or int(word))
            powers.append(power * int(word[len(axis) :] or 1) if axis else 0)
    return Output(name, tuple(axes), base, tuple(powers))


def gives(**outputs: str) -> tuple[Output, ...]:
    """Return outputs by name: `gives(M="kg m2 / joint joint", qdd="joint / s2")`."""
    return tuple(port(name, text) for name, text in outputs.items())


def labels_of(axis: str | int, m: Mechanism, options: Options | None = None) -> list[str]:
    """Return the names along an axis; none where it has no names."""
    names = [name for name, _ in _entries(axis, m, options or {})]
    return names if any(names) else []


# -- the axes ----------------------------------------------------------------------------------


def plan_of(m: Mechanism, options: Options) -> Any:
    """Return the plan that is given, or that of the generic branch of a closed machine."""
    from ..plan import planned

    return options.get("plan") or planned(m)


def _speeds(m: Mechanism, options: Options) -> Sequence[str]:
    from ..plan.kane import kane_speeds

    return kane_speeds(m)


def _constraints(m: Mechanism, options: Options) -> Sequence[str]:
    from ..plan.kane import with_speeds

    names: Sequence[str] = kane.force_names(with_speeds(m))
    return names


def _task_rows(m: Mechanism, options: Options) -> list[str]:
    from ..algorithms.task import ROWS, task_rows

    return [ROWS[r] for r in task_rows(options["rows"])]


def _alone(word: str, labels: Names, unit: str = "1") -> Axis:
    """Return an axis whose entries have one unit."""
    return Axis(word, lambda m, o: ((name, unit) for name in labels(m, o)), (unit,))


def _paired(word: str, names: Of, units: Of) -> Axis:
    """Return an axis whose names and units a mechanism knows."""
    return Axis(word, lambda m, o: zip(names(m), units(m), strict=True))


def _rates(word: str, indices: Callable[[Mechanism, Options], Iterable[int]]) -> Axis:
    """Return the axis of some velocity variables."""

    def entries(m: Mechanism, options: Options) -> Iterable[tuple[str, str]]:
        names, units = m.rate_names, rate_units(m)
        return ((names[k], units[k]) for k in indices(m, options))

    return Axis(word, entries)


def _named(word: str, labels: Names, other: str = "m") -> Axis:
    """Return an axis whose entries have the unit of the joint of their name, or else another."""

    def entries(m: Mechanism, options: Options) -> Iterable[tuple[str, str]]:
        units = dict(zip(m.rate_names, rate_units(m), strict=True))
        return ((name, units.get(name, other)) for name in labels(m, options))

    return Axis(word, entries)


def _six(word: str, labels: Names) -> Axis:
    """Return the axis of linear and angular components, told apart by the last letters."""
    turns = ("wx", "wy", "wz", "rx", "ry", "rz")
    return Axis(word, lambda m, o: ((n, "rad" if n.endswith(turns) else "m") for n in labels(m, o)))


def _base(m: Mechanism) -> int:
    size: int = moving_base.base_size(m)
    return size


def _rigid(m: Mechanism) -> list[int]:
    return elastic.elastic_indices(m)[1]


def _parameters(m: Mechanism, options: Options) -> Iterable[tuple[str, str]]:
    drives = options.get("drives", "inertia")
    columns = regressor.parameter_columns(m, drives)
    if options.get("columns") != "base":
        return [(c.symbol(), c.unit(m)) for c in columns]
    base = base_parameters.base_parameters(m, drives)
    return [(n, columns[c].unit(m)) for n, c in zip(base.names, base.kept, strict=True)]


def _moving(m: Mechanism, options: Options) -> list[str]:
    """Return the rows of J_h: components of the velocity of each body with inertia."""
    return [f"{m.bodies[j].name}.{part}" for j in kane.massive(m) for part in Free.rate_parts]


def _legs(m: Mechanism, options: Options) -> Iterable[tuple[str, str]]:
    units = [rate_units(leg.tree) for leg in platform.platform_of(m).legs]
    if len({len(own) for own in units}) != 1:
        raise ModelError("the legs have different numbers of joints", hint="use the closed loops")
    return (("", unit) for unit in units[0])


HOMOGENEOUS = (("", "m"), ("", "m"), ("", "m"), ("", "1"))
AXES: Mapping[str, Axis] = {
    "coordinate": _paired("joint", lambda m: m.coordinate_names, coordinate_units),
    "joint": _rates("joint", lambda m, o: range(m.nv)),
    "base": _rates("joint", lambda m, o: range(_base(m))),
    "beyond_base": _rates("joint", lambda m, o: range(_base(m), m.nv)),
    "elastic": _rates("joint", lambda m, o: elastic.elastic_indices(m)[0]),
    "rigid": _rates("joint", lambda m, o: _rigid(m)),
    "rigid_beyond_base": _rates("joint", lambda m, o: _rigid(m)[_base(m) :]),
    "motor": _rates("motor", lambda m, o: plan_of(m, o).motors),
    "active": _named("motor", lambda m, o: m.active),
    "independent": _rates("joint", lambda m, o: plan_of(m, o).independent),
    "closure": _paired("equation", loop_closure.equation_names, loop_closure.equation_units),
    "cut": _paired("variable", cut_joints.cut_names, cut_joints.cut_units),
    "loop": _alone("loop", lambda m, o: [x.name or str(k) for k, x in enumerate(m.loops, 1)]),
    "leg_joint": Axis("", _legs),
    "body": _alone("body", lambda m, o: [b.name for b in m.bodies]),
    "moving": _six("", _moving),
    "speed": _named("speed", _speeds),
    "constraint": _named("constraint", _constraints),
    "steering": _named("steering", lambda m, o: velocity_rows.prescribed_names(m), "rad"),
    "wheel": _alone("wheel", lambda m, o: [w.name for w in m.wheels]),
    "parameter": Axis("parameter", _parameters, ("kg", "kg m", "kg m2")),
    "task_row": _six("row", _task_rows),
    "component": _six("", lambda m, o: [SIX[k] for k in cartesian.motions(m)]),
    "xyz": _alone("", lambda m, o: ("x", "y", "z"), "m"),
    "six": _six("", lambda m, o: SIX),
    "place": Axis("", lambda m, o: HOMOGENEOUS, ("m",)),
    "homogeneous": Axis("", lambda m, o: HOMOGENEOUS, ("m", "1")),
}  # fmt: skip

# inputs that are not one force per velocity variable
INPUTS: Mapping[str, Output] = {
    name: port(name, text)
    for name, text in {
        "q": "coordinate",
        "qd": "joint / s",
        "qdd": "joint / s2",
        "qdd_joints": "beyond_base / s2",
        "tau_joints": "J / beyond_base",
        "base_acceleration": "base / s2",
        "alpha": "speed / s",
        "steer": "steering",
        "steer_rate": "steering / s",
        "traction": "N wheel",
        "tau_active": "J / motor",
        "forces": "J / active",
        "pose": "place / homogeneous",
        "twist": "six / s",
        "twist_rate": "six / s2",
    }.items()
}


def input_port(name: str) -> Output:
    """Return an input with its axes and units."""
    return INPUTS.get(name) or port(name, "J / joint")


def input_shape(name: str, m: Mechanism) -> tuple[int, ...]:
    """Return the shape of an input."""
    return input_port(name).shape(m, {})
