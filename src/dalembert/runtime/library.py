"""Functions that all kernels share, compiled when one first asks for them or found in the cache.

Sine and cosine are our own; the rare functions ask libm lane by lane.
"""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Sequence

from . import cache
from .ahead import MAKING
from .instructions import LIBM
from .lanes import Single, element, suffix, value_type
from .llvm import (
    ATTRIBUTES,
    Engine,
    Table,
    c_library,
    generate,
    host,
    side_by_side,
    stack,
    table,
    table_entry,
)

PARTS = ("one", "many", "float32")  # for one state, for many, and for many in single precision
LANES = (1, 2, 4, 8, Single(4), Single(8), Single(16))
NAMES = tuple((name, suffix(w)) for w in LANES for name in ("sincos", *LIBM))
_INTRINSICS = {"sqrt": 1, "fabs": 1, "minimum": 2, "maximum": 2, "fma": 3}


def declarations() -> str:
    """Return the declarations of the intrinsic functions that kernels use."""
    parts = ["declare i64 @llvm.umin.i64(i64, i64)\n"]
    parts.append("declare void @llvm.codeview.annotation(metadata)\n")
    parts.append("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n")
    for w in LANES:
        t = value_type(w)
        for name, many in _INTRINSICS.items():
            parts.append(f"declare {t} @llvm.{name}.{suffix(w)}({', '.join([t] * many)})\n")
    return "".join(parts)


def borrowed(name: str, kind: str) -> str:
    """Return the local name, in a kernel, of a function of the library for lanes of a kind."""
    t = next(value_type(w) for w in LANES if suffix(w) == kind)
    load = table_entry("%f", NAMES.index((name, kind)))
    if name == "sincos":
        body = f"{load}\n  tail call void %f(ptr %p, i64 %n, i64 %g, i64 %s)\n  ret void"
        given = "ptr %p, i64 %n, i64 %g, i64 %s"
        return f"define internal void @{name}.{kind}({given}) #0 {{\n  {body}\n}}\n"
    given = ", ".join(f"{t} %x{k}" for k in range(LIBM[name]))
    body = f"{load}\n  %y = tail call {t} %f({given})\n  ret {t} %y"
    return f"define internal {t} @{name}.{kind}({given}) #0 {{\n  {body}\n}}\n"


def sines(lanes: Sequence[int]) -> list[str]:
    """Return the table of a kernel that borrows nothing but sines, and their local names."""
    return [table(len(NAMES)), *(borrowed("sincos", suffix(w)) for w in lanes)]


def libm_lanes(name: str, lanes: int) -> str:
    """Return the function that applies a libm function to each lane."""
    from .lines import Lines

    w, arity, single = Lines("y", lanes), LIBM[name], isinstance(lanes, Single)
    w.lines.append(table_entry("%f", [*LIBM].index(name)))
    result = "poison"
    for lane in range(lanes):
        given = []
        for k in range(arity):
            x = w(f"extractelement {{t}} %x{k}, i64 {lane}") if lanes > 1 else f"%x{k}"
            given.append("double " + (w("fpext float {} to double", x) if single else x))
        one = w(f"call double %f({', '.join(given)})")
        if single:
            one = w("fptrunc double {} to float", one)
        if lanes > 1:
            kind = element(lanes)
            one = w(f"insertelement {{t}} {{}}, {kind} {{}}, i64 {lane}", result, one)
        result = one
    w.lines.append(f"ret {w.type} {result}")
    arguments = ", ".join(f"{w.type} %x{k}" for k in range(arity))
    return w.function(f"{w.type} @{name}.{w.suffix}({arguments})")


def kind_of(part: str, lanes: int) -> int:
    """Return the lanes of a part of the library, on a processor with so many of doubles."""
    return {"one": 1, "many": lanes, "float32": Single(2 * lanes)}[part]


