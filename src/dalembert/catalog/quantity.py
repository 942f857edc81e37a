"""One row of the catalog: everything that is known of a quantity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from ..frozen import dataclass
from .axes import Output

Algorithm = Callable[..., Any]
MOTORS: Mapping[str, str] = {
    "make": "it is the forces with which they make a motion",
    "share": "it is forces that those of the motors decide too",
    "hold": "they must hold the machine: what follows no motor would move otherwise",
    "rest": "nothing: it has a meaning where they are at a dead point",
}
FOLLOWERS: Mapping[str, str] = {
    "projected": "that of the whole tree, read by the coordinates that are left",
    "known": "the algorithm knows that joints follow others",
    "kane": "that of Kane's method, whose J_nh is then constant",
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """One row: what it needs, what it gives, which algorithms compute it.

    `methods` maps a method to an algorithm `f(mechanism, *inputs, **options)`; the first one is the
    default. `options` are names with their default values.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[Output, ...]
    methods: Mapping[str, Algorithm]
    summary: str
    options: Mapping[str, Any] = field(default_factory=dict)
    example: str = "puma560()"  # a ready robot that has it
    frame_free: bool = False  # it lives in joint space: frames may be re-chosen before tracing
    lighten: bool = False  # fewer operations may remain after `regroup(lighten)`
    cheaper: str = ""  # the method that some trees gain from, where none is asked for
    counted: str = ""  # machines for which `cost` counts it unasked: "any", "closed", ...
    wrenches: bool = False  # external wrenches may be given
    regular: bool = False  # it inverts the Jacobian of a frame
    followers: str = ""  # what it is where joints follow others, a key of FOLLOWERS; else refused
    folded: Mapping[str, Algorithm] = field(default_factory=dict)  # its methods there, if others
    # of machines that loops, couplings, wheels or constraints hold
    planned: bool = False  # the algorithm takes a LoopPlan after the mechanism (loops.py)
    closes: bool = False  # it finds the pose in which loops close, others need one
    opens: bool = False  # it has a meaning where loops are open, and says by how much
    motors: str = ""  # of a planned row: what it asks of the motors, a key of MOTORS
    named_motors: bool = False  # it is refused where no motor is named
    in_motion: bool = False  # it is that of the closed motion: independent rates are read
    instead: str = ""  # what to ask for there, as it would be that of the cut tree alone
    instead_kane: str = ""  # the same in the speeds of wheels and velocity constraints

    @property
    def unit(self) -> str:
        """The units of all outputs."""
        return "; ".join(dict.fromkeys(out.unit for out in self.outputs))

    @property
    def held(self) -> bool:
        """Whether the motors must hold the machine."""
        return self.motors in ("make", "share", "hold")

    @property
    def by_independent(self) -> bool:
        """Whether it has an entry for each independent joint of a plan."""
        return any("independent" in out.axes for out in self.outputs)

    @property
    def by_motor(self) -> bool:
        """Whether it takes or gives an entry for each motor of a plan."""
        return "tau_active" in self.inputs or any("motor" in out.axes for out in self.outputs)

    @property
    def default(self) -> str:
        """The method that is used where none is named, on trees.

        Loops and wheels have methods of their own (`loops`), so have followers (`folded`). A kernel
        takes `cheaper` where it costs less (`compute/cheapest`), long chains a routine for each
        kind of link (`compute/rolled`).
        """
        return next(iter(self.methods))

    def cells(self) -> tuple[str, ...]:
        """Return the row as texts: name, inputs, outputs, methods, unit, meaning."""
        gives = ", ".join(out.name for out in self.outputs)
        methods = ", ".join(self.methods)
        return self.name, ", ".join(self.inputs), gives, methods, self.unit, self.summary

    def __repr__(self) -> str:
        name, inputs, gives, methods, unit, meaning = self.cells()
        return f"{name}({inputs}) -> {gives}: {meaning} ({unit}); methods: {methods}"


def row(
    name: str, inputs: str, outputs: tuple[Output, ...], methods: Mapping[str, Algorithm],
    summary: str, options: Mapping[str, Any] | None = None, **facts: Any,
) -> Quantity:  # fmt: skip
    """Return a row of the catalog: `row("gravity", "q", gives(g="J / joint"), {...}, "...")`."""
    return Quantity(name, tuple(inputs.split()), outputs, methods, summary, options or {}, **facts)
