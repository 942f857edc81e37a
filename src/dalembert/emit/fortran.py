"""Fortran 2008: a module of pure subroutines, and a program with golden vectors."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ..expr.function import Port
from .bodies import entry_body, indices, prepare_body, results
from .c import about
from .dialect import Dialect, Form, infix, numbers
from .names import plain
from .statements import Code, Let, SinCos
from .unit import Entry, Unit

WIDE = 120

_number = numbers(
    "ieee_value(1.0_dp, ieee_positive_inf)", "ieee_value(1.0_dp, ieee_quiet_nan)", "{}_dp"
)


FORTRAN = Dialect(
    "fortran",
    "{name} = {value}",
    infix(
        sign=Form("sign_of({})"),
        where=Form("merge({1}, {2}, {0})"),
        neg=Form("-{}", 1, (3,)),  # a*-b is no Fortran
    ),
    _number,
    entry="{}({})",
    first=1,
)

SIGN = """\
  pure elemental function sign_of(x) result(y)
    real(dp), intent(in) :: x
    real(dp) :: y
    y = x
    if (x > 0.0_dp) y = 1.0_dp
    if (x < 0.0_dp) y = -1.0_dp
  end function sign_of
"""


def files(unit: Unit) -> dict[str, str]:
    """Return the files by name."""
    return {f"{unit.id}.f90": source(unit), f"{unit.id}_test.f90": test(unit)}


def _wrapped(line: str, indent: str = "    ") -> str:
    """Return a statement on lines that are short enough, continued by &."""
    if len(line) <= WIDE:
        return line + "\n"
    parts = textwrap.wrap(
        line, WIDE - 4, subsequent_indent=indent + "  ", break_long_words=False,
        break_on_hyphens=False, drop_whitespace=True, initial_indent=indent,
    )  # fmt: skip
    return " &\n".join(parts) + "\n"


def _shape(port: Port) -> str:
    return ",".join(str(n) for n in port.shape or (1,))


def _place(word: str, port: Port, k: int) -> str:
    return f"{word}({','.join(str(i + 1) for i in indices(port.shape or (1,), k))})"


def _flat(entry: Entry) -> Iterator[str]:
    """Yield statements that make vectors, in C order, of inputs that are matrices."""
    for word, port in zip(entry.given, entry.inputs, strict=True):
        if len(port.shape) > 1:
            yield f"    {word} = reshape(transpose({word}_), [{port.size}])\n"


def source(unit: Unit) -> str:
    """Return <id>.f90."""
    bodies = [entry_body(entry, FORTRAN, _place) for entry in unit.entries]
    prepare = prepare_body(unit, FORTRAN, lambda k: f"p({k + 1})")
    parts = ["".join(f"! {line}".rstrip() + "\n" for line in about(unit))]
    parts.append(
        f"module {unit.id}_model\n"
        "  use, intrinsic :: iso_fortran_env, only: dp => real64\n"
        "  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan, ieee_positive_inf\n"
        "  implicit none\n  private\n  public :: dp\n"
        f"  integer, parameter, public :: nq = {len(unit.positions)}\n"
        f"  integer, parameter, public :: nv = {len(unit.speeds)}\n"
        f"  integer, parameter, public :: np = {len(unit.parameters)}\n"
        f"  integer, parameter, public :: nr = {unit.prepared}\n"
        + "".join(f"  public :: {entry.name}\n" for entry in unit.entries)
        + ("  public :: prepare\n" if unit.parameters else "")
    )
    names = [f"  ! q({k}): {plain(s.name)} [{s.unit}]\n" for k, s in enumerate(unit.positions, 1)]
    names += [f"  ! p({k}): {plain(p.name)}\n" for k, p in enumerate(unit.parameters, 1)]
    parts.append("".join(names))
    parts.append("contains\n")
    if any("sign" in body.ops for body in (*bodies, prepare)):
        parts.append(SIGN)
    if unit.parameters:
        ports = (Port("p", (len(unit.parameters),)), Port("r", (unit.prepared,)))
        made = [("r", ports[1])]
        parts.append(_subroutine("prepare", [("p", ports[0])], made, prepare, (), ""))
    for entry, body in zip(unit.entries, bodies, strict=True):
        given = list(zip(entry.given, entry.inputs, strict=True))
        given += [("r", Port("r", (unit.prepared,)))] * bool(unit.parameters)
        made = list(zip(entry.made, entry.outputs, strict=True))
        note = f"  ! {entry.summary} [{entry.unit}]\n"
        parts.append(_subroutine(entry.name, given, made, body, list(_flat(entry)), note))
    parts.append(f"end module {unit.id}_model\n")
    return "\n".join(parts)


def _subroutine(
    name: str,
    given: Sequence[tuple[str, Port]],
    made: Sequence[tuple[str, Port]],
    body: Code,
    lead: Sequence[str],
    note: str,
) -> str:
    """Return a subroutine, after its pieces where it has several."""
    scratch = [("wk", Port("wk", (body.scratch,)))] if body.scratch else []
    matrices = [(word, port) for word, port in given if len(port.shape) > 1]
    flat = [(w, Port(w, (p.size,)) if len(p.shape) > 1 else p) for w, p in given]
    outer = [(w + "_" if len(p.shape) > 1 else w, p) for w, p in given]
    local = "".join(f"    real(dp) :: {w}({p.size})\n" for w, p in (*matrices, *scratch))
    if len(body.pieces) == 1:
        inner = "".join(_lines(body.pieces[0]))
        text = _head(name, outer, made) + local + _declared(body.pieces[0]) + "".join(lead)
        return f"{note}{text}{inner}  end subroutine {name}\n"
    pieces, calls = "", ""
    words = ", ".join(w for w, _ in (*flat, *made, *scratch))
    for k, piece in enumerate(body.pieces, 1):
        text = _head(f"{name}_{k}", flat, [*made, *scratch], "inout") + _declared(piece)
        pieces += f"{text}{''.join(_lines(piece))}  end subroutine {name}_{k}\n\n"
        calls += _wrapped(f"    call {name}_{k}({words})")
    text = _head(name, outer, made) + local + "".join(lead)
    return f"{pieces}{note}{text}{calls}  end subroutine {name}\n"


def _head(
    name: str,
    given: Sequence[tuple[str, Port]],
    made: Sequence[tuple[str, Port]],
    intent: str = "out",
) -> str:
    words = ", ".join(w for w, _ in (*given, *made))
    text = _wrapped(f"  pure subroutine {name}({words})", "  ")
    text += "".join(f"    real(dp), intent(in) :: {w}({_shape(p)})\n" for w, p in given)
    return text + "".join(f"    real(dp), intent({intent}) :: {w}({_shape(p)})\n" for w, p in made)


def _declared(piece: Sequence[object]) -> str:
    lets = [s for s in piece if isinstance(s, Let) and not s.kept]
    text = ""
    for kind, words in (
        ("real(dp)", [s.name for s in lets if not s.mask]),
        ("logical", [s.name for s in lets if s.mask]),
    ):
        for k in range(0, len(words), 15):
            text += f"    {kind} :: {', '.join(words[k : k + 15])}\n"
    return text


def _lines(piece: Sequence[object]) -> Iterator[str]:
    for statement in piece:
        assert not isinstance(statement, SinCos)
        name = statement.name if isinstance(statement, Let) else statement.place  # type: ignore[attr-defined]
        yield _wrapped(f"    {name} = {statement.value}")  # type: ignore[attr-defined]


# -- test --------------------------------------------------------------------------------------

CHECK = """\
contains

  subroutine differs(name, x, golden, size_, tolerance)
    character(len=*), intent(in) :: name
    real(dp), intent(in) :: x(:), golden(:), size_, tolerance
    real(dp) :: worst
    character(len=4) :: verdict
    worst = maxval(abs(x - golden))/size_
    verdict = 'ok'
    if (.not. all(abs(x - golden) <= tolerance*size_)) then
      verdict = 'MISS'
      bad = .true.
    end if
    print '(a,a,es10.3e3,a,es10.3e3,a,a)', name, ' worst=', worst, ' tol=', tolerance, ' ', &
      trim(verdict)
  end subroutine differs
