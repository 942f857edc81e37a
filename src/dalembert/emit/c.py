"""C99: a header, a source, a test with golden vectors and a CMake file.

No allocation, no state, nothing but libm behind it; every name begins with that of the model.
"""

from __future__ import annotations

import math
from textwrap import wrap

from .bench import bench
from .dialect import Dialect, Form, numbers
from .language import GOLDEN, STRICT, Language, Routine, Vector, Written, about, chunks, each, part
from .names import plain
from .statements import Piece
from .unit import Entry, Slot, Unit

FINEST, LARGEST = 2.0**-126, 2.0**128 - 2.0**104  # normal numbers of single precision
WORDS = ("names", "units", "names", "units", "names")  # of the tables
HELPERS = ("minimum", "maximum", "sign")  # primitives that are functions in parts/


def constant(x: float, up: str) -> str:
    """Return a number in either precision; <ID>_FAR has a second one for single precision."""
    size = abs(x)
    near = not (math.isfinite(x) and size) or FINEST <= size <= LARGEST
    single = "0.0" if size < FINEST else repr(LARGEST)
    text = f"{up}_K({{}})" if near else f"{up}_FAR({{}}, {single})"
    return numbers("INFINITY", "NAN", text)(x)


def dialect(id: str) -> Dialect:
    """Return C with constants and functions of either precision."""
    up = id.upper()
    forms = {
        "minimum": Form(f"{id}_min({{}}, {{}})"),
        "maximum": Form(f"{id}_max({{}}, {{}})"),
        "sign": Form(f"{id}_sign({{}})"),
        "where": Form("{} ? {} : {}", 0, (1, 1, 1)),
    }
    return Dialect(
        "c", "", forms, lambda value: constant(float(value), up), turns=True, call=f"{up}_F({{}})"
    )


# -- functions, as C++ writes them too ---------------------------------------------------------


def turned(real: str, sincos: str) -> tuple[str, str, str]:
    """Return the statements that compute a group of sines and cosines."""
    call = f"        {sincos}({{n}}, an, sn + {{first}}, cs + {{first}});\n    }}}}\n"
    return f"    {{{{\n        {real} an[{{n}}];\n", "        an[{k}] = {angle};\n", call


def unused(r: Routine, piece: Piece) -> str:
    """Return statements that mention the arguments a piece does not."""
    several = r.code.pieces[1:]
    words = [*r.words, *map(lambda v: v.word, r.local if several else ())]
    return each(filter(lambda w: w not in piece.vectors, words), "    (void){};\n")


def declared(r: Routine, real: str) -> str:
    """Return the vectors that a function keeps values in."""
    return each(r.local, f"    {real} {{0.word}}[{{0.size}}];\n")


# -- C -----------------------------------------------------------------------------------------


def arguments(r: Routine, tight: str) -> str:
    """Return the arguments of a function; `tight` says that none overlaps another."""
    real = f"{r.unit.id}_real"
    if r.entry is None:
        return f"const {r.unit.id}_parameters *p, {real} *r"
    ins = each(r.given, f"const {real} *{tight}{{0.word}}", ", ")
    return ins + each(r.made, f", {real} *{tight}{{0.word}}")


def _head(r: Routine, tight: str = "") -> str:
    return f"void {r.unit.id}_{r.name}({arguments(r, tight)})"


def _function(r: Routine, opened: str, inner: str) -> str:
    head = _head(r, tight="restrict ")
    return f"{head}\n{{\n{declared(r, f'{r.unit.id}_real')}{opened}{inner}}}\n"


def _piece(r: Routine, k: int, inner: str) -> str:
    more = each(r.local, f", {r.unit.id}_real *restrict {{0.word}}")
    given = arguments(r, "restrict ") + more
    return f"static void {r.unit.id}_{r.name}_{k}({given})\n{{\n{inner}}}\n\n"


# -- files -------------------------------------------------------------------------------------


def _declaration(r: Routine) -> str:
    entry = r.entry
    assert entry is not None
    ins, outs = each(r.given[:-1], _size, ", "), each(r.made, _size, ", ")
    return f"{_comment(f'{entry.summary} [{entry.unit}]: {ins} -> {outs}.')}{_head(r)};\n"


def _comment(text: str) -> str:
    return "/* " + "\n   ".join(wrap(text, 96)) + " */\n"


