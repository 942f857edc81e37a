"""Rust: a crate without std and without dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..expr.function import Port
from .bodies import entry_body, indices, prepare_body, results
from .c import about
from .c_text import SINCOS
from .dialect import Dialect, Form, infix, numbers
from .names import plain
from .statements import Code, Give, Let, SinCos
from .unit import Unit

_number = numbers("f64::INFINITY", "f64::NAN")


_LIBM = ("sin", "cos", "tan", "asin", "acos", "exp", "log", "sqrt")
RUST = Dialect(
    "rust",
    "let {name} = {value};",
    infix(
        **{name: Form(f"math::{name}({{}})") for name in _LIBM},
        absolute=Form("math::fabs({})"),
        atan2=Form("math::atan2({}, {})"),
        minimum=Form("math::min({}, {})"),
        maximum=Form("math::max({}, {})"),
        sign=Form("math::sign({})"),
        where=Form("if {} {{ {} }} else {{ {} }}", 0, (0, 0, 0)),
    ),
    _number,
    turns=True,
)

ALLOW = (
    "#![no_std]\n#![allow(non_snake_case, non_upper_case_globals, unused_variables)]\n"
    "#![allow(clippy::all, dead_code, unused_parens)]\n"
)
MATH = """\
/// Functions that the core library lacks: those of the C library, without unsafety for callers.
mod math {
    mod c {
        extern "C" {
            pub fn sin(x: f64) -> f64;
            pub fn cos(x: f64) -> f64;
            pub fn tan(x: f64) -> f64;
            pub fn asin(x: f64) -> f64;
            pub fn acos(x: f64) -> f64;
            pub fn exp(x: f64) -> f64;
            pub fn log(x: f64) -> f64;
            pub fn sqrt(x: f64) -> f64;
            pub fn atan2(y: f64, x: f64) -> f64;
        }
    }
@one@    pub fn atan2(y: f64, x: f64) -> f64 {
        unsafe { c::atan2(y, x) }
    }
    pub fn fabs(x: f64) -> f64 {
        f64::from_bits(x.to_bits() & 0x7fff_ffff_ffff_ffff)
    }
    pub fn min(x: f64, y: f64) -> f64 {
        if x < y { x } else { y }
    }
    pub fn max(x: f64, y: f64) -> f64 {
        if x > y { x } else { y }
    }
    pub fn sign(x: f64) -> f64 {
        if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x }
    }
    /// Sine and cosine, without branches and within 2 units in the last place up to 1e5.
    pub fn sincos(x: f64) -> (f64, f64) {
@sincos@    }
}
"""
ONE = """\
    pub fn {0}(x: f64) -> f64 {{
        unsafe {{ c::{0}(x) }}
    }}
