"""Results without their zeros and copies: distinct values that are not zero, and where they belong.

What counts is the program, not the numbers: entries that are one value of it are written once,
entries that are zero in every state not at all. Order: first appearance, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..expr import Port
from ..frozen import dataclass

if TYPE_CHECKING:
    import numpy as np

    from ..expr import Program

ZERO = -1


@dataclass(frozen=True, slots=True)
class Places:
    """The whole outputs of a packed kernel, and for each entry its place among the values."""

    outputs: tuple[Port, ...]
    index: tuple[tuple[int, ...], ...]  # ZERO where an entry is zero in every state

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Places:
        """Return the places of plain data; raises KeyError, TypeError or ValueError on others."""
        ports = tuple(Port(str(r["name"]), tuple(map(int, r["shape"]))) for r in data["outputs"])
        return Places(ports, tuple(tuple(map(int, row)) for row in data["index"]))

    def maps(self) -> tuple[np.ndarray, ...]:
        """Return the places as arrays of the shapes of the whole outputs."""
        import numpy as np

        pairs = zip(self.outputs, self.index, strict=True)
        return tuple(np.array(row, dtype=np.intp).reshape(port.shape) for port, row in pairs)

    def unpacked(self, packed: Sequence[Any], name: str) -> tuple[np.ndarray, ...]:
        """Return whole arrays; leading dimensions stay."""
        import numpy as np

        found = []
        for port, places, values in zip(self.outputs, self.maps(), packed, strict=True):
            given = np.asarray(values)
            size = int(places.max(initial=ZERO)) + 1
            if given.ndim == 0 or given.shape[-1] != size:
                raise UsageError(
                    f"{name}: packed {port.name} has shape {given.shape}, expected (..., {size})",
                    hint="give what the kernel returned",
                )
            whole = np.zeros(given.shape[:-1] + port.shape, given.dtype)
            kept = places != ZERO
            whole[..., kept] = given[..., places[kept]]
            found.append(whole)
        return tuple(found)


def packed(program: Program) -> tuple[Program, Places]:
    """Return the program that gives each value once, and where the values belong."""
    from ..expr.block import folded

    step = folded(program.step)
    at, results, ports, index = 0, [], [], []
    for port in program.outputs:
        place: dict[int, int] = {}
        row = []
        for v in step.results[at : at + port.size]:
            row.append(ZERO if step.constant(v) == 0 else place.setdefault(v, len(place)))
        at += port.size
        results += [*place]
        ports.append(Port(port.name, (len(place),)))
        index.append(tuple(row))
    own = replace(program, outputs=tuple(ports), step=replace(step, results=tuple(results)))
    return own, Places(program.outputs, tuple(index))
