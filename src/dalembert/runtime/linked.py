"""A kernel as an object file with a C header: batches without Python.

The library of sines is inside; what is left to the linker is libm. Code is made for the processor
it was written on, and says so.
"""

from __future__ import annotations

import re
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import UsageError, shown
from ..expr import Port
from ..files import write_file
from .card import Card
from .kernel import Kernel
from .lanes import Single

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_KEYWORDS = """auto break case char const continue default do double else enum extern float for goto
if int long register return short signed sizeof static struct switch typedef union unsigned void
volatile while inline restrict bool true false class new delete this template typename namespace
using private public protected operator throw try catch and or not xor asm"""
_OWN = ("count", "scratch", "parameters", "in", "out", "strides")
_TAKEN = frozenset((*_KEYWORDS.split(), *_OWN))


def save(kernel: Kernel, folder: str | PathLike[str], name: str | None = None) -> Path:
    """Write NAME.o and NAME.h, and return the path of the header."""
    name = name or kernel.name
    form = kernel.card.form
    if not _WORD.match(name) or name in _TAKEN:
        raise UsageError(f"{shown(name)!r} is no name in C", hint='save("out", "arm_gravity")')
    if form.reduce is not None:
        raise UsageError(
            f"{kernel.name}: a kernel that reduces has no C header",
            hint="compile it without reduce",
        )
    if kernel.source is None:
        raise UsageError(
            f"{kernel.name}: a kernel of a bare program is not written",
            hint="save what da.compile(m, ...) returns",
        )
    code, card = _standalone(kernel, name)
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    write_file(place / f"{name}.o", code)
    return write_file(place / f"{name}.h", _header(card, name))


def _standalone(kernel: Kernel, name: str) -> tuple[bytes, Card]:
    """Return object code whose only entry for batches is NAME_kernel, and its card."""
    from .build import made_of
    from .library import inside
    from .llvm import generate, host
    from .module import written
    from .refused import refusal

    if refused := refusal():
        raise UsageError(f"{kernel.name}: {refused}", hint="export C text: dalembert export --to c")
    form, here = kernel.card.form, host()
    source: Any = kernel.source
    text, one, batch, tile = written(made_of(source, form)[0], form=form)
    lanes = form.lanes(here.lanes)
    kinds = (lanes,) if isinstance(lanes, Single) else (1, lanes)
    text = inside(text, kinds, here.fused)
    text = re.sub(r"@(batch|one)(?=\()", lambda m: f"@{name}_{_ENTRIES[m[1]]}", text)
    card = replace(kernel.card, scratch_one=one, scratch_batch=batch, tile=tile)
    return generate(text, 1), card


_IN = "\n    "
_ENTRIES = {"batch": "kernel", "one": "state"}


def _words(ports: tuple[Port, ...], before: set[str]) -> list[str]:
    """Return names in C for ports: their own where C allows them, else numbers."""
    found = []
    for port in ports:
        plain = port.name if _WORD.match(port.name) and port.name not in _TAKEN | before else ""
        found.append(plain or f"x{len(before)}")
        before.add(found[-1])
    return found


def _header(card: Card, name: str) -> str:
    real = "float" if card.form.dtype == "float32" else "double"
    used: set[str] = set()
    ins, outs = _words(card.inputs, used), _words(card.outputs, used)
    rows = "tiles" if card.lanes > 1 else "states"
    read = [*ins, *["parameters"] * bool(card.parameters)]
    given = [*(f"const {real} *{w}" for w in read), *(f"{real} *{w}" for w in outs)]
    shapes = [
        f" *   {w}: count x {' x '.join(map(str, p.shape)) or '1'}\n"
        for w, p in zip((*ins, *outs), (*card.inputs, *card.outputs), strict=True)
    ]
    letters = "".join(
        f" *   parameters[{k}]: {shown(p).replace('*/', '* /')}\n"
        for k, p in enumerate(card.parameters)
    )
    strides = f",{_IN}    ".join(f"{p.size}*(int64_t)sizeof({real})" for p in card.inputs)
    up = name.upper()
    return f"""/* {card.name} of many {rows} at once, for the processor it was made on.
{"".join(shapes)}{letters} * Arrays are in C order. Each thread that calls needs {up}_SCRATCH bytes
 * of its own, aligned to 64: aligned_alloc(64, {up}_SCRATCH). Link {name}.o and libm.
 * Made by dalembert.
 */
#ifndef {up}_H
#define {up}_H

#include <stdint.h>

#define {up}_SCRATCH {-(-max(card.scratch_batch, 64) // 64) * 64}
#define {up}_TILE {card.lanes}

#ifdef __cplusplus
extern "C" {{
#endif

/* count is 1 or more; strides in bytes from state to state: 0 for an input that serves all */
void {name}_kernel(const {real} *const *in, const int64_t *strides, const {real} *parameters,
    int64_t parameter_stride, {real} *const *out, int64_t count, void *scratch);

static inline void {name}(
    int64_t count,
    {f",{_IN}".join(given)},
    void *scratch)
{{
    const {real} *const in[] = {{{", ".join(ins)}}};
    const int64_t strides[] = {{
        {strides}
    }};
    {real} *const out[] = {{{", ".join(outs)}}};
    if (count > 0)
        {name}_kernel(in, strides, {(*read, "0")[len(ins)]}, 0, out, count, scratch);
}}

#ifdef __cplusplus
}}
#endif

#endif
"""
