"""CasADi: a Python builder of SX functions, and C that `casadi.external` loads."""

from __future__ import annotations

from collections.abc import Sequence

from . import c
from .dialect import Dialect, Form
from .language import Language, Result, Routine, Vector, write
from .python import function, literal, number, piece, words
from .text import each, part
from .unit import Entry, Unit

CASADI = Dialect(
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
    given, results = each(own, "'{0.word}'", ", "), each(r.made, "'{0.word}'", ", ")
    return (
        f"{function(r, '', inner, f'[{ends}]', '_')}\n\ndef {r.name}():\n"
        f'    """Return {r.meaning}."""\n{made}'
        f"    made = _{r.name}({', '.join(call)})\n"
        f"    return ca.Function('{r.unit.id}_{r.name}', [{each(own, '{0.word}', ', ')}], made,\n"
        f"                       [{given}], [{results}])\n"
    )


# -- external functions ------------------------------------------------------------------------


def _external(r: Routine) -> str:
    assert r.entry is not None
    unit, id, own = r.unit, r.unit.id, _own(r)
    room = each(own, "    casadi_real x_{0.word}[{0.n}];\n")
    room += each(r.made, "    casadi_real y_{k}[{0.n}];\n")
    numbered = enumerate(zip(own, map(_sides, own), strict=True))
    copy_in = "    {0}_turned({2[1]}, {2[0]}, arg[{3}], x_{1.word});\n"
    given = each(numbered, lambda x: copy_in.format(id, *x[1], x[0]))
    if unit.parameters:
        room += f"    {id}_parameters p;\n    casadi_real r[{unit.room}];\n"
        fields = each(unit.parameters, "    p.{0.id} = x_p[{k}];\n")
        given += f"{fields}    {id}_prepare(&p, r);\n"
    names = [*map("x_{0.word}".format, own[: len(r.entry.inputs)])]
    names.append("r" if unit.parameters else "(void *)0")
    names += map("y_{}".format, range(len(r.made)))
    call = f"    {id}_{r.name}({', '.join(names)});\n"
    copy_out = f"        {id}_turned({{0[0]}}, {{0[1]}}, y_{{k}}, res[{{k}}]);\n"
    made = each(map(_sides, r.made), f"    if (res[{{k}}]) {{{{\n{copy_out}    }}}}\n")
    words = {"room": room, "given": given, "call": call, "made": made}
    return part("external.c", unit, words | _end("in", own) | _end("out", r.made), r.name)


def _end(end: str, vectors: Sequence[Vector]) -> dict[str, str]:
    """Return what CasADi asks of inputs or outputs: how many, their names and sparsity."""
    sparsity = "    static const casadi_int s{k}[3] = {{{0[0]}, {0[1]}, 1}};\n"
    return {
        f"n_{end}": str(len(vectors)),
        f"names_{end}": each(vectors, '    case {k}: return "{0.word}";\n'),
        f"sparsity_{end}": each(map(_sides, vectors), sparsity),
        f"cases_{end}": each(vectors, "    case {k}: return s{k};\n"),
    }


# -- golden vectors ----------------------------------------------------------------------------


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
    files={
        "{id}_casadi.py": "casadi.py",
        "{id}_casadi.c": "casadi.c",
        "{id}_casadi_test.py": "casadi_golden.py",
    },
    beside=lambda unit: write(c.MODEL, unit),
    words=lambda unit, made: words(unit, made) | {"externals": each(made.entries, _external, "\n")},
    run=(
        ("gcc", *STRICT_C, "{d}/{id}.c", "{d}/{id}_casadi.c", "-o", "{out}/{id}.so", "-lm"),
        ("{python}", "{d}/{id}_casadi_test.py", "{out}/{id}.so"),
    ),
    needs=("casadi",),
)