"""


def _vector(values: Sequence[float]) -> str:
    return "[" + ", ".join(_number(x) for x in values or (0.0,)) + "]"


def _filled(word: str, values: Sequence[float], port: Port) -> Iterator[str]:
    """Yield assignments, four numbers a line."""
    for k in range(0, len(values), 4):
        yield f"  g({k + 1}:{min(k + 4, len(values))}) = {_vector(values[k : k + 4])}\n"
    n = port.size
    if len(port.shape) > 1:
        order = ", ".join(str(len(port.shape) - k) for k in range(len(port.shape)))
        shape = ", ".join(map(str, port.shape))
        yield f"  {word} = reshape(g(1:{n}), [{shape}], order=[{order}])\n"
    else:
        yield f"  {word} = g(1:{n})\n"


def test(unit: Unit) -> str:
    """Return <id>_test.f90: every function at states whose results are known."""
    most = max([1, *(p.size for e in unit.entries for p in (*e.inputs, *e.outputs))])
    calls, subroutines = [], []
    for n, entry in enumerate(unit.entries, 1):
        calls.append(f"  call check_{n}()\n")
        subroutines.append(_check(n, entry, unit, most))
    r = ""
    if unit.parameters:
        r = f"  real(dp) :: p({len(unit.parameters)}), r({max(1, unit.prepared)})\n"
    lines = [f"program {unit.id}_test\n  use {unit.id}_model\n  implicit none\n{r}"]
    lines.append("  logical :: bad\n  bad = .false.\n")
    if unit.parameters:
        for k, x in enumerate(unit.trial, 1):
            lines.append(f"  p({k}) = {_number(x)}\n")
        lines.append("  call prepare(p, r)\n")
    lines += [*calls, "  if (bad) stop 1\n", CHECK, "\n", *subroutines]
    return "".join(lines) + f"end program {unit.id}_test\n"


def _check(n: int, entry: Entry, unit: Unit, most: int) -> str:
    ports = list(zip(entry.arguments, (*entry.inputs, *entry.outputs), strict=True))
    lines = [f"  subroutine check_{n}()\n    real(dp) :: g({most})\n"]
    lines += [f"    real(dp) :: x_{w}({_shape(p)})\n" for w, p in ports]
    words = [f"x_{w}" for w in entry.given] + ["r"] * bool(unit.parameters)
    words += [f"x_{w}" for w in entry.made]
    for golden in entry.golden:
        for word, port, values in zip(entry.given, entry.inputs, golden.inputs, strict=True):
            lines += ["  " + line for line in _filled(f"x_{word}", values, port)]
        lines.append(_wrapped(f"    call {entry.name}({', '.join(words)})"))
        for word, port, k in results(entry):
            values = golden.outputs[k]
            shape = port.shape or (1,)
            lines += ["  " + s for s in list(_filled("g", values, port))[:-1]]
            found = f"x_{word}"
            if len(shape) > 1:
                order = ", ".join(str(len(shape) - j) for j in range(len(shape)))
                turned = ", ".join(map(str, reversed(shape)))
                found = f"reshape(reshape(x_{word}, [{turned}], order=[{order}]), [{port.size}])"
            size, tol = _number(entry.size(k)), _number(entry.roundings(k) * 2.0**-52)
            head = f"    call differs('{entry.name} {word}', {found}, g(1:{port.size}), "
            lines.append(_wrapped(f"{head}{size}, {tol})"))
    return "".join(lines) + f"  end subroutine check_{n}\n\n"
