"""C99: a header, a source, a test with golden vectors and a CMake file.

No allocation, no state, nothing but libm behind it; every name begins with that of the model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .bodies import entry_body, prepare_body
from .c_text import CMAKE, FUNCTIONS, HELPERS, LICENCE, SINCOS
from .dialect import Dialect, Form, infix, numbers
from .names import plain
from .statements import Code, Give, Let, SinCos, Statement
from .unit import Entry, Unit


@dataclass(frozen=True, slots=True)
class How:
    """What C and C++ say differently around the same statements."""

    real: str
    sincos: str
    inner: str = "static"
    tight: str = "restrict "
    mask: str = "int"


def dialect(id: str) -> Dialect:
    """Return C with constants and functions of either precision."""
    up = id.upper()

    libm = ("sin", "cos", "tan", "asin", "acos", "exp", "log", "sqrt")
    return Dialect(
        "c",
        f"const {id}_real {{name}} = {{value}};",
        infix(
            **{name: Form(f"{up}_F({name})({{}})") for name in libm},
            absolute=Form(f"{up}_F(fabs)({{}})"),
            atan2=Form(f"{up}_F(atan2)({{}}, {{}})"),
            minimum=Form(f"{id}_min({{}}, {{}})"),
            maximum=Form(f"{id}_max({{}}, {{}})"),
            sign=Form(f"{id}_sign({{}})"),
            where=Form("{} ? {} : {}", 0, (1, 1, 1)),
        ),
        lambda value: constant(float(value), up),
        turns=True,
    )


FINEST, LARGEST = 2.0**-126, 2.0**128 - 2.0**104  # normal numbers of single precision


def constant(x: float, up: str) -> str:
    """Return a number in either precision; <ID>_FAR has a second one for single precision."""
    size = abs(x)
    near = not (math.isfinite(x) and size) or FINEST <= size <= LARGEST
    single = "0.0" if size < FINEST else repr(LARGEST)
    text = f"{up}_K({{}})" if near else f"{up}_FAR({{}}, {single})"
    return numbers("INFINITY", "NAN", text)(x)


def files(unit: Unit) -> dict[str, str]:
    """Return the files by name."""
    return {
        f"{unit.id}.h": header(unit),
        f"{unit.id}.c": source(unit),
        f"{unit.id}_test.c": test(unit),
        "CMakeLists.txt": filled(CMAKE, unit),
    }


def filled(text: str, unit: Unit) -> str:
    """Return a text with the prefixes of the model."""
    text = text.replace("@id@", unit.id).replace("@ID@", unit.id.upper())
    return text.replace("@version@", unit.version)


# -- header ------------------------------------------------------------------------------------


def about(unit: Unit) -> list[str]:
    """Return what stands first in every file: the model, its functions and their cost."""
    lines = [f"Dynamic model of {plain(unit.name)}.", ""]
    for entry in unit.entries:
        lines.append(f"{entry.name}: {entry.cost} ({plain(entry.method)})")
    if unit.parameters:
        lines.append(f"and once per set of parameters: {len(unit.prepare.lines)} operations")
    lines += ["", *(plain(note) for note in unit.notes), *LICENCE]
    return [filled(line, unit) for line in lines]


def _comment(lines: Sequence[str]) -> str:
    return "/*\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"


def header(unit: Unit) -> str:
    """Return <id>.h."""
    up, id = unit.id.upper(), unit.id
    parts = [
        _comment(about(unit)),
        f"#ifndef {up}_H\n#define {up}_H\n",
        f"#ifdef {up}_FLOAT\ntypedef float {id}_real;\n#define {up}_K(x) x##f\n"
        f"#define {up}_FAR(x, y) y##f /* below single precision: zero; beyond: its largest */\n"
        f"#else\ntypedef double {id}_real;\n#define {up}_K(x) x\n#define {up}_FAR(x, y) x\n"
        "#endif\n",
        f"#define {up}_NQ {len(unit.positions)}\n#define {up}_NV {len(unit.speeds)}\n"
        f"#define {up}_NP {len(unit.parameters)}\n#define {up}_NR {unit.prepared}\n",
        '#ifdef __cplusplus\nextern "C" {\n#endif\n',
        "".join(_table_declarations(unit)),
    ]
    if unit.parameters:
        fields = "".join(f"    {id}_real {p.id};\n" for p in unit.parameters)
        parts.append(
            f"typedef struct {id}_parameters {{\n{fields}}} {id}_parameters;\n\n"
            "/* The values of the description; nan where it gives none. */\n"
            f"void {id}_default_parameters({id}_parameters *p);\n\n"
            "/* What depends on parameters only: once per set, before the functions below. */\n"
            f"void {id}_prepare(const {id}_parameters *p, {id}_real *r);\n"
        )
    r = f"r: {up}_NR numbers from {id}_prepare" if unit.parameters else "r: not used, may be NULL"
    parts.append(f"/* Matrices are stored row by row. Results may not overlap inputs. {r}. */\n")
    for entry in unit.entries:
        parts.append(_declared(entry, unit))
    parts.append(f"#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {up}_H */\n")
    return "\n".join(parts)


def _declared(entry: Entry, unit: Unit) -> str:
    sizes = [
        f"{word}[{port.size}]" + (f" ({' x '.join(map(str, port.shape))})" * (len(port.shape) > 1))
        for word, port in zip(entry.arguments, (*entry.inputs, *entry.outputs), strict=True)
    ]
    ins, outs = sizes[: len(entry.inputs)], sizes[len(entry.inputs) :]
    text = f"{entry.summary} [{entry.unit}]: {', '.join(ins)} -> "
    text = f"/* {text}{', '.join(outs[: entry.own])}. */\n{_signature(entry, unit)};\n"
    if entry.own < len(entry.outputs):
        text += (
            "/* The same, and how well the loops are closed: residual of every closure equation,\n"
            f"   smallest pivot ratio (below 1e-8 the pose is singular): {', '.join(outs)}. */\n"
            f"{_signature(entry, unit, checked=True)};\n"
        )
    return text


def _signature(entry: Entry, unit: Unit, checked: bool = False, tight: str = "") -> str:
    """Return the head of a function; `tight` is restrict where the body wants it."""
    id = unit.id
    outs = entry.made if checked else entry.made[: entry.own]
    arguments = [f"const {id}_real *{tight}{x}" for x in (*entry.given, "r")]
    arguments += [f"{id}_real *{tight}{x}" for x in outs]
    name = f"{id}_{entry.name}" + "_checked" * (checked and entry.own < len(entry.outputs))
    return f"void {name}({', '.join(arguments)})"


def _tables(unit: Unit) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield name, size and texts of each table."""
    up = unit.id.upper()
    for size, word, slots in (
        ("NQ", "position", unit.positions),
        ("NV", "speed", unit.speeds),
        ("NP", "parameter", unit.parameters),
    ):
        if slots:
            yield f"{unit.id}_{word}_names", f"{up}_{size}", [plain(s.name) for s in slots]
        if slots and size != "NP":
            yield f"{unit.id}_{word}_units", f"{up}_{size}", [s.unit for s in slots]


