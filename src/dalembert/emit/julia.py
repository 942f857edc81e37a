"""Julia: a module of functions on vectors and matrices of any real type, and a golden script.

There is no Julia where this is developed: the text is checked by its tokens, the balance of its
blocks and a golden file, not by running it.
"""

from __future__ import annotations

from collections.abc import Sequence

from .dialect import Dialect, Form, infix, numbers
from .language import Language, Result, Routine, Vector
from .python import case
from .statements import indices
from .text import each, nested, several, tables
from .unit import Unit

_number = numbers("Inf", "NaN")
# functions that throw outside their domain give NaN here, as everywhere else
JULIA = Dialect(
    infix(
        atan2=Form("atan({}, {})"),
        asin=Form("_asin({})"),
        acos=Form("_acos({})"),
        log=Form("_log({})"),
        sqrt=Form("_sqrt({})"),
        where=Form("ifelse({}, {}, {})"),
    ),
    _number,
    first=1,
)


def _rows(v: Vector) -> str:
    """Return an array as a vector in C order."""
    return f"vec(permutedims({v.word}, ({', '.join(map(str, v.turned))})))"


def _zeros(v: Vector) -> str:
    return f"    {v.word} = zeros(_T, {', '.join(map(str, v.dims))})\n"


def _function(r: Routine, opened: str, inner: str) -> str:
    matrices = filter(lambda v: v.matrix, r.given)
    lead = each(r.given, "    length({0.word}) == {0.size} || _wrong({0.size}, {0.word})\n")
    lead += each(matrices, lambda v: f"    {v.word} = {_rows(v)}\n")
    kinds = each(r.given, "eltype({0.word})", ", ")
    zeros = f"    _T = promote_type(Float64, {kinds})\n{each((*r.made, *r.local), _zeros)}"
    words = each(r.given, "{0.word}", ", ")
    head = f'"""\n    {r.name}({words})\n\nReturn {r.meaning}.\n"""\n'
    head += f"function {r.name}({words})\n{lead}{zeros}{inner}"
    return f"{head}    return {several(r.outs)}\nend\n"


def _piece(r: Routine, k: int, inner: str) -> str:
    return f"function _{r.name}_{k}!({r.shared})\n{inner}    return nothing\nend\n\n"


def _numbers(values: Sequence[float]) -> str:
    return f"Float64{nested([*map(_number, values)], ())}"


def _literal(v: Vector, values: Sequence[float]) -> str:
    if not v.matrix:
        return _numbers(values)
    turned = ", ".join(map(str, reversed(v.shape)))
    order = ", ".join(map(str, v.turned))
    return f"permutedims(reshape({_numbers(values)}, {turned}), ({order}))"


def _check(unit: Unit, x: Result, wanted: str) -> str:
    found = "x" if len(x.entry.outputs) == 1 else f"x[{x.k + 1}]"
    return f'bad |= differs("{x.name}", {found}, {wanted}, {x.size!r}, {x.tolerance!r})\n'


LANGUAGE = Language(
    dialect=lambda unit: JULIA,
    remark="    # {text}\n",
    place=lambda v, k: f"{v.word}[{each(indices(v.dims, k), lambda i: str(i + 1), ', ')}]",
    parameter="p[{n}]",
    function=_function,
    piece=_piece,
    call=lambda r, k: f"    _{r.name}_{k}!({r.shared})\n",
    literal=_literal,
    case=case,
    check=_check,
    prepare=lambda unit: f"r = model.prepare({_numbers(unit.trial)})\n",
    files={"{id}.jl": "model.jl", "{id}_test.jl": "test.jl"},
    words=lambda unit, made: {
        "exports": each(made.routines, "export {}\n"),
        "tables": tables(unit, "const {KIND}_NAMES = String[{texts}]\n"),
        "defaults": f"const DEFAULT_PARAMETERS = {_numbers(unit.defaults)}\n",
        "module": f"const model = {unit.id}\n",
    },
    run=(("julia", "--startup-file=no", "{d}/{id}_test.jl"),),
)
