"""What a file of generated code holds: functions of one mechanism, their names and golden vectors.

A Unit is plain data. Every language writes it; none asks the mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..expr.block import Block
from ..expr.function import Port
from ..expr.ordered import Cost


@dataclass(frozen=True, slots=True)
class Golden:
    """Inputs of a function and the results that the algorithm itself gives in floats."""

    inputs: tuple[tuple[float, ...], ...]
    outputs: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One function: a quantity, the same with its checks, or all quantities together."""

    name: str  # an identifier
    summary: str
    unit: str
    method: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    arguments: tuple[str, ...]  # identifiers of inputs and outputs
    step: Block
    cost: Cost
    golden: tuple[Golden, ...]
    growth: tuple[float, ...]  # per output: how many roundings of its largest value to expect
    words: Mapping[int, str] = field(default_factory=dict)  # names for leaves and lines of `step`
    told: Mapping[int, str] = field(default_factory=dict)  # remarks on entries of the first output

    @property
    def given(self) -> Sequence[str]:
        """The identifiers of the inputs."""
        return self.arguments[: len(self.inputs)]

    @property
    def made(self) -> Sequence[str]:
        """The identifiers of the outputs."""
        return self.arguments[len(self.inputs) :]

    def size(self, k: int) -> float:
        """Return the largest value of output k in the golden vectors."""
        return max((abs(x) for g in self.golden for x in g.outputs[k]), default=0.0) or 1.0

    def roundings(self, k: int) -> float:
        """Return how many roundings of its largest value output k may be off."""
        return 32 * self.growth[k]


@dataclass(frozen=True, slots=True)
class Slot:
    """A coordinate, speed or parameter: the name as it was given, an identifier, a unit."""

    name: str
    id: str
    unit: str = ""
    value: float | None = None

    @property
    def number(self) -> float:
        """The value, or nan if there is none."""
        return math.nan if self.value is None else self.value


@dataclass(frozen=True, slots=True)
class Unit:
    """Functions of one mechanism; `r` = prepare(p) serves all of them."""

    id: str
    name: str  # as it was given
    version: str
    positions: tuple[Slot, ...]
    speeds: tuple[Slot, ...]
    parameters: tuple[Slot, ...]
    trial: tuple[float, ...]  # parameters of the golden vectors
    prepare: Block
    prepared: int
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()

    @property
    def defaults(self) -> tuple[float, ...]:
        """The values of the parameters, nan where there is none."""
        return tuple(p.number for p in self.parameters)

    @property
    def has_checks(self) -> bool:
        """Whether functions say how far they can be trusted."""
        return any(p.name == "checks" for e in self.entries for p in e.outputs)

    @property
    def room(self) -> int:
        """The length of an array that holds what was prepared."""
        return max(1, self.prepared)