def _table_declarations(unit: Unit) -> Iterator[str]:
    for name, size, _ in _tables(unit):
        yield f"extern const char *const {name}[{size}];\n"


# -- source ------------------------------------------------------------------------------------


def source(unit: Unit) -> str:
    """Return <id>.c."""
    language, how = dialect(unit.id), How(f"{unit.id}_real", f"{unit.id}_sincos")
    bodies = [entry_body(entry, language) for entry in unit.entries]
    prepare = prepare_body(unit, language, lambda k: f"p->{unit.parameters[k].id}")
    ops = set().union(*(b.ops for b in (*bodies, prepare)))
    parts = [
        f"/* {plain(unit.name)}: see {unit.id}.h. */\n",
        f'#include "{unit.id}.h"\n\n#include <float.h>\n#include <math.h>\n',
    ]
    parts += [
        f"const char *const {n}[{size}] = {_texts(words)};\n" for n, size, words in _tables(unit)
    ]
    parts.append(filled(FUNCTIONS, unit))
    if ops & {"sin", "cos"}:
        parts.append(filled(SINCOS, unit))
    parts += [filled(text, unit) for op, text in HELPERS.items() if op in ops]
    if unit.parameters:
        parts.append(_defaults(unit))
        head = f"void {unit.id}_prepare(const {unit.id}_parameters *p, {unit.id}_real *r)"
        arguments = (f"const {unit.id}_parameters *p", f"{unit.id}_real *r")
        parts.append(function(f"{unit.id}_prepare", head, arguments, prepare, how))
    for entry, body in zip(unit.entries, bodies, strict=True):
        head = _signature(entry, unit, checked=True, tight="restrict ")
        name = f"{unit.id}_{entry.name}"
        listed = tuple(head[head.index("(") + 1 : -1].split(", "))
        parts.append(function(name, head, listed, body, how))
        if entry.own < len(entry.outputs):
            parts.append(_plain_call(entry, unit))
    return "\n".join(parts)


