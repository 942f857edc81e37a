"""CasADi: a Python builder of SX functions, and C that `casadi.external` loads."""

from __future__ import annotations

from collections.abc import Sequence

from . import c
from .dialect import Dialect, Form
from .language import Language, Result, Routine, Vector, Written, each, part, written
from .names import plain
from .python import function, literal, number, piece, source
from .unit import Entry, Unit

CASADI = Dialect(
    "casadi",
    "",
    {
        "minimum": Form("ca.fmin({}, {})"),
        "maximum": Form("ca.fmax({}, {})"),
        "where": Form("ca.if_else({}, {}, {})"),
    },
    number,
    call="ca.{}",
)
STRICT_C = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-shared", "-fPIC"]


def _sides(v: Vector) -> tuple[int, int]:
    """Return rows and columns of an array as CasADi has it: of three indices the first two."""
    rows, columns, depth = (*v.shape, 1, 1, 1)[:3]
    return (rows * columns, depth) if len(v.shape) == 3 else (rows, columns)


def _own(r: Routine) -> tuple[Vector, ...]:
    """Return what a casadi.Function is given: the inputs, and the parameters."""
    assert r.entry is not None
    p = Vector.of("p", len(r.unit.parameters))
    return (*r.given[: len(r.entry.inputs)], *([p] if p.size else ()))


def _function(r: Routine, opened: str, inner: str) -> str:
    if r.entry is None:
        return function(r, "", inner, "r", "_")
    ends = each(r.made, lambda v: "_shaped({}, {}, {})".format(v.word, *_sides(v)), ", ")
    own = _own(r)
    made = each(own, lambda v: "    {0} = ca.SX.sym('{0}', {1}, {2})\n".format(v.word, *_sides(v)))
    call = [*map(lambda v: f"_vector({v.word})", own)]
    call = [*call[:-1], f"_prepare({call[-1]})"] if r.unit.parameters else call
    return (
        f"{function(r, '', inner, f'[{ends}]', '_')}\n\ndef {r.name}():\n"
        f'    """Return {r.meaning}."""\n{made}'
        f"    made = _{r.name}({', '.join(call)})\n"
        f"    return ca.Function('{r.unit.id}_{r.name}', [{each(own, '{0.word}', ', ')}], made,\n"
        f"                       [{_quoted(own)}], [{_quoted(r.made)}])\n"
    )


def _quoted(vectors: Sequence[Vector]) -> str:
    return each(vectors, "'{0.word}'", ", ")


# -- external functions ------------------------------------------------------------------------


def _external(r: Routine) -> str:
    assert r.entry is not None
    unit, own, outs = r.unit, _own(r), r.made
    id, name = unit.id, f"{unit.id}_{r.name}_external"
    head = (
        f"{id.upper()}_SYMBOL int {name}(const casadi_real **arg, casadi_real **res, "
        "casadi_int *iw,\n    casadi_real *w, int mem)"
    )
    ins, ends = [*map(_sides, own)], [*map(_sides, outs)]
    numbered = enumerate(zip(own, ins, strict=True))
    copy_in = "    {0}_turned({2[1]}, {2[0]}, arg[{3}], x_{1.word});\n"
    copy_out = "    if (res[{k}]) {{\n        {1}_turned({0[0]}, {0[1]}, y_{k}, res[{k}]);\n"
    fields = each(unit.parameters, "    p.{0.id} = x_p[{k}];\n")
    kept = f"    {id}_parameters p;\n    casadi_real r[{max(1, unit.prepared)}];\n"
    words = [*map("x_{0.word}".format, own[: len(r.entry.inputs)])]
    words.append("r" if unit.parameters else "(void *)0")
    words += map("y_{}".format, range(len(outs)))
    return (
        f"{head};\n{head}\n{{\n"
        + each(own, "    casadi_real x_{0.word}[{0.n}];\n")
        + each(outs, "    casadi_real y_{k}[{0.n}];\n")
        + kept * bool(unit.parameters)
        + "    (void)iw;\n    (void)w;\n    (void)mem;\n"
        + each(numbered, lambda x: copy_in.format(id, *x[1], x[0]))
        + (f"{fields}    {id}_prepare(&p, r);\n" if unit.parameters else "")
        + f"    {id}_{r.name}({', '.join(words)});\n"
        + each(enumerate(ends), lambda x: copy_out.format(x[1], id, k=x[0]) + "    }\n")
        + "    return 0;\n}\n\n"
        + _interface(r, name, own, outs)
    )


