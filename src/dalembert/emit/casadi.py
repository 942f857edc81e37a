"""CasADi: a Python builder of SX functions, and C that `casadi.external` loads."""

from __future__ import annotations

from collections.abc import Sequence

from . import c
from .bodies import entry_body, prepare_body, results
from .c import about, filled
from .names import plain
from .python import CASADI, functions, nested, tables
from .unit import Entry, Unit


def files(unit: Unit) -> dict[str, str]:
    """Return the files by name: the builder, C with the interface of CasADi, and a test."""
    plain_c = {k: v for k, v in c.files(unit).items() if k in (f"{unit.id}.h", f"{unit.id}.c")}
    return {
        f"{unit.id}_casadi.py": builder(unit),
        **plain_c,
        f"{unit.id}_casadi.c": external(unit),
        f"{unit.id}_casadi_test.py": test(unit),
    }


TOP = '''
import casadi as ca


def _vector(x):
    """Return the entries of an input, matrices row by row."""
    return ca.vertsplit(ca.reshape(x.T, -1, 1))


def _shaped(x, rows, columns):
    return ca.reshape(ca.vertcat(*x), columns, rows).T

'''


def _rows_columns(shape: Sequence[int]) -> tuple[int, int]:
    """Return the shape of an array as CasADi has it: of three indices the first two are one."""
    sizes = [*shape, 1, 1]
    rows, columns = sizes[0], sizes[1]
    return (rows * columns, sizes[2]) if len(shape) == 3 else (rows, columns)


def builder(unit: Unit) -> str:
    """Return <id>_casadi.py: a function per quantity that returns a casadi.Function."""
    parts = ["".join(f"# {line}".rstrip() + "\n" for line in about(unit)), TOP, tables(unit)]
    if unit.parameters:
        body = prepare_body(unit, CASADI, lambda k: f"p[{k}]")
        parts.append("\n" + functions("_prepare", ["p"], [], body, [("r", unit.prepared)], "r"))
    for entry in unit.entries:
        arguments = [*entry.given, *(["r"] if unit.parameters else [])]
        made = [(word, port.size) for word, port in zip(entry.made, entry.outputs, strict=True)]
        ends = [
            "_shaped({}, {}, {})".format(word, *_rows_columns(port.shape))
            for word, port in zip(entry.made, entry.outputs, strict=True)
        ]
        body = entry_body(entry, CASADI)
        end = "[" + ", ".join(ends) + "]"
        parts.append("\n" + functions(f"_{entry.name}", arguments, [], body, made, end))
        parts.append("\n" + _function(entry, unit))
    return "\n".join(parts)


def _function(entry: Entry, unit: Unit) -> str:
    p = f"    p = ca.SX.sym('p', {len(unit.parameters)})\n" * bool(unit.parameters)
    names = [*entry.given, *(["p"] if unit.parameters else [])]
    lines = [f'def {entry.name}():\n    """Return the {entry.summary} [{entry.unit}]."""\n']
    for word, port in zip(entry.given, entry.inputs, strict=True):
        rows, columns = _rows_columns(port.shape)
        lines.append(f"    {word} = ca.SX.sym('{word}', {rows}, {columns})\n")
    lines.append(p)
    call = [f"_vector({word})" for word in entry.given]
    call += ["_prepare(_vector(p))"] * bool(unit.parameters)
    listed = ", ".join(f"'{word}'" for word in names)
    outs = ", ".join(f"'{word}'" for word in entry.made)
    lines.append(f"    made = _{entry.name}({', '.join(call)})\n")
    lines.append(
        f"    return ca.Function('{unit.id}_{entry.name}', [{', '.join(names)}], made,\n"
        f"                       [{listed}], [{outs}])\n"
    )
    return "".join(lines)


# -- external functions ------------------------------------------------------------------------

SHIM = """\
/* @title@: functions that casadi.external loads. Compile together with @id@.c as a shared library.
   Inputs and results are dense and stored by columns; a missing input counts as zeros. */

#include "@id@.h"

#ifndef casadi_real
#define casadi_real double
#endif
#ifndef casadi_int
#define casadi_int long long int
#endif
#if defined(_WIN32)
#define @ID@_SYMBOL __declspec(dllexport)
#elif defined(__GNUC__)
#define @ID@_SYMBOL __attribute__((visibility("default")))
#else
#define @ID@_SYMBOL
#endif

/* Copy a matrix by rows to one by columns; back with rows and columns exchanged. */
static void @id@_turned(int rows, int columns, const casadi_real *x, casadi_real *y)
{
    int i;
    int k;
    for (i = 0; i < rows; ++i) {
        for (k = 0; k < columns; ++k) {
            y[k*rows + i] = x ? x[i*columns + k] : 0.0;
        }
    }
}
"""


def external(unit: Unit) -> str:
    """Return <id>_casadi.c."""
    parts = [filled(SHIM, unit).replace("@title@", plain(unit.name))]
    parts += [_external(entry, unit) for entry in unit.entries]
    return "\n".join(parts)


