"""What the entries of inputs and outputs belong to.

An axis has a size, a name and a unit for each entry and a word for messages; shapes of kernels,
labels of the command line and places named by errors all follow from it. A number is an axis
without names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ..errors import ModelError
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
    parallel,
    regressor,
    shared_forces,
    velocity_rows,
)
from .units import NAMED, ONE, Unit, of, times, unit, written

Options = Mapping[str, Any]
Names = Callable[[Mechanism, Options], Sequence[str]]
MOVES = ("m", "rad")  # joints slide or turn
SIX = ("x", "y", "z", "rx", "ry", "rz")
MANY = 4  # units in one line of text


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension: names of its entries, the word for one of them, and their units.

    `units` are those an entry may have, `each` gives that of every entry where they differ, `count`
    the size where it is simpler than the names.
    """

    word: str
    labels: Names
    count: Callable[[Mechanism, Options], int] | None = None
    units: Sequence[str] = ("1",)
    each: Names | None = None

    def size(self, m: Mechanism, options: Options) -> int:
        """Return how many entries there are."""
        return self.count(m, options) if self.count else len(self.labels(m, options))

    def measured(self, m: Mechanism, options: Options) -> list[Unit]:
        """Return the unit of every entry."""
        if self.each is None:
            return [of(self.units[0])] * self.size(m, options)
        return [of(words) for words in self.each(m, options)]


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
        return tuple(a if isinstance(a, int) else AXES[a].size(m, options) for a in self.axes)

    def units(self, m: Mechanism, options: Options | None = None) -> list[str]:
        """Return the unit of every entry, row by row."""
        each = [_measured(a, m, options or {}) for a in self.axes]
        return [self._written(entry) for entry in product(*each)]

    @property
    def unit(self) -> str:
        """The units that entries may have, in one line."""
        may = [map(of, AXES[a].units) if isinstance(a, str) else [ONE] for a in self.axes]
        found = dict.fromkeys(self._written(entry) for entry in product(*may))
        return ", ".join(found) if len(found) <= MANY else "mixed"

    def _written(self, entry: Sequence[Unit]) -> str:
        return written(times([(self.base, 1), *zip(entry, self.powers, strict=True)]))


def _measured(axis: str | int, m: Mechanism, options: Options) -> list[Unit]:
    return [ONE] * axis if isinstance(axis, int) else AXES[axis].measured(m, options)


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
    return [] if isinstance(axis, int) else list(AXES[axis].labels(m, options or {}))


# -- the axes ----------------------------------------------------------------------------------


def _plan(m: Mechanism, options: Options) -> Any:
    from ..plan import planned

    return options.get("plan") or planned(m)


def _speeds(m: Mechanism, options: Options) -> Sequence[str]:
    from ..plan.kane import kane_speeds

    return kane_speeds(m)


def _constraints(m: Mechanism, options: Options) -> Sequence[str]:
    from ..plan.kane import with_speeds

    names: Sequence[str] = shared_forces.force_names(with_speeds(m))
    return names


def _task_rows(m: Mechanism, options: Options) -> list[str]:
    from ..algorithms.task import ROWS, task_rows

    return [ROWS[r] for r in task_rows(options["rows"])]


def _rates(word: str, indices: Callable[[Mechanism, Options], Sequence[int]]) -> Axis:
    """Return the axis of some velocity variables."""
    return Axis(word, lambda m, o: [m.rate_names[k] for k in indices(m, o)],
                lambda m, o: len(indices(m, o)), MOVES,
                lambda m, o: [rate_units(m)[k] for k in indices(m, o)])  # fmt: skip


def _named(word: str, labels: Names, other: str = "m") -> Axis:
    """Return an axis whose entries have the unit of the joint of their name, or else another."""

    def each(m: Mechanism, options: Options) -> list[str]:
        units = dict(zip(m.rate_names, rate_units(m), strict=True))
        return [units.get(name, other) for name in labels(m, options)]

    return Axis(word, labels, None, MOVES, each)


def _base(m: Mechanism) -> int:
    size: int = moving_base.base_size(m)
    return size


def _rigid(m: Mechanism, options: Options) -> list[int]:
    return elastic.elastic_indices(m)[1]


def _parameters(m: Mechanism, options: Options) -> Sequence[str]:
    drives = options.get("drives", "inertia")
    if options.get("columns") == "base":
        return base_parameters.base_parameters(m, drives).names
    return [c.symbol() for c in regressor.parameter_columns(m, drives)]


