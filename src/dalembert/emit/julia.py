"""Julia: a module of functions on vectors and matrices of any real type, and a golden script.

There is no Julia where this is developed: the text is checked by its tokens, the balance of its
blocks and a golden file, not by running it.
"""

from __future__ import annotations

from collections.abc import Sequence

from .dialect import Dialect, Form, infix, numbers
from .language import Language, Result, Routine, Vector, Written, about, each, nested, part, several
from .names import plain
from .python import case
from .statements import indices
from .unit import Slot, Unit

_number = numbers("Inf", "NaN")
# functions that throw outside their domain give NaN here, as everywhere else
JULIA = Dialect(
    "julia",
    "",
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


def _names(name: str, slots: Sequence[Slot]) -> str:
    names = each(map(lambda s: plain(s.name), slots), '"{}"', ", ")
    return f"const {name}_NAMES = String[{names}]\n"


def _source(unit: Unit, written: Written) -> str:
    values = each(unit.parameters, lambda p: _number(p.number), ", ")
    exported = each(written.routines, "export {}\n")
    parts = [
        each(about(unit), lambda line: f"# {line}".rstrip() + "\n"),
        f"module {unit.id}\n\n{exported}",
        _names("POSITION", unit.positions) + _names("SPEED", unit.speeds)
        + _names("PARAMETER", unit.parameters) + f"const DEFAULT_PARAMETERS = Float64[{values}]\n",
        part("helpers.jl", unit),
        written.functions,
        "end # module\n",
    ]  # fmt: skip
    return "\n".join(parts)


def _literal(v: Vector, values: Sequence[float]) -> str:
    text = f"Float64{nested([*map(_number, values)], ())}"
    if not v.matrix:
        return text
    turned = ", ".join(map(str, reversed(v.shape)))
    return f"permutedims(reshape({text}, {turned}), ({', '.join(map(str, v.turned))}))"


def _check(unit: Unit, x: Result, wanted: str) -> str:
    found = "x" if len(x.entry.outputs) == 1 else f"x[{x.k + 1}]"
    return f'bad |= differs("{x.name}", {found}, {wanted}, {x.size!r}, {x.tolerance!r})\n'


def _test(unit: Unit, written: Written) -> str:
    r = f"r = model.prepare(Float64{nested([*map(_number, unit.trial)], ())})\n"
    return (
        "# Golden vectors. Exit 0 when all of them hold.\n\n"
        f'include("{unit.id}.jl")\nconst model = {unit.id}\n\n{part("differs.jl", unit)}\n'
        f"bad = false\n{r if unit.parameters else ''}{written.golden}exit(bad ? 1 : 0)\n"
    )


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
    files=lambda unit, written: {
        f"{unit.id}.jl": _source(unit, written),
        f"{unit.id}_test.jl": _test(unit, written),
    },
    run=(("julia", "--startup-file=no", "{d}/{id}_test.jl"),),
)
