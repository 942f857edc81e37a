"""States that stay in lanes: arrays (tiles, ..., W) in which state W t + l is lane l of tile t.

Nothing is turned: functions read inputs and write results where they lie; many results are gathered
first, because caches like long rows better than scattered pieces. A kernel of this form is one
whose states are tiles, so leading dimensions, `out` and threads mean what they mean elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ..errors import UsageError
from ..expr import Program
from .lanes import size, width
from .layout import BATCH, Driver, Layout
from .schedule import Schedule
from .transpose import Moves


class _Tiles(Driver):
    """The driver of functions that reach inputs and outputs by pointers of their own."""

    def __init__(self, program: Program, place: Layout):
        super().__init__(program, place)
        self.nowhere = ["null"] * len(program.inputs)

    def pointers(self) -> None:
        """Write where inputs and outputs lie."""
        for k in range(len(self.program.inputs)):
            self.lines.append(f"%in{k} = load ptr, ptr {self.at('%ins', 8 * k)}, align 8")
            self.lines.append(f"%stride{k} = load i64, ptr {self.at('%strides', 8 * k)}, align 8")
        for k in range(len(self.program.outputs)):
            self.lines.append(f"%out{k} = load ptr, ptr {self.at('%outs', 8 * k)}, align 8")

    def passed(self, group: str, ports: Collection[int] | None) -> list[str]:
        """Return where the inputs of a tile lie, and its outputs if they are not gathered."""
        tile = self.state(group)
        found = []
        for k in range(len(self.program.inputs)):
            found.append(self.at(f"%in{k}", self(f"mul i64 {tile}, %stride{k}")))
        return found + super().passed(group, None)

    def targets(self, group: str, ports: Collection[int] | None = None) -> list[str]:
        """Return where the outputs of a tile lie."""
        tile = self.state(group)
        return [
            self.at(f"%out{k}", self(f"mul i64 {tile}, {width(self.place.lanes) * own.size}"))
            for k, own in enumerate(self.program.outputs)
        ]

    def set(self) -> None:
        """Bring the parameters of each tile to all lanes of its block."""
        many = len(self.program.parameters)
        with self.repeat(self.groups) as g:
            src = self.at("%params", self(f"mul i64 {self.state(g)}, %pstride"))
            to = self.at(self.block(g), self.place.parameters)
            self.call(f"pack.{many}", to, src, numbers=[0, 1])

    def load(self) -> None:
        """Leave inputs where they are."""

    def save(self) -> None:
        """Bring gathered results to their arrays."""
        if not self.place.outputs:
            return
        with self.repeat(self.groups) as g:
            ends = zip(self.targets(g), self.program.outputs, self.place.outputs, strict=True)
            for to, own, offset in ends:
                if own.size:
                    self.call("lanes", to, self.at(self.block(g), offset), numbers=[own.size])


def batch(program: Program, place: Layout, step: Schedule, prepare: Schedule) -> str:
    """Return `batch` with the arguments of the one for rows; `count` and strides are of tiles."""
    d = _Tiles(program, place)
    d.batch(step, prepare)
    return d.procedure("batch", BATCH, entry=True)


def copy(lanes: int) -> str:
    """Return `lanes(to, from, n)`, which copies n entries of all lanes to anywhere in memory."""
    w = Moves(lanes)
    with w.repeat("%n") as k:
        x = w.get(w.type, w.at(w.type, "%from", k))
        w.put(w.type, x, w.at(w.type, "%to", k), size(lanes))
    return w.procedure("lanes", "ptr noalias %to, ptr noalias %from, i64 %n")


# -- arrays --------------------------------------------------------------------------------------


def to_tiles(array: Any, lanes: int, dtype: str) -> np.ndarray:
    """Return (states, ...) as (tiles, ..., lanes); the last state is repeated to fill its tile."""
    rows = np.asarray(array, dtype=dtype)
    if rows.ndim == 0:
        raise UsageError("to_tiles: a number has no states", hint="give (states, ...)")
    missing = -len(rows) % lanes
    if missing:
        rows = np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)])
    cut = rows.reshape(len(rows) // lanes, lanes, *rows.shape[1:])
    return np.ascontiguousarray(np.moveaxis(cut, 1, -1))


def from_tiles(array: Any, lanes: int, states: int | None) -> np.ndarray:
    """Return (tiles, ..., lanes) as (states, ...)."""
    given = np.asarray(array)
    if given.ndim < 2 or given.shape[-1] != lanes:
        raise UsageError(
            f"from_tiles: shape {given.shape}, expected (tiles, ..., {lanes})",
            hint="give what a kernel of layout='tiles' returned",
        )
    rows = np.moveaxis(given, -1, 1).reshape(len(given) * lanes, *given.shape[1:-1])
    if states is not None and not 0 <= states <= len(rows):
        raise UsageError(f"from_tiles: {states} states of {len(rows)}", hint="give fewer")
    return rows[:states]
