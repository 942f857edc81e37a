"""A Program becomes object code, and object code an engine that runs it.

No IR passes run (the graph is already shared and folded), nothing global is set in LLVM, and each
engine owns its code: dropping it frees the memory.
"""

from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass
from typing import Any

import llvmlite
import llvmlite.binding as binding

from ..expr import Port, Program
from . import layout as places
from .lower import LIBM, Numbers, constant_results, functions, suffix
from .schedule import CHUNK, WHOLE, Schedule, schedule
from .sincos import LIBRARY, libm_lanes, sincos
from .transpose import transposes

LARGE = 20_000  # lines above which code is generated quickly rather than well
TILE = 4  # groups of states per tile when a program is cut into several functions
TILE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Host:
    """The processor code is made for: the instruction sets used, not how it is tuned."""

    triple: str
    cpu: str
    features: str
    lanes: int
    fused: bool


@functools.cache
def host() -> Host:
    """Return the processor of this machine, as LLVM sees it."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    features = binding.get_host_cpu_features()
    triple = binding.get_process_triple()
    arm = triple.startswith(("aarch64", "arm64"))
    return Host(
        triple,
        binding.get_host_cpu_name(),
        features.flatten(),
        4 if features.get("avx2") else 2,
        bool(features.get("fma")) or arm,
    )


@functools.cache
def libm() -> ctypes.Array[ctypes.c_void_p]:
    """Return the addresses of the C library's functions, in the order of LIBM."""
    try:
        library = ctypes.CDLL(None)
        library.atan2  # noqa: B018
    except (TypeError, OSError, AttributeError):
        library = ctypes.CDLL("ucrtbase")
    found = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in LIBM]
    return (ctypes.c_void_p * len(found))(*found)


@dataclass(frozen=True, slots=True)
class Object:
    """Object code with the entries `one` and `batch`, and the scratch bytes each needs."""

    code: bytes
    scratch_one: int
    scratch_batch: int
    tile: int  # states that are computed together


def machine(level: int) -> binding.TargetMachine:
    """Return a new code generator for this processor."""
    here = host()
    target = binding.Target.from_triple(here.triple)
    return target.create_target_machine(
        cpu=here.cpu, features=here.features, opt=level, reloc="pic", codemodel="small"
    )


def module(
    program: Program, whole: int = WHOLE, chunk: int = CHUNK, fused: bool | None = None
) -> tuple[str, int, int, int]:
    """Return the IR of a program, its scratch bytes for one state and for a batch, and its tile."""
    here = host()
    lanes = here.lanes
    fused = here.fused if fused is None else fused
    step = schedule(program.step, whole, chunk)
    prepare = schedule(program.prepare, whole, chunk)
    long = step.lines > whole
    slots = max(step.slots, prepare.slots)
    probe = places.layout(program, lanes, slots, 1)
    groups = max(1, min(TILE, TILE_BYTES // max(probe.size, 1)))
    place = places.layout(program, lanes, slots, groups)
    prepares = len(prepare.chunks) if program.parameters else 0

    rows_in = {p.size for p in program.inputs} | {len(program.parameters)} - {0}
    rows_out = {p.size for p in program.outputs}
    numbers = Numbers(lanes)
    parts = [transposes(lanes, rows_in, rows_out), *_blocks(program, step, prepare, lanes, numbers)]
    parts.append(constant_results("fixed", step, lanes, program.inputs, program.outputs))
    parts.append(places.batch(program, place, len(step.chunks), prepares))
    scratch_one = scratch_batch = place.size * place.groups
    if long:
        parts.append(places.ONE_BY_BATCH)
    else:
        parts += _blocks(program, step, prepare, 1, None)
        parts.append(places.one(program, len(step.chunks), prepares, slots))
        scratch_one = 8 * (slots + len(program.prepare.results))
    text = "".join([*parts, numbers.text("numbers")])
    return (
        _support(text, lanes, fused) + text + _END,
        scratch_one,
        scratch_batch,
        (lanes * groups),
    )


def _blocks(
    program: Program, step: Schedule, prepare: Schedule, lanes: int, numbers: Numbers | None
) -> list[str]:
    parts = functions(f"step.{lanes}", step, lanes, program.inputs, program.outputs, numbers)
    if program.parameters:
        results = (Port("r", (len(program.prepare.results),)),)
        parts += functions(f"prepare.{lanes}", prepare, lanes, (), results, numbers)
    return parts


_END = """
attributes #0 = { nounwind }
!0 = !{!"branch_weights", i32 1, i32 100000}
"""


def _support(text: str, lanes: int, fused: bool) -> str:
    """Return the library functions that the text uses, and the declarations they need."""
    parts = ["declare i64 @llvm.umin.i64(i64, i64)\n"]
    for w in sorted({1, lanes}):
        t, m = ("double" if w == 1 else f"<{w} x double>"), suffix(w)
        trig = f"@sincos.{m}(" in text
        for name, many in (("sqrt", 1), ("fabs", 1), ("minimum", 2), ("maximum", 2), ("fma", 3)):
            parts.append(f"declare {t} @llvm.{name}.{m}({', '.join([t] * many)})\n")
        for name in LIBM:
            if f"@{name}.{m}(" in text or (trig and name in ("sin", "cos")):
                parts.append(libm_lanes(name, w))
        if trig:
            parts.append(sincos(w, fused))
    return "".join([LIBRARY, *parts])


def generate(text: str, level: int) -> bytes:
    """Return the object code of IR text."""
    host()
    context = binding.create_context()
    try:
        parsed = binding.parse_assembly(text, context=context)
        try:
            return machine(level).emit_object(parsed)
        finally:
            parsed.close()
    finally:
        context.close()


def compile_object(
    program: Program, level: int | None = None, whole: int = WHOLE, chunk: int = CHUNK
) -> Object:
    """Return the object code of a program."""
    lines = len(program.step.lines) + len(program.prepare.lines)
    if level is None:
        level = 0 if lines > LARGE else 1
    text, one, batch, tile = module(program, whole, chunk)
    return Object(generate(text, level), one, batch, tile)


class Engine:
    """Loaded object code; the addresses it gives are valid as long as it lives."""

    def __init__(self, code: bytes, table: ctypes.Array[ctypes.c_void_p] | None = None):
        host()
        # an empty module of the global context: nothing that must outlive the engine
        backing = binding.parse_assembly("")
        self._engine: Any = binding.create_mcjit_compiler(backing, machine(1), use_lmm=True)
        self._engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

        bind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.address("bind"))
        bind(ctypes.cast(libm() if table is None else table, ctypes.c_void_p))

    def address(self, name: str) -> int:
        """Return where a function begins, or 0 if there is none of that name."""
        return int(self._engine.get_function_address(name))


VERSION = f"llvmlite {llvmlite.__version__}, LLVM {'.'.join(map(str, binding.llvm_version_info))}"
