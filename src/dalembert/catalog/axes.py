"""What the entries of inputs and outputs belong to.

An axis has a size, a name for each entry and a word for messages; shapes of kernels, labels of
the command line and places named by errors all follow from it. A number is an axis without names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ModelError
from ..joint import Free
from ..mechanism import Mechanism
from .later import (
    base_parameters,
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

Options = Mapping[str, Any]
Labels = Callable[[Mechanism, Options], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension: names of its entries, the word for one of them, its size if simpler."""

    word: str
    labels: Labels
    count: Callable[[Mechanism, Options], int] | None = None

    def size(self, m: Mechanism, options: Options) -> int:
        """Return how many entries there are."""
        return self.count(m, options) if self.count else len(self.labels(m, options))


@dataclass(frozen=True, slots=True)
class Output:
    """A named result and what its dimensions belong to: `Output("M", ("joint", "joint"))`."""

    name: str
    axes: tuple[str | int, ...]

    def shape(self, m: Mechanism, options: Options) -> tuple[int, ...]:
        """Return the shape for a mechanism."""
        return shape_of(self.axes, m, options)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.name, self.shape))


def gives(**outputs: str) -> tuple[Output, ...]:
    """Return outputs by the names of their axes: `gives(M="joint joint", T="4 4")`."""
    spelled = {name: axes.split() for name, axes in outputs.items()}
    return tuple(
        Output(name, tuple(int(a) if a.isdigit() else a for a in axes))
        for name, axes in spelled.items()
    )


def shape_of(axes: Sequence[str | int], m: Mechanism, options: Options) -> tuple[int, ...]:
    """Return the size along each axis."""
    return tuple(a if isinstance(a, int) else AXES[a].size(m, options) for a in axes)


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


def _rates(indices: Callable[[Mechanism, Options], Sequence[int]]) -> Labels:
    return lambda m, options: [m.rate_names[k] for k in indices(m, options)]


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


def _columns(m: Mechanism, options: Options) -> int:
    return len(regressor.chosen_columns(m, options["drives"], options["columns"]))


def _moving(m: Mechanism, options: Options) -> list[str]:
    """Return the rows of J_h: components of the velocity of each body with inertia."""
    return [f"{m.bodies[j].name}.{part}" for j in kane.massive(m) for part in Free.rate_parts]


def _leg_joints(m: Mechanism, options: Options) -> int:
    sizes = {leg.tree.nv for leg in parallel.platform_of(m).legs}
    if len(sizes) != 1:
        raise ModelError("the legs have different numbers of joints", hint="use the closed loops")
    return sizes.pop()


def _named(names: str) -> Labels:
    return lambda m, options: names.split()


AXES: Mapping[str, Axis] = {
    "coordinate": Axis("joint", lambda m, o: m.coordinate_names, lambda m, o: m.nq),
    "joint": Axis("joint", lambda m, o: m.rate_names, lambda m, o: m.nv),
    "base": Axis("joint", lambda m, o: m.rate_names[: _base(m)], lambda m, o: _base(m)),
    "beyond_base": Axis("joint", lambda m, o: m.rate_names[_base(m) :],
                        lambda m, o: max(0, m.nv - _base(m))),
    "elastic": Axis("joint", _rates(lambda m, o: elastic.elastic_indices(m)[0])),
    "rigid": Axis("joint", _rates(_rigid)),
    "rigid_beyond_base": Axis("joint", _rates(lambda m, o: _rigid(m, o)[_base(m) :])),
    "motor": Axis("motor", _rates(lambda m, o: _plan(m, o).motors),
                  lambda m, o: len(_plan(m, o).motors)),
    "active": Axis("motor", lambda m, o: m.active),
    "independent": Axis("joint", _rates(lambda m, o: _plan(m, o).independent),
                        lambda m, o: _plan(m, o).mobility),
    "closure": Axis("equation", lambda m, o: loop_closure.equation_names(m),
                    lambda m, o: loop_closure.equation_count(m)),
    "cut": Axis("variable", lambda m, o: cut_joints.cut_names(m),
                lambda m, o: cut_joints.cut_count(m)),
    "loop": Axis("loop", lambda m, o: [loop.name or str(k) for k, loop in enumerate(m.loops, 1)]),
    "leg_joint": Axis("", lambda m, o: [], _leg_joints),
    "body": Axis("body", lambda m, o: [b.name for b in m.bodies]),
    "moving": Axis("", _moving),
    "speed": Axis("speed", _speeds),
    "constraint": Axis("constraint", _constraints),
    "steering": Axis("steering", lambda m, o: velocity_rows.prescribed_names(m)),
    "wheel": Axis("wheel", lambda m, o: [w.name for w in m.wheels]),
    "parameter": Axis("parameter", _parameters, _columns),
    "task_row": Axis("row", _task_rows),
    "xyz": Axis("", _named("x y z")),
    "six": Axis("", _named("x y z rx ry rz")),
}  # fmt: skip

# inputs that are not one number per velocity variable
INPUTS: Mapping[str, tuple[str | int, ...]] = {
    "q": ("coordinate",),
    "qdd_joints": ("beyond_base",),
    "tau_joints": ("beyond_base",),
    "base_acceleration": ("base",),
    "alpha": ("speed",),
    "steer": ("steering",),
    "steer_rate": ("steering",),
    "traction": ("wheel",),
    "tau_active": ("motor",),
    "forces": ("active",),
    "pose": (4, 4),
    "twist": ("six",),
    "twist_rate": ("six",),
}


def input_axes(name: str) -> tuple[str | int, ...]:
    """Return what the entries of an input belong to."""
    return INPUTS.get(name, ("joint",))


def input_shape(name: str, m: Mechanism) -> tuple[int, ...]:
    """Return the shape of an input."""
    return shape_of(input_axes(name), m, {})
