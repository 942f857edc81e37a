"""Rust: a crate without std and without dependencies."""

from __future__ import annotations

from collections.abc import Sequence

from ..expr.ops import OPS
from .dialect import Dialect, Form, numbers
from .language import (
    GOLDEN,
    Language,
    Result,
    Routine,
    Vector,
    Written,
    about,
    each,
    nested,
    part,
    several,
)  # fmt: skip
from .names import plain
from .statements import indices
from .unit import Entry, Slot, Unit

_number = numbers("f64::INFINITY", "f64::NAN")
RUST = Dialect(
    "rust",
    "",
    {
        "minimum": Form("math::min({}, {})"),
        "maximum": Form("math::max({}, {})"),
        "sign": Form("math::sign({})"),
        "where": Form("if {} {{ {} }} else {{ {} }}", 0, (0, 0, 0)),
    },
    _number,
    turns=True,
    call="math::{}",
)
RUSTC, LIBRARY = ("rustc", "--edition", "2021", "-O"), "{out}/lib{id}.rlib"
ALLOW = (
    "#![no_std]\n#![allow(non_snake_case, non_upper_case_globals, unused_variables)]\n"
    "#![allow(clippy::all, dead_code, unused_parens)]\n"
)


def _kind(v: Vector, of: str = "f64") -> str:
    """Return the type of an array, or with `of` its first value."""
    return "[" * len(v.dims) + of + each(reversed(v.dims), "; {}]")


def _function(r: Routine, opened: str, inner: str) -> str:
    zeros = each((*r.made, *r.local), lambda v: f"    let mut {v.word} = {_kind(v, '0.0')};\n")
    head = f"/// {r.sentence}; matrices that are given row by row.\n"
    head += f"pub fn {r.name}({_inputs(r)}) -> {several([*map(_kind, r.made)])} {{\n"
    return f"{head}{zeros}{inner}    {several(r.outs)}\n}}\n"


def _inputs(r: Routine) -> str:
    return each(r.given, "{0.word}: &[f64; {0.size}]", ", ")


def _piece(r: Routine, k: int, inner: str) -> str:
    more = each((*r.made, *r.local), lambda v: f", {v.word}: &mut {_kind(v)}")
    return f"fn {r.name}_{k}({_inputs(r)}{more}) {{\n{inner}}}\n\n"


def _call(r: Routine, k: int) -> str:
    words = each(r.given, "{0.word}", ", ") + each((*r.made, *r.local), ", &mut {0.word}")
    return f"    {r.name}_{k}({words});\n"


def _names(name: str, slots: Sequence[Slot]) -> str:
    texts = each(slots, lambda s: f'"{plain(s.name)}"', ", ")
    return f"pub const {name}_NAMES: [&str; {len(slots)}] = [{texts}];\n"


def _math(unit: Unit) -> str:
    called = filter(lambda op: op.libm and op.name != "absolute", OPS.values())
    rows = each(called, lambda op: f" {op.libm}({'y, x' if op.arity == 2 else 'x'})")
    return f"{part('math.rs', unit)}    libm! {{{rows} }}\n}}\n"


def _source(unit: Unit, written: Written) -> str:
    values = each(unit.parameters, lambda p: _number(p.number), ", ")
    sizes = (unit.positions, unit.speeds, unit.parameters)
    counts = (*map(len, sizes), unit.prepared)
    parts = [
        each(about(unit), lambda line: f"//! {line}".rstrip() + "\n"),
        ALLOW,
        each(zip("QVPR", counts, strict=True), "pub const N{0[0]}: usize = {0[1]};\n"),
        each(zip(("POSITION", "SPEED", "PARAMETER"), sizes, strict=True), lambda x: _names(*x)),
        _math(unit),
        f"pub const DEFAULT_PARAMETERS: [f64; NP] = [{values}];\n",
        written.functions,
    ]
    return "\n".join(parts)


# -- golden vectors ----------------------------------------------------------------------------


def _literal(v: Vector, values: Sequence[float]) -> str:
    return f"&{nested([*map(_number, values)], (v.size,))}"


def _case(unit: Unit, entry: Entry, given: Sequence[str]) -> str:
    words = ", ".join([*given[: len(entry.inputs)], *["&r"][: len(unit.parameters)]])
    return f"    let x = model::{entry.name}({words});\n"


def _check(unit: Unit, x: Result, wanted: str) -> str:
    found = "x" if len(x.entry.outputs) == 1 else f"x.{x.k}"
    found += ".concat()" * (len(x.vector.shape) - 1)
    limits = f"{_number(x.size)}, {_number(x.tolerance)}"
    return f'    bad |= differs("{x.name}", &{found}, {wanted}, {limits});\n'


def _test(unit: Unit, written: Written) -> str:
    r = f"    let r = model::prepare(&{nested([*map(_number, unit.trial)], ())});\n"
    return (
        f"//! Golden vectors. Exit 0 when all of them hold.\n\nuse {unit.id} as model;\n\n"
        f"{part('differs.rs', unit)}fn main() {{\n    let mut bad = false;\n"
        f"{r if unit.parameters else ''}{written.golden}"
        "    std::process::exit(if bad { 1 } else { 0 });\n}\n"
    )


LANGUAGE = Language(
    dialect=lambda unit: RUST,
    let="    let {name} = {value};\n",
    remark="    // {text}\n",
    give="    {name} = {value};\n",
    sincos=("", "    (sn[{at}], cs[{at}]) = math::sincos({angle});\n", ""),
    place=lambda v, k: v.word + each(indices(v.dims, k), "[{}]"),
    function=_function,
    piece=_piece,
    call=_call,
    pieces_last=True,
    literal=_literal,
    case=_case,
    check=_check,
    files=lambda unit, written: {
        "Cargo.toml": f'[package]\nname = "{unit.id}"\nversion = "0.1.0"\nedition = "2021"\n\n'
        f'[lib]\nname = "{unit.id}"\n',
        "src/lib.rs": _source(unit, written),
        "examples/golden.rs": _test(unit, written),
    },
    run=(
        (*RUSTC, "--crate-type", "rlib", "--crate-name", "{id}", "{d}/src/lib.rs", "-o", LIBRARY),
        (*RUSTC, "{d}/examples/golden.rs", "--extern", f"{{id}}={LIBRARY}", *GOLDEN),
        GOLDEN[1:],
    ),
)