def text(lanes: int, fused: bool, parts: Sequence[str] = PARTS) -> str:
    """Return the IR of parts of the library."""
    kinds = [kind_of(part, lanes) for part in parts]
    texts = [table(len(LIBM)), declarations(), *functions(kinds, fused)]
    return "".join([*texts, stack(lanes)])  # kernels call with their own, which is aligned


def functions(lanes: Sequence[int], fused: bool) -> list[str]:
    """Return the functions of the library for lanes of each kind; libm is found in a table."""
    from .far import far
    from .sincos import HALF_PI, across, sincos

    parts = [far(HALF_PI)]
    for w in lanes:
        parts += [libm_lanes(name, w) for name in LIBM]
        text = sincos(w, fused)
        if w == 1:  # one state: its angles fill vectors
            few = text.replace("define void @sincos.f64(", "define internal void @sincos.few(")
            text = few + across(side_by_side(), fused)
        parts.append(text)
    return [*parts, '!0 = !{!"branch_weights", i32 1, i32 100000}', "\n"]


def inside(kernel: str, lanes: Sequence[int], fused: bool) -> str:
    """Return the IR of a kernel with the library inside it: a linker finds libm alone."""
    for name, kind in NAMES:
        kernel = kernel.replace(borrowed(name, kind), "")
    own = re.sub("^define (?!internal)", "define internal ", "".join(functions(lanes, fused)),
                 flags=re.MULTILINE)  # fmt: skip
    given = "".join(f"declare double @{n}({', '.join(['double'] * k)})\n" for n, k in LIBM.items())
    names = ", ".join(f"ptr @{name}" for name in LIBM)
    found = f"@table = internal constant [{len(LIBM)} x ptr] [{names}]\n"
    return kernel.replace(table(len(NAMES)), ATTRIBUTES) + found + given + own


@functools.cache
def libm() -> ctypes.Array[ctypes.c_void_p]:
    """Return the addresses of the C library's functions, in the order of LIBM."""
    found = [ctypes.cast(getattr(c_library(), name), ctypes.c_void_p).value for name in LIBM]
    return (ctypes.c_void_p * len(found))(*found)


def load(
    code: bytes, lanes: int | None = None, parts: Sequence[str] = PARTS
) -> tuple[Engine, Table]:
    """Return loaded parts and their addresses in the order of NAMES, 0 where they have none."""
    engine = Engine(code, libm())
    here = {suffix(kind_of(part, lanes or host().lanes)) for part in parts}
    found = [engine.address(f"{name}.{kind}") if kind in here else 0 for name, kind in NAMES]
    return engine, (ctypes.c_void_p * len(NAMES))(*found)


_loaded: dict[str, tuple[Engine, Table]] = {}  # part -> its code, for the life of the process


def library(parts: Sequence[str] = PARTS[:2]) -> Table:
    """Return the addresses of parts of the library; others are made when they are needed."""
    with MAKING:
        for part in parts:
            if part not in _loaded:
                _loaded[part] = load(*_code(part), (part,))
        tables = [_loaded[part][1] for part in parts]
    found = [max(x or 0 for x in row) for row in zip(*tables, strict=True)]
    return (ctypes.c_void_p * len(NAMES))(*found)


def parts_of(dtype: str, single: bool = False) -> tuple[str, ...]:
    """Return the parts that a kernel of a precision may borrow from; `single`: for one state."""
    if dtype == "float32":
        return PARTS[2:]
    return PARTS[:1] if single else PARTS[:2]


def _code(part: str) -> tuple[bytes, int]:
    """Return the code of a part of the library, and the lanes of double precision."""
    key = f"library {part}"
    kept = cache.read(key)
    if kept is not None and kept[0].get("lanes") in LANES:
        return kept[1], kept[0]["lanes"]
    here = host()
    code = generate(text(here.lanes, here.fused, (part,)), 1)
    cache.write(key, {"lanes": here.lanes}, code)
    return code, here.lanes
