"""C++17: one header, functions on std::array and on anything with data() and size()."""

from __future__ import annotations

import re

from ..expr.function import Port
from .bodies import entry_body, prepare_body, results
from .c import How, about, filled, function
from .c_text import SINCOS
from .dialect import Dialect, Form, infix, numbers
from .names import plain
from .unit import Entry, Slot, Unit

_number = numbers(
    "std::numeric_limits<double>::infinity()", "std::numeric_limits<double>::quiet_NaN()"
)


_LIBM = ("sin", "cos", "tan", "asin", "acos", "exp", "log", "sqrt")
CPP = Dialect(
    "cpp",
    "const double {name} = {value};",
    infix(
        **{name: Form(f"std::{name}({{}})") for name in _LIBM},
        absolute=Form("std::fabs({})"),
        atan2=Form("std::atan2({}, {})"),
        minimum=Form("detail::min({}, {})"),
        maximum=Form("detail::max({}, {})"),
        sign=Form("detail::sign({})"),
        where=Form("{} ? {} : {}", 0, (1, 1, 1)),
    ),
    _number,
    turns=True,
)
HOW = How("double", "detail::sincos", "inline", "", "bool")

VIEW = """\
// A vector of N numbers that somebody else owns: std::array, a C array, or anything with data() and
// size(); a size that does not fit is an exception.
template <std::size_t N>
class view {
public:
    view(const std::array<double, N> &x) : data_(x.data()) {}
    view(const double (&x)[N]) : data_(x) {}
    template <class Vector, class = decltype(std::declval<const Vector &>().data())>
    view(const Vector &x) : data_(x.data())
    {
        if (static_cast<std::size_t>(x.size()) != N) {
            throw std::invalid_argument("@id@: a vector has the wrong size");
        }
    }
    const double *data() const { return data_; }

private:
    const double *data_;
};

namespace detail {

inline double min(double x, double y) { return x < y ? x : y; }
inline double max(double x, double y) { return x > y ? x : y; }
inline double sign(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : x); }

"""


PLAIN_SINCOS = """\
inline void sincos(int n, const double *x, double *s, double *c)
{
    for (int i = 0; i < n; ++i) {
        s[i] = std::sin(x[i]);
        c[i] = std::cos(x[i]);
    }
}
"""


def files(unit: Unit) -> dict[str, str]:
    """Return the files by name."""
    return {f"{unit.id}.hpp": header(unit), f"{unit.id}_test.cpp": test(unit)}


def _sincos() -> str:
    """Return the routine of C in double precision, without its macros."""
    body = SINCOS[SINCOS.index("static inline void") :]
    body = body[: body.rindex("#endif")].replace("restrict ", "").replace("@id@_real", "double")
    body = body.replace("static inline void @id@_sincos", "inline void sincos")
    body = re.sub(r"@ID@_K\(([^)]*)\)", r"\1", body)
    body = re.sub(r"@ID@_F\((\w+)\)", r"std::\1", body)
    parts = re.search(
        r"#else\n#define @ID@_TURN 1e5.*?PARTS\(x, k\) \\\n(.*?)\n#endif", SINCOS, re.S
    )
    assert parts is not None
    reduced = parts[1].replace("\\\n", "\n").replace("(x)", "x[i]").replace("(k)", "k").strip()
    body = body.replace("@ID@_PARTS(x[i], k)", reduced)
    body = body.replace("@ID@_TURN", "1e5").replace("@ID@_ROUND", "6755399441055744.0")
    return f"#ifndef __FAST_MATH__\n{body}#else\n{PLAIN_SINCOS}#endif\n"


def header(unit: Unit) -> str:
    """Return <id>.hpp."""
    up = unit.id.upper()
    includes = ("array", "cmath", "cstddef", "limits", "stdexcept", "utility")
    parts = [
        "".join(f"// {line}".rstrip() + "\n" for line in about(unit)),
        f"#ifndef {up}_HPP\n#define {up}_HPP\n",
        "".join(f"#include <{name}>\n" for name in includes),
        f"namespace {unit.id} {{\n",
        f"constexpr std::size_t NQ = {len(unit.positions)};\n"
        f"constexpr std::size_t NV = {len(unit.speeds)};\n"
        f"constexpr std::size_t NP = {len(unit.parameters)};\n"
        f"constexpr std::size_t NR = {unit.prepared};\n",
        "".join(_tables(unit)),
        filled(VIEW, unit) + _sincos() + "\n} // namespace detail\n",
    ]
    if unit.parameters:
        parts += [_parameters(unit), _prepare(unit)]
    for entry in unit.entries:
        parts.append(_pointers(entry, unit))
        parts.append(_arrays(entry, unit))
    parts.append(f"}} // namespace {unit.id}\n\n#endif // {up}_HPP\n")
    return "\n".join(parts)


def _tables(unit: Unit) -> list[str]:
    found = []
    for word, size, slots in (
        ("position", "NQ", unit.positions),
        ("speed", "NV", unit.speeds),
        ("parameter", "NP", unit.parameters),
    ):
        if slots:
            texts = ", ".join(f'"{plain(s.name)}"' for s in slots)
            found.append(f"constexpr const char *{word}_names[{size}] = {{{texts}}};\n")
    return found


