"""IR text becomes object code, and object code an engine that runs it.

No IR passes run (the graph is already shared and folded), nothing global is set in LLVM, and each
engine owns its code: dropping it frees the memory.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..frozen import dataclass
from .ahead import MAKING
from .mapped import Mapped, Unmapped
from .refused import Refused, refusal

if TYPE_CHECKING:
    from llvmlite.binding import TargetMachine

Table = ctypes.Array[ctypes.c_void_p]
_WIDEST = '"min-legal-vector-width"="512"'  # registers of 64 bytes are used if there are any
ATTRIBUTES = f"attributes #0 = {{ nounwind {_WIDEST} }}\n"


@functools.cache
def c_library() -> ctypes.CDLL:
    """Return the C library of this process, mathematical functions included."""
    if sys.platform == "win32":
        return ctypes.CDLL("ucrtbase")
    process = ctypes.CDLL(None)
    return process if hasattr(process, "atan2") else ctypes.CDLL("libm.so.6")


def table(count: int) -> str:
    """Return the IR of a table of addresses, and of `bind`, which fills it after loading.

    Object code thus names nothing outside itself, and may be kept and loaded anywhere.
    """
    moved = f"ptr @table, ptr %from, i64 {8 * count}, i1 false"
    return f"""
@table = internal global [{count} x ptr] zeroinitializer
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
define void @bind(ptr %from) #0 {{
  call void @llvm.memcpy.inline.p0.p0.i64({moved})
  ret void
}}
{ATTRIBUTES}"""


# The callers' stack is aligned to 16 bytes; values of 32 kept there would straddle cache lines
# in every second process. The entries of a kernel (#1) align it once, all else relies on that.
def stack(lanes: int) -> str:
    """Return the attributes of the entries, and how the stack of a kernel of such lanes lies."""
    return f"""
attributes #1 = {{ nounwind "stackrealign" {_WIDEST} }}
attributes #2 = {{ nounwind "frame-pointer"="all" {_WIDEST} }}
!llvm.module.flags = !{{!9}}
!8 = !{{!"order"}}
!9 = !{{i32 1, !"override-stack-alignment", i32 {max(32, min(64, 8 * lanes))}}}
"""


def table_entry(register: str, k: int) -> str:
    """Return the IR line that loads address k of the table."""
    return f"{register} = load ptr, ptr getelementptr (i8, ptr @table, i64 {8 * k}), align 8"


@dataclass(frozen=True, slots=True)
class Host:
    """The processor code is made for: the instruction sets used, not how it is tuned."""

    triple: str
    cpu: str
    features: str
    lanes: int
    fused: bool

    @property
    def roomy(self) -> bool:
        """Whether it has AVX-512: 32 registers of 64 bytes each."""
        return self.lanes == 8


@functools.cache
def host() -> Host:
    """Return the processor of this machine, as LLVM sees it."""
    import llvmlite.binding as binding

    with MAKING:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        binding.initialize_native_asmparser()
        features = binding.get_host_cpu_features()
        triple, cpu = binding.get_process_triple(), binding.get_host_cpu_name()
    fused = bool(features.get("fma")) or triple.startswith(("aarch64", "arm64"))
    return Host(triple, cpu, features.flatten(), _lanes(features), fused)


def side_by_side() -> int:
    """Return how many angles of one state have their sines taken at once."""
    return min(4, host().lanes)


def _lanes(features: Mapping[str, bool]) -> int:
    """Return the lanes of double precision of a processor."""
    if all(features.get(name) for name in ("avx512f", "avx512vl", "avx512dq")):
        return 8
    return 4 if features.get("avx2") else 2


def machine(level: int) -> TargetMachine:
    """Return a new code generator for this processor."""
    import llvmlite.binding as binding

    here = host()
    target = binding.Target.from_triple(here.triple)
    return target.create_target_machine(
        cpu=here.cpu, features=here.features, opt=level, reloc="pic", codemodel="small"
    )


def generate(text: str, level: int) -> bytes:
    """Return the object code of IR text."""
    import llvmlite.binding as binding

    with MAKING:
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


class Engine:
    """Loaded object code; the addresses it gives are valid as long as it lives."""

    def __init__(self, code: bytes, addresses: Table):
        try:
            self._code: Mapped | _Linked = Mapped(code)
        except Unmapped:
            if refused := refusal():
                raise Refused(refused) from None
            with MAKING:
                self._code = _Linked(code)
        bind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.address("bind"))
        bind(ctypes.cast(addresses, ctypes.c_void_p))

    def address(self, name: str) -> int:
        """Return where a function begins, or 0 if there is none of that name."""
        return self._code.address(name)


class _Linked:
    """Object code that LLVM loads, by an engine of its own."""

    def __init__(self, code: bytes):
        import llvmlite.binding as binding

        host()
        # an empty module of the global context: nothing that must outlive the engine
        backing = binding.parse_assembly("")
        self._engine: Any = binding.create_mcjit_compiler(backing, machine(1), use_lmm=True)
        self._engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return where a function begins, or 0 if there is none of that name."""
        with MAKING:
            return int(self._engine.get_function_address(name))