def _external(entry: Entry, unit: Unit) -> str:
    id, up = unit.id, unit.id.upper()
    name = f"{id}_{entry.name}_external"
    shapes = [_rows_columns(port.shape) for port in entry.inputs]
    given = [*entry.given]
    if unit.parameters:
        shapes.append((len(unit.parameters), 1))
        given.append("p")
    outs = [_rows_columns(port.shape) for port in entry.outputs[: entry.own]]
    symbol = f"{up}_SYMBOL"
    lines = [
        f"{symbol} int {name}(const casadi_real **arg, casadi_real **res, casadi_int *iw,\n"
        "    casadi_real *w, int mem);\n",
        f"{symbol} int {name}(const casadi_real **arg, casadi_real **res, casadi_int *iw,\n"
        "    casadi_real *w, int mem)\n{\n",
    ]
    for word, (rows, columns) in zip(given, shapes, strict=True):
        lines.append(f"    casadi_real x_{word}[{max(1, rows * columns)}];\n")
    for k, (rows, columns) in enumerate(outs):
        lines.append(f"    casadi_real y_{k}[{max(1, rows * columns)}];\n")
    if unit.parameters:
        lines.append(f"    {id}_parameters p;\n    casadi_real r[{max(1, unit.prepared)}];\n")
    lines.append("    (void)iw;\n    (void)w;\n    (void)mem;\n")
    for k, (word, (rows, columns)) in enumerate(zip(given, shapes, strict=True)):
        lines.append(f"    {id}_turned({columns}, {rows}, arg[{k}], x_{word});\n")
    r = "(void *)0"
    if unit.parameters:
        r = "r"
        lines += [f"    p.{p.id} = x_p[{k}];\n" for k, p in enumerate(unit.parameters)]
        lines.append(f"    {id}_prepare(&p, r);\n")
    words = [f"x_{w}" for w in entry.given] + [r] + [f"y_{k}" for k in range(len(outs))]
    lines.append(f"    {id}_{entry.name}({', '.join(words)});\n")
    for k, (rows, columns) in enumerate(outs):
        copy = f"{id}_turned({rows}, {columns}, y_{k}, res[{k}]);"
        lines.append(f"    if (res[{k}]) {{\n        {copy}\n    }}\n")
    lines.append("    return 0;\n}\n")
    return "".join(lines) + "\n" + _interface(name, symbol, entry, given, shapes, outs)


def _interface(
    name: str,
    symbol: str,
    entry: Entry,
    given: Sequence[str],
    shapes: Sequence[tuple[int, int]],
    outs: Sequence[tuple[int, int]],
) -> str:
    """Return what CasADi asks of an external function: sizes, names, sparsity, memory."""
    text = ""

    def function(kind: str, suffix: str, arguments: str, body: str) -> None:
        nonlocal text
        head = f"{symbol} {kind}{name}_{suffix}({arguments})"
        text += f"{head};\n{head}\n{{\n{body}}}\n\n"

    def cases(words: Sequence[str], otherwise: str) -> str:
        lines = "".join(f"    case {k}: return {w};\n" for k, w in enumerate(words))
        return f"    switch (i) {{\n{lines}    default: return {otherwise};\n    }}\n"

    function("casadi_int ", "n_in", "void", f"    return {len(shapes)};\n")
    function("casadi_int ", "n_out", "void", f"    return {len(outs)};\n")
    inputs, made = [f'"{w}"' for w in given], [f'"{w}"' for w in entry.made[: entry.own]]
    function("const char *", "name_in", "casadi_int i", cases(inputs, "0"))
    function("const char *", "name_out", "casadi_int i", cases(made, "0"))
    for suffix, sizes in (("sparsity_in", shapes), ("sparsity_out", outs)):
        tables_ = "".join(
            f"    static const casadi_int s{k}[3] = {{{rows}, {columns}, 1}};\n"
            for k, (rows, columns) in enumerate(sizes)
        )
        body = tables_ + cases([f"s{k}" for k in range(len(sizes))], "0")
        function("const casadi_int *", suffix, "casadi_int i", body)
    work = "".join(f"    if ({x}) {{\n        *{x} = {n};\n    }}\n" for x, n in (
        ("sz_arg", len(shapes)), ("sz_res", len(outs)), ("sz_iw", 0), ("sz_w", 0)))  # fmt: skip
    arguments = "casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w"
    function("int ", "work", arguments, work + "    return 0;\n")
    return text


# -- test --------------------------------------------------------------------------------------

TEST = '''\
"""Golden vectors, of the builder and of the external functions. Exit 0 when all of them hold.

Give the shared library of @id@.c and @id@_casadi.c as an argument to check it too.
"""

import sys

import casadi as ca

import @id@_casadi as model


def flat(x):
    return [float(v) for row in ca.DM(x).full() for v in row]


def matrix(x):
    return ca.DM(x)


def differs(name, x, golden, size, tolerance):
    """Print how far results are from golden ones, in parts of `size`; return whether too far."""
    errors = [abs(a - b) / size for a, b in zip(flat(x), golden)]
    bad = not all(error <= tolerance for error in errors) or len(flat(x)) != len(golden)
    verdict = "MISS" if bad else "ok"
    print(f"{name} worst={max(errors, default=0.0):.3e} tol={tolerance:.3e} {verdict}")
    return bad


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


bad = False
'''


def test(unit: Unit) -> str:
    """Return <id>_casadi_test.py."""
    lines = [filled(TEST, unit)]
    for entry in unit.entries:
        lines.append(f"functions = [model.{entry.name}()]\nif sys.argv[1:]:\n")
        name = f"{unit.id}_{entry.name}_external"
        lines.append(f'    functions.append(ca.external("{name}", sys.argv[1]))\n')
        lines.append("for f in functions:\n")
        for golden in entry.golden:
            given = [
                f"matrix({nested(x, port.shape)})"
                for x, port in zip(golden.inputs, entry.inputs, strict=True)
            ]
            given += [f"matrix({list(unit.trial)!r})"] * bool(unit.parameters)
            lines.append(f"    x = as_tuple(f({', '.join(given)}))\n")
            for word, _, k in results(entry):
                size, most = entry.size(k), entry.roundings(k) * 2.0**-52
                wanted = repr(list(golden.outputs[k]))
                lines.append(
                    f'    bad |= differs("{entry.name} {word}", x[{k}], {wanted}, '
                    f"{size!r}, {most!r})\n"
                )
    lines.append("sys.exit(bad)\n")
    return "".join(lines)