def _interface(r: Routine, name: str, own: Sequence[Vector], outs: Sequence[Vector]) -> str:
    """Return what CasADi asks of an external function: sizes, names, sparsity, memory."""

    def asked(kind: str, suffix: str, arguments: str, body: str) -> str:
        head = f"{r.unit.id.upper()}_SYMBOL {kind}{name}_{suffix}({arguments})"
        return f"{head};\n{head}\n{{\n{body}}}\n\n"

    def cases(vectors: Sequence[Vector], form: str) -> str:
        rows = each(vectors, f"    case {{k}}: return {form};\n")
        return f"    switch (i) {{\n{rows}    default: return 0;\n    }}\n"

    def sparsity(vectors: Sequence[Vector]) -> str:
        form = "    static const casadi_int s{k}[3] = {{{0[0]}, {0[1]}, 1}};\n"
        return each(map(_sides, vectors), form) + cases(vectors, "s{k}")

    sizes = (("arg", len(own)), ("res", len(outs)), ("iw", 0), ("w", 0))
    work = each(sizes, "    if (sz_{0[0]}) {{\n        *sz_{0[0]} = {0[1]};\n    }}\n")
    work += "    return 0;\n"
    return (
        asked("casadi_int ", "n_in", "void", f"    return {len(own)};\n")
        + asked("casadi_int ", "n_out", "void", f"    return {len(outs)};\n")
        + asked("const char *", "name_in", "casadi_int i", cases(own, '"{0.word}"'))
        + asked("const char *", "name_out", "casadi_int i", cases(outs, '"{0.word}"'))
        + asked("const casadi_int *", "sparsity_in", "casadi_int i", sparsity(own))
        + asked("const casadi_int *", "sparsity_out", "casadi_int i", sparsity(outs))
        + asked("int ", "work", each(sizes, "casadi_int *sz_{0[0]}", ", "), work)
    )


# -- files and golden vectors ------------------------------------------------------------------


def _files(unit: Unit, made: Written) -> dict[str, str]:
    plain_c = written(c.LANGUAGE, unit)
    routines = filter(lambda r: r.entry, made.routines.values())
    externals = each(routines, _external, "\n")
    test = f"{part('casadi_golden.py', unit)}{made.golden}sys.exit(bad)\n"
    title = f"/* {plain(unit.name)} for casadi.external. */\n"
    return {
        f"{unit.id}_casadi.py": source(unit, made, "casadi.py"),
        f"{unit.id}.h": c.header(unit, plain_c),
        f"{unit.id}.c": c.source(unit, plain_c),
        f"{unit.id}_casadi.c": f"{title}{part('casadi.h', unit)}\n{externals}",
        f"{unit.id}_casadi_test.py": test,
    }


def _case(unit: Unit, entry: Entry, given: Sequence[str]) -> str:
    own = [*given[: len(entry.inputs)], *[repr(list(unit.trial))][: len(unit.parameters)]]
    return f"    x = as_tuple(f({each(own, 'ca.DM({})', ', ')}))\n"


def _check(unit: Unit, x: Result, wanted: str) -> str:
    limits = f"{x.size!r}, {x.tolerance!r}"
    return f'    bad |= differs("{x.name}", x[{x.k}], {list(x.values)!r}, {limits})\n'


def _checked(unit: Unit, entry: Entry, cases: str) -> str:
    name = f"{unit.id}_{entry.name}_external"
    return (
        f"functions = [built.{entry.name}()]\nif sys.argv[1:]:\n"
        f'    functions.append(ca.external("{name}", sys.argv[1]))\nfor f in functions:\n{cases}'
    )


LANGUAGE = Language(
    dialect=lambda unit: CASADI,
    function=_function,
    piece=piece,
    call=lambda r, k: f"    _{r.name}_{k}({r.shared})\n",
    literal=literal,
    case=_case,
    check=_check,
    checked=_checked,
    files=_files,
    run=(
        ("gcc", *STRICT_C, "{d}/{id}.c", "{d}/{id}_casadi.c", "-o", "{out}/{id}.so", "-lm"),
        ("{python}", "{d}/{id}_casadi_test.py", "{out}/{id}.so"),
    ),
    needs=("casadi",),
)