def _size(v: Vector) -> str:
    return f"{v.word}[{v.size}]" + f" ({' x '.join(map(str, v.shape))})" * v.matrix


def _tables(unit: Unit, form: str) -> str:
    """Return the tables of names and units, each by `form`: of {name}, {size} and {words}."""

    def one(word: str, kind: str, size: str, slots: tuple[Slot, ...]) -> str:
        texts = map(lambda s: plain(s.name) if word == "names" else s.unit, slots)
        words = each(texts, '    "{}"', ",\n")
        name, size = f"{unit.id}_{kind}_{word}", f"{unit.id.upper()}_{size}"
        return form.format(name=name, size=size, words=words) if slots else ""

    q, v = ("position", "NQ", unit.positions), ("speed", "NV", unit.speeds)
    p = ("parameter", "NP", unit.parameters)
    return each(zip((q, q, v, v, p), WORDS, strict=True), lambda x: one(x[1], *x[0]))


def header(unit: Unit, written: Written) -> str:
    """Return <id>.h."""
    up, id = unit.id.upper(), unit.id
    comment = each(about(unit), lambda line: f" * {line}".rstrip() + "\n")
    parts = [
        f"/*\n{comment} */\n",
        f"#ifndef {up}_H\n#define {up}_H\n",
        part("real.h", unit),
        f"#define {up}_NQ {len(unit.positions)}\n#define {up}_NV {len(unit.speeds)}\n"
        f"#define {up}_NP {len(unit.parameters)}\n#define {up}_NR {unit.prepared}\n",
        '#ifdef __cplusplus\nextern "C" {\n#endif\n',
        _tables(unit, "extern const char *const {name}[{size}];\n"),
    ]
    if unit.parameters:
        fields = each(unit.parameters, f"    {id}_real {{0.id}};\n")
        parts.append(
            f"typedef struct {id}_parameters {{\n{fields}}} {id}_parameters;\n\n"
            "/* The values of the description; nan where it gives none. */\n"
            f"void {id}_default_parameters({id}_parameters *p);\n\n"
            "/* What depends on parameters only: once per set, before the functions below. */\n"
            f"void {id}_prepare(const {id}_parameters *p, {id}_real *r);\n"
        )
    r = f"r: {up}_NR numbers from {id}_prepare" if unit.parameters else "r: not used, may be NULL"
    parts.append(f"/* Matrices are stored row by row. Results may not overlap inputs. {r}. */\n")
    parts += map(_declaration, filter(lambda r: r.entry, written.routines.values()))
    parts.append(f"#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {up}_H */\n")
    return "\n".join(parts)


def source(unit: Unit, written: Written) -> str:
    """Return <id>.c."""
    tables = _tables(unit, "const char *const {name}[{size}] = {{\n{words}\n}};\n\n")
    helpers = filter(written.ops.__contains__, HELPERS)
    parts = [
        f"/* {plain(unit.name)}: see {unit.id}.h. */\n",
        f'#include "{unit.id}.h"\n\n#include <float.h>\n#include <math.h>\n',
        tables + part("functions.h", unit),
        *([part("sincos.h", unit)] if written.ops & {"sin", "cos"} else ()),
        *map(lambda name: part(f"{name}.h", unit), helpers),
        *([_defaults(unit)] if unit.parameters else ()),
        written.functions,
    ]
    return "\n".join(parts)


def _defaults(unit: Unit) -> str:
    up = unit.id.upper()
    values = each(unit.parameters, lambda p: f"    p->{p.id} = {constant(p.number, up)};\n")
    return f"void {unit.id}_default_parameters({unit.id}_parameters *p)\n{{\n{values}}}\n"


def _files(unit: Unit, written: Written) -> dict[str, str]:
    return {
        f"{unit.id}.h": header(unit, written),
        f"{unit.id}.c": source(unit, written),
        f"{unit.id}_test.c": _test(unit, written),
        "CMakeLists.txt": part("CMakeLists.txt", unit),
    }


# -- golden vectors: tables of all states, and a loop over them --------------------------------


def trial(unit: Unit) -> str:
    """Return the statements that give parameters their trial values and prepare."""
    if not unit.parameters:
        return ""
    id, pairs = unit.id, zip(unit.parameters, unit.trial, strict=True)
    values = each(pairs, lambda x: f"    p.{x[0].id} = {constant(x[1], id.upper())};\n")
    room = f"    {id}_parameters p;\n    {id}_real r[{max(1, unit.prepared)}];\n"
    return f"{room}{values}    {id}_prepare(&p, r);\n"