def _chosen(m: Mechanism, options: Options) -> Sequence[int]:
    drives, columns = options.get("drives", "inertia"), options.get("columns", "standard")
    return regressor.chosen_columns(m, drives, columns)


def _parameter_units(m: Mechanism, options: Options) -> list[str]:
    columns = regressor.parameter_columns(m, options.get("drives", "inertia"))
    return [columns[c].unit(m) for c in _chosen(m, options)]


def _moving(m: Mechanism, options: Options) -> list[str]:
    """Return the rows of J_h: components of the velocity of each body with inertia."""
    return [f"{m.bodies[j].name}.{part}" for j in kane.massive(m) for part in Free.rate_parts]


def _leg_units(m: Mechanism, options: Options) -> Sequence[str]:
    units = [rate_units(leg.tree) for leg in parallel.platform_of(m).legs]
    if len({len(own) for own in units}) != 1:
        raise ModelError("the legs have different numbers of joints", hint="use the closed loops")
    return units[0]


def _six(word: str, labels: Names) -> Axis:
    """Return the axis of linear and angular components, told apart by the last letters."""

    def each(m: Mechanism, options: Options) -> list[str]:
        turns = ("wx", "wy", "wz", "rx", "ry", "rz")
        return ["rad" if name.endswith(turns) else "m" for name in labels(m, options)]

    return Axis(word, labels, None, MOVES, each)


AXES: Mapping[str, Axis] = {
    "coordinate": Axis("joint", lambda m, o: m.coordinate_names, lambda m, o: m.nq, MOVES,
                       lambda m, o: coordinate_units(m)),
    "joint": Axis("joint", lambda m, o: m.rate_names, lambda m, o: m.nv, MOVES,
                  lambda m, o: rate_units(m)),
    "base": _rates("joint", lambda m, o: range(_base(m))),
    "beyond_base": _rates("joint", lambda m, o: range(_base(m), m.nv)),
    "elastic": _rates("joint", lambda m, o: elastic.elastic_indices(m)[0]),
    "rigid": _rates("joint", _rigid),
    "rigid_beyond_base": _rates("joint", lambda m, o: _rigid(m, o)[_base(m) :]),
    "motor": _rates("motor", lambda m, o: _plan(m, o).motors),
    "active": _named("motor", lambda m, o: m.active),
    "independent": _rates("joint", lambda m, o: _plan(m, o).independent),
    "closure": Axis("equation", lambda m, o: loop_closure.equation_names(m),
                    lambda m, o: loop_closure.equation_count(m), MOVES,
                    lambda m, o: loop_closure.equation_units(m)),
    "cut": Axis("variable", lambda m, o: cut_joints.cut_names(m),
                lambda m, o: len(cut_joints.cut_units(m)), MOVES,
                lambda m, o: cut_joints.cut_units(m)),
    "loop": Axis("loop", lambda m, o: [loop.name or str(k) for k, loop in enumerate(m.loops, 1)]),
    "leg_joint": Axis("", lambda m, o: [], lambda m, o: len(_leg_units(m, o)), MOVES, _leg_units),
    "body": Axis("body", lambda m, o: [b.name for b in m.bodies]),
    "moving": _six("", _moving),
    "speed": _named("speed", _speeds),
    "constraint": _named("constraint", _constraints),
    "steering": _named("steering", lambda m, o: velocity_rows.prescribed_names(m), "rad"),
    "wheel": Axis("wheel", lambda m, o: [w.name for w in m.wheels]),
    "parameter": Axis("parameter", _parameters, lambda m, o: len(_chosen(m, o)),
                      ("kg", "kg m", "kg m2"), _parameter_units),
    "task_row": _six("row", _task_rows),
    "component": _six("", lambda m, o: [SIX[k] for k in cartesian.motions(m)]),
    "xyz": Axis("", lambda m, o: ("x", "y", "z"), None, ("m",)),
    "six": _six("", lambda m, o: SIX),
    "place": Axis("", lambda m, o: (), lambda m, o: 4, ("m",), lambda m, o: ("m", "m", "m", "1")),
    "homogeneous": Axis("", lambda m, o: (), lambda m, o: 4, ("m", "1"),
                        lambda m, o: ("m", "m", "m", "1")),
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
    """Return what the entries of an input belong to, and their units."""
    return INPUTS.get(name) or port(name, "J / joint")


def input_shape(name: str, m: Mechanism) -> tuple[int, ...]:
    """Return the shape of an input."""
    return input_port(name).shape(m, {})
