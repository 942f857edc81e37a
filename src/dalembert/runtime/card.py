"""What a kernel says about itself: enough to call it, without the Program it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, replace
from typing import TYPE_CHECKING, Any

from ..expr import Cost, Port
from ..frozen import dataclass
from .form import PLAIN, Form
from .packed import Places

if TYPE_CHECKING:
    from ..expr import Program

SCRATCH = 1 << 32  # bytes that no kernel passes
TILE = 1 << 20  # states


@dataclass(frozen=True, slots=True)
class Card:
    """Names, shapes and cost of a kernel, and the scratch memory its entries need."""

    name: str
    parameters: tuple[str, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    cost: dict[str, Cost]
    scratch_one: int = 0
    scratch_batch: int = 0
    tile: int = 1
    idle: tuple[str, ...] = ()  # parameters that no output depends on
    defaults: Mapping[str, float] = field(default_factory=dict)  # of parameters not given
    places: Places | None = None  # where packed results belong
    form: Form = PLAIN
    lanes: int = 1  # states of a tile, where they stay in lanes

    def to_dict(self) -> dict[str, Any]:
        """Return the card as plain data for a JSON header; code does not depend on defaults."""
        data = asdict(self)
        del data["defaults"]
        return data

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Card:
        """Return the card of plain data; raises KeyError, TypeError or ValueError on other data."""

        def ports(rows: list[dict[str, Any]]) -> tuple[Port, ...]:
            return tuple(Port(str(r["name"]), tuple(int(k) for k in r["shape"])) for r in rows)

        return Card(
            str(data["name"]),
            tuple(str(p) for p in data["parameters"]),
            ports(data["inputs"]),
            ports(data["outputs"]),
            {str(k): Cost(**{n: int(c) for n, c in v.items()}) for k, v in data["cost"].items()},
            _within(data["scratch_one"], 0, SCRATCH),
            _within(data["scratch_batch"], 0, SCRATCH),
            _within(data["tile"], 1, TILE),
            tuple(str(p) for p in data["idle"]),
            places=Places.from_dict(data["places"]) if data["places"] else None,
            form=Form(**data["form"]),
            lanes=_within(data["lanes"], 1, TILE),
        )


def _within(given: Any, least: int, most: int) -> int:
    """Return a whole number that code can have asked for; raises ValueError."""
    if type(given) is not int or not least <= given <= most:
        raise ValueError(f"{given!r} is not from {least} to {most}")
    return given


def card(
    program: Program,
    scratch_one: int = 0,
    scratch_batch: int = 0,
    tile: int = 1,
    places: Places | None = None,
    form: Form = PLAIN,
    lanes: int = 1,
) -> Card:
    """Return the card of a program whose code needs so much scratch; `lanes` are those of tiles."""
    ports = program.inputs, program.outputs
    inputs, outputs = (
        tuple(replace(p, shape=(*p.shape, lanes)) for p in some) if lanes > 1 else some
        for some in ports
    )
    return Card(
        program.name,
        program.parameters,
        inputs,
        outputs,
        program.cost,
        scratch_one,
        scratch_batch,
        tile,
        program.idle,
        places=places,
        form=form,
        lanes=lanes,
    )
