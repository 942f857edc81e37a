"""OpenCL and CUDA: one state per work item, many states at once.

The functions are those of C, one text for both and for the host. OpenCL also gets the C files, for
`prepare` and the tables, and a host program; CUDA a program that uses the device where there is
one. Both check golden vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ..expr.function import Port
from . import c
from .c import arguments, compared, declared, golden_tables, trial
from .language import GOLDEN, Language, Routine, Vector, Written, about, each, part, write
from .names import plain
from .unit import Entry, Unit


def _arguments(r: Routine) -> str:
    return arguments(r, f"{r.unit.id.upper()}_RESTRICT ")


def _function(r: Routine, opened: str, inner: str) -> str:
    id, up = r.unit.id, r.unit.id.upper()
    head = f"{up}_DEVICE void {id}_{r.name}({_arguments(r)})"
    made = f"/* {r.sentence}. */\n{head}\n{{\n{declared(r, f'{id}_real')}{opened}{inner}}}\n"
    return made + ("\n" + _kernel(r) if r.entry else "")


def _piece(r: Routine, k: int, inner: str) -> str:
    id, up = r.unit.id, r.unit.id.upper()
    given = _arguments(r) + each(r.local, f", {id}_real *{up}_RESTRICT {{0.word}}")
    return f"{up}_DEVICE void {id}_{r.name}_{k}({given})\n{{\n{inner}}}\n\n"


def _kernel(r: Routine) -> str:
    """Return the function of the k-th state of a batch, and the kernels that call it."""
    id, up, real = r.unit.id, r.unit.id.upper(), f"{r.unit.id}_real"
    own = f"{id}_{r.name}"
    ins = each(r.given, f", {up}_GLOBAL const {real} *{{0.word}}")
    every = ins + each(r.made, f", {up}_GLOBAL {real} *{{0.word}}")
    local = each(r.given + r.made, f"    {real} x_{{0.word}}[{{0.n}}];\n")
    get = each(r.given, lambda v: _copied(v, f"x_{v.word}[i] = {v.word}[{_at(v)}i]"))
    put = each(r.made, lambda v: _copied(v, f"{v.word}[{_at(v)}i] = x_{v.word}[i]"))
    words = each(r.given + r.made, "x_{0.word}", ", ")
    names = each(r.given + r.made, ", {0.word}")
    return (
        f"{up}_DEVICE void {own}_of({id}_count k{every})\n{{\n{local}    int i;\n{get}"
        f"    {own}({words});\n{put}}}\n\n"
        f"#if defined(__OPENCL_VERSION__)\n__kernel void {own}_batch({id}_count n{every})\n{{\n"
        f"    const {id}_count k = get_global_id(0);\n    if (k < n) {own}_of(k{names});\n}}\n"
        f"#elif defined(__CUDACC__)\n__global__ void {own}_batch({id}_count n{every})\n{{\n"
        f"    const {id}_count k = ({id}_count)blockIdx.x*blockDim.x + threadIdx.x;\n"
        f"    if (k < n) {own}_of(k{names});\n}}\n#endif\n"
    )


def _at(v: Vector) -> str:
    # what was prepared is the same for all states
    return "" if v.word == "r" else f"{v.n}*k + "


def _copied(v: Vector, statement: str) -> str:
    return f"    for (i = 0; i < {v.n}; ++i) {statement};\n"


def _body(unit: Unit, written: Written) -> str:
    """Return the text that OpenCL, CUDA and a host compiler read."""
    up, id = unit.id.upper(), unit.id
    comment = each(about(unit), lambda line: f" * {line}".rstrip() + "\n")
    fields = each(unit.parameters, f"    {id}_real {{0.id}};\n")
    helpers = filter(written.ops.__contains__, c.HELPERS)
    parts = [
        f"/*\n{comment} */\n",
        part("device.h", unit),
        part("real.h", unit),
        f"#define {up}_LIBM_SINCOS\n",
        *([_sincos(unit)] if written.ops & {"sin", "cos"} else ()),
        *map(lambda name: _helper(name, unit), helpers),
        *([f"typedef struct {{\n{fields}}} {id}_parameters;\n"] if unit.parameters else ()),
        written.functions,
    ]
    return "\n".join(parts)


def _sincos(unit: Unit) -> str:
    id, up = unit.id, unit.id.upper()
    real = f"{id}_real"
    return (
        f"{up}_DEVICE void {id}_sincos(int n, const {real} *x, {real} *s, {real} *c)\n{{\n"
        f"    int i;\n    for (i = 0; i < n; ++i) {{\n        s[i] = {up}_F(sin)(x[i]);\n"
        f"        c[i] = {up}_F(cos)(x[i]);\n    }}\n}}\n"
    )


def _helper(name: str, unit: Unit) -> str:
    id, up, real = unit.id, unit.id.upper(), f"{unit.id}_real"
    one, half = f"{up}_K(1.0)", f"{up}_K(0.0)"
    bodies = {
        "minimum": ("min", f"{real} x, {real} y", "x < y || x != x ? x : y"),
        "maximum": ("max", f"{real} x, {real} y", "x > y || x != x ? x : y"),
        "sign": ("sign", f"{real} x", f"x > {half} ? {one} : (x < {half} ? -{one} : x)"),
    }
    word, given, value = bodies[name]
    return f"{up}_DEVICE {real} {id}_{word}({given})\n{{\n    return {value};\n}}\n"


# -- programs that check golden vectors --------------------------------------------------------


def _lists(unit: Unit, entry: Entry) -> tuple[str, str, int, int]:
    """Return the arrays of a kernel and their sizes in C, how many are read, and how many."""
    id, states = unit.id, len(entry.golden)
    golden = f"(void *){id}_{entry.name}_"
    count = f"sizeof({id}_real)"

    def row(head: str, n: int, word: str, port: Port) -> tuple[str, str]:
        return head + word, f"{n * Vector.of(word, port).n}*{count}"

    read = [*map(partial(row, golden, states), entry.given, entry.inputs)]
    read += [("(void *)r", f"{max(1, unit.prepared)}*{count}")] * bool(unit.parameters)
    rows = [*read, *map(partial(row, "(void *)x_", states), entry.made, entry.outputs)]
    return each(rows, "{0[0]}", ", "), each(rows, "{0[1]}", ", "), len(read), len(rows)


def _case(unit: Unit, entry: Entry, cases: str, device: str) -> str:
    id, states = unit.id, len(entry.golden)
    outs = [*map(Vector.of, entry.made, entry.outputs)]
    arrays, sizes, given, every = _lists(unit, entry)
    made = each(outs, f"        {id}_real x_{{0.word}}[{states}][{{0.n}}];\n")
    made += f"        void *data[] = {{{arrays}}};\n        const size_t bytes[] = {{{sizes}}};\n"
    if device == "opencl":
        counts = f"{states}, {given}, {every}"
        run = f'        {id}_run(device, "{id}_{entry.name}_batch", {counts}, data, bytes);\n'
    else:
        run = _launch(unit, entry, given, every)
    return f"    {{\n{made}{run}{compared(unit, entry)}    }}\n"


def _launch(unit: Unit, entry: Entry, given: int, every: int) -> str:
    id, states = unit.id, len(entry.golden)
    name = f"{id}_{entry.name}"
    words = each(range(every), f", ({id}_real *)lent[{{0}}]")
    return (
        f"        void *lent[{every}];\n        {id}_count k;\n"
        f"        for (k = 0; k < {every}; ++k) "
        f"lent[k] = {id}_lent(data[k], bytes[k], k < {given});\n"
        f"        if ({id}_has_device()) {{\n#ifdef __CUDACC__\n"
        f"            {name}_batch<<<({states} + 127)/128, 128>>>({states}{words});\n"
        "            if (cudaDeviceSynchronize() != cudaSuccess) return 2;\n#endif\n"
        f"        }} else {{\n            for (k = 0; k < {states}; ++k) {name}_of(k{words});\n"
        "        }\n"
        f"        for (k = 0; k < {every}; ++k) "
        f"{id}_returned(lent[k], data[k], bytes[k], k < {given});\n"
    )


def _program(unit: Unit, written: Written, heads: Sequence[str], begin: str) -> str:
    parts = [
        f"/* {plain(unit.name)}: golden vectors, many states at once. Exit 0 when all hold. */\n",
        *heads,
        part("epsilon.h", unit),
        part("differs.h", unit),
        each(unit.entries, lambda entry: golden_tables(entry, unit)),
    ]
    main = f"int main(void)\n{{\n    int bad = 0;\n{begin}{written.golden}    return bad;\n}}\n"
    return "\n".join(parts) + main


def _opencl(unit: Unit, written: Written) -> dict[str, str]:
    id, up = unit.id, unit.id.upper()
    plain_c = write(c.LANGUAGE, unit)
    heads = [
        f'#define CL_TARGET_OPENCL_VERSION 120\n#include "{id}.h"\n\n#include <CL/cl.h>\n'
        "#include <float.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n",
        part("opencl_host.h", unit),
    ]
    chosen = '    const char *options = "{}";\n'.format
    options = f"#ifdef {up}_FLOAT\n{chosen(f'-D{up}_FLOAT')}#else\n{chosen('')}#endif\n"
    begin = f'{options}    {id}_device device = {id}_open("{id}.cl", options);\n{trial(unit)}'
    return {
        f"{id}.cl": _body(unit, written),
        f"{id}_opencl.c": _program(unit, written, heads, begin),
        f"{id}.h": plain_c[f"{id}.h"],
        f"{id}.c": plain_c[f"{id}.c"],
    }


def _cuda(unit: Unit, written: Written) -> dict[str, str]:
    id = unit.id
    heads = [
        f'#include "{id}.cu"\n\n#include <float.h>\n#include <stdio.h>\n#include <stdlib.h>\n',
        part("cuda_host.h", unit),
    ]
    where = f'    printf("%s\\n", {id}_has_device() ? "device: CUDA" : "device: none, host");\n'
    return {
        f"{id}.cu": _body(unit, written),
        f"{id}_test.cu": _program(unit, written, heads, where + trial(unit)),
    }


_BASE = replace(
    c.LANGUAGE, always=False, function=_function, opened=c.unused, piece=_piece,
)  # fmt: skip
OPENCL: Language = replace(
    _BASE,
    checked=partial(_case, device="opencl"),
    files=_opencl,
    run=(
        ("gcc", "-std=c99", "-Wall", "-O1", "{d}/{id}.c", "{d}/{id}_opencl.c", *GOLDEN,
         "-lOpenCL", "-lm"),
        ("sh", "-c", "cd {d} && {out}/golden"),
    ),
    libraries=("OpenCL",),
)  # fmt: skip
CUDA: Language = replace(
    _BASE,
    checked=partial(_case, device="cuda"),
    files=_cuda,
    run=(
        ("g++", "-x", "c++", "-std=c++17", "-Wall", "-O1", "{d}/{id}_test.cu", *GOLDEN),
        GOLDEN[1:],
    ),
)
