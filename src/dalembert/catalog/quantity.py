"""One row of the catalog: everything that is known of a quantity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .axes import Output

Algorithm = Callable[..., Any]
MOTORS: Mapping[str, str] = {
    "make": "it is the forces with which they make a motion",
    "share": "it is forces that those of the motors decide too",
    "hold": "they must hold the machine: what follows no motor would move otherwise",
    "rest": "nothing: it has a meaning where they are at a dead point",
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """One row: what it needs, what it gives, which algorithms compute it.

    `methods` maps a method to an algorithm `f(mechanism, *inputs, **options)`; the first one is the
    default. `frame_free`: the result lives in joint space, so frames may be re-chosen and inertias
    regrouped before tracing. `options` are names with their default values.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[Output, ...]
    methods: Mapping[str, Algorithm]
    unit: str
    summary: str
    frame_free: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    planned: bool = False  # the algorithm takes a LoopPlan after the mechanism (loops.py)
    wrenches: bool = False  # external wrenches may be given
    lighten: bool = False  # fewer operations may remain after `regroup(lighten)`
    motors: str = ""  # of a planned row: what it asks of the motors, a key of MOTORS
    closes: bool = False  # it finds the pose in which loops close, others need one
    regular: bool = False  # it inverts the Jacobian of a frame
    example: str = "puma560()"  # a ready robot that has it

    @property
    def held(self) -> bool:
        """Whether the motors must hold the machine."""
        return self.motors in ("make", "share", "hold")

    @property
    def by_independent(self) -> bool:
        """Whether it has an entry for each independent joint of a plan."""
        return any("independent" in out.axes for out in self.outputs)

    @property
    def default(self) -> str:
        """The method that is used where none is named."""
        return next(iter(self.methods))

    def cells(self) -> tuple[str, ...]:
        """Return the row as texts: name, inputs, outputs, methods, unit, meaning."""
        gives = ", ".join(out.name for out in self.outputs)
        methods = ", ".join(self.methods)
        return self.name, ", ".join(self.inputs), gives, methods, self.unit, self.summary

    def __repr__(self) -> str:
        name, inputs, gives, methods, unit, meaning = self.cells()
        return f"{name}({inputs}) -> {gives}: {meaning} ({unit}); methods: {methods}"
