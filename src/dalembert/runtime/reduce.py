"""Results of many states made one: the largest size, the sum, or the root of the sum of squares.

Nothing but the running values is kept. Lane l of a block adds up states l, l + W, ... of it, then
lanes are added up, then blocks in order. Blocks lie in the last leading dimension and do not
depend on threads, so neither does the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UsageError
from .evaluator import Evaluator, Given
from .lanes import element, mask_type, suffix, value_type, width
from .lanes import size as bytes_of
from .team import Team

if TYPE_CHECKING:
    from ..expr import Program
    from .layout import Layout

BLOCK = 1024  # states of a block
SPAN = 64  # blocks whose values are kept before they are added up

# from a value %x and what there is, %a, to the new %y
_STEP = {
    "max": "%s = call {t} @llvm.fabs.{m}({t} %x)\n"
    "  %y = call {t} @llvm.maximum.{m}({t} %a, {t} %s)",
    "sum": "%y = fadd {t} %a, %x",
    "norm": "%s = fmul {t} %x, %x\n  %y = fadd {t} %a, %s",
}


def functions(program: Program, place: Layout, kind: str) -> str:
    """Return `fold`, which takes in a group, `gather`, which ends a block, and `batch`."""
    return _fold(place.lanes, kind) + _gather(place.lanes, kind) + _blocks(program, place)


def _fold(w: int, kind: str) -> str:
    t, m, mask = value_type(w), suffix(w), mask_type(w)
    numbers = ", ".join(f"i64 {k}" for k in range(w))
    step = _STEP[kind].format(t=t, m=m)
    return f"""
define internal void @fold(ptr noalias %acc, ptr noalias %from, i64 %n, i64 %rows) #0 {{
entry:
  %r0 = insertelement <{w} x i64> poison, i64 %rows, i64 0
  %r = shufflevector <{w} x i64> %r0, <{w} x i64> poison, <{w} x i32> zeroinitializer
  %in = icmp ult <{w} x i64> <{numbers}>, %r
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %p = getelementptr {t}, ptr %from, i64 %k
  %x0 = load {t}, ptr %p, align {width(w)}
  %x = select {mask} %in, {t} %x0, {t} zeroinitializer
  %q = getelementptr {t}, ptr %acc, i64 %k
  %a = load {t}, ptr %q, align {width(w)}
  {step}
  store {t} %y, ptr %q, align {width(w)}
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


def _gather(w: int, kind: str) -> str:
    t, e = value_type(w), element(w)
    lines = [f"%l{k} = extractelement {t} %x, i64 {k}" for k in range(w)]
    last = "%l0"
    for k in range(1, w):
        one = f"call {e} @llvm.maximum.{e_suffix(w)}({e} {last}, {e} %l{k})"
        lines.append(f"%y{k} = " + (one if kind == "max" else f"fadd {e} {last}, %l{k}"))
        last = f"%y{k}"
    body = "\n  ".join(lines)
    return f"""
define internal void @gather(ptr noalias %to, ptr noalias %acc, i64 %n) #0 {{
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %p = getelementptr {t}, ptr %acc, i64 %k
  %x = load {t}, ptr %p, align {width(w)}
  {body}
  %q = getelementptr {e}, ptr %to, i64 %k
  store {e} {last}, ptr %q, align {bytes_of(w)}
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


def e_suffix(lanes: int) -> str:
    """Return the ending of intrinsics for one number of the kind of these lanes."""
    return f"f{8 * bytes_of(lanes)}"


def _blocks(program: Program, place: Layout) -> str:
    """Return `batch(..., each)`: one row of results for each block of so many states."""
    ins, outs = len(program.inputs), len(program.outputs)
    lines = []
    for k in range(ins):
        lines += [
            f"%ip{k} = getelementptr ptr, ptr %ins, i64 {k}\n  %a{k} = load ptr, ptr %ip{k}",
            f"%sp{k} = getelementptr i64, ptr %strides, i64 {k}\n  %s{k} = load i64, ptr %sp{k}",
            f"%o{k} = mul i64 %i, %s{k}\n  %b{k} = getelementptr i8, ptr %a{k}, i64 %o{k}",
            f"%t{k} = getelementptr ptr, ptr %table, i64 {k}\n  store ptr %b{k}, ptr %t{k}",
        ]
    for k, row in enumerate(place.rows):
        lines += [
            f"%op{k} = getelementptr ptr, ptr %outs, i64 {k}\n  %c{k} = load ptr, ptr %op{k}",
            f"%m{k} = mul i64 %n, {row}\n  %d{k} = getelementptr i8, ptr %c{k}, i64 %m{k}",
            f"%e{k} = getelementptr ptr, ptr %ends, i64 {k}\n  store ptr %d{k}, ptr %e{k}",
        ]
    given = "ptr %table, ptr %strides, ptr %p, i64 %pstride, ptr %ends, i64 %here, ptr %scratch"
    moved = "\n  ".join(lines)
    return f"""
define void @batch(ptr %ins, ptr %strides, ptr %params, i64 %pstride, ptr %outs, i64 %count,
    ptr %scratch, i64 %each) #1 {{
entry:
  %table = alloca [{max(ins, 1)} x ptr], align 16
  %ends = alloca [{max(outs, 1)} x ptr], align 16
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %n = phi i64 [ 0, %entry ], [ %n1, %loop ]
  {moved}
  %po = mul i64 %i, %pstride
  %p = getelementptr i8, ptr %params, i64 %po
  %left = sub i64 %count, %i
  %here = call i64 @llvm.umin.i64(i64 %left, i64 %each)
  call void @part({given})
  %n1 = add i64 %n, 1
  %i1 = add i64 %i, %each
  %more = icmp ult i64 %i1, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


# -- blocks put together -------------------------------------------------------------------------


def reduced(
    code: Evaluator, kind: str, given: Given, outs: Sequence[np.ndarray],
    lead: tuple[int, ...], threads: Team,
) -> None:  # fmt: skip
    """Reduce the last dimension of `lead`; `given` are inputs, parameters and what is batched."""
    count, many = lead[-1], prod(lead[:-1])
    flat = [out.reshape(many, -1) if out.size else out.reshape(many, 0) for out in outs]
    if not count or not many:
        for out in flat:
            out[...] = 0
        return
    if count <= BLOCK:
        code.reduce(given, flat, (0, many * count, count), threads)
    else:
        for s in range(many):
            totals = [np.zeros(out.shape[1]) for out in flat]
            for first in range(s * count, (s + 1) * count, BLOCK * SPAN):
                last = min(first + BLOCK * SPAN, (s + 1) * count)
                rows = -(-(last - first) // BLOCK)
                parts = [np.empty((rows, out.shape[1]), out.dtype) for out in flat]
                code.reduce(given, parts, (first, last, BLOCK), threads)
                totals = [combined(kind, [t[None], p]) for t, p in zip(totals, parts, strict=True)]
            for out, total in zip(flat, totals, strict=True):
                out[s] = total
    if kind == "norm":
        for out in flat:
            np.sqrt(out, out=out)


def combined(kind: str, parts: Sequence[np.ndarray]) -> np.ndarray:
    """Return rows of values put together, in order."""
    rows = np.concatenate(parts)
    return np.maximum.reduce(rows) if kind == "max" else np.add.reduce(rows)


def states(name: str, lead: tuple[int, ...]) -> tuple[int, ...]:
    """Return the leading dimensions of what is left; one state alone is refused."""
    if not lead:
        raise UsageError(
            f"{name}: a kernel that reduces takes many states, not one",
            hint="give inputs of shape (states, size)",
        )
    return lead[:-1]
