"""C99: a header, a source, a test with golden vectors and a CMake file.

No allocation, no state, nothing but libm behind it; every name begins with that of the model.
"""

from __future__ import annotations

from dataclasses import replace
from textwrap import wrap

from .c_golden import constant, golden_loop, golden_words
from .dialect import Dialect, Form
from .language import GOLDEN, STRICT, Language, Routine, Vector, Written
from .statements import Piece
from .text import about, counts, each, part, tables
from .unit import Unit


def dialect(unit: Unit) -> Dialect:
    """Return C with constants and functions of either precision."""
    id, up = unit.id, unit.id.upper()
    forms = {
        "minimum": Form(f"{id}_min({{}}, {{}})"),
        "maximum": Form(f"{id}_max({{}}, {{}})"),
        "sign": Form(f"{id}_sign({{}})"),
        "where": Form("{} ? {} : {}", 0, (1, 1, 1)),
    }
    return Dialect(forms, lambda x: constant(float(x), up), turns=True, call=f"{up}_F({{}})")


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


def _function(r: Routine, opened: str, inner: str) -> str:
    head = f"void {r.unit.id}_{r.name}({arguments(r, 'restrict ')})"
    return f"{head}\n{{\n{declared(r, f'{r.unit.id}_real')}{opened}{inner}}}\n"


def _piece(r: Routine, k: int, inner: str) -> str:
    more = each(r.local, f", {r.unit.id}_real *restrict {{0.word}}")
    given = arguments(r, "restrict ") + more
    return f"static void {r.unit.id}_{r.name}_{k}({given})\n{{\n{inner}}}\n\n"


def _declaration(r: Routine) -> str:
    def size(v: Vector) -> str:
        return f"{v.word}[{v.size}]" + f" ({' x '.join(map(str, v.shape))})" * v.matrix

    assert r.entry is not None
    ins, outs = each(r.given[:-1], size, ", "), each(r.made, size, ", ")
    text = wrap(f"{r.entry.summary} [{r.entry.unit}]: {ins} -> {outs}.", 96)
    comment = "/* " + "\n   ".join(text) + " */\n"
    return f"{comment}void {r.unit.id}_{r.name}({arguments(r, '')});\n"


def fields(unit: Unit) -> str:
    """Return the fields of the structure of parameters."""
    return each(unit.parameters, f"    {unit.id}_real {{0.id}};\n")


def _values(unit: Unit, to: str, values: tuple[float, ...]) -> str:
    pairs = zip(unit.parameters, values, strict=True)
    return each(pairs, lambda x: f"    {to}{x[0].id} = {constant(x[1], unit.id.upper())};\n")


def _prepare(unit: Unit) -> str:
    id = unit.id
    room = f"    {id}_parameters p;\n    {id}_real r[{unit.room}];\n"
    return f"{room}{_values(unit, 'p.', unit.trial)}    {id}_prepare(&p, r);\n"


def title(unit: Unit) -> str:
    """Return the comment that a file begins with."""
    return f"/*\n{about(unit, ' * {}')} */\n"


def _words(unit: Unit, made: Written) -> dict[str, str]:
    id, up = unit.id, unit.id.upper()
    defaults = f"void {id}_default_parameters({id}_parameters *p)\n{{\n"
    defaults += f"{_values(unit, 'p->', unit.defaults)}}}\n\n"
    r = f"r: {up}_NR numbers from {id}_prepare" if unit.parameters else "r: not used, may be NULL"
    name = f"const char *const {id}_{{kind}}_{{word}}[{up}_N{{LETTER}}]"
    table = f"{name} = {{{{\n    {{texts}}\n}}}};\n\n"
    known = part("parameters.h", unit, {"fields": fields(unit)})
    return {
        "about": title(unit),
        "counts": counts(unit, f"#define {up}_N{{LETTER}} {{n}}\n"),
        "names": tables(unit, f"extern {name};\n", units=True, empty=False),
        "parameters": known if unit.parameters else "",
        "layout": f"/* Matrices are stored row by row. Results may not overlap inputs. {r}. */\n",
        "declarations": each(made.entries, _declaration, "\n"),
        "tables": tables(unit, table, units=True, between=",\n    ", empty=False),
        "helpers": each(made.helpers, lambda name: part(f"{name}.h", unit) + "\n"),
        "defaults": defaults if unit.parameters else "",
    }


MODEL = Language(  # without a test
    dialect=dialect,
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
    files={"{id}.h": "header.h", "{id}.c": "source.c"},
    words=_words,
)
LANGUAGE = replace(
    MODEL,
    checked=golden_loop,
    prepare=_prepare,
    files={**MODEL.files, "{id}_test.c": "test.c", "CMakeLists.txt": "CMakeLists.txt"},
    words=lambda unit, made: _words(unit, made) | golden_words(unit),
    run=(
        ("gcc", "-std=c99", *STRICT, "-O1", "{d}/{id}.c", "{d}/{id}_test.c", *GOLDEN, "-lm"),
        GOLDEN[1:],
    ),
)