def _defaults(unit: Unit) -> str:
    up = unit.id.upper()
    values = ["NAN" if p.value is None else constant(p.value, up) for p in unit.parameters]
    lines = [f"    p->{p.id} = {x}" for p, x in zip(unit.parameters, values, strict=True)]
    head = f"void {unit.id}_default_parameters({unit.id}_parameters *p)"
    return f"{head}\n{{\n" + "".join(line + ";\n" for line in lines) + "}\n"


def function(name: str, head: str, arguments: Sequence[str], body: Code, how: How) -> str:
    """Return a function, its pieces first where it has several."""
    words = [re.split(r"[ *]", a)[-1] for a in arguments]
    vectors = [("wk", body.scratch), ("sn", body.turns), ("cs", body.turns)]
    vectors = [(v, n) for v, n in vectors if n]
    declared = "".join(f"    {how.real} {v}[{n}];\n" for v, n in vectors)
    if len(body.pieces) == 1:
        lines = list(_lines(body.pieces[0], how))
        return f"{head}\n{{\n{declared}{_unused(words, lines)}{''.join(lines)}}}\n"
    inner = ", ".join([*arguments, *(f"{how.real} *{how.tight}{v}" for v, _ in vectors)])
    call = [*words, *(v for v, _ in vectors)]
    made = []
    for k, piece in enumerate(body.pieces, 1):
        lines = list(_lines(piece, how))
        body_text = _unused(call, lines) + "".join(lines)
        made.append(f"{how.inner} void {name}_{k}({inner})\n{{\n{body_text}}}\n")
    numbers = range(1, len(body.pieces) + 1)
    calls = "".join(f"    {name}_{k}({', '.join(call)});\n" for k in numbers)
    return "\n".join(made) + f"\n{head}\n{{\n{declared}{calls}}}\n"


def _unused(words: Sequence[str], lines: Sequence[str]) -> str:
    """Return statements that mention the arguments a body does not."""
    found = set(re.findall(r"\b([A-Za-z]\w*)(?:\[|->|\.| \+)", "".join(lines)))
    return "".join(f"    (void){word};\n" for word in words if word not in found)


def _lines(piece: Sequence[Statement], how: How) -> Iterator[str]:
    for statement in piece:
        if isinstance(statement, Give):
            yield f"    {statement.place} = {statement.value};\n"
        elif isinstance(statement, Let):
            kind = f"const {how.mask if statement.mask else how.real} " * (not statement.kept)
            yield f"    {kind}{statement.name} = {statement.value};\n"
        else:
            yield from _turned(statement, how)


def _turned(turn: SinCos, how: How) -> Iterator[str]:
    n = len(turn.angles)
    yield f"    {{\n        {how.real} an[{n}];\n"
    for k, angle in enumerate(turn.angles):
        yield f"        an[{k}] = {angle};\n"
    yield f"        {how.sincos}({n}, an, sn + {turn.first}, cs + {turn.first});\n    }}\n"


def _plain_call(entry: Entry, unit: Unit) -> str:
    extra = list(zip(entry.made, entry.outputs, strict=True))[entry.own :]
    declared = "".join(f"    {unit.id}_real {word}[{port.size}];\n" for word, port in extra)
    words = ", ".join((*entry.given, "r", *entry.made))
    call = f"    {unit.id}_{entry.name}_checked({words});\n"
    return f"{_signature(entry, unit)}\n{{\n{declared}{call}}}\n"


