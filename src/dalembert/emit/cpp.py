"""C++17: one header, functions on std::array and on anything with data() and size()."""

from __future__ import annotations

from collections.abc import Sequence

from .c import declared, turned, unused
from .dialect import Dialect, Form, numbers
from .language import GOLDEN, STRICT, Language, Result, Routine, Text, Vector, Written
from .text import counts, each, tables
from .unit import Entry, Unit

_number = numbers(
    "std::numeric_limits<double>::infinity()", "std::numeric_limits<double>::quiet_NaN()"
)
CPP = Dialect(
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
TABLE = "constexpr const char *{kind}_names[N{LETTER}] = {{{texts}}};\n"


def _arguments(r: Routine) -> str:
    ins = each(r.given, "const double *{0.word}", ", ") if r.entry else "const parameters &p"
    return ins + each(r.made, ", double *{0.word}")


def _function(r: Routine, opened: str, inner: str) -> str:
    head = f"// {r.sentence}; matrices row by row.\ninline void {r.name}({_arguments(r)})"
    arrays = _returning(r, "std::array<double, {0.n}>".format, start="{}")
    return f"{head}\n{{\n{declared(r, 'double')}{opened}{inner}}}\n\n{arrays}"


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


def _eigen_kind(v: Vector) -> str:
    if not v.matrix:
        return f"Eigen::Matrix<double, {v.n}, 1>"
    rows, columns = v.shape[0], v.n // v.shape[0]
    order = "" if columns == 1 else ", Eigen::RowMajor"
    return f"Eigen::Matrix<double, {rows}, {columns}{order}>"


def _words(unit: Unit, made: Written) -> dict[str, str]:
    fields = each(unit.parameters, lambda p: f"    double {p.id} = {_number(p.number)};\n")
    note = "// The values of the description; nan where it gives none.\n"
    eigen = each(made.entries, lambda r: _returning(r, _eigen_kind, f"{unit.id}::"), "\n")
    return {
        "counts": counts(unit, "constexpr std::size_t N{LETTER} = {n};\n"),
        "tables": tables(unit, TABLE, empty=False),
        "parameters": f"{note}struct parameters {{\n{fields}}};\n\n" if unit.parameters else "",
        "eigen": eigen,
    }


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


def _prepare(unit: Unit) -> str:
    pairs = zip(unit.parameters, unit.trial, strict=True)
    values = each(pairs, lambda x: f"    p.{x[0].id} = {x[1]!r};\n")
    end = f"    const auto r = {unit.id}::prepare(p);\n"
    return f"    {unit.id}::parameters p;\n{values}{end}"


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
    prepare=_prepare,
    comment="// {}",
    files={"{id}.hpp": "model.hpp", "{id}_test.cpp": "test.cpp"},
    words=_words,
    run=(("g++", "-std=c++17", *STRICT, "-O1", "{d}/{id}_test.cpp", *GOLDEN), GOLDEN[1:]),
)