def compared(unit: Unit, entry: Entry) -> str:
    """Return the statements that compare the results of all states with golden ones."""
    id, up, states = unit.id, unit.id.upper(), len(entry.golden)

    def check(k: int) -> str:
        v = Vector.of(entry.made[k], entry.outputs[k])
        return (
            f'        bad |= {id}_differs("{entry.name} {v.word}", {v.size}, {states},'
            f"\n            x_{v.word}[0], {id}_{entry.name}_{v.word}[0], "
            f"{entry.size(k)!r}, {entry.roundings(k)!r}*{up}_EPSILON);\n"
        )

    return each(range(len(entry.outputs)), check)


def _test(unit: Unit, written: Written) -> str:
    id, up, parameters = unit.id, unit.id.upper(), trial(unit)
    parts = [
        f"/* {plain(unit.name)}: golden vectors. Exit 0 when all of them hold.\n"
        f"   With -D{up}_BENCH: the times of single calls instead (POSIX). */\n",
        f"#ifdef {up}_BENCH\n#define _POSIX_C_SOURCE 199309L\n#include <stdlib.h>\n"
        "#include <time.h>\n#endif\n",
        f'#include "{id}.h"\n\n#include <float.h>\n#include <math.h>\n#include <stdio.h>\n',
        each(unit.entries, lambda entry: golden_tables(entry, unit)),
        bench(unit, parameters),
    ]
    main = f"int main(void)\n{{\n    int bad = 0;\n    int k;\n{parameters}{written.golden}"
    tools = part("epsilon.h", unit) + "\n" + part("differs.h", unit) + "\n"
    return "\n".join(parts) + tools + main + "    return bad;\n}\n\n#endif\n"


def golden_tables(entry: Entry, unit: Unit) -> str:
    """Return the states of golden vectors and their results as constant tables."""
    words = (*entry.given, *entry.made)
    columns = zip(*map(lambda g: (*g.inputs, *g.outputs), entry.golden), strict=True)

    def row(values: tuple[float, ...]) -> str:
        texts = [*map(lambda x: constant(x, unit.id.upper()), values or (0.0,))]
        lines = each(chunks(texts, 4), lambda part: ", ".join(part[1]), ",\n        ")
        return f"    {{\n        {lines}\n    }}"

    def table(column: tuple[str, tuple[tuple[float, ...], ...]]) -> str:
        word, states = column
        name = f"{unit.id}_{entry.name}_{word}[{len(states)}][{max(1, len(states[0]))}]"
        rows = each(states, row, ",\n")
        return f"static const {unit.id}_real {name} = {{\n{rows}\n}};\n\n"

    return each(zip(words, columns, strict=True), table)


def _golden_loop(unit: Unit, entry: Entry, cases: str) -> str:
    name, states = f"{unit.id}_{entry.name}", len(entry.golden)
    outs = [*map(Vector.of, entry.made, entry.outputs)]
    r = "r" if unit.parameters else "NULL"
    words = [each(entry.given, f"{name}_{{}}[k]", ", "), r, each(outs, "x_{0.word}[k]", ", ")]
    return (
        "    {\n"
        + each(outs, f"        {unit.id}_real x_{{0.word}}[{states}][{{0.n}}];\n")
        + f"        for (k = 0; k < {states}; ++k) {{\n            {name}({', '.join(words)});\n"
        + f"        }}\n{compared(unit, entry)}    }}\n"
    )


LANGUAGE = Language(
    dialect=lambda unit: dialect(unit.id),
    let="    const {id}_real {name} = {value};\n",
    remark="    /* {text} */\n",
    mask="    const int {name} = {value};\n",
    give="    {name} = {value};\n",
    sincos=turned("{id}_real", "{id}_sincos"),
    parameter="p->{id}",
    always=True,
    function=_function,
    opened=unused,
    piece=_piece,
    call=lambda r, k: f"    {r.unit.id}_{r.name}_{k}({r.shared});\n",
    checked=_golden_loop,
    files=_files,
    run=(
        ("gcc", "-std=c99", *STRICT, "-O1", "{d}/{id}.c", "{d}/{id}_test.c", *GOLDEN, "-lm"),
        GOLDEN[1:],
    ),
)