def _parameters(unit: Unit) -> str:
    fields = "".join(f"    double {p.id} = {_value(p)};\n" for p in unit.parameters)
    note = "// The values of the description; nan where it gives none.\n"
    return f"{note}struct parameters {{\n{fields}}};\n"


def _value(p: Slot) -> str:
    return _number(float("nan") if p.value is None else p.value)


def _prepare(unit: Unit) -> str:
    body = prepare_body(unit, CPP, lambda k: f"p.{unit.parameters[k].id}")
    arguments = ("const parameters &p", "double *r")
    head = f"inline void prepare({', '.join(arguments)})"
    text = function("prepare", head, arguments, body, HOW).replace("&p", "&p")
    size = max(1, unit.prepared)
    return (
        "// What depends on parameters only: once per set.\n" + text + "\n"
        f"inline std::array<double, {size}> prepare(const parameters &p)\n{{\n"
        f"    std::array<double, {size}> r{{}};\n    prepare(p, r.data());\n    return r;\n}}\n"
    )


def _pointers(entry: Entry, unit: Unit) -> str:
    arguments = [f"const double *{x}" for x in entry.given]
    arguments += ["const double *r"] * bool(unit.parameters)
    arguments += [f"double *{x}" for x in entry.made]
    head = f"inline void {entry.name}({', '.join(arguments)})"
    text = function(entry.name, head, arguments, entry_body(entry, CPP), HOW)
    return f"// {entry.summary} [{entry.unit}]; matrices row by row.\n{text}"


def _array(port: Port) -> str:
    return f"std::array<double, {max(1, port.size)}>"


def _arrays(entry: Entry, unit: Unit) -> str:
    """Return the function on arrays; several results are fields of a struct."""
    arguments = [
        f"view<{max(1, port.size)}> {word}"
        for word, port in zip(entry.given, entry.inputs, strict=True)
    ]
    arguments += [f"view<{max(1, unit.prepared)}> r"] * bool(unit.parameters)
    words = [f"{x}.data()" for x in entry.given] + ["r.data()"] * bool(unit.parameters)
    made = list(zip(entry.made, entry.outputs, strict=True))
    if len(made) == 1:
        kind, text = _array(made[0][1]), ""
        words.append("made.data()")
    else:
        kind = f"{entry.name}_results"
        fields = "".join(f"    {_array(port)} {word};\n" for word, port in made)
        text = f"struct {kind} {{\n{fields}}};\n\n"
        words += [f"made.{word}.data()" for word, _ in made]
    return (
        f"{text}inline {kind} {entry.name}({', '.join(arguments)})\n{{\n    {kind} made{{}};\n"
        f"    {entry.name}({', '.join(words)});\n    return made;\n}}\n"
    )


# -- test --------------------------------------------------------------------------------------


def _braced(values: tuple[float, ...]) -> str:
    return "{" + ", ".join(_number(x) for x in values or (0.0,)) + "}"


CHECK = """\
namespace {

template <std::size_t N>
int differs(const char *name, const std::array<double, N> &x, const std::array<double, N> &golden,
            double size, double tolerance)
{
    double worst = 0.0;
    bool bad = false;
    for (std::size_t i = 0; i < N; ++i) {
        const double error = std::fabs(x[i] - golden[i])/size;
        bad = bad || !(error <= tolerance);
        worst = error > worst ? error : worst;
    }
    std::printf("%s worst=%.3e tol=%.3e %s\\n", name, worst, tolerance, bad ? "MISS" : "ok");
    return bad ? 1 : 0;
}

} // namespace
"""


def test(unit: Unit) -> str:
    """Return <id>_test.cpp: every function at states whose results are known."""
    lines = ["int main()\n{\n    int bad = 0;\n"]
    if unit.parameters:
        lines.append(f"    {unit.id}::parameters p;\n")
        lines += [
            f"    p.{p.id} = {x!r};\n" for p, x in zip(unit.parameters, unit.trial, strict=True)
        ]
        lines.append(f"    const auto r = {unit.id}::prepare(p);\n")
    for entry in unit.entries:
        for golden in entry.golden:
            given = [f"std::array<double, {max(1, len(x))}>{_braced(x)}" for x in golden.inputs]
            given += ["r"] * bool(unit.parameters)
            lines.append(f"    {{\n        const auto x = {unit.id}::{entry.name}(")
            lines.append(", ".join(given) + ");\n")
            for word, port, k in results(entry):
                found = "x" if len(entry.outputs) == 1 else f"x.{word}"
                wanted = f"{_array(port)}{_braced(golden.outputs[k])}"
                size, most = entry.size(k), entry.roundings(k) * 2.0**-52
                lines.append(
                    f'        bad |= differs("{entry.name} {word}", {found},\n            '
                    f"{wanted},\n            {size!r}, {most!r});\n"
                )
            lines.append("    }\n")
    lines.append("    return bad;\n}\n")
    top = f"// {plain(unit.name)}: golden vectors. Exit 0 when all of them hold.\n\n"
    top += f'#include "{unit.id}.hpp"\n\n#include <cstdio>\n\n'
    return top + CHECK + "\n" + "".join(lines)
