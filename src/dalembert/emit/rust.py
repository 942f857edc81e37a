"""Rust: a crate without std and without dependencies."""

from __future__ import annotations

from collections.abc import Sequence

from ..expr.ops import OPS
from .dialect import Dialect, Form, numbers
from .language import GOLDEN, Language, Result, Routine, Vector
from .statements import indices
from .text import counts, each, nested, several, tables
from .unit import Entry, Unit

_number = numbers("f64::INFINITY", "f64::NAN")
RUST = Dialect(
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


def _libm() -> str:
    called = filter(lambda op: op.libm and op.name != "absolute", OPS.values())
    rows = each(called, lambda op: f" {op.libm}({'y, x' if op.arity == 2 else 'x'})")
    return f"    libm! {{{rows} }}\n"


def _array(values: Sequence[float]) -> str:
    return nested([*map(_number, values)], ())


def _case(unit: Unit, entry: Entry, given: Sequence[str]) -> str:
    words = ", ".join([*given[: len(entry.inputs)], *["&r"][: len(unit.parameters)]])
    return f"    let x = model::{entry.name}({words});\n"


def _check(unit: Unit, x: Result, wanted: str) -> str:
    found = "x" if len(x.entry.outputs) == 1 else f"x.{x.k}"
    found += ".concat()" * (len(x.vector.shape) - 1)
    limits = f"{_number(x.size)}, {_number(x.tolerance)}"
    return f'    bad |= differs("{x.name}", &{found}, {wanted}, {limits});\n'


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
    literal=lambda v, values: f"&{_array(values)}",
    case=_case,
    check=_check,
    prepare=lambda unit: f"    let r = model::prepare(&{_array(unit.trial)});\n",
    comment="//! {}",
    files={"Cargo.toml": "Cargo.toml", "src/lib.rs": "lib.rs", "examples/golden.rs": "golden.rs"},
    words=lambda unit, made: {
        "counts": counts(unit, "pub const N{LETTER}: usize = {n};\n"),
        "tables": tables(unit, "pub const {KIND}_NAMES: [&str; {n}] = [{texts}];\n"),
        "defaults": f"pub const DEFAULT_PARAMETERS: [f64; NP] = {_array(unit.defaults)};\n",
        "libm": _libm(),
        "module": f"use {unit.id} as model;\n",
    },
    run=(
        (*RUSTC, "--crate-type", "rlib", "--crate-name", "{id}", "{d}/src/lib.rs", "-o", LIBRARY),
        (*RUSTC, "{d}/examples/golden.rs", "--extern", f"{{id}}={LIBRARY}", *GOLDEN),
        GOLDEN[1:],
    ),
)
