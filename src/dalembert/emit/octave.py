"""Octave and MATLAB: one function per file, column vectors, fit for code generation."""

from __future__ import annotations

from collections.abc import Sequence

from .dialect import Dialect, Form, infix, numbers
from .language import Language, Result, Routine, Vector
from .names import plain
from .text import about, each, part
from .unit import Entry, Unit

_number = numbers("Inf", "NaN")
OCTAVE = Dialect(infix(where=Form("pick({}, {}, {})")), _number, entry="{}({})", first=1)


def _rows(v: Vector) -> str:
    """Return an array as a vector in C order."""
    return f"reshape(permute({v.word}, [{' '.join(map(str, v.turned))}]), [], 1)"


def _shaped(text: str, v: Vector) -> str:
    """Return a vector in C order as an array."""
    turned = " ".join(map(str, reversed(v.shape)))
    return f"permute(reshape({text}, [{turned}]), [{' '.join(map(str, v.turned))}])"


def _help(r: Routine) -> str:
    p = r.unit.parameters
    if r.entry is None:
        values = filter(lambda s: s.value is not None, p)
        lines = each(enumerate(p, 1), lambda x: f"  % p({x[0]}): {plain(x[1].name)}\n") + "  %\n"
        return lines + each(values, lambda s: f"  % {plain(s.name)} = {s.value!r}\n")
    own = (*r.given[: len(r.entry.inputs)], *r.made)
    sizes = each(own, lambda v: f"{v.word}: {' x '.join(map(str, v.dims))}", ", ")
    return f"  % {sizes}\n  %\n{about(r.unit, '  % {}')}"


def _function(r: Routine, opened: str, inner: str) -> str:
    def matrices(vectors: Sequence[Vector]) -> filter[Vector]:
        return filter(lambda v: v.matrix, vectors)

    lead = each(matrices(r.given), lambda v: f"  {v.word} = {_rows(v)};\n")
    ends = each(matrices(r.made), lambda v: f"  {v.word} = {_shaped(v.word, v)};\n")
    zeros = each((*r.made, *r.local), "  {0.word} = zeros({0.size}, 1);\n")
    words = each(r.given, "{0.word}", ", ")
    head = f"function [{', '.join(r.outs)}] = {r.unit.id}_{r.name}({words}) %#codegen\n"
    return f"{head}  % {r.sentence}.\n{_help(r)}{lead}{zeros}{inner}{ends}end\n"


def _passed(r: Routine) -> str:
    return each((*r.made, *r.local), "{0.word}", ", ")


def _literal(v: Vector, values: Sequence[float]) -> str:
    text = f"[{each(values, _number, '; ')}]" if values else "zeros(0, 1)"
    return _shaped(text, v) if v.matrix and values else text


def _case(unit: Unit, entry: Entry, given: Sequence[str]) -> str:
    outs = each(entry.outputs, "x{n}", ", ")
    return f"  [{outs}] = {unit.id}_{entry.name}({', '.join(given)});\n"


def _check(unit: Unit, x: Result, wanted: str) -> str:
    limits = f"{x.size!r}, {x.tolerance!r}"
    return f"  bad = bad + differs('{x.name}', x{x.k + 1}, {wanted}, {limits});\n"


LANGUAGE = Language(
    dialect=lambda unit: OCTAVE,
    let="  {name} = {value};\n",
    remark="  % {text}\n",
    parameter="p({n})",
    function=_function,
    piece=lambda r, k, inner: f"function [{_passed(r)}] = part_{k}({r.shared})\n{inner}end\n\n",
    call=lambda r, k: f"  [{_passed(r)}] = part_{k}({r.shared});\n",
    pieces_last=True,
    literal=_literal,
    case=_case,
    check=_check,
    prepare=lambda unit: f"  r = {unit.id}_prepare([{each(unit.trial, _number, '; ')}]);\n",
    apart=lambda r, text: (
        f"{r.unit.id}_{r.name}.m",
        text + (part("pick.m", r.unit) if "where" in r.code.ops else ""),
    ),
    files={"{id}_test.m": "test.m"},
    run=(("octave-cli", "--no-init-file", "-q", "--path", "{d}", "--eval", "exit({id}_test())"),),
)