def _texts(words: Sequence[str]) -> str:
    return "{\n" + ",\n".join(f'    "{word}"' for word in words) + "\n}"


# -- test --------------------------------------------------------------------------------------


def test(unit: Unit) -> str:
    """Return <id>_test.c: every function at states whose results are known."""
    id, up = unit.id, unit.id.upper()
    parts = [
        f"/* {plain(unit.name)}: golden vectors. Exit 0 when all of them hold. */\n",
        f'#include "{id}.h"\n\n#include <float.h>\n#include <math.h>\n#include <stdio.h>\n',
        f"#ifdef {up}_FLOAT\n#define {up}_EPSILON FLT_EPSILON\n#else\n"
        f"#define {up}_EPSILON DBL_EPSILON\n#endif\n",
        filled(CHECK, unit),
    ]
    main = ["int main(void)\n{\n    int bad = 0;\n"]
    main.append("    int k;\n")
    r = "NULL"
    if unit.parameters:
        r = "r"
        main.append(f"    {id}_parameters p;\n    {id}_real r[{max(1, unit.prepared)}];\n")
        main += [
            f"    p.{p.id} = {constant(x, up)};\n"
            for p, x in zip(unit.parameters, unit.trial, strict=True)
        ]
        main.append(f"    {id}_prepare(&p, r);\n")
    for entry in unit.entries:
        parts += list(_golden_tables(entry, unit))
        main.append(_golden_loop(entry, unit, r))
    main.append("    return bad;\n}\n")
    return "\n".join(parts) + "\n" + "".join(main)


CHECK = """\
/* Print how far n results are from golden ones, in parts of `size`; return whether too far. */
static int @id@_differs(const char *name, int n, int states, const @id@_real *x,
                        const @id@_real *golden, double size, double tolerance)
{
    double worst = 0.0;
    int bad = 0;
    int i;
    for (i = 0; i < n*states; ++i) {
        const double error = fabs((double)x[i] - (double)golden[i])/size;
        bad |= !(error <= tolerance);
        worst = error > worst ? error : worst;
    }
    printf("%s worst=%.3e tol=%.3e %s\\n", name, worst, tolerance, bad ? "MISS" : "ok");
    return bad;
}
"""


def _golden_tables(entry: Entry, unit: Unit) -> Iterator[str]:
    up = unit.id.upper()
    words = (*entry.given, *entry.made[: entry.own])
    columns = [[*g.inputs, *g.outputs] for g in entry.golden]
    for n, word in enumerate(words):
        size = max(1, len(columns[0][n]))
        rows = []
        for column in columns:
            values = [constant(x, up) for x in column[n]] or [f"{up}_K(0.0)"]
            lines = [", ".join(values[i : i + 4]) for i in range(0, len(values), 4)]
            rows.append("    {\n        " + ",\n        ".join(lines) + "\n    }")
        name = f"{unit.id}_{entry.name}_{word}"
        yield (
            f"static const {unit.id}_real {name}[{len(rows)}][{size}] = {{\n"
            + ",\n".join(rows)
            + "\n};\n"
        )


def _golden_loop(entry: Entry, unit: Unit, r: str) -> str:
    id, up = unit.id, unit.id.upper()
    name, states = f"{id}_{entry.name}", len(entry.golden)
    outs = list(zip(entry.made, entry.outputs, strict=True))[: entry.own]
    lines = ["    {\n"]
    lines += [f"        {id}_real x_{w}[{states}][{max(1, port.size)}];\n" for w, port in outs]
    words = [f"{name}_{word}[k]" for word in entry.given] + [r] + [f"x_{w}[k]" for w, _ in outs]
    lines.append(f"        for (k = 0; k < {states}; ++k) {{\n")
    lines.append(f"            {name}({', '.join(words)});\n        }}\n")
    for n, (word, port) in enumerate(outs):
        lines.append(
            f'        bad |= {id}_differs("{entry.name} {word}", {port.size}, {states},'
            f"\n            x_{word}[0], {name}_{word}[0], {entry.size(n)!r}, "
            f"{entry.roundings(n)!r}*{up}_EPSILON);\n"
        )
    return "".join(lines) + "    }\n"