"""


def _sincos() -> str:
    """Return the routine of C in Rust: the same constants, parts and polynomials."""
    parts = re.search(
        r"#else\n#define @ID@_TURN 1e5.*?PARTS\(x, k\) \\\n(.*?)\n#endif", SINCOS, re.S
    )
    assert parts is not None
    reduced = re.sub(r"\s*\\\n\s*", " ", parts[1]).replace("(x)", "x").replace("(k)", "k").strip()
    body = SINCOS[SINCOS.index("static inline void") :]
    loop = body[body.index("for (i") : body.index("s[i] = ")]
    lines = loop.split("{\n", 1)[1]
    lines = lines.replace("@ID@_PARTS(x[i], k)", reduced).replace("x[i]", "x")
    lines = re.sub(r"@ID@_K\(([^)]*)\)", r"(\1)", lines).replace("@ID@_ROUND", "ROUND")
    lines = re.sub(r"@ID@_F\((\w+)\)", r"\1", lines)
    lines = re.sub(r"const (@id@_real|int) ", "let ", lines)
    lines = re.sub(r"= odd \? (\w+) : (\w+);", r"= if odd { \1 } else { \2 };", lines)
    return (
        "        const ROUND: f64 = 6755399441055744.0;\n"
        "        if !(fabs(x) <= 1e5) {\n            return (sin(x), cos(x));\n        }\n"
        + lines.rstrip()
        + "\n        (if fabs(m - 0.5) > 1.0 { -a } else { a },\n"
        "         if fabs(m + 0.5) > 1.0 { -b } else { b })\n"
    )


def files(unit: Unit) -> dict[str, str]:
    """Return the files by name."""
    return {
        "Cargo.toml": f'[package]\nname = "{unit.id}"\nversion = "0.1.0"\nedition = "2021"\n\n'
        f'[lib]\nname = "{unit.id}"\n',
        "src/lib.rs": source(unit),
        "examples/golden.rs": test(unit),
    }


def source(unit: Unit) -> str:
    """Return src/lib.rs."""
    math = MATH.replace("@one@", "".join(ONE.format(name) for name in _LIBM))
    parts = [
        "".join(f"//! {line}".rstrip() + "\n" for line in about(unit)),
        ALLOW,
        f"pub const NQ: usize = {len(unit.positions)};\n"
        f"pub const NV: usize = {len(unit.speeds)};\n"
        f"pub const NP: usize = {len(unit.parameters)};\n"
        f"pub const NR: usize = {unit.prepared};\n",
        _names("POSITION_NAMES", [plain(s.name) for s in unit.positions])
        + _names("SPEED_NAMES", [plain(s.name) for s in unit.speeds])
        + _names("PARAMETER_NAMES", [plain(s.name) for s in unit.parameters]),
        math.replace("@sincos@", _sincos()),
    ]
    if unit.parameters:
        values = ", ".join(
            "f64::NAN" if p.value is None else _number(p.value) for p in unit.parameters
        )
        parts.append(f"pub const DEFAULT_PARAMETERS: [f64; NP] = [{values}];\n")
        body = prepare_body(unit, RUST, lambda k: f"p[{k}]")
        given, made = [("p", len(unit.parameters))], [("r", Port("r", (unit.prepared,)))]
        note = "/// What depends on parameters only: once per set.\n"
        parts.append(note + _function("prepare", given, made, body))
    for entry in unit.entries:
        given = [(w, p.size) for w, p in zip(entry.given, entry.inputs, strict=True)]
        given += [("r", unit.prepared)] * bool(unit.parameters)
        made = list(zip(entry.made, entry.outputs, strict=True))
        body = entry_body(entry, RUST, _place)
        note = f"/// {entry.summary}, in {entry.unit}; matrices that are given row by row.\n"
        parts.append(note + _function(entry.name, given, made, body))
    return "\n".join(parts)


def _names(name: str, words: Sequence[str]) -> str:
    texts = ", ".join(f'"{word}"' for word in words)
    return f"pub const {name}: [&str; {len(words)}] = [{texts}];\n"


def _type(port: Port) -> str:
    kind = "f64"
    for n in reversed(port.shape or (1,)):
        kind = f"[{kind}; {n}]"
    return kind


def _zeros(port: Port) -> str:
    text = "0.0"
    for n in reversed(port.shape or (1,)):
        text = f"[{text}; {n}]"
    return text


def _place(word: str, port: Port, k: int) -> str:
    return word + "".join(f"[{i}]" for i in indices(port.shape or (1,), k))


def _function(
    name: str, given: Sequence[tuple[str, int]], made: Sequence[tuple[str, Port]], body: Code
) -> str:
    vectors = [("wk", body.scratch), ("sn", body.turns), ("cs", body.turns)]
    local = [(v, Port(v, (n,))) for v, n in vectors if n]
    declared = "".join(f"    let mut {w} = {_zeros(p)};\n" for w, p in (*made, *local))
    inputs = ", ".join(f"{w}: &[f64; {n}]" for w, n in given)
    kinds = [_type(p) for _, p in made]
    words = [w for w, _ in made]
    kind = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
    end = words[0] if len(words) == 1 else f"({', '.join(words)})"
    head = f"pub fn {name}({inputs}) -> {kind} {{\n{declared}"
    if len(body.pieces) == 1:
        return f"{head}{''.join(_lines(body.pieces[0]))}    {end}\n}}\n"
    inner = ", ".join([inputs, *(f"{w}: &mut {_type(p)}" for w, p in (*made, *local))])
    call = ", ".join([*(w for w, _ in given), *(f"&mut {w}" for w, _ in (*made, *local))])
    pieces, calls = "", ""
    for k, piece in enumerate(body.pieces, 1):
        pieces += f"fn {name}_{k}({inner}) {{\n{''.join(_lines(piece))}}}\n\n"
        calls += f"    {name}_{k}({call});\n"
    return f"{head}{calls}    {end}\n}}\n\n{pieces}"


def _lines(piece: Sequence[object]) -> Iterator[str]:
    for statement in piece:
        if isinstance(statement, SinCos):
            for k, angle in enumerate(statement.angles, statement.first):
                yield f"    (sn[{k}], cs[{k}]) = math::sincos({angle});\n"
        elif isinstance(statement, Let):
            let = "" if statement.kept else "let "
            yield f"    {let}{statement.name} = {statement.value};\n"
        elif isinstance(statement, Give):
            yield f"    {statement.place} = {statement.value};\n"


# -- test --------------------------------------------------------------------------------------

CHECK = """\
fn differs(name: &str, x: &[f64], golden: &[f64], size: f64, tolerance: f64) -> bool {
    let mut worst = 0.0;
    let mut bad = false;
    for (a, b) in x.iter().zip(golden) {
        let error = (a - b).abs()/size;
        bad |= !(error <= tolerance);
        worst = if error > worst { error } else { worst };
    }
    let verdict = if bad { "MISS" } else { "ok" };
    println!("{} worst={:.3e} tol={:.3e} {}", name, worst, tolerance, verdict);
    bad
}

"""


def _array(values: Sequence[float]) -> str:
    return "[" + ", ".join(_number(x) for x in values) + "]"


def test(unit: Unit) -> str:
    """Return examples/golden.rs: every function at states whose results are known."""
    lines = [f"//! Golden vectors. Exit 0 when all of them hold.\n\nuse {unit.id} as model;\n\n"]
    lines += [CHECK, "fn main() {\n    let mut bad = false;\n"]
    if unit.parameters:
        lines.append(f"    let r = model::prepare(&{_array(unit.trial)});\n")
    for entry in unit.entries:
        for golden in entry.golden:
            given = [f"&{_array(x)}" for x in golden.inputs] + ["&r"] * bool(unit.parameters)
            lines.append(f"    let x = model::{entry.name}({', '.join(given)});\n")
            for word, port, k in results(entry):
                found = "x" if len(entry.outputs) == 1 else f"x.{k}"
                found += ".concat()" * (len(port.shape) - 1)
                size, most = _number(entry.size(k)), _number(entry.roundings(k) * 2.0**-52)
                lines.append(
                    f'    bad |= differs("{entry.name} {word}", &{found}, '
                    f"&{_array(golden.outputs[k])}, {size}, {most});\n"
                )
    lines.append("    std::process::exit(if bad { 1 } else { 0 });\n}\n")
    return "".join(lines)
