"""OpenCL and CUDA: one state per work item, many states at once.

The functions are those of C, one text for both and for the host. OpenCL also gets the C files, for
`prepare` and the tables, and a host program; CUDA a program that uses the device where there is
one. Both check golden vectors.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..expr.function import Port
from . import c
from .c import arguments, declared, fields, title
from .c_golden import compared, golden_tables, results
from .language import GOLDEN, Language, Routine, Vector, Written, write
from .text import each, part
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
    up, real, both = r.unit.id.upper(), f"{r.unit.id}_real", r.given + r.made

    def copied(v: Vector, form: str) -> str:
        # what was prepared is the same for all states
        at = "i" if v.word == "r" else f"{v.n}*k + i"
        return f"    for (i = 0; i < {v.n}; ++i) {form.format(v.word, at)};\n"

    ins = each(r.given, f", {up}_GLOBAL const {real} *{{0.word}}")
    words = {
        "every": ins + each(r.made, f", {up}_GLOBAL {real} *{{0.word}}"),
        "local": each(both, f"    {real} x_{{0.word}}[{{0.n}}];\n"),
        "get": each(r.given, lambda v: copied(v, "x_{0}[i] = {0}[{1}]")),
        "words": each(both, "x_{0.word}", ", "),
        "put": each(r.made, lambda v: copied(v, "{0}[{1}] = x_{0}[i]")),
        "names": each(both, ", {0.word}"),
    }
    return part("kernel.h", r.unit, words, r.name)


def _words(unit: Unit, made: Written) -> dict[str, str]:
    known = f"typedef struct {{\n{fields(unit)}}} {unit.id}_parameters;\n\n"
    return {
        "about": title(unit),
        "helpers": each(made.helpers, lambda name: part(f"device_{name}.h", unit) + "\n"),
        "parameters": known if unit.parameters else "",
        "golden_tables": golden_tables(unit),
    }


# -- programs that check golden vectors --------------------------------------------------------


def _case(unit: Unit, entry: Entry, cases: str, device: str) -> str:
    id, states = unit.id, len(entry.golden)

    def row(head: str, word: str, port: Port) -> tuple[str, int]:
        return f"(void *){head}{word}", states * Vector.of(word, port).n

    read = [*map(partial(row, f"{id}_{entry.name}_"), entry.given, entry.inputs)]
    read += [("(void *)r", unit.room)] * bool(unit.parameters)
    rows = [*read, *map(partial(row, "x_"), entry.made, entry.outputs)]
    arrays, sizes = each(rows, "{0[0]}", ", "), each(rows, f"{{0[1]}}*sizeof({id}_real)", ", ")
    made = results(entry, f"        {id}_real x_{{0.word}}[{states}][{{0.n}}];\n")
    made += f"        void *data[] = {{{arrays}}};\n        const size_t bytes[] = {{{sizes}}};\n"
    counts = {"states": str(states), "given": str(len(read)), "every": str(len(rows))}
    lent = each(range(len(rows)), f", ({id}_real *)lent[{{0}}]")
    run = part(f"{device}_run.h", unit, {**counts, "words": lent}, entry.name)
    return f"    {{\n{made}{run}{compared(unit, entry)}    }}\n"


_BASE = replace(c.LANGUAGE, always=False, function=_function, piece=_piece, words=_words)
OPENCL: Language = replace(
    _BASE,
    checked=partial(_case, device="opencl"),
    files={"{id}.cl": "device.cl", "{id}_opencl.c": "opencl.c"},
    beside=lambda unit: write(c.MODEL, unit),
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
    files={"{id}.cu": "device.cl", "{id}_test.cu": "cuda.cu"},
    run=(
        ("g++", "-x", "c++", "-std=c++17", "-Wall", "-O1", "{d}/{id}_test.cu", *GOLDEN),
        GOLDEN[1:],
    ),
)
