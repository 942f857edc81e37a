"""Fortran 2008: a module of pure subroutines, and a program with golden vectors."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from .dialect import Dialect, Form, infix, numbers
from .language import GOLDEN, Language, Result, Routine, Vector, Written
from .names import plain
from .statements import Piece, indices
from .text import chunks, counts, each, part
from .unit import Entry, Unit

_number = numbers(
    "ieee_value(1.0_dp, ieee_positive_inf)", "ieee_value(1.0_dp, ieee_quiet_nan)", "{}_dp"
)
FORTRAN = Dialect(
    infix(
        sign=Form("sign_of({})"),
        where=Form("merge({1}, {2}, {0})"),
        neg=Form("-{}", 1, (3,)),  # a*-b is no Fortran
    ),
    _number,
    entry="{}({})",
    first=1,
)
STRICT = ("-std=f2008", "-Wall", "-Wno-unused-dummy-argument", "-Werror", "-O1")
WIDE = 120


def _wrapped(line: str) -> str:
    """Return a statement on lines that are short enough, continued by &."""
    text = line.rstrip()
    if len(text) <= WIDE:
        return line
    indent = " " * (len(text) - len(text.lstrip()))
    parts = textwrap.wrap(
        text, WIDE - 4, initial_indent=indent, subsequent_indent=indent + "  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return " &\n".join(parts) + "\n"


def _shape(v: Vector) -> str:
    return f"{v.word}({','.join(map(str, v.dims))})"


def _outer(v: Vector) -> Vector:
    """Return a matrix as it is given, by another name than the vector made of it."""
    return Vector(v.word + "_", v.shape, v.size) if v.matrix else v


def _head(name: str, given: Sequence[Vector], made: Sequence[Vector], intent: str) -> str:
    words = each((*given, *made), "{0.word}", ", ")
    ins = each(given, lambda v: f"    real(dp), intent(in) :: {_shape(v)}\n")
    outs = each(made, lambda v: f"    real(dp), intent({intent}) :: {_shape(v)}\n")
    return _wrapped(f"  pure subroutine {name}({words})\n") + ins + outs


def _function(r: Routine, opened: str, inner: str) -> str:
    matrices = [*filter(lambda v: v.matrix, r.given)]
    head = _head(r.name, [*map(_outer, r.given)], r.made, "out")
    local = each((*matrices, *r.local), "    real(dp) :: {0.word}({0.size})\n")
    lead = each(matrices, "    {0.word} = reshape(transpose({0.word}_), [{0.size}])\n")
    return f"  ! {r.sentence}\n{head}{local}{opened}{lead}{inner}  end subroutine {r.name}\n"


def _piece(r: Routine, k: int, inner: str) -> str:
    name = f"{r.name}_{k}"
    given = [*map(lambda v: Vector.of(v.word, v.size), r.given)]
    head = _head(name, given, (*r.made, *r.local), "inout")
    return f"{head}{inner}  end subroutine {name}\n\n"


def _opened(r: Routine, piece: Piece) -> str:
    """Return the declarations of the names of a piece."""

    def declared(kind: str, mask: bool) -> str:
        names = chunks(piece.names(mask), 15)
        return each(names, lambda part: _wrapped(f"    {kind} :: {', '.join(part[1])}\n"))

    return declared("real(dp)", False) + declared("logical", True)


# -- golden vectors: a subroutine for each function --------------------------------------------


def _filled(values: Sequence[float]) -> str:
    """Return assignments to g, four numbers a line."""
    form = "    g({}:{}) = [{}]\n".format
    rows = chunks(values, 4)
    return each(rows, lambda x: form(x[0] + 1, x[0] + len(x[1]), each(x[1], _number, ", ")))


def _literal(v: Vector, values: Sequence[float]) -> str:
    found = f"g(1:{v.size})"
    if v.matrix:
        found = f"reshape({found}, {list(v.shape)}, order={list(v.turned)})"
    return f"{_filled(values)}    x_{v.word} = {found}\n"


def _case(unit: Unit, entry: Entry, given: Sequence[str]) -> str:
    words = ["r"][: len(unit.parameters)]
    words = [*map("x_{}".format, entry.given), *words, *map("x_{}".format, entry.made)]
    filled = "".join(given[: len(entry.inputs)])
    return filled + _wrapped(f"    call {entry.name}({', '.join(words)})\n")


def _check(unit: Unit, x: Result, wanted: str) -> str:
    v, found = x.vector, f"x_{x.vector.word}"
    if v.matrix:
        turned = f"{list(reversed(v.shape))}, order={list(v.turned)}"
        found = f"reshape(reshape({found}, {turned}), [{v.size}])"
    limits = f"{_number(x.size)}, {_number(x.tolerance)}"
    call = f"    call differs('{x.name}', {found}, g(1:{v.size}), {limits})\n"
    return _filled(x.values) + _wrapped(call)


def _checked(unit: Unit, entry: Entry, cases: str) -> str:
    vectors = [*map(Vector.of, entry.arguments, (*entry.inputs, *entry.outputs))]
    most = max(1, *map(lambda v: v.size, vectors))
    declared = each(vectors, lambda v: f"    real(dp) :: x_{_shape(v)}\n")
    name = f"check_{unit.entries.index(entry) + 1}"
    head = f"  subroutine {name}()\n    real(dp) :: g({most})\n"
    return f"{head}{declared}{cases}  end subroutine {name}\n\n"


def _prepare(unit: Unit) -> str:
    values = each(enumerate(unit.trial, 1), lambda x: f"  p({x[0]}) = {_number(x[1])}\n")
    return f"{values}  call prepare(p, r)\n"


def _words(unit: Unit, made: Written) -> dict[str, str]:
    q, p = enumerate(unit.positions, 1), enumerate(unit.parameters, 1)
    room = f"  real(dp) :: p({len(unit.parameters)}), r({unit.room})\n"
    return {
        "counts": counts(unit, "  integer, parameter, public :: n{letter} = {n}\n"),
        "publics": each(made.routines, "  public :: {}\n"),
        "names": each(q, lambda x: f"  ! q({x[0]}): {plain(x[1].name)} [{x[1].unit}]\n")
        + each(p, lambda x: f"  ! p({x[0]}): {plain(x[1].name)}\n"),
        "sign": part("sign.f90", unit) if "sign" in made.ops else "",
        "room": room if unit.parameters else "",
        "calls": each(unit.entries, "  call check_{n}()\n"),
    }


LANGUAGE = Language(
    dialect=lambda unit: FORTRAN,
    remark="    ! {text}\n",
    line=_wrapped,
    place=lambda v, k: f"{v.word}({each(indices(v.dims, k), lambda i: str(i + 1), ',')})",
    parameter="p({n})",
    function=_function,
    opened=_opened,
    piece=_piece,
    call=lambda r, k: _wrapped(f"    call {r.name}_{k}({r.shared})\n"),
    literal=_literal,
    case=_case,
    check=_check,
    checked=_checked,
    prepare=_prepare,
    comment="! {}",
    files={"{id}.f90": "model.f90", "{id}_test.f90": "test.f90"},
    words=_words,
    run=(
        ("gfortran", *STRICT, "-J", "{out}", "{d}/{id}.f90", "{d}/{id}_test.f90", *GOLDEN),
        GOLDEN[1:],
    ),
)
