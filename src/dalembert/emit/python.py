"""Python: plain `math` on lists, and NumPy on arrays of states (..., size).

JAX and CasADi build on what is here. None of the emitted files imports dalembert.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from .dialect import Dialect, Form, infix, numbers
from .language import Language, Result, Routine, Vector, Written
from .text import each, nested, tables
from .unit import Entry, Unit

number = numbers("float('inf')", "float('nan')")
MATH = Dialect(
    infix(
        sign=Form("_sign({})"),
        sqrt=Form("_sqrt({})"),
        asin=Form("_asin({})"),
        acos=Form("_acos({})"),
        log=Form("_log({})"),
        where=Form("{1} if {0} else {2}", 0, (1, 1, 1)),
    ),
    number,
    call="math.{}",
)
CLOSED = Dialect(  # a singular pose gives NaN and a pivot of zero, as in C, not an exception
    {
        **MATH.forms,
        "div": Form("_over({}, {})"),
        "minimum": Form("_min({}, {})"),
        "maximum": Form("_max({}, {})"),
    },
    number,
    call="math.{}",
)
NUMPY = Dialect({}, number, call="np.{}", library="numpy")


def function(r: Routine, lead: str, inner: str, end: str, prefix: str = "") -> str:
    """Return a function with a docstring, vectors of zeros, and what it returns."""
    zeros = each((*r.made, *r.local), "    {0.word} = [0.0] * {0.size}\n")
    head = f"def {prefix}{r.name}({each(r.given, '{0.word}', ', ')}):\n"
    return f'\n{head}    """Return {r.meaning}."""\n{lead}{zeros}{inner}    return {end}\n'


def _function(size: Callable[[Vector], str]) -> Callable[..., str]:
    def write(r: Routine, opened: str, inner: str) -> str:
        own = r.given[: len(r.entry.inputs)] if r.entry else r.given
        lead = each(own, lambda v: f"    {v.word} = _vector({v.word}, {size(v)})\n")
        ends = each(r.made, lambda v: f"_shaped({v.word}, {v.shape!r})", ", ") if r.entry else "r"
        return function(r, lead, inner, ends)

    return write


def piece(r: Routine, k: int, inner: str) -> str:
    """Return an inner function."""
    return f"\ndef _{r.name}_{k}({r.shared}):\n{inner or '    pass'}\n"


def words(unit: Unit, made: Written) -> dict[str, str]:
    """Return names, units and values as plain data."""
    values = f"DEFAULT_PARAMETERS = [{each(unit.defaults, number, ', ')}]\n"
    return {"tables": tables(unit, "{KIND}_{WORD} = [{texts}]\n", units=True) + values}


# -- golden vectors ----------------------------------------------------------------------------


def literal(v: Vector, values: Sequence[float]) -> str:
    """Return numbers as nested lists."""
    return nested([*map(repr, values)], v.shape)


def check(unit: Unit, x: Result, wanted: str) -> str:
    """Return the comparison of one result."""
    found = "x" if len(x.entry.outputs) == 1 else f"x[{x.k}]"
    wanted = repr(list(x.values))
    return f'bad |= differs("{x.name}", {found}, {wanted}, {x.size!r}, {x.tolerance!r})\n'


def case(unit: Unit, entry: Entry, given: Sequence[str]) -> str:
    """Return the call at one state."""
    return f"x = model.{entry.name}({', '.join(given)})\n"


def language(
    dialect: Dialect, suffix: str, top: str, size: Callable[[Vector], str],
    setup: str = "", needs: tuple[str, ...] = (), closed: Dialect | None = None,
) -> Language:  # fmt: skip
    """Return one of the Pythons: its dialect, the end of its module's name, its helpers.

    - `closed`: the dialect where functions give checks, if it is another.
    """
    module = f"{{id}}{suffix}"

    def own(unit: Unit, made: Written) -> dict[str, str]:
        imported = f"{setup}import {module.format(id=unit.id)} as model\n"
        return words(unit, made) | {"module": imported}

    return Language(
        dialect=lambda unit: closed if closed and unit.has_checks else dialect,
        remark="    # {text}\n",
        function=_function(size),
        piece=piece,
        call=lambda r, k: f"    _{r.name}_{k}({r.shared})\n",
        literal=literal,
        case=case,
        check=check,
        prepare=lambda unit: f"r = model.prepare({list(unit.trial)!r})\n",
        files={f"{module}.py": top, f"{module}_test.py": "golden.py"},
        words=own,
        run=(("{python}", f"{{d}}/{module}_test.py"),),
        needs=needs,
    )


LANGUAGE = language(MATH, "", "plain.py", lambda v: str(prod(v.shape)), closed=CLOSED)
ARRAYS = language(NUMPY, "_numpy", "arrays.py", lambda v: repr(v.shape))
