"""A Program as one LLVM module, with the entries `one` and `batch`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..expr import OPS, Port, Program
from ..expr.block import folded, gathered
from ..expr.rolled import Rolled
from . import folding, tiles
from . import layout as places
from .form import PLAIN, Form
from .lanes import suffix
from .library import NAMES, borrowed, declarations
from .llvm import generate, host, stack, table
from .lower import Access, Numbers, constant_results, functions
from .rolled import module as rolled_module
from .schedule import CHUNK, WHOLE, Outlet, Schedule, constants, outlets, schedule, sparse
from .transpose import pack, rest, unpack

LARGE = 120_000  # lines above which code is generated quickly rather than well
SINGLE = 30_000  # lines above which one state is computed as a batch of one: less to compile
TILE = 4  # groups of states per tile
TILE_BYTES = 400 * 1024
DIRECT = 64  # results up to which they go straight to their rows
SPARSE = 16  # groups of neighbours that are zero, above which an output is cleared beforehand


@dataclass(frozen=True, slots=True)
class Object:
    """Object code with the entries `one` and `batch`, and the scratch bytes each needs."""

    code: bytes
    scratch_one: int
    scratch_batch: int
    tile: int  # states that are computed together


def module(
    program: Program,
    whole: int = WHOLE,
    chunk: int = CHUNK,
    form: Form = PLAIN,
    scalar: int | None = None,
) -> tuple[str, int, int, int]:
    """Return the IR of a program, its scratch bytes for one state and for a batch, and its tile.

    One state has code of its own up to `scalar` lines.
    """
    lanes, tiled = form.lanes(host().lanes), form.layout == "tiles"
    program = replace(
        program, prepare=gathered(folded(program.prepare)), step=gathered(folded(program.step))
    )
    collected = len(program.step.lines) > whole or len(program.step.results) > DIRECT
    if tiled:
        collected = len(program.step.results) > DIRECT
    collected = collected or form.reduce is not None or (form.dtype == "float32" and not tiled)
    leaving, cleared = ([], []) if collected or tiled else _leaving(program, lanes)
    step = schedule(program.step, whole, chunk, leaving)
    prepare = schedule(program.prepare, whole, chunk)
    slots, turns = max(step.slots, prepare.slots), max(step.turns, prepare.turns)
    inside = program
    if tiled:
        inside = replace(program, inputs=(), outputs=program.outputs if collected else ())
    probe = places.layout(inside, lanes, slots, 1, turns, collected)
    groups = max(1, min(TILE, TILE_BYTES // max(probe.scratch, 1)))
    if len(program.step.lines) > LARGE:  # code is longer than scratch: more states for each reading
        groups = TILE
    place = places.layout(inside, lanes, slots, groups, turns, collected)

    rows_in = {p.size for p in inside.inputs} | {len(program.parameters)} - {0}
    numbers = Numbers(lanes)
    rows_out = {p.size for p in program.outputs if collected and not tiled}
    parts = [*(pack(lanes, n) for n in sorted(rows_in)), rest(lanes)]
    parts += [unpack(lanes, n) for n in sorted(rows_out)]
    parts += _blocks(program, step, prepare, place, numbers)
    if tiled:
        parts += [tiles.copy(lanes), tiles.batch(program, place, step, prepare)]
    else:
        parts.append(places.move(program, place))
        if form.reduce is None:
            parts.append(places.batch(program, place, step, prepare, cleared))
        else:
            parts.append(folding.batch(program, place, step, prepare, form.reduce))
    limit = SINGLE if scalar is None else scalar
    single = len(program.step.lines) <= limit and form.scalar
    if not single:
        parts += [places.one_by_batch()] if form.reduce is None else []
        scratch_one = place.scratch
    else:
        one, scratch_one = places.one(program, step, prepare)
        parts += [*_blocks(program, step, prepare, None, None), one]
    parts += [numbers.text("numbers"), table(len(NAMES)), stack(host().lanes), declarations()]
    needed = {suffix(w) for w in ((1, lanes) if single else (lanes,))}
    parts += [
        borrowed(name, kind) for name, kind in NAMES if name in _asked(program) and kind in needed
    ]
    return "".join(parts), scratch_one, place.scratch, groups if tiled else lanes * groups


def alone(program: Program, whole: int = WHOLE, chunk: int = CHUNK) -> tuple[str, int, int, int]:
    """Return the same as `module` with code for one state only: less to compile, slower batches."""
    program = replace(
        program, prepare=gathered(folded(program.prepare)), step=gathered(folded(program.step))
    )
    step = schedule(program.step, whole, chunk)
    prepare = schedule(program.prepare, whole, chunk)
    one, scratch = places.one(program, step, prepare)
    batch, more = places.batch_by_one(program, scratch)
    parts = [*_blocks(program, step, prepare, None, None), one, batch]
    parts += [table(len(NAMES)), stack(host().lanes), declarations()]
    own = [(n, kind) for n, kind in NAMES if n in _asked(program) and kind == suffix(1)]
    parts += [borrowed(name, kind) for name, kind in own]
    return "".join(parts), scratch, more, TILE


def _asked(program: Program) -> set[str]:
    """Return the functions of the library that a program needs."""
    used = [OPS[op] for op in program.prepare.ops | program.step.ops]
    return {"sincos" if op.kind == "sincos" else op.libm for op in used}


def _blocks(
    program: Program,
    step: Schedule,
    prepare: Schedule,
    place: places.Layout | None,
    numbers: Numbers | None,
) -> list[str]:
    """Return the functions of both blocks, for a layout of many lanes or (None) for one lane."""
    prepared = (Port("r", (len(program.prepare.results),)),)
    cleared = frozenset() if place else sparse(step, program.outputs)
    frames = Access(program.inputs, program.outputs, cleared=cleared), Access((), prepared)
    lanes = place.lanes if place else 1
    if place:
        tiled = (bool(program.inputs) and not place.inputs) or (
            bool(program.outputs) and not place.rows
        )
        ends = [(f"%in{k}", offset) for k, offset in enumerate(place.inputs)]
        ends += [("%r", place.prepared), ("%s", place.slots)]
        ends += [(f"%out{k}", offset) for k, offset in enumerate(place.outputs)]
        own = ("%r", place.parameters), ("%out0", place.prepared), ("%s", place.slots)
        frames = (
            Access(
                program.inputs, program.outputs, lanes, place.groups, numbers, tuple(ends), tiled
            ),
            Access((), prepared, lanes, place.groups, numbers, own),
        )
    parts = functions(f"step.{lanes}", step, frames[0])
    if program.parameters:
        parts += functions(f"prepare.{lanes}", prepare, frames[1])
    if place and place.outputs:
        parts.append(constant_results("fixed", step, frames[0]))
    return parts


def _leaving(program: Program, lanes: int) -> tuple[list[Outlet], list[int]]:
    """Return the results in groups, and the outputs that are cleared because many are zero."""
    found = outlets(program.outputs, program.step.results, lanes)
    known = constants(program.step)
    zero = {o: all(known.get(v) == 0 for v in o.values) for o in found}
    many = [sum(zero[o] for o in found if o.port == k) for k in range(len(program.outputs))]
    cleared = [k for k, n in enumerate(many) if n > SPARSE]
    return [o for o in found if not (zero[o] and o.port in cleared)], cleared


def compile_object(
    program: Program | Rolled,
    level: int | None = None,
    whole: int = WHOLE,
    chunk: int = CHUNK,
    form: Form = PLAIN,
    single: bool = False,
    scalar: int | None = None,
) -> Object:
    """Return the object code of a program; `single`: for one state at a time."""
    (text, *rest), better = written(program, whole, chunk, form, single, scalar)
    return Object(generate(text, better if level is None else level), *rest)


def written(
    program: Program | Rolled,
    whole: int = WHOLE,
    chunk: int = CHUNK,
    form: Form = PLAIN,
    single: bool = False,
    scalar: int | None = None,
) -> tuple[tuple[str, int, int, int], int]:
    """Return what `module` returns, and the level of code generation that suits its length."""
    if isinstance(program, Rolled):
        return rolled_module(program, form), 1
    lines = len(program.step.lines) + len(program.prepare.lines)
    level = 0 if lines > LARGE else 1
    if single:
        return alone(program, whole, chunk), level
    return module(program, whole, chunk, form, scalar), level
