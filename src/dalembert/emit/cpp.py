"""C++17: one header, functions on std::array and on anything with data() and size()."""

from __future__ import annotations

from collections.abc import Sequence

from .c import declared, turned, unused
from .dialect import Dialect, Form, numbers
from .language import (
    GOLDEN,
    STRICT,
    Language,
    Result,
    Routine,
    Text,
    Vector,
    Written,
    about,
    each,
    part,
)
from .names import plain
from .unit import Entry, Slot, Unit

_number = numbers(
    "std::numeric_limits<double>::infinity()", "std::numeric_limits<double>::quiet_NaN()"
)
CPP = Dialect(
    "cpp",
    "",
    {
        "minimum": Form("detail::min({}, {})"),
        "maximum": Form("detail::max({}, {})"),
        "sign": Form("detail::sign({})"),
        "where": Form("{} ? {} : {}", 0, (1, 1, 1)),
    },
    _number,
    turns=True,
    call="std::{}",
)
INCLUDES = ("array", "cmath", "cstddef", "limits", "stdexcept", "utility")


def _arguments(r: Routine) -> str:
    ins = each(r.given, "const double *{0.word}", ", ") if r.entry else "const parameters &p"
    return ins + each(r.made, ", double *{0.word}")


def _function(r: Routine, opened: str, inner: str) -> str:
    head = f"// {r.sentence}; matrices row by row.\ninline void {r.name}({_arguments(r)})"
    return f"{head}\n{{\n{declared(r, 'double')}{opened}{inner}}}\n\n{_arrays(r)}"


def _piece(r: Routine, k: int, inner: str) -> str:
    arguments = _arguments(r) + each(r.local, ", double *{0.word}")
    return f"inline void {r.name}_{k}({arguments})\n{{\n{inner}}}\n\n"


def _returning(r: Routine, kind: Text, callee: str = "", start: str = "") -> str:
    """Return the function that returns its results; several are fields of a struct.

    `kind` is the type of a result, `callee` what is before the name of the function that is called.
    """
    given = each(r.given, "view<{0.n}> {0.word}", ", ") if r.entry else "const parameters &p"
    words = each(r.given, "{0.word}.data()", ", ") if r.entry else "p"
    made, struct = kind(r.made[0]), ""
    words += ", made.data()" if len(r.made) == 1 else each(r.made, ", made.{0.word}.data()")
    if len(r.made) > 1:
        made = f"{r.name}_results"
        fields = each(r.made, lambda v: f"    {kind(v)} {v.word};\n")
        struct = f"struct {made} {{\n{fields}}};\n\n"
    return (
        f"{struct}inline {made} {r.name}({given})\n{{\n    {made} made{start};\n"
        f"    {callee}{r.name}({words});\n    return made;\n}}\n"
    )


def _arrays(r: Routine) -> str:
    return _returning(r, "std::array<double, {0.n}>".format, start="{}")


def _eigen_kind(v: Vector) -> str:
    if not v.matrix:
        return f"Eigen::Matrix<double, {v.n}, 1>"
    rows, columns = v.shape[0], v.n // v.shape[0]
    order = "" if columns == 1 else ", Eigen::RowMajor"
    return f"Eigen::Matrix<double, {rows}, {columns}{order}>"


def _eigen(unit: Unit, routines: Sequence[Routine]) -> str:
    """Return the functions again with Eigen results, for files that include Eigen first."""
    return (
        "\n// Eigen: #include <Eigen/Core> before this header; matrices are stored row by row.\n"
        "#ifdef EIGEN_WORLD_VERSION\nnamespace eigen {\n\n"
        + each(routines, lambda r: _returning(r, _eigen_kind, f"{unit.id}::"), "\n")
        + "\n} // namespace eigen\n#endif\n"
    )


def _names(word: str, size: str, slots: Sequence[Slot]) -> str:
    texts = each(slots, lambda s: f'"{plain(s.name)}"', ", ")
    return f"constexpr const char *{word}_names[{size}] = {{{texts}}};\n" if slots else ""


def _header(unit: Unit, written: Written) -> str:
    up, sizes = unit.id.upper(), (("NQ", unit.positions), ("NV", unit.speeds))
    constants = each(
        [*sizes, ("NP", unit.parameters)],
        lambda x: f"constexpr std::size_t {x[0]} = {len(x[1])};\n",
    )
    tables = _names("position", "NQ", unit.positions) + _names("speed", "NV", unit.speeds)
    fields = each(unit.parameters, lambda p: f"    double {p.id} = {_number(p.number)};\n")
    note = "// The values of the description; nan where it gives none.\n"
    parts = [
        each(about(unit), lambda line: f"// {line}".rstrip() + "\n"),
        f"#ifndef {up}_HPP\n#define {up}_HPP\n",
        each(INCLUDES, "#include <{}>\n"),
        f"namespace {unit.id} {{\n",
        f"{constants}constexpr std::size_t NR = {unit.prepared};\n",
        tables + _names("parameter", "NP", unit.parameters),
        part("view.hpp", unit),
        *([f"{note}struct parameters {{\n{fields}}};\n"] if unit.parameters else ()),
        written.functions,
        _eigen(unit, [*filter(lambda r: r.entry, written.routines.values())]),
        f"}} // namespace {unit.id}\n\n#endif // {up}_HPP\n",
    ]
    return "\n".join(parts)


# -- golden vectors ----------------------------------------------------------------------------


def _literal(v: Vector, values: Sequence[float]) -> str:
    return f"std::array<double, {v.n}>{{{each(values or (0.0,), _number, ', ')}}}"


def _case(unit: Unit, entry: Entry, given: Sequence[str]) -> str:
    return f"    {{\n        const auto x = {unit.id}::{entry.name}({', '.join(given)});\n"


def _check(unit: Unit, x: Result, wanted: str) -> str:
    found = "x" if len(x.entry.outputs) == 1 else f"x.{x.vector.word}"
    return (
        f'        bad |= differs("{x.name}", {found},\n            {wanted},\n'
        f"            {x.size!r}, {x.tolerance!r});\n"
    )


def _test(unit: Unit, written: Written) -> str:
    pairs = zip(unit.parameters, unit.trial, strict=True)
    values = each(pairs, lambda x: f"    p.{x[0].id} = {x[1]!r};\n")
    parameters = f"    {unit.id}::parameters p;\n{values}"
    parameters += f"    const auto r = {unit.id}::prepare(p);\n"
    return (
        f"// {plain(unit.name)}: golden vectors. Exit 0 when all of them hold.\n\n"
        f'#include "{unit.id}.hpp"\n\n#include <cstdio>\n\n{part("differs.hpp", unit)}\n'
        f"int main()\n{{\n    int bad = 0;\n{parameters if unit.parameters else ''}"
        f"{written.golden}    return bad;\n}}\n"
    )


LANGUAGE = Language(
    dialect=lambda unit: CPP,
    let="    const double {name} = {value};\n",
    remark="    // {text}\n",
    mask="    const bool {name} = {value};\n",
    give="    {name} = {value};\n",
    sincos=turned("double", "detail::sincos"),
    parameter="p.{id}",
    function=_function,
    opened=unused,
    piece=_piece,
    call=lambda r, k: f"    {r.name}_{k}({r.shared});\n",
    literal=_literal,
    case=_case,
    check=_check,
    end="    }\n",
    files=lambda unit, written: {
        f"{unit.id}.hpp": _header(unit, written),
        f"{unit.id}_test.cpp": _test(unit, written),
    },
    run=(("g++", "-std=c++17", *STRICT, "-O1", "{d}/{id}_test.cpp", *GOLDEN), GOLDEN[1:]),
)
