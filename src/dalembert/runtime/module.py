"""A Program as one LLVM module, with the entries `one` and `batch`."""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Port, Program
from . import layout as places
from .library import NAMES, borrowed, declarations
from .llvm import generate, host, table
from .lower import Frame, Numbers, constant_results, functions
from .schedule import CHUNK, WHOLE, Schedule, schedule
from .transpose import transposes

LARGE = 20_000  # lines above which code is generated quickly rather than well
TILE = 4  # groups of states per tile
TILE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Object:
    """Object code with the entries `one` and `batch`, and the scratch bytes each needs."""

    code: bytes
    scratch_one: int
    scratch_batch: int
    tile: int  # states that are computed together


def module(program: Program, whole: int = WHOLE, chunk: int = CHUNK) -> tuple[str, int, int, int]:
    """Return the IR of a program, its scratch bytes for one state and for a batch, and its tile."""
    lanes = host().lanes
    step = schedule(program.step, whole, chunk)
    prepare = schedule(program.prepare, whole, chunk)
    long = step.lines > whole
    slots, turns = max(step.slots, prepare.slots), max(step.turns, prepare.turns)
    probe = places.layout(program, lanes, slots, 1, turns)
    groups = max(1, min(TILE, TILE_BYTES // max(probe.scratch, 1)))
    place = places.layout(program, lanes, slots, groups, turns)

    rows_in = {p.size for p in program.inputs} | {len(program.parameters)} - {0}
    rows_out = {p.size for p in program.outputs}
    numbers = Numbers(lanes)
    parts = [transposes(lanes, rows_in, rows_out)]
    parts += _blocks(program, step, prepare, place, numbers)
    parts += [places.move(program, place), places.batch(program, place, step, prepare)]
    if long:
        parts.append(places.ONE_BY_BATCH)
        scratch_one = place.scratch
    else:
        single, scratch_one = places.one(program, step, prepare)
        parts += [*_blocks(program, step, prepare, None, None), single]
    text = "".join([*parts, numbers.text("numbers")])
    text += (
        table(len(NAMES))
        + declarations()
        + "".join(borrowed(name) for name in NAMES if f"@{name}(" in text)
    )
    return text, scratch_one, place.scratch, lanes * groups


def _blocks(
    program: Program,
    step: Schedule,
    prepare: Schedule,
    place: places.Layout | None,
    numbers: Numbers | None,
) -> list[str]:
    """Return the functions of both blocks, for a layout of many lanes or (None) for one lane."""
    prepared = (Port("r", (len(program.prepare.results),)),)
    frames = Frame(program.inputs, program.outputs), Frame((), prepared)
    lanes = place.lanes if place else 1
    if place:
        ends = (*place.inputs, place.prepared, *place.outputs, place.slots)
        own = (place.parameters, place.prepared, place.slots)
        frames = (
            Frame(program.inputs, program.outputs, lanes, place.groups, numbers, ends),
            Frame((), prepared, lanes, place.groups, numbers, own),
        )
    parts = functions(f"step.{lanes}", step, frames[0])
    if program.parameters:
        parts += functions(f"prepare.{lanes}", prepare, frames[1])
    if place:
        parts.append(constant_results("fixed", step, frames[0]))
    return parts


def compile_object(
    program: Program, level: int | None = None, whole: int = WHOLE, chunk: int = CHUNK
) -> Object:
    """Return the object code of a program."""
    lines = len(program.step.lines) + len(program.prepare.lines)
    if level is None:
        level = 0 if lines > LARGE else 1
    text, one, batch, tile = module(program, whole, chunk)
    return Object(generate(text, level), one, batch, tile)
