"""A Program as one LLVM module, with the entries `one` and `batch`."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..expr import OPS, Port, Program
from ..expr.block import folded, gathered
from ..expr.rolled import Rolled
from ..expr.sums import chained
from ..frozen import dataclass
from . import layout as places
from .batch import batch
from .bundled import Bundled
from .called import routines
from .form import PLAIN, Form
from .fused import written_out
from .incoming import angles
from .lanes import suffix
from .latency import asks_libm, waits
from .layout import Layout
from .library import NAMES, borrowed, declarations
from .limbs import Bundle, bundled
from .llvm import generate, host, stack, table
from .lower import (
    Access,
    Chunk,
    Numbers,
    access,
    constant_results,
    functions,
    kept_decoded,
    kept_in_order,
)
from .packed import packed
from .refused import hurried
from .rolled import PAIRED
from .rolled import alone as rolled_alone
from .rolled import module as rolled_module
from .schedule import DECODED, Outlet, Schedule, constants, outlets, schedule, sparse, stays

LARGE = 120_000  # lines above which code is generated quickly first, and well in the background
DRIVEN = 1500  # the same of code that a driver calls: it is made well where it runs long
SINGLE = 30_000  # lines above which one state is computed as a batch of one: less to compile
TILE = 4  # groups of states per tile
TILE_BYTES = 400 * 1024
NEAR = 16 * 1024  # bytes up to which a tile has twice as many: they stay in the nearest cache
DIRECT = 128  # results up to which they go straight to their rows
PAGE, PLACE = 4096, 1024  # bytes: where in a page the code of one state begins on these
SPARSE = 16  # groups of neighbours that are zero, above which an output is cleared beforehand


@dataclass(frozen=True, slots=True)
class Object:
    """Object code with the entries `one` and `batch`, and the scratch bytes each needs."""

    code: bytes
    scratch_one: int
    scratch_batch: int
    tile: int  # states that are computed together
    better: bytes = b""  # packed IR text of which better code can be made, with the same results


def module(
    program: Program, form: Form = PLAIN, scalar: int | None = None
) -> tuple[str, int, int, int]:
    """Return the IR of a program, its scratch bytes for one state and for a batch, and its tile.

    One state has code of its own up to `scalar` lines.
    """
    tiled, wide = form.layout == "tiles", sum(p.size for p in program.outputs)
    index = None
    if form.reduce:  # each value is taken in once, and zeros not at all
        program, found = packed(program)
        index = found.index
    program = _ordered(program)
    vectors = _vectors(program, form)
    unit = form.lanes(host().lanes)
    lanes = type(unit)(vectors * unit)
    collected = len(program.step.results) > DIRECT or form.reduce is not None
    leaving, cleared = ([], []) if collected or tiled else _leaving(program, lanes)
    short = program.step.size <= (SINGLE if scalar is None else scalar)
    single = short and form.scalar  # cuts are those of the other forms, so all round alike
    step, prepare = schedule(program.step, leaving, both=short), schedule(program.prepare)
    slots, turns = max(step.slots, prepare.slots), max(step.turns, prepare.turns)
    inside = program
    if tiled:
        inside = replace(program, inputs=(), outputs=program.outputs if collected else ())
    probe = places.layout(inside, lanes, slots, 1, turns, collected)
    straight = {} if tiled else angles(program, step)
    place = replace(
        probe,
        groups=_groups(program, probe, vectors),
        vectors=vectors,
        angles=tuple(straight.values()),
    )
    numbers = Numbers(lanes)
    parts = _blocks(program, step, prepare, place, numbers, tiled)
    parts += batch(program, place, step, prepare, form, cleared, index)
    scratch_one = place.scratch
    if single:
        text, scratch_one = _one(program)
        parts += text
    elif form.reduce is None:
        parts.append(places.one_by_batch())
    parts += [numbers.text("numbers"), *_ending(program, (1, unit) if single else (unit,))]
    return (
        "".join(parts),
        scratch_one,
        place.scratch + (8 * wide if form.reduce else 0),
        place.groups if tiled else lanes * place.groups,
    )


def _groups(program: Program, probe: Layout, vectors: int) -> int:
    """Return how many blocks a tile has."""
    if program.step.size > LARGE:  # code is longer than scratch: more states for each reading
        most = TILE
    elif host().roomy and stays(program.step):  # its wide values shall stay in the nearest cache
        fits = (n for n in range(TILE, 1, -1) if replace(probe, groups=n).scratch <= NEAR)
        most = next(fits, 1)
    else:
        most = max(1, min(TILE // vectors, TILE_BYTES // max(probe.scratch, 1)))
    return 2 * most if replace(probe, groups=2 * most).scratch <= NEAR else most


def _vectors(program: Program, form: Form) -> int:
    """Return how many vectors of states are computed side by side."""
    both = (
        form.layout == "rows"
        and host().lanes == PAIRED
        and waits(program.step)
        and not asks_libm(program.prepare)
    )
    return 2 if both else 1


def alone(program: Program) -> tuple[str, int, int, int]:
    """Return the same as `module` with code for one state only: less to compile, slower batches."""
    program = _ordered(program)
    one, scratch = _one(program)
    many, more = places.batch_by_one(program, scratch)
    return "".join([*one, many, *_ending(program, (1,))]), scratch, more, TILE


def _placed() -> str:
    """Return a function that is never called: what comes next begins at one place of a page.

    Else a change before it would make the code of one state up to a twentieth slower or faster.
    """
    if not host().cpu.startswith("znver"):
        return ""
    fill = f'call void asm sideeffect ".fill {PLACE - 64}, 1, 0x90", ""()'
    return f"define internal void @placed() #0 align {PAGE} {{\n  {fill}\n  ret void\n}}\n"


def _one(program: Program) -> tuple[list[str], int]:
    """Return the code for one state, and its scratch bytes."""
    block, bundles = bundled(program.step, program.inputs)
    step, prepare = (schedule(block, alone=True) for block in (block, program.prepare))
    program = replace(program, step=block)
    one, scratch = places.one(program, step, prepare)
    return [_placed(), *_blocks(program, step, prepare, bundles=bundles), one], scratch


def _ordered(program: Program) -> Program:
    prepare, step = (gathered(chained(folded(block))) for block in (program.prepare, program.step))
    return replace(program, prepare=prepare, step=step)


def _ending(program: Program, lanes: Sequence[int]) -> list[str]:
    """Return what every kernel ends with: attributes, and the functions that it borrows."""
    used = [OPS[op] for op in program.prepare.ops | program.step.ops]
    asked = {"sincos" if op.kind == "sincos" else op.libm for op in used}
    kinds = {suffix(w) for w in lanes}
    own = [borrowed(name, kind) for name, kind in NAMES if name in asked and kind in kinds]
    return [table(len(NAMES)), stack(host().lanes), declarations(), *own]


def _blocks(
    program: Program, step: Schedule, prepare: Schedule, place: places.Layout | None = None,
    numbers: Numbers | None = None, tiled: bool = False, bundles: tuple[Bundle, ...] = (),
) -> list[str]:  # fmt: skip
    """Return the functions of both blocks, for a layout of many lanes or (None) for one lane."""
    prepared = (Port("r", (len(program.prepare.results),)),)
    if place is None or numbers is None:
        cleared = sparse(step, program.outputs)
        lanes, early = 1, Access((), prepared)
        kept = kept_in_order(program.step, 1)
        ports, long = (program.inputs, program.outputs), len(program.step.lines) > DECODED
        near = kept and kept_decoded(program.step)
        late = Access(
            *ports, cleared=cleared, ordered=kept, jumping=near, framed=long, bundles=bundles
        )
    else:
        lanes, late = place.lanes, access(program, place, numbers, tiled)
        own = ("%r", place.parameters), ("%out0", place.prepared), ("%s", place.slots)
        early = Access((), prepared, lanes, place.groups, numbers, own)
    kind = Bundled if bundles else Chunk
    parts = functions(f"step.{lanes}", step, late, kind) + routines(step, late)
    if program.parameters:
        parts += functions(f"prepare.{lanes}", prepare, early)
    if place and place.outputs:
        parts.append(constant_results("fixed", step, late))
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
    program: Program | Rolled, form: Form = PLAIN, single: bool = False, scalar: int | None = None
) -> Object:
    """Return the object code of a program; `single`: for one state at a time."""
    return unmade_object(program, form, single, scalar)()


def unmade_object(
    program: Program | Rolled, form: Form = PLAIN, single: bool = False, scalar: int | None = None,
    driven: bool = False,
) -> Callable[[], Object]:  # fmt: skip
    """Return the function that makes the object code of a program: only LLVM's work is left."""
    text, one, many, tile = written(program, form, single, scalar)
    most = min(DRIVEN, LARGE) if driven else LARGE
    long = isinstance(program, Program) and _lines(program) > most
    if not (long or hurried()):
        return lambda: Object(generate(text, 1), one, many, tile)
    quick = written_out(text) if host().fused else text
    better = b"" if hurried() else zlib.compress(text.encode(), 1)
    return lambda: Object(generate(quick, 0), one, many, tile, better)


def _lines(program: Program) -> int:
    return len(program.step.lines) + len(program.prepare.lines)


def written(
    program: Program | Rolled, form: Form = PLAIN, single: bool = False, scalar: int | None = None
) -> tuple[str, int, int, int]:
    """Return what `module` returns, of a program in any form."""
    if isinstance(program, Rolled):
        return rolled_alone(program) if single else rolled_module(program, form)
    return alone(program) if single else module(program, form, scalar)
